/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is live when its owner ends - the process, or a device that is reset - and whether that leaked. One rule per test. */
#include "one_process.h"

START_TEST(exit_leaks_what_is_live)
{
	const char *text;

	feed_text(&feed, REC_SITE, 0x401000, 0, "forget+0x1a (leaky)");
	feed_alloc(&feed, 0x10000, 100);
	feed.now += 3 * SECOND;
	feed_exit(&feed, END_EXIT, 3 << 8);
	feed.now += 60 * SECOND;
	look();
	ck_assert(process->exited);
	ck_assert_int_eq(process->exit_code, 3 << 8);
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(process->leaked, 100);
	ck_assert_uint_eq(process->peak, 100);
	ck_assert_uint_eq(snapshot->leaked, 100);
	ck_assert_uint_eq(process->map_count, 1);
	ck_assert_int_eq(process->map[0].state, ALLOC_LEAKED);
	ck_assert_uint_eq(process->map[0].age, 3 * SECOND + 1000);
	ck_assert_uint_eq(process->sites[0].leaked, 100);
	ck_assert_str_eq(process->sites[0].site, "forget+0x1a (leaky)");
	ck_assert_uint_eq(count_events(snapshot, EVENT_LEAK, &text), 1);
	ck_assert_str_eq(text, "leaked 100 in 1 allocation, most from forget+0x1a (leaky)");
}
END_TEST

START_TEST(clean_exit_leaks_nothing)
{
	feed_alloc(&feed, 0x10000, 100);
	feed_free(&feed, 0x10000, 0);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_uint_eq(process->map_count, 0);
	ck_assert_uint_eq(count_events(snapshot, EVENT_LEAK, NULL), 0);
	ck_assert_uint_eq(count_events(snapshot, EVENT_END, NULL), 1);
}
END_TEST

START_TEST(caches_hold_and_do_not_leak)
{
	feed_text(&feed, REC_SITE, 0x401000, SITE_IS_HELD, "c10::cuda::alloc");
	feed_alloc(&feed, 0x10000, 100);
	feed.site = 0x500000;
	feed_alloc(&feed, 0x20000, 7);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->held, 100);
	ck_assert_uint_eq(process->leaked, 7);
	ck_assert_int_eq(process->map[0].state, ALLOC_HELD);
	ck_assert_int_eq(process->map[1].state, ALLOC_LEAKED);
	/* A site's name may come late. */
	feed_text(&feed, REC_SITE, 0x500000, SITE_IS_HELD, "cublasCreate");
	look();
	ck_assert_uint_eq(process->held, 107);
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_int_eq(process->map[1].state, ALLOC_HELD);
}
END_TEST

START_TEST(reset_ends_a_device)
{
	const char *text;

	feed_alloc(&feed, 0x10000, 100);
	feed_alloc_as(&feed, CALL_cudaMallocHost, KIND_PINNED, 0x50000, 16, 0);
	feed.device = 1;
	feed_alloc(&feed, 0x20000, 30);
	feed_reset(&feed, 0);
	look();
	ck_assert_uint_eq(process->live, 30);
	ck_assert_uint_eq(process->leaked, 100);
	ck_assert_uint_eq(process->kinds[KIND_PINNED], 0);
	ck_assert_uint_eq(process->live_allocations, 1);
	ck_assert_uint_eq(process->map_count, 2);
	ck_assert_int_eq(process->map[0].state, ALLOC_LEAKED);
	ck_assert_int_eq(process->map[1].state, ALLOC_LIVE);
	ck_assert_uint_eq(count_events(snapshot, EVENT_RESET, &text), 1);
	ck_assert_str_eq(text, "cudaDeviceReset of device 0 ended 1 live allocation: 100 leaked");
	/* The address is given again: what leaked leaves the map, not the sum. */
	feed_alloc(&feed, 0x10000, 50);
	look();
	ck_assert_uint_eq(process->live, 80);
	ck_assert_uint_eq(process->leaked, 100);
	ck_assert_uint_eq(process->map_count, 2);
	ck_assert_uint_eq(snapshot->lost[LOST_FREE], 0);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert_uint_eq(process->leaked, 180);
	ck_assert(!process->inexact);
}
END_TEST

