/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Graphs: what they hold, what launches of them come to, and how much of it one process may make us
 * keep. What is not known of them: test_graphs_unseen.c.
 */
#include <string.h>

#include "model/allocations.h"
#include "model/limits.h"
#include "one_graph.h"
#include "run_tests.h"

/* The executable graph was made at @site. */
static void made(uint64_t exec, uint64_t site)
{
	feed.site = site;
	feed_object(&feed, OBJECT_GRAPH, CALL_cudaGraphInstantiate, exec);
}

static void assert_made(size_t i, const char *site, uint64_t count, uint64_t live,
			uint64_t launches)
{
	ck_assert_uint_gt(process->graph_site_count, i);
	ck_assert_str_eq(process->graph_sites[i].where.site, site);
	ck_assert_uint_eq(process->graph_sites[i].made, count);
	ck_assert_uint_eq(process->graph_sites[i].live, live);
	ck_assert_uint_eq(process->graph_sites[i].launches, launches);
}

FIXTURE(setup_kernels, teardown);

TEST(where_executable_graphs_are_made)
{
	feed_text(&feed, REC_SITE, PLACE_PYTHON | 1, 0, "capture at train.py:12 (python)");
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	made(EXEC, PLACE_PYTHON | 1);
	row(EXEC, 10);
	look();
	ck_assert_uint_eq(process->graph_site_count, 1);
	assert_made(0, "capture at train.py:12 (python)", 1, 1, 10);
	/* Updated, it is still the one that was made there. */
	CHANGE(EXEC_UPDATE, EXEC, 12, .graph = GRAPH);
	row(EXEC, 3);
	/* Its handle is given out again, though its end was not seen. */
	CHANGE(EXEC_CREATE, EXEC, 5, .graph = GRAPH);
	made(EXEC, 0x402000);
	row(EXEC, 1);
	look();
	ck_assert_uint_eq(process->graph_site_count, 2);
	assert_made(0, "capture at train.py:12 (python)", 1, 0, 17);
	assert_made(1, "0x402000", 1, 1, 1);
	CHANGE(EXEC_DESTROY, EXEC, 4);
	made(OTHER, PLACE_PYTHON | 1); /* the record of what it holds was lost */
	look();
	assert_made(0, "capture at train.py:12 (python)", 2, 1, 17);
	assert_made(1, "0x402000", 1, 0, 4);
	ck_assert_uint_eq(process->graph_sites[0].call, CALL_cudaGraphInstantiate);
}

TEST(what_was_made_is_known_after_the_end)
{
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	made(EXEC, 0x402000);
	row(EXEC, 10);
	feed_exit(&feed, END_EXIT, 0);
	model_graphs_done(feed.model, feed.program);
	look();
	assert_made(0, "0x402000", 1, 1, 10);
}

TEST(a_launch_runs_what_the_graph_holds)
{
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	row(EXEC, 10);
	look();
	ck_assert_uint_eq(ran("add"), 10);
	ck_assert_uint_eq(ran("saxpy"), 20);
	ck_assert_uint_eq(process->graph_launches, 30);
	ck_assert_uint_eq(process->launches, 0);
	ck_assert_uint_eq(snapshot->graph_launches, 30);
	ck_assert(!process->inexact);
	/* busiest first */
	ck_assert_str_eq(process->kernels[0].name, "saxpy");
	feed.now += 2 * SECOND;
	row(EXEC, 10);
	row(EXEC, 30);
	look();
	ck_assert_uint_eq(ran("add"), 30);
	ck_assert_double_eq_tol(process->graph_launches_per_second, 30, 1e-6);
	ck_assert_double_eq_tol(process->kernels[0].graph_launches_per_second, 20, 1e-6);
}

TEST(a_node_never_launched_is_no_kernel)
{
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	look();
	ck_assert_uint_eq(process->kernel_count, 0);
}

TEST(own_launches_stay_apart)
{
	struct launch_key key = { .program = feed.program,
				  .call = CALL_cudaLaunchKernel,
				  .function = ADD };
	struct launch_row launches = { .launches = 7, .captured = 3, .samples = 7 };

	ck_assert_int_eq(model_launch_row(feed.model, &key, &launches), 0);
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	row(EXEC, 100);
	look();
	ck_assert_uint_eq(process->kernel_count, 2);
	ck_assert_str_eq(process->kernels[0].name, "saxpy");
	ck_assert_uint_eq(process->kernels[1].launches, 7);
	ck_assert_uint_eq(process->kernels[1].captured, 3);
	ck_assert_uint_eq(process->kernels[1].graph_launches, 100);
	ck_assert_uint_eq(process->launches, 7);
}

