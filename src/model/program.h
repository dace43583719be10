/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program: what one process runs until it calls exec, with all that is kept about it. */
#ifndef MODEL_PROGRAM_H
#define MODEL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/blocks.h"
#include "model/counters.h"
#include "model/devices.h"
#include "model/events.h"
#include "model/graphs.h"
#include "model/identity.h"
#include "model/ledger.h"
#include "model/limits.h"
#include "model/mappings.h"
#include "model/name_store.h"
#include "model/objects.h"
#include "model/time_shares.h"
#include "model/ordered_table.h"
#include "model/variables.h"

/*
 * The texts of a program's names, as snapshots have them: in an arena of their own that is made
 * anew when a name has changed. The last snapshot that holds it frees it.
 */
struct shown_names {
	struct arena *arena; /* NULL: it was in no snapshot yet */
	uint64_t copy;       /* the number of the arena, from 1 */
	uint64_t changes;    /* name_store.changes then */
	uint64_t kept_by;    /* the number of the latest snapshot that holds it */
};

/*
 * A thread asked for memory and found none. What it asks for next tells whether it has freed some
 * and tries again, as allocators do.
 */
struct shortage {
	uint32_t tid;    /* 0: none */
	uint32_t failed; /* how often, by now, */
	uint32_t told;   /* and how often of that the event has it */
	int device;
	uint64_t bytes, time, live; /* live: bytes of the process at first */
	uint64_t event;
};

#define SHORTAGES_MAX 8 /* threads that are short of memory at once */

struct program {
	struct entry entry;
	uint64_t key; /* the number */
	uint32_t number;

	/* its life: */
	/* Its process is known: from REC_PROCESS, or any other record */
	bool known;
	bool ended;
	/* ... as another program of its process shows; the record of how may still come */
	bool end_is_guess;
	bool settled; /* ended, and no further row of it will come */
	/* ended, and not wanted in the next snapshot; until then its last rows are read */
	bool cleared;
	enum end_reason end_reason;
	int exit_code;
	uint64_t first_time, end_time; /* times of the first record, and of its end */
	/* Neighbours in the list of ended programs, sorted by end */
	struct program *ended_before, *ended_after;
	struct identity identity;
	uint32_t forked_from; /* the number of its parent's program; 0: unknown */

	/* how far it is known: */
	/* something about it was lost that belongs to none of its books: program_is_inexact() */
	bool inexact;
	enum unreturned unreturned; /* why returns of its calls are not probed */

	/* its books */
	struct own_devices devices;
	struct name_store names;
	struct ledger ledger;
	struct blocks blocks;     /* of allocators of its own */
	struct mappings mappings; /* of physical memory */
	struct table levels;      /* of mipmapped arrays */
	struct table globals;     /* variables of modules, and similar memory */
	struct statics statics;   /* variables of known size */
	struct counters counters;
	struct table call_sites; /* of launches and waits */
	struct graphs graphs;
	struct objects objects; /* executable graphs, streams, events ... */
	uint64_t sync_ns;       /* time inside synchronizing calls */
	struct {
		uint64_t paid_ns, cpu_ns, launches_ns; /* struct rec_cost */
		uint64_t since[SPARE_COUNT];
		unsigned int ever;  /* bits of enum spare: what was given up for a time */
		double launch_rate; /* of the last window */
	} cost;
	struct time_book time;

	/* what the log has reported about it: */
	struct event_limit limits[EVENT_KIND_COUNT];
	struct storms storms;
	struct shortage shortages[SHORTAGES_MAX];
	uint64_t suspect_told, host_told; /* bytes that look like a leak; of pinned memory */
	uint64_t objects_told[OBJECT_KIND_COUNT];
	uint64_t walked;        /* when the book was last walked for a post-mortem */
	bool faulted;           /* there was a sticky error, and no reset since */
	struct rec_fault fault; /* its fault; size 0 if there was none */
	bool copies_pageable;   /* it copied pageable memory asynchronously */

	/* for snapshots */
	struct shown_names shown;
	/* at the previous snapshot */
	uint64_t launches_before, graph_launches_before, failures_before, sync_before;
	uint64_t copies_before[DIR_COUNT];
	uint64_t paid_before, cpu_before, launches_ns_before;
};

/* True if something about it was lost: its figures are not exact. */
bool program_is_inexact(const struct program *program);

/* About how many bytes are kept about it. */
size_t program_weight(const struct program *program);

/* All programs, by number; and the list of ended ones, in the order in which they ended. */
struct programs {
	struct table table;
	size_t nodes; /* in the books of all */
	struct program *ended_first, *ended_last;
	size_t ended_count;
	uint32_t tombstones[TOMBSTONES]; /* ended programs that were dropped */
	size_t tombstone_count;
};

struct program *programs_find(const struct programs *programs, uint32_t number);
/* True if the program has ended and was dropped. */
bool programs_is_forgotten(const struct programs *programs, uint32_t number);
/* Adds a new program; @machine and @leak_age are for its ledger. NULL without memory or room. */
struct program *programs_add(struct programs *programs, uint32_t number,
			     struct device_list *machine, uint64_t leak_age);
/* Frees @program. */
void programs_remove(struct programs *programs, struct program *program);
void programs_free(struct programs *programs);

/*
 * An earlier program of @program's process that is still marked as running but must have ended; or
 * NULL.
 */
struct program *programs_overtaken(const struct programs *programs, const struct program *program);

/* The number of the latest program before @program that ran as @pid; 0: none. */
uint32_t programs_of_pid(const struct programs *programs, const struct program *program,
			 uint32_t pid);

/* To be called when @program->ended was set: adds it to the list. */
void programs_end(struct programs *programs, struct program *program);

#endif
