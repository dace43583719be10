/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a program makes executable graphs: a line, by each way to it. */
#ifndef MODEL_GRAPH_SITES_H
#define MODEL_GRAPH_SITES_H

#include <stddef.h>
#include <stdint.h>

#include "model/tree.h"

struct graph_site {
	RB_ENTRY(graph_site) link;
	uint64_t site, stack; /* as records have them */
	uint16_t call;        /* that made the last of them */
	/* Executable graphs made there, and of them those not destroyed; at the program's end */
	uint64_t made, live;
	uint64_t launches; /* of them */
};

RB_HEAD(graph_site_tree, graph_site);

struct graph_sites {
	struct graph_site_tree tree;
	size_t count;
};

/* The site, made if there is none. NULL without memory, or past GRAPH_SITES_MAX. */
struct graph_site *graph_sites_get(struct graph_sites *sites, uint64_t site, uint64_t stack);
/* All of them, in the order of their numbers. */
struct graph_site *graph_sites_first(struct graph_sites *sites);
struct graph_site *graph_sites_next(struct graph_site *site);
void graph_sites_free(struct graph_sites *sites);

#endif
