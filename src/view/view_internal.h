/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inside of the view: its state, and functions shared by its files. */
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
#include "view/map.h"
#include "view/panes.h"
#include "view/plot.h"
#include "view/settings.h"
#include "view/theme.h"
#include "view/view.h"

/*
 * Where things are on the screen: a pure function of the terminal's size and of what is open. What
 * has no room is dropped, least important first; a dropped part has no rows. The table of processes
 * is never dropped, unless a pane fills the screen.
 */
struct layout {
	struct rect status;  /* processes, probes, lost, the clock */
	struct rect totals;  /* memory, launches, copies: 1 or 2 rows */
	struct rect devices; /* rows with several devices each, or one or two rows per device */
	struct rect titles;  /* of the table's columns */
	struct rect table;
	struct rect tabs;
	struct rect pane;
	struct rect other; /* the second one; no rows: there is none */
	struct rect bar;   /* keys, or what is being typed */
};

/*
 * @devices: how many there are, with parts of devices; @lines: how many rows they fill where the
 * processes that use them have rows of their own; @processes: how many rows these have ever filled.
 */
struct layout layout_make(int rows, int cols, bool full, int devices, int lines, size_t processes);

/* A set of processes by their program numbers: those that are folded, or tagged. */
struct program_set {
	uint32_t *list; /* ascending */
	size_t count, size;
};

bool program_set_has(const struct program_set *set, uint32_t program);

/* Returns false without memory; then nothing has changed. */
bool program_set_add(struct program_set *set, uint32_t program);
void program_set_remove(struct program_set *set, uint32_t program);

/* Removes those that @snapshot does not have, or, with @running, has as exited. */
void program_set_prune(struct program_set *set, const struct snapshot *snapshot, bool running);

/* Removes all and frees the memory. */
void program_set_clear(struct program_set *set);

enum input_mode {
	INPUT_NORMAL,
	INPUT_SEARCH,
	INPUT_FILTER,
	INPUT_DELAY,
	INPUT_SORT,
	INPUT_SIGNAL,
	INPUT_USER,
	INPUT_CONFIRM,
	INPUT_HELP,
	INPUT_SETTINGS,
	INPUT_PALETTE
};

/* 16 devices with 7 parts each are 128 cells */
enum { INPUT_SIZE = 128, DEVICE_CELLS_MAX = 160 };

/* What the keys for moving, opening, sorting and searching are about. */
enum focus {
	FOCUS_TABLE,  /* the processes */
	FOCUS_PANE,   /* the rows of the shown pane */
	FOCUS_DETAILS /* of one of these rows, shown in place of the pane */
};

/* Where the cursor of a pane is. */
struct pane_cursor {
	uint64_t key;  /* of its row */
	size_t row;    /* where in the list that was when last drawn */
	bool chosen;   /* by the user */
	bool in_sight; /* it is, and is to stay so */
};

/* A list: that of a pane, or the table of processes. */
struct list_state {
	struct pane_cursor cursor; /* of a pane's */
	size_t top;
	unsigned int sort; /* column + 1; 0: the list's own order */
	bool reverse;
	unsigned int columns; /* how many columns it had when last drawn */
	uint64_t hidden;      /* bit set: columns that were not shown, or cannot be sorted by */
	int rows;             /* rows of its items when last drawn */
	size_t count;         /* of the items then */
	/* The screen row of the titles, and where each was; end 0: not shown, or not to be clicked */
	int title_row;
	int title_start[COLUMNS_MAX], title_end[COLUMNS_MAX];
	size_t found; /* row + 1 of the last match; 0: none */
	int shift;    /* by how many cells names are panned to the left */
};

struct view;

/* A row of the process table. */
struct row {
	const struct snap_process *process;
	char branch[32]; /* the tree's branches before its name */
	const struct row_group *group;
	bool is_parent; /* in the tree: others are below it */
	size_t folded;  /* how many of them are hidden, at all depths; 0: it is not folded */
};

/* Processes that share a row, or would if it were not open: row_groups.c. */
struct row_group {
	struct snap_process sum; /* of one of them, with the sums of all; what the row shows */
	const struct snap_process **members; /* of those that the table lists */
	size_t count;
	uint32_t number; /* the same as long as there are any */
	bool is_open;    /* each has a row of its own */
	char devices[64], remark[64];
};

