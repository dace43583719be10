/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list, in a pane or the table of processes: titled columns that are dropped by rank if there is no
 * room, and that are sorted, searched and scrolled alike. The descriptor says what a cell shows and
 * what it is sorted by.
 */
#ifndef VIEW_LIST_H
#define VIEW_LIST_H

#include "view/panes.h"
#include "view/view_internal.h"

struct list_column {
	const char *title; /* NULL: the field's */
	/* Of the items of the pane's descriptor, by its key (print/fields.h); NULL: it is none */
	const char *field;
	int width; /* 0: the remaining cells, at least @least */
	int least;
	int good;     /* of one without a width: cells that it gets before others come; 0: least */
	bool left;    /* text: left-aligned, and sorted ascending by the shown text */
	bool ascends; /* not left-aligned, and sorted ascending all the same */
	int rank;     /* which stay if there is no room: lowest last */
	bool is_bar;  /* a bar: cannot be sorted by or searched */
	bool middle;  /* where there is no room for all of a text, its middle is left out */
	/* What it shows: a line of the help, of at most COLUMN_HELP characters, and the manual's */
	const char *help;
};

enum { COLUMN_HELP = 60 };
enum { CELL_TEXT = 4096 }; /* kernels' signatures can have thousands of characters */

/* The title of @column in the pane @desc. */
const char *column_title(const struct pane_desc *desc, const struct list_column *column);

/* Where the columns of a list, or of the table of processes, are. */
struct fit {
	int start[COLUMNS_MAX], width[COLUMNS_MAX];
	bool shown[COLUMNS_MAX];
};

struct fit_rule {
	int begin, gap; /* cells before the first, and between two */
	int end;        /* cells behind the last, for the bar that shows the position */
	int spill;      /* cells of the gap that a long number may take */
	bool ends;      /* none that matters less takes the place of one that has no room */
};

/* Marks the first match in @text, which is drawn in the @room cells from @col. */
void match_mark(const struct area *area, int row, int col, int room, const char *text,
		const char *search);
/* Moves *@top so that the rows @first to @last are in sight; so that there is no gap at the end. */
void rows_scroll(size_t *top, size_t first, size_t last, size_t rows);
void rows_limit(size_t *top, size_t rows, size_t count);

struct list {
	const struct pane_desc *desc;
	const struct list_column *columns; /* the descriptor's, or those of the table */
	size_t column_count;
	uint64_t hidden; /* bit set: columns that would be empty */
	size_t count;
	const void *items; /* the pane's own data */
	const struct view *view;
	const struct snap_process *process;
	const char *empty; /* what to say when there is nothing */
	/* Of columns, instead of their own where not NULL; NULL: all have their own */
	const char *const *titles;
	size_t *order;             /* the items as they are sorted; NULL: as they are */
	struct snap_process since; /* `process`, with differences if there is a baseline */
	bool has_differences;
};

/*
 * Makes the list of the shown pane, for keys as for drawing. False: there is no process, or no
 * memory. Else close it.
 */
bool list_open(const struct view *view, struct list *list);
void list_close(struct list *list);

/*
 * The cursor of a pane that has the focus, where the pane's descriptor tells its rows apart. It stays
 * on its row, wherever that goes.
 */
/* True if @list has one now. */
bool list_has_cursor(const struct list *list);

/* Puts @cursor on @row of @list, which will be scrolled there. */
void list_cursor_put(const struct list *list, struct pane_cursor *cursor, size_t row);

/* Goes to the next match (1), the previous one (-1), or from the present row on (2). */
void list_search(struct view *view, int direction);

void list_draw(struct view *view, const struct area *area, const struct list *list);
/* The same of any list: its titles in @titles, its items in @area, which is below. */
void list_draw_at(struct list_state *state, const struct area *titles, const struct area *area,
		  const struct list *list);

/* ---- rows of items that are followed by places: kernels by those that launch them, calls by those that wait in them ---- */

/* A place of an item. */
struct item_place {
	size_t item;
	const char *site; /* one text for all that refer to one place */
	double amount;    /* what places are ordered by */
	double calls;
	bool sampled;
};

struct place_row {
	size_t item;
	size_t first;  /* the row of the item itself */
	bool is_place; /* it is another one: of a place, or */
	size_t more;   /* of so many more */
	struct item_place place;
};

/*
 * The rows of @item_count items with their @count places, which are put in order: the same site
 * once, most first, and of each item @most at most. Returns NULL without memory; else the caller
 * frees them.
 */
struct place_row *place_rows_make(size_t item_count, struct item_place *places, size_t count,
				  size_t most, size_t *row_count);

/* What tells @kernel from the others of @program, from one snapshot to the next. */
uint64_t kernel_key(uint32_t program, const struct snap_kernel *kernel);

/* As a pane's descriptor has them, of a list whose items are such rows. */
const struct place_row *place_row_of(const struct list *list, size_t row);
/* The key of @row of an item with the key @key. */
uint64_t place_row_key(uint64_t key, const struct place_row *row);
size_t place_row_owner(const struct list *list, size_t row);
/*
 * What stands in the row of a place, if @is_name in the column of names, else nothing: @number in so
 * many @cells, @amount, and the place: "   ~60823  76.0%  step at train.py:12 (python)"
 */
enum style place_row_cell(const struct place_row *row, bool is_name, const char *number, int cells,
			  const char *amount, char out[CELL_TEXT]);

#endif
