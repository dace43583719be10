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
	struct entry entry;
	/* 0: nodes of unknown handle. For a child graph's kernels: the node that contains it */
	uint64_t node;
	uint64_t off; /* 1: disabled */
	uint64_t kernel_key;
	struct launch_entry *kernel;
	uint64_t count;
};

struct parts {
	struct parts *next, **link; /* in the program's list */
	struct table table;
	unsigned int owners;
	uint64_t launches; /* not yet passed on to the kernels */
};

struct graph_node;

struct graph {
	struct entry entry;
	uint64_t handle;
	struct parts *parts;      /* NULL of an executable graph: not known yet */
	bool incomplete;          /* it holds more than we know */
	struct graph_node *nodes; /* that have a handle */
	/* of an executable graph */
	uint64_t epoch, launches;    /* what is counted in its parts */
	struct object_site *made_at; /* NULL: not told */
	uint64_t ahead;              /* the epoch of a row whose record was not read yet */
};

/* Where a node is, and its kernel (NULL: a child graph). */
struct graph_node {
	struct entry entry;
	uint64_t handle;
	struct graph_node *next, **before; /* in its graph's list */
	struct graph *graph;               /* NULL: a captured node, whose graph is unknown */
	struct launch_entry *kernel;
	bool updatable; /* kernels may change it */
};

/* A record that is being taken in: its program's state, and its effects. */
struct act {
	struct counters *counters;
	struct own_devices *devices;
	const struct name_store *names;
	struct graphs *books;
	const struct rec_graph *record;
	int error;      /* -ENOMEM, or -ENOSPC: too much for one process */
	bool inexact;   /* it is unknown what the record has changed */
	bool updatable; /* kernels may update a kernel node that is unknown here */
};

/* ---- parts ---- */

/*
 * Launches are counted for the whole, and passed on to its kernels when they are asked for, or when
 * the parts change: so counting a launch costs the same whatever the graph contains.
 */

/* Returns new, empty parts with one owner, or NULL without memory. */
static struct parts *parts_new(struct graphs *books)
{
	struct parts *parts = calloc(1, sizeof(*parts));

	if (!parts)
		return NULL;
	parts->owners = 1;
	parts->next = books->parts;
	parts->link = &books->parts;
	if (parts->next)
		parts->next->link = &parts->next;
	books->parts = parts;
	return parts;
}

static struct parts *parts_share(struct parts *parts)
{
	parts->owners++;
	return parts;
}

static void parts_take(struct graphs *books, struct parts *parts, struct part *part)
{
	books->part_count--;
	books->unnamed -= !part->node;
	table_drop(&parts->table, part);
}

static void parts_settle(struct parts *parts)
{
	struct part *part;

	if (!parts->launches)
		return;
	for (part = table_first(&parts->table); part; part = table_next(part))
		if (!part->off)
			part->kernel->graph_launches =
				add_saturated(part->kernel->graph_launches,
					      multiply_saturated(part->count, parts->launches));
	parts->launches = 0;
}

/* Drops one reference to @parts; the last one frees them. NULL is allowed. */
static void parts_drop(struct graphs *books, struct parts *parts)
{
	if (!parts || --parts->owners)
		return;
	parts_settle(parts);
	while (parts->table.count)
		parts_take(books, parts, table_first(&parts->table));
	*parts->link = parts->next;
	if (parts->next)
		parts->next->link = parts->link;
	free(parts);
}

/* Adds to @parts, which must not be shared. Returns 0, -ENOMEM, or -ENOSPC if there are too many. */
static int parts_add(struct graphs *books, struct parts *parts, uint64_t node,
		     struct launch_entry *kernel, uint64_t count, bool off)
{
	bool is_full = books->part_count >= GRAPH_PARTS_MAX;
	size_t before = parts->table.count;
	const uint64_t key[] = { node, off, (uintptr_t)kernel };
	struct part *part = is_full ? table_find(&parts->table, ARRAY_LEN(key), key) :
				      table_get(&parts->table, ARRAY_LEN(key), key, sizeof(*part));

	if (!part)
		return is_full ? -ENOSPC : -ENOMEM;
	part->count = add_saturated(part->count, count);
	if (parts->table.count == before)
		return 0;
	part->kernel = kernel;
	books->part_count++;
	books->unnamed += !node;
	kernel->in_graph = true;
	return 0;
}

