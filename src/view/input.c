/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys and the mouse: what they do to the view. There is no terminal and no side effect here; what has
 * to be done outside is left as a request. A click acts like the key of the item under the pointer:
 * drawing stores in the view where items are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/utf8.h"
#include "util/util.h"
#include "view/cells.h"
#include "view/list.h"
#include "view/view_internal.h"

#define PAN_CELLS 16

void mode_set(struct view *view, enum input_mode mode)
{
	view->mode = mode;
	view->menu.row = 0;
	view->menu.rect = (struct rect){ 0 };
	view->help.top = 0;
}

static void input_begin(struct view *view, enum input_mode mode, const char *text)
{
	mode_set(view, mode);
	snprintf(view->input, sizeof(view->input), "%s", text);
	snprintf(view->before, sizeof(view->before), "%s", text);
}

/* ---- moving ---- */

static void pane_scroll(struct list_state *pane, long step)
{
	pane->cursor.in_sight = false; /* it does not go along, nor hold the rows back */
	if (step < 0 && pane->top < (size_t)-step)
		pane->top = 0;
	else
		pane->top += (size_t)step; /* limited to the end when it is drawn */
}

/* Limited to the end when it is drawn. */
static void details_scroll(struct view *view, long step)
{
	long top = view->details.top + step;

	view->details.top = top < 0 ? 0 : top > 1000000 ? 1000000 : (int)top;
}

static void move(struct view *view, enum action action)
{
	long page = view->layout.table.rows > 1 ? view->layout.table.rows - 1 : 1;
	long step = 0;
	size_t row = view->table.selected_row;

	if (view_in_pane(view))
		page = view->panes[view->settings.pane].rows > 1 ?
			       view->panes[view->settings.pane].rows - 1 :
			       1;
	switch (action) {
	case ACT_UP: step = -1; break;
	case ACT_DOWN: step = 1; break;
	case ACT_PAGE_UP: step = -page; break;
	case ACT_PAGE_DOWN: step = page; break;
	case ACT_FIRST: step = -1000000000; break;
	case ACT_LAST: step = 1000000000; break;
	default: break;
	}
	if (view->focus == FOCUS_DETAILS && (action == ACT_PAGE_UP || action == ACT_PAGE_DOWN))
		step = step / page * (view->layout.pane.rows > 1 ? view->layout.pane.rows - 1 : 1);
	if (view->focus == FOCUS_DETAILS) {
		details_scroll(view, step);
		return;
	}
	if (cursor_move(view, step))
		return;
	/* One that the filter hides stands between two rows: the next one has its number. */
	if (step > 0 && !rows_have_selected(view))
		step--;
	if (view_in_pane(view))
		pane_scroll(&view->panes[view->settings.pane], step);
	else if (step < 0)
		rows_select(view, row < (size_t)-step ? 0 : row - (size_t)-step);
	else
		rows_select(view, row + (size_t)step);
}

void panes_swap(struct view *view)
{
	enum pane pane = view->settings.pane;

	view->settings.pane = view->other;
	view->other = pane;
	view->other_is_left = !view->other_is_left;
}

void pane_show(struct view *view, enum pane pane)
{
	if (view->two && pane == view->other)
		panes_swap(view);
	else if (!view->two && pane != view->settings.pane)
		view->other = view->settings.pane;
	view->settings.pane = pane;
	if (view->focus == FOCUS_DETAILS)
		view->focus = FOCUS_PANE;
	/* If there is no room for both, show only the pane. */
	if (view->screen_rows && !view->layout.pane.rows)
		focus_set(view, FOCUS_PANE);
}

bool view_in_pane(const struct view *view)
{
	return view->focus != FOCUS_TABLE;
}

void focus_set(struct view *view, enum focus focus)
{
	view->focus = focus;
	view->table.scroll_to_selected |= focus == FOCUS_TABLE;
	/* A pane for which there is no room beside the table has all of it, as long as it is used. */
	if (focus != FOCUS_TABLE && view->screen_rows && !view->layout.pane.rows && !view->full) {
		view->full = true;
		view->full_from_table = true;
	}
}

