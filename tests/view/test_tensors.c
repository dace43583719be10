/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frameworks' allocators on the screen: which blocks lie in which segment, how these are scaled and
 * marked, what is listed, when gaps are called a problem; and nonsense of every kind.
 */
#include <math.h>
#include <stdlib.h>

#include "at_screen.h"
#include "model/arena.h"
#include "util/util.h"
#include "view/pane_memory.h"
#include "view/map.h"

#define MIB 1048576ull

static struct snap_process *tensors_feed(int devices)
{
	struct snapshot *snapshot = cast_snapshot(11);
	struct snap_process *process = cast_tensors(snapshot, devices);

	view_feed(&view, snapshot);
	return process;
}

static void tensors_show(void)
{
	keys("g/4242\r1");
	view.search[0] = 0;
	draw();
}

/* ---- segments ---- */

struct made {
	struct snap_segment segments[8];
	struct snap_alloc blocks[16];
	struct snap_allocator allocators[2];
	struct snap_process process;
	struct segment_list list;
};

static void made_block(struct made *made, size_t allocator, uint64_t address, uint64_t bytes)
{
	struct snap_allocator *of = &made->allocators[allocator];

	if (!of->drawn)
		of->drawn = &made->blocks[allocator * 8];
	of->drawn[of->drawn_count++] = (struct snap_alloc){
		.address = address, .bytes = bytes, .site = "s", .device = (int)allocator
	};
	of->blocks++;
}

static void made_segment(struct made *made, size_t allocator, uint64_t start, uint64_t end)
{
	struct snap_allocator *of = &made->allocators[allocator];

	if (!of->segments)
		of->segments = &made->segments[allocator * 4];
	of->segments[of->segment_count++] = (struct snap_segment){ .start = start, .end = end };
	of->name = "pytorch";
	of->noun = "tensors";
	of->device = (int)allocator;
	made->process.allocators = made->allocators;
	made->process.allocator_count = allocator + 1;
}

START_TEST(blocks_in_segments)
{
	struct made made = { .list = { .items = NULL } };
	const struct stretch *items;

	made_segment(&made, 0, 0x1000, 0x2000);
	made_segment(&made, 0, 0x4000, 0x8000);
	made_segment(&made, 1, 0x1000, 0x3000);
	made_block(&made, 0, 0x1200, 0x200);
	made_block(&made, 0, 0x1c00, 0x400);
	made_block(&made, 0, 0x4000, 0x4000);
	made.segments[0].blocks = 2;
	made.segments[0].used = 0x600;
	made.segments[0].largest_gap = 0x800;
	made.segments[1].used = 0x4000;
	made.segments[4].largest_gap = 0x2000;
	ck_assert(segment_list_is_known(&made.process));
	ck_assert_int_eq(segment_list_make(&made.list, &made.process), 0);
	items = made.list.items;
	ck_assert_uint_eq(made.list.count, 3);
	ck_assert_uint_eq(items[0].blocks, 2);
	ck_assert_uint_eq(items[0].used, 0x600);
	ck_assert_uint_eq(items[0].largest_gap, 0x800);
	ck_assert_uint_eq(items[1].used, 0x4000);
	ck_assert_uint_eq(items[1].largest_gap, 0);
	ck_assert_uint_eq(items[2].blocks, 0);
	ck_assert_uint_eq(items[2].largest_gap, 0x2000);
	ck_assert_ptr_eq(segment_list_find(&made.list, 1, 0x1200), &items[2]);
	ck_assert_ptr_eq(segment_list_find(&made.list, 0, 0x1200), &items[0]);
	ck_assert_ptr_null(segment_list_find(&made.list, 0, 0x3000));
	segment_list_free(&made.list);
}
END_TEST

