/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map of what the driver allocated: neighbours are told apart, also where there is no colour;
 * what it shows by site and by age; the cursor's allocation in it, and zooming to that.
 */
#include <string.h>

#include "at_screen.h"
#include "util/util.h"
#include "view/map.h"

#define PAGE 0x1000ull
#define BASE 0x7f0000000000ull

static struct canvas sheet;
static struct snap_alloc blocks[16];
static struct snap_span spans[16];
static struct snap_process process;

/* A block of @pages behind the one before, after @gap pages. */
static struct snap_alloc *block_add(uint64_t gap, uint64_t pages, const char *site,
				    uint64_t seconds, enum alloc_state state)
{
	size_t at = process.drawn_count++;
	struct snap_alloc *block = &blocks[at];

	*block = (struct snap_alloc){
		.address = (at ? block[-1].address + block[-1].bytes : BASE) + gap * PAGE,
		.bytes = pages * PAGE,
		.site = site,
		.age = seconds * NSEC_PER_SEC,
		.state = (uint8_t)state,
	};
	spans[at] =
		(struct snap_span){ .start = block->address, .end = block->address + block->bytes };
	spans[at].bytes[state] = block->bytes;
	process.span_count++;
	return block;
}

static void process_clear(void)
{
	process = (struct snap_process){ .drawn = blocks, .spans = spans };
}

/* Draws a row of it, and returns that with each run of one character as one. */
static const char *drawn(enum map_colors by, const struct snap_alloc *chosen)
{
	static char text[512];
	struct block_looks looks;
	struct area area;
	const char *before = "";

	ck_assert_int_eq(canvas_resize(&sheet, 1, 49), 0);
	area = area_of(&sheet, (struct rect){ 0, 0, 1, 49 });
	block_looks_make(&looks, by, &process, false);
	map_draw(&view, &area, &process, &looks, chosen);
	text[0] = 0;
	for (int col = 0; col < sheet.cols; col++) {
		const char *here = canvas_cell(&sheet, 0, col)->text;

		if (strcmp(here, before) && strcmp(here, " "))
			strcat(text, here);
		before = here;
	}
	return text;
}

static void several(void)
{
	process_clear();
	/* 48 pages on 48 cells */
	block_add(0, 12, "grow", 5, ALLOC_LIVE);
	block_add(0, 4, "load", 100, ALLOC_LIVE);
	block_add(0, 12, "grow", 7200, ALLOC_LIVE);
	block_add(4, 8, "load", 300000, ALLOC_LIVE);
	block_add(0, 8, "load", 59, ALLOC_LIVE);
}

START_TEST(neighbours)
{
	several();
	ck_assert_str_eq(drawn(MAP_BY_STATE, NULL), "█▓█░▓█");
	ck_assert_str_eq(drawn(MAP_BY_SITE, NULL), "AbA░bB");
	ck_assert_str_eq(drawn(MAP_BY_AGE, NULL), "SmH░dS");
	/* Where only spans are known, states are shown. */
	process.drawn_count = 0;
	ck_assert_str_eq(drawn(MAP_BY_STATE, NULL), "█░█");
	ck_assert_str_eq(drawn(MAP_BY_SITE, NULL), "█░█");
}
END_TEST

START_TEST(chosen_is_marked)
{
	several();
	ck_assert_str_eq(drawn(MAP_BY_STATE, &blocks[0]), "●▓█░▓█");
	ck_assert_str_eq(drawn(MAP_BY_SITE, &blocks[3]), "AbA░●B");
	process.drawn_count = 0;
	ck_assert_str_eq(drawn(MAP_BY_STATE, &blocks[1]), "█●█░█");
}
END_TEST

