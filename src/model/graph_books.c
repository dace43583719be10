/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Graphs by handle, and nodes by handle. If a handle is given out again, its earlier object is
 * gone, whether or not its end was seen. There is a limit to what is kept for one process; beyond
 * it, act->error is set.
 */
#include "model/graph_books.h"

#include <errno.h>
#include <stdlib.h>

#include "model/limits.h"

static int graph_compare(const struct graph *a, const struct graph *b)
{
	return (a->handle > b->handle) - (a->handle < b->handle);
}

static int graph_node_compare(const struct graph_node *a, const struct graph_node *b)
{
	return (a->handle > b->handle) - (a->handle < b->handle);
}

TREE_GENERATE(graph_tree, graph, link, graph_compare)
TREE_GENERATE(graph_node_tree, graph_node, link, graph_node_compare)

struct graph_books *graph_books_new(void)
{
	struct graph_books *books = calloc(1, sizeof(*books));

	if (books)
		books->parts.most = GRAPH_PARTS_MAX;
	return books;
}

/* ---- nodes ---- */

struct graph_node *graph_node_find(struct graph_books *books, uint64_t handle)
{
	struct graph_node key = { .handle = handle };

	return RB_FIND(graph_node_tree, &books->nodes, &key);
}

static void graph_node_unlist(struct graph_node *node)
{
	if (!node->graph)
		return;
	*node->before = node->next;
	if (node->next)
		node->next->before = node->before;
	node->graph = NULL;
}

void graph_node_free(struct graph_books *books, struct graph_node *node)
{
	graph_node_unlist(node);
	RB_REMOVE(graph_node_tree, &books->nodes, node);
	books->node_count--;
	free(node);
}

void graph_node_set(struct act *act, uint64_t handle, struct graph *graph,
		    struct launch_entry *kernel)
{
	struct graph_books *books = act->books;
	struct graph_node *node = graph_node_find(books, handle);

	if (!handle)
		return;
	if (!node) {
		node = books->node_count < GRAPH_PARTS_MAX ? calloc(1, sizeof(*node)) : NULL;
		if (!node) {
			act->error = books->node_count < GRAPH_PARTS_MAX ? -ENOMEM : -ENOSPC;
			return;
		}
		node->handle = handle;
		RB_INSERT(graph_node_tree, &books->nodes, node);
		books->node_count++;
	}
	graph_node_unlist(node);
	node->kernel = kernel;
	if (!graph)
		return;
	node->graph = graph;
	node->next = graph->nodes;
	node->before = &graph->nodes;
	if (node->next)
		node->next->before = &node->next;
	graph->nodes = node;
}

/* ---- graphs ---- */

struct graph *graph_find(struct graph_tree *tree, uint64_t handle)
{
	struct graph key = { .handle = handle };

	return RB_FIND(graph_tree, tree, &key);
}

void graph_set_site(struct graph *graph, struct graph_site *site)
{
	if (graph->made_at)
		graph->made_at->live--;
	graph->made_at = site;
	if (site)
		site->live++;
}

void graph_free(struct graph_books *books, struct graph_tree *tree, struct graph *graph)
{
	while (graph->nodes)
		graph_node_free(books, graph->nodes);
	graph_set_site(graph, NULL);
	RB_REMOVE(graph_tree, tree, graph);
	parts_drop(&books->parts, graph->parts);
	books->graph_count--;
	free(graph);
}

struct graph *graph_add(struct act *act, struct graph_tree *tree, uint64_t handle)
{
	struct graph *graph = graph_find(tree, handle);

	if (graph)
		graph_free(act->books, tree, graph);
	if (act->books->graph_count >= GRAPHS_MAX) {
		act->error = -ENOSPC;
		return NULL;
	}
	graph = calloc(1, sizeof(*graph));
	if (!graph) {
		act->error = -ENOMEM;
		return NULL;
	}
	graph->handle = handle;
	RB_INSERT(graph_tree, tree, graph);
	act->books->graph_count++;
	return graph;
}

struct graph *graph_new(struct act *act, uint64_t handle)
{
	struct graph *graph = graph_add(act, &act->books->graphs, handle);

	if (!graph)
		return NULL;
	graph->parts = parts_new(&act->books->parts);
	if (graph->parts)
		return graph;
	graph_free(act->books, &act->books->graphs, graph);
	act->error = -ENOMEM;
	return NULL;
}

struct graph *graph_changed(struct act *act)
{
	struct graph *graph = graph_find(&act->books->graphs, act->record->graph);

	if (!graph) {
		graph = graph_new(act, act->record->graph);
		if (graph)
			graph->incomplete = true;
	}
	return graph;
}

bool graph_own(struct act *act, struct graph *graph)
{
	int error = parts_own(&act->books->parts, &graph->parts);

	if (error)
		act->error = error;
	return !error;
}

void graph_put(struct act *act, struct graph *graph, uint64_t node, struct launch_entry *kernel,
	       uint64_t count, bool off)
{
	int error = kernel ? parts_add(&act->books->parts, graph->parts, node, kernel, count, off) :
			     -ENOMEM;

	if (error)
		act->error = error;
}

void graph_put_all(struct act *act, struct graph *graph, uint64_t node, struct graph *from)
{
	struct parts *parts;
	int error = 0;

	if (!from || !from->parts) {
		graph->incomplete = true;
		return;
	}
	graph->incomplete |= from->incomplete;
	parts = parts_share(from->parts); /* which may be the graph's own */
	if (graph_own(act, graph))
		error = parts_add_all(&act->books->parts, graph->parts, node, parts);
	if (error)
		act->error = error;
	parts_drop(&act->books->parts, parts);
}

void graph_rename(struct act *act, struct graph *graph, uint64_t handle)
{
	struct graph_tree *tree = &act->books->graphs;
	struct graph *old = graph_find(tree, handle);

	if (old && old != graph)
		graph_free(act->books, tree, old);
	RB_REMOVE(graph_tree, tree, graph);
	graph->handle = handle;
	RB_INSERT(graph_tree, tree, graph);
}

void graph_books_free(struct graph_books *books)
{
	struct graph *graph;
	struct graph_node *node;

	if (!books)
		return;
	while ((graph = RB_MIN(graph_tree, &books->graphs)) != NULL)
		graph_free(books, &books->graphs, graph);
	while ((graph = RB_MIN(graph_tree, &books->execs)) != NULL) {
		graph->made_at = NULL; /* it was live to the end */
		graph_free(books, &books->execs, graph);
	}
	while ((node = RB_MIN(graph_node_tree, &books->nodes)) != NULL)
		graph_node_free(books, node);
	free(books);
}
