/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Images: who they are, how they begin, end and are forgotten; records that make no sense. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "cutop_allocator.h"
#include "one_process.h"
#include "run_tests.h"

FIXTURE(setup_empty, teardown);

TEST(identity)
{
	static const char strings[] = "ana\0python\0train.py --lr 1\0docker-abc\0pod-1";

	feed_process(&feed);
	look();
	ck_assert_uint_eq(process->pid, 4242);
	ck_assert_str_eq(process->command, "python");
	ck_assert_ptr_null(process->container);
	ck_assert(!process->from_attach);
	feed_identity(&feed, true, strings, sizeof(strings));
	look();
	ck_assert_str_eq(process->user, "ana");
	ck_assert_str_eq(process->arguments, "train.py --lr 1");
	ck_assert_str_eq(process->container, "docker-abc");
	ck_assert_str_eq(process->pod, "pod-1");
	ck_assert_uint_eq(process->ns_pid, 7);
	ck_assert_uint_eq(process->uid, 1000);
	ck_assert_uint_eq(process->start_time, 1700000000 * SECOND + 1);
	ck_assert(process->from_attach);
}

TEST(identity_is_cleaned_and_may_be_cut)
{
	static const char strings[] = "a\033]0;x\007\0p\xff\xc3\xa9\0arg";

	feed_identity(&feed, false, strings, sizeof(strings) - 1); /* the last is not ended */
	look();
	ck_assert_str_eq(process->user, "a?]0;x?");
	ck_assert_str_eq(process->command, "p?\xc3\xa9");
	ck_assert_str_eq(process->arguments, "arg");
}

TEST(devices_by_the_machines_numbers)
{
	static const char strings[] = "ana\0python\0train.py\0\0\0"
				      "5,2";

	feed_identity(&feed, false, strings, sizeof(strings));
	feed.device = 0;
	feed_alloc(&feed, 0x10000, 100);
	feed.device = 1;
	feed_alloc(&feed, 0x20000, 200);
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x1000, 3);
	/* A copy whose device only the books know becomes a row like those that BPF counts. */
	feed.device = CUTOP_DEVICE_UNKNOWN;
	feed_copy(&feed, 0x20000, 0x10, 8, DIR_DEFAULT, 0, 0);
	feed_reset(&feed, 0);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
	ck_assert_str_eq(process->device_list, "2,5");
	ck_assert_uint_eq(process->leaked, 100);
	ck_assert_uint_eq(process->live, 200);
	ck_assert_int_eq(process->map[0].device, 2);
	ck_assert_int_eq(process->map[1].device, 5);
	ck_assert_int_eq(process->copies[0].device, 2);
}

/* Its devices are known only after it has worked on one. */
TEST(devices_that_become_known)
{
	static const char unknown[] = "ana\0python\0train.py\0\0\0-1,-1";
	static const char known[] = "ana\0python\0train.py\0\0\0"
				    "5,2";

	feed_identity(&feed, false, unknown, sizeof(unknown));
	feed.device = 1;
	feed_alloc(&feed, 0x10000, 100);
	look();
	ck_assert_str_eq(process->device_list, "");
	ck_assert_int_eq(process->map[0].device, -1);
	feed_identity(&feed, false, known, sizeof(known));
	look();
	ck_assert_str_eq(process->device_list, "2");
	ck_assert_int_eq(process->map[0].device, 2);
	ck_assert_uint_eq(process->uses[0].live, 100);
	/* They are learned once. */
	feed_identity(&feed, false, unknown, sizeof(unknown));
	feed_alloc(&feed, 0x20000, 10);
	look();
	ck_assert_str_eq(process->device_list, "2");
}