/* Each state has a character of its own, however full a cell is, and in ASCII as well. */
START_TEST(signs_of_states)
{
	static const char *const of[] = { "live", "suspect", "leaked", "held", "free" };
	const char *signs[16], *styles[16];
	size_t count;

	for (int ascii = 0; ascii < 2; ascii++) {
		count = 0;
		sheet.ascii = ascii;
		for (uint64_t pages = 1; pages < 4096; pages *= 2) {
			process_clear();
			block_add(0, 2048, "a", 1, ALLOC_LIVE);
			block_add(0, 2048, "a", 1, ALLOC_LIVE);
			block_add(256, pages, "a", 1, ALLOC_LIVE);
			block_add(256, 512, "a", 1, ALLOC_SUSPECT);
			block_add(0, 512, "a", 1, ALLOC_LEAKED);
			block_add(0, 512, "a", 1, ALLOC_HELD);
			drawn(MAP_BY_STATE, NULL);
			for (int col = 0; col < sheet.cols; col++) {
				const struct cell *cell = canvas_cell(&sheet, 0, col);
				static char kept[16][8];
				const char *style = cell->style == ST_LIVE    ? of[0] :
						    cell->style == ST_SUSPECT ? of[1] :
						    cell->style == ST_LEAKED  ? of[2] :
						    cell->style == ST_HELD    ? of[3] :
						    cell->style == ST_FREE    ? of[4] :
										NULL;
				size_t i = 0;

				if (!style || !strcmp(cell->text, " "))
					continue;
				while (i < count && strcmp(signs[i], cell->text))
					i++;
				if (i == count) {
					ck_assert_uint_lt(count, ARRAY_LEN(signs));
					strcpy(kept[i], cell->text);
					signs[i] = kept[i];
					styles[i] = style;
					count++;
				}
				ck_assert_msg(styles[i] == style, "'%s' is %s and %s", signs[i],
					      styles[i], style);
			}
		}
		/* All of them were seen, and more than one of what is live. */
		ck_assert_uint_ge(count, 7);
	}
}
END_TEST

/* In the header's bar, too */
START_TEST(signs_of_the_header)
{
	struct snap_process *trainer =
		(struct snap_process *)(uintptr_t)snapshot_process(view.shown, CAST_LEAKER);
	static const char *const bar[] = { "█▒▚░", "#~!." };
	char seen[512];

	trainer->suspect_live = trainer->suspect = 1ull << 30;
	for (int ascii = 0; ascii < 2; ascii++) {
		const char *last = "";

		view.settings.ascii = ascii;
		view.most_live = 40e9;
		ck_assert_int_eq(canvas_resize(&canvas, 40, 200), 0);
		draw();
		seen[0] = 0;
		for (int col = 0; col < 100; col++) {
			const struct cell *cell = canvas_cell(&canvas, view.layout.totals.row, col);

			if (cell->style != ST_LAUNCH && strstr(bar[ascii], cell->text) &&
			    strcmp(cell->text, " ") && strcmp(cell->text, last) &&
			    (cell->text[0] != '.' || last[0] == '!')) {
				strcat(seen, cell->text);
				last = cell->text;
			}
			if (cell->style == ST_FREE)
				break;
		}
		ck_assert_ptr_nonnull(strstr(seen, bar[ascii]));
	}
}
END_TEST

static int chosen_cells(void)
{
	int count = 0;

	for (int col = 0; col < sheet.cols; col++)
		count += !strcmp(canvas_cell(&sheet, 0, col)->text, "●");
	return count;
}

/* However small it is, and wherever it lies. */
START_TEST(zoomed_to)
{
	for (size_t chosen = 0; chosen < 5; chosen += 2) {
		process_clear();
		block_add(0, 1, "a", 1, ALLOC_LIVE);
		block_add(0, 30000, "a", 1, ALLOC_LIVE);
		block_add(0, 3, "a", 1, ALLOC_LIVE);
		block_add(1ull << 28, 2000, "a", 1, ALLOC_LIVE); /* far away */
		block_add(0, 100, "a", 1, ALLOC_LIVE);
		view.map.zoom = 0;
		view.map.pan = 0;
		drawn(MAP_BY_STATE, &blocks[chosen]);
		ck_assert_int_eq(chosen_cells(), 1);
		view.map.zooms_to_block = true;
		drawn(MAP_BY_STATE, &blocks[chosen]);
		view.map.zooms_to_block = false;
		ck_assert_int_ge(chosen_cells(), sheet.cols / 4);
		ck_assert_int_lt(chosen_cells(), sheet.cols * 3 / 4);
	}
}
END_TEST