TEST(captures_become_graphs)
{
	SEND(GRAPH_CREATE, .graph = CAPTURE);
	add_node(CAPTURE, 0, ADD);
	add_node(CAPTURE, 0, SAXPY);
	add_node(CAPTURE, 0, SAXPY);
	SEND(GRAPH_RENAME, .graph = CAPTURE, .other = GRAPH);
	/* the next one, which comes to nothing */
	SEND(GRAPH_CREATE, .graph = CAPTURE + 1);
	add_node(CAPTURE + 1, 0, REDUCE);
	SEND(GRAPH_DESTROY, .graph = CAPTURE + 1);
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	row(EXEC, 5);
	look();
	ck_assert_uint_eq(ran("add"), 5);
	ck_assert_uint_eq(ran("saxpy"), 10);
	ck_assert_uint_eq(ran("reduce"), 0);
}

TEST(a_graph_may_go_and_change_after)
{
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	add_node(GRAPH, NODE + 3, REDUCE);
	SEND(GRAPH_REMOVE, .node = NODE);
	row(EXEC, 1);
	SEND(GRAPH_DESTROY, .graph = GRAPH);
	row(EXEC, 2);
	look();
	ck_assert_uint_eq(ran("add"), 2);
	ck_assert_uint_eq(ran("saxpy"), 4);
	ck_assert_uint_eq(ran("reduce"), 0);
}

TEST(clones_and_children)
{
	make_graph();
	SEND(GRAPH_CLONE, .graph = CLONE, .other = GRAPH);
	add_node(CLONE, NODE + 3, REDUCE);
	SEND(GRAPH_CREATE, .graph = CHILD);
	SEND(GRAPH_ADD_CHILD, .graph = CHILD, .node = NODE + 8, .other = CLONE);
	SEND(GRAPH_ADD_CHILD, .graph = CHILD, .node = NODE + 9, .other = CLONE);
	SEND(GRAPH_REMOVE, .node = NODE + 9);
	SEND(GRAPH_ADD_CHILD, .graph = CHILD, .other = CHILD); /* no driver takes this */
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = CHILD);
	row(EXEC, 1);
	look();
	ck_assert_uint_eq(ran("add"), 2);
	ck_assert_uint_eq(ran("saxpy"), 4);
	ck_assert_uint_eq(ran("reduce"), 2);
}

TEST(changes_count_from_where_they_are)
{
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	row(EXEC, 4);
	CHANGE(EXEC_SET_KERNEL, EXEC, 10, .node = NODE, .function = REDUCE);
	CHANGE(EXEC_ENABLE, EXEC, 1, .node = NODE + 1, .enabled = 0);
	CHANGE(EXEC_ENABLE, EXEC, 100, .node = NODE + 1, .enabled = 1);
	row(EXEC, 1000);
	look();
	ck_assert_uint_eq(ran("add"), 10);
	ck_assert_uint_eq(ran("reduce"), 1101);
	ck_assert_uint_eq(ran("saxpy"), 20 + 2 + 100 + 2000);
	ck_assert(!process->inexact);
	CHANGE(EXEC_UPDATE, EXEC, 1000, .graph = GRAPH);
	row(EXEC, 1);
	CHANGE(EXEC_DESTROY, EXEC, 2);
	look();
	ck_assert_uint_eq(ran("add"), 12);
	ck_assert_uint_eq(ran("saxpy"), 2122 + 4);
}

TEST(rows_and_records_may_cross)
{
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	row(EXEC, 3);
	/*
	 * The row is read before the record that ended its epoch: it says nothing yet of what
	 * follows ...
	 */
	ck_assert_int_eq(row_at(EXEC, epoch + 1, 50), 0);
	look();
	ck_assert_uint_eq(ran("add"), 3);
	CHANGE(EXEC_SET_KERNEL, EXEC, 8, .node = NODE, .function = REDUCE);
	look();
	ck_assert_uint_eq(ran("add"), 8);
	/* ... and an old one says nothing any more. */
	ck_assert_int_eq(row_at(EXEC, epoch - 1, 8), 0);
	row(EXEC, 50);
	look();
	ck_assert_uint_eq(ran("add"), 8);
	ck_assert_uint_eq(ran("reduce"), 50);
	ck_assert(!process->inexact);
}

