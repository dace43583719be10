/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of one process: how it numbers them, which it has used, and in which primary contexts
 * the runtime works. A process may see only some of the machine's devices, in an order of its own.
 * The books, which are compared between processes, use the machine's numbers; counter rows, and
 * copies, which become rows, keep the process's numbers until they are shown.
 */
#ifndef MODEL_OWN_DEVICES_H
#define MODEL_OWN_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/limits.h"

struct own_devices {
	/* Maps the process's numbers to the machine's; NULL: they are the same */
	int16_t *visible;
	size_t visible_count;
	uint64_t seen[DEVICES_MAX / 64];    /* bit sets, by the machine's numbers */
	uint64_t runtime[DEVICES_MAX / 64]; /* the runtime works in their primary contexts */
	/* The runtime has launched a kernel: its row tells on which device */
	bool runtime_launched;
	bool is_listed; /* the driver has said where the process works: `seen` has all of that */
};

/*
 * Parses @list, of @len bytes: "2,3" means that the process's device 0 is the machine's 2, and "-1"
 * that it is not known which. Returns 1 if the process's numbers, which until then were taken for
 * the machine's, are known now, 0 if not, or -ENOMEM.
 */
int own_devices_learn(struct own_devices *devices, const char *list, size_t len);
/* Corrects the sets below after that; own_devices_machine() tells what a number is now. */
void own_devices_renumber(struct own_devices *devices);
void own_devices_free(struct own_devices *devices);

/*
 * The machine's number of the process's @device. A device that is unknown, or that the process does
 * not see, is the only one that it uses, if the driver has listed the process; else
 * CUTOP_DEVICE_UNKNOWN. A device that the process chose later would be in `seen`.
 */
int own_devices_machine(const struct own_devices *devices, int device);
/* The process's number of the machine's @device, or CUTOP_DEVICE_UNKNOWN. */
int own_devices_number(const struct own_devices *devices, int device);

/* All functions below use the machine's numbers. */
void own_devices_note(struct own_devices *devices, int device);
/* The first used device from @device on, or -1. */
int own_devices_next(const struct own_devices *devices, int device);
unsigned int own_devices_count(const struct own_devices *devices);

/* The runtime works in the primary context of @device. */
void own_devices_note_runtime(struct own_devices *devices, int device);
/* It no longer does, since @device was reset. */
void own_devices_forget_runtime(struct own_devices *devices, int device);
/* True if it does, as far as is known. */
bool own_devices_runtime_uses(const struct own_devices *devices, int device);

#endif
