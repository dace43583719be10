/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows: the tree; the hostile and the many. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cast.h"

START_TEST(tree)
{
	struct view view;

	cast_view(&view, 3);
	cast_keys(&view, "t");
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
	for (size_t i = 0; i < view.table.row_count; i++) {
		const struct row *row = &view.table.rows[i];

		if (row->process->pid == 4107) {
			ck_assert_uint_eq(view.table.rows[i - 1].process->pid, 4242);
			ck_assert_str_eq(row->branch, "└─ ");
			ck_assert_uint_eq(view.table.rows[i + 1].process->pid, 4600);
			ck_assert_str_eq(view.table.rows[i + 1].branch, "   └─ ");
		}
		if (row->process->pid == 4242)
			ck_assert_str_eq(row->branch, "");
	}
	view_clear(&view);
}
END_TEST

/* A process that only the driver lists has a row like all others, unless others are not wanted. */
START_TEST(listed)
{
	struct canvas canvas = { 0 };
	struct snapshot *snapshot;
	struct snap_process *row;
	struct view view;

	cast_view(&view, 3);
	ck_assert_int_eq(canvas_resize(&canvas, 24, 80), 0);
	snapshot = cast_snapshot(3);
	row = &snapshot->processes[snapshot->process_count - 1];
	*row = (struct snap_process){ .program = 1u << 31 | 9,
				      .pid = 9,
				      .command = "Xorg",
				      .arguments = "",
				      .user = "ana",
				      .device_list = "",
				      .has_used = true,
				      .used = 1 << 20 };
	snapshot->process_count--;
	snapshot->listed_count = 1;
	view_feed(&view, snapshot);
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
	cast_keys(&view, "/xorg\r");
	ck_assert_uint_eq(view_selected(&view)->pid, 9);
	view_draw(&view, &canvas);
	cast_keys(&view, "\r");
	view_draw(&view, &canvas);
	cast_keys(&view, "\033");
	view.host.is_partial = true;
	view_feed(&view, snapshot);
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT - 1);
	canvas_free(&canvas);
	view_clear(&view);
}
END_TEST

/* Parents in a circle, and a very deep family: every process has a row, once. */
#define FAMILY 65000

START_TEST(hostile_trees)
{
	struct view view;
	struct snapshot *snapshot;
	struct snap_process *many = calloc(FAMILY, sizeof(*many));
	bool *seen = calloc(FAMILY + 1, sizeof(*seen));
	int i;

	view_init(&view);
	view.settings.tree = true;
	snapshot = cast_snapshot(0);
	for (i = 0; i < CAST_COUNT; i++) {
		snapshot->processes[i].parent_pid = snapshot->processes[(i + 1) % CAST_COUNT].pid;
		snapshot->processes[i].start_time = 1;
	}
	view_feed(&view, snapshot);
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
	snapshot = cast_snapshot(1);
	for (i = 0; i < FAMILY; i++) {
		many[i] = snapshot->processes[0];
		many[i].program = (uint32_t)i + 1;
		many[i].pid = (uint32_t)i + 100;
		many[i].parent_pid = (uint32_t)i + 99;
	}
	snapshot->processes = many;
	snapshot->process_count = FAMILY;
	view_feed(&view, snapshot);
	ck_assert_uint_eq(view.table.row_count, FAMILY);
	for (i = 0; i < FAMILY; i++) {
		ck_assert(!seen[view.table.rows[i].process->program]);
		seen[view.table.rows[i].process->program] = true;
	}
	view_clear(&view);
	free(many);
	free(seen);
}
END_TEST

/*
 * Of several that had a pid one after the other, the parent is the one that ran when the child was
 * started.
 */
START_TEST(whose_child)
{
	static const struct {
		uint32_t pid, parent;
		uint64_t start;
		const char *branch;
	} family[] = {
		{ 10, 1, 100, "" },     { 20, 10, 150, "└─ " }, { 10, 1, 200, "" },
		{ 21, 10, 200, "├─ " }, { 22, 10, 999, "└─ " }, { 23, 10, 50, "" },
		{ 30, 30, 10, "" },     { 40, 40, 10, "" },     { 40, 40, 20, "└─ " },
	};
	const size_t count = (sizeof(family) / sizeof(family[0]));
	struct snap_process list[(sizeof(family) / sizeof(family[0]))];
	struct snapshot *snapshot = cast_snapshot(0);
	struct view view;
	size_t i, j;

	view_init(&view);
	view.settings.tree = true;
	for (i = 0; i < count; i++) {
		list[i] = snapshot->processes[0];
		list[i].program = (uint32_t)i + 1;
		list[i].pid = family[i].pid;
		list[i].parent_pid = family[i].parent;
		list[i].start_time = family[i].start;
	}
	snapshot->processes = list;
	snapshot->process_count = count;
	view_feed(&view, snapshot);
	ck_assert_uint_eq(view.table.row_count, count);
	for (i = 0; i < count; i++) {
		j = view.table.rows[i].process->program - 1;
		ck_assert_msg(!strcmp(view.table.rows[i].branch, family[j].branch), "%u: '%s'",
			      family[j].pid, view.table.rows[i].branch);
		if (family[j].pid == 20)
			ck_assert_uint_eq(view.table.rows[i - 1].process->program, 1);
		if (family[j].pid == 21)
			ck_assert_uint_eq(view.table.rows[i - 1].process->program, 3);
	}
	view_clear(&view);
}
END_TEST