/* Where no segment is known, blocks that are close together stand for one. */
START_TEST(blocks_without_segments)
{
	struct made made = { .list = { .items = NULL } };
	const struct stretch *items;

	made_segment(&made, 0, 20 * MIB, 22 * MIB);
	made.segments[0].blocks = 1;
	made_block(&made, 0, 0, MIB);
	made_block(&made, 0, 3 * MIB, MIB);
	made_block(&made, 0, 12 * MIB, 3 * MIB);
	made_block(&made, 0, 19 * MIB, MIB);
	made_block(&made, 0, 20 * MIB, MIB);
	made_block(&made, 0, 22 * MIB, 0);
	made_block(&made, 0, UINT64_MAX - 5, UINT64_MAX);
	ck_assert_int_eq(segment_list_make(&made.list, &made.process), 0);
	items = made.list.items;
	ck_assert_uint_eq(made.list.count, 6);
	ck_assert_uint_eq(items[0].end, 4 * MIB);
	ck_assert_uint_eq(items[0].blocks, 2);
	ck_assert(items[0].is_guess);
	ck_assert_uint_eq(items[0].largest_gap, 0);
	ck_assert_uint_eq(items[1].start, 12 * MIB);
	ck_assert_uint_eq(items[1].end, 16 * MIB);
	/* It does not reach into a segment that is known. */
	ck_assert_uint_eq(items[2].end, 20 * MIB);
	ck_assert(!items[3].is_guess);
	ck_assert_uint_eq(items[3].blocks, 1);
	ck_assert_uint_eq(items[5].end, UINT64_MAX);
	segment_list_free(&made.list);
}
END_TEST

/* Until the first snapshot with blocks, nothing is drawn that is not so. */
START_TEST(not_known_yet)
{
	struct snap_process *process = tensors_feed(1);

	process->allocators[0].drawn_count = 0;
	ck_assert(!segment_list_is_known(process));
	process->allocators[0].blocks = 0;
	ck_assert(segment_list_is_known(process));
	process->allocators[0].segment_count = 0;
	ck_assert(!segment_list_is_known(process));
}
END_TEST

/* ---- drawing ---- */

static struct canvas sheet;

static void sheet_draw(struct made *made, int rows, int cols, const struct snap_alloc *selected)
{
	struct area area;

	ck_assert_int_eq(segment_list_make(&made->list, &made->process), 0);
	ck_assert_int_eq(canvas_resize(&sheet, rows, cols), 0);
	area = area_of(&sheet, (struct rect){ 0, 0, rows, cols });
	segment_map_draw(&view, &area, &made->list, &(struct block_looks){ .by = MAP_BY_STATE },
			 selected);
	segment_list_free(&made->list);
}

static const char *sheet_row(int row)
{
	static char line[4096];

	line[0] = 0;
	for (int col = 0; col < sheet.cols; col++)
		strcat(line, canvas_cell(&sheet, row, col)->text);
	for (size_t len = strlen(line); len && line[len - 1] == ' '; len--)
		line[len - 1] = 0;
	return line;
}

/* A row each, relative to the largest; neighbours differ, and the selected one is marked. */
START_TEST(rows_are_scaled)
{
	struct made made = { .list = { .items = NULL } };

	made_segment(&made, 0, 0, 40 * MIB);
	made_segment(&made, 0, 64 * MIB, 74 * MIB);
	made_segment(&made, 0, 90 * MIB, 90 * MIB + 1);
	made_block(&made, 0, 0, 10 * MIB);
	made_block(&made, 0, 10 * MIB, 10 * MIB);
	made_block(&made, 0, 30 * MIB, 10 * MIB);
	made_block(&made, 0, 64 * MIB, 5 * MIB);
	sheet_draw(&made, 3, 41, NULL);
	ck_assert_str_eq(sheet_row(0), "██████████▓▓▓▓▓▓▓▓▓▓░░░░░░░░░░██████████");
	ck_assert_str_eq(sheet_row(1), "▓▓▓▓▓░░░░░");
	ck_assert_str_eq(sheet_row(2), "░");
	made.blocks[2].state = ALLOC_SUSPECT;
	sheet_draw(&made, 3, 41, &made.blocks[1]);
	ck_assert_str_eq(sheet_row(0), "██████████●●●●●●●●●●░░░░░░░░░░▒▒▒▒▒▒▒▒▒▒");
	ck_assert_uint_eq(canvas_cell(&sheet, 0, 10)->style, ST_TAB);
	ck_assert_uint_eq(canvas_cell(&sheet, 0, 9)->style, ST_LIVE);
	ck_assert_uint_eq(canvas_cell(&sheet, 0, 30)->style, ST_SUSPECT);
}
END_TEST

