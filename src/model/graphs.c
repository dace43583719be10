/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Graphs of one program. Records say what graphs contain and which executable graph was made of
 * which graph; rows say how often each was launched; the kernels that a graph contains get that
 * many launches each.
 * An executable graph's row counts since the graph's last change (an epoch). The record of a change
 * carries the ended epoch's count, so records and rows need not be read at the same time: a row of
 * an epoch that no record has reported yet waits for its record, and a row of an ended epoch is
 * ignored.
 * A graph that was made before cutop watched, or whose record was lost, contains one thing: itself,
 * under its own name. The handles of captured nodes and of clones' nodes are unknown. If a program
 * asks for a node's parameters by its handle, we learn which kernel it has.
 */
#include "model/graphs.h"

#include <errno.h>
#include <stdlib.h>

#include "model/limits.h"
#include "util/saturated.h"
#include "util/util.h"

/*
 * The contents of graphs: their kernels, with how often each runs in one launch. Clones and
 * executable graphs share them with the graph they were made of until one of them changes.
 */

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

static int graph_site_compare(const struct graph_site *a, const struct graph_site *b)
{
	int order = ORDER(a->site, b->site);

	return order ? order : ORDER(a->stack, b->stack);
}

TREE_GENERATE(graph_site_tree, graph_site, link, graph_site_compare)

/* The site, made if there is none. NULL without memory, or past GRAPH_SITES_MAX. */
static struct graph_site *graph_sites_get(struct graph_sites *sites, uint64_t site, uint64_t stack)
{
	struct graph_site key = { .site = site, .stack = stack },
			  *found = RB_FIND(graph_site_tree, &sites->tree, &key);

	if (found || sites->count >= GRAPH_SITES_MAX)
		return found;
	found = calloc(1, sizeof(*found));
	if (!found)
		return NULL;
	found->site = site;
	found->stack = stack;
	RB_INSERT(graph_site_tree, &sites->tree, found);
	sites->count++;
	return found;
}

struct graph_site *graph_sites_first(struct graph_sites *sites)
{
	return RB_MIN(graph_site_tree, &sites->tree);
}

struct graph_site *graph_sites_next(struct graph_site *site)
{
	return RB_NEXT(graph_site_tree, NULL, site);
}

void graph_sites_free(struct graph_sites *sites)
{
	struct graph_site *site;

	while ((site = RB_MIN(graph_site_tree, &sites->tree)) != NULL) {
		RB_REMOVE(graph_site_tree, &sites->tree, site);
		free(site);
	}
	sites->count = 0;
}

/*
 * Parts of graphs. Launches are counted for the whole, and passed on to its kernels when they are
 * asked for, or when the parts change: so counting a launch costs the same whatever the graph
 * contains.
 */

static int part_compare(const struct part *a, const struct part *b)
{
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->off != b->off)
		return a->off ? 1 : -1;
	return ((uintptr_t)a->kernel > (uintptr_t)b->kernel) -
	       ((uintptr_t)a->kernel < (uintptr_t)b->kernel);
}

TREE_GENERATE(part_tree, part, link, part_compare)

/* Returns new, empty parts with one owner, or NULL without memory. */
static struct parts *parts_new(struct parts_list *list)
{
	struct parts *parts = calloc(1, sizeof(*parts));

	if (!parts)
		return NULL;
	RB_INIT(&parts->tree);
	parts->owners = 1;
	parts->next = list->first;
	parts->link = &list->first;
	if (list->first)
		list->first->link = &parts->next;
	list->first = parts;
	return parts;
}

static struct parts *parts_share(struct parts *parts)
{
	parts->owners++;
	return parts;
}

static void parts_take(struct parts_list *list, struct parts *parts, struct part *part)
{
	RB_REMOVE(part_tree, &parts->tree, part);
	parts->count--;
	list->count--;
	list->unnamed -= !part->node;
	free(part);
}

static void parts_settle(struct parts *parts)
{
	struct part *part;

	if (!parts->launches)
		return;
	RB_FOREACH(part, part_tree, &parts->tree)
	if (!part->off)
		part->kernel->graph_launches =
			add_saturated(part->kernel->graph_launches,
				      multiply_saturated(part->count, parts->launches));
	parts->launches = 0;
}

