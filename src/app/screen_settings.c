/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/screen_settings.h"

#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "view/settings.h"
#include "view/theme.h"

static void path_choose(struct screen_settings *store, const struct options *options)
{
	if (options->config)
		snprintf(store->path, sizeof(store->path), "%s", options->config);
	else if (options->no_config || settings_path(store->path, sizeof(store->path)))
		store->path[0] = 0;
}

static void options_take(struct settings *settings, const struct options *options)
{
	if (options->theme)
		settings->theme = theme_find(options->theme);
	if (options->no_mouse)
		settings->mouse = false;
	if (options->delay_given)
		settings->delay = options->delay;
	if (options->sort_given)
		settings->sort = options->sort;
	else if (options->sort.reverse)
		settings->sort.reverse = true;
}

int screen_settings_open(struct screen_settings *store, struct view *view,
			 const struct options *options, struct reason *why)
{
	struct settings *settings = view_settings(view);
	struct host *host = view_host(view);
	int err = 0;

	store->view = view;
	path_choose(store, options);
	if (store->path[0]) {
		host->settings_path = store->path;
		host->settings_kept = !access(store->path, F_OK);
		/* Keys pressed to try out the demonstration are not meant as settings. */
		host->keeps_changes = options->mode != MODE_DEMO;
		err = settings_read(settings, store->path, why);
	}
	options_take(settings, options);
	host->ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	view_settings_begin(view);
	return err;
}

void screen_settings_save(struct screen_settings *store, enum request request)
{
	struct settings *settings = view_settings(store->view);
	struct host *host = view_host(store->view);
	struct reason why = { "" };
	int err;

	if (!store->path[0]) {
		view_message(store->view, "nothing is saved with --no-config");
		return;
	}
	if (request == REQUEST_KEEP)
		err = view_settings_keep(store->view, store->path, &why);
	else if (request == REQUEST_REFUSE)
		err = settings_refuse(store->path, &why);
	else
		err = settings_write(settings, store->path, &why);
	if (err) {
		view_message(store->view, "%s", why.text);
		store->unkept = why;
		return;
	}
	host->settings_kept = true;
	store->unkept.text[0] = 0;
	if (request == REQUEST_REFUSE)
		settings->keep_changes = false;
	view_settings_begin(store->view);
	view_message(store->view, "saved %s", store->path);
}

void screen_settings_follow(struct screen_settings *store)
{
	struct host *host = view_host(store->view);
	char names[8];

	if (!host->keeps_changes || !host->settings_kept ||
	    !view_settings(store->view)->keep_changes || store->unkept.text[0] ||
	    !view_settings_changed(store->view, names, sizeof(names)))
		return;
	/* It is not tried at each snapshot where it cannot be done. */
	if (view_settings_keep(store->view, store->path, &store->unkept))
		view_message(store->view, "%s", store->unkept.text);
}

void screen_settings_end(struct screen_settings *store)
{
	/*
	 * Try again: the disk may have room by now. Without a file only the user's answer was to be
	 * written, and the reason why it was not is still to be told.
	 */
	if (view_host(store->view)->settings_kept)
		store->unkept.text[0] = 0;
	screen_settings_follow(store);
}
