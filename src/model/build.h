/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A snapshot under construction: shared by the files that build its parts. */
#ifndef MODEL_BUILD_H
#define MODEL_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/arena.h"
#include "model/program.h"
#include "model/snapshot.h"

struct model;

/* The sum over all rows of one function. */
struct call_sum {
	struct snap_call call;
	uint64_t ns, max_ns;
};

/* The table's calls, then those of --probe */
#define CALL_SUMS (CALL_COUNT + CUTOP_EXTRA_MAX)

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
	struct arena *arena; /* everything is in it but the names: build_names() */
	uint64_t now;
	uint64_t number; /* the snapshot's number, from 1 */
	/*
	 * Seconds that rates are of: since the previous snapshot, or, in the snapshot of the whole
	 * run, the process's life; NAN if there can be no rate
	 */
	double interval;
	bool is_whole;
	unsigned int map_max;
	size_t cheap_max;      /* with so many allocations a process has spans in any case */
	struct call_sum *sums; /* CALL_SUMS of them, zero between processes */
	uint64_t used_sums[(CALL_SUMS + 63) / 64]; /* bit set: those that are not zero */
};

/* Makes the arena and the sums. Returns 0 or -ENOMEM. build_end() frees the sums. */
int build_begin(struct build *build);
void build_end(struct build *build);
/* Growth per second since @before, of the whole run since 0; NAN if there is no interval. */
double build_rate(const struct build *build, uint64_t now, uint64_t before);
/* Adds @row to the sum of @call; @sampled: failures and times come from a sample of the calls. */
void build_add_call(struct build *build, unsigned int call, const struct call_row *row,
		    bool sampled);
/* The same of launches. */
void build_add_launches(struct build *build, unsigned int call, const struct launch_row *row);
/* The index of the first sum from @index on that is used; CALL_SUMS: there is none. */
unsigned int build_next_sum(const struct build *build, unsigned int index);
/* The names of @call, which is not in the table. Returns 0 or -ENOMEM. */
int build_extra(const struct build *build, unsigned int call, struct snap_extra *names);

/*
 * snapshot_names.c: sees to it that @program has a copy of its names that is up to date, and that the
 * snapshot holds it. Returns 0 or -ENOMEM.
 */
int build_names(struct build *build, struct program *program);

/*
 * What a call at @place, by the way of @stack (NULL: not known), is called; the
 * second by the numbers that records have (0: not told), and with where->site NULL if it is not
 * known. Return 0 or -ENOMEM. The first needs build_names() before.
 */
int build_place(const struct program *program, struct place *place, struct stack *stack,
		struct snap_place *where);
int build_place_at(struct build *build, struct program *program, uint64_t site, uint64_t stack,
		   struct snap_place *where);

/* The names of a kernel, and the one in @form. Return 0 or -ENOMEM. Need build_names() before. */
int build_kernel_name(const struct program *program, const struct kernel_name *name,
		      const struct kernel_texts **shown);
int build_kernel_form(struct program *program, const struct kernel_name *name, enum name_form form,
		      const char **shown);

/*
 * The parts of one process follow. Each fills its list and what is summed from it, and returns 0 or
 * -ENOMEM. snapshot_memory.c: the call sites, the largest allocations, the address space, and what
 * is held per device.
 */
int build_ledger(struct build *build, struct program *program, struct snap_process *process);
/* The ledger's figures that are kept when the process is dropped. */
void build_memory(const struct program *program, struct snap_process *process);

/* The allocators of frameworks. */
int build_blocks(struct build *build, struct program *program, struct snap_process *process);

/* What build->cheap_max is with that many processes. */
size_t build_cheap_max(size_t processes);

/*
 * snapshot_calls.c: launches and copies add to the sums of calls, so calls come after
 * them.
 */
int build_kernels(struct build *build, struct program *program, struct snap_process *process);
int build_copies(struct build *build, struct program *program, struct snap_process *process);
int build_calls(struct build *build, struct program *program, struct snap_process *process);
int build_objects(struct build *build, struct program *program, struct snap_process *process);
int build_failures(struct build *build, struct program *program, struct snap_process *process);

/* Where kernels are launched, and where threads wait; after the kernels. */
int build_call_sites(struct build *build, struct program *program, struct snap_process *process);

/* snapshot.c: what it counted in one list or another, which is kept when it is forgotten. */
int build_counters(struct build *build, struct program *program, struct snap_process *process);

/*
 * snapshot_devices.c: the devices, and how much of them processes use; call it after the processes.
 * Returns 0 or -ENOMEM.
 */
int build_device_list(struct build *build);
/* snapshot.c: fills what @process says of the devices that are seen in @devices. */
struct own_devices;
int build_devices(struct build *build, const struct own_devices *devices,
		  struct snap_process *process);

/* totals.c: sums that never go down. */
struct totals;

struct totals *totals_new(void);
void totals_free(struct totals *totals);

/* Adds up all processes of the snapshot and those that were dropped. Returns 0 or -ENOMEM. */
int build_totals(struct build *build);
/* Keeps the counters of @program, which is about to be dropped. */
void build_totals_retire(struct model *model, struct program *program);

#endif
