/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The focus, the cursor of every pane, and the details of its rows. */
#include <stdlib.h>

#include "at_screen.h"
#include "view/details.h"

START_TEST(a_step_at_a_time)
{
	keys("/4242\r2");
	ck_assert_int_eq(view.focus, FOCUS_TABLE);
	keys("\r");
	ck_assert_int_eq(view.focus, FOCUS_PANE);
	ck_assert_msg(!view.full, "the table is still there");
	keys("\r");
	ck_assert_int_eq(view.focus, FOCUS_DETAILS);
	keys("z");
	ck_assert(view.full);
	ck_assert_int_eq(view.focus, FOCUS_DETAILS);
	keys("\033");
	ck_assert_int_eq(view.focus, FOCUS_PANE);
	ck_assert(view.full);
	keys("\033");
	ck_assert(!view.full);
	ck_assert_int_eq(view.focus, FOCUS_PANE);
	keys("\033");
	ck_assert_int_eq(view.focus, FOCUS_TABLE);
	ck_assert_str_ne(view.search, "");
	keys("\033");
	ck_assert_str_eq(view.search, "");
	/* The height that was taken from the table goes back to it at once. */
	keys("z");
	ck_assert(view.full);
	ck_assert_int_eq(view.focus, FOCUS_PANE);
	keys("z");
	ck_assert(!view.full);
	ck_assert_int_eq(view.focus, FOCUS_TABLE);
}
END_TEST

/* On a screen that has no room for table and pane, the one with the focus is there. */
START_TEST(without_room)
{
	keys("/4242\r2");
	ck_assert_int_eq(canvas_resize(&canvas, 10, 40), 0);
	draw();
	ck_assert_int_eq(view.layout.pane.rows, 0);
	keys("\r");
	ck_assert_int_gt(view.layout.pane.rows, 0);
	keys("\r");
	ck_assert_str_ne(row_with("saxpy"), "");
	keys("z");
	ck_assert_int_gt(view.layout.pane.rows, 0);
	keys("\033\033");
	draw();
	ck_assert_int_eq(view.focus, FOCUS_TABLE);
	ck_assert_int_eq(view.layout.pane.rows, 0);
}
END_TEST

/* Keys are the pane's in half height, too: moving, sorting, searching; the table stays as it is. */
START_TEST(keys_follow_the_focus)
{
	uint32_t pid;

	keys("/4242\r2\r");
	pid = selected_pid();
	keys("j");
	ck_assert_uint_eq(view.panes[PANE_KERNELS].cursor.row, 1);
	ck_assert_uint_eq(selected_pid(), pid);
	keys(">");
	ck_assert_uint_ne(view.panes[PANE_KERNELS].sort, 0);
	ck_assert_ptr_eq(view.settings.sort.keys[0], column_find("live"));
	ck_assert_str_ne(row_with("Enter Details"), "");
	keys("6");
	ck_assert_str_ne(row_with("Enter Details"), "");
	keys("\033j");
	ck_assert_uint_ne(selected_pid(), pid);
	ck_assert_str_ne(row_with("F4 Filter"), "");
}
END_TEST

START_TEST(help_follows_the_focus)
{
	keys("/4242\r2?");
	ck_assert_str_ne(row_with(" one row up"), "");
	keys("\033\r?");
	ck_assert_str_ne(row_with(" 2 Kernels: launches by name"), "");
	keys("?");
	ck_assert_str_ne(row_with(" one row up"), "");
	keys("?");
	ck_assert_str_ne(row_with(" 2 Kernels: launches by name"), "");
	keys("\033");
	ck_assert_int_eq(view.focus, FOCUS_PANE);
}
END_TEST

