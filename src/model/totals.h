/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums that never go down: what all processes of a command have done, and all calls of a function.
 * A process is dropped some time after its end. Its counters are then added to those of the
 * processes dropped before; a snapshot adds the processes that still exist. A process belongs to
 * the command it was first shown under, even if it turns out to have another name; commands beyond
 * COMMANDS_MAX share one entry.
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

/*
 * A process of @command was seen: returns the index of the command's entry, from 1; 0 without
 * memory.
 */
uint16_t totals_note(struct totals *totals, const char *command);
/* Adds the counters of a process with entry @number, which is about to be dropped. */
void totals_retire(struct totals *totals, uint16_t number, const struct snap_process *process);

/* The sums of one snapshot. */
struct total_sums {
	struct snap_command *commands;
	size_t command_count;
	struct snap_call calls[CALL_SUMS]; /* by call_index(); without their seconds */
	uint64_t ns[CALL_SUMS];
};

/* New sums in @arena, starting with those of dropped processes. NULL without memory. */
struct total_sums *totals_begin(const struct totals *totals, struct arena *arena);
/* Adds a process with entry @number. */
void totals_add(struct total_sums *sums, uint16_t number, const struct snap_process *process);
/*
 * To be called when all processes were added: no sum may be lower than in an earlier snapshot.
 * Returns 0 or -ENOMEM.
 */
int totals_end(struct totals *totals, struct total_sums *sums, struct arena *arena);

#endif
