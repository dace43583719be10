/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads names only: nobody has to be asked, and a host without containers has none. */
#include "collect/container.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define ID_LEN 64

/* The last run of exactly 64 hex digits: an inner container's stands behind its pod's and its host's. */
static const char *id_find(const char *text)
{
	const char *found = NULL;
	size_t run = 0;

	for (; *text; text++) {
		bool hex = isdigit((unsigned char)*text) || (*text >= 'a' && *text <= 'f');

		run = hex ? run + 1 : 0;
		if (run == ID_LEN && !isalnum((unsigned char)text[1]))
			found = text + 1 - ID_LEN;
	}
	return found;
}

char *container_of_cgroups(const char *cgroups, char *out, size_t size)
{
	static const char *const marks[] = { "/lxc.payload.", "/machine-" };
	const char *at = id_find(cgroups);
	size_t i, len;

	out[0] = 0;
	if (at) {
		snprintf(out, size, "%.*s", ID_LEN, at);
		return out;
	}
	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		at = strstr(cgroups, marks[i]);
		if (!at)
			continue;
		at += strlen(marks[i]);
		len = strcspn(at, "/\n");
		if (len > 6 && !strncmp(at + len - 6, ".scope", 6))
			len -= 6;
		snprintf(out, size, "%.*s", (int)len, at);
		return out;
	}
	return out;
}