/* One pane, with the one before beside it, in full height, and so on. */
static void pane_zoom(struct view *view)
{
	if (!view->two && !view->full && panes_fit(view)) {
		view->two = true;
		view->other_is_left = false;
		if (view->other == view->settings.pane)
			view->other = view->other == PANE_MEMORY ? PANE_KERNELS : PANE_MEMORY;
		return;
	}
	view->two = false;
	view->full = !view->full;
	if (view->full) {
		view->full_from_table = view->focus == FOCUS_TABLE;
		if (view->full_from_table)
			focus_set(view, FOCUS_PANE);
	} else if (view->full_from_table && view->focus != FOCUS_DETAILS) {
		focus_set(view, FOCUS_TABLE);
	}
}

static void back(struct view *view)
{
	if (plot_cursor_end(view))
		return;
	if (view->focus == FOCUS_DETAILS)
		focus_set(view, FOCUS_PANE);
	else if (view->full)
		pane_zoom(view);
	else if (view_in_pane(view))
		focus_set(view, FOCUS_TABLE);
	else if (view->two)
		view->two = false;
	else if (view->search[0])
		view->search[0] = 0;
	else if (view->filter[0]) {
		view->filter[0] = 0;
		rows_arrange(view);
	} else if (view->user[0]) {
		view->user[0] = 0;
		rows_arrange(view);
	} else if (view->on_device.is_on) {
		device_end(view);
	} else if (view->base) {
		baseline_end(view);
		rows_arrange(view);
	} else if (view->frozen) {
		view_key(view, ' ');
	}
}

/* To the next match; where all that is shown has none, also to what is folded. */
static void search_rows(struct view *view, int direction, bool from_next)
{
	if (!rows_search(view, direction, from_next) &&
	    !(rows_unfold_found(view) && rows_search(view, direction, false)))
		view_message(view, "no match for \"%s\"", view->search);
}

static void search_go(struct view *view, int direction)
{
	if (!view->search[0])
		view_message(view, "nothing to search for: / begins a search");
	else if (view_in_pane(view))
		list_search(view, direction);
	else
		search_rows(view, direction, true);
}

/* ---- time ---- */

static void freeze(struct view *view)
{
	view->frozen = !view->frozen;
	if (!view->frozen && view->latest != view->shown) {
		struct snapshot *old = view->shown;

		view->shown = view->latest;
		view->history.is_apart = true;
		history_feed(&view->history, view->shown);
		rows_arrange(view);
		view_release(view, old);
	}
}

static void baseline(struct view *view)
{
	if (view->base) {
		baseline_end(view);
		view_message(view, "the baseline is gone: totals again");
	} else if (view->shown) {
		baseline_set(view);
		view_message(view,
			     "baseline set: sizes and counts are differences since; x ends it");
	}
	rows_arrange(view);
}

static void zoom(struct view *view, int step)
{
	if (panes[view->settings.pane]->pan != PAN_MAP) {
		plot_zoom(view, -step);
		return;
	}
	if (step > 0 && view->map.zoom < MAP_ZOOM_MAX)
		view->map.zoom++;
	if (step < 0 && view->map.zoom > 0)
		view->map.zoom--;
	if (!view->map.zoom)
		view->map.pan = 0;
}

static void pan(struct view *view, int step)
{
	struct list_state *pane = &view->panes[view->settings.pane];
	enum pan what = panes[view->settings.pane]->pan;

	if (what == PAN_PLOTS || (what == PAN_MAP && !view->map.zoom)) {
		plot_pan(view, step);
		return;
	}
	if (what == PAN_NAMES) {
		pane->shift += step * PAN_CELLS; /* limited to the end when it is drawn */
		pane->shift = pane->shift < 0 ? 0 : pane->shift;
		return;
	}
	/* Move by a quarter of the visible part. */
	view->map.pan += step * 0.25 / (double)(1u << view->map.zoom);
	view->map.pan = view->map.pan < 0 ? 0 : view->map.pan > 1 ? 1 : view->map.pan;
}

static void request(struct view *view, enum request what)
{
	view->request = what;
}

static void clear_exited(struct view *view)
{
	/* A paused replay, or one at its end, sends no snapshot unless it is asked to. */
	if (view->host.play.is_on && (view->host.play.paused || view->host.play.ended))
		view_message(
			view,
			"nothing is cleared in a recording that stands still: Space lets it go on");
	else
		request(view, REQUEST_CLEAR);
}

