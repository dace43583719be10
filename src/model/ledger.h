/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger of one process: how allocations, frees, resets and ends change its figures, and those
 * of its call sites and devices.
 */
#ifndef MODEL_LEDGER_H
#define MODEL_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/allocations.h"
#include "model/devices.h"
#include "model/name_store.h"
#include "model/sites.h"

/*
 * The contexts of one process that own memory. They are numbered, so that an allocation can refer
 * to its context in two bytes.
 */
struct contexts {
	uint64_t *handles; /* 0: destroyed. The first has number 1 */
	size_t count;
};

struct ledger {
	/* Borrowed: the process's own, and shared ones. */
	struct own_devices *devices;
	struct name_store *names;
	struct device_list *machine; /* what all processes hold on each device */
	/* Ns: first window of the rising-floor test; 0: there is none */
	uint64_t leak_age;

	struct book book;
	struct site_table sites;
	struct contexts contexts;
	struct device_list held_on;
	/* For each way of ending allocations, the last call that did so */
	uint16_t end_calls[NODE_END_COUNT];
	bool inexact; /* something was lost, or could not be told apart */
	uint64_t live, peak, leaked, held, allocated; /* bytes */
	uint64_t live_allocations, allocations, frees;
	uint64_t failed_allocations, failed_frees, double_frees, unknown_frees;
	uint64_t recovered_allocations; /* of the failed ones */
	uint64_t kinds[KIND_COUNT];     /* live bytes */
	/* Time of the last lost record of the process; 0: none was lost */
	uint64_t lost_time;
};

/* The effects of an allocation besides its figures. */
struct ledger_news {
	size_t lost_frees;             /* frees that were missed */
	const struct device_use *full; /* a device that has come near its size; or NULL */
};

void ledger_init(struct ledger *ledger, struct own_devices *devices, struct name_store *names,
		 struct device_list *machine, size_t *nodes, uint64_t leak_age);
void ledger_clear(struct ledger *ledger);

/* An allocating call has returned. Returns 0 or -ENOMEM, always with *@news filled. */
int ledger_alloc(struct ledger *ledger, const struct rec_alloc *record, struct ledger_news *news);
/* What a call that failed to free was given. */
enum free_news {
	/* Nothing is to be said: memory that is live, or no call that failed */
	FREE_PLAIN,
	FREE_DOUBLE,  /* what was freed before */
	FREE_UNKNOWN, /* an address where no allocation that is known begins */
};

/*
 * A freeing call returned. @stack: if it failed, that of the call, if that is known; @inherited: the
 * address is of memory that the program was forked with.
 */
enum free_news ledger_free(struct ledger *ledger, const struct rec_free *record, uint64_t stack,
			   bool inherited);
/*
 * Gives up allocations that waited too long for their free (ledger.c). Returns how many frees were
 * missed.
 */
size_t ledger_expire(struct ledger *ledger, uint64_t now);
/* The process's numbers of devices, until now taken for the machine's, are known. */
void ledger_renumber(struct ledger *ledger, const struct own_devices *numbers);
/* The machine's number of the device of an allocation of @kind. */
int ledger_device(const struct own_devices *numbers, unsigned int kind, int device);
/*
 * What the place at @address is was reported after allocations referred to it, perhaps after the
 * process has ended: the verdict on these may be another one now.
 */
void ledger_judge(struct ledger *ledger, uint64_t address);

/* A framework's allocator has told of a block at @address: it caches, and the memory there is its. */
void ledger_cache_told(struct ledger *ledger, uint64_t address);
/* A block of another pool lies in the memory of @node: that is the pool's to keep. */
void ledger_pool_told(struct ledger *ledger, const struct alloc_node *node, uint8_t pool);
/*
 * A block on @device lies at @address: if the device of the memory there was not known, it is that.
 * Returns the device if it came near its size by that, else NULL.
 */
const struct device_use *ledger_place(struct ledger *ledger, uint64_t address, int device);

/*
 * A handle or a mapping holds the memory that @handle named when it was @born, in addition
 * to the allocation itself; or releases it: the last one to do so frees it.
 */
void ledger_hold(struct ledger *ledger, uint64_t handle, uint64_t born);
void ledger_let_go(struct ledger *ledger, uint64_t handle, uint64_t born, uint64_t time);

/* How resets, destroyed contexts and the end of a process change its ledger. */
/* The effects of a reset. */
struct reset_news {
	bool is_told;    /* what it ended is worth reporting: */
	uint64_t count;  /* allocations that it ended */
	uint64_t leaked; /* bytes of them that leaked, */
	bool is_held;    /* and whether caches held some of them */
};

void ledger_reset(struct ledger *ledger, const struct rec_reset *record, struct reset_news *news);

/* The effects of a process's end. */
struct end_news {
	size_t lost_frees;       /* frees that were missed */
	uint64_t leaked, count;  /* bytes and allocations that leaked, */
	const struct site *most; /* and the site with most of them; NULL: nothing leaked */
	uint64_t unsure;         /* bytes that leaked, unless their frees are among lost records, */
	uint64_t unknown;        /* or of which it is not known who asked for them */
};

void ledger_end(struct ledger *ledger, uint64_t time, struct end_news *news);

#endif
