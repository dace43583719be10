/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What suites about graphs share: one process with three kernels, and what BPF says of the graphs
 * that it makes of them.
 */
#ifndef UNIT_ONE_GRAPH_H
#define UNIT_ONE_GRAPH_H

#include <string.h>

#include "one_process.h"

/* Addresses, as a program would have them. */
enum {
	ADD = 0x5000,
	SAXPY = 0x6000,
	REDUCE = 0x7000,
	GRAPH = 0x100000,
	CLONE = 0x100040,
	CHILD = 0x100080,
	NODE = 0x200000,
	EXEC = 0x300000,
	OTHER = 0x300040
};
#define CAPTURE (CAPTURE_BIT | 1)

static uint64_t epoch;

static inline void setup_kernels(void)
{
	setup();
	feed_kernel(&feed, ADD, ADD, NAME_REGISTERED, "add");
	feed_kernel(&feed, SAXPY, SAXPY, NAME_REGISTERED, "saxpy");
	feed_kernel(&feed, REDUCE, REDUCE, NAME_REGISTERED, "reduce");
	epoch = 0;
}

static inline int send(struct rec_graph record, unsigned int role)
{
	feed.now += 1000;
	record.hdr = (struct rec_hdr){
		.type = REC_GRAPH,
		.size = sizeof(record),
		.program = feed.program,
		.time = feed.now,
		.tgid = feed.pid,
		.tid = feed.pid,
	};
	record.role = (__u8)role;
	record.device = feed.device;
	if (!record.call)
		record.call = CALL_cudaGraphAddKernelNode;
	return model_record(feed.model, &record.hdr, sizeof(record));
}

#define SEND(role, ...) ck_assert_int_eq(send((struct rec_graph){ __VA_ARGS__ }, role), 0)

/* What the BPF side says when what @exec holds changes: @launches of the former epoch. */
#define CHANGE(role, exec_, launches_, ...) \
	do { \
		SEND(role, .exec = exec_, .before = epoch, .launches = launches_, \
		     .epoch = epoch + 1, .call = CALL_cudaGraphInstantiate, __VA_ARGS__); \
		epoch++; \
	} while (0)

static inline int row_at(uint64_t exec, uint64_t at, uint64_t launches)
{
	struct graph_key key = { .exec = exec, .program = feed.program };
	struct graph_row row = { .launches = launches,
				 .epoch = at,
				 .call = CALL_cudaGraphLaunch,
				 .device = feed.device };

	return model_graph_row(feed.model, &key, &row);
}

static inline void row(uint64_t exec, uint64_t launches)
{
	ck_assert_int_eq(row_at(exec, epoch, launches), 0);
}

/* How often graphs ran kernel @name. */
static inline uint64_t ran(const char *name)
{
	size_t i;

	for (i = 0; i < process->kernel_count; i++)
		if (!strcmp(process->kernels[i].name, name))
			return process->kernels[i].graph_launches;
	return 0;
}

static inline void add_node(uint64_t graph, uint64_t node, uint64_t function)
{
	SEND(GRAPH_ADD_KERNEL, .graph = graph, .node = node, .function = function);
}

/* A graph of one add and two saxpy nodes, by hand. */
static inline void make_graph(void)
{
	SEND(GRAPH_CREATE, .graph = GRAPH);
	add_node(GRAPH, NODE, ADD);
	add_node(GRAPH, NODE + 1, SAXPY);
	add_node(GRAPH, NODE + 2, SAXPY);
}

#endif
