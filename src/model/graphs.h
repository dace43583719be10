/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The graphs of one program, and how often their kernels ran. */
#ifndef MODEL_GRAPHS_H
#define MODEL_GRAPHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/counters.h"
#include "model/name_store.h"
#include "model/ordered_table.h"

/* Where a program makes executable graphs: a line, by each way to it. */
struct graph_site {
	struct entry entry;
	uint64_t site, stack; /* as records have them */
	uint16_t call;        /* that made the last of them */
	/* Executable graphs made there, and of them those not destroyed; at the program's end */
	uint64_t made, live;
	uint64_t launches; /* of them */
};

struct parts;

struct graphs {
	struct table graphs, execs, nodes; /* struct graph, graph, graph_node */
	struct parts *parts;               /* all of them */
	size_t part_count;                 /* parts in them */
	size_t unnamed;                    /* those of nodes whose handles are unknown */
	struct table sites;                /* struct graph_site: where executable ones are made */
	bool inexact; /* something of them was lost, or could not be told apart */
	/* As launch_entry.updatable, of a kernel that is not known */
	bool updatable;
};

/*
 * Take in a record or a row. Kernels of graphs are entries of @counters; @names tells whether two
 * names mean one kernel. Return 0, or -ENOMEM or -ENOSPC if not all of it could be kept. @ended: no
 * further record of the program will come.
 */
int graphs_record(struct graphs *graphs, struct counters *counters, struct own_devices *devices,
		  const struct name_store *names, const struct rec_graph *record);
int graphs_row(struct graphs *graphs, struct counters *counters, struct own_devices *devices,
	       const struct graph_key *key, const struct graph_row *row, bool ended);
/* The executable graph that the record names was made where it says. Returns 0 or -ENOMEM. */
int graphs_made(struct graphs *graphs, const struct rec_instantiated *record);
/* As model_graph_last() says. */
void graphs_last(struct graphs *graphs, const struct graph_key *key, const struct graph_row *row);
/* Brings launch_entry.graph_launches up to date. */
void graphs_settle(struct graphs *graphs);
/* Forgets what graphs hold; how often that ran stays, and where they were made. */
void graphs_free(struct graphs *graphs);

#endif
