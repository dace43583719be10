/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings: one table of names, with how each is read and written, defines the file
 * (settings_file.c) and the lines of the settings screen.
 */
#include "view/setting_items.h"
#include "view/view_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *key, *label, *help;
} items[ITEM_COUNT] = {
	[ITEM_THEME] = { "theme", "Theme", "colours" },
	[ITEM_ASCII] = { "ascii", "ASCII only", "no lines and blocks" },
	[ITEM_MOUSE] = { "mouse", "Mouse", "clicks and the wheel" },
	[ITEM_DELAY] = { "delay", "Delay", "seconds between refreshes (key d)" },
	[ITEM_TREE] = { "tree", "Tree", "children below their parents (key t)" },
	[ITEM_FOLLOW] = { "follow", "Follow", "keep the selected process in sight (key F)" },
	[ITEM_NAMES] = { "full_names", "Full kernel names",
			 "with arguments and templates (key c)" },
	[ITEM_PANE] = { "pane", "First pane", "shown at start" },
	[ITEM_SITES] = { "sites_by", "Sites by", "what makes a row (key b)" },
	[ITEM_TENSORS] = { "tensors", "Tensors", "listed in Memory and Sites (key a)" },
	[ITEM_SORT] = { "sort", "Sort by", "key F6" },
	[ITEM_REVERSE] = { "reverse", "Inverted", "key I" },
	[ITEM_KEEP] = { "keep_changes", "Keep changes", "what keys change, for the next time" },
	[ITEM_COLUMNS] = { "columns", NULL, NULL }, /* one line for each column */
	[ITEM_SKIP] = { "site_skip", NULL, NULL },
	[ITEM_BUDGET] = { "budget", NULL, NULL },
};

void settings_default(struct settings *settings)
{
	const char *bad;
	size_t len;

	memset(settings, 0, sizeof(*settings));
	settings->theme = &themes[0];
	settings->mouse = settings->tensors = settings->keep_changes = true;
	settings->delay = NSEC_PER_SEC;
	settings->budget = BUDGET_USUAL;
	sort_order_parse(&settings->sort, "live", &bad, &len);
	for (size_t i = 0; i < column_count; i++)
		if (columns[i].rank)
			settings->columns[settings->column_count++] = &columns[i];
}

static bool *flag_of(struct settings *settings, enum item item)
{
	switch (item) {
	case ITEM_ASCII: return &settings->ascii;
	case ITEM_MOUSE: return &settings->mouse;
	case ITEM_TREE: return &settings->tree;
	case ITEM_FOLLOW: return &settings->follow;
	case ITEM_NAMES: return &settings->full_names;
	case ITEM_TENSORS: return &settings->tensors;
	case ITEM_REVERSE: return &settings->sort.reverse;
	case ITEM_KEEP: return &settings->keep_changes;
	default: return NULL;
	}
}

int delay_parse(const char *text, uint64_t *ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (*end || end == text || !(seconds >= DELAY_SECONDS_MIN && seconds <= SECONDS_MAX))
		return -EINVAL;
	*ns = (uint64_t)(seconds * 1e9);
	return 0;
}

static bool budget_parse(const char *value, uint64_t *budget)
{
	char *end;
	unsigned long percent = strtoul(value, &end, 10);

	if (*end || end == value || value[0] == '-' || percent > BUDGET_PERCENT_MAX)
		return false;
	*budget = percent;
	return true;
}

void setting_print(const struct settings *settings, enum item item, char *out, size_t size)
{
	const bool *flag = flag_of((struct settings *)settings, item);
	size_t i, used = 0;

	out[0] = 0;
	if (flag) {
		snprintf(out, size, "%s", *flag ? "yes" : "no");
		return;
	}
	switch (item) {
	case ITEM_THEME: snprintf(out, size, "%s", settings->theme->name); break;
	case ITEM_DELAY: snprintf(out, size, "%g", (double)settings->delay / 1e9); break;
	case ITEM_PANE: snprintf(out, size, "%s", panes[settings->pane]->title); break;
	case ITEM_SITES: snprintf(out, size, "%s", site_grouping_names[settings->sites_by]); break;
	case ITEM_SORT:
		for (i = 0; i < settings->sort.count && used < size; i++)
			used += (size_t)snprintf(out + used, size - used, "%s%s", i ? "," : "",
						 settings->sort.keys[i]->name);
		break;
	case ITEM_COLUMNS:
		for (i = 0; i < settings->column_count && used < size; i++)
			used += (size_t)snprintf(out + used, size - used, "%s%s", i ? " " : "",
						 settings->columns[i]->name);
		break;
	case ITEM_SKIP: snprintf(out, size, "%s", settings->site_skip); break;
	case ITEM_BUDGET: snprintf(out, size, "%llu", (unsigned long long)settings->budget); break;
	default: break;
	}
}

