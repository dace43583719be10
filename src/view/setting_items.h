/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings one by one, as the file and the settings screen have them. */
#ifndef VIEW_SETTING_ITEMS_H
#define VIEW_SETTING_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "view/settings.h"

#define SETTING_SIZE 1024 /* of a value, or a line in the file: all columns take 201 */

enum item {
	ITEM_THEME,
	ITEM_ASCII,
	ITEM_MOUSE,
	ITEM_DELAY,
	ITEM_TREE,
	ITEM_FOLLOW,
	ITEM_NAMES,
	ITEM_PANE,
	ITEM_SITES,
	ITEM_TENSORS,
	ITEM_SORT,
	ITEM_REVERSE,
	ITEM_KEEP,
	ITEM_COLUMNS,
	/* Only in the file: they are needed before there is a screen */
	ITEM_SKIP,
	ITEM_BUDGET,
	ITEM_COUNT
};

/* The name of @item in the file; the item with that name, or ITEM_COUNT. */
const char *setting_key(enum item item);
enum item setting_find(const char *key);

/* The value as text. */
void setting_print(const struct settings *settings, enum item item, char *out, size_t size);
/* Returns false if @value is none; @settings is as before then. */
bool setting_parse(struct settings *settings, enum item item, const char *value);

/* Gives @to what differs between @before and @now. */
void setting_changes(struct settings *to, const struct settings *before,
		     const struct settings *now);

#endif
