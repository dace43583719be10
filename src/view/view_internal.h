/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the view: its state, and what its files do for each other. */
#ifndef VIEW_VIEW_INTERNAL_H
#define VIEW_VIEW_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/columns.h"
#include "model/snapshot.h"
#include "view/canvas.h"
#include "view/history.h"
#include "view/keys.h"
#include "view/layout.h"
#include "view/panes.h"
#include "view/settings.h"
#include "view/theme.h"
#include "view/view.h"

enum input_mode {
	INPUT_NORMAL, INPUT_SEARCH, INPUT_FILTER, INPUT_DELAY, INPUT_SORT, INPUT_SIGNAL, INPUT_CONFIRM, INPUT_HELP, INPUT_SETTINGS
};

enum { INPUT_SIZE = 128, PANE_COLUMNS_MAX = 24 };

/* Where the cursor of a pane is, and what was opened there: list_cursor.c. */
struct pane_cursor {
	uint64_t key;		/* of its row when last drawn */
	uint64_t opens;		/* of the row that Enter opens or closes */
	size_t row, count;	/* of the list; how many there are */
	bool chosen;		/* by the user */
	bool moved, revealed;	/* since last drawn: the row is what counts, not the key; what was opened is to be in sight */
	bool in_sight, can_open;
	uint64_t open[64];	/* keys of open rows */
	size_t open_count;
};

struct pane_state {
	struct pane_cursor cursor;
	size_t top;
	unsigned int sort;	/* column + 1; 0: as the pane has it */
	bool reverse;
	unsigned int columns;	/* how many it had when last drawn */
	uint32_t hidden;	/* bit set of those that were not to be seen, or cannot be sorted by */
	int rows;		/* of its list, when last drawn */
	int title_row;		/* of the screen; where the titles that can be sorted by stood there, end 0: nowhere */
	int title_start[PANE_COLUMNS_MAX], title_end[PANE_COLUMNS_MAX];
	int seek;		/* draw the next (1) or previous (-1) match */
	size_t found;		/* row + 1 of the last one; 0: none */
	int shift;		/* cells by which names begin further left than their column, out of sight */
};

/* A row of the process table. */
struct row {
	const struct snap_process *process;
	char branch[32];	/* what stands before its name in a tree */
};

struct view {
	struct settings settings;
	struct layout layout;		/* as last drawn */
	int screen_rows, screen_cols;

	struct snapshot *latest, *shown;	/* the same unless frozen */
	struct history history;
	double self_share, self_before;	/* of a CPU, lately; seconds until then */
	double self_elapsed;		/* elapsed_seconds of the snapshot before; 0: there is none */
	double most_live;		/* live + leaked, seen so far: the length of the bar */
	bool frozen;
	struct snapshot *base;		/* differences are since this one; NULL: totals are shown */

	struct row *rows;
	size_t row_count, row_size;
	size_t hidden;			/* by the filter */
	bool has_selected, selected_by_user;
	uint32_t selected;
	size_t selected_row;		/* where it was last */
	size_t top;
	bool scroll_to_selected;

	bool full;
	struct pane_state panes[PANE_COUNT];
	unsigned int zoom;		/* of map and plots: 2 to that */
	double pan;			/* 0..1 of what is out of sight */
	double map_cell;		/* bytes a cell of the map stood for when last drawn */
	size_t back, back_seen;		/* plots end this many samples ago; and did when last drawn, where there were fewer */

	enum input_mode mode;
	char input[INPUT_SIZE], before[INPUT_SIZE];
	char search[INPUT_SIZE], filter[INPUT_SIZE];
	size_t menu_row;
	struct rect menu;		/* the lines of what is open over the rest, when last drawn */
	size_t menu_top;		/* the first of them */
	int help_top;
	bool closed_by_click;		/* the last click closed it */

	char message[160];
	double message_until;		/* elapsed_seconds of a snapshot */
	uint64_t warned;		/* time of the last event that became one */

	struct host host;
	enum request request;
	int signal_number;
	uint32_t signal_image;
	int timezone_fixed;		/* tests: UTC */
};