static bool columns_parse(struct settings *settings, const char *value)
{
	const struct column *list[COLUMNS_MAX];
	char words[SETTING_SIZE], *word, *rest = NULL;
	size_t count = 0, i;

	snprintf(words, sizeof(words), "%s", value);
	for (word = strtok_r(words, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest)) {
		const struct column *column = column_find(word);

		for (i = 0; i < count; i++)
			if (list[i] == column)
				return false;
		/* A column from a later version must not make us lose the others. */
		if (column && count < COLUMNS_MAX)
			list[count++] = column;
	}
	if (!count)
		return false;
	memcpy(settings->columns, list, count * sizeof(list[0]));
	settings->column_count = count;
	return true;
}

bool setting_parse(struct settings *settings, enum item item, const char *value)
{
	bool *flag = flag_of(settings, item);
	const char *bad;
	size_t len;
	int i;

	if (flag) {
		bool yes = !ascii_casecmp(value, "yes") || !ascii_casecmp(value, "true") ||
			   !strcmp(value, "1");

		if (!yes && ascii_casecmp(value, "no") && ascii_casecmp(value, "false") &&
		    strcmp(value, "0"))
			return false;
		*flag = yes;
		return true;
	}
	switch (item) {
	case ITEM_THEME:
		if (!theme_find(value))
			return false;
		settings->theme = theme_find(value);
		return true;
	case ITEM_DELAY: return !delay_parse(value, &settings->delay);
	case ITEM_PANE:
		for (i = 0; i < PANE_COUNT; i++)
			if (!ascii_casecmp(value, panes[i]->title)) {
				settings->pane = (enum pane)i;
				return true;
			}
		return false;
	case ITEM_SITES:
		for (i = 0; i < SITE_GROUPING_COUNT; i++)
			if (!ascii_casecmp(value, site_grouping_names[i])) {
				settings->sites_by = (enum site_grouping)i;
				return true;
			}
		return false;
	case ITEM_SORT: return !sort_order_parse(&settings->sort, value, &bad, &len);
	case ITEM_COLUMNS: return columns_parse(settings, value);
	case ITEM_SKIP:
		len = strlen(value);
		if (len >= sizeof(settings->site_skip))
			return false;
		memcpy(settings->site_skip, value, len + 1);
		return true;
	case ITEM_BUDGET: return budget_parse(value, &settings->budget);
	default: return false;
	}
}

enum item setting_find(const char *key)
{
	int i;

	for (i = 0; i < ITEM_COUNT; i++)
		if (!strcmp(items[i].key, key))
			break;
	return (enum item)i;
}

const char *setting_key(enum item item)
{
	return items[item].key;
}

static bool differs(const struct settings *before, const struct settings *now, enum item item)
{
	char old[SETTING_SIZE], new[SETTING_SIZE];

	setting_print(before, item, old, sizeof(old));
	setting_print(now, item, new, sizeof(new));
	return strcmp(old, new) != 0;
}

size_t settings_differ(const struct settings *before, const struct settings *now, char *out,
		       size_t size)
{
	size_t count = 0, used = 0;

	out[0] = 0;
	/* Most often nothing has changed, and this is asked for each snapshot. */
	if (!memcmp(before, now, sizeof(*before)))
		return 0;
	for (int i = 0; i < ITEM_COUNT; i++) {
		if (!differs(before, now, (enum item)i))
			continue;
		if (used < size)
			used += (size_t)snprintf(out + used, size - used, "%s%s", count ? ", " : "",
						 items[i].key);
		count++;
	}
	return count;
}

void setting_changes(struct settings *to, const struct settings *before, const struct settings *now)
{
	char value[SETTING_SIZE];

	for (int i = 0; i < ITEM_COUNT; i++) {
		if (!differs(before, now, (enum item)i))
			continue;
		setting_print(now, (enum item)i, value, sizeof(value));
		setting_parse(to, (enum item)i, value);
	}
}

/* ---- the screen ---- */

size_t settings_lines(const struct view *view)
{
	(void)view;
	return ITEM_COLUMNS + column_count;
}

static size_t column_place(const struct settings *settings, const struct column *column)
{
	size_t i;

	for (i = 0; i < settings->column_count; i++)
		if (settings->columns[i] == column)
			break;
	return i;
}