/* Titles, the second one shorter, and without arguments; its label is what it was. */
TEST(titles)
{
	static const char first[] = "ana\0ray::train(x=1) [1/8]\0of job 7\0",
			  second[] = "ana\0ray::IDLE\0\0";

	feed_process(&feed);
	look();
	ck_assert_ptr_null(process->label);
	feed.has_title = true;
	feed_identity(&feed, false, first, sizeof(first));
	look();
	ck_assert_str_eq(process->command_line, "ray::train(x=1) [1/8] of job 7");
	ck_assert_str_eq(command_basename(process->command), "ray::train(x=1) [1/8]");
	ck_assert_str_eq(command_basename("/opt/my app/python"), "python");
	ck_assert_str_eq(process->label, "python");
	feed_identity(&feed, false, second, sizeof(second));
	look();
	ck_assert_str_eq(process->command_line, "ray::IDLE");
	ck_assert_str_eq(process->label, "python");
}

static const struct snap_device *device_of(int device)
{
	for (size_t i = 0; i < snapshot->device_count; i++)
		if (snapshot->devices[i].device == device)
			return &snapshot->devices[i];
	return NULL;
}

static uint64_t tracked(int device)
{
	return device_of(device) ? device_of(device)->tracked : 0;
}

static void bring_block(int device, uint64_t address, int64_t bytes)
{
	struct rec_block record = {
		.hdr = { .type = REC_BLOCK,
			 .size = sizeof(record),
			 .program = feed.program,
			 .time = feed.now,
			 .tgid = feed.pid },
		.address = address,
		.bytes = bytes,
		.site = 0x402000,
		.device = device,
	};

	feed_give(&feed, &record, sizeof(record));
}

/* An environment that could not be read in time: what came before counts where it is. */
TEST(devices_that_become_known_late)
{
	static const char strings[] = "ana\0python\0train.py\0\0\0"
				      "2,0";
	static const char none[] = "ana\0python\0train.py\0\0";

	feed.pid = 1;
	feed.program = 9;
	feed_process(&feed);
	feed_size(&feed, 0, 7 * MIB);
	feed_alloc(&feed, 0x10000, 70);
	feed.pid = 4242;
	feed.program = 1;
	feed_process(&feed);
	feed_size(&feed, 0, 10 * MIB);
	feed_alloc(&feed, 0x10000, 4096);
	feed_alloc(&feed, 0x20000, 100);
	feed_alloc(&feed, 0x30000, 1);
	feed_alloc(&feed, 0x30000, 1000); /* the free of what was there is to come */
	feed.device = 1;
	feed_alloc(&feed, 0x40000, 50);
	bring_block(0, 0x10000, 512);
	bring_block(1, 0x40000, 8);
	look();
	ck_assert_str_eq(process->device_list, "0-1");
	ck_assert_uint_eq(tracked(0), 5266);
	ck_assert_uint_eq(device_of(0)->total, 0); /* of two sizes */
	feed_identity(&feed, false, strings, sizeof(strings));
	feed_identity(&feed, false, none, sizeof(none)); /* tells nothing else */
	feed.device = 0;
	feed_alloc(&feed, 0x50000, 3);
	feed_free(&feed, 0x20000, 0);
	bring_block(1, 0x40000, -8);
	look();
	ck_assert_str_eq(process->device_list, "0,2");
	ck_assert_uint_eq(process->use_count, 2);
	ck_assert_int_eq(process->uses[0].device, 0);
	ck_assert_uint_eq(process->uses[0].live, 50);
	ck_assert_int_eq(process->uses[1].device, 2);
	ck_assert_uint_eq(process->uses[1].live, 4096 + 1000 + 3);
	ck_assert_uint_eq(tracked(0), 70 + 50);
	ck_assert_uint_eq(tracked(1), 0);
	ck_assert_uint_eq(tracked(2), 4096 + 1000 + 3);
	ck_assert_uint_eq(device_of(0)->total, 7 * MIB);
	ck_assert_uint_eq(device_of(2)->total, 10 * MIB);
	ck_assert_uint_eq(process->allocator_count, 2);
	ck_assert_int_eq(process->allocators[0].device, 0);
	ck_assert_uint_eq(process->allocators[0].allocated, 0);
	ck_assert_int_eq(process->allocators[1].device, 2);
	ck_assert_uint_eq(process->allocators[1].allocated, 512);
	feed_reset(&feed, 0);
	look();
	ck_assert_uint_eq(process->live, 50);
	ck_assert_uint_eq(tracked(2), 0);
}