/* The keys: the map is about the row at the cursor; without one it says what to do. */
START_TEST(by_keys)
{
	keys("g/4242\r1");
	view.search[0] = 0;
	ck_assert_int_eq(canvas_resize(&canvas, 50, 200), 0);
	keys("Z");
	ck_assert_ptr_nonnull(strstr(view.message, "no allocation is chosen"));
	keys("\rZ");
	ck_assert_uint_gt(view.map.zoom, 0);
	ck_assert_str_ne(row_with("●●●"), "");
	ck_assert_str_ne(row_with("(zoomed)"), "");
	keys("Z");
	ck_assert_uint_eq(view.map.zoom, 0);
	ck_assert_str_eq(row_with("(zoomed)"), "");
	keys("C");
	ck_assert_str_ne(row_with("by site, a cell "), "");
	ck_assert_str_ne(row_with(" A "), "");
	ck_assert_ptr_nonnull(strstr(row_with(" A "), "B "));
	ck_assert_ptr_nonnull(strstr(row_with(" A "), "load_weights"));
	keys("C");
	ck_assert_str_ne(row_with("by age, a cell "), "");
	ck_assert_str_ne(row_with("S seconds  M minutes  H hours  D days"), "");
	keys("C");
	ck_assert_str_eq(row_with("by age"), "");
	ck_assert_str_eq(row_with("by site"), "");
}
END_TEST

static int tensors_marked(void)
{
	int count = 0;

	for (int row = view.layout.pane.row; row < canvas.rows; row++)
		for (int col = 0; col < canvas.cols; col++) {
			const struct cell *cell = canvas_cell(&canvas, row, col);

			count += cell->style == ST_TAB && !strcmp(cell->text, "●");
		}
	return count;
}

/* The same of an allocator's blocks in their segments */
START_TEST(of_tensors)
{
	struct snapshot *snapshot = cast_snapshot(20);
	int before;

	cast_tensors(snapshot, 2);
	view_feed(&view, snapshot);
	keys("g/4242\r1");
	view.search[0] = 0;
	ck_assert_int_eq(canvas_resize(&canvas, 50, 160), 0);
	keys("\rG");
	before = tensors_marked();
	ck_assert_int_gt(before, 0);
	keys("Z");
	ck_assert(!view.map.zooms_to_block);
	ck_assert_uint_gt(view.map.zoom, 0);
	ck_assert_int_gt(tensors_marked(), before * 4);
	ck_assert_str_ne(row_with("(zoomed)"), "");
	keys("ZC");
	ck_assert_uint_eq(view.map.zoom, 0);
	ck_assert_int_eq(tensors_marked(), before);
	ck_assert_ptr_nonnull(strstr(row_with(" A "), "  B "));
	ck_assert_str_ne(row_with("by site, a cell "), "");
	ck_assert_ptr_nonnull(strstr(row_with("dev 0  0x"), "CCCccc"));
	keys("C");
	ck_assert_str_ne(row_with("S seconds  M minutes"), "");
	/* Where there is no map, nothing is zoomed later. */
	ck_assert_int_eq(canvas_resize(&canvas, 10, 160), 0);
	keys("Z");
	ck_assert(!view.map.zooms_to_block || !view.map.zoom);
}
END_TEST

static void sheet_free(void)
{
	canvas_free(&sheet);
	teardown();
}

Suite *suite_map(void)
{
	Suite *suite = suite_create("map");
	TCase *tests = tcase_create("map");

	tcase_add_checked_fixture(tests, setup, sheet_free);
	tcase_add_test(tests, neighbours);
	tcase_add_test(tests, chosen_is_marked);
	tcase_add_test(tests, signs_of_states);
	tcase_add_test(tests, signs_of_the_header);
	tcase_add_test(tests, zoomed_to);
	tcase_add_test(tests, by_keys);
	tcase_add_test(tests, of_tensors);
	suite_add_tcase(suite, tests);
	return suite;
}