/* Every pane has a cursor, which stays on its row when others come before it. */
START_TEST(every_pane_has_a_cursor)
{
	keys("/4242\r\r");
	for (int i = 0; i < PANE_COUNT; i++) {
		char key[2] = { (char)('0' + i), 0 };

		ck_assert_ptr_nonnull(panes[i]->key);
		ck_assert_ptr_nonnull(panes[i]->details);
		keys(key);
		/* This one has no failures; of_a_failure() has. */
		ck_assert_msg(i == PANE_FAILURES || view.panes[i].count > 1, "%s has too few rows",
			      panes[i]->title);
		keys("gj");
		ck_assert_msg(i == PANE_FAILURES || view.panes[i].cursor.row == 1,
			      "the cursor of %s does not move", panes[i]->title);
	}
	keys("7g");
	view_feed(&view, cast_snapshot(11));
	draw();
	ck_assert_int_eq(view.settings.pane, PANE_LOG);
}
END_TEST

/* A device's finding, of the cast with others before it; @program uses most of the device. */
static void feed_findings(int step, uint32_t program, size_t before)
{
	struct snapshot *snapshot = cast_snapshot(step);
	struct snap_finding *list = cast_memory(snapshot, before + 1, sizeof(*list));

	for (size_t i = 0; i < before; i++)
		list[i] = (struct snap_finding){ .rule = i ? "waits" : "rising",
						 .when = "",
						 .why = "",
						 .text = "waits\033[2J",
						 .program = CAST_TRAINER,
						 .pid = 4300,
						 .command = "\033]0;evil",
						 .device = CUTOP_DEVICE_UNKNOWN };
	list[before] = (struct snap_finding){
		.rule = "nearly-full", .when = "", .why = "", .text = "is full", .program = program
	};
	snapshot->findings = list;
	snapshot->finding_count = before + 1;
	view_feed(&view, snapshot);
	draw();
}

START_TEST(of_a_finding)
{
	feed_findings(11, CAST_TRAINER, 1);
	keys("\r0gj");
	ck_assert_int_eq(view.panes[PANE_FINDINGS].cursor.row, 1);
	ck_assert_str_ne(row_with("?]0;evil 4300"), "");
	ck_assert_str_ne(row_with("waits?[2J"), "");
	/* It stays the device's, whichever program uses most of it. */
	feed_findings(12, CAST_COPIER, 2);
	ck_assert_int_eq(view.panes[PANE_FINDINGS].cursor.row, 2);
	feed_findings(13, 0, 0);
	ck_assert_int_eq(view.panes[PANE_FINDINGS].cursor.row, 0);
	keys("\r\r");
	ck_assert_str_ne(row_with("What uses most of GPU 0 is not in the table"), "");
}
END_TEST

START_TEST(of_a_kernel)
{
	keys("/4242\r2z\r");
	ck_assert_int_eq(canvas_resize(&canvas, 60, 100), 0);
	draw();
	ck_assert_str_ne(row_with(" launches      "), "");
	ck_assert_str_ne(row_with(" grid          "), "");
	ck_assert_str_ne(row_with("Time of the launch call on the CPU"), "");
	ck_assert_str_ne(row_with(" - "), "");
	ck_assert_str_ne(row_with("--launch-sites"), "");
}
END_TEST

START_TEST(of_a_failure)
{
	keys("/4400\r4z\r");
	draw();
	ck_assert_str_ne(row_with(" call          cuda"), "");
	ck_assert_str_ne(row_with(" code          "), "");
	ck_assert_str_ne(row_with(" first         "), "");
}
END_TEST

/* The failing process's last failure becomes a question, asked @count times. */
static void ask(uint64_t count)
{
	struct snap_process *process =
		(struct snap_process *)(uintptr_t)snapshot_process(view.shown, CAST_FAILING);

	process->failure_list[2] = (struct snap_failure){
		.call = CALL_cuGetProcAddress_v2,
		.code = 500,
		.error = "CUDA_ERROR_NOT_FOUND",
		.count = count,
		.reason = "the driver has no such function",
	};
	process->failure_count = 2;
	process->answer_count = 1;
}

