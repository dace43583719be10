/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of one process: how it numbers them, which it has used, and in which primary contexts the runtime works.
 *
 * A process may see some of the machine's devices only, in an order of its own. The books, which are compared over
 * processes, go by the machine's numbers; rows of counters, and copies, which become rows, keep the process's until
 * they are shown.
 */
#ifndef MODEL_OWN_DEVICES_H
#define MODEL_OWN_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/limits.h"

struct own_devices {
	int16_t *visible;		/* the machine's numbers, by the process's; NULL: they are the same */
	size_t visible_count;
	uint64_t seen[DEVICES_MAX / 64];	/* bit sets, by the machine's numbers */
	uint64_t runtime[DEVICES_MAX / 64];	/* those whose primary contexts the runtime works in */
	bool runtime_launched;		/* the runtime launched a kernel: on which device, its row says */
};

/* Takes @list, of @len bytes: "2,3" says that the process's device 0 is the machine's 2. Returns 0 or -ENOMEM. */
int own_devices_learn(struct own_devices *devices, const char *list, size_t len);
void own_devices_free(struct own_devices *devices);

/* The machine's number of the process's @device: CUTOP_DEVICE_UNKNOWN if it is none of those it sees. */
int own_devices_machine(const struct own_devices *devices, int device);
/* The process's number of the machine's @device, or CUTOP_DEVICE_UNKNOWN. */
int own_devices_number(const struct own_devices *devices, int device);

/* All below by the machine's number. */
void own_devices_note(struct own_devices *devices, int device);
/* The first used one from @device on, or -1. */
int own_devices_next(const struct own_devices *devices, int device);
unsigned int own_devices_count(const struct own_devices *devices);

/* The runtime works in the primary context of @device. */
void own_devices_note_runtime(struct own_devices *devices, int device);
/* It does no more, as @device was reset. */
void own_devices_forget_runtime(struct own_devices *devices, int device);
/* Whether it does, as far as is known yet. */
bool own_devices_runtime_uses(const struct own_devices *devices, int device);

#endif
