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
#include "model/ordered_table.h"

/* Log2 histograms: cutop_rows.h says what the buckets of times and sizes hold. */
unsigned int histogram_bucket(uint64_t value, unsigned int shift, unsigned int buckets);
struct snap_latency histogram_latency(const uint64_t hist[CUTOP_HIST_BUCKETS], uint64_t max_ns);

/*
 * Shapes of a kernel's launches: grid, block and dynamic shared memory. A row has only those of the
 * last launch, so these are the ones that were seen when the row was read, once an interval: kernels
 * that are launched with many may have had others, too.
 */
struct launch_shapes {
	struct snap_shape list[SHAPES_MAX]; /* the last one first */
	size_t count;
	bool more; /* there were others before */
};

/* The entries of a table begin with a word in whose order they are listed. */
struct launch_entry {
	struct entry entry;
	uint64_t function, where; /* the device, then the call */
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
	struct entry entry;
	uint64_t order; /* direction, mode, device, call */
	struct copy_key key;
	struct copy_row row;      /* from the counter map */
	struct copy_row resolved; /* from REC_COPY */
	bool pageable;            /* some used memory that the host may page out */
	uint64_t before;          /* bytes at the previous snapshot */
};

struct call_entry {
	struct entry entry;
	uint64_t order; /* the call */
	uint16_t call;
	struct call_row row;  /* from the counter map */
	struct call_row told; /* from REC_ALLOC and REC_FREE */
};

struct fail_entry {
	struct entry entry;
	uint64_t call, result; /* the result so that negative ones are first */
	struct fail_key key;
	struct fail_row row;  /* count 0: not read yet */
	uint64_t site, stack; /* of the first; 0: not told */
	uint64_t function;    /* that it launched; 0: none */
};

struct counters {
	struct table launches, copies, calls, fails;
	bool is_full; /* for kernels: there were more than KERNELS_MAX */
};

/* @row replaces that of @entry, whose shape is noted. */
void launch_entry_set(struct launch_entry *entry, const struct launch_row *row);

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
struct call_entry *counters_call(struct counters *counters, unsigned int call);
struct fail_entry *counters_fail(struct counters *counters, const struct fail_key *key);
/*
 * How many of the @errors that the row of @call has are failures (cuda/errors.h). Failures' rows
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

/*
 * Where one program launches its kernels, and where it waits: a table of these, ordered by kernel
 * (launch_key) first.
 */
struct call_site_entry {
	struct entry entry;
	uint64_t call, function, site, stack; /* the call, then the device */
	struct launch_key launch;
	struct call_site_row row;
	struct place *place;       /* NULL: it stands for all sites without room */
	struct stack *called_from; /* NULL: none */
};

/* Adds @row to what is known of @key. Returns 0 or -ENOMEM. */
int call_sites_add(struct table *sites, struct name_store *names, const struct call_site_key *key,
		   const struct call_site_row *row);

#endif
