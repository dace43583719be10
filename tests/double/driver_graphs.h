/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the double's graphs are made of, for the files that fill and run them. */
#ifndef DRIVER_GRAPHS_H
#define DRIVER_GRAPHS_H

#include "driver.h"

#pragma GCC visibility push(hidden)

/* As cuGraphNodeGetType() tells them. */
enum node_type {
	NODE_KERNEL,
	NODE_COPY,
	NODE_FILL,
	NODE_HOST,
	NODE_GRAPH,
	NODE_EMPTY,
	NODE_ALLOC = 10,
	NODE_FREE = 11,
};

struct node {
	struct object object;
	enum node_type type;
	struct node *next;
	struct graph *owner;
	struct node *original; /* of an instance's or clone's node */
	bool off;
	union {
		struct {
			struct function *function;
			CUDA_KERNEL_NODE_PARAMS kernel;
		};
		struct graph *child;
		CUDA_MEMCPY3D copy;
		CUDA_MEMSET_NODE_PARAMS fill;
		CUDA_HOST_NODE_PARAMS host;
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		uintptr_t freed;
	};
};

struct graph {
	struct object object;
	struct node *first, *last;
	size_t num;
	struct stream *origin; /* of the capture that fills it, until that ends */
	bool again;            /* it is captured anew: each node has to come once more */
	bool diverged;         /* one did not */
	struct node *expected; /* the next of them */
	/* A command list of a graphics library takes the nodes, and no graph is left */
	bool passing;
	bool owns_memory; /* it has nodes that allocate or free */
	bool auto_free;   /* of an instance: a launch frees what the last one left */
};

/* driver_graphs.c */
struct node *node_add(struct graph *graph, enum node_type type);
/* The end of every call that adds: CUDA_ERROR_INVALID_VALUE without a node. */
CUresult node_added(CUgraphNode *out, struct node *node);
CUresult graph_copy_nodes(struct graph *to, const struct graph *from);

/* driver_graph_nodes.c */
CUresult node_add_alloc(struct graph *graph, struct context *ctx,
			CUDA_MEM_ALLOC_NODE_PARAMS *params, struct node **out);
CUresult node_add_free(struct graph *graph, uintptr_t at, struct node **out);

#pragma GCC visibility pop

#endif /* DRIVER_GRAPHS_H */
