/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a program's place in the latest snapshot can be in the next one, too. A snapshot holds
 * arenas of programs besides its own: one with the names, and one for each part of the books, each
 * made anew only when something in it has changed. Nothing in them changes once a snapshot has
 * them, so any thread may read them; the last one that holds an arena frees it.
 */
#ifndef MODEL_CARRY_H
#define MODEL_CARRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/arena.h"
#include "model/snapshot.h"

struct build;
struct kernel_name;
struct launch_entry;
struct program;

/* A part of a process in a snapshot. */
struct carry_part {
	struct arena *arena; /* NULL: it was not made yet */
	struct arena *spare; /* the one before, for the next, unless a snapshot has it still */
	/* What it fills in of the process; the rest is zero */
	struct snap_process figures;
};

/* What a part is made of, as far as it can change: if it is the same, the part is. */
struct carry_key {
	uint64_t ledger, counters, model, copy;
	unsigned int map_max;
	bool has_spans, has_drawn, has_rates, is_whole;
};

/* Launches of a function, as the list of kernels has them. */
struct launched {
	struct launch_entry *entry;
	/* NULL: nothing is known, and there is no room to note it */
	const struct kernel_name *name;
	/* as they were when it was sorted in */
	bool is_graph;
	int device; /* the machine's number */
};

/* How the kernels were listed last: the next time there is little to sort. */
struct kernel_order {
	struct launched *launched;
	size_t count, size;
	uint64_t copy;       /* of the names that the next three belong to */
	size_t *slots;       /* by number: where in the list a kernel was */
	const char **shown;  /* by number; NULL: the kernel's short name */
	size_t kernel_count; /* 0: neither is known */
};

struct carry {
	struct arena *names;
	uint64_t copy;          /* the number of the arena, from 1 */
	uint64_t names_changes; /* name_store.changes then */
	uint64_t kept_by;       /* the number of the latest snapshot that holds it */

	struct carry_part memory; /* build_memory.c, spans.c */
	struct carry_key memory_key;
	uint64_t made;     /* when it was made: ns, the snapshot's time */
	bool has_suspects; /* what is in it depends on the time */
	uint64_t *due;     /* by site: until when it is certainly no suspect */
	size_t due_count;

	struct carry_part counters; /* the rest */
	struct carry_key counters_key;
	bool is_moving; /* some of the rates in it are not 0 */
	struct kernel_order kernels;
};

/*
 * Sees to it that @program has a copy of its names that is up to date, and that the snapshot holds
 * it. Returns 0 or -ENOMEM.
 */
int carry_names(struct build *build, struct program *program);

/*
 * Fills @process in with what does not change from one snapshot to the next unless the books do.
 * Returns 0 or -ENOMEM.
 */
int carry_build(struct build *build, struct program *program, struct snap_process *process);

void carry_free(struct carry *carry);

#endif
