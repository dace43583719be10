/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the graphs of one program, with their nodes: finds them by handle, adds, fills, frees them.
 * Used by graphs.c only, which knows what records mean.
 */
#ifndef MODEL_GRAPH_BOOKS_H
#define MODEL_GRAPH_BOOKS_H

#include "model/graph_parts.h"
#include "model/graph_sites.h"
#include "model/name_store.h"

struct graph_node;

struct graph {
	RB_ENTRY(graph) link;
	uint64_t handle;
	struct parts *parts;      /* NULL of an executable graph: not known yet */
	bool incomplete;          /* it holds more than we know */
	struct graph_node *nodes; /* that have a handle */
	/* of an executable graph */
	uint64_t epoch, launches;   /* what is counted in its parts */
	struct graph_site *made_at; /* NULL: not told */
	uint64_t ahead;             /* the epoch of a row whose record was not read yet */
};

/* Where a node is, and its kernel (NULL: a child graph). */
struct graph_node {
	RB_ENTRY(graph_node) link;
	struct graph_node *next, **before; /* in its graph's list */
	uint64_t handle;
	struct graph *graph; /* NULL: a captured node, whose graph is unknown */
	struct launch_entry *kernel;
	bool updatable; /* kernels may change it */
};

RB_HEAD(graph_tree, graph);
RB_HEAD(graph_node_tree, graph_node);

struct graph_books {
	struct graph_tree graphs, execs;
	struct graph_node_tree nodes;
	size_t graph_count, node_count;
	struct parts_list parts;
};

/* A record that is being taken in: its program's state, and its effects. */
struct act {
	struct counters *counters;
	struct own_devices *devices;
	const struct name_store *names;
	struct graph_books *books;
	const struct rec_graph *record;
	int error;      /* -ENOMEM, or -ENOSPC: too much for one process */
	bool inexact;   /* it is unknown what the record has changed */
	bool updatable; /* kernels may update a kernel node that is unknown here */
};

/* Returns new, empty books, or NULL without memory. */
struct graph_books *graph_books_new(void);
void graph_books_free(struct graph_books *books);

struct graph_node *graph_node_find(struct graph_books *books, uint64_t handle);
void graph_node_free(struct graph_books *books, struct graph_node *node);
/* The node @handle is now in @graph and has @kernel. */
void graph_node_set(struct act *act, uint64_t handle, struct graph *graph,
		    struct launch_entry *kernel);

struct graph *graph_find(struct graph_tree *tree, uint64_t handle);
void graph_free(struct graph_books *books, struct graph_tree *tree, struct graph *graph);
/*
 * Adds a graph without parts. An earlier one with the same handle is gone: its end was not seen.
 * NULL with act->error set.
 */
struct graph *graph_add(struct act *act, struct graph_tree *tree, uint64_t handle);
/* An executable graph is made at @site from now on (NULL: nowhere that is known). */
void graph_set_site(struct graph *graph, struct graph_site *site);
/* A new, empty graph; or NULL with act->error set. */
struct graph *graph_new(struct act *act, uint64_t handle);
/*
 * The graph that the record changes; if its creation was not seen, it contains more than we know.
 */
struct graph *graph_changed(struct act *act);
/*
 * @graph, which is not executable, has another handle from now on. An earlier graph with that
 * handle is gone.
 */
void graph_rename(struct act *act, struct graph *graph, uint64_t handle);

/* Gives @graph parts that it does not share. Returns false with act->error set on failure. */
bool graph_own(struct act *act, struct graph *graph);
/*
 * Adds @kernel (NULL: there was no memory for it) to the parts of @graph, which it must not share.
 */
void graph_put(struct act *act, struct graph *graph, uint64_t node, struct launch_entry *kernel,
	       uint64_t count, bool off);
/* Adds the contents of @from (NULL: unknown contents) to @graph, as the child graph @node. */
void graph_put_all(struct act *act, struct graph *graph, uint64_t node, struct graph *from);

#endif
