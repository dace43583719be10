/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The menu of users: all, then each that has a process. The names are copied when it opens, so that
 * a line stands for the same user until it closes. The choice is a second filter: it adds to that
 * which is typed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/view_internal.h"

/* A recording may claim any number of them. */
#define USERS_MAX 1000

static int compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void list_fill(struct user_menu *menu, const char **names, size_t count)
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
	struct user_menu *menu = &view->users;
	const struct snapshot *snapshot = view->shown;
	size_t count = snapshot ? snapshot->process_count : 0, i;
	const char **names = calloc(count + 1, sizeof(*names));

	users_close(view);
	menu->lines = calloc(count < USERS_MAX ? count + 1 : USERS_MAX, sizeof(*menu->lines));
	if (names && menu->lines) {
		for (i = 0; i < count; i++)
			names[i] = snapshot->processes[i].user;
		qsort(names, count, sizeof(*names), compare);
		list_fill(menu, names, count);
	}
	free(names);
	mode_set(view, INPUT_USER);
	for (i = 0; i < menu->count; i++)
		if (view->user[0] && !strcmp(menu->lines[i].name, view->user))
			view->menu_row = i + 1;
}

void users_close(struct view *view)
{
	free(view->users.lines);
	view->users = (struct user_menu){ .lines = NULL };
}

size_t users_count(const struct view *view)
{
	return view->users.count + 1;
}

void users_choose(struct view *view)
{
	size_t row = view->menu_row;

	if (row <= view->users.count)
		snprintf(view->user, sizeof(view->user), "%s",
			 row ? view->users.lines[row - 1].name : "");
	users_close(view);
	rows_arrange(view);
	view->scroll_to_selected = true;
}

bool user_match(const struct view *view, const struct snap_process *process)
{
	return !view->user[0] ||
	       !strncmp(view->user, process->user ? process->user : "", sizeof(view->user) - 1);
}