/* Sorted or not, they stay below the failures, under a line that says so. */
START_TEST(of_a_question)
{
	struct list_state *pane = &view.panes[PANE_FAILURES];

	keys("/4400\r4");
	ask(340);
	for (int i = 0; i < 6; i++) {
		int title;

		pane->sort = (const unsigned int[]){ 0, 1, 2 }[i / 2]; /* count, call */
		pane->reverse = i % 2;
		draw();
		title = row_number("questions (answered with no)");
		ck_assert_int_gt(title, row_number("  cudaMalloc "));
		ck_assert_int_gt(title, row_number("  cudaLaunchKernel "));
		ck_assert_int_eq(row_number("340  cuGetProcAddress_v2"), title + 1);
	}
	ck_assert_int_gt(row_number("CUDA_ERROR_NOT_FOUND the driver has no such function"),
			 row_number("340"));
	keys("\rG\r");
	ck_assert_str_ne(row_with("Questions"), "");
	ck_assert_str_ne(row_with(" count         340"), "");
	/* Since a baseline: as of failures */
	keys("\033x");
	view_feed(&view, cast_snapshot(11));
	ask(350);
	pane->sort = 0;
	draw();
	ck_assert_int_gt(row_number("questions (answered with no)"),
			 row_number("  cudaLaunchKernel "));
	ck_assert_int_eq(row_number(" 10  cuGetProcAddress_v2"),
			 row_number("questions (answered with no)") + 1);
}
END_TEST

START_TEST(of_a_copy)
{
	keys("/4242\r3z\r");
	ck_assert_str_ne(row_with(" calls         "), "");
	ck_assert_str_ne(row_with(" Sizes"), "");
}
END_TEST

START_TEST(of_a_call)
{
	keys("/4242\r5z\r");
	ck_assert_str_ne(row_with(" layer         "), "");
	ck_assert_str_ne(row_with(" Time of a call"), "");
}
END_TEST

START_TEST(of_an_event)
{
	const struct snap_event *last = &view.shown->events[view.shown->event_count - 1];
	char kind[64];

	keys("7z\r");
	snprintf(kind, sizeof(kind), " kind          %s", event_kinds[last->kind].title);
	ck_assert_str_ne(row_with(kind), "");
	ck_assert_str_ne(row_with(" time          "), "");
}
END_TEST

START_TEST(of_an_allocation)
{
	keys("/4242\r1z\r");
	ck_assert_str_ne(row_with(" bytes"), "");
	ck_assert_str_ne(row_with(" before now"), "");
	ck_assert_str_ne(row_with(" state         "), "");
	ck_assert_str_ne(row_with("Where it was made"), "");
}
END_TEST

/* They are about one row: if that is gone, no other takes its place. */
START_TEST(a_row_that_is_gone)
{
	struct snapshot *snapshot = cast_snapshot(11);

	keys("/4242\r2\r\r");
	for (size_t i = 0; i < snapshot->process_count; i++)
		if (snapshot->processes[i].pid == 4242) {
			snapshot->processes[i].kernels++;
			snapshot->processes[i].kernel_count--;
		}
	view_feed(&view, snapshot);
	draw();
	ck_assert_str_ne(row_with("no longer in the list"), "");
	keys("\033");
	ck_assert_int_eq(view.focus, FOCUS_PANE);
	ck_assert_uint_gt(view.panes[PANE_KERNELS].count, 0);
}
END_TEST

START_TEST(details_scroll)
{
	int top;

	keys("/4242\r2\r\r");
	ck_assert_int_gt(view.details.rows, view.layout.pane.rows);
	keys("jj");
	ck_assert_int_eq(view.details.top, 2);
	keys("G");
	top = view.details.top;
	ck_assert_int_eq(top, view.details.rows - view.layout.pane.rows);
	press(K_PAGE_UP);
	draw();
	ck_assert_int_lt(view.details.top, top);
	keys("g");
	ck_assert_int_eq(view.details.top, 0);
	view_mouse(&view, view.layout.pane.row + 1, 5, MOUSE_WHEEL_DOWN);
	draw();
	ck_assert_int_gt(view.details.top, 0);
}
END_TEST

