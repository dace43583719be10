/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/chosen.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

bool identity_matches(const char *strings, size_t len, const char *comm, const char *glob)
{
	/* Two NULs at the end: an empty string follows the last one. */
	char *copy = calloc(1, len + 3), *command, *arguments, *slash, *whole;
	bool matches;

	if (!copy)
		return false;
	memcpy(copy, strings, len);
	command = copy + strlen(copy) + 1; /* the command follows the user */
	arguments = command + strlen(command) + 1;
	slash = strrchr(command, '/');
	matches = !fnmatch(glob, comm, 0) || !fnmatch(glob, command, 0) ||
		  (slash && !fnmatch(glob, slash + 1, 0));
	if (!matches) {
		whole = format_new("%s %s", command, arguments);
		matches = whole && !fnmatch(glob, whole, 0);
		free(whole);
	}
	free(copy);
	return matches;
}