/* The keys that have another meaning in a replay. */
static bool play_act(struct view *view, enum action action)
{
	static const struct {
		enum action action;
		enum request request;
	} acts[] = {
		{ ACT_FREEZE, REQUEST_PAUSE },      { ACT_ZOOM_IN, REQUEST_FASTER },
		{ ACT_ZOOM_OUT, REQUEST_SLOWER },   { ACT_PAN_LEFT, REQUEST_BACKWARD },
		{ ACT_PAN_RIGHT, REQUEST_FORWARD },
	};
	size_t i;

	for (i = 0; view->host.play.is_on && i < ARRAY_LEN(acts); i++)
		if (acts[i].action == action) {
			request(view, acts[i].request);
			return true;
		}
	return false;
}

/* It would end with cutop. */
static bool command_runs(const struct view *view)
{
	return view->host.from_command && !view->host.command_ended;
}

static void sort_menu_open(struct view *view)
{
	struct sort_choice list[COLUMNS_MAX + 1];
	size_t count = sort_choices(view, list);

	/* A pane that was never drawn with rows has no columns yet. */
	if (!count) {
		view_message(view, "there is nothing to sort");
		return;
	}
	mode_set(view, INPUT_SORT);
	for (size_t i = 0; i < count; i++)
		if (list[i].number == sort_present(view))
			view->menu.row = i;
}

static void act(struct view *view, enum action action)
{
	struct settings *settings = &view->settings;
	char text[32];

	if (play_act(view, action))
		return;
	switch (action) {
	case ACT_UP:
	case ACT_DOWN:
	case ACT_PAGE_UP:
	case ACT_PAGE_DOWN:
	case ACT_FIRST:
	case ACT_LAST: move(view, action); break;
	case ACT_OPEN:
		if (view->focus == FOCUS_DETAILS)
			details_follow(view);
		else if (view_in_pane(view))
			cursor_open(view);
		else if (!fold_open(view))
			focus_set(view, FOCUS_PANE);
		break;
	case ACT_BACK: back(view); break;
	case ACT_FULL: pane_zoom(view); break;
	case ACT_NEXT_PANE: pane_show(view, (settings->pane + 1) % PANE_COUNT); break;
	case ACT_PREVIOUS_PANE:
		pane_show(view, (settings->pane + PANE_COUNT - 1) % PANE_COUNT);
		break;
	case ACT_SORT_LEAKED: sort_by(view, column_find("leaked")); break;
	case ACT_SORT_LIVE: sort_by(view, column_find("live")); break;
	case ACT_SORT_LAUNCHES: sort_by(view, column_find("launch_rate")); break;
	case ACT_SORT_COPIES: sort_by(view, column_find("h2d")); break;
	case ACT_SORT_FAILED: sort_by(view, column_find("failed")); break;
	case ACT_SORT_PID: sort_by(view, column_find("pid")); break;
	case ACT_SORT_LEFT: sort_move(view, -1); break;
	case ACT_SORT_RIGHT: sort_move(view, 1); break;
	case ACT_SORT_INVERT: sort_invert(view); break;
	case ACT_SORT_MENU: sort_menu_open(view); break;
	case ACT_SEARCH:
		if (view->focus == FOCUS_DETAILS)
			focus_set(view, FOCUS_PANE);
		input_begin(view, INPUT_SEARCH, "");
		break;
	case ACT_SEARCH_NEXT: search_go(view, 1); break;
	case ACT_SEARCH_PREVIOUS: search_go(view, -1); break;
	case ACT_FILTER: input_begin(view, INPUT_FILTER, view->filter); break;
	case ACT_DELAY:
		if (view->host.play.is_on) {
			view_message(
				view,
				"a recording keeps the delay it was made with: + and - change the speed");
			break;
		}
		snprintf(text, sizeof(text), "%g", (double)settings->delay / 1e9);
		input_begin(view, INPUT_DELAY, text);
		break;
	case ACT_USER: users_open(view); break;
	case ACT_TREE:
		settings->tree = !settings->tree;
		rows_arrange(view);
		view->table.scroll_to_selected = true;
		break;
	case ACT_FOLD: fold_switch(view); break;
	case ACT_FOLD_ALL: fold_all(view); break;
	case ACT_FOLLOW:
		settings->follow = !settings->follow;
		view->table.scroll_to_selected = true;
		view_message(view, settings->follow ? "the selected process stays in sight" :
						      "the table stays where it is");
		break;
	case ACT_FREEZE: freeze(view); break;
	case ACT_BASELINE: baseline(view); break;
	case ACT_CLEAR: clear_exited(view); break;
	case ACT_NAMES: settings->full_names = !settings->full_names; break;
	case ACT_LOG:
		settings->log_bars = !settings->log_bars;
		view_message(view, settings->log_bars ? "bars are logarithmic: three decades" :
							"bars are linear");
		break;
	case ACT_GROUP: sites_group(view); break;
	case ACT_TENSORS: tensors_switch(view); break;
	case ACT_ZOOM_IN:
		if (view_in_pane(view) || !fold_open(view))
			zoom(view, 1);
		break;
	case ACT_ZOOM_OUT: zoom(view, -1); break;
	case ACT_ZOOM_BLOCK: map_zoom_block(view); break;
	case ACT_MAP_COLORS: map_colors_switch(view); break;
	case ACT_PAN_LEFT: pan(view, -1); break;
	case ACT_PAN_RIGHT: pan(view, 1); break;
	case ACT_TIME_LESS: plot_zoom(view, -1); break;
	case ACT_TIME_MORE: plot_zoom(view, 1); break;
	case ACT_CURSOR_LEFT: plot_cursor_move(view, -1); break;
	case ACT_CURSOR_RIGHT: plot_cursor_move(view, 1); break;
	case ACT_WRITE: request(view, REQUEST_WRITE); break;
	case ACT_SAVE: request(view, REQUEST_SAVE); break;
	case ACT_SETTINGS: mode_set(view, INPUT_SETTINGS); break;
	case ACT_PALETTE: input_begin(view, INPUT_PALETTE, ""); break;
	case ACT_DEVICE: device_next(view); break;
	case ACT_TAG: tags_switch(view); break;
	case ACT_UNTAG: tags_end(view); break;
	case ACT_SIGNAL: signal_menu(view); break;
	case ACT_HELP:
		mode_set(view, INPUT_HELP);
		help_open(view);
		break;
	case ACT_QUIT:
		if (command_runs(view))
			mode_set(view, INPUT_CONFIRM);
		else
			request(view, REQUEST_QUIT);
		break;
	default:
		if (action >= ACT_PANE && action < ACT_PANE + PANE_COUNT)
			pane_show(view, (enum pane)(action - ACT_PANE));
	}
}