START_TEST(at_any_size)
{
	for (int i = 0; i < PANE_COUNT; i++) {
		char key[24];

		snprintf(key, sizeof(key), "\033\033\033\033g%d\r\r", i);
		keys(key);
		for (int rows = 1; rows < 60; rows += rows < 30 ? 1 : 7)
			for (int cols = 1; cols < 200; cols += cols < 60 ? 3 : 20) {
				ck_assert_int_eq(canvas_resize(&canvas, rows, cols), 0);
				keys("G");
				keys("g");
			}
		ck_assert_int_eq(canvas_resize(&canvas, 24, 80), 0);
		draw();
	}
}
END_TEST

/* The cursor goes by the key: different symbols may have one demangled form. */
START_TEST(kernels_of_one_form)
{
	struct snap_kernel a = { .signature = "Sum::Sum()", .symbol = "_ZN3SumC1Ev" }, b = a;

	b.symbol = "_ZN3SumC2Ev";
	ck_assert_uint_ne(kernel_key(1, &a), kernel_key(1, &b));
	/* The address of a known symbol may change, and without a symbol it is all there is. */
	b = a;
	b.function = 7;
	ck_assert_uint_eq(kernel_key(1, &a), kernel_key(1, &b));
	a.symbol = b.symbol = NULL;
	ck_assert_uint_ne(kernel_key(1, &a), kernel_key(1, &b));
}
END_TEST

/* Where the list has so few rows that a page is one row, a row is no page of the details. */
START_TEST(details_of_a_short_list)
{
	keys("/4242\r2\r\r");
	view.panes[PANE_KERNELS].rows = 2;
	press(K_DOWN);
	ck_assert_int_eq(view.details.top, 1);
	view.panes[PANE_KERNELS].rows = 2;
	press(K_PAGE_DOWN);
	ck_assert_int_eq(view.details.top, view.layout.pane.rows);
}
END_TEST

/*
 * With a baseline the list has copies of the kernels; where they are launched is known all the
 * same.
 */
START_TEST(places_since_a_baseline)
{
	struct snapshot *snapshot = cast_snapshot(11);
	struct snap_process *trainer = cast_member(snapshot, CAST_TRAINER);
	struct snap_launch_site *sites = cast_memory(snapshot, 2, sizeof(*sites));

	for (size_t i = 0; i < 2; i++)
		sites[i] = (struct snap_launch_site){ .at.site = i ? "warm" : "step",
						      .kernel = &trainer->kernels[i],
						      .launches = 1 };
	trainer->launch_sites = sites;
	trainer->launch_site_count = 2;
	ck_assert_int_eq(canvas_resize(&canvas, 60, 100), 0);
	keys("x");
	view_feed(&view, snapshot);
	keys("/4242\r2z\r");
	ck_assert_str_ne(row_with("Launched from, in all"), "");
	ck_assert_str_ne(row_with("  step"), "");
	ck_assert_str_eq(row_with("  warm"), "");
}
END_TEST

Suite *suite_details(void)
{
	Suite *suite = suite_create("details");
	TCase *tests = tcase_create("details");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, of_a_finding);
	tcase_add_test(tests, a_step_at_a_time);
	tcase_add_test(tests, without_room);
	tcase_add_test(tests, keys_follow_the_focus);
	tcase_add_test(tests, help_follows_the_focus);
	tcase_add_test(tests, every_pane_has_a_cursor);
	tcase_add_test(tests, of_a_kernel);
	tcase_add_test(tests, of_a_failure);
	tcase_add_test(tests, of_a_question);
	tcase_add_test(tests, of_a_copy);
	tcase_add_test(tests, of_a_call);
	tcase_add_test(tests, of_an_event);
	tcase_add_test(tests, of_an_allocation);
	tcase_add_test(tests, a_row_that_is_gone);
	tcase_add_test(tests, details_scroll);
	tcase_add_test(tests, at_any_size);
	tcase_add_test(tests, kernels_of_one_form);
	tcase_add_test(tests, details_of_a_short_list);
	tcase_add_test(tests, places_since_a_baseline);
	suite_add_tcase(suite, tests);
	return suite;
}