/* Several devices may become unknown ones. */
TEST(devices_that_stay_unknown)
{
	static const char strings[] = "ana\0python\0train.py\0\0\0"
				      "-1,-1";

	feed_process(&feed);
	for (feed.device = 0; feed.device < 2; feed.device++) {
		feed_alloc(&feed, 0x10000 + 0x10000 * (uint64_t)feed.device, 100);
		bring_block(feed.device, 0x10000 + 0x10000 * (uint64_t)feed.device, 10);
	}
	feed_identity(&feed, false, strings, sizeof(strings));
	bring_block(1, 0x20000, -10);
	look();
	ck_assert_str_eq(process->device_list, "");
	ck_assert_uint_eq(process->use_count, 1);
	ck_assert_int_eq(process->uses[0].device, CUTOP_DEVICE_UNKNOWN);
	ck_assert_uint_eq(process->uses[0].live, 200);
	ck_assert_uint_eq(tracked(0) + tracked(1), 0);
	ck_assert_uint_eq(process->allocator_count, 1);
}

TEST(without_identity)
{
	feed_alloc(&feed, 0x1000, 5);
	look();
	ck_assert_uint_eq(process->pid, 4242);
	ck_assert_str_eq(process->user, "0");
	ck_assert_str_eq(process->command, "");
	ck_assert_uint_eq(process->start_time, 1700000000 * SECOND + 1000);
}

TEST(rows_before_their_process)
{
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 10);
	model_sync(feed.model, feed.program, 5);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->process_count, 0);
	feed_process(&feed);
	look();
	ck_assert_uint_eq(process->launches, 10);
}

TEST(exec_ends_the_old_program)
{
	feed_process(&feed);
	feed_alloc(&feed, 0x10000, 100);
	feed_exit(&feed, END_EXEC, 0);
	feed.program = 2;
	feed_process(&feed);
	feed_alloc(&feed, 0x10000, 7);
	look();
	ck_assert_uint_eq(snapshot->process_count, 2);
	ck_assert_uint_eq(process->live, 7);
	ck_assert(!process->exited);
	feed.program = 1;
	process = feed_find(&feed, snapshot);
	ck_assert(process->exited);
	ck_assert_int_eq(process->end_reason, END_EXEC);
	ck_assert_uint_eq(process->leaked, 100);
	ck_assert_uint_eq(process->pid, 4242);
	ck_assert_uint_eq(snapshot->live, 7);
	ck_assert_uint_eq(snapshot->leaked, 100);
}

TEST(pid_is_used_again)
{
	feed_process(&feed);
	feed_alloc(&feed, 0x10000, 100);
	feed_exit(&feed, END_EXIT, 9);
	feed.program = 5;
	feed_process(&feed);
	feed_free(&feed, 0x10000, 0);
	look();
	ck_assert_uint_eq(process->unknown_frees, 1);
	ck_assert_uint_eq(process->leaked, 0);
	feed.program = 1;
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->leaked, 100);
	ck_assert(snapshot->processes[0].program == 1 && snapshot->processes[1].program == 5);
}

TEST(fork_owns_nothing)
{
	feed_process(&feed);
	feed_alloc(&feed, 0x10000, 100);
	feed.program = 2;
	feed.pid = 4243;
	feed_process(&feed);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->leaked, 0);
	feed.program = 1;
	process = feed_find(&feed, snapshot);
	ck_assert_uint_eq(process->live, 100);
}

