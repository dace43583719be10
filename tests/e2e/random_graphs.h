/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What random_graphs.c and random_captures.c have of each other. */
#ifndef RANDOM_GRAPHS_H
#define RANDOM_GRAPHS_H

#include "random_calls.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* One of this thread's for the current context, or NULL. */
struct graph *graph_any(void);
struct exec *exec_any(void);

/* That it runs so many kernels that no other graph takes it in. */
bool graph_is_large(const struct graph *graph);

void graph_put(struct graph *graph, struct graph_node node);
void node_hold_kernel(struct graph_node *node, unsigned int kernel);
void node_hold_graph(struct graph_node *node, const struct graph *child);

/* A whole capture, into a graph that is there or a new one. */
void graph_capture(void);

#endif
