/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identifies a program: what /proc says of its process, as a REC_IDENTITY record. */
#ifndef COLLECT_PROCESS_IDENTITY_H
#define COLLECT_PROCESS_IDENTITY_H

#include <linux/types.h>
#include <stdbool.h>

#include "cutop_event.h"
#include "probe/outside.h"

/* What shows which devices a process works on: outside_devices() */
struct device_clues {
	char *text; /* NULL: nothing */
	size_t len;
};

struct visible_gpus;

/*
 * Makes the identity record of @process. If the process is gone, what the record itself says is
 * used. *@error: 0; -EAGAIN and the like if what is in its memory may be had later
 * (probe/outside.h); or -ETIMEDOUT. Returns NULL without memory. The caller frees it, and
 * @clues->text (NULL: not asked for).
 */
struct rec_identity *identity_read(const struct outside *outside, const struct rec_process *process,
				   enum late late, struct device_clues *clues, int *error);

/*
 * Sets the list of devices that it sees, by @clues and the machine's devices @gpus (empty: as the
 * driver's directory tells). Returns true if which ones they are may be known when @gpus is.
 */
bool identity_devices(struct rec_identity *identity, const struct device_clues *clues,
		      const struct visible_gpus *gpus);

struct container;

/*
 * What can be said of a process without looking into it: its comm (CUTOP_COMM_LEN bytes), user and
 * container, all empty if it is gone.
 */
void process_comm(uint32_t pid, char comm[CUTOP_COMM_LEN]);
void process_brief(uint32_t pid, char *comm, char *user, size_t size, struct container *container);

/* Finds the container and pod of a process by the names of its control groups. */

#define CGROUPS_MAX 16384 /* bytes that are read of a cgroup file */

struct container {
	char id[128]; /* empty: none */
	char pod[40]; /* the pod's UID; empty: none */
};

/*
 * Finds a container in @cgroups, the text of /proc/PID/cgroup, either version. The result consists
 * of letters, digits and the like, whatever the text is. Returns false, with both empty, if there
 * is neither a container nor a pod.
 */
bool container_of_cgroups(const char *cgroups, struct container *container);

/* The same for the process @pid; finding nothing is no error. Returns false if it is gone. */
bool container_read(unsigned int pid, struct container *container);

#endif
