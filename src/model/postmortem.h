/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Post-mortems: what is worth keeping of the instant at which an allocation found no memory, or a
 * device came near to having none: which processes held it, and how the failing process's own part
 * of it was broken up. And of the instant at which a kernel was found to have broken down: what had
 * been launched before.
 */
#ifndef MODEL_POSTMORTEM_H
#define MODEL_POSTMORTEM_H

#include <linux/types.h>

#include "cutop_event.h"
#include "model/devices.h"
#include "model/snapshot.h"

struct programs;
struct program;
struct allocator;
struct rec_short;

/* An event to be told. */
struct postmortem {
	struct snap_detail detail;
	char text[1024];
};

/* @hidden: how many such events were not told since the last. */
void postmortem_out_of_memory(const struct programs *programs, struct program *program,
			      const struct rec_alloc *record, unsigned int hidden,
			      struct postmortem *report);
/* The same of a request to a framework's @allocator. */
void postmortem_short(const struct programs *programs, struct program *program,
		      struct allocator *allocator, const struct rec_short *record,
		      unsigned int hidden, struct postmortem *report);
/* @use: what is held on the device. */
void postmortem_nearly_full(const struct programs *programs, const struct device_use *use,
			    struct postmortem *report);
/* A sticky error: the first of a process, or since its device was reset. */
void postmortem_fault(struct program *program, const struct rec_fail_at *record,
		      struct postmortem *report);

#endif
