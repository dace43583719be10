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
#include "model/objects.h"
#include "model/ordered_table.h"

struct parts;

struct graphs {
	struct table graphs, execs, nodes; /* struct graph, graph, graph_node */
	struct parts *parts;               /* all of them */
	size_t part_count;                 /* parts in them */
	size_t unnamed;                    /* those of nodes whose handles are unknown */
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
/* The executable graph @exec was made at @site (NULL: nowhere that is known), which counts launches. */
void graphs_made(struct graphs *graphs, uint64_t exec, struct object_site *site);
/* As model_graph_last() says. */
void graphs_last(struct graphs *graphs, const struct graph_key *key, const struct graph_row *row);
/* Brings launch_entry.graph_launches up to date. */
void graphs_settle(struct graphs *graphs);
/* Forgets what graphs hold; how often that ran stays. */
void graphs_free(struct graphs *graphs);

#endif