TEST(a_handle_used_again_is_another)
{
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	CHANGE(EXEC_DESTROY, EXEC, 5);
	SEND(GRAPH_DESTROY, .graph = GRAPH);
	SEND(GRAPH_CREATE, .graph = GRAPH);
	add_node(GRAPH, NODE, REDUCE);
	epoch = 7;
	SEND(EXEC_CREATE, .exec = EXEC, .graph = GRAPH, .epoch = 7);
	row(EXEC, 3);
	look();
	ck_assert_uint_eq(ran("add"), 5);
	ck_assert_uint_eq(ran("saxpy"), 10);
	ck_assert_uint_eq(ran("reduce"), 3);
}

TEST(an_instance_in_a_capture)
{
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	CHANGE(EXEC_ENABLE, EXEC, 0, .node = NODE, .enabled = 0);
	SEND(GRAPH_CREATE, .graph = CAPTURE);
	SEND(GRAPH_ADD_EXEC, .graph = CAPTURE, .exec = EXEC);
	SEND(GRAPH_RENAME, .graph = CAPTURE, .other = CLONE);
	CHANGE(EXEC_CREATE, OTHER, 0, .graph = CLONE);
	row(OTHER, 3);
	look();
	ck_assert_uint_eq(ran("saxpy"), 6);
	ck_assert_uint_eq(ran("add"), 0);
}

TEST(a_fault_may_be_a_graphs)
{
	struct graph_key key = { .exec = EXEC, .program = feed.program };
	struct graph_row last = { .launches = 5,
				  .call = CALL_cudaGraphLaunch,
				  .last = 77,
				  .last_tid = 3,
				  .stream = 0x40 };
	struct launch_key own = { .program = feed.program,
				  .call = CALL_cudaLaunchKernel,
				  .function = REDUCE };
	struct launch_row launches = {
		.launches = 1, .last = 99, .stream_seen = 99, .stream = 0x80
	};
	const struct snap_detail *detail = NULL;
	size_t i;

	model_graph_last(feed.model, &key, &last); /* of a graph not known at all */
	make_graph();
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	CHANGE(EXEC_ENABLE, EXEC, 0, .node = NODE, .enabled = 0);
	ck_assert_int_eq(model_launch_row(feed.model, &own, &launches), 0);
	last.epoch = epoch + 1;
	/* Of what it will hold, which no record told of yet */
	model_graph_last(feed.model, &key, &last);
	last.epoch = epoch;
	model_graph_last(feed.model, &key, &last);
	feed_fail(&feed, CALL_cudaStreamSynchronize, 700);
	row(EXEC, 5);
	look();
	for (i = 0; i < snapshot->event_count; i++)
		if (snapshot->events[i].kind == EVENT_FAULT)
			detail = snapshot->events[i].detail;
	ck_assert_ptr_nonnull(detail);
	ck_assert_uint_eq(detail->suspect_count, 2);
	ck_assert_str_eq(detail->suspects[0].kernel, "reduce");
	ck_assert_str_eq(detail->suspects[1].kernel, "saxpy");
	ck_assert_uint_eq(detail->suspects[1].launches, 10);
	ck_assert_uint_eq(detail->suspects[1].stream, 0x40);
	ck_assert(detail->suspects[1].stream_exact);
	ck_assert_uint_eq(ran("saxpy"), 10);
}

TEST(bounds_hold)
{
	size_t i;

	/* nodes */
	SEND(GRAPH_CREATE, .graph = GRAPH);
	for (i = 0; i < GRAPH_PARTS_MAX + 10; i++)
		ck_assert_int_eq(send((struct rec_graph){ .graph = GRAPH,
							  .node = NODE + i,
							  .function = ADD },
				      GRAPH_ADD_KERNEL),
				 0);
	look();
	ck_assert(process->inexact);
	ck_assert_uint_ge(snapshot->lost[LOST_GRAPHS], 10);
	/* it is shared, and cannot be copied for want of room: it stays as it was */
	CHANGE(EXEC_CREATE, EXEC, 0, .graph = GRAPH);
	CHANGE(EXEC_ENABLE, EXEC, 0, .node = NODE, .enabled = 0);
	row(EXEC, 1);
	look();
	ck_assert_uint_eq(ran("add"), GRAPH_PARTS_MAX);
	/* counts that no number holds */
	row(EXEC, UINT64_MAX);
	look();
	ck_assert_uint_eq(ran("add"), UINT64_MAX);
	SEND(GRAPH_DESTROY, .graph = GRAPH);
	CHANGE(EXEC_DESTROY, EXEC, 0);
	/* graphs */
	for (i = 0; i < GRAPHS_MAX + 10; i++)
		SEND(GRAPH_CREATE, .graph = GRAPH + i);
	look();
	ck_assert_uint_ge(snapshot->lost[LOST_GRAPHS], 20);
}

