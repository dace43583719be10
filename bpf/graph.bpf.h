/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Graphs. The contents of a graph change rarely: each change goes through the ring, and the model
 * keeps track of them. Launches of an executable graph are frequent: they are counted in its row of
 * the map `graphs`, and the model multiplies. When its contents change, the row starts again and
 * the record of the change carries the count so far, so that no launch is attributed to the wrong
 * kernels.
 */
#ifndef GRAPH_BPF_H
#define GRAPH_BPF_H

#include "capture.bpf.h"
#include "context.bpf.h"
#include "launch_rows.bpf.h"

/* cudaGraphNodeTypeKernel and cudaGraphNodeTypeGraph, driver_types.h */
#define NODE_KERNEL 0
#define NODE_GRAPH  4
/* cudaEventRecordExternal and cudaEventWaitExternal, driver_types.h */
#define EVENT_EXTERNAL 1
#define NODE_UNION     16 /* offset of the parameters in cudaGraphNodeParams */

/*
 * struct cudaKernelNodeParams, driver_types.h; CUDA_KERNEL_NODE_PARAMS, cuda.h, has the same layout
 */
struct kernel_node {
	__u64 function;
	__u32 grid[3];
	__u32 block[3];
	__u32 shared_bytes;
	__u32 pad;
	__u64 args, extra;
};

/* offset of the rest of CUDA_KERNEL_NODE_PARAMS: the kernel to use if function is 0 */
#define KERNEL_NODE_KERNEL 56

struct node_key {
	__u64 node;
	/* The executable graph, or the value of graph_nodes(): the graph's own node */
	__u64 instance;
	__u32 program;
	__u32 pad;
};

HASH_MAP(graphs, struct graph_key, struct graph_row, 65536);

static const struct graph_row no_graph;

/*
 * The functions that nodes were last given, so that a program that changes a node's arguments
 * before every launch is reported only once. Nodes without room here are reported again.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 65536);
	__type(key, struct node_key);
	__type(value, __u64);
} node_functions SEC(".maps");

__u64 last_epoch;

/*
 * By program, as `capturing`: how often nodes were removed. Their handles may have been reused
 * since.
 */
__u32 nodes_gone[WATCHFUL_COUNT];

/* Used as the instance for a graph's own nodes, those that exist now. */
static __always_inline __u64 graph_nodes(struct thread_state *thread)
{
	return 1ull << 63 | nodes_gone[thread->program & (WATCHFUL_COUNT - 1)];
}

/* Remembers the function of a node. Returns true if it was the same before. */
static __noinline bool node_known(struct thread_state *thread, __u64 node, __u64 instance,
				  __u64 function)
{
	struct node_key key = { .node = node, .instance = instance, .program = thread->program };
	__u64 *known;

	known = bpf_map_lookup_elem(&node_functions, &key);
	if (known && *known == function)
		return true;
	bpf_map_update_elem(&node_functions, &key, &function, BPF_ANY);
	return false;
}

static __always_inline __u64 word_read(struct thread_state *thread, __u64 at)
{
	__u64 word = 0;

	if (bpf_probe_read_user(&word, sizeof(word), (void *)at))
		count_lost_of(thread->program, LOST_ARGUMENT);
	return word;
}

/*
 * Reads a node's kernel, and makes its row, which also reports its name. Returns the function, 0 if
 * unreadable.
 */
static __noinline __u64 kernel_node_read(struct thread_state *thread, __u64 at, __u16 call)
{
	struct kernel_node node = {};
	struct launch_key key = { .program = thread->program };
	struct launch_row *row;

	if (bpf_probe_read_user(&node, sizeof(node), (void *)at)) {
		count_lost_of(thread->program, LOST_ARGUMENT);
		return 0;
	}
	if (!node.function && desc_of(call)->layer == LAYER_DRIVER)
		node.function = word_read(thread, at + KERNEL_NODE_KERNEL);
	key.call = call;
	key.device = thread->device;
	key.function = node.function;
	row = launch_row_get(&key);
	if (row) {
		__builtin_memcpy(row->grid, node.grid, sizeof(row->grid));
		__builtin_memcpy(row->block, node.block, sizeof(row->block));
		row->shared_bytes = node.shared_bytes;
	}
	return node.function;
}

