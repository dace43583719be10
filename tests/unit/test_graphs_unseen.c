/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Graphs of which something is missing: made before cutop looked, captured without a record of each
 * node, of a lost record, or of a process that has gone.
 */
#include "model/allocations.h"
#include "model/limits.h"
#include "one_graph.h"
#include "run_tests.h"

FIXTURE(setup_kernels, teardown);

TEST(what_nobody_saw_made)
{
	size_t i;

	ck_assert_int_eq(row_at(EXEC, 0, 12), 0);
	look();
	ck_assert_uint_eq(process->kernel_count, 1);
	ck_assert_str_eq(process->kernels[0].name, "graph 0x300000");
	ck_assert(process->kernels[0].is_graph);
	ck_assert_uint_eq(process->kernels[0].graph_launches, 12);
	ck_assert(!process->inexact);
	/* updated to a graph we know: from here on its kernels count */
	make_graph();
	SEND(EXEC_UPDATE, .exec = EXEC, .graph = GRAPH, .launches = 20, .epoch = 1);
	epoch = 1;
	row(EXEC, 2);
	/* a graph that was there before holds more than what was added since */
	add_node(CLONE, NODE + 5, REDUCE);
	SEND(EXEC_CREATE, .exec = OTHER, .graph = CLONE, .epoch = 2,
	     .call = CALL_cudaGraphInstantiate);
	ck_assert_int_eq(row_at(OTHER, 2, 4), 0);
	look();
	ck_assert_uint_eq(ran("graph 0x300000"), 20);
	ck_assert_uint_eq(ran("add"), 2);
	ck_assert_uint_eq(ran("reduce"), 4);
	ck_assert_uint_eq(ran("graph 0x300040"), 4);
	for (i = 0; i < process->kernel_count; i++)
		ck_assert_int_eq(process->kernels[i].is_graph,
				 !strncmp(process->kernels[i].name, "graph", 5));
}

TEST(a_lost_record_is_not_guessed)
{
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	row(EXEC, 2);
	/* epoch 2 was lost, and what it held is unknown */
	ck_assert_int_eq(row_at(EXEC, 2, 5), 0);
	look();
	ck_assert(!process->inexact);
	ck_assert_int_eq(row_at(EXEC, 2, 6), 0);
	look();
	ck_assert(process->inexact);
	ck_assert_uint_eq(ran("add"), 2);
	ck_assert_uint_eq(ran("graph 0x300000"), 6);
	/* and epoch 3 as well, which the record of epoch 4 tells of */
	SEND(EXEC_UPDATE, .exec = EXEC, .graph = GRAPH, .before = 3, .launches = 9, .epoch = 4);
	epoch = 4;
	row(EXEC, 1);
	look();
	ck_assert_uint_eq(ran("graph 0x300000"), 15);
	ck_assert_uint_eq(ran("add"), 3);
}

TEST(a_row_is_final_when_its_process_is_gone)
{
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	feed_exit(&feed, END_EXIT, 0);
	row(EXEC, 2);
	ck_assert_int_eq(row_at(OTHER, 9, 5), 0);
	model_graphs_done(feed.model, feed.program);
	model_graphs_done(feed.model, 4711);
	look();
	ck_assert_uint_eq(ran("add"), 2);
	ck_assert_uint_eq(ran("saxpy"), 4);
	ck_assert_uint_eq(ran("graph 0x300040"), 5);
	ck_assert(process->inexact);
}

