/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where kernels are launched and where threads wait: samples that add up, sites that are one,
 * limits.
 */
#include <string.h>

#include "cuda/calls.h"
#include "model/limits.h"
#include "model/stream.h"
#include "one_process.h"
#include "run_tests.h"

#define KERNEL 0x5000
#define HERE   0x401000
#define THERE  0x402000

/*
 * @launches (of a wait its nanoseconds) more at @site by way of @stack, of which @samples were
 * looked at.
 */
static void give(unsigned int call, uint64_t function, uint64_t site, uint64_t stack,
		 uint64_t launches, uint64_t samples)
{
	bool is_wait = call_descs[call].class != CLASS_LAUNCH;
	struct rec_call_site_row record = {
		.hdr = { .type = REC_CALL_SITE, .size = sizeof(record), .program = feed.program },
		.key = { .launch = { .program = feed.program,
				     .call = (__u16)call,
				     .function = function },
			 .site = site,
			 .stack = stack },
		.row = { .launches = is_wait ? 0 : launches,
			 .samples = samples,
			 .ns = is_wait ? launches : 0 },
	};

	feed_give(&feed, &record, sizeof(record));
}

static void launched(uint64_t site, uint64_t launches, uint64_t samples)
{
	give(CALL_cudaLaunchKernel, KERNEL, site, 0, launches, samples);
}

static uint64_t launches_at(uint64_t site)
{
	size_t i;

	for (i = 0; i < process->launch_site_count; i++)
		if (process->launch_sites[i].address == site)
			return process->launch_sites[i].launches;
	return 0;
}

FIXTURE(setup, teardown);

TEST(samples_add_up_to_the_launches)
{
	feed_launches(&feed, CALL_cudaLaunchKernel, KERNEL, 1001);
	feed_kernel(&feed, KERNEL, 0, NAME_REGISTERED, "scale");
	feed_text(&feed, REC_SITE, HERE, 0, "step+0x10 (program)");
	launched(HERE, 1, 1);
	launched(HERE, 640, 10);
	launched(THERE, 320, 5);
	look();
	ck_assert_uint_eq(process->launch_site_count, 2);
	ck_assert_str_eq(process->launch_sites[0].at.site, "step+0x10 (program)");
	ck_assert_str_eq(process->launch_sites[0].kernel->name, "scale");
	ck_assert(process->kernels[0].has_sites);
	ck_assert_uint_eq(process->launch_sites[0].samples, 11);
	ck_assert(process->launch_sites[0].sampled && process->launch_sites[1].sampled);
	ck_assert_uint_eq(launches_at(HERE) + launches_at(THERE), 1001);
	ck_assert_uint_eq(launches_at(THERE), 1001 * 320 / 961);
	/*
	 * What the records say stays as it is: with more launches, and more samples, all is
	 * reckoned anew.
	 */
	feed_launches(&feed, CALL_cudaLaunchKernel, KERNEL, 1922);
	launched(THERE, 961, 15);
	look();
	ck_assert_uint_eq(launches_at(HERE), 641);
	ck_assert_uint_eq(launches_at(THERE), 1281);
}

TEST(all_of_them_are_exact)
{
	feed_launches(&feed, CALL_cudaLaunchKernel, KERNEL, 30);
	feed_launches(&feed, CALL_cudaLaunchKernel, KERNEL + 8, 7);
	launched(HERE, 20, 20);
	launched(THERE, 10, 10);
	give(CALL_cudaLaunchKernel, KERNEL + 8, HERE, 0, 7, 7);
	look();
	ck_assert_uint_eq(process->launch_site_count, 3);
	ck_assert_uint_eq(process->launch_sites[0].launches, 20);
	ck_assert_uint_eq(process->launch_sites[1].launches, 10);
	ck_assert_uint_eq(process->launch_sites[2].launches, 7);
	ck_assert(!process->launch_sites[0].sampled && !process->launch_sites[2].sampled);
	ck_assert_uint_eq(process->launch_sites[2].kernel->function, KERNEL + 8);
	/* One more that the row of the kernel did not have yet when it was read. */
	launched(HERE, 1, 1);
	look();
	ck_assert_uint_eq(process->launch_sites[0].launches, 21);
	ck_assert(!process->launch_sites[0].sampled);
}

