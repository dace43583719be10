/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The panes. Each is a file, pane_NAME.c, that ends in its descriptor. A line in the list below is
 * all it takes to add one: its key and tab are its place in the list, from 0 on; its name, its help and what
 * keys do in it come from the descriptor.
 */
#ifndef VIEW_PANES_H
#define VIEW_PANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/theme.h"

/* PANE(constant, name of the descriptor) */
#define PANES(PANE) \
	PANE(FINDINGS, findings) \
	PANE(MEMORY, memory) \
	PANE(KERNELS, kernels) \
	PANE(COPIES, copies) \
	PANE(FAILURES, failures) \
	PANE(CALLS, calls) \
	PANE(SITES, sites) \
	PANE(LOG, log)

#define PANE_CONSTANT(constant, name) PANE_##constant,
enum pane { PANES(PANE_CONSTANT) PANE_COUNT };
#undef PANE_CONSTANT

struct area;
struct details;
struct fit;
struct fit_rule;
struct list;
struct list_column;
struct field_list;
struct snap_process;
struct view;

/*
 * What the panning keys move: long names; plots, back in time; or the map once it is zoomed, and
 * plots before that.
 */
enum pan { PAN_NAMES, PAN_PLOTS, PAN_MAP };

/* The functions for cells belong to its list: see list.h. */
struct pane_desc {
	enum pane pane;
	const char *title; /* on its tab, and in the settings file */
	const char *help;  /* what it shows: the help's text after the title */
	enum pan pan;
	bool is_of_all; /* shown even if no process is selected */
	/* column + 1 that it is sorted by at first; 0: its list has an order of its own */
	unsigned int sort;

	const struct list_column *columns;
	size_t column_count;
	const struct field_list *items; /* whose fields its columns are; NULL: none is */
	/* Writes what stands in a cell to @out (CELL_TEXT bytes), and returns its style. */
	enum style (*cell)(const struct list *list, size_t item, size_t column, char *out);
	/* The value to sort by; NAN last */
	double (*number)(const struct list *list, size_t item, size_t column);
	/*
	 * The item that @item stays right behind when sorted. NULL: each item is sorted by itself
	 */
	size_t (*owner)(const struct list *list, size_t item);
	/* Sorted or not, items of a lower one come first. NULL: all are of one */
	int (*section)(const struct list *list, size_t item);
	/*
	 * The column whose cell fills all of @item's row; -1: it has normal cells. NULL: all items
	 * have
	 */
	int (*whole)(const struct list *list, size_t item);
	/*
	 * What tells @item from all others of the pane, from one snapshot to the next. The cursor
	 * stays where that is.
	 */
	uint64_t (*key)(const struct list *list, size_t item);
	/* Its details have @text in them, which no cell has; NULL: none do */
	bool (*hides)(const struct list *list, size_t item, const char *text);
	/* Fills @details with all that is known of @item: Enter shows that. */
	void (*details)(const struct list *list, size_t item, struct details *details);
	/* What Enter does there: goes to what @item is about. NULL: nothing */
	void (*follow)(struct view *view, const struct list *list, size_t item);
	const struct fit_rule *rule; /* how columns are fitted; NULL: as in panes */
	/* Draws a cell by itself; false: it is one like others. NULL: all are */
	bool (*cell_draw)(const struct list *list, const struct area *area, int row, size_t item,
			  size_t column, const struct fit *fit);
	/* Marks a row that was drawn; NULL: nothing */
	void (*mark)(const struct list *list, const struct area *area, int row, size_t item,
		     const struct fit *fit);
	/* A bar, where a column has one: 0..1; NULL: none has */
	double (*bar)(const struct list *list, size_t item, size_t column, enum style *style);

	/*
	 * Fills @list, whose process is the selected one, or NULL, and has differences for figures
	 * if there is a baseline. list_close() frees its items. Returns 0 or -ENOMEM.
	 */
	int (*make)(struct list *list);
	/* What else make() has allocated is freed. NULL: nothing */
	void (*done)(struct list *list);
	/* Draws the list, and what is around it; list_draw(): nothing */
	void (*draw)(struct view *view, const struct area *area, const struct list *list);
};

#define PANE_DECLARATION(constant, name) extern const struct pane_desc pane_##name;
PANES(PANE_DECLARATION)
#undef PANE_DECLARATION

extern const struct pane_desc *const panes[PANE_COUNT];

#endif
