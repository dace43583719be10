/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The brackets of demangled names. They nest, but '<' and '>' are also operators, and a bracket may
 * belong to a name: "operator()", "operator<".
 */
#ifndef NAMES_BRACKETS_H
#define NAMES_BRACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An open bracket, and how many '<' are open directly in it. */
struct bracket {
	char closing;
	uint32_t lists;
};

/* True for a character of an identifier. */
bool brackets_is_word(char c);

bool brackets_starts(const char *text, const char *with);

/* The bracket that closes @c, '(', '[' or '{'; 0 for any other character. */
char brackets_closing(char c);

/* Returns the length of the sign operator at @text ("operator..."), 0 if there is none. */
size_t brackets_operator(const char *text);

/*
 * Returns what follows the bracket that opens at @text, or the end of the text if it never closes.
 * A closing bracket also closes every '<' inside it, which was then a comparison; a '>' with
 * nothing to close is a comparison, too. @stack has room for one bracket more than the text is
 * long.
 */
const char *brackets_skip(const char *text, struct bracket *stack);

/*
 * After an argument list: returns the "::" that follows if these were the arguments of an enclosing
 * function, NULL if the name is complete.
 */
const char *brackets_enclosing_end(const char *text);

#endif
