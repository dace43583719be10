/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job: processes of one user that run the same command, or the same Python script, in one container or
 * pod, or else were started by one process: the ranks of a training, the workers of a server.
 */
#ifndef MODEL_JOB_H
#define MODEL_JOB_H

#include <stdbool.h>

#include "model/snapshot.h"

/* False for what was started by the system's first process: it has no job by its parent. */
bool job_has(const struct snap_process *process);

/* What all of its job run. Borrowed. */
const char *job_command(const struct snap_process *process);

/* Orders processes that job_has(), as strcmp(); 0: they are of one job. */
int job_order(const struct snap_process *a, const struct snap_process *b);

#endif