/* Adds all of @from, under the handle @node. */
static int parts_add_all(struct graphs *books, struct parts *parts, uint64_t node,
			 const struct parts *from)
{
	struct part *part;
	int error = 0;

	for (part = table_first(&from->table); part && !error; part = table_next(part))
		if (!part->off)
			error = parts_add(books, parts, node, part->kernel, part->count, false);
	return error;
}

/* The first part of @node, or NULL; and the next one of the same node. */
static struct part *parts_of(const struct parts *parts, uint64_t node)
{
	struct part *part = table_from(&parts->table, KEY(node));

	return part && part->node == node ? part : NULL;
}

static struct part *parts_next(struct part *part)
{
	struct part *next = table_next(part);

	return next && next->node == part->node ? next : NULL;
}

/* Returns whether there was one. */
static bool parts_remove(struct graphs *books, struct parts *parts, uint64_t node)
{
	bool any = false;
	struct part *part;

	while ((part = parts_of(parts, node)) != NULL) {
		parts_take(books, parts, part);
		any = true;
	}
	return any;
}

/* ---- nodes ---- */

/*
 * Graphs and nodes are found by handle. If a handle is given out again, its earlier object is gone,
 * whether or not its end was seen. There is a limit to what is kept for one process; beyond it,
 * act->error is set.
 */

static struct graph_node *graph_node_find(struct graphs *books, uint64_t handle)
{
	return table_find(&books->nodes, KEY(handle));
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

static void graph_node_free(struct graphs *books, struct graph_node *node)
{
	graph_node_unlist(node);
	table_drop(&books->nodes, node);
}

/* The node @handle is now in @graph and has @kernel. */
static void graph_node_set(struct act *act, uint64_t handle, struct graph *graph,
			   struct launch_entry *kernel)
{
	struct table *nodes = &act->books->nodes;
	struct graph_node *node;

