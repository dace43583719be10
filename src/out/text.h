/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the text printers share: pieces of the batch view and of the leak report. */
#ifndef OUT_TEXT_H
#define OUT_TEXT_H

#include "out/line.h"

#define NUMBER_SIZE 40		/* bytes for any number below, its mark and unit included */

/* The mark of figures that are lower bounds. */
const char *at_least(bool lower_bound);

/* Each writes into @out and returns it; "-" for NAN. */
const char *text_bytes(double bytes, char out[NUMBER_SIZE]);
const char *text_count(double count, char out[NUMBER_SIZE]);
const char *text_seconds(double seconds, char out[NUMBER_SIZE]);	/* 5.1µs */

/* How @process ended, and that it is inexact, as a bracket after its command: " (exited 0)"; "" where there is nothing to say. */
const char *text_remark(const struct snap_process *process, char out[NUMBER_SIZE]);

/* Returns @snapshot's processes in the order of @order, to be freed; NULL without memory. */
const struct snap_process **sorted_processes(const struct snapshot *snapshot, const struct sort_order *order);

/* Kernels, copies and failures of @process, some lines each. Of what happened before @since (0: ever) nothing. */
void text_detail(struct line *line, uint64_t since, const struct snapshot *snapshot, const struct snap_process *process);

#endif
