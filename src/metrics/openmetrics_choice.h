/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes and kernels are shown as series of their own, and under which
 * figures. Shared by openmetrics.c and openmetrics_choice.c only.
 */
#ifndef METRICS_OPENMETRICS_CHOICE_H
#define METRICS_OPENMETRICS_CHOICE_H

#include "metrics/exposition.h"

#define RUNNING_MAX	500	/* processes shown one by one, the first seen */
#define EXITED_MAX	100	/* and of those that ended, the latest */
#define EXITED_SECONDS	300	/* for so long after their end: five scrapes a minute apart */

/* Figures under one name. */
struct named {
	char name[LABEL_SIZE];	/* as a label shows it */
	int device;
	uint64_t values[2];
};

/* A kernel that is shown by name. */
struct slot {
	struct named kernel;	/* what was counted of it in all */
	uint64_t base[2];	/* and before it was shown, which stays among the others */
};

/* A process that is shown. */
struct shown {
	const struct snap_process *process;
	struct slot *slots;	/* kernels: launches by calls, by graphs */
	size_t slot_count;
	bool has_other;
	uint64_t other[2];	/* of all other kernels */
};

struct choice {
	struct shown *list;	/* by first sight, those that ended last */
	size_t count, omitted;
	unsigned int sites;	/* that are shown of each */
};

/* Chooses anew. *@choice is valid until the next call, and as long as @snapshot. Returns 0 or -ENOMEM. */
int openmetrics_choose(struct openmetrics *metrics, const struct snapshot *snapshot, struct choice *choice);

/* Sums up what goes by the same name on the same device, in place. Returns how many are left. */
size_t named_merge(struct named *list, size_t count);
void named_set(struct named *named, const char *name, int device, uint64_t first, uint64_t second);

#endif
