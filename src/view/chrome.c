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
	int start, end;
};

static const enum action bar_order[] = {
	ACT_HELP,          ACT_SETTINGS,    ACT_SEARCH,      ACT_FILTER,      ACT_TREE,
	ACT_SORT_MENU,     ACT_SIGNAL,      ACT_NEXT_PANE,   ACT_SORT_LEAKED, ACT_SORT_LIVE,
	ACT_SORT_LAUNCHES, ACT_SORT_COPIES, ACT_SORT_FAILED, ACT_FREEZE,      ACT_QUIT,
};

static const struct binding *binding_of(enum action action)
{
	for (size_t i = 0; i < binding_count; i++)
		if (bindings[i].action == action)
			return &bindings[i];
	return NULL;
}

static int item_width(const struct binding *binding)
{
	return (int)strlen(binding->bar_key) + (int)strlen(binding->bar_text) + 3;
}

/* Chooses what fits, by rank, in an order that does not depend on the width. */
static size_t bar_items(int cols, struct bar_item items[ARRAY_LEN(bar_order)])
{
	int room = cols, last = 0, col = 1, rank;
	size_t count = 0, i;

	for (rank = 1; rank <= (int)ARRAY_LEN(bar_order); rank++)
		for (i = 0; i < ARRAY_LEN(bar_order); i++) {
			const struct binding *binding = binding_of(bar_order[i]);

			if (binding->bar_rank != rank)
				continue;
			room -= item_width(binding);
			last = room >= 0 ? rank : last;
		}
	for (i = 0; i < ARRAY_LEN(bar_order); i++) {
		const struct binding *binding = binding_of(bar_order[i]);

		if (binding->bar_rank > last)
			continue;
		items[count].binding = binding;
		items[count].start = col;
		col += item_width(binding);
		items[count++].end = col;
	}
	return count;
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

/* What the key of @binding does now. All its texts have the same width, so that nothing moves. */
static const char *item_text(const struct view *view, const struct binding *binding)
{
	if (binding->action != ACT_FREEZE)
		return binding->bar_text;
	if (view->host.play.is_on)
		return view->host.play.ended  ? "Replay" :
		       view->host.play.paused ? "Resume" :
						"Pause ";
	return view->frozen ? "Resume" : binding->bar_text;
}

void bar_draw(struct view *view, struct canvas *canvas)
{
	struct rect rect = view->layout.bar;
	struct bar_item items[ARRAY_LEN(bar_order)];
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
	count = bar_items(area.rect.cols, items);
	for (i = 0; i < count; i++) {
		int col = area_text(&area, 0, items[i].start, ST_KEY, items[i].binding->bar_key);

		area_text(&area, 0, col + 1, ST_KEY_TEXT, item_text(view, items[i].binding));
	}
}

int32_t bar_hit(const struct view *view, int col)
{
	struct bar_item items[ARRAY_LEN(bar_order)];
	size_t count = bar_items(view->layout.bar.cols, items), i;

	for (i = 0; i < count; i++)
		if (col >= items[i].start && col < items[i].end)
			return items[i].binding->keys[0];
	return 0;
}
