/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of keys. A letter sorts by the column it stands for; the F-keys are those of htop, for
 * users who know it.
 */
#include "view/keys.h"

#include <stdio.h>

/* The panes by number: 0 is the first. */
#define PANE_BINDING(constant, name) \
	{ ACT_PANE + PANE_##constant, \
	  { '0' + PANE_##constant }, \
	  (const char[]){ '0' + PANE_##constant, 0 }, \
	  NULL, \
	  NULL },
_Static_assert(PANE_COUNT <= 10, "more panes than digits");

const struct binding bindings[] = {
	{ ACT_UP, { K_UP, 'k' }, "Up k", "one row up", "Moving" },
	{ ACT_DOWN, { K_DOWN, 'j' }, "Down j", "one row down", NULL },
	{ ACT_PAGE_UP, { K_PAGE_UP }, "PgUp", "a page up", NULL },
	{ ACT_PAGE_DOWN, { K_PAGE_DOWN }, "PgDn", "a page down", NULL },
	{ ACT_FIRST, { K_HOME, 'g' }, "Home g", "the first row", NULL },
	{ ACT_LAST, { K_END, 'G' }, "End G", "the last row", NULL },
	{ ACT_FOLLOW, { 'F' }, "F", "keep the selected process in sight", NULL },
	{ ACT_HELP, { K_F1, '?' }, "F1 ?", "this help", "Program" },
	{ ACT_SETTINGS, { K_F2 }, "F2", "settings", NULL },
	{ ACT_PALETTE, { ':' }, ":", "any action or setting, by words of it", NULL },
	{ ACT_STOP,
	  { 'C' - '@' },
	  "Ctrl-C",
	  "quit, also while typing; twice: without asking",
	  NULL },
	{ ACT_REDRAW, { 'L' - '@' }, "Ctrl-L", "draw the screen anew", NULL },
	{ ACT_OPEN, { K_ENTER }, "Enter", "into the pane; there: details of a row", "Panes" },
	{ ACT_BACK, { K_ESCAPE }, "Esc", "back, a step at a time", NULL },
	{ ACT_FULL, { 'z' }, "z", "two panes; one in full height; back", NULL },
	{ ACT_NEXT_PANE, { K_TAB, K_RIGHT, 'l' }, "Tab Right l", "next pane", NULL },
	{ ACT_PREVIOUS_PANE, { K_BACK_TAB, K_LEFT, 'h' }, "S-Tab Left h", "previous pane", NULL },
	PANES(PANE_BINDING){ ACT_NAMES, { 'c' }, "c", "short or full kernel names", NULL },
	{ ACT_GROUP, { 'b' }, "b", "sites by function, file or library", NULL },
	{ ACT_TENSORS, { 'a' }, "a", "tensors, or all the driver allocated", NULL },
	{ ACT_LOG, { 'y' }, "y", "bars: linear, or logarithmic", NULL },
	{ ACT_ZOOM_IN, { '+', '=' }, "+", "zoom in: map, plots; replay: faster", NULL },
	{ ACT_ZOOM_OUT, { '-' }, "-", "zoom out; replay: slower", NULL },
	{ ACT_ZOOM_BLOCK, { 'Z' }, "Z", "zoom to the allocation, and back", NULL },
	{ ACT_MAP_COLORS, { 'C' }, "C", "the map by state, site or age", NULL },
	{ ACT_PAN_LEFT, { '[' }, "[", "pan left, long names, too; replay: back", NULL },
	{ ACT_PAN_RIGHT, { ']' }, "]", "pan right, long names, too; replay: on", NULL },
	{ ACT_TIME_LESS, { '(' }, "(", "plots: less time", NULL },
	{ ACT_TIME_MORE, { ')' }, ")", "plots: more time, up to an hour", NULL },
	{ ACT_CURSOR_LEFT, { '{' }, "{", "plots: read values, earlier", NULL },
	{ ACT_CURSOR_RIGHT, { '}' }, "}", "plots: read values, later", NULL },
	{ ACT_SEARCH, { K_F3, '/' }, "F3 /", "search", "Finding" },
	{ ACT_SEARCH_NEXT, { 'n' }, "n", "next match", NULL },
	{ ACT_SEARCH_PREVIOUS, { 'N' }, "N", "previous match", NULL },
	{ ACT_FILTER, { K_F4, '\\' }, "F4 \\", "filter: words, user:NAME, pid:N", NULL },
	{ ACT_USER, { 'u' }, "u", "one user's processes only", NULL },
	{ ACT_DEVICE, { 'v' }, "v", "one device's processes only, the next's", NULL },
	{ ACT_TREE, { K_F5, 't' }, "F5 t", "tree of parents and children", NULL },
	{ ACT_FOLD, { 'o' }, "o", "open or fold a job, or the tree's branch", NULL },
	{ ACT_FOLD_ALL, { '*' }, "*", "open or fold all of them", NULL },
	{ ACT_SORT_MENU, { K_F6 }, "F6", "choose what to sort by", "Sorting" },
	{ ACT_SORT_LEAKED, { 'L' }, "L", "by leaked bytes", NULL },
	{ ACT_SORT_LIVE, { 'M' }, "M", "by live bytes", NULL },
	{ ACT_SORT_LAUNCHES, { 'K' }, "K", "by launches per second", NULL },
	{ ACT_SORT_COPIES, { 'B' }, "B", "by copies to the device", NULL },
	{ ACT_SORT_FAILED, { 'E' }, "E", "by failed calls", NULL },
	{ ACT_SORT_PID, { 'P' }, "P", "by process id", NULL },
	{ ACT_SORT_LEFT, { '<', ',' }, "<", "by the column to the left", NULL },
	{ ACT_SORT_RIGHT, { '>', '.' }, ">", "by the column to the right", NULL },
	{ ACT_SORT_INVERT, { 'I' }, "I", "invert the order", NULL },
	{ ACT_FREEZE, { ' ' }, "Space", "freeze the view; replay: pause", "Time" },
	{ ACT_BASELINE, { 'x' }, "x", "mark a baseline, show the difference", NULL },
	{ ACT_CLEAR, { 'X' }, "X", "clear exited processes", NULL },
	{ ACT_DELAY, { 'd' }, "d", "time between refreshes", NULL },
	{ ACT_TAG, { 'T' }, "T", "tag the process, or remove its tag", "Doing" },
	{ ACT_UNTAG, { 'U' }, "U", "remove all tags", NULL },
	{ ACT_SIGNAL, { K_F9 }, "F9", "kill: send a signal to the tagged, or it", NULL },
	{ ACT_WRITE, { 'w' }, "w", "write a snapshot to a file (JSON)", NULL },
	{ ACT_SAVE, { 'W' }, "W", "save the settings", NULL },
	{ ACT_QUIT, { 'q', K_F10 }, "q F10", "quit", NULL },
};

const size_t binding_count = sizeof(bindings) / sizeof(bindings[0]);

const char *binding_help(const struct binding *binding, char *out, size_t size)
{
	const struct pane_desc *pane = binding->help ? NULL : panes[binding->action - ACT_PANE];

	snprintf(out, size, "%s%s%s", pane ? pane->title : "", pane ? ": " : "",
		 pane ? pane->help : binding->help);
	return out;
}

enum action keys_action(int32_t key)
{
	size_t i, j;

	for (i = 0; key && i < binding_count; i++)
		for (j = 0; j < 3; j++)
			if (bindings[i].keys[j] == key)
				return bindings[i].action;
	return ACT_NONE;
}
