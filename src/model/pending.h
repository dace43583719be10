/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Asynchronous copies that are not known to be done, by stream. */
#ifndef MODEL_PENDING_H
#define MODEL_PENDING_H

#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/own_devices.h"
#include "model/tree.h"

struct pending_entry;
struct snap_copy;

RB_HEAD(pending_tree, pending_entry);

struct pending {
	struct pending_tree streams;
	size_t stream_count;
	/* The last synchronization of each device */
	struct sync_slot synced[CUTOP_SYNC_SLOTS];
};

/* Takes in the row of one stream. Returns 0, or -ENOMEM without memory or room. */
int pending_row(struct pending *pending, const struct pending_key *key,
		const struct pending_row *row);
/* The devices were synchronized: drops what is known to be done by that. */
void pending_synced(struct pending *pending, const struct sync_slot slots[CUTOP_SYNC_SLOTS]);
/*
 * A copy that came as a record moves @bytes in @direction to @device, the process's number. Returns
 * 0, or -ENOMEM without memory or room.
 */
int pending_copy(struct pending *pending, const struct rec_copy *record, unsigned int direction,
		 int device, uint64_t bytes);
/* Adds pending bytes to the @count @copies, by direction and device; @devices has their numbers. */
void pending_sum(const struct pending *pending, const struct own_devices *devices,
		 struct snap_copy *copies, size_t count);
void pending_free(struct pending *pending);

#endif
