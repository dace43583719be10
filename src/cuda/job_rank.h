/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rank a process is of a job of several, by the variables that launchers set. */
#ifndef CUDA_JOB_RANK_H
#define CUDA_JOB_RANK_H

#include <stdbool.h>
#include <stddef.h>

#define RANK_UNKNOWN (-1)
#define RANK_MAX     65534

/* True if @variable ("NAME=VALUE") is one of these. */
bool job_rank_variable(const char *variable);

/* The rank by the @len bytes of @clues (cuda/visible_devices.h), or RANK_UNKNOWN. */
int job_rank(const char *clues, size_t len);

#endif
