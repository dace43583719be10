/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is held on each device, by one process and by all of them, updated with each allocation and
 * free; and how large each device is, if a program asked CUDA and the answer was seen.
 */
#ifndef MODEL_DEVICES_H
#define MODEL_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/limits.h"
#include "model/sites.h"
#include "model/stream.h"

/*
 * The devices of one process: how it numbers them, which it has used, and in which primary contexts
 * the runtime works. A process may see only some of the machine's devices, in an order of its own.
 * The books, which are compared between processes, use the machine's numbers; counter rows, and
 * copies, which become rows, keep the process's numbers until they are shown.
 */
struct own_devices {
	/* Maps the process's numbers to the machine's; NULL: they are the same */
	int16_t *visible;
	size_t visible_count;
	uint64_t seen[DEVICES_MAX / 64];    /* bit sets, by the machine's numbers */
	uint64_t runtime[DEVICES_MAX / 64]; /* the runtime works in their primary contexts */
	/* The runtime has launched a kernel: its row tells on which device */
	bool runtime_launched;
	bool is_listed; /* the driver has said where the process works: `seen` has all of that */
	/* The process's number that it has used, and how many it has: 0, 1, or 2 for more */
	int16_t used;
	uint8_t used_count;
};

/*
 * Parses @list, of @len bytes: "2,3" means that the process's device 0 is the machine's 2, and "-1"
 * that it is not known which. Returns 1 if the process's numbers, which until then were taken for
 * the machine's, are known now, 0 if not, or -ENOMEM.
 */
int own_devices_learn(struct own_devices *devices, const char *list, size_t len);
/* It has a list, but not known of which devices: it may be learned anew. */
bool own_devices_are_unknown(const struct own_devices *devices);
/* The process has worked on its @device. */
void own_devices_use(struct own_devices *devices, int device);
/*
 * The process's @device is the machine's @machine: of other numbers nothing is known, if that was not
 * known. Returns 0 or -ENOMEM.
 */
int own_devices_set(struct own_devices *devices, int device, int machine);
/* Corrects the sets below after that; own_devices_machine() tells what a number is now. */
void own_devices_renumber(struct own_devices *devices);
void own_devices_free(struct own_devices *devices);

/*
 * The machine's number of the process's @device. A device that is unknown, or that the process does
 * not see, is the only one that it uses, if the driver has listed the process, and it has not worked with
 * two numbers; else CUTOP_DEVICE_UNKNOWN. A device that the process chose later would be in `seen`.
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

struct own_devices;

/* What is held on one device. */
struct device_use {
	uint64_t live;               /* VRAM bytes */
	uint64_t peak, leaked, held; /* of one process only */
	uint64_t total;              /* the device's size, 0: unknown */
	int device;                  /* the machine's number, or CUTOP_DEVICE_UNKNOWN */
	bool told;                   /* the log has said that it is nearly full */
	/* Different processes mean different devices by this number */
	bool mixed;
};

struct device_list {
	struct device_use *list;
	size_t count;
};

const struct device_use *devices_find(const struct device_list *devices, int device);

/*
 * @bytes more are held on @device, by the process with the list @own; @all is that of all
 * processes. Returns what is held there if the device has become nearly full by that, else NULL.
 */
const struct device_use *devices_add(struct device_list *all, struct device_list *own, int device,
				     uint64_t bytes);
void devices_remove(struct device_list *all, struct device_list *own, int device, uint64_t bytes);
/* The process was told that @device has @total bytes. Returns as devices_add(). */
const struct device_use *devices_size(struct device_list *all, struct device_list *own, int device,
				      uint64_t total);
/*
 * The process numbers its devices as @numbers tells; until now, its numbers were taken for the
 * machine's. What it told of sizes is taken back: devices_sizes() is to be called for the lists of
 * all processes.
 */
void devices_renumber(struct device_list *all, struct device_list *own,
		      const struct own_devices *numbers);
/* The sizes in @own, once more. */
void devices_sizes(struct device_list *all, const struct device_list *own);
/* The process may hold other memory on @device than VRAM. */
void devices_note(struct device_list *own, int device);
/*
 * @bytes on @device have outlived their owner (or, if negative, turn out not to have): leaked, or
 * held.
 */
void devices_ended(struct device_list *own, int device, int64_t bytes, enum verdict verdict);
void devices_free(struct device_list *devices);

/*
 * What the driver says about devices and their parts, and about the memory that processes use on
 * them. Figures hold until it is asked again.
 */
struct readings {
	struct rec_device_reading *devices;
	struct rec_instance_reading *instances;
	struct rec_process_reading *processes;
	size_t device_count, instance_count, process_count;
	bool is_new; /* there are processes that device_numbers_listed() has not seen */
};

/* The driver was asked again: drops its earlier figures. */
void readings_clear(struct readings *readings);
/* Return 0 or -ENOMEM. Readings for which there is no room are left out. */
int readings_device(struct readings *readings, const struct rec_device_reading *reading);
int readings_instance(struct readings *readings, const struct rec_instance_reading *reading);
int readings_process(struct readings *readings, const struct rec_process_reading *reading);
void readings_free(struct readings *readings);

#endif
