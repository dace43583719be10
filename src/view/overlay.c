/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What opens on top of the rest: settings, menus, questions; the help is in help.c. Each is a frame in
 * the middle, as large as needed if there is room.
 *
 * The menu of users: all, then each that has a process. The names are copied when it opens, so that a
 * line stands for the same user until it closes. The choice is a second filter: it adds to that which
 * is typed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/utf8.h"
#include "util/util.h"
#include "view/list.h"
#include "view/view_internal.h"

/* ---- users ---- */

/* A recording may claim any number of them. */
#define USERS_MAX 1000

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void users_fill(struct user_menu *menu, const char **names, size_t count)
{
	for (size_t i = 0; i < count && menu->count < USERS_MAX; i++) {
		struct user_line *line = menu->count ? &menu->lines[menu->count - 1] : NULL;

		if (!line || strncmp(line->name, names[i], sizeof(line->name) - 1)) {
			line = &menu->lines[menu->count++];
			*line = (struct user_line){ .processes = 0 };
			snprintf(line->name, sizeof(line->name), "%s", names[i]);
		}
		line->processes++;
	}
}

void users_open(struct view *view)
{
	struct user_menu *menu = &view->menu.users;
	const struct snapshot *snapshot = view->shown;
	size_t count = snapshot ? snapshot->process_count + snapshot->listed_count : 0, i;
	const char **names = calloc(count + 1, sizeof(*names));

	users_close(view);
	menu->lines = calloc(count < USERS_MAX ? count + 1 : USERS_MAX, sizeof(*menu->lines));
	if (names && menu->lines) {
		for (i = 0; i < count; i++)
			names[i] = snapshot->processes[i].user;
		qsort(names, count, sizeof(*names), compare_names);
		users_fill(menu, names, count);
	}
	free(names);
	mode_set(view, INPUT_USER);
	for (i = 0; i < menu->count; i++)
		if (view->user[0] && !strcmp(menu->lines[i].name, view->user))
			view->menu.row = i + 1;
}

void users_close(struct view *view)
{
	free(view->menu.users.lines);
	view->menu.users = (struct user_menu){ .lines = NULL };
}

size_t users_count(const struct view *view)
{
	return view->menu.users.count + 1;
}

void users_choose(struct view *view)
{
	size_t row = view->menu.row;

	if (row <= view->menu.users.count)
		snprintf(view->user, sizeof(view->user), "%s",
			 row ? view->menu.users.lines[row - 1].name : "");
	users_close(view);
	rows_arrange(view);
	view->table.scroll_to_selected = true;
}

bool user_match(const struct view *view, const struct snap_process *process)
{
	return !view->user[0] ||
	       !strncmp(view->user, process->user ? process->user : "", sizeof(view->user) - 1);
}

/* ---- frames ---- */

struct area frame_open(struct canvas *canvas, int rows, int cols, const char *title)
{
	/* The last row stays free for messages, unless the screen is small. */
	int most = canvas->rows > 12 ? canvas->rows - 1 : canvas->rows;
	struct rect rect;
	struct area area;

	rows = rows + 2 > most ? most : rows + 2;
	cols = cols + 4 > canvas->cols ? canvas->cols : cols + 4;
	rect = (struct rect){ (canvas->rows - rows) / 2, (canvas->cols - cols) / 2, rows, cols };
	area = area_of(canvas, rect);
	return area_frame(&area, title);
}

/* ---- menus ---- */

/* The first line to show, so that the chosen one is visible. */
static size_t menu_top(size_t chosen, size_t count, int rows)
{
	if (rows <= 0 || chosen < (size_t)rows)
		return 0;
	return chosen + 1 > count ? 0 : chosen + 1 - (size_t)rows;
}

/*
 * A frame for @count lines, and below them the @keys that work there. Returns how many lines fit.
 */
static int menu_open(struct view *view, struct canvas *canvas, size_t count, int cols,
		     const char *title, const char *keys, struct area *area)
{
	int rows;

	*area = frame_open(canvas, (int)count + 1, cols, title);
	rows = area->rect.rows > 1 ? area->rect.rows - 1 : area->rect.rows;
	if (rows < area->rect.rows)
		area_cut(area, rows, 0, area->rect.cols, ST_KEY, keys);
	view->menu.top = menu_top(view->menu.row, count, rows);
	view->menu.rect = (struct rect){ area->rect.row, area->rect.col,
					 rows < (int)count ? rows : (int)count, area->rect.cols };
	return rows;
}

