/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures in the cells of lists: each function writes to @out and returns the style for it. */
#ifndef VIEW_CELLS_H
#define VIEW_CELLS_H

#include <math.h>
#include "view/list.h"

enum style cell_bytes(char out[CELL_TEXT], double bytes);
/* Every digit, if there is room */
enum style cell_count(char out[CELL_TEXT], double count, int width);
enum style cell_about(char out[CELL_TEXT], double count, bool exact, int width); /* ~12 */
enum style cell_rate(char out[CELL_TEXT], double rate, bool bytes);
enum style cell_time(char out[CELL_TEXT], double seconds); /* 5.1µs */
enum style cell_share(char out[CELL_TEXT], double share);  /* 0..1 */
enum style cell_device(char out[CELL_TEXT], int device);
/* @count is NAN where it is not known. */
enum style cell_failures(char out[CELL_TEXT], double count, bool lower_bound, int width);
/*
 * Without return probes, what only returns tell is unknown: no figure may be shown, not even zero.
 */
#define NO_RETURNS "returns of its calls are not probed."

static inline double process_known(const struct snap_process *process, double value)
{
	return process->unreturned ? NAN : value;
}

/* Adds @len bytes to the hash of a row's key; begin with KEY_BEGIN. */
#define KEY_BEGIN 0xcbf29ce484222325
uint64_t key_add(uint64_t hash, const void *bytes, size_t len);
uint64_t key_text(uint64_t hash, const char *text); /* NULL counts as "" */

enum style cell_text(char out[CELL_TEXT], enum style style, const char *text);

#endif
