/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The map of what the driver allocated: neighbours are told apart, also where there is no colour;
 * and the cursor's allocation in it.
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
static struct snap_alloc *block_add(uint64_t gap, uint64_t pages, enum alloc_state state)
{
	size_t at = process.drawn_count++;
	struct snap_alloc *block = &blocks[at];

	*block = (struct snap_alloc){
		.address = (at ? block[-1].address + block[-1].bytes : BASE) + gap * PAGE,
		.bytes = pages * PAGE,
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
static const char *drawn(const struct snap_alloc *chosen)
{
	static char text[512];
	struct area area;
	const char *before = "";

	ck_assert_int_eq(canvas_resize(&sheet, 1, 49), 0);
	area = area_of(&sheet, (struct rect){ 0, 0, 1, 49 });
	map_draw(&area, &process, chosen);
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
	block_add(0, 12, ALLOC_LIVE);
	block_add(0, 4, ALLOC_LIVE);
	block_add(0, 12, ALLOC_LIVE);
	block_add(4, 8, ALLOC_LIVE);
	block_add(0, 8, ALLOC_LIVE);
}

START_TEST(neighbours)
{
	several();
	ck_assert_str_eq(drawn(NULL), "█▓█░▓█");
	/* Where only spans are known, states are shown. */
	process.drawn_count = 0;
	ck_assert_str_eq(drawn(NULL), "█░█");
}
END_TEST

START_TEST(chosen_is_marked)
{
	several();
	ck_assert_str_eq(drawn(&blocks[0]), "●▓█░▓█");
	ck_assert_str_eq(drawn(&blocks[3]), "█▓█░●█");
	process.drawn_count = 0;
	ck_assert_str_eq(drawn(&blocks[1]), "█●█░█");
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
			block_add(0, 2048, ALLOC_LIVE);
			block_add(0, 2048, ALLOC_LIVE);
			block_add(256, pages, ALLOC_LIVE);
			block_add(256, 512, ALLOC_SUSPECT);
			block_add(0, 512, ALLOC_LEAKED);
			block_add(0, 512, ALLOC_HELD);
			drawn(NULL);
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

	cast_tensors(snapshot, 2);
	view_feed(&view, snapshot);
	keys("g/4242\r1");
	view.search[0] = 0;
	ck_assert_int_eq(canvas_resize(&canvas, 50, 160), 0);
	keys("\rG");
	ck_assert_int_gt(tensors_marked(), 0);
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
	tcase_add_test(tests, of_tensors);
	suite_add_tcase(suite, tests);
	return suite;
}