TEST(an_end_that_was_missed)
{
	feed_process(&feed);
	feed_alloc(&feed, 0x10000, 100);
	feed.program = 2;
	feed_process(&feed);
	feed.program = 1;
	look();
	ck_assert(process->exited);
	ck_assert(process->inexact);
	ck_assert_uint_eq(process->leaked, 100);
	ck_assert_uint_eq(snapshot->process_count, 2);
	feed.program = 2;
	process = feed_find(&feed, snapshot);
	ck_assert(!process->exited);
}

/* It may be told after all, once its row is believed: how it ended is known then. */
TEST(an_end_that_comes_late)
{
	const char *text;

	feed_process(&feed);
	feed_alloc(&feed, 0x10000, 100);
	feed.program = 2;
	feed_process(&feed);
	feed.program = 1;
	look();
	ck_assert_uint_eq(count_events(snapshot, EVENT_END, &text), 1);
	ck_assert_str_eq(text, "python train.py has ended: how was not seen");
	ck_assert(process->end_is_guess);
	feed_exit(&feed, END_EXEC, 0);
	look();
	ck_assert(process->exited && !process->end_is_guess);
	ck_assert_int_eq(process->end_reason, END_EXEC);
	ck_assert_uint_eq(process->leaked, 100);
	ck_assert_uint_eq(snapshot->leaked, 100);
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 0);
	ck_assert_uint_eq(count_events(snapshot, EVENT_END, &text), 2);
	ck_assert_str_eq(text, "python train.py ran 0.00s, then became another program");
	/* But only once. */
	ck_assert_int_eq(feed_offer_exit(&feed, END_EXIT, 1), -EINVAL);
	look();
	ck_assert_int_eq(process->end_reason, END_EXEC);
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 1);
	feed.program = 2;
	ck_assert(!feed_find(&feed, snapshot)->exited);
}

/* A name may come first, and say of no process. Programs of different processes end no other. */
TEST(a_name_before_the_process)
{
	uint32_t program;

	for (program = 1; program <= 2; program++) {
		feed.program = program;
		feed.pid = 0;
		feed_text(&feed, REC_SITE, 0x401000, 0, "main");
		feed.pid = 4242 + program;
		feed_process(&feed);
		feed_alloc(&feed, 0x10000, 100);
	}
	for (program = 1; program <= 2; program++) {
		feed.program = program;
		look();
		ck_assert_uint_eq(process->pid, 4242 + program);
		ck_assert_uint_eq(process->live, 100);
		ck_assert(!process->exited);
	}
}

TEST(rows_and_names_after_the_end)
{
	feed_process(&feed);
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 10);
	feed_exit(&feed, END_EXIT, 0);
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 12);
	feed_kernel(&feed, 0x5000, 0, NAME_REGISTERED, "_Z3addPf");
	ck_assert_int_eq(feed_alloc_as(&feed, CALL_cudaMalloc, KIND_DEVICE, 0x1000, 5, 0), -EINVAL);
	look();
	ck_assert_uint_eq(process->launches, 12);
	ck_assert_str_eq(process->kernels[0].name, "add");
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 1);
}

TEST(exited_are_cleared)
{
	feed_process(&feed);
	feed_exit(&feed, END_EXIT, 0);
	feed.program = 2;
	feed_process(&feed);
	model_clear_exited(feed.model);
	look();
	ck_assert_uint_eq(snapshot->process_count, 1);
	/* Its rows may still be read once more: they do not bring it back. */
	feed.program = 1;
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 12);
	model_sync(feed.model, 1, 5);
	snapshot_free(snapshot);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->process_count, 1);
	ck_assert_uint_eq(snapshot->launches, 0);
}

