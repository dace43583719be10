/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses a list of media ranges. The input is hostile: nothing here writes to it, and invalid parts
 * are skipped.
 */
#include "metrics/serve_accept.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

static const char *blanks_skip(const char *at)
{
	return at + strspn(at, " \t");
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return len == strlen(word) && !ascii_ncasecmp(text, word, len);
}

/* One parameter, `name=value`. */
static void parameter(const char *text, double *weight, bool *known)
{
	const char *value;

	text = blanks_skip(text);
	value = text + strcspn(text, "=;,");
	if (*value != '=')
		return;
	if (is_word(text, (size_t)(value - text), "q")) {
		char *end;

		*weight = strtod(value + 1, &end);
		/* Not a number, or out of range: treat as not wanted. */
		if (end == value + 1 || !(*weight >= 0 && *weight <= 1))
			*weight = 0;
	} else if (is_word(text, (size_t)(value - text), "version")) {
		size_t len;

		value++;
		len = strcspn(value, ";, \t");
		*known = is_word(value, len, "1.0.0") || is_word(value, len, "0.0.1") ||
			 is_word(value, len, "\"1.0.0\"");
	}
}

bool accepts_openmetrics(const char *accept)
{
	double openmetrics = 0, text = 0;

	while (accept && *accept) {
		size_t range = strcspn(accept, ","), type;
		const char *at = blanks_skip(accept), *end = accept + range;
		double weight = 1;
		bool known = true;

		type = strcspn(at, ";, \t");
		for (const char *next = at + strcspn(at, ";,"); next < end && *next == ';';
		     next += strcspn(next, ";,"))
			parameter(++next, &weight, &known);
		if (is_word(at, type, "application/openmetrics-text")) {
			if (known && weight > openmetrics)
				openmetrics = weight;
		} else if (is_word(at, type, "text/plain")) {
			if (weight > text)
				text = weight;
		}
		accept = *end ? end + 1 : end;
	}
	return openmetrics > 0 && openmetrics >= text;
}