static void sort_draw(struct view *view, struct canvas *canvas)
{
	bool in_pane = view_in_pane(view),
	     reverse = in_pane ? view->panes[view->settings.pane].reverse :
				 view->settings.sort.reverse;
	struct sort_choice list[COLUMNS_MAX + 1];
	size_t count = sort_choices(view, list), i;
	/* A pane's titles are longer. */
	int title = in_pane ? 13 : 9, rows;
	struct area area;
	char text[64];

	snprintf(text, sizeof(text), "Sort %s%sby",
		 in_pane ? panes[view->settings.pane]->title : "", in_pane ? " " : "");
	rows = menu_open(view, canvas, count, in_pane ? 76 : 60, text,
			 "Enter sort   I invert   Esc close", &area);
	for (i = 0; (int)i < rows && view->menu.top + i < count; i++) {
		const struct sort_choice *choice = &list[view->menu.top + i];

		area_text(&area, (int)i, 0, ST_HEAD,
			  choice->number != sort_present(view) ? " " :
			  choice->ascends != reverse           ? "▲" :
								 "▼");
		area_cut(&area, (int)i, 2, title, ST_PLAIN, choice->title);
		area_cut(&area, (int)i, title + 3, area.rect.cols - title - 3, ST_DIM,
			 choice->help);
		if (view->menu.top + i == view->menu.row)
			area_flags(&area, (int)i, 0, area.rect.cols, CELL_SELECTED);
	}
}

static void signal_draw(struct view *view, struct canvas *canvas)
{
	struct area area;
	char title[200], whom[190];
	size_t i;
	int rows;

	snprintf(title, sizeof(title), "Signal to %s", signal_whom(view, 30, whom, sizeof(whom)));
	rows = menu_open(view, canvas, menu_signal_count, 46, title, "Enter choose   Esc close",
			 &area);
	for (i = 0; (int)i < rows && view->menu.top + i < menu_signal_count; i++) {
		area_text(&area, (int)i, 1, ST_PLAIN, menu_signals[view->menu.top + i].name);
		if (view->menu.top + i == view->menu.row)
			area_flags(&area, (int)i, 0, area.rect.cols, CELL_SELECTED);
	}
}

static void users_draw(struct view *view, struct canvas *canvas)
{
	size_t count = users_count(view), i;
	struct area area;
	char number[32];
	int rows = menu_open(view, canvas, count, 46, "Whose processes", "Enter choose   Esc close",
			     &area);

	for (i = 0; (int)i < rows && view->menu.top + i < count; i++) {
		size_t line = view->menu.top + i;
		const struct user_line *user = line ? &view->menu.users.lines[line - 1] : NULL;

		area_cut(&area, (int)i, 1, area.rect.cols - 8, user ? ST_PLAIN : ST_HEAD,
			 user ? user->name : "All users");
		snprintf(number, sizeof(number), "%zu", user ? user->processes : 0);
		if (user)
			area_right(&area, (int)i, area.rect.cols - 1, ST_DIM, number);
		if (line == view->menu.row)
			area_flags(&area, (int)i, 0, area.rect.cols, CELL_SELECTED);
	}
}

static void confirm_draw(struct view *view, struct canvas *canvas)
{
	char text[280], whom[200];
	struct area area;
	size_t i, lines;

	if (!view->signal_number) {
		area = frame_open(canvas, 2, 50, "Quit");
		area_cut(&area, 0, 0, area.rect.cols, ST_PLAIN,
			 "The command still runs; quitting ends it.");
		area_cut(&area, 1, 0, area.rect.cols, ST_KEY, "y end it and quit   Esc stay");
		return;
	}
	for (i = 0; i < menu_signal_count - 1; i++)
		if (menu_signals[i].number == view->signal_number)
			break;
	lines = signal_line_count(view);
	area = frame_open(canvas, 2 + (int)lines, 60, "Signal");
	snprintf(text, sizeof(text), "Send %.*s to %s?", (int)strcspn(menu_signals[i].name, " "),
		 menu_signals[i].name, signal_whom(view, 34, whom, sizeof(whom)));
	area_cut(&area, 0, 0, area.rect.cols, ST_PLAIN, text);
	/* The keys stay in sight on a small screen. */
	for (i = 0; i < lines && (int)i + 2 < area.rect.rows; i++)
		area_cut(&area, 1 + (int)i, 0, area.rect.cols, ST_PLAIN,
			 signal_line(view, i, text, sizeof(text)));
	lines = i;
	area_cut(&area, 1 + (int)lines, 0, area.rect.cols, ST_KEY, "y send it   Esc do not");
}

