/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of an exposition. Shared by the files openmetrics*.c only. */
#ifndef METRICS_OPENMETRICS_PARTS_H
#define METRICS_OPENMETRICS_PARTS_H

#include "metrics/exposition.h"
#include "metrics/openmetrics_choice.h"

/* Writes the label of a call. @extra: the symbol, if the user named the function; or NULL. */
void sample_label_call(struct exposition *out, unsigned int call, const struct snap_extra *extra);

/* Begins a sample of @process with the labels that all of its series have. */
void process_begin(struct exposition *out, const struct snap_process *process);

/* Writes the metrics of allocators of frameworks. */
void allocators_write(struct exposition *out, const struct choice *choice);

/* Writes the metrics of single processes. Returns 0 or -ENOMEM. */
int processes_write(struct exposition *out, const struct choice *choice);

#endif
