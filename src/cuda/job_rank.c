/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torchrun and most other launchers of PyTorch set RANK; Open MPI, the PMI of MPICH and Intel MPI, and
 * Slurm have names of their own (their manuals, "environment variables"). Where torchrun itself was
 * started by one of them, theirs is the same in all of its workers: so RANK comes first.
 */
#include "cuda/job_rank.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/visible_devices.h"
#include "util/util.h"

static const char *const variables[] = { "RANK=", "OMPI_COMM_WORLD_RANK=", "PMIX_RANK=",
					 "PMI_RANK=", "SLURM_PROCID=" };

bool job_rank_variable(const char *variable)
{
	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		if (!strncmp(variable, variables[i], strlen(variables[i])))
			return true;
	return false;
}

int job_rank(const char *clues, size_t len)
{
	/* A process may set its own after it was started. */
	static const char marks[] = { VISIBLE_NOW, VISIBLE_START };
	const char *value;
	char *end;
	long rank;

	for (size_t i = 0; i < ARRAY_LEN(variables); i++)
		for (size_t j = 0; j < sizeof(marks); j++) {
			value = visible_clue(clues, len, marks[j], variables[i]);
			if (!value || *value < '0' || *value > '9')
				continue;
			rank = strtol(value, &end, 10);
			if (!*end && rank <= RANK_MAX)
				return (int)rank;
		}
	return RANK_UNKNOWN;
}