TEST(cleared_still_count)
{
	feed_process(&feed);
	feed_alloc(&feed, 0x10000, 1000);
	feed_exit(&feed, END_EXIT, 0);
	model_clear_exited(feed.model);
	/* Its last rows come before the next snapshot. */
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 7);
	model_graphs_done(feed.model, 1);
	feed.program = 2;
	feed.pid = 4343;
	feed_process(&feed);
	feed_exit(&feed, END_EXIT, 0);
	look();
	/* Who ended later is listed. */
	ck_assert_uint_eq(snapshot->process_count, 1);
	ck_assert_uint_eq(snapshot->processes[0].program, 2);
	ck_assert_uint_eq(snapshot->gone.processes, 1);
	ck_assert_uint_eq(snapshot->gone.leaked, 1000);
	ck_assert_uint_eq(snapshot->gone.launches, 7);
	ck_assert_uint_eq(snapshot->gone.calls, 8);
	ck_assert_uint_eq(snapshot->leaked, 1000);
	ck_assert_uint_eq(snapshot->launches, 7);
	ck_assert(!snapshot->gone.from_attach && !snapshot->gone.inexact &&
		  !snapshot->gone.sampled && !snapshot->gone.unreturned);
}

TEST(what_the_gone_were_is_kept)
{
	static const char strings[] = "ana\0./leaky\0\0\0";

	feed_process(&feed);
	feed_identity(&feed, true, strings, sizeof(strings));
	feed_text(&feed, REC_SITE, feed.site, SITE_IS_HELD, "libcublas.so");
	feed_alloc(&feed, 0x10000, 1000);
	model_inexact(feed.model, 1, 0);
	model_unreturned(feed.model, 1, UNRETURNED_ASKED);
	feed_exit(&feed, END_EXIT, 0);
	model_graphs_done(feed.model, 1);
	model_clear_exited(feed.model);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->process_count, 0);
	ck_assert_uint_eq(snapshot->gone.held, 1000);
	ck_assert_uint_eq(snapshot->gone.leaked, 0);
	ck_assert(snapshot->gone.from_attach && snapshot->gone.inexact &&
		  snapshot->gone.unreturned);
}

TEST(oldest_exited_are_dropped)
{
	uint32_t i;

	for (i = 1; i <= 1003; i++) {
		feed.program = i;
		feed.pid = i;
		feed_process(&feed);
		feed_alloc(&feed, 0x10000, i);
		if (i != 2)
			feed_exit(&feed, END_EXIT, 0);
		if (i != 1)
			model_graphs_done(feed.model, i);
	}
	look();
	/* Rows of the first are still to come: it stays, and the next goes in its place. */
	feed.program = 1;
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 7);
	snapshot_free(snapshot);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->process_count, 1001);
	ck_assert_uint_eq(snapshot->gone.processes, 2);
	ck_assert_uint_eq(snapshot->gone.leaked, 3 + 4);
	ck_assert_uint_eq(snapshot->launches, 7);
	model_graphs_done(feed.model, 1);
	feed.program = 1004;
	feed.pid = 1004;
	feed_process(&feed);
	feed_exit(&feed, END_EXIT, 0);
	model_graphs_done(feed.model, 1004);
	snapshot_free(snapshot);
	snapshot = feed_snapshot(&feed);
	/* What they did still counts: 1 to 1,003 without the one that runs. */
	ck_assert_uint_eq(snapshot->gone.processes, 3);
	ck_assert_uint_eq(snapshot->gone.launches, 7);
	ck_assert_uint_eq(snapshot->gone.leaked, 1 + 3 + 4);
	ck_assert_uint_eq(snapshot->leaked, 1003 * 1004 / 2 - 2);
	ck_assert_uint_eq(snapshot->launches, 7);
	/* 1,000 exited ones and the one that runs. */
	ck_assert_uint_eq(snapshot->process_count, 1001);
	ck_assert_uint_eq(snapshot->processes[0].pid, 2);
	ck_assert_uint_eq(snapshot->processes[1].pid, 5);
	ck_assert_uint_le(snapshot->event_count, 256);
	ck_assert_uint_eq(snapshot->event_count, 256);
	for (i = 1; i < snapshot->event_count; i++)
		ck_assert_uint_le(snapshot->events[i - 1].time, snapshot->events[i].time);
}