/*
 * Leaves one of @list, of @count, for those that share a row: the sum of their group, which lasts
 * until the next call. Changes the order. Returns how many are left.
 */
size_t groups_fold(struct view *view, const struct snap_process **list, size_t count);
/* The group that @process, of what is shown, is of, or the sum of; NULL: none. */
const struct row_group *group_of(const struct view *view, const struct snap_process *process);
/* Opens it, or closes it, when rows are arranged again. */
void group_switch(struct view *view, const struct row_group *group);

/* A user, and how many processes that one has. */
struct user_line {
	char name[64];
	size_t processes;
};

struct user_menu {
	struct user_line *lines; /* by name, as of when the menu was opened */
	size_t count;
};

/* What the first line says of the view, and a click there ends; FLAG_PLAY pauses or resumes. */
enum header_flag {
	FLAG_NONE,
	FLAG_FROZEN,
	FLAG_PLAY,
	FLAG_BASELINE,
	FLAG_FILTER,
	FLAG_USER,
	FLAG_DEVICE,
	FLAG_TAGS
};

/* What the process table shows: rows, the selection, what is folded and tagged. */
struct process_table {
	struct list_state list;
	struct row *rows;
	size_t row_count, row_size;
	struct row_group *groups;
	size_t group_count;
	const struct snap_process **members; /* of all groups */
	size_t most_rows;                    /* the most that there ever were */
	size_t hidden;                       /* how many the filter hides */
	bool any_runs;                       /* of those of the snapshot */
	struct program_set folds;            /* whose children the tree hides */
	struct program_set opened;           /* groups, by their numbers */
	struct program_set tags;
	bool has_selected, selected_by_user;
	uint32_t selected;
	size_t selected_row; /* the selected process's row when last drawn */
	bool scroll_to_selected;
};

/* The open menu. */
struct menu {
	size_t row;
	size_t top;       /* the first line in sight when last drawn */
	struct rect rect; /* the lines then */
	struct user_menu users;
};

struct view {
	struct settings settings;
	struct settings settings_before; /* as of the file and the options: the rest has changed */
	struct layout layout;            /* as last drawn */
	int screen_rows, screen_cols;

	struct snapshot *latest, *shown; /* the same unless frozen */
	struct history history;
	/* Share of a CPU over the last interval; CPU seconds until its start */
	double self_share, self_before;
	/* elapsed_seconds of the previous snapshot; 0: there is none */
	double self_elapsed;
	double most_live; /* highest live + leaked so far: the length of the bar */
	bool frozen;
	struct snapshot *base; /* the baseline of differences; NULL: totals are shown */

	struct process_table table;

	enum focus focus;
	bool full;            /* the pane has the full height */
	bool full_from_table; /* it was given that while the focus was on the table */
	bool two;             /* panes beside each other, where there is room */
	bool other_is_left;
	enum pane other; /* the second one, or that which was shown before */
	struct {
		uint64_t key; /* of the row that they are shown of */
		int top;      /* the first row shown */
		int rows;     /* how many there are, when last drawn */
	} details;
	struct list_state panes[PANE_COUNT];
	struct map_state map;
	struct plot_time plots;

	enum input_mode mode;
	char input[INPUT_SIZE], before[INPUT_SIZE];
	char search[INPUT_SIZE], filter[INPUT_SIZE];
	char user[64]; /* whose processes are shown; empty: everyone's */
	struct {
		bool is_on;           /* only processes that use it are shown */
		int device, instance; /* the machine's number; of its parts (MIG), -1: all of it */
	} on_device;
	struct menu menu;
	struct {
		int top;
		int page;         /* 0: keys */
		struct rect tabs; /* when last drawn; no rows: there are none */
	} help;
	/* The devices as last drawn, to be clicked */
	struct device_cell {
		struct rect rect;
		int device, instance;
	} device_cells[DEVICE_CELLS_MAX];
	size_t device_cell_count;
	/* Of the first line when last drawn: the columns that each takes */
	struct {
		enum header_flag flag;
		int start, end;
	} flags[8];
	size_t flag_count;
	bool closed_by_click; /* the last click closed an overlay */
	/* The last click or key was a click on a row of these: a second one there opens it */
	enum { CLICKED_NONE, CLICKED_TABLE, CLICKED_PANE } clicked;

	char message[160];
	double message_until; /* until the snapshot with this elapsed_seconds */
	uint64_t warned;      /* time of the last event that was shown as a message */

