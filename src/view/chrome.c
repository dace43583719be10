/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame around the content: the tabs of the panes, and the bar at the bottom. */
#include <stdio.h>
#include <string.h>

#include "util/utf8.h"
#include "util/util.h"
#include "view/view_internal.h"

enum { WHOSE = 12 }; /* cells for the name of the process that the pane is about */

/* ---- tabs ---- */

/* How much of the panes' names there is room for; of the shown one's always all. */
enum tabs { TABS_NAMES, TABS_BEGINNINGS, TABS_NUMBERS, TABS_COUNT };
#define BEGINNING 4 /* characters */

static int tab_room(const struct view *view, int i, enum tabs tabs)
{
	int name = (int)strlen(panes[i]->title);

	if (view->settings.pane == (enum pane)i || tabs == TABS_NAMES)
		return name;
	if (tabs == TABS_NUMBERS)
		return 0;
	return name < BEGINNING ? name : BEGINNING;
}

/* The pane has to say whose it is: room is left for the process's name. */
static enum tabs tabs_choose(const struct view *view, int cols)
{
	enum tabs tabs;

	for (tabs = TABS_NAMES; tabs + 1 < TABS_COUNT; tabs++) {
		int width = 2 + (view_selected(view) ? WHOSE : 0);

		for (int i = 0; i < PANE_COUNT; i++)
			width += tab_room(view, i, tabs) + 5;
		if (width <= cols)
			break;
	}
	return tabs;
}

static int tab_text(const struct view *view, int i, int cols, char *out, size_t size)
{
	int room = tab_room(view, i, tabs_choose(view, cols));

	return room ? snprintf(out, size, " %d %.*s ", i + 1, room, panes[i]->title) :
		      snprintf(out, size, " %d ", i + 1);
}

void tabs_draw(struct view *view, struct canvas *canvas)
{
	struct area area = area_of(canvas, view->layout.tabs);
	const struct snap_process *process = view_selected(view);
	char text[320], name[240], where[24] = "";
	int col = 1, i, cells;

	if (!area.rect.rows)
		return;
	area_repeat(&area, 0, 0, area.rect.cols, ST_FRAME, "─");
	for (i = 0; i < PANE_COUNT; i++) {
		tab_text(view, i, area.rect.cols, text, sizeof(text));
		col = area_text(&area, 0, col,
				view->settings.pane == (enum pane)i ? ST_TAB : ST_DIM, text) +
		      1;
	}
	/* The log is about all of them. */
	if (!process || panes[view->settings.pane]->is_of_all)
		return;
	if (process->container)
		snprintf(where, sizeof(where), " in %.12s", process->container);
	snprintf(text, sizeof(text), " %u %s%s%s ", process->pid,
		 utf8_fit(name, sizeof(name), command_brief(process), 60), where,
		 process->exited && process->inexact ? " (exited, inexact)" :
		 process->exited                     ? " (exited)" :
		 process->inexact                    ? " (inexact)" :
						       "");
	cells = canvas_width(canvas, text);
	if (cells > area.rect.cols - col - 2)
		cells = area.rect.cols - col - 2;
	if (cells > 6)
		area_cut(&area, 0, area.rect.cols - cells - 1, cells,
			 process->exited ? ST_EXITED : ST_HEAD, text);
}

int tabs_hit(const struct view *view, int col)
{
	char text[64];
	int at = 1;

	for (int i = 0; i < PANE_COUNT; i++) {
		int width = tab_text(view, i, view->layout.tabs.cols, text, sizeof(text));

		if (col >= at && col < at + width)
			return i;
		at += width + 1;
	}
	return -1;
}

/* ---- the bar ---- */

struct bar_item {
	const struct binding *binding;
	const char *text; /* all that may stand here have the same width, so that nothing moves */
	int rank, start, end;
};

/* What the bar shows on each focus; which stay if there is no room for all is their rank. */
struct bar_key {
	enum action action;
	const char *text; /* NULL: that of the binding, with its rank */
	int rank;
};

enum { BAR_KEYS = 16 };

static const struct bar_key bar_keys[][BAR_KEYS] = {
	[FOCUS_TABLE] = {
		{ ACT_HELP, NULL, 0 }, { ACT_SETTINGS, NULL, 0 }, { ACT_SEARCH, NULL, 0 },
		{ ACT_FILTER, NULL, 0 }, { ACT_TREE, NULL, 0 }, { ACT_SORT_MENU, NULL, 0 },
		{ ACT_SIGNAL, NULL, 0 }, { ACT_OPEN, NULL, 0 }, { ACT_NEXT_PANE, NULL, 0 },
		{ ACT_SORT_LEAKED, NULL, 0 }, { ACT_SORT_LIVE, NULL, 0 }, { ACT_SORT_LAUNCHES, NULL, 0 },
		{ ACT_SORT_COPIES, NULL, 0 }, { ACT_SORT_FAILED, NULL, 0 },
		{ ACT_FREEZE, NULL, 0 }, { ACT_QUIT, NULL, 0 },
	},
	[FOCUS_PANE] = {
		{ ACT_HELP, "Help", 1 }, { ACT_OPEN, "Details", 3 }, { ACT_BACK, "Back", 2 },
		{ ACT_FULL, "Full", 5 }, { ACT_NEXT_PANE, "Pane", 4 },
		{ ACT_SEARCH, "Search", 7 }, { ACT_SORT_MENU, "Sort", 9 },
		{ ACT_FREEZE, "Freeze", 10 }, { ACT_QUIT, "Quit", 6 },
	},
	[FOCUS_DETAILS] = {
		{ ACT_HELP, "Help", 1 }, { ACT_BACK, "Back", 2 }, { ACT_FULL, "Full", 4 },
		{ ACT_NEXT_PANE, "Pane", 5 }, { ACT_FREEZE, "Freeze", 7 },
		{ ACT_QUIT, "Quit", 6 },
	},
};