/* ---- typing ---- */

static void input_append(char input[INPUT_SIZE], int32_t key)
{
	size_t len = strlen(input);
	char bytes[5];

	if (utf8_width(key) < 0 || key >= KEYS_SPECIAL)
		return;
	utf8_encode(key, bytes);
	if (len + strlen(bytes) < INPUT_SIZE)
		strcpy(input + len, bytes);
}

static void input_shorten(char input[INPUT_SIZE])
{
	size_t len = strlen(input);

	while (len && (input[len - 1] & 0xc0) == 0x80)
		len--;
	input[len ? len - 1 : 0] = 0;
}

static void input_edit(char input[INPUT_SIZE], int32_t key)
{
	if (key == K_BACKSPACE)
		input_shorten(input);
	else if (key == 'U' - '@')
		input[0] = 0;
	else
		input_append(input, key);
}

/* The text takes effect while it is typed: the table shows the matches. */
static void input_changed(struct view *view)
{
	if (view->mode == INPUT_FILTER) {
		snprintf(view->filter, sizeof(view->filter), "%s", view->input);
		rows_arrange(view);
		view->table.scroll_to_selected = true;
		view->table.list.top = rows_have_selected(view) ? view->table.list.top : 0;
	} else if (view->mode == INPUT_SEARCH) {
		snprintf(view->search, sizeof(view->search), "%s", view->input);
		if (view_in_pane(view))
			list_search(view, 2);
		else
			rows_search(view, 1, false);
	}
}

static void delay_set(struct view *view)
{
	if (delay_parse(view->input, &view->settings.delay))
		view_message(view, "the delay is a number of seconds, at least %g",
			     DELAY_SECONDS_MIN);
	else
		request(view, REQUEST_DELAY);
}

static void input_key(struct view *view, int32_t key)
{
	enum input_mode mode = view->mode;

	switch (key) {
	case K_ENTER:
		view->mode = INPUT_NORMAL;
		if (mode == INPUT_DELAY)
			delay_set(view);
		else if (mode == INPUT_SEARCH && view->search[0] && view_in_pane(view))
			/* stay at this row if it matches, or say that nothing matches */
			list_search(view, 2);
		else if (mode == INPUT_SEARCH && view->search[0])
			search_rows(view, 1, false);
		return;
	case K_ESCAPE:
		snprintf(view->input, sizeof(view->input), "%s", view->before);
		input_changed(view);
		view->mode = INPUT_NORMAL;
		return;
	default: input_edit(view->input, key);
	}
	input_changed(view);
}

