/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding samples in the text of metrics. */
#ifndef METRICS_TEXT_H
#define METRICS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* True if @line is one of the lines of @text. */
bool metrics_text_has(const char *text, const char *line);
/* The value of the one series of @text that begins with @series; -1 if there is none. */
double metrics_text_value(const char *text, const char *series);
/* How many lines of @text begin with @start. */
size_t metrics_text_lines(const char *text, const char *start);

#endif
