/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The books of frameworks' allocators in one process: which blocks they have handed out of the
 * device memory that they took, on each device.
 */
#ifndef MODEL_BLOCKS_H
#define MODEL_BLOCKS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cutop_allocator.h"
#include "model/allocations.h"
#include "model/name_store.h"
#include "model/devices.h"
#include "model/sites.h"

#define ALLOCATORS_MAX 64 /* of one process: a kind on a device */

/* One allocator on one device. */
struct allocator {
	enum allocator_kind kind;
	int device;       /* the machine's number */
	bool from_attach; /* it had handed out memory before its first report */
	bool has_totals;  /* it says how much it has: else `allocated` is what was seen */
	uint64_t pool;    /* the object that last handed out a block; 0: not known */
	bool paused;      /* its reports were given up since the last */
	bool inexact;     /* reports of it were lost */
	bool sampled;     /* not all of its blocks have their site */
	/* Bytes: as it last said, and at most */
	uint64_t allocated, reserved, peak_allocated, peak_reserved;
	uint64_t booked; /* bytes of the blocks in its book */
	uint64_t handed_out, taken_back, shortages;
	/* The largest request since then, and in the time before: blocks_request() */
	uint64_t request_since, requests[2];
	/* At the end of its process: bytes that were live, and of these those that rose */
	uint64_t ended, rising;
	bool is_judged;          /* its process ran long enough to tell what rises */
	struct book book;        /* its nodes have neither calls nor contexts */
	struct site_table sites; /* live, allocations, allocated, suspect, ended, unsure: rising */
};

struct blocks {
	struct allocator **list; /* by kind and device */
	size_t count;
	uint64_t first; /* time of the first report; 0: none */
	size_t *nodes;  /* in all books of all processes */
};

/*
 * Takes in a report. @names: the process's; @leak_age as for suspect_change(). Returns 0, or -ENOMEM
 * if the block found no room.
 */
int blocks_record(struct blocks *blocks, struct name_store *names, const struct rec_block *record,
		  uint64_t leak_age);

/*
 * A block is taken back of which only the address is told. One that is not known was no device
 * memory: returns false.
 */
bool blocks_return(struct blocks *blocks, const struct rec_block *record, uint64_t leak_age);

/* What the allocators do is not told from here on, or was not until now: blocks are unknown. */
void blocks_pause(struct blocks *blocks);

/*
 * A request found no memory. Returns its allocator; NULL without memory, or if a pool that tells
 * nothing has handed out no block of device memory yet.
 */
struct allocator *blocks_short(struct blocks *blocks, const struct rec_short *record);

/* The process has ended at @time: what is live then is noted by site, and the books are closed. */
void blocks_end(struct blocks *blocks, uint64_t time, uint64_t leak_age);

/* The process's numbers of devices, until now taken for the machine's, are known: @numbers. */
void blocks_renumber(struct blocks *blocks, const struct own_devices *numbers);

/* Blocks in all books. */
size_t blocks_count(const struct blocks *blocks);

/* The largest request of the last minute in which there was any, bytes. */
uint64_t blocks_request(const struct allocator *allocator);

/* True if reports were lost. */
bool blocks_inexact(const struct blocks *blocks);
/* About how many bytes are kept, without the blocks. */
size_t blocks_weight(const struct blocks *blocks);
void blocks_free(struct blocks *blocks);

#endif