	if (!handle)
		return;
	if (nodes->count >= GRAPH_PARTS_MAX && !table_find(nodes, KEY(handle))) {
		act->error = -ENOSPC;
		return;
	}
	node = table_get(nodes, KEY(handle), sizeof(*node));
	if (!node) {
		act->error = -ENOMEM;
		return;
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

static struct graph *graph_find(struct table *graphs, uint64_t handle)
{
	return table_find(graphs, KEY(handle));
}

static void graph_free(struct graphs *books, struct table *graphs, struct graph *graph)
{
	while (graph->nodes)
		graph_node_free(books, graph->nodes);
	parts_drop(books, graph->parts);
	table_drop(graphs, graph);
}

/*
 * Adds a graph without parts. An earlier one with the same handle is gone: its end was not seen.
 * NULL with act->error set.
 */
static struct graph *graph_add(struct act *act, struct table *graphs, uint64_t handle)
{
	struct graph *graph = graph_find(graphs, handle);

	if (graph)
		graph_free(act->books, graphs, graph);
	graph = NULL;
	if (act->books->graphs.count + act->books->execs.count >= GRAPHS_MAX)
		act->error = -ENOSPC;
	else if (!(graph = table_get(graphs, KEY(handle), sizeof(*graph))))
		act->error = -ENOMEM;
	return graph;
}

/* A new, empty graph; or NULL with act->error set. */
static struct graph *graph_new(struct act *act, uint64_t handle)
{
	struct graph *graph = graph_add(act, &act->books->graphs, handle);

	if (!graph)
		return NULL;
	graph->parts = parts_new(act->books);
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
	struct parts *shared = graph->parts, *copy;
	struct part *part;
	int error = 0;

	if (shared->owners == 1) {
		parts_settle(shared);
		return true;
	}
	copy = shared->table.count <= GRAPH_PARTS_MAX - act->books->part_count ?
		       parts_new(act->books) :
		       NULL;
	if (!copy) {
		act->error = shared->table.count <= GRAPH_PARTS_MAX - act->books->part_count ?
				     -ENOMEM :
				     -ENOSPC;
		return false;
	}
	for (part = table_first(&shared->table); part && !error; part = table_next(part))
		error = parts_add(act->books, copy, part->node, part->kernel, part->count,
				  part->off);
	if (error)
		act->error = error;
	else
		graph->parts = copy;
	parts_drop(act->books, error ? copy : shared);
	return !error;
}

/*
 * Adds @kernel (NULL: there was no memory for it) to the parts of @graph, which it must not share.
 */
static void graph_put(struct act *act, struct graph *graph, uint64_t node,
		      struct launch_entry *kernel, uint64_t count, bool off)
{
	int error = kernel ? parts_add(act->books, graph->parts, node, kernel, count, off) :
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
		error = parts_add_all(act->books, graph->parts, node, parts);
	if (error)
		act->error = error;
	parts_drop(act->books, parts);
}

/*
 * @graph, which is not executable, has another handle from now on. An earlier graph with that
 * handle is gone.
 */
static void graph_rename(struct act *act, struct graph *graph, uint64_t handle)
{
	struct table *graphs = &act->books->graphs;
	struct graph *old = graph_find(graphs, handle);

	if (old && old != graph)
		graph_free(act->books, graphs, old);
	table_take(graphs, graph);
	graph->handle = handle;
	table_add(graphs, 1, graph);
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
		error = parts_add_all(act->books, graph->parts, 0, parts);
	if (error)
		act->error = error;
	if (graph)
		graph->incomplete = incomplete;
	parts_drop(act->books, parts);
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
		act->inexact |= act->books->unnamed > 0;
	if (!node)
		return;
	if (node->graph && graph_own(act, node->graph))
		parts_remove(act->books, node->graph->parts, node->handle);
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
	parts_remove(act->books, graph->parts, node->handle);
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
	parts_remove(act->books, node->graph->parts, node->handle);
	graph_put_all(act, node->graph, node->handle,
		      graph_find(&act->books->graphs, act->record->other));
}

/* ---- executable graphs ---- */

/* Replaces the contents of @exec by itself: they are unknown. */
static void exec_unknown(struct act *act, struct graph *exec, unsigned int call, int device)
{
	struct launch_entry *kernel = unknown_kernel(act, exec->handle, call, device);

	parts_drop(act->books, exec->parts);
	exec->parts = parts_new(act->books);
	exec->launches = 0;
	exec->incomplete = true;
	if (!exec->parts)
		act->error = -ENOMEM;
	else
		graph_put(act, exec, 0, kernel, 1, false);
}

static void exec_launched(struct graph *exec, uint64_t launches)
{
	exec->parts->launches = add_saturated(exec->parts->launches, launches);
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
	parts_drop(act->books, exec->parts);
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
		parts_remove(act->books, exec->parts, act->record->node);
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
		parts_take(act->books, exec->parts, part);
	graph_put(act, exec, act->record->node, kernel, 1, false);
}

static void exec_enable(struct act *act, struct graph *exec)
{
	uint64_t handle = act->record->node;
	struct part *part = parts_of(exec->parts, handle);
	struct launch_entry *kernel = part ? part->kernel : captured_kernel(act);

	if (part) {
		parts_remove(act->books, exec->parts, handle);
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
		parts_take(act->books, exec->parts, part);
	graph_put(act, exec, handle, kernel, 1, true);
}

static void exec_set_child(struct act *act, struct graph *exec)
{
	if (!parts_remove(act->books, exec->parts, act->record->node) &&
	    !graph_node_find(act->books, act->record->node))
		act->inexact = true;
	graph_put_all(act, exec, act->record->node,
		      graph_find(&act->books->graphs, act->record->other));
}

static void exec_record(struct act *act)
{
	const struct rec_graph *record = act->record;
	struct table *tree = &act->books->execs;
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
		exec->made_at = NULL; /* where it was made is told next */
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
		.books = graphs,
		.record = record,
	};
	struct graph *graph;

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

void graphs_made(struct graphs *graphs, uint64_t handle, struct object_site *site)
{
	struct graph *exec = graph_find(&graphs->execs, handle);

	if (exec)
		exec->made_at = site;
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
	struct act act = { .counters = counters, .devices = devices, .books = graphs };
	struct graph *exec;

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
	struct graph *exec = graph_find(&graphs->execs, key->exec);
	struct part *part;

	if (!exec || !exec->parts || exec->epoch != row->epoch)
		return;
	exec_count(exec, row->launches);
	parts_settle(exec->parts);
	for (part = table_first(&exec->parts->table); part; part = table_next(part)) {
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

	for (parts = graphs->parts; parts; parts = parts->next)
		parts_settle(parts);
}

void graphs_free(struct graphs *graphs)
{
	while (graphs->graphs.count)
		graph_free(graphs, &graphs->graphs, table_first(&graphs->graphs));
	while (graphs->execs.count)
		graph_free(graphs, &graphs->execs, table_first(&graphs->execs));
	table_free(&graphs->nodes);
}