/* ---- menus ---- */

const struct menu_signal menu_signals[] = {
	{ 15, "SIGTERM   end" },    { 2, "SIGINT    interrupt" },
	{ 1, "SIGHUP    hang up" }, { 9, "SIGKILL   end, without a chance to clean up" },
	{ 19, "SIGSTOP   stop" },   { 18, "SIGCONT   go on" },
	{ 10, "SIGUSR1" },          { 12, "SIGUSR2" },
};
const size_t menu_signal_count = ARRAY_LEN(menu_signals);

static size_t menu_count(const struct view *view)
{
	struct sort_choice sorts[COLUMNS_MAX + 1];

	switch (view->mode) {
	case INPUT_SORT: return sort_choices(view, sorts);
	case INPUT_SIGNAL: return menu_signal_count;
	case INPUT_USER: return users_count(view);
	case INPUT_SETTINGS: return settings_lines(view);
	default: return 0;
	}
}

static void menu_choose(struct view *view)
{
	if (view->mode == INPUT_SORT) {
		sort_menu_choose(view);
		mode_set(view, INPUT_NORMAL);
	} else if (view->mode == INPUT_SIGNAL) {
		view->signal_number = menu_signals[view->menu.row].number;
		mode_set(view, INPUT_CONFIRM);
	} else if (view->mode == INPUT_USER) {
		users_choose(view);
		mode_set(view, INPUT_NORMAL);
	} else if (view->mode == INPUT_PALETTE) {
		act(view, palette_choose(view));
	}
}

static void menu_key(struct view *view, int32_t key)
{
	enum action action = keys_action(key);
	size_t count = menu_count(view) ?: 1, /* one row that is not there */
		page = view->menu.rect.rows > 1 ? (size_t)view->menu.rect.rows - 1 : 1;

	if (action == ACT_UP)
		view->menu.row = view->menu.row ? view->menu.row - 1 : count - 1;
	else if (action == ACT_DOWN)
		view->menu.row = (view->menu.row + 1) % count;
	else if (action == ACT_FIRST || (action == ACT_PAGE_UP && view->menu.row < page))
		view->menu.row = 0;
	else if (action == ACT_LAST || (action == ACT_PAGE_DOWN && view->menu.row + page >= count))
		view->menu.row = count - 1;
	else if (action == ACT_PAGE_UP)
		view->menu.row -= page;
	else if (action == ACT_PAGE_DOWN)
		view->menu.row += page;
	else if (action == ACT_BACK || action == ACT_QUIT ||
		 (view->mode == INPUT_SETTINGS && action == ACT_SETTINGS)) {
		bool left = view->mode == INPUT_SETTINGS;

		mode_set(view, INPUT_NORMAL);
		view->signal_number = 0;
		if (left)
			keep_left(view);
	} else if (view->mode == INPUT_SETTINGS)
		settings_key(view, key);
	else if (key == K_ENTER)
		menu_choose(view);
	else if (view->mode == INPUT_SORT && action == ACT_SORT_INVERT)
		sort_invert(view);
}

static void palette_key(struct view *view, int32_t key)
{
	size_t count = palette_count(view) ?: 1;

	switch (key) {
	case K_ENTER: menu_choose(view); return;
	case K_ESCAPE: mode_set(view, INPUT_NORMAL); return;
	case K_UP: view->menu.row += count - 1; break;
	case K_DOWN:
	case K_TAB: view->menu.row++; break;
	default: input_edit(view->input, key); view->menu.row = 0;
	}
	view->menu.row %= count;
}

static void confirm_key(struct view *view, int32_t key)
{
	bool yes = key == 'y' || key == 'Y';

	mode_set(view, INPUT_NORMAL);
	if (view->signal_number) {
		if (yes)
			request(view, REQUEST_SIGNAL);
		else
			view->signal_number = 0;
		return;
	}
	if (yes || key == 'q')
		request(view, REQUEST_QUIT);
}