/* One after the other, with the same number of bytes for each cell. */
START_TEST(stretches_flow)
{
	struct made made = { .list = { .items = NULL } };

	made_segment(&made, 0, 0, 8 * MIB);
	made_segment(&made, 0, 64 * MIB, 66 * MIB);
	made_segment(&made, 0, 90 * MIB, 94 * MIB);
	made_block(&made, 0, 0, 4 * MIB);
	made_block(&made, 0, 64 * MIB, 2 * MIB);
	made_block(&made, 0, 90 * MIB, MIB);
	sheet_draw(&made, 1, 17, &made.blocks[2]);
	ck_assert_str_eq(sheet_row(0), "████░░░░│▓▓│●░░░");
	ck_assert(view.map.cell == (double)MIB);
	/* Another device begins a row of its own, or has its number before it. */
	made_segment(&made, 1, 64 * MIB, 68 * MIB);
	sheet_draw(&made, 2, 24, NULL);
	ck_assert_str_eq(sheet_row(0), "dev 0  ████░░░░│▓▓│█░░░");
	ck_assert_str_eq(sheet_row(1), "dev 1  ░░░░");
	sheet_draw(&made, 1, 28, NULL);
	ck_assert_str_eq(sheet_row(0), " 0:████░░░░│▓▓│█░░░  1:░░░░");
}
END_TEST

/* As many as fit, the largest of them; a line for the others. */
START_TEST(many_segments)
{
	static struct snap_segment segments[5000];
	struct snap_allocator allocator = { .name = "pytorch",
					    .noun = "tensors",
					    .segments = segments };
	struct made made = { .process = { .allocators = &allocator, .allocator_count = 1 } };

	for (size_t i = 0; i < ARRAY_LEN(segments); i++)
		segments[i] = (struct snap_segment){ .start = i * 64 * MIB,
						     .end = (i * 64 + 2 + (i == 4000) * 60) * MIB };
	allocator.segment_count = ARRAY_LEN(segments);
	sheet_draw(&made, 4, 80, NULL);
	ck_assert_ptr_nonnull(strstr(sheet_row(3), "and 4952 more segments, 9.7G, 0 used"));
	ck_assert_ptr_nonnull(strstr(sheet_row(2), "░░░░░░░░░░"));
	for (int rows = 0; rows < 6; rows++)
		for (int cols = 0; cols < 120; cols++)
			sheet_draw(&made, rows, cols, NULL);
}
END_TEST

/* What no allocator does, at every size and zoom: bounded work, and nothing outside the area. */
START_TEST(nonsense)
{
	static struct snap_alloc blocks[BLOCKS_DRAWN_MAX];
	static struct snap_segment segments[3000];
	static struct snap_allocator allocators[64];
	unsigned int seed = (unsigned int)_i + 1;
	struct made made = { .process = { .allocators = allocators, .allocator_count = 64 } };
	uint64_t at = 0;

	for (size_t i = 0; i < ARRAY_LEN(blocks); i++) {
		at += (uint64_t)rand_r(&seed) << (_i ? 8 : 20);
		blocks[i] =
			(struct snap_alloc){ .address = at,
					     .bytes = i % 7 ? (uint64_t)rand_r(&seed) : 1ull << 52,
					     .state = (uint8_t)(i % 3 == 0),
					     .site = "s" };
	}
	at = 0;
	for (size_t i = 0; i < ARRAY_LEN(segments); i++) {
		at += (uint64_t)rand_r(&seed) << (_i ? 8 : 24);
		segments[i] = (struct snap_segment){
			.start = at, .end = at + (i % 5 ? (uint64_t)rand_r(&seed) : 1ull << 52)
		};
	}
	for (size_t i = 0; i < 64; i++)
		allocators[i] = (struct snap_allocator){
			.name = "pytorch",
			.noun = "tensors",
			.device = (int)i - 1,
			.segments = segments + (i ? 2000 : 0),
			.segment_count = i == 2 ? 0 :
					 i      ? 1000 :
						  3000,
			.drawn = i < 3 ? blocks : blocks + 60000,
			.drawn_count = i < 3 ? ARRAY_LEN(blocks) : 10,
			.blocks = 70000,
		};
	for (size_t count = 1; count <= 64; count *= 8) {
		made.process.allocator_count = count;
		for (unsigned int zoom = 0; zoom <= 20; zoom += 10) {
			view.map.zoom = zoom;
			view.map.pan = zoom / 20.0;
			sheet_draw(&made, 12, 160, &blocks[7]);
			sheet_draw(&made, 3, 60, &blocks[7]);
			sheet_draw(&made, 1, 9, &blocks[7]);
		}
	}
	view.map.zoom = 0;
}
END_TEST

