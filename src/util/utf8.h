/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text as UTF-8: the one place that decodes it, says how wide a character is in a terminal, which characters are hostile,
 * and what our own signs become in ASCII. Nothing here depends on the locale that the user has set.
 *
 * Hostile is what moves the cursor, ends a line, turns the direction of writing, or is not seen at all: two names that
 * differ must not look alike. Every printer shows a question mark in its place, as for bytes that are no UTF-8.
 */
#ifndef UTIL_UTF8_H
#define UTIL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads the character at @text into *@point; -1 for bytes that are no UTF-8. Returns its length in bytes, at least 1, also
 * for the NUL at the end; never reads past that.
 */
size_t utf8_next(const char *text, int32_t *point);

bool utf8_is_hostile(int32_t point);

/* Cells of a character in a terminal: 0 for one that combines with the one before, 1 or 2; -1: not to be shown. */
int utf8_width(int32_t point);

/* What one of our own signs becomes in ASCII; '?' for any other character beyond it. */
char utf8_ascii(int32_t point);

/* Writes @point to @out as up to 4 bytes and a NUL. Returns @out. */
char *utf8_encode(int32_t point, char out[5]);

/* Cells of @text in a terminal, with a question mark for each character that is not to be shown. */
int utf8_cells(const char *text);

/* Copies @text into @out (@size bytes, > 0), hostile characters replaced by '?', cut at a character. Returns @out. */
char *utf8_clean(const char *text, char *out, size_t size);

/* The same of at most @len bytes, in a new string; NULL without memory. The caller frees it. */
char *utf8_clean_copy(const char *text, size_t len);

/*
 * Copies @text to @out: whole characters of at most @cells cells, and "…" for what has no room there or in @size bytes,
 * which are at least 4. Returns @out.
 */
char *utf8_fit(char *out, size_t size, const char *text, int cells);

#endif
