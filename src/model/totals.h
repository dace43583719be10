/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums that never go down: what all processes of a command have done, and all
 * calls of a function.
 *
 * A process leaves the books some time after its end. Its counters are then
 * added to those of the ones gone before it; a snapshot adds the processes that
 * are still there. A process belongs to the command it was first shown under,
 * whatever is learned of it later, and commands past COMMANDS_MAX share an
 * entry of their own.
 */
#ifndef MODEL_TOTALS_H
#define MODEL_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "model/build.h"
#include "model/snapshot.h"

struct totals;

struct totals *totals_new(void);
void totals_free(struct totals *totals);

/* A process of @command was seen: returns the number of that command's entry, from 1; 0 without memory. */
uint16_t totals_note(struct totals *totals, const char *command);
/* Adds what a process of entry @number counted, which is about to be forgotten. */
void totals_retire(struct totals *totals, uint16_t number, const struct snap_process *process);

/* The sums of one snapshot. */
struct total_sums {
	struct snap_command *commands;
	size_t command_count;
	struct snap_call calls[CALL_SUMS];	/* by call_index(); without their seconds */
	uint64_t ns[CALL_SUMS];
};

/* New sums in @arena, of the gone processes. NULL without memory. */
struct total_sums *totals_begin(const struct totals *totals, struct arena *arena);
/* Adds a process of entry @number. */
void totals_add(struct total_sums *sums, uint16_t number, const struct snap_process *process);
/* All processes are added: @sums may say no less than an earlier snapshot's did. Returns 0 or -ENOMEM. */
int totals_end(struct totals *totals, struct total_sums *sums, struct arena *arena);

#endif
