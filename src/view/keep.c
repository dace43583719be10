/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changed settings are kept, whether they were changed in the menu or by a key. An existing settings
 * file is written without a question: when the menu is left, and with the next snapshot after a key
 * (app/screen_settings.c). Without a file the user is asked once, and the answer is kept: "never"
 * creates a file that says so.
 */
#include <stdio.h>

#include "view/view_internal.h"

void view_settings_begin(struct view *view)
{
	view->settings_before = view->settings;
}

size_t view_settings_changed(const struct view *view, char *out, size_t size)
{
	return settings_differ(&view->settings_before, &view->settings, out, size);
}

int view_settings_keep(struct view *view, const char *path, struct reason *why)
{
	int err = settings_keep(&view->settings_before, &view->settings, path, why);

	if (!err)
		view_settings_begin(view);
	return err;
}

static bool has_changed(const struct view *view)
{
	char names[8];

	return view_settings_changed(view, names, sizeof(names)) > 0;
}

static void ask(struct view *view, bool at_end)
{
	view->save_asked = view->asks_to_save = true;
	view->asks_at_end = at_end;
	mode_set(view, INPUT_CONFIRM);
}

void keep_left(struct view *view)
{
	if (!view->host.settings_path || !has_changed(view))
		return;
	if (view->host.settings_kept)
		view->request = REQUEST_KEEP;
	else if (!view->save_asked)
		ask(view, false);
}

void keep_quit(struct view *view)
{
	if (view->host.keeps_changes && !view->host.settings_kept && !view->save_asked &&
	    has_changed(view))
		ask(view, true);
	else
		view->request = REQUEST_QUIT;
}

void keep_answer(struct view *view, int32_t key)
{
	bool at_end = view->asks_at_end, yes = key == 'y' || key == 'Y',
	     never = key == 'n' || key == 'N';

	view->asks_to_save = view->asks_at_end = false;
	if (yes || never)
		view->request = yes ? REQUEST_KEEP : REQUEST_REFUSE;
	if (!at_end)
		return;
	if (yes || never)
		view->request_after = REQUEST_QUIT;
	else if (key == K_ESCAPE)
		view->save_asked = false; /* it goes on, and asks when it ends */
	else if (keys_action(key) == ACT_QUIT)
		view->request = REQUEST_QUIT;
	else
		ask(view, true);
}
