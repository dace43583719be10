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

#include "model/graph_books.h"
#include "model/limits.h"

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