	struct host host;
	enum request request;
	int signal_number;
	struct program_set targets; /* who gets the signal */
	int timezone_fixed;         /* for tests: use UTC */
};

/* view_new() and view_free() for a view in the caller's memory. */
void view_init(struct view *view);
void view_clear(struct view *view);

/* The selected process in what is shown, or NULL. */
const struct snap_process *view_selected(const struct view *view);

/* Its program without the folder. */
const char *command_brief(const struct snap_process *process);

/* The process with @program in @snapshot, or NULL. */
const struct snap_process *snapshot_process(const struct snapshot *snapshot, uint32_t program);

/* What keys do, for use by the mouse. */
void mode_set(struct view *view, enum input_mode mode);
/* Sorts the table by @column in its usual direction, and shows the first row; inverts the order. */
void sort_by(struct view *view, const struct column *column);
void sort_invert(struct view *view);
/* The same for a click on the title of the table's @at-th column: a second one inverts the order. */
void sort_click(struct view *view, size_t at);

/* Something that the shown pane, if it has the focus, or else the table, can be sorted by. */
struct sort_choice {
	unsigned int number; /* of the column + 1; 0: the pane's own order */
	const char *title, *help;
	bool ascends; /* unless inverted */
};

size_t sort_choices(const struct view *view, struct sort_choice list[COLUMNS_MAX + 1]);
/* The number of the present order. */
unsigned int sort_present(const struct view *view);
/* By the next column, @step to the right. */
void sort_move(struct view *view, int step);
/* By the chosen line of the menu. */
void sort_menu_choose(struct view *view);
void pane_show(struct view *view, enum pane pane);
/* True if there is room for two. */
bool panes_fit(const struct view *view);
/* The second pane becomes the one that keys are about. */
void panes_swap(struct view *view);
bool view_in_pane(const struct view *view); /* the keys are about the pane */
void focus_set(struct view *view, enum focus focus);
/* Enter in details: to what they are about, if the pane knows that. */
void details_follow(struct view *view);

/*
 * The cursor of the pane that is shown, if it has one. False: it has none, or nothing was to be
 * done.
 */
bool cursor_move(struct view *view, long step);
bool cursor_open(struct view *view); /* shows the row's details */
/* @row of the screen; again: it opens what was clicked before */
bool cursor_click(struct view *view, int row, bool again);

/*
 * Hides or shows the children of the selected process in the tree, of all processes; elsewhere opens
 * or closes the selected process's group, all groups.
 */
void fold_switch(struct view *view);
void fold_all(struct view *view);
/* Opens the selected row's group; false: it is none, or open. */
bool fold_open(struct view *view);
/* Folds or opens what is at @row, if the sign there, or the branch before it, is at @col. */
bool fold_click(struct view *view, size_t row, int col);

/* To the next way of summing sites up: pane_sites.c. */
void sites_group(struct view *view);

/* To the next of what the map shows; to the cursor's allocation, and back. */
void map_colors_switch(struct view *view);
void map_zoom_block(struct view *view);
/* Moves the cursor to the block in that cell of the screen; false: there is none. */
bool map_click(struct view *view, int row, int col);

/* Between tensors and all that the driver allocated, where panes list either. */
void tensors_switch(struct view *view);

/* Filters, sorts, makes the tree: what rows there are. Keeps the selection. */
void rows_arrange(struct view *view);
void rows_select(struct view *view, size_t row);
/* False: no process is selected, or it is hidden, and selected_row is where it would be. */
bool rows_have_selected(const struct view *view);

/* Tags the selected process, or removes its tag; removes all tags: tags.c. */
void tags_switch(struct view *view);
void tags_end(struct view *view);

/* The help: its pages, 0 for the keys; and scrolling. help.c */
void help_draw(struct view *view, struct canvas *canvas);
void help_open(struct view *view);
void help_key(struct view *view, int32_t key);
/* True if a page was chosen */
bool help_click(struct view *view, int row, int col);

/*
 * The palette: all actions and settings that have each word that was typed. How many these are; and
 * what was chosen: an action, or, of a setting that is another now, ACT_NONE.
 */
size_t palette_count(const struct view *view);
enum action palette_choose(struct view *view);

/*
 * The menu of users, "All users" first: how many lines it has, and what choosing the present one
 * does. True if @process is of the chosen user.
 */