/* Drops one reference to @parts; the last one frees them. NULL is allowed. */
static void parts_drop(struct parts_list *list, struct parts *parts)
{
	struct part *part;

	if (!parts || --parts->owners)
		return;
	parts_settle(parts);
	while ((part = RB_MIN(part_tree, &parts->tree)) != NULL)
		parts_take(list, parts, part);
	*parts->link = parts->next;
	if (parts->next)
		parts->next->link = parts->link;
	free(parts);
}

/* Each of these needs parts_own() first. */
static int parts_add(struct parts_list *list, struct parts *parts, uint64_t node,
		     struct launch_entry *kernel, uint64_t count, bool off)
{
	struct part wanted = { .node = node, .kernel = kernel, .off = off };
	struct part *part = RB_FIND(part_tree, &parts->tree, &wanted);

	if (part) {
		part->count = add_saturated(part->count, count);
		return 0;
	}
	if (list->count >= list->most)
		return -ENOSPC;
	part = calloc(1, sizeof(*part));
	if (!part)
		return -ENOMEM;
	*part = wanted;
	part->count = count;
	RB_INSERT(part_tree, &parts->tree, part);
	parts->count++;
	list->count++;
	list->unnamed += !node;
	kernel->in_graph = true;
	return 0;
}

/*
 * Makes *@parts unshared, so that it may change. Returns 0, -ENOMEM, or -ENOSPC if there are too
 * many.
 */
static int parts_own(struct parts_list *list, struct parts **parts)
{
	struct parts *copy;
	struct part *part;
	int error = 0;

	if ((*parts)->owners == 1) {
		parts_settle(*parts);
		return 0;
	}
	if ((*parts)->count > list->most - list->count)
		return -ENOSPC;
	copy = parts_new(list);
	if (!copy)
		return -ENOMEM;
	RB_FOREACH(part, part_tree, &(*parts)->tree)
	error = error ? error :
			parts_add(list, copy, part->node, part->kernel, part->count, part->off);
	if (error) {
		parts_drop(list, copy);
		return error;
	}
	parts_drop(list, *parts);
	*parts = copy;
	return 0;
}

/* Adds all of @from, under the handle @node. */
static int parts_add_all(struct parts_list *list, struct parts *parts, uint64_t node,
			 const struct parts *from)
{
	struct part *part;
	int error;

	RB_FOREACH(part, part_tree, (struct part_tree *)&from->tree)
	{
		if (part->off)
			continue;
		error = parts_add(list, parts, node, part->kernel, part->count, false);
		if (error)
			return error;
	}
	return 0;
}

/* All parts, one after the other. */
static struct part *parts_first(const struct parts *parts)
{
	return RB_MIN(part_tree, (struct part_tree *)&parts->tree);
}

static struct part *parts_after(struct part *part)
{
	return RB_NEXT(part_tree, NULL, part);
}

/* The first part of @node, or NULL; and the next one of the same node. */
static struct part *parts_of(const struct parts *parts, uint64_t node)
{
	struct part least = { .node = node };
	struct part *part = RB_NFIND(part_tree, (struct part_tree *)&parts->tree, &least);

	return part && part->node == node ? part : NULL;
}

static struct part *parts_next(struct part *part)
{
	struct part *next = RB_NEXT(part_tree, NULL, part);

	return next && next->node == part->node ? next : NULL;
}

/* Returns whether there was one. */
static bool parts_remove(struct parts_list *list, struct parts *parts, uint64_t node)
{
	bool any = false;
	struct part *part;

	while ((part = parts_of(parts, node)) != NULL) {
		parts_take(list, parts, part);
		any = true;
	}
	return any;
}

/* Counts @launches of @parts; and passes them on to the kernels. */
static void parts_launched(struct parts *parts, uint64_t launches)
{
	parts->launches = add_saturated(parts->launches, launches);
}