/* The shown columns come first, in their order; then the others. */
static const struct column *line_column(const struct settings *settings, size_t line)
{
	size_t i, at = line - ITEM_COLUMNS;

	if (at < settings->column_count)
		return settings->columns[at];
	at -= settings->column_count;
	for (i = 0; i < column_count; i++)
		if (column_place(settings, &columns[i]) == settings->column_count && !at--)
			return &columns[i];
	return NULL;
}

void settings_line(const struct view *view, size_t line, char *name, char *value, size_t size,
		   const char **help)
{
	const struct settings *settings = &view->settings;
	const struct column *column;

	*help = "";
	if (line < ITEM_COLUMNS) {
		snprintf(name, size, "%s", items[line].label);
		setting_print(settings, (enum item)line, value, size);
		*help = items[line].help;
		return;
	}
	column = line_column(settings, line);
	snprintf(name, size, "Column %s", column ? column->title : "?");
	snprintf(value, size, "%s", line - ITEM_COLUMNS < settings->column_count ? "shown" : "-");
	if (column)
		*help = column->help;
}

static void column_toggle(struct settings *settings, size_t line)
{
	const struct column *column = line_column(settings, line);
	size_t at = line - ITEM_COLUMNS;

	if (!column)
		return;
	if (at < settings->column_count) {
		if (settings->column_count == 1)
			return;
		settings->column_count--;
		memmove(settings->columns + at, settings->columns + at + 1,
			(settings->column_count - at) * sizeof(column));
	} else if (settings->column_count < COLUMNS_MAX) {
		settings->columns[settings->column_count++] = column;
		/* COMMAND takes the rest of the line, so it stays last. */
		at = settings->column_count - 1;
		if (at && !settings->columns[at - 1]->width) {
			settings->columns[at] = settings->columns[at - 1];
			settings->columns[at - 1] = column;
		}
	}
}

static void column_move(struct view *view, int step)
{
	struct settings *settings = &view->settings;
	size_t at = view->menu_row - ITEM_COLUMNS, to = at + (size_t)step;
	const struct column *column;

	if (view->menu_row < ITEM_COLUMNS || at >= settings->column_count ||
	    to >= settings->column_count)
		return;
	column = settings->columns[at];
	settings->columns[at] = settings->columns[to];
	settings->columns[to] = column;
	view->menu_row += (size_t)step;
}

static void item_next(struct view *view, enum item item, int step)
{
	struct settings *settings = &view->settings;
	bool *flag = flag_of(settings, item);
	size_t i;

	if (flag) {
		*flag = !*flag;
		rows_arrange(view);
		return;
	}
	switch (item) {
	case ITEM_THEME:
		i = (size_t)(settings->theme - themes);
		settings->theme = &themes[(i + theme_count + (size_t)step) % theme_count];
		break;
	case ITEM_DELAY:
		settings->delay = step > 0 ? settings->delay * 2 : settings->delay / 2;
		if (settings->delay < NSEC_PER_SEC / 8 || settings->delay > 64 * NSEC_PER_SEC)
			settings->delay = NSEC_PER_SEC;
		view->request = REQUEST_DELAY;
		break;
	case ITEM_PANE:
		settings->pane = (enum pane)((settings->pane + PANE_COUNT + (unsigned int)step) %
					     PANE_COUNT);
		break;
	case ITEM_SITES:
		settings->sites_by = (enum site_grouping)(
			(settings->sites_by + SITE_GROUPING_COUNT + (unsigned int)step) %
			SITE_GROUPING_COUNT);
		break;
	case ITEM_SORT:
		i = (size_t)(settings->sort.keys[0] - columns);
		settings->sort.keys[0] = &columns[(i + column_count + (size_t)step) % column_count];
		settings->sort.count = 1;
		rows_arrange(view);
		break;
	default: break;
	}
}

void settings_key(struct view *view, int32_t key)
{
	if (key == 'W') {
		view->request = REQUEST_SAVE;
		return;
	}
	if (key == '<' || key == '>')
		return column_move(view, key == '<' ? -1 : 1);
	if (key != ' ' && key != K_ENTER && key != K_LEFT && key != K_RIGHT && key != '+' &&
	    key != '-')
		return;
	if (view->menu_row < ITEM_COLUMNS)
		item_next(view, (enum item)view->menu_row, key == K_LEFT || key == '-' ? -1 : 1);
	else
		column_toggle(&view->settings, view->menu_row);
}
