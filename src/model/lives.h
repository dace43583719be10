/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How programs begin, end, and are forgotten when there are too many that ended. */
#ifndef MODEL_LIVES_H
#define MODEL_LIVES_H

#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"

struct model;
struct program;

/* The first hooked call of @program, as its record says. */
void lives_begin(struct model *model, struct program *program, const struct rec_process *record);
void lives_end(struct model *model, struct program *program, uint64_t time, enum end_reason reason, int code);
/* By @now frees should have been seen: those that were not are lost. */
void lives_expire(struct model *model, struct program *program, uint64_t now);
/* Before a snapshot: forgets what was cleared, and the oldest exited processes, if what is kept of all of them is too much. */
void lives_trim(struct model *model);

#endif
