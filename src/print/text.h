/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the text printers share: pieces of the batch view and of the leak report. */
#ifndef PRINT_TEXT_H
#define PRINT_TEXT_H

#include "print/line.h"

#define NUMBER_SIZE 40 /* bytes for any number below, its mark and unit included */

/* The sign before figures that are lower bounds. */
const char *at_least(bool lower_bound);

/* Each writes into @out and returns it; "-" for NAN. */
const char *text_bytes(double bytes, char out[NUMBER_SIZE]);
const char *text_count(double count, char out[NUMBER_SIZE]);
const char *text_seconds(double seconds, char out[NUMBER_SIZE]); /* 5.1µs */

/*
 * How @process ended, and whether it is inexact, or something of it is given up, in brackets after
 * its command: " (exited 0)"; "" if there is nothing to say.
 */
const char *text_remark(const struct snap_process *process, char out[NUMBER_SIZE]);

/* Begins the line above what is said of @process: its pid, its command and that remark. */
void text_head(struct line *line, const struct snap_process *process);

/*
 * Writes a line to @out that says what could not be seen because of @cause, and what helps. Returns
 * false, with an empty line, if nothing is missing because of it.
 */
#define UNSEEN_SIZE 256
bool text_unseen(const struct snapshot *snapshot, enum unseen_cause cause, char out[UNSEEN_SIZE]);

/*
 * What leaked, or may have, in all processes, and what keeps that from being known: for the leak
 * report and for the exit status.
 */
struct leak_total {
	struct snap_gone sum; /* of all processes; suspects and tensors: of ended ones */
	uint64_t suspect, tensors_rising; /* of running ones */
	uint64_t objects_rising;          /* streams, events and the like: their number */
	bool has_tensors, has_blocks;     /* those of PyTorch; of others */
	bool lost;                        /* records, and not of names alone */
	bool any_running;
};

void leak_total_make(const struct snapshot *snapshot, struct leak_total *total);

/*
 * Returns @snapshot's processes in the order of @order, in a list that the caller frees; NULL
 * without memory.
 */
const struct snap_process **sorted_processes(const struct snapshot *snapshot,
					     const struct sort_order *order);

/*
 * Prints kernels, copies and failures of @process, some lines each, and with @lists_map its
 * allocations; only what happened since @since (0: ever).
 */
void text_detail(struct line *line, uint64_t since, bool lists_map, const struct snapshot *snapshot,
		 const struct snap_process *process);

/* Of an ended @process: the sites whose blocks rose until its end. */
void text_blocks_end(struct line *line, const struct snap_process *process);

#endif