/*
 * The contents of an executable graph change: its row ends, and a new one begins unless it is
 * @gone.
 */
static __always_inline void exec_turn(struct thread_state *thread, struct rec_graph *rec, bool gone,
				      bool anew)
{
	struct graph_key key = { .exec = rec->exec, .program = thread->program };
	struct graph_row fresh = { .device = thread->device, .call = rec->call };
	struct graph_row *row = bpf_map_lookup_elem(&graphs, &key);

	if (row) {
		rec->before = row->epoch;
		rec->launches = row->launches;
		fresh.instance = row->instance;
	}
	if (gone) {
		bpf_map_delete_elem(&graphs, &key);
		return;
	}
	fresh.epoch = __sync_fetch_and_add(&last_epoch, 1) + 1;
	if (anew || !row)
		fresh.instance = fresh.epoch;
	rec->epoch = fresh.epoch;
	if (bpf_map_update_elem(&graphs, &key, &fresh, BPF_ANY))
		count_lost_of(thread->program, LOST_GRAPHS);
	row_made(ROWS_GRAPHS);
}

static __noinline int exec_launched(struct thread_state *thread, __u64 exec, __u64 stream,
				    __u16 call)
{
	struct graph_key key = { .exec = exec, .program = thread->program };
	struct graph_row *row;

	if (may_capture(thread)) {
		struct rec_graph rec = { .exec = exec, .call = call, .role = GRAPH_ADD_EXEC };

		rec.graph = capture_graph(thread, stream);
		if (rec.graph) {
			graph_send(thread, &rec);
			return 0;
		}
	}
	row = bpf_map_lookup_elem(&graphs, &key);
	if (!row) {
		bpf_map_update_elem(&graphs, &key, &no_graph, BPF_NOEXIST);
		row_made(ROWS_GRAPHS);
		row = bpf_map_lookup_elem(&graphs, &key);
		if (!row) {
			count_lost_of(thread->program, LOST_GRAPHS);
			return 0;
		}
	}
	row->call = call;
	row->device = thread->device;
	if (!(*watchful_of(thread->program) & WATCHFUL_FAULT)) {
		row->last = launch_clock(thread);
		row->last_tid = thread->tid;
		/* The stream_name() of a thread's own stream */
		row->stream = (__u32)stream == 2 ? 2 : stream;
	}
	__sync_fetch_and_add(&row->launches, 1);
	return 0;
}

/* The calls around a capture, at their return. */
static __noinline int capture_done(struct thread_state *thread, struct frame *frame, __u32 call,
				   __s32 result)
{
	const volatile struct call_desc *desc = desc_of(call);
	struct rec_graph rec = { .call = call };
	__u64 stream, number;
	__u8 role = desc->a;

	if (role == CAPTURE_BEGIN) {
		if (result)
			return 0;
		stream = stream_name(thread, frame->graph.begin.stream, desc->flags);
		/* An earlier capture there has ended, though its end was not seen. */
		rec.graph = may_capture(thread) ? capture_end(thread, stream) : 0;
		rec.role = GRAPH_DESTROY;
		if (rec.graph)
			graph_send(thread, &rec);
		number = capture_begin(thread, stream, frame->graph.begin.graph);
		rec.role = GRAPH_CREATE;
		rec.graph = number;
		if (number && !frame->graph.begin.graph)
			graph_send(thread, &rec);
		return 0;
	}
	if (!may_capture(thread))
		return 0;
	/*
	 * External events are recorded or waited for when the graph runs: no stream joins the
	 * capture.
	 */
	if ((role == CAPTURE_RECORD || role == CAPTURE_WAIT) &&
	    frame->graph.wait.flags & EVENT_EXTERNAL)
		return 0;
	if (role == CAPTURE_RECORD) {
		if (!result)
			capture_record(thread, frame->graph.record.event,
				       stream_name(thread, frame->graph.record.stream,
						   desc->flags));
		return 0;
	}
	stream = stream_name(thread, frame->graph.wait.stream, desc->flags);
	if (role == CAPTURE_WAIT) {
		if (!result)
			capture_join(thread, stream, frame->graph.wait.event);
		return 0;
	}
	/*
	 * Only the thread that began it may end it; and if the stream was not destroyed, the
	 * capture goes on.
	 */
	if (result == 908 || (result && role == CAPTURE_LEAVE))
		return 0;
	rec.graph = capture_end(thread, stream);
	if (!rec.graph)
		return 0;
	rec.role = GRAPH_DESTROY;
	if (!result && role == CAPTURE_END && frame->graph.end.graph_at) {
		rec.role = GRAPH_RENAME;
		rec.other = word_read(thread, frame->graph.end.graph_at);
	}
	graph_send(thread, &rec);
	return 0;
}