void view_key(struct view *view, int32_t key)
{
	view->clicked = CLICKED_NONE;
	/*
	 * Redraw works whatever is open, since another program has written over the screen, and the
	 * key is no letter.
	 */
	if (keys_action(key) == ACT_REDRAW) {
		request(view, REQUEST_REDRAW);
		return;
	}
	/* So does Ctrl-C, which asks only before it ends a command; a second one is an answer. */
	if (keys_action(key) == ACT_STOP) {
		bool again = view->mode == INPUT_CONFIRM && !view->signal_number;

		view->signal_number = 0;
		mode_set(view, INPUT_NORMAL);
		if (again || !command_runs(view))
			request(view, REQUEST_QUIT);
		else
			mode_set(view, INPUT_CONFIRM);
		return;
	}
	switch (view->mode) {
	case INPUT_NORMAL:
		view->message[0] = 0;
		act(view, keys_action(key));
		break;
	case INPUT_SEARCH:
	case INPUT_FILTER:
	case INPUT_DELAY: input_key(view, key); break;
	case INPUT_SORT:
	case INPUT_SIGNAL:
	case INPUT_USER:
	case INPUT_SETTINGS: menu_key(view, key); break;
	case INPUT_PALETTE: palette_key(view, key); break;
	case INPUT_CONFIRM: confirm_key(view, key); break;
	case INPUT_HELP: help_key(view, key); break;
	}
}

/* ---- the mouse ---- */

enum { WHEEL_ROWS = 3 };

static bool is_in(struct rect rect, int row, int col)
{
	return row >= rect.row && row < rect.row + rect.rows && col >= rect.col &&
	       col < rect.col + rect.cols;
}

/* A second click on a title inverts the order. */
static void click_title(struct view *view, struct list_state *list, int col)
{
	for (unsigned int i = 0; i < COLUMNS_MAX; i++) {
		if (!list->title_end[i] || col < list->title_start[i] || col > list->title_end[i])
			continue;
		if (list == &view->table.list)
			return sort_click(view, i);
		list->reverse = list->sort == i + 1 && !list->reverse;
		list->sort = i + 1;
		list->top = 0;
		return;
	}
}

/* The list that is there on the screen, with its titles; NULL: none. */
static struct list_state *list_at(struct view *view, int row, int col)
{
	struct list_state *table = &view->table.list, *pane = &view->panes[view->settings.pane];

	if (is_in(view->layout.titles, row, col) || is_in(view->layout.table, row, col))
		return table;
	return is_in(view->layout.pane, row, col) && view->focus != FOCUS_DETAILS &&
			       row >= pane->title_row && row <= pane->title_row + pane->rows ?
		       pane :
		       NULL;
}

/*
 * A click on a line of a menu chooses it; beside the menu, it closes it. A setting changes at the
 * second click.
 */
static void click_menu(struct view *view, int row, int col, enum mouse what)
{
	struct rect menu = view->menu.rect;
	size_t line;

	if (view->mode != INPUT_SORT && view->mode != INPUT_SIGNAL && view->mode != INPUT_USER &&
	    view->mode != INPUT_SETTINGS && view->mode != INPUT_PALETTE) {
		if (view->mode == INPUT_HELP && help_click(view, row, col))
			return;
		if (view->mode == INPUT_HELP)
			mode_set(view, INPUT_NORMAL);
		return;
	}
	if (!menu.rows)
		return; /* opened, and not drawn yet */
	if (!is_in((struct rect){ menu.row - 1, menu.col - 2, menu.rows + 3, menu.cols + 4 }, row,
		   col))
		return view_key(view, K_ESCAPE);
	if (!is_in(menu, row, col))
		return;
	line = view->menu.top + (size_t)(row - menu.row);
	if (view->mode == INPUT_SETTINGS && what == MOUSE_DOUBLE && line == view->menu.row)
		return view_key(view, ' ');
	view->menu.row = line;
	if (view->mode != INPUT_SETTINGS)
		menu_choose(view);
}

static void wheel(struct view *view, int row, int col, int step)
{
	if (view->mode == INPUT_NORMAL && view->focus != FOCUS_DETAILS &&
	    plot_hit(&view->plots, row, col))
		plot_zoom(view, step < 0 ? -1 : 1);
	else if (view->mode == INPUT_NORMAL && view->focus != FOCUS_DETAILS &&
		 is_in(view->layout.pane, row, col))
		pane_scroll(&view->panes[view->settings.pane], step);
	else if (view->mode == INPUT_NORMAL && is_in(view->layout.other, row, col))
		pane_scroll(&view->panes[view->other], step);
	else if (view->mode != INPUT_CONFIRM) /* a question is answered with keys only */
		view_key(view, step < 0 ? K_UP : K_DOWN);
}