static void settings_draw(struct view *view, struct canvas *canvas)
{
	size_t count = settings_lines(view), top, i;
	struct area area;
	int rows = menu_open(view, canvas, count, 70, "Settings",
			     "Space change   < > move a column   W save   Esc close", &area);
	char name[64], value[64];
	const char *help;

	top = view->menu.top;
	for (i = 0; (int)i < rows && top + i < count; i++) {
		settings_line(view, top + i, name, value, sizeof(name), &help);
		area_cut(&area, (int)i, 0, 18, ST_PLAIN, name);
		area_cut(&area, (int)i, 19, 12, ST_HEAD, value);
		area_cut(&area, (int)i, 32, area.rect.cols - 32, ST_DIM, help);
		if (top + i == view->menu.row)
			area_flags(&area, (int)i, 0, area.rect.cols, CELL_SELECTED);
	}
}

/* ---- the palette ---- */

enum { PALETTE_ROWS = 15, PALETTE_COLS = 70, PALETTE_KEY = 14 };

/* A line of it, found or not: the keys' actions, then the settings. */
struct palette_line {
	char name[CELL_TEXT], key[64];
};

static struct palette_line palette_line(const struct view *view, size_t number)
{
	struct palette_line line;
	char name[64], value[64], help[80];
	const char *words;

	if (number < binding_count) {
		size_t head = number;

		while (!bindings[head].section)
			head--;
		snprintf(line.name, sizeof(line.name), "%s: %s", bindings[head].section,
			 binding_help(&bindings[number], help, sizeof(help)));
		snprintf(line.key, sizeof(line.key), "%s", bindings[number].label);
		return line;
	}
	settings_line(view, number - binding_count, name, value, sizeof(name), &words);
	snprintf(line.name, sizeof(line.name), "%s: %s", name, words);
	snprintf(line.key, sizeof(line.key), "%s", value);
	return line;
}

static bool palette_has(const struct view *view, size_t number)
{
	struct palette_line line = palette_line(view, number);
	char words[INPUT_SIZE], *word, *rest = NULL;

	snprintf(words, sizeof(words), "%s", view->input);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!text_find(line.name, word) && !text_find(line.key, word))
			return false;
	return true;
}

/* The number of the line that is the @at-th of those found. */
static size_t palette_find(const struct view *view, size_t at)
{
	size_t all = binding_count + settings_lines(view), i;

	for (i = 0; i < all; i++)
		if (palette_has(view, i) && !at--)
			break;
	return i;
}

size_t palette_count(const struct view *view)
{
	size_t count = 0;

	for (size_t i = 0; i < binding_count + settings_lines(view); i++)
		count += palette_has(view, i);
	return count;
}

enum action palette_choose(struct view *view)
{
	size_t number = palette_find(view, view->menu.row);

	mode_set(view, INPUT_NORMAL);
	if (number < binding_count)
		return bindings[number].action;
	if (number < binding_count + settings_lines(view)) {
		view->menu.row = number - binding_count;
		settings_key(view, ' ');
		keep_left(view);
	}
	return ACT_NONE;
}

static void palette_draw(struct view *view, struct canvas *canvas)
{
	size_t count = palette_count(view), i;
	char title[INPUT_SIZE + 8];
	struct area area;
	int rows;

	snprintf(title, sizeof(title), ":%s_", view->input);
	rows = menu_open(view, canvas, PALETTE_ROWS, PALETTE_COLS, title,
			 "Enter do it   Up Down choose   Esc close", &area);
	view->menu.top = menu_top(view->menu.row, count, rows);
	if (count < (size_t)view->menu.rect.rows)
		view->menu.rect.rows = (int)count;
	if (!count)
		area_cut(&area, 0, 0, area.rect.cols, ST_DIM, "Nothing has these words.");
	for (i = 0; (int)i < rows && view->menu.top + i < count; i++) {
		struct palette_line line =
			palette_line(view, palette_find(view, view->menu.top + i));

		area_cut(&area, (int)i, 0, area.rect.cols - PALETTE_KEY - 1, ST_PLAIN, line.name);
		area_right(&area, (int)i, area.rect.cols, ST_KEY, line.key);
		if (view->menu.top + i == view->menu.row)
			area_flags(&area, (int)i, 0, area.rect.cols, CELL_SELECTED);
	}
}

void overlay_draw(struct view *view, struct canvas *canvas)
{
	switch (view->mode) {
	case INPUT_HELP: return help_draw(view, canvas);
	case INPUT_SORT: sort_draw(view, canvas); return;
	case INPUT_SIGNAL: return signal_draw(view, canvas);
	case INPUT_USER: return users_draw(view, canvas);
	case INPUT_CONFIRM: return confirm_draw(view, canvas);
	case INPUT_SETTINGS: return settings_draw(view, canvas);
	case INPUT_PALETTE: return palette_draw(view, canvas);
	default: return;
	}
}