TEST(captured_nodes_are_known_once_asked_for)
{
	SEND(GRAPH_CREATE, .graph = GRAPH);
	add_node(GRAPH, 0, ADD);
	add_node(GRAPH, 0, SAXPY);
	add_node(GRAPH, 0, SAXPY);
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	/* new arguments of a node we do not know */
	CHANGE(EXEC_SET_KERNEL, EXEC, 0, .node = NODE + 7, .function = ADD);
	/* asked for by a handle of the same kernel */
	feed_kernel(&feed, 0x9000, SAXPY, NAME_NONE, "");
	SEND(GRAPH_LEARN, .node = NODE, .function = 0x9000);
	CHANGE(EXEC_SET_KERNEL, EXEC, 1, .node = NODE, .function = SAXPY);
	CHANGE(EXEC_SET_KERNEL, EXEC, 10, .node = NODE, .function = REDUCE);
	CHANGE(EXEC_ENABLE, EXEC, 100, .node = NODE, .enabled = 0);
	row(EXEC, 1000);
	look();
	ck_assert_uint_eq(ran("add"), 1111);
	ck_assert_uint_eq(ran("saxpy"), 2 + 20 + 100 + 1000);
	ck_assert_uint_eq(ran("reduce"), 100);
	ck_assert(!process->inexact);
	/* another kernel in a node of which nothing is known cannot be followed */
	CHANGE(EXEC_SET_KERNEL, EXEC, 1000, .node = NODE + 9, .function = REDUCE + 1);
	look();
	ck_assert(process->inexact);
}

/*
 * What is taken out of a graph whose nodes we cannot tell apart, or disabled, is not known: that is
 * said.
 */
TEST(nodes_of_clones_are_not_known)
{
	make_graph();
	SEND(GRAPH_CLONE, .graph = CLONE, .other = GRAPH);
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = CLONE);
	/* asked for, as a captured one */
	SEND(GRAPH_LEARN, .node = NODE + 10, .function = ADD);
	CHANGE(EXEC_ENABLE, EXEC, 1, .node = NODE + 10, .enabled = 0);
	row(EXEC, 10);
	look();
	ck_assert_uint_eq(ran("add"), 1);
	ck_assert_uint_eq(ran("saxpy"), 22);
	ck_assert(!process->inexact);
	CHANGE(EXEC_ENABLE, EXEC, 10, .node = NODE + 11, .enabled = 0);
	look();
	ck_assert(process->inexact);
}

TEST(nodes_taken_out_unknown)
{
	make_graph();
	SEND(GRAPH_REMOVE, .node = NODE + 20); /* a copy's, say */
	look();
	ck_assert(!process->inexact);
	SEND(GRAPH_CLONE, .graph = CLONE, .other = GRAPH);
	SEND(GRAPH_DESTROY, .graph = CLONE);
	SEND(GRAPH_REMOVE, .node = NODE + 20);
	look();
	ck_assert(!process->inexact);
	SEND(GRAPH_CREATE, .graph = CHILD);
	add_node(CHILD, 0, ADD);
	SEND(GRAPH_REMOVE, .node = NODE + 2);
	look();
	ck_assert(!process->inexact);
	SEND(GRAPH_REMOVE, .node = NODE + 20);
	look();
	ck_assert(process->inexact);
}

TEST(nodes_of_the_graph_itself)
{
	make_graph();
	SEND(GRAPH_SET_KERNEL, .node = NODE, .function = REDUCE);
	SEND(GRAPH_CREATE, .graph = CHILD);
	add_node(CHILD, NODE + 5, ADD);
	SEND(GRAPH_ADD_CHILD, .graph = GRAPH, .node = NODE + 6, .other = CLONE);
	SEND(GRAPH_SET_CHILD, .node = NODE + 6, .other = CHILD);
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = CHILD);
	CHANGE(EXEC_CREATE, OTHER, 0, .graph = GRAPH);
	row(OTHER, 1);
	look();
	ck_assert_uint_eq(ran("add"), 1);
	ck_assert_uint_eq(ran("saxpy"), 2);
	ck_assert_uint_eq(ran("reduce"), 1);
	/* the child that was there at first was not seen made */
	ck_assert_uint_eq(ran("graph 0x300040"), 1);
	CHANGE(EXEC_SET_CHILD, OTHER, 1, .node = NODE + 6, .other = CHILD);
	row(OTHER, 1);
	look();
	ck_assert_uint_eq(ran("add"), 2);
}