START_TEST(reset_of_unknown_device_ends_all)
{
	feed_alloc(&feed, 0x10000, 100);
	feed.device = 1;
	feed_alloc(&feed, 0x20000, 30);
	feed_reset(&feed, CUTOP_DEVICE_UNKNOWN);
	feed_free(&feed, 0x20000, 1);
	look();
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(process->leaked, 130);
	ck_assert_uint_eq(process->failed_frees, 1);
	ck_assert_uint_eq(process->double_frees, 0);
}
END_TEST

START_TEST(free_after_reset_that_succeeds_was_no_leak)
{
	feed_alloc(&feed, 0x10000, 100);
	feed_reset(&feed, CUTOP_DEVICE_UNKNOWN);
	feed_free(&feed, 0x10000, 0);
	look();
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_uint_eq(process->frees, 1);
	ck_assert(process->inexact);
}
END_TEST

START_TEST(what_may_have_been_freed_unseen_is_no_certain_leak)
{
	feed_alloc(&feed, 0x10000, 100);
	feed_alloc(&feed, 0x20000, 30);
	model_inexact(feed.model, feed.image, feed.now);
	feed.now += 10;
	feed_free(&feed, 0x20000, 0);
	feed_alloc(&feed, 0x30000, 5);
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert(process->inexact);
	ck_assert_uint_eq(process->live, 0);
	ck_assert_uint_eq(process->live_allocations, 0);
	/* Only what came after the loss has surely not been freed. */
	ck_assert_uint_eq(process->leaked, 5);
	ck_assert_uint_eq(process->suspect, 100);
	ck_assert(process->has_suspect);
	ck_assert_uint_eq(process->map_count, 2);
	ck_assert_uint_eq(process->map[0].bytes, 100);
	ck_assert_int_eq(process->map[0].state, ALLOC_SUSPECT);
	ck_assert_int_eq(process->map[1].state, ALLOC_LEAKED);
	ck_assert_uint_eq(process->sites[0].leaked, 5);
	ck_assert_uint_eq(process->sites[0].suspect, 100);
	ck_assert_uint_eq(snapshot->leaked, 5);
	ck_assert_uint_eq(count_events(snapshot, EVENT_LOST, NULL), 1);
}
END_TEST

START_TEST(a_reset_that_ended_what_was_freed_unseen)
{
	feed_alloc(&feed, 0x10000, 100);
	model_inexact(feed.model, feed.image, feed.now);
	feed_reset(&feed, CUTOP_DEVICE_UNKNOWN);
	look();
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_uint_eq(process->suspect, 100);
	feed_free(&feed, 0x10000, 0);
	look();
	ck_assert_uint_eq(process->leaked, 0);
	ck_assert_uint_eq(process->suspect, 0);
}
END_TEST

START_TEST(what_others_lost_spoils_nobody)
{
	feed_alloc(&feed, 0x10000, 100);
	feed.image = 2;
	feed.pid = 4243;
	feed_alloc(&feed, 0x10000, 100);
	model_inexact(feed.model, 2, feed.now);
	model_lost(feed.model, LOST_RING_FULL, 1000);
	feed.image = 1;
	feed_exit(&feed, END_EXIT, 0);
	look();
	ck_assert(!process->inexact);
	ck_assert_uint_eq(process->leaked, 100);
}
END_TEST

Suite *suite_leaks(void)
{
	Suite *suite = suite_create("leaks");
	TCase *tests = tcase_create("leaks");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, exit_leaks_what_is_live);
	tcase_add_test(tests, clean_exit_leaks_nothing);
	tcase_add_test(tests, caches_hold_and_do_not_leak);
	tcase_add_test(tests, reset_ends_a_device);
	tcase_add_test(tests, reset_of_unknown_device_ends_all);
	tcase_add_test(tests, free_after_reset_that_succeeds_was_no_leak);
	tcase_add_test(tests, what_may_have_been_freed_unseen_is_no_certain_leak);
	tcase_add_test(tests, a_reset_that_ended_what_was_freed_unseen);
	tcase_add_test(tests, what_others_lost_spoils_nobody);
	suite_add_tcase(suite, tests);
	return suite;
}
