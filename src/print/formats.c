/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of formats, by enum format. */
#include "print/print.h"

#define FORMAT_NAME(constant, name) [FORMAT_##constant] = #name,
const char *const format_names[FORMAT_COUNT] = { FORMATS(FORMAT_NAME) };

#define PRINT_FORMAT(constant, name) [FORMAT_##constant] = &print_format_##name,
const struct print_format *const print_formats[FORMAT_COUNT] = { SNAPSHOT_FORMATS(PRINT_FORMAT) };

bool format_is_metrics(enum format format)
{
	return print_formats[format] && print_formats[format]->is_metrics;
}