TEST(ended_before_the_first_snapshot)
{
	feed_process(&feed);
	feed_launches(&feed, CALL_cudaLaunchKernel, 0x5000, 10);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert(isnan(process->launches_per_second));
	feed.now += SECOND;
	look();
	ck_assert_double_eq(process->launches_per_second, 0);
	ck_assert_double_eq(snapshot->launches_per_second, 0);
}

TEST(records_that_lie)
{
	union {
		struct rec_hdr hdr;
		struct rec_text text;
		struct rec_kernel kernel;
		struct rec_alloc alloc;
		char bytes[256];
	} record = { .hdr = { .type = REC_ALLOC,
			      .size = sizeof(struct rec_alloc),
			      .program = 1,
			      .tgid = 1 } };

	ck_assert_int_eq(model_record(feed.model, &record.hdr, 0), -EINVAL);
	ck_assert_int_eq(model_record(feed.model, &record.hdr, sizeof(struct rec_alloc) - 1),
			 -EINVAL);
	record.hdr.size = sizeof(struct rec_hdr);
	ck_assert_int_eq(model_record(feed.model, &record.hdr, sizeof(record)), -EINVAL);
	record.hdr.size = sizeof(struct rec_alloc);
	record.alloc.call = CALL_COUNT;
	ck_assert_int_eq(model_record(feed.model, &record.hdr, sizeof(record)), -EINVAL);
	record.alloc.call = 0;
	record.alloc.kind = KIND_COUNT;
	ck_assert_int_eq(model_record(feed.model, &record.hdr, sizeof(record)), -EINVAL);
	record.hdr.type = 33;
	ck_assert_int_eq(model_record(feed.model, &record.hdr, sizeof(record)), -EINVAL);
	memset(&record, 0, sizeof(record));
	record.hdr = (struct rec_hdr){ .type = REC_KERNEL,
				       .size = sizeof(struct rec_kernel) + 8,
				       .program = 1 };
	record.kernel.name_len = 9;
	ck_assert_int_eq(model_record(feed.model, &record.hdr, sizeof(record)), -EINVAL);
	record.hdr = (struct rec_hdr){ .type = REC_SITE,
				       .size = sizeof(struct rec_text) + 8,
				       .program = 1 };
	record.text.text_len = 0xffffffff;
	ck_assert_int_eq(model_record(feed.model, &record.hdr, sizeof(record)), -EINVAL);
	record.hdr = (struct rec_hdr){ .type = REC_EXEC, .size = sizeof(struct rec_exec) };
	ck_assert_int_eq(model_record(feed.model, &record.hdr, sizeof(record)), 0);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 8);
}

TEST(random_bytes_do_no_harm)
{
	static const unsigned char types[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 64, 65, 66 };
	unsigned char *buffer;
	struct rec_hdr hdr;
	unsigned int i, j;

	srandom(7);
	for (i = 0; i < 30000; i++) {
		size_t len = sizeof(hdr) + (size_t)random() % 200;

		/*
		 * Of its exact length and at an odd address, so that a sanitizer sees a step beside
		 * it.
		 */
		buffer = malloc(len + 1);
		for (j = 0; j < len; j++)
			buffer[1 + j] = random() % 3 ? (unsigned char)(random() % 4) :
						       (unsigned char)random();
		hdr = (struct rec_hdr){
			.type = types[(unsigned long)random() % sizeof(types)],
			.size = (__u16)((size_t)random() % (len + 4)),
			.program = (__u32)random() % 8,
			.time = feed.now += 1000000,
			.tgid = (__u32)random() % 5,
		};
		memcpy(buffer + 1, &hdr, sizeof(hdr));
		model_record(feed.model, (void *)(buffer + 1), len);
		free(buffer);
		if (i % 3000 == 0)
			snapshot_free(feed_snapshot(&feed));
	}
	snapshot = feed_snapshot(&feed);
}
