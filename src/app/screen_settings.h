/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of the screen: from where they come, and when they are written. */
#ifndef APP_SCREEN_SETTINGS_H
#define APP_SCREEN_SETTINGS_H

#include <limits.h>

#include "util/util.h"
#include "view/view.h"

struct options;

struct screen_settings {
	struct view *view;    /* borrowed */
	char path[PATH_MAX];  /* empty: no settings file is read or written */
	struct reason unkept; /* why what keys have changed could not be written there; or empty */
};

/*
 * Gives @view the settings of the file, then those of @options. Returns 0, or a negative errno with
 * @why if the file, or a part of it, could not be read; what could be read applies. @view must live
 * as long as @store.
 */
int screen_settings_open(struct screen_settings *store, struct view *view,
			 const struct options *options, struct reason *why);

/* Does REQUEST_SAVE, REQUEST_KEEP or REQUEST_REFUSE, and shows a message. */
void screen_settings_save(struct screen_settings *store, enum request request);

/* Writes what keys have changed, where the user has a file; called from time to time. */
void screen_settings_follow(struct screen_settings *store);
/* The same for the last time; @store->unkept says why it could not be done. */
void screen_settings_end(struct screen_settings *store);

#endif
