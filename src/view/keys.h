/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys and what they do. One table defines the keys, the help screen and the bar at the bottom; a
 * test compares the manual with it.
 */
#ifndef VIEW_KEYS_H
#define VIEW_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "view/panes.h"

/* A key is a Unicode character, or one of these. */
enum key {
	KEYS_SPECIAL = 0x110000,
	K_UP,
	K_DOWN,
	K_LEFT,
	K_RIGHT,
	K_PAGE_UP,
	K_PAGE_DOWN,
	K_HOME,
	K_END,
	K_TAB,
	K_BACK_TAB,
	K_ENTER,
	K_ESCAPE,
	K_BACKSPACE,
	K_DELETE,
	K_F1,
	K_F2,
	K_F3,
	K_F4,
	K_F5,
	K_F6,
	K_F7,
	K_F8,
	K_F9,
	K_F10,
};

enum action {
	ACT_NONE,
	ACT_UP,
	ACT_DOWN,
	ACT_PAGE_UP,
	ACT_PAGE_DOWN,
	ACT_FIRST,
	ACT_LAST,
	ACT_OPEN,
	ACT_BACK,
	ACT_FULL,
	ACT_NEXT_PANE,
	ACT_PREVIOUS_PANE,
	ACT_PANE,
	ACT_PANE_LAST = ACT_PANE + PANE_COUNT - 1, /* by enum pane */
	ACT_SORT_LEAKED,
	ACT_SORT_LIVE,
	ACT_SORT_LAUNCHES,
	ACT_SORT_COPIES,
	ACT_SORT_FAILED,
	ACT_SORT_PID,
	ACT_SORT_LEFT,
	ACT_SORT_RIGHT,
	ACT_SORT_MENU,
	ACT_SORT_INVERT,
	ACT_SEARCH,
	ACT_SEARCH_NEXT,
	ACT_SEARCH_PREVIOUS,
	ACT_FILTER,
	ACT_USER,
	ACT_DEVICE,
	ACT_TREE,
	ACT_FOLD,
	ACT_FOLD_ALL,
	ACT_FOLLOW,
	ACT_FREEZE,
	ACT_BASELINE,
	ACT_CLEAR,
	ACT_DELAY,
	ACT_NAMES,
	ACT_GROUP,
	ACT_TENSORS,
	ACT_LOG,
	ACT_ZOOM_IN,
	ACT_ZOOM_OUT,
	ACT_ZOOM_BLOCK,
	ACT_MAP_COLORS,
	ACT_PAN_LEFT,
	ACT_PAN_RIGHT,
	ACT_TIME_LESS,
	ACT_TIME_MORE,
	ACT_CURSOR_LEFT,
	ACT_CURSOR_RIGHT,
	ACT_WRITE,
	ACT_SAVE,
	ACT_SETTINGS,
	ACT_PALETTE,
	ACT_TAG,
	ACT_UNTAG,
	ACT_SIGNAL,
	ACT_HELP,
	ACT_REDRAW,
	ACT_STOP,
	ACT_QUIT,
	ACT_COUNT,
};

struct binding {
	enum action action;
	int32_t keys[3];     /* 0: unused */
	const char *label;   /* the keys' names on the help screen */
	const char *help;    /* NULL: a pane's key, whose help comes from the pane */
	const char *section; /* its section on the help screen; NULL: that of the one before */
};

extern const struct binding bindings[];
extern const size_t binding_count;

/* What the key of @binding does, as help says it. Returns @out. */
const char *binding_help(const struct binding *binding, char *out, size_t size);

enum action keys_action(int32_t key);

#endif
