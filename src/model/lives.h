/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How programs begin and end, and which are dropped when too many have ended. */
#ifndef MODEL_LIVES_H
#define MODEL_LIVES_H

#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"

struct model;
struct program;

struct rec_end;

/* The first hooked call of @program, according to its record. */
void lives_begin(struct model *model, struct program *program, const struct rec_process *record);
void lives_end(struct model *model, struct program *program, const struct rec_end *record);
/* At @now, missing frees should have been seen: those that were not are lost. */
void lives_expire(struct model *model, struct program *program, uint64_t now);
/*
 * Before a snapshot: drops what the user cleared, and the oldest exited processes if too much is
 * kept of all of them.
 */
void lives_trim(struct model *model);

#endif
