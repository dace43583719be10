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

#include "model/caches.h"

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

#endif
