/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of graphs: their kernels, with how often each runs in one launch. Clones and
 * executable graphs share them with the graph they were made of until one of them changes. Used by
 * graphs.c only.
 */
#ifndef MODEL_GRAPH_PARTS_H
#define MODEL_GRAPH_PARTS_H

#include "model/counters.h"

/* A kernel of one node; or of all captured and cloned nodes, whose handles are unknown. */
struct part {
	RB_ENTRY(part) link;
	/* 0: nodes of unknown handle. For a child graph's kernels: the node that contains it */
	uint64_t node;
	struct launch_entry *kernel;
	uint64_t count;
	bool off; /* disabled */
};

RB_HEAD(part_tree, part);

struct parts {
	struct parts *next, **link; /* in the program's list */
	struct part_tree tree;
	size_t count;
	unsigned int owners;
	uint64_t launches; /* not yet passed on to the kernels */
};

/* All parts of one program. */
struct parts_list {
	struct parts *first;
	size_t count, most; /* parts in all of them, and the limit */
	size_t unnamed;     /* parts with node 0 */
};

/* Returns new, empty parts with one owner, or NULL without memory. */
struct parts *parts_new(struct parts_list *list);
struct parts *parts_share(struct parts *parts);
/* Drops one reference to @parts; the last one frees them. NULL is allowed. */
void parts_drop(struct parts_list *list, struct parts *parts);

/*
 * Makes *@parts unshared, so that it may change. Returns 0, -ENOMEM, or -ENOSPC if there are too
 * many.
 */
int parts_own(struct parts_list *list, struct parts **parts);

/* Each of these needs parts_own() first. */
int parts_add(struct parts_list *list, struct parts *parts, uint64_t node,
	      struct launch_entry *kernel, uint64_t count, bool off);
/* Adds all of @from, under the handle @node. */
int parts_add_all(struct parts_list *list, struct parts *parts, uint64_t node,
		  const struct parts *from);
/* Returns whether there was one. */
bool parts_remove(struct parts_list *list, struct parts *parts, uint64_t node);
void parts_take(struct parts_list *list, struct parts *parts, struct part *part);

/* All parts, one after the other. */
struct part *parts_first(const struct parts *parts);
struct part *parts_after(struct part *part);

/* The first part of @node, or NULL; and the next one of the same node. */
struct part *parts_of(const struct parts *parts, uint64_t node);
struct part *parts_next(struct part *part);

/* Counts @launches of @parts; and passes them on to the kernels. */
void parts_launched(struct parts *parts, uint64_t launches);
void parts_settle(struct parts *parts);

#endif
