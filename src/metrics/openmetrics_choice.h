/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes and kernels get series of their own, and with which figures. Shared by
 * openmetrics.c and openmetrics_choice.c only.
 */
#ifndef METRICS_OPENMETRICS_CHOICE_H
#define METRICS_OPENMETRICS_CHOICE_H

#include "metrics/exposition.h"

#define RUNNING_MAX 500 /* running processes shown separately: those seen first */
#define EXITED_MAX  100 /* ended processes shown: those that ended last */
/* How long an ended process is shown: five scrapes a minute apart */
#define EXITED_SECONDS 300

/* The figures of all kernels with one name. */
struct named {
	char name[LABEL_SIZE]; /* as the label shows it */
	int device;
	uint64_t values[2];
};

enum { TENSOR_RISING, TENSOR_LIVE }; /* the values of a call site of tensors */

/* A process that is shown. */
struct shown {
	const struct snap_process *process;
	struct named *kernels; /* those launched most: launches by calls, by graphs */
	size_t kernel_count;
	bool has_other;
	uint64_t other[2];   /* the counts of all other kernels */
	struct named *sites; /* of tensors */
	size_t site_count;
};

struct choice {
	struct shown *list; /* ordered by first sight; ended ones last */
	size_t count, omitted;
	unsigned int sites; /* that are shown of each */
};

/*
 * Chooses anew. *@choice is valid until the next call, and while @snapshot exists. Returns 0 or
 * -ENOMEM.
 */
int openmetrics_choose(struct openmetrics *metrics, const struct snapshot *snapshot,
		       struct choice *choice);

/* Sums up entries with the same name and device, in place. Returns how many are left. */
size_t named_merge(struct named *list, size_t count);
void named_set(struct named *named, const char *name, int device, uint64_t first, uint64_t second);

#endif