/* Only a kernel's first launch was looked at: all are taken to come from there. */
TEST(one_sample_stands_for_all)
{
	feed_launches(&feed, CALL_cudaLaunchKernel, KERNEL, 40);
	launched(HERE, 1, 1);
	look();
	ck_assert_uint_eq(process->launch_sites[0].launches, 40);
	ck_assert_uint_eq(process->launch_sites[0].samples, 1);
	ck_assert(process->launch_sites[0].sampled);
	/* A kernel that is not known has what the samples say. */
	give(CALL_cudaLaunchKernel, 0x9000, HERE, 0, 65, 2);
	look();
	ck_assert_uint_eq(process->launch_site_count, 2);
	ck_assert_uint_eq(process->launch_sites[0].launches, 65);
	ck_assert_ptr_null(process->launch_sites[0].kernel);
	ck_assert(process->launch_sites[0].sampled);
}

/* Two handles of one kernel, launched at one place. */
TEST(one_kernel_has_a_site_once)
{
	feed_kernel(&feed, KERNEL, 0x400500, NAME_REGISTERED, "scale");
	feed_kernel(&feed, KERNEL + 8, 0x400500, NAME_REGISTERED, "scale");
	feed_launches(&feed, CALL_cudaLaunchKernel, KERNEL, 5);
	feed_launches(&feed, CALL_cudaLaunchKernel, KERNEL + 8, 3);
	launched(HERE, 5, 5);
	give(CALL_cudaLaunchKernel, KERNEL + 8, HERE, 0, 3, 3);
	look();
	ck_assert_uint_eq(process->kernel_count, 1);
	ck_assert_uint_eq(process->launch_site_count, 1);
	ck_assert_uint_eq(process->launch_sites[0].launches, 8);
	ck_assert_ptr_eq(process->launch_sites[0].kernel, &process->kernels[0]);
}

TEST(ways_to_one_place_are_two)
{
	feed.site = HERE;
	feed_stack(&feed, 7, 3, 0x500000);
	feed_stack(&feed, 8, 2, 0x600000);
	feed_launches(&feed, CALL_cudaLaunchKernel, KERNEL, 30);
	give(CALL_cudaLaunchKernel, KERNEL, HERE, 7, 20, 20);
	give(CALL_cudaLaunchKernel, KERNEL, HERE, 8, 10, 10);
	look();
	ck_assert_uint_eq(process->launch_site_count, 2);
	ck_assert_uint_eq(process->launch_sites[0].at.stack_count, 3);
	ck_assert_uint_eq(process->launch_sites[1].at.stack_count, 2);
	ck_assert_ptr_eq(process->launch_sites[0].at.site, process->launch_sites[1].at.site);
}

TEST(waits_are_by_call)
{
	give(CALL_cudaDeviceSynchronize, 0, HERE, 0, 250000000, 2);
	give(CALL_cudaStreamSynchronize, 0, HERE, 0, 1500000000, 3);
	give(CALL_cudaDeviceSynchronize, 0, HERE, 0, 500000000, 1);
	give(CALL_cudaMemcpy, 0, HERE, 0, 200000, 1);
	look();
	ck_assert_uint_eq(process->launch_site_count, 0);
	ck_assert_uint_eq(process->wait_site_count, 3);
	ck_assert_uint_eq(process->wait_sites[2].call, CALL_cudaMemcpy);
	ck_assert_uint_eq(process->wait_sites[0].call, CALL_cudaStreamSynchronize);
	ck_assert_double_eq_tol(process->wait_sites[0].seconds, 1.5, 1e-9);
	ck_assert_uint_eq(process->wait_sites[1].calls, 3);
	ck_assert_double_eq_tol(process->wait_sites[1].seconds, 0.75, 1e-9);
}

TEST(sites_have_a_limit)
{
	size_t i;

	feed_launches(&feed, CALL_cudaLaunchKernel, KERNEL, LAUNCH_SITES_MAX + 100);
	for (i = 0; i < LAUNCH_SITES_MAX + 100; i++)
		launched(HERE + 16 * i, 1, 1);
	look();
	ck_assert_uint_eq(process->launch_site_count, LAUNCH_SITES_MAX + 1);
	ck_assert_uint_eq(process->launch_sites[0].launches, 100);
	ck_assert_str_eq(process->launch_sites[0].at.site, "other call sites");
	ck_assert_uint_eq(process->launch_sites[1].launches, 1);
}

TEST(what_cannot_be_is_refused)
{
	struct rec_call_site_row record = {
		.hdr = { .type = REC_CALL_SITE, .size = sizeof(record), .program = feed.program },
		.key = { .launch = { .program = feed.program, .call = CALL_COUNT }, .site = HERE },
	};

	ck_assert_int_lt(model_record(feed.model, &record.hdr, sizeof(record)), 0);
	record.key.launch.call = CALL_cudaMalloc;
	feed_give(&feed, &record, sizeof(record));
	look();
	ck_assert_uint_eq(snapshot->lost[LOST_RECORD], 2);
	ck_assert_uint_eq(process->launch_site_count + process->wait_site_count, 0);
}
