/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger of one process: what allocations, frees, resets and ends do to its figures, and to those of its call sites and
 * devices.
 */
#ifndef MODEL_LEDGER_H
#define MODEL_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/allocations.h"
#include "model/contexts.h"
#include "model/devices.h"
#include "model/name_store.h"
#include "model/own_devices.h"
#include "model/sites.h"
#include "model/tiles.h"

struct ledger {
	/* Borrowed, of the process and of all: */
	struct own_devices *devices;
	struct name_store *names;
	struct device_list *machine;	/* what all processes hold on each device */
	uint64_t leak_age;		/* ns: first window of the rising-floor test; 0: there is none */

	struct book book;
	struct site_table sites;
	struct contexts contexts;
	struct tiles tiles;		/* parts of sparse arrays, and the physical memory there */
	struct device_list held_on;
	uint16_t end_calls[NODE_END_COUNT];	/* the last call that ended allocations in this way */
	unsigned int nodes_asked;	/* how often there was a look whether there is room for more, */
	bool nodes_full;		/* and the last answer */
	bool checkpointed;		/* its memory is on no device */
	bool inexact;			/* something was lost, or could not be told apart */
	uint64_t live, peak, leaked, held, allocated;	/* bytes */
	uint64_t live_allocations, allocations, frees;
	uint64_t failed_allocations, failed_frees, double_frees, unknown_frees;
	uint64_t kinds[KIND_COUNT];	/* live bytes */
	uint64_t lost_time;		/* of the last record of the process that was lost; 0: none was */
	uint64_t map_dropped;		/* ended allocations that were forgotten, for memory's sake */
};

/* What came of an allocation, beside the figures. */
struct ledger_news {
	size_t lost_frees;		/* they were not seen */
	const struct device_use *full;	/* a device that came near its size; or NULL */
};

void ledger_init(struct ledger *ledger, struct own_devices *devices, struct name_store *names, struct device_list *machine,
		 uint64_t leak_age);
void ledger_clear(struct ledger *ledger);

/*
 * Whether it is time to say, in ledger->nodes_full, if the books of all processes are full. Only now and then, and of a process
 * that has many allocations: the answer takes a walk.
 */
bool ledger_asks_room(struct ledger *ledger);

/* An allocating call returned, of a process that is not checkpointed. Returns 0 or -ENOMEM, always with *@news filled. */
int ledger_alloc(struct ledger *ledger, const struct rec_alloc *record, struct ledger_news *news);
/* What a call that failed to free was given. */
enum free_news {
	FREE_PLAIN,		/* nothing is to be said: memory that is live, or no call that failed */
	FREE_DOUBLE,		/* what was freed before */
	FREE_UNKNOWN,		/* an address where no allocation that is known begins */
};

/* A freeing call returned. */
enum free_news ledger_free(struct ledger *ledger, const struct rec_free *record);
/* The process is checkpointed: its memory leaves its devices, and stays allocated. */
void ledger_checkpoint(struct ledger *ledger);
/*
 * It is restored: its memory comes back, from @cursor on, which is that of a walk through its book. Returns a device that came
 * near its size with that, to be called again; NULL once all of it is back.
 */
const struct device_use *ledger_restore(struct ledger *ledger, struct book_cursor *cursor);
/* Gives up what waited too long for its free (ledger.c). Returns how many frees were not seen. */
size_t ledger_expire(struct ledger *ledger, uint64_t now);
/* The flags of the place at @address were told: memory of its sites may be held from now on, or no more. */
void ledger_judge(struct ledger *ledger, uint64_t address);

/*
 * A handle, a mapping or a tile holds the memory that @handle named when it was @born, as does the allocation itself, or
 * lets go of it: the last to do so frees it.
 */
void ledger_hold(struct ledger *ledger, uint64_t handle, uint64_t born);
void ledger_let_go(struct ledger *ledger, uint64_t handle, uint64_t born, uint64_t time);

/* Forgets all allocations, which have ended: the map then says how many they were. */
void ledger_drop_map(struct ledger *ledger);

/* For ledger_end.c. A live allocation whose owner ends; what cannot leak is gone without harm, and @node with it. */
void ledger_end_node(struct ledger *ledger, struct alloc_node *node, enum node_end end, uint64_t time);
/* The same of a displaced one, which is live no more. It must have had to be freed. */
void ledger_end_displaced(struct ledger *ledger, struct alloc_node *node, enum node_end end, uint64_t time);

/* Whether what @call allocates belongs to no context, so that neither a destroyed context nor a device's reset frees it. */
bool ledger_outlives_contexts(unsigned int call);

#endif