/* view_new() and view_free() of a view that lies elsewhere. */
void view_init(struct view *view);
void view_clear(struct view *view);

/* Seconds between the samples of the history: as they are collected, or were. */
double view_interval(const struct view *view);

/* The selected process in what is shown, or NULL. */
const struct snap_process *view_selected(const struct view *view);

/* Its program without the folder. */
const char *command_brief(const struct snap_process *process);

/* The process with @program in @snapshot, or NULL. */
const struct snap_process *snapshot_process(const struct snapshot *snapshot, uint32_t program);

/* What keys do, for the mouse. */
void mode_set(struct view *view, enum input_mode mode);
void sort_by(struct view *view, const struct column *column);	/* once more: inverted */
void pane_show(struct view *view, enum pane pane);
void pane_scroll(struct view *view, long step);
void menu_choose(struct view *view);

/* The cursor of the pane that is shown, if it has one. False: it has none, or nothing was to be done. */
bool cursor_move(struct view *view, long step);
bool cursor_open(struct view *view);	/* or closes, or says that there is nothing to open */
bool cursor_close(struct view *view);
bool cursor_click(struct view *view, int row, bool again);	/* @row of the screen; again: it opens what was clicked before */

/* Filters, sorts, makes the tree: what rows there are. Keeps the selection. */
void rows_arrange(struct view *view);
void rows_select(struct view *view, size_t row);
bool rows_match(const struct snap_process *process, const char *filter);

/* Moves to the next process that matches the search; @from: 0 stays where it matches already. */
bool rows_search(struct view *view, int direction, bool from_next);

/* Case-insensitive; UTF-8 letters beyond ASCII must be the same. */
const char *text_find(const char *text, const char *part);

/* The value that @column of @process shows: the difference, where there is a baseline. */
struct column_value view_value(const struct view *view, const struct column *column, const struct snap_process *process);
const struct snap_process *baseline_of(const struct view *view, const struct snap_process *process);	/* as it was then, or NULL */
bool baseline_apply(const struct view *view, struct snap_process *process);	/* to its lists; true: baseline_undo() is due */
void baseline_undo(struct snap_process *process);
void baseline_set(struct view *view);
void baseline_end(struct view *view);
void view_release(struct view *view, struct snapshot *snapshot);
bool column_is_counter(const struct column *column);

/* The columns that fit into @cols cells, and how wide each is then. */
struct table_columns {
	const struct column *columns[COLUMNS_MAX];
	int start[COLUMNS_MAX], width[COLUMNS_MAX];
	size_t count;
};
struct table_columns table_fit(const struct view *view, int cols);

void header_draw(struct view *view, struct canvas *canvas);
int devices_count(const struct snapshot *snapshot);	/* those that the driver told of */
void devices_draw(struct view *view, struct canvas *canvas);
void table_draw(struct view *view, struct canvas *canvas);
void tabs_draw(struct view *view, struct canvas *canvas);
int tabs_hit(const struct view *view, int col);		/* the pane at @col, or -1 */
void bar_draw(struct view *view, struct canvas *canvas);
int32_t bar_hit(const struct view *view, int col);	/* the key at @col, or 0 */
void overlay_draw(struct view *view, struct canvas *canvas);

/* Settings and menus: how many lines each has, and what a key does there. */
size_t settings_lines(const struct view *view);
void settings_key(struct view *view, int32_t key);
void settings_line(const struct view *view, size_t line, char *name, char *value, size_t size, const char **help);
extern const struct menu_signal { int number; const char *name; } menu_signals[];
extern const size_t menu_signal_count;

/* "14:03:22" in the user's time zone. */
void format_clock(const struct view *view, uint64_t real_ns, char *out, size_t size);

/* When something happened: the time of day, or the day where that was more than one ago. At most 8 cells. */
void format_when(const struct view *view, uint64_t real_ns, char *out, size_t size);
/* "01:12", "3h05m", "2d04h" */
void format_age(uint64_t ns, char *out, size_t size);

#endif
