/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the feed's files share: feed.c, which reads records, feed_stacks.c, which takes those about
 * stacks, and feed_rows.c, which reads the maps.
 */
#ifndef COLLECT_FEED_INTERNAL_H
#define COLLECT_FEED_INTERNAL_H

#include <uthash.h>

#include "collect/arrivals.h"
#include "collect/call_site_rows.h"
#include "collect/cost.h"
#include "collect/feed.h"
#include "collect/modules.h"
#include "collect/native_stacks.h"
#include "collect/python_stacks.h"
#include "collect/site_names.h"
#include "collect/stacks.h"
#include "collect/unread_names.h"
#include "probe/ring.h"
#include "probe/bpf_rows.h"

struct watched {
	uint32_t program;
	uint32_t origin; /* program_row.origin */
	struct rec_process process;
	bool ignored; /* the user did not ask for it */
	enum late late;
	bool unidentified;           /* reading its memory takes long */
	bool seen_ended;             /* its row was marked at the last refresh */
	uint64_t seen_written;       /* ring_written() then */
	bool ended;                  /* the model was told that it has ended */
	bool doomed;                 /* its rows are deleted in this refresh */
	uint64_t open_ns[TIME_NONE]; /* rows_open_calls(), in this refresh */
	uint64_t faults_since;       /* start of the second in which faults are counted */
	unsigned int faults;
	struct cost cost;
	uint64_t cpu_before;   /* processor time, ns, before it was watched */
	uint64_t blocks;       /* that its allocators told of */
	unsigned int unwanted; /* bits of enum spare */
	UT_hash_handle hh;
};

/* A program found to be late before the record of its start was read. */
struct early_late {
	uint32_t program;
	enum late missed;
	UT_hash_handle hh;
};

struct feed {
	struct probe *probe;
	const struct record_sink *sink;
	const char *command_glob;
	struct rows *rows;
	struct modules *modules;
	struct host_functions *hosts;
	struct site_names *sites;
	struct stacks *stacks;
	struct call_site_rows *call_sites;
	struct unread_names *unread;
	unsigned int news; /* errands_news() when slow errands were last tried */
	bool unidentified; /* some program in `watched` is */
	struct python_stacks *python;
	struct unwind_rows *unwind_rows;
	struct native_stacks *native; /* NULL: stacks are not walked by rows */
	struct arrivals *arrivals;
	struct ring *ring;
	uint64_t drained; /* bytes of the ring, by this feed_drain() */
	bool is_cut;      /* it left records that came meanwhile */
	struct watched *watched;
	struct early_late *early_late;
	bool any_doomed;
	bool limit_told; /* the user was told that the budget of names is used up */
	size_t ended;    /* programs, since the last refresh */
	/* The program that asked_gone is about: it has no row; 0: not asked yet */
	uint32_t untold;
	uint64_t unseen[UNSEEN_COUNT]; /* the same: rec_unseen.total */
	uint32_t asked; /* the same for copied_kept: a process forked from it still runs */
	bool asked_gone;
	uint32_t copied; /* whether a process forked from it still runs */
	bool copied_kept;
	double cost_budget;  /* a share of a program's processor time; 0: no limit */
	bool watches_driver; /* the driver's calls are probed, too */
	uint64_t hit_ns;     /* what a hit takes; 0: not measured yet */
	uint64_t settled;    /* CLOCK_MONOTONIC: spares_settle() */
};

/* feed.c */
struct watched *feed_watched(struct feed *feed, uint32_t program);
/*
 * Returns what is kept about a program, created if need be, and then reported to the model; NULL
 * without memory.
 */
struct watched *feed_watch(struct feed *feed, const struct rec_process *process);
/* Reads the ring, including records that come meanwhile, up to a limit. */
void feed_drain(struct feed *feed);
void feed_end(struct feed *feed, struct watched *watched, const struct rec_end *end);
/* Tells the model what the call site @address of the process of @hdr is, unless it was told. */
void site_feed(struct feed *feed, const struct rec_hdr *hdr, uint64_t address);

/* Passes @record on to the model; @context is the feed. */
void feed_tell(void *context, const struct rec_hdr *record);

/* feed_stacks.c */
/* Takes the record @hdr of @size bytes if it is about a stack, or refers to one. Else false. */
bool feed_stacks_take(struct feed *feed, const struct rec_hdr *hdr, size_t size);

/* feed_cost.c */
/* In a refresh: so many launches, or calls, by @call of the program so far. */
void feed_cost_launches(struct feed *feed, struct watched *watched, unsigned int call,
			uint64_t launches);
void feed_cost_calls(struct feed *feed, struct watched *watched, unsigned int call, uint64_t calls);
/* After all of these. */
void feed_cost_count(struct feed *feed, uint64_t now);
/* Gives up, and takes back, what the budget asks for. */
void feed_cost_tend(struct feed *feed, uint64_t now);

/* feed_rows.c */
/* feed_watch() of a program from its row, because its record was lost; NULL if it has none. */
struct watched *feed_watch_row(struct feed *feed, uint32_t program);
/*
 * A sticky error of @watched, whose record is @hdr: the model reports what was launched last, so
 * the rows are read now, not at the next refresh.
 */
void feed_fault(struct feed *feed, struct watched *watched, const struct rec_hdr *hdr);

#endif
