/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A demangled name with its brackets paired, in one pass, so that what reads it passes over a
 * bracket in one step. Positions are offsets in the text.
 */
#ifndef NAMES_OUTLINE_H
#define NAMES_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct outline {
	const char *text;
	size_t len;
	uint32_t *end; /* for each bracket that opens, what follows where it closes; else 0 */
};

/* A part of the text; end == 0: none. */
struct span {
	size_t start, end;
};

/*
 * Pairs the brackets of @text, which is used until outline_free(). False without memory;
 * outline_free() is due then, too.
 */
bool outline_make(struct outline *form, const char *text);
void outline_free(struct outline *form);

/* What follows the bracket, or the character, at @at. */
size_t outline_step(const struct outline *form, size_t at);

/* True for a character of an identifier. */
bool outline_is_word(char c);
bool outline_starts(const struct outline *form, size_t at, const char *with);

/*
 * The length of the sign operator ("operator...", or "->") at @at, 0 if there is none; @is_inside: it is
 * inside of a word.
 */
size_t outline_operator(const struct outline *form, size_t at, bool is_inside);

/*
 * If an enclosing function's arguments, or "(anonymous namespace)", begin at @at: where the "::"
 * after them is. Else 0.
 */
size_t outline_enclosing_end(const struct outline *form, size_t at);

/* The length of the word that @text begins with, and whether it is @word, one of @list, or fits the
 * @pattern of fnmatch(3). */
size_t outline_word(const char *text);
bool outline_word_is(const char *text, const char *word);
bool outline_word_is_one_of(const char *text, const char *const *list, size_t count);
bool outline_word_fits(const char *text, const char *pattern);

#endif
