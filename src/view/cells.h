/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures as the screen shows them: bars, sparklines, and text in the cells of lists. */
#ifndef VIEW_CELLS_H
#define VIEW_CELLS_H

#include <math.h>

#include "view/canvas.h"
#include "view/history.h"
#include "view/list.h"

/*
 * A bar of @fraction (0..1) of @cells, in eighths of a cell. Anything more than nothing is visible.
 */
void bar_of(const struct area *area, int row, int col, int cells, enum style style,
	    double fraction);

/*
 * How many of @cells each of @samples may have, so that few of them do not look lost. It takes few
 * values: as samples come, what is drawn seldom changes its scale.
 */
int cells_each(int cells, double samples);

/*
 * The latest samples, as many as @cells have room for; @top fills a cell, or, if it is 0, a little
 * more than the largest of them.
 */
void spark_of(const struct area *area, int row, int col, int cells, enum style style,
	      const struct track *track, enum series series, double top);

/* How what is said in @tone looks. */
enum style tone_style(enum event_tone tone);

/* One of nine heights, for a fraction of 0..1; " " for none and NAN. */
const char *level_of(double fraction);

/* A thumb on the right edge of @area, which shows @count rows from @top on; nothing if all fit. */
void scrollbar_draw(const struct area *area, size_t top, size_t count);
/* The first item in sight after a click on @row of the screen; false: there is no bar. */
bool scrollbar_top(struct rect rect, int row, size_t count, size_t *top);

/* Fields of one line. Where there is no room for all, those with the lowest ranks stay. */
struct segment {
	char text[96];
	enum style style;
	int rank;
	bool right, shown;
	int flag;       /* what a click on it means to the caller; 0: nothing */
	int start, end; /* where one at the right was drawn */
};

struct segments {
	struct segment list[24];
	size_t count;
};

/* @right: from the right end on, the last one outermost */
struct segment *segment_add(struct segments *segments, int rank, enum style style, bool right,
			    const char *format, ...) __attribute__((format(printf, 5, 6)));
/* Draws them in @cols cells of @row. Returns the column behind those at the left. */
int segments_draw(struct segments *segments, const struct area *area, int row, int cols);

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

/* What the field of @column is in @item, NAN if it is not known; and what is shown of that. */
double item_number(const struct list *list, size_t column, const void *item);
enum style item_cell(const struct list *list, size_t column, const void *item, char out[CELL_TEXT]);

#endif