static const struct binding *binding_of(enum action action)
{
	for (size_t i = 0; i < binding_count; i++)
		if (bindings[i].action == action)
			return &bindings[i];
	return NULL;
}

static int item_width(const struct bar_item *item)
{
	return (int)strlen(item->binding->bar_key) + (int)strlen(item->text) + 3;
}

/* Chooses what fits, by rank, in an order that does not depend on the width. */
static size_t bar_items(const struct view *view, int cols, struct bar_item items[BAR_KEYS])
{
	struct bar_item all[BAR_KEYS];
	int room = cols, last = 0, col = 1, rank;
	size_t count = 0, kept = 0, i;

	for (i = 0; i < BAR_KEYS && bar_keys[view->focus][i].action; i++) {
		const struct bar_key *key = &bar_keys[view->focus][i];
		const struct binding *binding = binding_of(key->action);

		all[count++] = (struct bar_item){
			.binding = binding,
			.text = key->text ? key->text : binding->bar_text,
			.rank = key->text ? key->rank : binding->bar_rank,
		};
	}
	for (rank = 1; rank <= BAR_KEYS; rank++)
		for (i = 0; i < count; i++) {
			if (all[i].rank != rank)
				continue;
			room -= item_width(&all[i]);
			last = room >= 0 ? rank : last;
		}
	for (i = 0; i < count; i++) {
		if (all[i].rank > last)
			continue;
		items[kept] = all[i];
		items[kept].start = col;
		col += item_width(&all[i]);
		items[kept++].end = col;
	}
	return kept;
}

static void input_draw(struct view *view, const struct area *area, const char *label)
{
	int col = area_text(area, 0, 1, ST_HEAD, label) + 1, room = area->rect.cols - col - 1;
	const char *text = view->input;

	/* The end of the typed text stays visible. */
	while (canvas_width(area->canvas, text) > room && *text) {
		int32_t point;

		text += utf8_next(text, &point);
	}
	col = area_text(area, 0, col, ST_INPUT, text);
	area_text(area, 0, col, ST_INPUT, "█");
	if (view->mode == INPUT_FILTER && area->rect.cols - col > 75)
		area_right(area, 0, area->rect.cols - 1, ST_DIM,
			   "words  user:NAME  pid:N  nspid:N  container:ID  pod:UID");
	else if (view->mode == INPUT_FILTER && area->rect.cols - col > 40)
		area_right(area, 0, area->rect.cols - 1, ST_DIM, "words  user:NAME  pid:N");
	else if (view->mode == INPUT_DELAY && area->rect.cols - col > 20)
		area_right(area, 0, area->rect.cols - 1, ST_DIM, "seconds");
}

/* What the key of @item does now. */
static const char *item_text(const struct view *view, const struct bar_item *item)
{
	const struct pane_desc *pane = panes[view->settings.pane];

	if (item->binding->action == ACT_OPEN && view->focus == FOCUS_PANE && pane->can_open)
		return "Open   ";
	if (item->binding->action == ACT_FULL && view->full)
		return "Half";
	if (item->binding->action != ACT_FREEZE)
		return item->text;
	if (view->host.play.is_on)
		return view->host.play.ended  ? "Replay" :
		       view->host.play.paused ? "Resume" :
						"Pause ";
	return view->frozen ? "Resume" : item->text;
}

void bar_draw(struct view *view, struct canvas *canvas)
{
	struct rect rect = view->layout.bar;
	struct bar_item items[BAR_KEYS];
	struct area area;
	size_t count, i;

	/* Typed text and messages are more important than what the last row shows. */
	if (!rect.rows && canvas->rows > 0 &&
	    (view->mode == INPUT_SEARCH || view->mode == INPUT_FILTER ||
	     view->mode == INPUT_DELAY || view->message[0]))
		rect = (struct rect){ canvas->rows - 1, 0, 1, canvas->cols };
	area = area_of(canvas, rect);
	if (!area.rect.rows)
		return;
	area_clear(&area, ST_PLAIN);
	switch (view->mode) {
	case INPUT_SEARCH: return input_draw(view, &area, "Search");
	case INPUT_FILTER: return input_draw(view, &area, "Filter");
	case INPUT_DELAY: return input_draw(view, &area, "Delay");
	default: break;
	}
	if (view->message[0] && view->latest && view->latest->elapsed_seconds > view->message_until)
		view->message[0] = 0;
	if (view->message[0]) {
		area_cut(&area, 0, 1, area.rect.cols - 1, ST_MESSAGE, view->message);
		return;
	}
	count = bar_items(view, area.rect.cols, items);
	for (i = 0; i < count; i++) {
		int col = area_text(&area, 0, items[i].start, ST_KEY, items[i].binding->bar_key);

		area_text(&area, 0, col + 1, ST_KEY_TEXT, item_text(view, &items[i]));
	}
}

int32_t bar_hit(const struct view *view, int col)
{
	struct bar_item items[BAR_KEYS];
	size_t count = bar_items(view, view->layout.bar.cols, items), i;

	for (i = 0; i < count; i++)
		if (col >= items[i].start && col < items[i].end)
			return items[i].binding->keys[0];
	return 0;
}
