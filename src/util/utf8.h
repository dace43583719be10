/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text as UTF-8: the one place that decodes it, says how wide a character is in a terminal, which
 * characters are hostile, and what the signs that cutop draws become in ASCII. Nothing here depends
 * on the user's locale.
 * A character is hostile if it moves the cursor, ends a line, changes the direction of writing, or
 * is invisible, since two names that differ must not look alike. Every printer shows a question
 * mark in place of it, and in place of bytes that are not UTF-8.
 */
#ifndef UTIL_UTF8_H
#define UTIL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decodes the character at @text into *@point; -1 for bytes that are not UTF-8. Returns its length
 * in bytes: at least 1, also for the NUL at the end; never reads past that NUL.
 */
size_t utf8_next(const char *text, int32_t *point);

bool utf8_is_hostile(int32_t point);

/*
 * Cells of a character in a terminal: 0 for one that combines with the one before, 1 or 2; -1: must
 * not be shown.
 */
int utf8_width(int32_t point);

/* The ASCII form of one of the signs that cutop draws; '?' for any other character beyond ASCII. */
char utf8_ascii(int32_t point);

/*
 * "≥" is a '+' in ASCII, and follows its number: "6.3G+", since '>' would say that 6.3G is too few.
 * True if the ASCII text at @text, which comes after a "≥", still belongs to the number.
 */
bool utf8_is_figure(const char *text);

#define UTF8_AT_LEAST 0x2265

/* Writes @point to @out as up to 4 bytes and a NUL. Returns @out. */
char *utf8_encode(int32_t point, char out[5]);

/* Cells of @text in a terminal, with a question mark for each character that must not be shown. */
int utf8_cells(const char *text);

/*
 * Copies @text into @out (@size bytes, > 0) with '?' for hostile characters; cuts only between
 * characters. Returns @out.
 */
char *utf8_clean(const char *text, char *out, size_t size);

/* The same for at most @len bytes, into a new string that the caller frees; NULL without memory. */
char *utf8_clean_copy(const char *text, size_t len);

/*
 * Copies whole characters of @text to @out, at most @cells cells and @size bytes (>= 4); if not all
 * fit, the last one is "…". Returns @out.
 */
char *utf8_fit(char *out, size_t size, const char *text, int cells);

#endif
