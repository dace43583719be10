/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counter rows of one program: launches, copies, calls, failures, each stored whole under its
 * key. A row replaces the earlier one, so feeding a row twice counts once. What came as records is
 * counted beside it.
 */
#ifndef MODEL_COUNTERS_H
#define MODEL_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "cutop_rows.h"
#include "model/devices.h"
#include "model/name_store.h"
#include "model/snapshot.h"
#include "model/tree.h"

/* Log2 histograms: cutop_rows.h says what the buckets of times and sizes hold. */
unsigned int histogram_bucket(uint64_t value, unsigned int shift, unsigned int buckets);
struct snap_latency histogram_latency(const uint64_t hist[CUTOP_HIST_BUCKETS], uint64_t max_ns);

/*
 * Shapes of a kernel's launches: grid, block and dynamic shared memory. A row has only those of the
 * last launch, so these are the ones that were seen when the row was read, once an interval: kernels
 * that are launched with many may have had others, too.
 */
struct launch_shapes;

/*
 * Notes the shape of @row in *@shapes, which is allocated for the second one: most kernels have only
 * one. Returns 0 or -ENOMEM.
 */
int launch_shapes_note(struct launch_shapes **shapes, const struct launch_row *before,
		       const struct launch_row *row);

/*
 * The shapes in @shapes (may be NULL), the last one first; NULL if there are not two. *@more: there
 * were others before.
 */
const struct snap_shape *launch_shapes_list(const struct launch_shapes *shapes, size_t *count,
					    bool *more);

struct launch_entry {
	RB_ENTRY(launch_entry) link;
	struct launch_key key;
	struct launch_row row;
	struct launch_shapes *shapes;          /* others than the row's; NULL: none was seen */
	uint64_t before;                       /* launches at the previous snapshot */
	size_t number;                         /* snap_kernel.number of the latest snapshot */
	uint64_t graph_launches, graph_before; /* by graphs */
	bool is_graph;                         /* it stands for a graph with unknown contents */
	bool in_graph;                         /* a graph contains it, or did */
	/* kernels may disable or enable a node with it: graph_launches is not exact */
	bool updatable;
};

struct copy_entry {
	RB_ENTRY(copy_entry) link;
	struct copy_key key;
	struct copy_row row;      /* from the counter map */
	struct copy_row resolved; /* from REC_COPY */
	bool pageable;            /* some used memory that the host may page out */
	uint64_t before;          /* bytes at the previous snapshot */
};

struct call_entry {
	RB_ENTRY(call_entry) link;
	struct call_key key;
	struct call_row row;  /* from the counter map */
	struct call_row told; /* from REC_ALLOC and REC_FREE */
};

struct fail_entry {
	RB_ENTRY(fail_entry) link;
	struct fail_key key;
	struct fail_row row;  /* count 0: not read yet */
	uint64_t site, stack; /* of the first; 0: not told */
	uint64_t function;    /* that it launched; 0: none */
};

RB_HEAD(launch_tree, launch_entry);
RB_HEAD(copy_tree, copy_entry);
RB_HEAD(call_tree, call_entry);
RB_HEAD(fail_tree, fail_entry);

struct counters {
	struct launch_tree launches;
	struct copy_tree copies;
	struct call_tree calls;
	struct fail_tree fails;
	size_t launch_count, fail_count;
	bool is_full; /* for kernels: there were more than KERNELS_MAX */
};

/*
 * The entry of @key, created if need be: then its device counts as used among @devices. NULL
 * without memory, or, with counters->is_full set, without room.
 */
struct launch_entry *counters_launch(struct counters *counters, struct own_devices *devices,
				     const struct launch_key *key);
/* The entry of @key, or NULL. */
struct launch_entry *counters_find_launch(const struct counters *counters,
					  const struct launch_key *key);
/* Some entry of the same function and device, by whichever call; NULL if there is none. */
struct launch_entry *counters_launch_of(struct counters *counters, const struct launch_key *key);

/* The same for copies, calls and failures; NULL without memory. */
struct copy_entry *counters_copy(struct counters *counters, struct own_devices *devices,
				 const struct copy_key *key);
struct call_entry *counters_call(struct counters *counters, const struct call_key *key);
struct fail_entry *counters_fail(struct counters *counters, const struct fail_key *key);
/*
 * How many of the @errors that the row of @call has are failures (cuda/outcomes.h). Failures' rows
 * are read after calls' rows, and both only grow, so this never falls.
 */
uint64_t counters_failures(struct counters *counters, unsigned int call, uint64_t errors);
/*
 * A call that failed so was made at @site, by the way of @stack (0: not known): if it is the first,
 * that is kept. Returns 0 or -ENOMEM.
 */
int counters_failed_at(struct counters *counters, const struct fail_key *key, uint64_t site,
		       uint64_t stack, uint64_t function);

/* Counts a call that came as a record and took @ns. Returns 0 or -ENOMEM. */
int counters_told(struct counters *counters, unsigned int call, uint64_t ns, bool failed);
void counters_free(struct counters *counters);

/* Walk all entries in the order of their keys; NULL at the end. */
struct launch_entry *launch_first(struct counters *counters);
struct launch_entry *launch_next(struct launch_entry *entry);
struct copy_entry *copy_first(struct counters *counters);
struct copy_entry *copy_next(struct copy_entry *entry);
struct call_entry *call_first(struct counters *counters);
struct call_entry *call_next(struct call_entry *entry);
struct fail_entry *fail_first(struct counters *counters);
struct fail_entry *fail_next(struct fail_entry *entry);

/* Where one program launches its kernels, and where it waits. */
struct call_site_entry {
	RB_ENTRY(call_site_entry) link;
	struct call_site_key key;
	struct call_site_row row;
	struct place *place; /* NULL: it stands for all sites without room */
	struct stack *stack; /* NULL: none */
};

RB_HEAD(call_site_tree, call_site_entry);

struct call_sites {
	struct call_site_tree tree;
	size_t count;
};

/* Adds @row to what is known of @key. Returns 0 or -ENOMEM. */
int call_sites_add(struct call_sites *sites, struct name_store *names,
		   const struct call_site_key *key, const struct call_site_row *row);
void call_sites_free(struct call_sites *sites);

/* All, ordered by kernel (launch_key) first; NULL at the end. */
const struct call_site_entry *call_sites_first(const struct call_sites *sites);
const struct call_site_entry *call_sites_next(const struct call_site_entry *entry);

#endif