TEST(nonsense_is_refused)
{
	struct graph_key key = { .exec = EXEC, .program = feed.program };
	struct graph_row bad = { .launches = 1, .call = CALL_cudaMalloc };

	ck_assert_int_ne(send((struct rec_graph){ .graph = GRAPH }, GRAPH_ROLE_COUNT), 0);
	ck_assert_int_ne(send((struct rec_graph){ .graph = GRAPH }, EXEC_LAUNCH), 0);
	ck_assert_int_ne(send((struct rec_graph){ .graph = GRAPH }, CAPTURE_BEGIN), 0);
	ck_assert_int_ne(
		send((struct rec_graph){ .graph = GRAPH, .call = CALL_COUNT }, GRAPH_CREATE), 0);
	ck_assert_int_eq(model_graph_row(feed.model, &key, &bad), 0);
	bad.call = CALL_COUNT;
	ck_assert_int_eq(model_graph_row(feed.model, &key, &bad), 0);
	look();
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 6);
	ck_assert_uint_eq(process->kernel_count, 0);
	/* things that are not there */
	SEND(GRAPH_DESTROY, .graph = GRAPH);
	SEND(GRAPH_REMOVE, .node = NODE);
	SEND(GRAPH_RENAME, .graph = CAPTURE, .other = GRAPH);
	SEND(GRAPH_ADD_EXEC, .graph = CAPTURE, .exec = EXEC);
	SEND(GRAPH_SET_CHILD, .node = NODE, .other = GRAPH);
	SEND(GRAPH_CLONE, .graph = GRAPH, .other = GRAPH);
	CHANGE(EXEC_SET_CHILD, EXEC, 0, .node = NODE, .other = GRAPH);
	CHANGE(EXEC_DESTROY, OTHER, 0);
	look();
}

static uint32_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

/* Whatever comes in whatever order: it must be right about its own memory, and end. */
TEST_LOOP(any_order, 8)
{
	int i;

	seed = 20240 + (uint32_t)_i;
	for (i = 0; i < 20000; i++) {
		struct rec_graph record = {
			.graph = below(8),
			.other = below(8),
			.exec = below(4),
			.node = below(16),
			.function = 1 + below(6),
			.before = below(4),
			.epoch = below(4),
			.launches = below(3),
			.enabled = (__u8)below(2),
			.call = CALL_cudaGraphInstantiate,
		};

		send(record, GRAPH_CREATE + below(GRAPH_ROLE_COUNT - GRAPH_CREATE));
		made(below(4), below(8));
		row_at(below(4), below(5), below(5));
		if (!(i % 1000))
			look();
	}
	feed_exit(&feed, END_EXIT, 0);
	model_graphs_done(feed.model, feed.program);
	look();
}

/* ---- other objects, which are counted as executable graphs are ---- */

enum { MAKER = 0x402000, OTHER_MAKER = 0x403000, OWN = 0x900000 };

static void object(enum object_kind kind, unsigned int call, uint64_t handle, uint64_t site)
{
	feed.site = site;
	feed_object(&feed, kind, call, handle);
}

static void assert_objects(size_t i, const char *kind, uint64_t count, uint64_t live, uint64_t left)
{
	ck_assert_uint_gt(process->object_site_count, i);
	ck_assert_str_eq(process->object_sites[i].kind, kind);
	ck_assert_uint_eq(process->object_sites[i].made, count);
	ck_assert_uint_eq(process->object_sites[i].live, live);
	ck_assert_uint_eq(process->object_sites[i].left, left);
}

