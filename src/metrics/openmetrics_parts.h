/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of an exposition. Shared by openmetrics.c and openmetrics_process.c only. */
#ifndef METRICS_OPENMETRICS_PARTS_H
#define METRICS_OPENMETRICS_PARTS_H

#include "metrics/exposition.h"
#include "metrics/openmetrics_choice.h"

/* Writes the label of a call. @extra: the symbol, if the user named the function; or NULL. */
void sample_label_call(struct exposition *out, unsigned int call, const struct snap_extra *extra);

/* Writes the metrics of single processes. Returns 0 or -ENOMEM. */
int processes_write(struct exposition *out, const struct choice *choice);

#endif
