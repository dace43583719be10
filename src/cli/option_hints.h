/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user may have meant by a word that does not exist. */
#ifndef CLI_OPTION_HINTS_H
#define CLI_OPTION_HINTS_H

#include <stddef.h>

struct hint {
	const char *word;	/* what was written */
	const char *prefix;	/* written before what is proposed: "--" of options, "" unless set */
	const char *best;	/* the likeliest so far, or NULL */
	size_t distance;	/* of that: letters changed, left out, added or swapped */
	char text[96];		/* hint_say() */
};

void hint_begin(struct hint *hint, const char *word);

/* Looks at @name; @meant is what to propose for it. Both have to live as long as @hint. Upper and lower case are the same. */
void hint_try(struct hint *hint, const char *name, const char *meant);

/* " (did you mean 'live'?)", or "" if nothing is near. Lives as long as @hint. */
const char *hint_say(struct hint *hint);

#endif
