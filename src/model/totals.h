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

/* Adds up all processes of the snapshot and those that were dropped. Returns 0 or -ENOMEM. */
int build_totals(struct build *build);
/* A snapshot's process of @program was made: counts it under its command. */
void build_totals_note(struct model *model, struct program *program);
/* Keeps the counters of @program, which is about to be dropped. */
void build_totals_retire(struct model *model, struct program *program);

#endif
