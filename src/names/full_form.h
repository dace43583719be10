/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A demangled name with its brackets paired, in one pass, so that what reads it passes over a
 * bracket in one step. Positions are offsets in the text.
 */
#ifndef NAMES_FULL_FORM_H
#define NAMES_FULL_FORM_H

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

bool outline_starts(const struct outline *form, size_t at, const char *with);

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

/*
 * The parts of a full form: a type that is returned, a qualified name, arguments, and qualifiers.
 * Brackets nest, but '<' and '>' are also operators, and a bracket may belong to the name:
 * "(anonymous namespace)", "operator()", "{lambda(int)#1}".
 */

struct full_name {
	size_t start, leaf,
		end;      /* the qualified name; the last part of that; its arguments begin */
	struct span list; /* the template list of the last part */
	bool is_operator; /* some part of it is one */
	/* The qualified name without template lists and arguments of enclosing functions */
	char *brief;
	size_t len;
};

/* Reads @form. False without memory; free(@name->brief) is due else. */
bool full_name_read(const struct outline *form, struct full_name *name);

/*
 * A part of a demangled name written in short: without namespaces, without the arguments of
 * enclosing functions, numbers without the suffix of their type.
 */

struct short_form {
	unsigned int depth; /* of template lists; deeper ones are "<...>" */
	/*
	 * Without arguments that no reader needs, such as iterators; and of a lambda in a lambda
	 * only the inner one
	 */
	bool is_brief;
	struct span hole; /* written as "_" */
};

/* How much room @len bytes need. */
#define SHORT_FORM_ROOM(len) (3 * (len) + 1)

/*
 * Writes @part of @form to @out, which has SHORT_FORM_ROOM for it, without a NUL. Returns the
 * length, or -1 without memory.
 */
ptrdiff_t short_form_write(const struct outline *form, const struct span *part,
			   const struct short_form *style, char *out);

#endif