/* A click on the bar beside a list: what is shown then begins as far down as the click was. */
static bool click_scrollbar(struct view *view, struct list_state *list, int row, int col)
{
	struct rect rect = view->layout.pane;
	size_t top;

	if (list == &view->table.list ? col != view->screen_cols - 1 :
					col != rect.col + rect.cols - 1)
		return false;
	if (!list && view->focus == FOCUS_DETAILS && is_in(rect, row, col)) {
		if (!scrollbar_top(rect, row, (size_t)view->details.rows, &top))
			return false;
		view->details.top = (int)top;
		return true;
	}
	rect.row = list ? list->title_row + 1 : 0;
	rect.rows = list ? list->rows : 0;
	if (!list || row < rect.row || !scrollbar_top(rect, row, list->count, &top))
		return false;
	list->top = top;
	list->cursor.in_sight = false; /* it stays where it is */
	if (list == &view->table.list)
		view->table.scroll_to_selected = false;
	return true;
}

static void click(struct view *view, int row, int col, enum mouse what)
{
	const struct layout *layout = &view->layout;
	struct list_state *list = list_at(view, row, col);
	int clicked = view->clicked;

	view->clicked = CLICKED_NONE;
	/* A message is over what the last row shows else, such as keys. */
	if (view->message[0] && row == view->screen_rows - 1) {
		view->message[0] = 0;
		view->closed_by_click = true; /* the second click of two is for nothing */
		return;
	}
	if (is_in(layout->other, row, col)) {
		panes_swap(view);
		focus_set(view, FOCUS_PANE);
	} else if (click_scrollbar(view, list, row, col)) {
		return;
	} else if (is_in(layout->status, row, col)) {
		header_click(view, col);
	} else if (is_in(layout->devices, row, col)) {
		device_click(view, row, col);
	} else if (is_in(layout->titles, row, col)) {
		click_title(view, list, col);
	} else if (is_in(layout->table, row, col)) {
		size_t at = view->table.list.top + (size_t)(row - layout->table.row);
		bool again = clicked == CLICKED_TABLE && rows_have_selected(view) &&
			     view->table.selected_row == at;

		if (fold_click(view, at, col))
			return;
		if (at < view->table.row_count) {
			rows_select(view, at);
			view->clicked = CLICKED_TABLE;
		}
		focus_set(view, what == MOUSE_DOUBLE || again ? FOCUS_PANE : FOCUS_TABLE);
		if (view_in_pane(view))
			view->clicked = CLICKED_NONE;
	} else if (is_in(layout->tabs, row, col)) {
		int at = tabs_hit(view, col);

		if (at >= 0)
			pane_show(view, (enum pane)at);
	} else if (is_in(layout->bar, row, col)) {
		int32_t key = bar_hit(view, col);

		if (key)
			view_key(view, key);
	} else if (view->focus == FOCUS_DETAILS) {
		return; /* there is nothing to click on in them */
	} else if (what == MOUSE_CLICK && plot_click(view, row, col)) {
		/* The cursor is there now. */
	} else if (is_in(layout->pane, row, col) && map_click(view, row, col)) {
		/* The same */
	} else if (list && row == list->title_row) {
		click_title(view, list, col);
	} else if (is_in(layout->pane, row, col) &&
		   cursor_click(view, row, what == MOUSE_DOUBLE || clicked == CLICKED_PANE)) {
		view->clicked = CLICKED_PANE;
	} else if (is_in(layout->pane, row, col) && what == MOUSE_DOUBLE) {
		pane_zoom(view);
	}
}

void view_mouse(struct view *view, int row, int col, enum mouse what)
{
	bool was_closed = view->closed_by_click;

	view->closed_by_click = false;
	/*
	 * If the first of two clicks has closed a menu, the second is not meant for what was behind
	 * it.
	 */
	if (was_closed && what == MOUSE_DOUBLE)
		return;
	if (what == MOUSE_WHEEL_UP || what == MOUSE_WHEEL_DOWN) {
		wheel(view, row, col, what == MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
	} else if (view->mode != INPUT_NORMAL) {
		click_menu(view, row, col, what);
		view->closed_by_click = view->mode == INPUT_NORMAL;
	} else {
		click(view, row, col, what);
	}
}
