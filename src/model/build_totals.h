/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums over all processes of a snapshot and those that were dropped. */
#ifndef MODEL_BUILD_TOTALS_H
#define MODEL_BUILD_TOTALS_H

#include "model/build.h"

/* Adds up all processes of the snapshot and those that were dropped. Returns 0 or -ENOMEM. */
int build_totals(struct build *build);
/* A snapshot's process of @program was made: counts it under its command. */
void build_totals_note(struct model *model, struct program *program);
/* Keeps the counters of @program, which is about to be dropped. */
void build_totals_retire(struct model *model, struct program *program);

#endif