/*
 * Graphs by handle, and nodes by handle. If a handle is given out again, its earlier object is
 * gone, whether or not its end was seen. There is a limit to what is kept for one process; beyond
 * it, act->error is set.
 */

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

/* Returns new, empty books, or NULL without memory. */
static struct graph_books *graph_books_new(void)
{
	struct graph_books *books = calloc(1, sizeof(*books));

	if (books)
		books->parts.most = GRAPH_PARTS_MAX;
	return books;
}

/* ---- nodes ---- */

static struct graph_node *graph_node_find(struct graph_books *books, uint64_t handle)
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

static void graph_node_free(struct graph_books *books, struct graph_node *node)
{
	graph_node_unlist(node);
	RB_REMOVE(graph_node_tree, &books->nodes, node);
	books->node_count--;
	free(node);
}

/* The node @handle is now in @graph and has @kernel. */
static void graph_node_set(struct act *act, uint64_t handle, struct graph *graph,
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

static struct graph *graph_find(struct graph_tree *tree, uint64_t handle)
{
	struct graph key = { .handle = handle };

	return RB_FIND(graph_tree, tree, &key);
}

/* An executable graph is made at @site from now on (NULL: nowhere that is known). */
static void graph_set_site(struct graph *graph, struct graph_site *site)
{
	if (graph->made_at)
		graph->made_at->live--;
	graph->made_at = site;
	if (site)
		site->live++;
}

static void graph_free(struct graph_books *books, struct graph_tree *tree, struct graph *graph)
{
	while (graph->nodes)
		graph_node_free(books, graph->nodes);
	graph_set_site(graph, NULL);
	RB_REMOVE(graph_tree, tree, graph);
	parts_drop(&books->parts, graph->parts);
	books->graph_count--;
	free(graph);
}

/*
 * Adds a graph without parts. An earlier one with the same handle is gone: its end was not seen.
 * NULL with act->error set.
 */
static struct graph *graph_add(struct act *act, struct graph_tree *tree, uint64_t handle)
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

/* A new, empty graph; or NULL with act->error set. */
static struct graph *graph_new(struct act *act, uint64_t handle)
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

/*
 * The graph that the record changes; if its creation was not seen, it contains more than we know.
 */
static struct graph *graph_changed(struct act *act)
{
	struct graph *graph = graph_find(&act->books->graphs, act->record->graph);

	if (!graph) {
		graph = graph_new(act, act->record->graph);
		if (graph)
			graph->incomplete = true;
	}
	return graph;
}

/* Gives @graph parts that it does not share. Returns false with act->error set on failure. */
static bool graph_own(struct act *act, struct graph *graph)
{
	int error = parts_own(&act->books->parts, &graph->parts);

	if (error)
		act->error = error;
	return !error;
}

/*
 * Adds @kernel (NULL: there was no memory for it) to the parts of @graph, which it must not share.
 */
static void graph_put(struct act *act, struct graph *graph, uint64_t node,
		      struct launch_entry *kernel, uint64_t count, bool off)
{
	int error = kernel ? parts_add(&act->books->parts, graph->parts, node, kernel, count, off) :
			     -ENOMEM;

	if (error)
		act->error = error;
}

/* Adds the contents of @from (NULL: unknown contents) to @graph, as the child graph @node. */
static void graph_put_all(struct act *act, struct graph *graph, uint64_t node, struct graph *from)
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

/*
 * @graph, which is not executable, has another handle from now on. An earlier graph with that
 * handle is gone.
 */
static void graph_rename(struct act *act, struct graph *graph, uint64_t handle)
{
	struct graph_tree *tree = &act->books->graphs;
	struct graph *old = graph_find(tree, handle);

	if (old && old != graph)
		graph_free(act->books, tree, old);
	RB_REMOVE(graph_tree, tree, graph);
	graph->handle = handle;
	RB_INSERT(graph_tree, tree, graph);
}

static void graph_books_free(struct graph_books *books)
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

/* ---- kernels ---- */

/* The row that counts @function's runs in graphs; NULL with act->error set. */
static struct launch_entry *kernel_get(struct act *act, uint64_t function, unsigned int call,
				       int device)
{
	struct launch_key key = { .call = (__u16)call,
				  .device = (__s16)device,
				  .function = function };
	struct launch_entry *entry = counters_launch_of(act->counters, &key);

	if (!entry)
		entry = counters_launch(act->counters, act->devices, &key);
	if (!entry)
		act->error = act->counters->is_full ? -ENOSPC : -ENOMEM;
	return entry;
}

static struct launch_entry *record_kernel(struct act *act)
{
	return kernel_get(act, act->record->function, act->record->call, act->record->device);
}

/* Stands for a graph whose creation was not seen. */
static struct launch_entry *unknown_kernel(struct act *act, uint64_t exec, unsigned int call,
					   int device)
{
	struct launch_entry *entry = kernel_get(act, exec, call, device);

	if (entry)
		entry->is_graph = true;
	return entry;
}

/* A kernel may be named by its stub or by several handles. */
static bool same_function(const struct name_store *names, const struct launch_entry *a,
			  const struct launch_entry *b)
{
	return a == b || names_stub(names, a->key.function) == names_stub(names, b->key.function);
}

/* The part for captured launches of @kernel. */
static struct part *captured_part(const struct name_store *names, const struct graph *graph,
				  const struct launch_entry *kernel)
{
	struct part *part;

	for (part = parts_of(graph->parts, 0); part; part = parts_next(part))
		if (!part->off && same_function(names, part->kernel, kernel))
			return part;
	return NULL;
}

/* ---- graphs, record by record ---- */

static void add_kernel(struct act *act)
{
	struct graph *graph = graph_changed(act);
	struct launch_entry *kernel = graph ? record_kernel(act) : NULL;

	if (!kernel)
		return;
	if (graph_own(act, graph))
		graph_put(act, graph, act->record->node, kernel, 1, false);
	graph_node_set(act, act->record->node, graph, kernel);
}

static void add_child(struct act *act)
{
	struct graph *graph = graph_changed(act);

	if (!graph)
		return;
	graph_put_all(act, graph, act->record->node,
		      graph_find(&act->books->graphs, act->record->other));
	graph_node_set(act, act->record->node, graph, NULL);
}

static void add_exec(struct act *act)
{
	struct graph *graph = graph_changed(act);

	if (graph)
		graph_put_all(act, graph, 0, graph_find(&act->books->execs, act->record->exec));
}

static void clone_graph(struct act *act)
{
	struct graph *from = graph_find(&act->books->graphs, act->record->other);
	struct parts *parts = from ? parts_share(from->parts) : NULL;
	bool incomplete = !from || from->incomplete;
	struct graph *graph = graph_new(act, act->record->graph);
	int error = 0;

	/* Its nodes have handles of their own, which are unknown. */
	if (graph && parts)
		error = parts_add_all(&act->books->parts, graph->parts, 0, parts);
	if (error)
		act->error = error;
	if (graph)
		graph->incomplete = incomplete;
	parts_drop(&act->books->parts, parts);
}

/* A capture has ended in a graph. */
static void rename_graph(struct act *act)
{
	struct graph *graph = graph_changed(act);

	if (graph)
		graph_rename(act, graph, act->record->other);
}

static void remove_node(struct act *act)
{
	struct graph_node *node = graph_node_find(act->books, act->record->node);

	/*
	 * The node launches nothing; or it was captured or cloned, and we no longer know which
	 * kernels its graph has.
	 */
	if (!node || !node->graph)
		act->inexact |= act->books->parts.unnamed > 0;
	if (!node)
		return;
	if (node->graph && graph_own(act, node->graph))
		parts_remove(&act->books->parts, node->graph->parts, node->handle);
	graph_node_free(act->books, node);
}

static void learn_node(struct act *act)
{
	struct graph_node *node = graph_node_find(act->books, act->record->node);
	struct launch_entry *kernel;

	if (node && node->graph)
		return;
	kernel = record_kernel(act);
	if (kernel)
		graph_node_set(act, act->record->node, NULL, kernel);
}

static void set_kernel(struct act *act)
{
	struct graph_node *node = graph_node_find(act->books, act->record->node);
	struct launch_entry *kernel = record_kernel(act);
	struct graph *graph;

	if (!kernel)
		return;
	if (!node || !node->graph) {
		/*
		 * A captured node: its graph is unknown. New arguments change nothing; another
		 * kernel cannot be assigned.
		 */
		if (node ? !same_function(act->names, node->kernel, kernel) : !kernel->in_graph)
			act->inexact = true;
		graph_node_set(act, act->record->node, NULL, kernel);
		return;
	}
	graph = node->graph;
	kernel->updatable |= node->updatable;
	if (!graph_own(act, graph))
		return;
	parts_remove(&act->books->parts, graph->parts, node->handle);
	graph_put(act, graph, node->handle, kernel, 1, false);
	node->kernel = kernel;
}

/*
 * Kernels may change a node's grid and arguments, and disable and enable it
 * (cuda_device_runtime_api.h, cudaGraphKernelNodeUpdate): no host call shows how often it ran. Its
 * kernel stays the one that the host set.
 */
static void update_by_kernels(struct act *act)
{
	struct graph_node *node = graph_node_find(act->books, act->record->node);
	struct launch_entry *kernel = act->record->function ? record_kernel(act) :
				      node                  ? node->kernel :
							      NULL;

	if (node)
		node->updatable = true;
	if (kernel)
		kernel->updatable = true;
	else
		act->updatable = true;
}

static void set_child(struct act *act)
{
	struct graph_node *node = graph_node_find(act->books, act->record->node);

	if (!node || !node->graph) {
		act->inexact = true;
		return;
	}
	if (!graph_own(act, node->graph))
		return;
	parts_remove(&act->books->parts, node->graph->parts, node->handle);
	graph_put_all(act, node->graph, node->handle,
		      graph_find(&act->books->graphs, act->record->other));
}

/* ---- executable graphs ---- */

/* Replaces the contents of @exec by itself: they are unknown. */
static void exec_unknown(struct act *act, struct graph *exec, unsigned int call, int device)
{
	struct launch_entry *kernel = unknown_kernel(act, exec->handle, call, device);

	parts_drop(&act->books->parts, exec->parts);
	exec->parts = parts_new(&act->books->parts);
	exec->launches = 0;
	exec->incomplete = true;
	if (!exec->parts)
		act->error = -ENOMEM;
	else
		graph_put(act, exec, 0, kernel, 1, false);
}

static void exec_launched(struct graph *exec, uint64_t launches)
{
	parts_launched(exec->parts, launches);
	if (exec->made_at)
		exec->made_at->launches += launches;
}

/* Tells the kernels of the epoch that the record ended. */
static void exec_settle(struct act *act, struct graph *exec)
{
	const struct rec_graph *record = act->record;

	if ((!exec->parts || exec->epoch != record->before) && record->launches) {
		/*
		 * Its creation was not seen; or a record was lost, and we do not know what was
		 * launched.
		 */
		if (record->before)
			act->inexact = true;
		exec_unknown(act, exec, record->call, record->device);
		exec->epoch = record->before;
	}
	if (exec->parts && exec->epoch == record->before && record->launches > exec->launches)
		exec_launched(exec, record->launches - exec->launches);
}

static void exec_fill(struct act *act, struct graph *exec)
{
	const struct rec_graph *record = act->record;
	struct graph *graph = graph_find(&act->books->graphs, record->graph);

	if (!graph) {
		exec_unknown(act, exec, record->call, record->device);
		return;
	}
	parts_drop(&act->books->parts, exec->parts);
	exec->parts = parts_share(graph->parts);
	exec->incomplete = graph->incomplete;
	if (exec->incomplete && graph_own(act, exec))
		graph_put(act, exec, 0,
			  unknown_kernel(act, exec->handle, record->call, record->device), 1,
			  false);
}

/*
 * A node that the graph has no handle for: a captured one. Its kernel, if the program has shown it.
 */
static struct launch_entry *captured_kernel(struct act *act)
{
	struct graph_node *node = graph_node_find(act->books, act->record->node);

	return node ? node->kernel : NULL;
}

static void exec_set_kernel(struct act *act, struct graph *exec)
{
	struct launch_entry *kernel = record_kernel(act), *before = captured_kernel(act);
	struct part *part = parts_of(exec->parts, act->record->node);
	const struct graph_node *node = graph_node_find(act->books, act->record->node);
	bool off = part && part->off;

	if (!kernel)
		return;
	kernel->updatable |= node && node->updatable;
	if (part) {
		parts_remove(&act->books->parts, exec->parts, act->record->node);
		graph_put(act, exec, act->record->node, kernel, 1, off);
		return;
	}
	if (before && same_function(act->names, before, kernel))
		return;
	if (!before && captured_part(act->names, exec, kernel))
		return; /* most likely only the arguments are new */
	part = before ? captured_part(act->names, exec, before) : NULL;
	if (!part) {
		act->inexact |= !exec->incomplete;
		return;
	}
	if (!--part->count)
		parts_take(&act->books->parts, exec->parts, part);
	graph_put(act, exec, act->record->node, kernel, 1, false);
}

static void exec_enable(struct act *act, struct graph *exec)
{
	uint64_t handle = act->record->node;
	struct part *part = parts_of(exec->parts, handle);
	struct launch_entry *kernel = part ? part->kernel : captured_kernel(act);

	if (part) {
		parts_remove(&act->books->parts, exec->parts, handle);
		graph_put(act, exec, handle, kernel, 1, !act->record->enabled);
		return;
	}
	if (act->record->enabled)
		return; /* it was not disabled, or launches nothing */
	part = kernel ? captured_part(act->names, exec, kernel) : NULL;
	if (!part) {
		/* An unknown captured node: it may be a kernel's. */
		act->inexact |= parts_of(exec->parts, 0) != NULL;
		return;
	}
	if (!--part->count)
		parts_take(&act->books->parts, exec->parts, part);
	graph_put(act, exec, handle, kernel, 1, true);
}

static void exec_set_child(struct act *act, struct graph *exec)
{
	if (!parts_remove(&act->books->parts, exec->parts, act->record->node) &&
	    !graph_node_find(act->books, act->record->node))
		act->inexact = true;
	graph_put_all(act, exec, act->record->node,
		      graph_find(&act->books->graphs, act->record->other));
}

static void exec_record(struct act *act)
{
	const struct rec_graph *record = act->record;
	struct graph_tree *tree = &act->books->execs;
	struct graph *exec = graph_find(tree, record->exec);

	if (!exec)
		exec = graph_add(act, tree, record->exec);
	if (!exec)
		return;
	exec_settle(act, exec);
	if (record->role == EXEC_DESTROY) {
		graph_free(act->books, tree, exec);
		return;
	}
	if (record->role == EXEC_CREATE)
		graph_set_site(exec, NULL); /* where it was made is told next */
	if (record->role == EXEC_CREATE || record->role == EXEC_UPDATE)
		exec_fill(act, exec);
	else if (!exec->parts)
		exec_unknown(act, exec, record->call, record->device);
	else if (!graph_own(act, exec))
		; /* no memory: it stays as it was */
	else if (record->role == EXEC_SET_KERNEL)
		exec_set_kernel(act, exec);
	else if (record->role == EXEC_ENABLE)
		exec_enable(act, exec);
	else
		exec_set_child(act, exec);
	exec->epoch = record->epoch;
	exec->launches = 0;
}

/* The books of @act, created if need be; NULL without memory. */
static struct graph_books *books_get(struct graphs *graphs)
{
	if (!graphs->books)
		graphs->books = graph_books_new();
	return graphs->books;
}

static int act_end(struct act *act, struct graphs *graphs)
{
	graphs->inexact |= act->inexact || act->error;
	graphs->updatable |= act->updatable;
	return act->error;
}

int graphs_record(struct graphs *graphs, struct counters *counters, struct own_devices *devices,
		  const struct name_store *names, const struct rec_graph *record)
{
	struct act act = {
		.counters = counters,
		.devices = devices,
		.names = names,
		.books = books_get(graphs),
		.record = record,
	};
	struct graph *graph;

	if (!act.books)
		return -ENOMEM;
	switch (record->role) {
	case GRAPH_CREATE: graph_new(&act, record->graph); break;
	case GRAPH_CLONE: clone_graph(&act); break;
	case GRAPH_DESTROY:
		graph = graph_find(&act.books->graphs, record->graph);
		if (graph)
			graph_free(act.books, &act.books->graphs, graph);
		break;
	case GRAPH_RENAME: rename_graph(&act); break;
	case GRAPH_ADD_KERNEL: add_kernel(&act); break;
	case GRAPH_ADD_CHILD: add_child(&act); break;
	case GRAPH_ADD_EXEC: add_exec(&act); break;
	case GRAPH_REMOVE: remove_node(&act); break;
	case GRAPH_LEARN: learn_node(&act); break;
	case GRAPH_SET_KERNEL: set_kernel(&act); break;
	case GRAPH_SET_CHILD: set_child(&act); break;
	case GRAPH_UPDATABLE: update_by_kernels(&act); break;
	default: exec_record(&act);
	}
	return act_end(&act, graphs);
}

int graphs_made(struct graphs *graphs, const struct rec_instantiated *record)
{
	struct graph *exec = graphs->books ? graph_find(&graphs->books->execs, record->exec) : NULL;
	struct graph_site *site = graph_sites_get(&graphs->sites, record->site, record->stack);

	if (!site)
		return graphs->sites.count < GRAPH_SITES_MAX ? -ENOMEM : 0;
	site->made++;
	site->call = record->call;
	if (exec)
		graph_set_site(exec, site);
	return 0;
}

/* ---- rows ---- */

static void exec_count(struct graph *exec, uint64_t launches)
{
	if (launches <= exec->launches)
		return;
	exec_launched(exec, launches - exec->launches);
	exec->launches = launches;
}

int graphs_row(struct graphs *graphs, struct counters *counters, struct own_devices *devices,
	       const struct graph_key *key, const struct graph_row *row, bool ended)
{
	struct act act = { .counters = counters, .devices = devices, .books = books_get(graphs) };
	struct graph *exec;

	if (!act.books)
		return -ENOMEM;
	exec = graph_find(&act.books->execs, key->exec);
	if (!exec)
		exec = graph_add(&act, &act.books->execs, key->exec);
	if (exec && (!exec->parts || row->epoch > exec->epoch)) {
		/* Its record comes with the next refresh, or never. */
		if (row->epoch && exec->ahead != row->epoch && !ended) {
			exec->ahead = row->epoch;
			return 0;
		}
		act.inexact |= row->epoch != 0;
		exec_unknown(&act, exec, row->call, row->device);
		exec->epoch = row->epoch;
	}
	if (exec && exec->parts && exec->epoch == row->epoch)
		exec_count(exec, row->launches);
	return act_end(&act, graphs);
}

void graphs_last(struct graphs *graphs, const struct graph_key *key, const struct graph_row *row)
{
	struct graph *exec = graphs->books ? graph_find(&graphs->books->execs, key->exec) : NULL;
	struct part *part;

	if (!exec || !exec->parts || exec->epoch != row->epoch)
		return;
	exec_count(exec, row->launches);
	parts_settle(exec->parts);
	for (part = parts_first(exec->parts); part; part = parts_after(part)) {
		struct launch_row *kernel = &part->kernel->row;

		if (part->off || row->last <= kernel->last)
			continue;
		kernel->last = kernel->stream_seen = row->last;
		kernel->last_tid = row->last_tid;
		kernel->stream = row->stream;
	}
}

/* ---- life ---- */

void graphs_settle(struct graphs *graphs)
{
	struct parts *parts;

	if (graphs->books)
		for (parts = graphs->books->parts.first; parts; parts = parts->next)
			parts_settle(parts);
}

void graphs_free(struct graphs *graphs)
{
	graph_books_free(graphs->books);
	graphs->books = NULL;
}
