/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a user may have meant by a word that does not exist. */
#ifndef CLI_OPTION_HINTS_H
#define CLI_OPTION_HINTS_H

#include <stddef.h>

struct hint {
	const char *word;   /* the user's word */
	const char *prefix; /* put before the proposal: "--" for options, "" unless set */
	const char *best;   /* the most similar so far, or NULL */
	size_t distance;    /* its distance: letters changed, dropped, added or swapped */
	char text[96];      /* for hint_say() */
};

void hint_begin(struct hint *hint, const char *word);

/*
 * Compares @name, ignoring case; @meant is what to propose for it. Both have to live as long as
 * @hint.
 */
void hint_try(struct hint *hint, const char *name, const char *meant);

/* " (did you mean 'live'?)", or "" if nothing is similar. Lives as long as @hint. */
const char *hint_say(struct hint *hint);

#endif