START_TEST(tensors_at_any_size)
{
	struct snap_process *process = tensors_feed(2);

	tensors_show();
	process->allocators[0].unknown = 1ull << 52;
	process->allocators[1].has_gaps = false;
	process->allocators[1].fragmentation = NAN;
	for (int rows = 1; rows < 60; rows += rows < 30 ? 1 : 7)
		for (int cols = 1; cols < 200; cols += cols < 60 ? 3 : 20)
			for (int full = 0; full < 2; full++) {
				view.full = full;
				view.focus = full ? FOCUS_PANE : FOCUS_TABLE;
				view.settings.pane = full && cols % 2 ? PANE_SITES : PANE_MEMORY;
				ck_assert_int_eq(canvas_resize(&canvas, rows, cols), 0);
				view_draw(&view, &canvas);
			}
}
END_TEST

/* ---- lists ---- */

START_TEST(listed)
{
	const struct snap_process *process = tensors_feed(2);
	struct memory_row *rows;
	size_t count, blocks = 0, others = 0;

	rows = memory_rows_make(process, true, &count);
	for (size_t i = 0; i < count; i++) {
		blocks += rows[i].allocator != NULL;
		others += !rows[i].allocator;
		ck_assert(!i || rows[i - 1].alloc->bytes >= rows[i].alloc->bytes);
	}
	ck_assert_uint_eq(blocks, process->allocators[0].blocks + process->allocators[1].blocks);
	ck_assert_uint_eq(others, 2);
	free(rows);
	/* A piece of physical memory has the address of its handle; its site tells what it is. */
	for (size_t i = 0; i < process->map_count; i++)
		process->map[i].in_cache = process->map[i].kind == KIND_PINNED;
	rows = memory_rows_make(process, true, &count);
	ck_assert_uint_eq(count, blocks + 1);
	free(rows);
	rows = memory_rows_make(process, false, &count);
	ck_assert_uint_eq(count, process->map_count);
	free(rows);
}
END_TEST

START_TEST(switched)
{
	tensors_feed(1);
	tensors_show();
	ck_assert_str_ne(row_with("tensor "), "");
	ck_assert_str_eq(row_with("cudaMalloc"), "");
	keys("a");
	ck_assert(!view.settings.tensors);
	ck_assert_str_eq(row_with("tensor "), "");
	ck_assert_str_ne(row_with("the driver's allocations"), "");
	keys("6");
	ck_assert_str_ne(row_with("SUSPECT"), "");
	keys("a");
	ck_assert_str_ne(row_with("RISING"), "");
	ck_assert_str_ne(row_with("keep at train.py:77"), "");
	keys("2a");
	ck_assert(view.settings.tensors);
	ck_assert_str_ne(row_with("listed by 1 and 6"), "");
	keys("1/leaky\ra");
	ck_assert(view.settings.tensors);
	ck_assert_str_ne(row_with("no framework's allocator"), "");
}
END_TEST

/* The row of the list where the cursor is. */
static const char *chosen_row(void)
{
	static char line[4096];

	line[0] = 0;
	for (int row = view.layout.pane.row; row < canvas.rows; row++)
		for (int col = 0;
		     canvas_cell(&canvas, row, 1)->flags & CELL_SELECTED && col < canvas.cols;
		     col++)
			strcat(line, canvas_cell(&canvas, row, col)->text);
	return line;
}

/* Cells of the map that are marked as the cursor's */
static int marks_count(void)
{
	int marks = 0;

	for (int row = 0; row < canvas.rows; row++)
		for (int col = 0; col < canvas.cols; col++) {
			const struct cell *cell = canvas_cell(&canvas, row, col);

			marks += cell->style == ST_TAB && !strcmp(cell->text, "●");
		}
	return marks;
}

/* The block at the cursor is marked in the map; the cursor stays on it. */
START_TEST(cursor_marks)
{
	tensors_feed(1);
	tensors_show();
	keys("z");
	ck_assert_ptr_nonnull(strstr(chosen_row(), "96.0M"));
	ck_assert_int_ge(marks_count(), 1);
	keys("jjjjjjjj");
	ck_assert_int_eq(strstr(chosen_row(), "load_weights") != NULL, marks_count() == 0);
	keys("g");
	keys("jj");
	tensors_feed(1);
	draw();
	ck_assert_uint_eq(view.panes[PANE_MEMORY].cursor.row, 2);
}
END_TEST

