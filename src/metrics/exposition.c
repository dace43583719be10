/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the lines of an exposition. OpenMetrics writes a family's name without its suffix in HELP
 * and TYPE, the older format with it.
 */
#include "metrics/exposition.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/utf8.h"

static const char *const type_names[] = {
	[FAMILY_GAUGE] = "gauge",
	[FAMILY_COUNTER] = "counter",
	[FAMILY_HISTOGRAM] = "histogram",
	[FAMILY_INFO] = "info",
};

static const char *const type_suffixes[] = {
	[FAMILY_GAUGE] = "",
	[FAMILY_COUNTER] = "_total",
	[FAMILY_HISTOGRAM] = "",
	[FAMILY_INFO] = "_info",
};

void exposition_family(struct exposition *out, const struct family *family)
{
	out->family = family;
	out->told = false;
}

static void tell(struct exposition *out, const char *what, const char *text)
{
	bool suffixed = out->form == EXPOSITION_PROMETHEUS;

	sink_puts(out->sink, "# ");
	sink_puts(out->sink, what);
	sink_puts(out->sink, " ");
	sink_puts(out->sink, out->family->name);
	if (suffixed)
		sink_puts(out->sink, type_suffixes[out->family->type]);
	sink_puts(out->sink, " ");
	sink_puts(out->sink, text);
	sink_puts(out->sink, "\n");
}

static void tell_family(struct exposition *out)
{
	const struct family *family = out->family;

	if (out->told)
		return;
	out->told = true;
	tell(out, "HELP", family->help);
	/* The older format has no info type. */
	if (out->form == EXPOSITION_PROMETHEUS && family->type == FAMILY_INFO)
		tell(out, "TYPE", "gauge");
	else
		tell(out, "TYPE", type_names[family->type]);
	if (out->form == EXPOSITION_OPENMETRICS && family->unit)
		tell(out, "UNIT", family->unit);
}

void sample_begin(struct exposition *out, const char *suffix)
{
	tell_family(out);
	sink_puts(out->sink, out->family->name);
	sink_puts(out->sink, suffix ? suffix : type_suffixes[out->family->type]);
	out->labelled = false;
}

static void label_open(struct exposition *out, const char *name)
{
	sink_puts(out->sink, out->labelled ? "," : "{");
	out->labelled = true;
	sink_puts(out->sink, name);
	sink_puts(out->sink, "=\"");
}

void sample_label(struct exposition *out, const char *name, const char *text)
{
	char clean[LABEL_SIZE];
	const char *c, *special;

	if (!text)
		return;
	label_open(out, name);
	utf8_clean(text, clean, sizeof(clean));
	/* Newlines would have to be escaped as well, but cleaning has removed them. */
	for (c = clean; (special = strpbrk(c, "\"\\")) != NULL; c = special + 1) {
		sink_write(out->sink, c, (size_t)(special - c));
		sink_puts(out->sink, *special == '"' ? "\\\"" : "\\\\");
	}
	sink_puts(out->sink, c);
	sink_puts(out->sink, "\"");
}

void sample_label_count(struct exposition *out, const char *name, uint64_t count)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, count);
	sample_label(out, name, text);
}

void sample_label_device(struct exposition *out, const char *name, int device)
{
	if (device < 0)
		sample_label(out, name, "unknown");
	else
		sample_label_count(out, name, (uint64_t)device);
}

static void value(struct exposition *out, const char *text)
{
	sink_puts(out->sink, out->labelled ? "} " : " ");
	sink_puts(out->sink, text);
	sink_puts(out->sink, "\n");
}

void sample_count(struct exposition *out, uint64_t count)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, count);
	value(out, text);
}

void sample_number(struct exposition *out, double number)
{
	char text[32];

	if (isnan(number))
		snprintf(text, sizeof(text), "NaN");
	else if (isinf(number))
		snprintf(text, sizeof(text), number < 0 ? "-Inf" : "+Inf");
	else
		snprintf(text, sizeof(text), "%.15g", number);
	value(out, text);
}

void exposition_end(struct exposition *out)
{
	if (out->form == EXPOSITION_OPENMETRICS)
		sink_puts(out->sink, "# EOF\n");
}
