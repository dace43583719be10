/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "metrics_text.h"

#include <stdlib.h>
#include <string.h>

bool metrics_text_has(const char *text, const char *line)
{
	size_t len = strlen(line);
	const char *at = text;

	for (; (at = strstr(at, line)) != NULL; at++)
		if ((at == text || at[-1] == '\n') && at[len] == '\n')
			return true;
	return false;
}

double metrics_text_value(const char *text, const char *series)
{
	size_t len = strlen(series);
	const char *at = text;

	for (; (at = strstr(at, series)) != NULL; at++)
		if ((at == text || at[-1] == '\n') && at[len] == ' ')
			return strtod(at + len, NULL);
	return -1;
}

size_t metrics_text_lines(const char *text, const char *start)
{
	size_t count = 0;

	for (const char *at = strstr(text, start); at; at = strstr(at + 1, start))
		count += at == text || at[-1] == '\n';
	return count;
}
