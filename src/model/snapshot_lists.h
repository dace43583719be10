/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Builds the lists of one process of a snapshot. Shared by snapshot.c and snapshot_lists.c only. */
#ifndef MODEL_SNAPSHOT_LISTS_H
#define MODEL_SNAPSHOT_LISTS_H

#include "model/arena.h"
#include "model/internal.h"

/* The sum over all rows of one function. */
struct call_sum {
	struct snap_call call;
	uint64_t ns, max_ns;
	bool used;
};

#define CALL_SUMS	(CALL_COUNT + CUTOP_EXTRA_MAX)	/* the table's calls, then those of --probe */

static inline unsigned int call_index(unsigned int call)
{
	return call < CALL_COUNT ? call : CALL_COUNT + (call - CUTOP_EXTRA);
}

static inline uint16_t call_number(unsigned int index)
{
	return (uint16_t)(index < CALL_COUNT ? index : CUTOP_EXTRA + (index - CALL_COUNT));
}

struct build {
	struct model *model;
	struct snapshot *snapshot;
	struct arena *arena;
	uint64_t now;
	uint64_t number;		/* of the snapshot, from 1 */
	double interval;		/* seconds; NAN where there can be no rate */
	unsigned int map_max;
	struct call_sum *sums;		/* CALL_SUMS of them, zero between processes */
};

/* Growth per second; NAN if there is no interval. */
double build_rate(const struct build *build, uint64_t now, uint64_t before);

/* Where @node stands at the snapshot. @site is its site's place in the list of sites, before those are sorted. */
enum alloc_state build_state(const struct build *build, const struct image *image, const struct snap_site *snap,
			     const struct alloc_node *node);

/* The spans, unless nobody asked for them. Returns 0 or -ENOMEM. */
int build_spans(struct build *build, struct image *image, struct snap_process *process);

/* The devices, and what of them processes use: after the processes. Returns 0 or -ENOMEM. */
int build_device_list(struct build *build);
/* What @image counted, in one list or another: the figures that are kept when it is forgotten. Returns 0 or -ENOMEM. */
int build_counters(struct build *build, struct image *image, struct snap_process *process);

/* totals.c: adds up all processes of the snapshot and those that are gone. Returns 0 or -ENOMEM. */
int build_totals(struct build *build);
/* The process of @image was made: notes it under its command. */
void totals_note(struct model *model, struct image *image);

/* Each fills its list and what is summed from it. Return 0 or -ENOMEM. */
int build_sites_and_map(struct build *build, struct image *image, struct snap_process *process);
int build_kernels(struct build *build, struct image *image, struct snap_process *process);
int build_copies(struct build *build, struct image *image, struct snap_process *process);
int build_calls(struct build *build, struct image *image, struct snap_process *process);
int build_failures(struct build *build, struct image *image, struct snap_process *process);

#endif