/* The details of a block: its site's stack, its segment; of another nothing is known. */
START_TEST(details_of_blocks)
{
	tensors_feed(1);
	tensors_show();
	keys("zj\r");
	ck_assert_int_eq(view.focus, FOCUS_DETAILS);
	ck_assert_str_ne(row_with("  torch::empty+0x12"), "");
	ck_assert_str_ne(row_with("→ Attention.grow"), "");
	ck_assert_str_ne(row_with(" by            pytorch's allocator"), "");
	ck_assert_str_ne(row_with("The segment that it is in"), "");
	tensors_feed(1);
	draw();
	ck_assert_str_ne(row_with("→ Attention.grow"), "");
	keys("\033");
	ck_assert_int_eq(view.focus, FOCUS_PANE);
	ck_assert_uint_eq(view.panes[PANE_MEMORY].cursor.row, 1);
	ck_assert_ptr_nonnull(strstr(chosen_row(), "Attention.grow"));
	keys("I<I/load_w\r");
	ck_assert_str_ne(row_with("load_weights"), "");
	/* What is in a stack is found, though only details show it. */
	keys("/main at\r\r");
	ck_assert_str_ne(row_with("  main at train.py"), "");
	keys("\033g");
	for (size_t i = 0; i < 100 && !strstr(chosen_row(), "keep at"); i++)
		keys("j");
	keys("\r");
	ck_assert_str_ne(row_with("Its stack is not known"), "");
	/* Of all driver's allocations the same. */
	keys("\033a\r");
	ck_assert_str_ne(row_with("Its stack is not known"), "");
	keys("\033\033");
	ck_assert(!view.full);
	ck_assert_int_eq(view.focus, FOCUS_TABLE);
}
END_TEST

START_TEST(sites_of_devices)
{
	const struct snap_process *process = tensors_feed(2);
	size_t count;
	struct snap_site *sites = all_sites_make(process, true, &count);
	uint64_t live = 0, blocks = 0;

	/* Three of blocks, each once; and the one that is not in the allocator's code. */
	ck_assert_uint_eq(count, 4);
	for (size_t i = 0; i < count; i++) {
		ck_assert(!i || sites[i - 1].live >= sites[i].live);
		live += sites[i].live;
		blocks += sites[i].live_count;
		if (sites[i].live_count)
			ck_assert_int_eq(sites[i].device, CUTOP_DEVICE_UNKNOWN);
	}
	ck_assert_uint_eq(live, process->tensors + 64 * MIB);
	ck_assert_uint_eq(blocks, process->allocators[0].blocks + process->allocators[1].blocks);
	free(sites);
}
END_TEST

/* ---- fragmentation ---- */

START_TEST(fragmentation_is_told)
{
	struct snap_process *process = tensors_feed(1);
	struct snap_allocator *allocator = &process->allocators[0];

	allocator->reserved = 2048 * MIB;
	allocator->fragmentation = 0.34;
	tensors_show();
	ck_assert_str_ne(row_with("fragmentation 34%"), "");
	/* Without all blocks there are no gaps to speak of. */
	allocator->has_gaps = false;
	allocator->fragmentation = NAN;
	draw();
	ck_assert_str_eq(row_with("fragmentation"), "");
	allocator->has_gaps = true;
	allocator->fragmentation = 0.5;
	allocator->shortages = 1;
	draw();
	ck_assert_str_ne(row_with("1 out of memory"), "");
}
END_TEST

START_TEST(what_is_missing_is_told)
{
	struct snap_process *process = tensors_feed(1);

	process->allocators[0].unknown = 300 * MIB;
	process->allocators[0].has_gaps = false;
	tensors_show();
	ck_assert_str_ne(row_with("300M in blocks from before cutop watched"), "");
	process->allocators[0].unknown = 0;
	process->allocators[0].blocks = 70000;
	draw();
	ck_assert_str_ne(row_with("of 70000 blocks drawn"), "");
}
END_TEST

static void sheet_free(void)
{
	canvas_free(&sheet);
	teardown();
}

Suite *suite_tensors(void)
{
	Suite *suite = suite_create("tensors");
	TCase *tests = tcase_create("tensors");

	tcase_add_checked_fixture(tests, setup, sheet_free);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, blocks_in_segments);
	tcase_add_test(tests, blocks_without_segments);
	tcase_add_test(tests, not_known_yet);
	tcase_add_test(tests, rows_are_scaled);
	tcase_add_test(tests, stretches_flow);
	tcase_add_test(tests, many_segments);
	tcase_add_loop_test(tests, nonsense, 0, 2);
	tcase_add_test(tests, tensors_at_any_size);
	tcase_add_test(tests, listed);
	tcase_add_test(tests, switched);
	tcase_add_test(tests, cursor_marks);
	tcase_add_test(tests, details_of_blocks);
	tcase_add_test(tests, sites_of_devices);
	tcase_add_test(tests, fragmentation_is_told);
	tcase_add_test(tests, what_is_missing_is_told);
	suite_add_tcase(suite, tests);
	return suite;
}