START_TEST(text_is_found)
{
	const char *text = "Python train";

	ck_assert_ptr_eq(text_find(text, "TRAIN"), text + 7);
	ck_assert_ptr_null(text_find(text, "trainer"));
	ck_assert_ptr_nonnull(text_find(text, ""));
	ck_assert_ptr_nonnull(text_find("", ""));
	ck_assert_ptr_null(text_find("", "x"));
}
END_TEST

static char *text_at(const struct canvas *canvas, int row, char *out)
{
	out[0] = 0;
	for (int col = 0; col < canvas->cols; col++)
		strcat(out, canvas_cell(canvas, row, col)->text);
	return out;
}

/* With a baseline the kernels that ran most since are the first, and the longest bar is theirs. */
START_TEST(busiest_since)
{
	struct canvas canvas = { .cells = NULL };
	struct snapshot *next = cast_snapshot(6);
	const struct snap_process *trainer = snapshot_process(next, CAST_TRAINER);
	struct snap_kernel *kernels = (struct snap_kernel *)(uintptr_t)trainer->kernels;
	struct snap_process *failing;
	struct view view;
	char line[1024];
	int row;

	cast_view(&view, 6);
	memcpy(kernels, snapshot_process(view.shown, CAST_TRAINER)->kernels,
	       trainer->kernel_count * sizeof(*kernels));
	snapshot_process(view.shown, CAST_TRAINER)->kernels[3].symbol = kernels[3].symbol =
		"_Z6reducePf";
	cast_keys(&view, "/4242\r2x");
	view.search[0] = 0;
	kernels[3].launches += 100;
	kernels[1].launches += 50;
	/*
	 * Of what is launched by several handles the busiest stands for all, and may be another
	 * than it was.
	 */
	kernels[3].function += 100;
	/* One that is named by now. */
	kernels[1].symbol = "_ZN2nn7softmaxEv";
	((struct snap_process *)(uintptr_t)trainer)->launches += 150;
	view_feed(&view, next);
	ck_assert_int_eq(canvas_resize(&canvas, 24, 110), 0);
	view_draw(&view, &canvas);
	row = view.layout.pane.row + 1;
	ck_assert_msg(strstr(text_at(&canvas, row, line),
			     "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588  reduce ") != NULL,
		      "%s", line);
	ck_assert_msg(strstr(line, " 100 ") && strstr(line, " 66.7% "), "%s", line);
	ck_assert_msg(strstr(text_at(&canvas, row + 1, line),
			     "\u2588\u2588\u2588\u2588      nn::softmax ") != NULL,
		      "%s", line);
	ck_assert_msg(strstr(text_at(&canvas, row + 2, line), "\u2588") == NULL &&
			      strstr(line, " 0.0% "),
		      "%s", line);
	/* Failures, too: 2 calls of cudaMalloc and one launch fail in a step. */
	cast_keys(&view, "/4400\r4");
	failing = (struct snap_process *)(uintptr_t)snapshot_process(next, CAST_FAILING);
	((struct snap_failure *)(uintptr_t)failing->failure_list)[0].count -= 2;
	((struct snap_failure *)(uintptr_t)failing->failure_list)[2].count += 7;
	view_draw(&view, &canvas);
	ck_assert_msg(strstr(text_at(&canvas, row, line), "      7  cudaDeviceSynchronize ") !=
			      NULL,
		      "%s", line);
	ck_assert_msg(strstr(text_at(&canvas, row + 1, line), "      1  cudaLaunchKernel ") != NULL,
		      "%s", line);
	ck_assert_msg(strstr(text_at(&canvas, row + 2, line), "      0  cudaMalloc ") != NULL, "%s",
		      line);
	canvas_free(&canvas);
	view_clear(&view);
}
END_TEST

Suite *suite_rows(void)
{
	Suite *suite = suite_create("rows");
	TCase *tests = tcase_create("rows");

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, listed);
	tcase_add_test(tests, tree);
	tcase_add_test(tests, hostile_trees);
	tcase_add_test(tests, whose_child);
	tcase_add_test(tests, text_is_found);
	tcase_add_test(tests, busiest_since);
	suite_add_tcase(suite, tests);
	return suite;
}
