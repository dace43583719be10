/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of keys. A letter sorts by the column it stands for; the F-keys are those of htop, for
 * users who know it.
 */
#include "view/keys.h"

#include <stdio.h>

/* The panes by number: 1 is the first. */
#define PANE_BINDING(constant, name) \
	{ ACT_PANE + PANE_##constant, \
	  { '1' + PANE_##constant }, \
	  (const char[]){ '1' + PANE_##constant, 0 }, \
	  NULL, \
	  NULL, \
	  NULL, \
	  0, \
	  NULL },
_Static_assert(PANE_COUNT <= 9, "more panes than digits");

const struct binding bindings[] = {
	{ ACT_UP, { K_UP, 'k' }, "Up k", "one row up", NULL, NULL, 0, "Moving" },
	{ ACT_DOWN, { K_DOWN, 'j' }, "Down j", "one row down", NULL, NULL, 0, NULL },
	{ ACT_PAGE_UP, { K_PAGE_UP }, "PgUp", "a page up", NULL, NULL, 0, NULL },
	{ ACT_PAGE_DOWN, { K_PAGE_DOWN }, "PgDn", "a page down", NULL, NULL, 0, NULL },
	{ ACT_FIRST, { K_HOME, 'g' }, "Home g", "the first row", NULL, NULL, 0, NULL },
	{ ACT_LAST, { K_END, 'G' }, "End G", "the last row", NULL, NULL, 0, NULL },
	{ ACT_FOLLOW, { 'F' }, "F", "keep the selected process in sight", NULL, NULL, 0, NULL },
	{ ACT_HELP, { K_F1, '?' }, "F1 ?", "this help", "F1", "Help", 1, "Program" },
	{ ACT_SETTINGS, { K_F2 }, "F2", "settings", "F2", "Setup", 13, NULL },
	{ ACT_STOP,
	  { 'C' - '@' },
	  "Ctrl-C",
	  "quit, also while typing; twice: without asking",
	  NULL,
	  NULL,
	  0,
	  NULL },
	{ ACT_REDRAW, { 'L' - '@' }, "Ctrl-L", "draw the screen anew", NULL, NULL, 0, NULL },
	{ ACT_OPEN,
	  { K_ENTER },
	  "Enter",
	  "into the pane; there: details of a row",
	  "Enter",
	  "Open",
	  6,
	  "Panes" },
	{ ACT_BACK, { K_ESCAPE }, "Esc", "back, a step at a time", "Esc", "Back", 0, NULL },
	{ ACT_FULL, { 'z' }, "z", "the pane in full height, and back", "z", "Full", 0, NULL },
	{ ACT_NEXT_PANE,
	  { K_TAB, K_RIGHT, 'l' },
	  "Tab Right l",
	  "next pane",
	  "Tab",
	  "Pane",
	  4,
	  NULL },
	{ ACT_PREVIOUS_PANE,
	  { K_BACK_TAB, K_LEFT, 'h' },
	  "S-Tab Left h",
	  "previous pane",
	  NULL,
	  NULL,
	  0,
	  NULL },
	PANES(PANE_BINDING){
		ACT_NAMES, { 'c' }, "c", "short or full kernel names", NULL, NULL, 0, NULL },
	{ ACT_GROUP, { 'b' }, "b", "sites by function, file or library", NULL, NULL, 0, NULL },
	{ ACT_TENSORS, { 'a' }, "a", "tensors, or all the driver allocated", NULL, NULL, 0, NULL },
	{ ACT_ZOOM_IN, { '+', '=' }, "+", "plots: less time; replay: faster", NULL, NULL, 0, NULL },
	{ ACT_ZOOM_OUT, { '-' }, "-", "plots: more time; replay: slower", NULL, NULL, 0, NULL },
	{ ACT_PAN_LEFT,
	  { '[' },
	  "[",
	  "pan left, long names, too; replay: back",
	  NULL,
	  NULL,
	  0,
	  NULL },
	{ ACT_PAN_RIGHT,
	  { ']' },
	  "]",
	  "pan right, long names, too; replay: on",
	  NULL,
	  NULL,
	  0,
	  NULL },
	{ ACT_TIME_LESS, { '(' }, "(", "plots: less time", NULL, NULL, 0, NULL },
	{ ACT_TIME_MORE, { ')' }, ")", "plots: more time, up to an hour", NULL, NULL, 0, NULL },
	{ ACT_SEARCH, { K_F3, '/' }, "F3 /", "search", "F3", "Search", 7, "Finding" },
	{ ACT_SEARCH_NEXT, { 'n' }, "n", "next match", NULL, NULL, 0, NULL },
	{ ACT_SEARCH_PREVIOUS, { 'N' }, "N", "previous match", NULL, NULL, 0, NULL },
	{ ACT_FILTER,
	  { K_F4, '\\' },
	  "F4 \\",
	  "filter: words, user:NAME, pid:N",
	  "F4",
	  "Filter",
	  8,
	  NULL },
	{ ACT_USER, { 'u' }, "u", "one user's processes only", NULL, NULL, 0, NULL },
	{ ACT_DEVICE,
	  { 'v' },
	  "v",
	  "one device's processes only, the next's",
	  NULL,
	  NULL,
	  0,
	  NULL },
	{ ACT_TREE, { K_F5, 't' }, "F5 t", "tree of parents and children", "F5", "Tree", 12, NULL },
	{ ACT_FOLD, { 'o' }, "o", "tree: fold or open a process's children", NULL, NULL, 0, NULL },
	{ ACT_FOLD_ALL, { '*' }, "*", "tree: fold or open all", NULL, NULL, 0, NULL },
	{ ACT_SORT_MENU, { K_F6 }, "F6", "choose what to sort by", "F6", "Sort", 5, "Sorting" },
	{ ACT_SORT_LEAKED,
	  { 'L' },
	  "L",
	  "by leaked bytes; again: inverted",
	  "L",
	  "Leaked",
	  3,
	  NULL },
	{ ACT_SORT_LIVE, { 'M' }, "M", "by live bytes", "M", "Live", 9, NULL },
	{ ACT_SORT_LAUNCHES, { 'K' }, "K", "by launches per second", "K", "Launches", 14, NULL },
	{ ACT_SORT_COPIES, { 'B' }, "B", "by copies to the device", "B", "Copies", 15, NULL },
	{ ACT_SORT_FAILED, { 'E' }, "E", "by failed calls", "E", "Failed", 10, NULL },
	{ ACT_SORT_PID, { 'P' }, "P", "by process id", NULL, NULL, 0, NULL },
	{ ACT_SORT_LEFT, { '<', ',' }, "<", "by the column to the left", NULL, NULL, 0, NULL },
	{ ACT_SORT_RIGHT, { '>', '.' }, ">", "by the column to the right", NULL, NULL, 0, NULL },
	{ ACT_SORT_INVERT, { 'I' }, "I", "invert the order", NULL, NULL, 0, NULL },
	{ ACT_FREEZE,
	  { ' ' },
	  "Space",
	  "freeze the view; replay: pause",
	  "Space",
	  "Freeze",
	  11,
	  "Time" },
	{ ACT_BASELINE, { 'x' }, "x", "mark a baseline, show the difference", NULL, NULL, 0, NULL },
	{ ACT_CLEAR, { 'X' }, "X", "clear exited processes", NULL, NULL, 0, NULL },
	{ ACT_DELAY, { 'd' }, "d", "time between refreshes", NULL, NULL, 0, NULL },
	{ ACT_TAG, { 'T' }, "T", "tag the process, or remove its tag", NULL, NULL, 0, "Doing" },
	{ ACT_TAG_FAMILY, { 'D' }, "D", "tag it and all that are below it", NULL, NULL, 0, NULL },
	{ ACT_UNTAG, { 'U' }, "U", "remove all tags", NULL, NULL, 0, NULL },
	{ ACT_SIGNAL,
	  { K_F9 },
	  "F9",
	  "send a signal to the tagged, or to it",
	  "F9",
	  "Signal",
	  16,
	  NULL },
	{ ACT_WRITE, { 'w' }, "w", "write a snapshot to a file (JSON)", NULL, NULL, 0, NULL },
	{ ACT_SAVE, { 'W' }, "W", "save the settings", NULL, NULL, 0, NULL },
	{ ACT_QUIT, { 'q', K_F10 }, "q F10", "quit", "q", "Quit", 2, NULL },
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