TEST(objects_are_counted_where_they_are_made)
{
	for (uint64_t i = 0; i < 10; i++)
		object(OBJECT_STREAM, CALL_cudaStreamCreate, 0x1000 + i, MAKER);
	/* Handles are of a kind; one of an object that was made unseen means nothing. */
	object(OBJECT_EVENT, CALL_cudaEventCreate, 0x1000, OTHER_MAKER);
	object(OBJECT_STREAM, CALL_cudaStreamDestroy, 0x1001, 0);
	object(OBJECT_STREAM, CALL_cudaStreamDestroy, 0x1001, 0);
	object(OBJECT_STREAM, CALL_cudaStreamDestroy, 0x9999, 0);
	/* Given out again, though its end was not seen. */
	object(OBJECT_STREAM, CALL_cudaStreamCreate, 0x1002, OTHER_MAKER);
	object(OBJECT_MODULE, CALL_cuModuleLoadData, 0x7000, MAKER);
	feed_map(&feed, MAP_UNLOAD, 0x7000, 0, 0);
	look();
	ck_assert_uint_eq(process->object_site_count, 4);
	assert_objects(0, "stream", 10, 8, 0);
	assert_objects(1, "event", 1, 1, 0);
	assert_objects(2, "stream", 1, 1, 0);
	assert_objects(3, "module", 1, 0, 0);
	ck_assert_uint_eq(process->graph_site_count, 0);
	ck_assert(!process->inexact);
	feed_exit(&feed, END_EXIT, 0);
	look();
	assert_objects(0, "stream", 10, 8, 0);
}

TEST(what_a_contexts_end_ends)
{
	object(OBJECT_CONTEXT, CALL_cuCtxCreate_v2, OWN, MAKER);
	object(OBJECT_EVENT, CALL_cudaEventCreate, 1, MAKER);
	object(OBJECT_MODULE, CALL_cuLibraryLoadData, 2, MAKER);
	feed.context = OWN;
	object(OBJECT_STREAM, CALL_cuStreamCreate, 3, MAKER);
	feed.context = 0;
	feed.device = 1;
	object(OBJECT_STREAM, CALL_cudaStreamCreate, 4, OTHER_MAKER);
	feed_context_end(&feed, 0, OWN);
	look();
	ck_assert_uint_eq(process->object_site_count, 5);
	assert_objects(0, "event", 1, 1, 0);
	assert_objects(1, "module", 1, 1, 0);
	assert_objects(2, "stream", 1, 1, 0);
	/* It was destroyed; the stream in it was not. */
	for (size_t i = 3; i < 5; i++)
		assert_objects(i, process->object_sites[i].kind, 1, 0,
			       !strcmp(process->object_sites[i].kind, "stream"));
	/* A library is of no context. */
	feed_reset(&feed, 0);
	look();
	assert_objects(0, "module", 1, 1, 0);
	assert_objects(1, "stream", 1, 1, 0);
	ck_assert_uint_eq(process->object_sites[2].live + process->object_sites[3].live, 0);
}

/* Under --budget calls that are only counted are given up: then nothing is known of events. */
TEST(objects_of_calls_that_are_given_up)
{
	struct rec_cost cost = {
		.hdr = { .type = REC_COST, .size = sizeof(cost), .program = feed.program },
		.since = { [SPARE_CALLS] = 1 },
	};

	object(OBJECT_STREAM, CALL_cudaStreamCreate, 1, MAKER);
	object(OBJECT_EVENT, CALL_cudaEventCreate, 2, MAKER);
	feed_give(&feed, &cost, sizeof(cost));
	object(OBJECT_EVENT, CALL_cudaEventDestroy, 2, 0);
	look();
	ck_assert_uint_eq(process->object_site_count, 2);
	assert_objects(0, "stream", 1, 1, 0);
	assert_objects(1, "event", 1, 0, 0);
	object(OBJECT_EVENT, CALL_cudaEventCreate, 3, MAKER);
	look();
	assert_objects(0, "event", 2, 1, 0);
}

TEST(objects_are_bounded)
{
	for (uint64_t i = 0; i < OBJECTS_MAX + 10; i++)
		object(OBJECT_EVENT, CALL_cudaEventCreate, i, MAKER);
	look();
	assert_objects(0, "event", OBJECTS_MAX + 10, OBJECTS_MAX, 0);
	ck_assert_uint_eq(snapshot->lost[LOST_GRAPHS], 10);
	ck_assert(process->inexact);
	for (uint64_t i = 0; i < OBJECTS_MAX + 10; i++)
		object(OBJECT_EVENT, CALL_cudaEventDestroy, i, 0);
	for (uint64_t i = 0; i < OBJECT_SITES_MAX + 10; i++)
		object(OBJECT_EVENT, CALL_cudaEventCreate, i, MAKER + i);
	look();
	ck_assert_uint_eq(process->object_site_count, OBJECT_SITES_MAX);
	ck_assert_uint_eq(snapshot->lost[LOST_GRAPHS], 20);
}