/*
 * Turns a call that takes any kind of node into the call for its kind. Returns false for kinds that
 * launch nothing, and for a child graph that is only queried.
 */
static __always_inline bool node_kind(struct thread_state *thread, __u8 *role, __u64 *at)
{
	__u32 kind = word_read(thread, *at);

	if (kind != NODE_KERNEL && (kind != NODE_GRAPH || *role == GRAPH_LEARN_NODE))
		return false;
	*at += NODE_UNION;
	if (kind == NODE_GRAPH)
		*at = word_read(thread, *at);
	switch (*role) {
	case GRAPH_ADD_NODE:
		*role = kind == NODE_KERNEL ? GRAPH_ADD_KERNEL : GRAPH_ADD_CHILD;
		break;
	case GRAPH_SET_NODE:
		*role = kind == NODE_KERNEL ? GRAPH_SET_KERNEL : GRAPH_SET_CHILD;
		break;
	case GRAPH_LEARN_NODE: *role = GRAPH_LEARN; break;
	default: *role = kind == NODE_KERNEL ? EXEC_SET_KERNEL : EXEC_SET_CHILD;
	}
	return true;
}

/* Changes to a graph that is not executable, by a call that succeeded. */
static __noinline int graph_done(struct thread_state *thread, struct frame *frame, __u16 call,
				 __u8 role)
{
	struct rec_graph rec = { .call = call };
	bool same;

	switch (role) {
	case GRAPH_CREATE:
	case GRAPH_CLONE:
		rec.graph = word_read(thread, frame->graph.create.graph_at);
		rec.other = frame->graph.create.origin;
		break;
	case GRAPH_DESTROY:
		rec.graph = frame->graph.destroy.graph;
		__sync_fetch_and_add(&nodes_gone[thread->program & (WATCHFUL_COUNT - 1)], 1);
		break;
	case GRAPH_REMOVE:
		rec.node = frame->graph.remove.node;
		__sync_fetch_and_add(&nodes_gone[thread->program & (WATCHFUL_COUNT - 1)], 1);
		break;
	case GRAPH_UPDATABLE: rec.node = frame->graph.attribute.node; break;
	case GRAPH_SET_CHILD:
		rec.node = frame->graph.set.node;
		rec.other = frame->graph.set.params;
		break;
	case GRAPH_ADD_KERNEL:
	case GRAPH_ADD_CHILD:
		rec.graph = frame->graph.add.graph;
		if (frame->graph.add.node_at)
			rec.node = word_read(thread, frame->graph.add.node_at);
		if (role == GRAPH_ADD_CHILD) {
			rec.other = frame->graph.add.params;
			break;
		}
		rec.function = frame->graph.function;
		node_known(thread, rec.node, graph_nodes(thread), rec.function);
		break;
	default: /* GRAPH_LEARN, GRAPH_SET_KERNEL */
		rec.node = frame->graph.set.node;
		rec.function = frame->graph.function;
		same = node_known(thread, rec.node, graph_nodes(thread), rec.function);
		if (same)
			return 0;
	}
	rec.role = role;
	graph_send(thread, &rec);
	return 0;
}