void users_open(struct view *view);
void users_close(struct view *view);
size_t users_count(const struct view *view);
void users_choose(struct view *view);
bool user_match(const struct view *view, const struct snap_process *process);

/* When the menu of settings was left. */
void keep_left(struct view *view);

/*
 * The device filter. device_next() goes to the next device, or part of one, and after
 * the last ends the filter. device_click() chooses the device at that cell, or ends the filter if it
 * is chosen already; false: no device is there. device_chosen() writes the choice as text.
 */
void device_next(struct view *view);
bool device_click(struct view *view, int row, int col);
void device_end(struct view *view);
bool device_match(const struct view *view, const struct snap_process *process);
const char *device_chosen(const struct view *view, char *out, size_t size);

/* Opens the menu of signals for the tagged processes, or the selected one. */
void signal_menu(struct view *view);
/* Who gets the signal: "4242 python", or "3 processes", who are named in lines. Return @out. */
const char *signal_whom(const struct view *view, int cells, char *out, size_t size);
size_t signal_line_count(const struct view *view);
const char *signal_line(const struct view *view, size_t line, char *out, size_t size);

/*
 * Moves to the next process that matches the search; with @from 0 it stays if the present one
 * matches.
 */
bool rows_search(struct view *view, int direction, bool from_next);
/* Opens all folds if a process that is searched for may be in one; false: there is none. */
bool rows_unfold_found(struct view *view);

/* Ignores the case of ASCII letters; other letters must be the same. */
const char *text_find(const char *text, const char *part);

/* The value that @column of @process shows: the difference, where there is a baseline. */
struct column_value view_value(const struct view *view, const struct column *column,
			       const struct snap_process *process);
/* the process as it was at the baseline, or NULL */
const struct snap_process *baseline_of(const struct view *view, const struct snap_process *process);
/* turns its lists into differences; true: call baseline_undo() afterwards */
bool baseline_apply(const struct view *view, struct snap_process *process);
void baseline_undo(struct snap_process *process);
void baseline_set(struct view *view);
void baseline_end(struct view *view);
void view_release(struct view *view, struct snapshot *snapshot);
bool column_is_counter(const struct column *column);

/* The table's columns, as far as there is room, in their order. Returns how many. */
size_t table_columns(const struct view *view, const struct column *list[COLUMNS_MAX]);

void header_draw(struct view *view, struct canvas *canvas);
bool header_click(struct view *view, int col); /* true: it ended what is at @col */
/* Those that the driver reported, and the parts of divided ones. */
int devices_count(const struct snapshot *snapshot);
/* How many rows they fill with the processes that use them. */
int devices_lines(const struct snapshot *snapshot);
void devices_draw(struct view *view, struct canvas *canvas);
/* How much @process holds of each device: worth a line if it holds something of several. */
bool device_shares_are_shown(const struct snap_process *process);
void device_shares_draw(const struct view *view, const struct area *area, int row,
			const struct snap_process *process);
void table_draw(struct view *view, struct canvas *canvas);
void tabs_draw(struct view *view, struct canvas *canvas);
int tabs_hit(const struct view *view, int col); /* the pane at @col, or -1 */
void bar_draw(struct view *view, struct canvas *canvas);
int32_t bar_hit(const struct view *view, int col); /* the key at @col, or 0 */
void overlay_draw(struct view *view, struct canvas *canvas);
/* A frame in the middle, as large as needed if there is room; returns what is inside. */
struct area frame_open(struct canvas *canvas, int rows, int cols, const char *title);

/* Settings and menus: how many lines each has, and what a key does in it. */
size_t settings_lines(const struct view *view);
void settings_key(struct view *view, int32_t key);
void settings_line(const struct view *view, size_t line, char *name, char *value, size_t size,
		   const char **help);
extern const struct menu_signal {
	int number;
	const char *name;
} menu_signals[];
extern const size_t menu_signal_count;

/* "14:03:22" in the user's time zone. */
void format_clock(const struct view *view, uint64_t real_ns, char *out, size_t size);

/*
 * When something happened: the time of day, or the date if it is more than a day ago. At most 8
 * cells.
 */
void format_when(const struct view *view, uint64_t real_ns, char *out, size_t size);
/* "01:12", "3h05m", "2d04h" */
void format_age(uint64_t ns, char *out, size_t size);

#endif
