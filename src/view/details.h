/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Details: all that is known of one row of a pane, shown in its place. The pane's descriptor lists
 * them as sections of lines; how these are wrapped, laid out in one or two columns and scrolled is
 * the same for all.
 */
#ifndef VIEW_DETAILS_H
#define VIEW_DETAILS_H

#include "view/list.h"

struct details {
	struct details_line *lines;
	size_t count, room;
	bool failed; /* there was no memory for a line */
};

/* Begins a section. What comes before the first one is shown above all others. */
void details_section(struct details *details, const char *title);

/* A figure or a fact with what it is. */
void details_field(struct details *details, const char *label, enum style style, const char *format,
		   ...) __attribute__((format(printf, 4, 5)));

void details_text(struct details *details, enum style style, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A histogram of @count buckets by powers of two, from the first that is used to the last. */
enum hist_unit { HIST_NS, HIST_BYTES };
void details_histogram(struct details *details, const uint64_t *buckets, size_t count,
		       enum hist_unit unit, enum style style);

/* How long something took */
void details_latency(struct details *details, const struct snap_latency *latency, bool sampled);

/* The frames of @place's stack, or its site alone, with an arrow before what it is called by. */
void details_stack(struct details *details, const struct snap_place *place);
/* The same as a section; nothing if no site is known. */
void details_place(struct details *details, const char *title, const struct snap_place *place);

/* So many rows that a list leaves empty have a part of the details that is worth it. */
enum { PREVIEW_ROWS_MIN = 5 };

/* Draws @list, and below it, where there is room, the details of the row at its cursor, or the first. */
void details_below_list(struct view *view, const struct area *area, const struct list *list);

/* Draws those of the row with view->details.key, if @list has it, in place of the pane. */
void details_draw(struct view *view, const struct area *area, const struct list *list);

#endif