/* Changes to an executable graph, by a call that succeeded. */
static __noinline int exec_done(struct thread_state *thread, struct frame *frame, __u16 call,
				__u8 role)
{
	struct rec_graph rec = { .call = call, .role = role };
	struct graph_row *row;
	struct graph_key key = {};

	rec.exec = frame->graph.update.exec;
	switch (role) {
	case EXEC_CREATE:
		rec.exec = word_read(thread, frame->graph.instantiate.exec_at);
		rec.graph = frame->graph.instantiate.graph;
		break;
	case EXEC_UPDATE: rec.graph = frame->graph.update.graph; break;
	case EXEC_SET_CHILD:
		rec.node = frame->graph.exec_set.node;
		rec.other = frame->graph.exec_set.params;
		break;
	case EXEC_ENABLE:
		rec.node = frame->graph.enable.node;
		rec.enabled = (__u32)frame->graph.enable.enabled != 0;
		break;
	case EXEC_SET_KERNEL:
		rec.node = frame->graph.exec_set.node;
		rec.function = frame->graph.function;
		key.exec = rec.exec;
		key.program = thread->program;
		row = bpf_map_lookup_elem(&graphs, &key);
		if (row && node_known(thread, rec.node, row->instance, rec.function))
			return 0;
		break;
	}
	exec_turn(thread, &rec, role == EXEC_DESTROY,
		  role == EXEC_CREATE || role == EXEC_UPDATE || role == EXEC_SET_CHILD);
	graph_send(thread, &rec);
	return 0;
}

static __always_inline int graph_entry(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct frame *frame = run->frame;

	if (desc->a == EXEC_LAUNCH && run->thread->gap_from)
		gap_end(run->thread);
	frame->graph.words[0] = call_arg(run->ctx, desc->b);
	frame->graph.words[1] = desc->c == NO_ARG ? 0 : call_arg(run->ctx, desc->c);
	frame->graph.words[2] = desc->d == NO_ARG ? 0 : call_arg(run->ctx, desc->d);
	/*
	 * Before CUDA 13 cudaGraphAddNode() had one argument less: a number is where the parameters
	 * are now.
	 */
	if (desc->a == GRAPH_ADD_NODE && frame->graph.add.params < SMALL_NUMBER)
		frame->graph.add.params = call_arg(run->ctx, desc->d + 1);
	return call_entered(run);
}

static __always_inline void graph_return(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;
	__s32 result = run->result;
	__u32 call = run->call;
	__u8 role = desc->a;

	if (role == CAPTURE_LEAVE && !result)
		stream_forget(thread, frame->graph.end.stream);
	if (role <= CAPTURE_LEAVE)
		capture_done(thread, frame, call, result);
	if (role <= CAPTURE_LEAVE || result)
		return;
	if (role == GRAPH_UPDATABLE &&
	    ((__u32)frame->graph.attribute.number != ATTRIBUTE_UPDATABLE ||
	     (__u32)word_read(thread, frame->graph.attribute.value) != 1))
		return;
	if (role == EXEC_LAUNCH) {
		exec_launched(thread, frame->graph.launch.exec,
			      stream_name(thread, frame->graph.launch.stream, desc->flags), call);
		return;
	}
	if (role == GRAPH_ADD_NODE || role == EXEC_SET_NODE) {
		if (!node_kind(thread, &role, &frame->graph.words[2]))
			return;
	} else if (role == GRAPH_SET_NODE || role == GRAPH_LEARN_NODE) {
		if (!node_kind(thread, &role, &frame->graph.words[1]))
			return;
	}
	/*
	 * Here, not where it is needed: the stacks of functions that call each other have to fit
	 * into 512 bytes together.
	 */
	if (role == GRAPH_ADD_KERNEL || role == EXEC_SET_KERNEL)
		frame->graph.function = kernel_node_read(thread, frame->graph.words[2], call);
	else if (role == GRAPH_LEARN || role == GRAPH_SET_KERNEL)
		frame->graph.function = kernel_node_read(thread, frame->graph.words[1], call);
	if (role >= EXEC_CREATE && role < EXEC_LAUNCH)
		exec_done(thread, frame, call, role);
	else
		graph_done(thread, frame, call, role);
}

#endif
