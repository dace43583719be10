/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call sites: what is summed up as one, and what the details of a row have of each. */
#include <stdio.h>

#include "at_screen.h"
#include "util/util.h"
#include "view/site_groups.h"

#define MIB 1048576ull

static struct snap_process *python;

static struct snap_process *python_feed(int step)
{
	struct snapshot *snapshot = cast_snapshot(step);

	python = cast_python(snapshot);
	view_feed(&view, snapshot);
	return python;
}

static void setup_python(void)
{
	setup();
	python_feed(11);
	keys("/4242\r6z");
	view.search[0] = 0;
	draw();
}

/* ---- groups ---- */

struct expected {
	const char *name;
	uint64_t live, suspect, leaked, held, allocations; /* bytes: MiB */
	size_t count;
};

static void expect_groups(enum site_grouping by, const struct expected *expected, size_t count)
{
	struct snapshot *snapshot = cast_snapshot(1);
	const struct snap_process *process = cast_python(snapshot);
	struct site_groups groups;
	uint64_t seen = 0;

	ck_assert_int_eq(site_groups_make(&groups, process, by), 0);
	for (size_t i = 0; i < count && i < groups.count; i++) {
		const struct site_group *group = &groups.list[i];

		ck_assert_str_eq(group->name, expected[i].name);
		ck_assert_uint_eq(group->live, expected[i].live * MIB);
		ck_assert_uint_eq(group->suspect, expected[i].suspect * MIB);
		ck_assert_uint_eq(group->leaked, expected[i].leaked * MIB);
		ck_assert_uint_eq(group->held, expected[i].held * MIB);
		ck_assert_uint_eq(group->allocations, expected[i].allocations);
		ck_assert_uint_eq(group->count, expected[i].count);
		for (size_t j = 0; j < group->count; j++)
			seen |= 1ull << groups.members[group->first + j];
	}
	ck_assert_uint_eq(groups.count, count);
	/* Each site is in one of them. */
	ck_assert_uint_eq(seen, (1ull << process->site_count) - 1);
	site_groups_free(&groups);
	snapshot_free(snapshot);
}

/* Two lines of one function are one; a function of the same name in another file is another. */
START_TEST(by_function)
{
	static const struct expected expected[] = {
		{ "Attention.__init__ (attention.py)", 0, 0, 256, 0, 4, 1 },
		{ "Attention.grow (attention.py)", 0, 40, 136, 0, 68, 1 },
		{ "pool::grow (libpool.so)", 80, 0, 0, 10, 12, 2 },
		{ "Attention.grow (attention.py)", 0, 0, 20, 0, 150, 1 },
		{ "no function known (libpool.so)", 2, 0, 0, 0, 1, 1 },
		{ "not known", 1, 0, 0, 0, 1005, 2 },
	};

	expect_groups(SITES_BY_FUNCTION, expected, ARRAY_LEN(expected));
}
END_TEST

/* Without facts of a place, as in old recordings, its text says what there is. */
START_TEST(by_file)
{
	static const struct expected expected[] = {
		{ "attention.py (/home/ana/app/models)", 0, 40, 392, 0, 72, 2 },
		{ "pool.cc (/src)", 50, 0, 0, 10, 9, 1 },
		{ "pool.cc", 30, 0, 0, 0, 3, 1 },
		{ "attention.py (/home/ana/old)", 0, 0, 20, 0, 150, 1 },
		{ "no file known (libpool.so)", 2, 0, 0, 0, 1, 1 },
		{ "not known", 1, 0, 0, 0, 1005, 2 },
	};

	expect_groups(SITES_BY_FILE, expected, ARRAY_LEN(expected));
}
END_TEST

/* The library is the one that calls CUDA: of Python, that of the frame before its lines. */
START_TEST(by_library)
{
	static const struct expected expected[] = {
		{ "libffi.so.8.1.2", 0, 40, 412, 0, 222, 3 },
		{ "libpool.so", 82, 0, 0, 10, 13, 3 },
		{ "not known", 1, 0, 0, 0, 1005, 2 },
	};

	expect_groups(SITES_BY_LIBRARY, expected, ARRAY_LEN(expected));
}
END_TEST

/* Whatever a text looks like, it is read within its bounds, and every site is in a group. */
START_TEST(odd_texts)
{
	static const char *const odd[] = { "",
					   ")",
					   " ()",
					   " (",
					   " at ",
					   " at  (python)",
					   "+0x",
					   "a at b:c at d: (e) (f)",
					   "at",
					   "f at :1 (python)",
					   " (python)",
					   "x+0x1 at",
					   "(python)",
					   " at : ()",
					   "f at (python)",
					   "f+0x (lib.so)" };
	struct snap_site sites[ARRAY_LEN(odd)];
	struct snap_process process = { .sites = sites, .site_count = ARRAY_LEN(odd) };
	struct site_groups groups;
	size_t count;

	memset(sites, 0, sizeof(sites));
	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		sites[i].site = odd[i];
	/* A row for each stack has the text itself. */
	for (enum site_grouping by = SITES_BY_FUNCTION; by < SITES_EACH; by++) {
		ck_assert_int_eq(site_groups_make(&groups, &process, by), 0);
		count = 0;
		for (size_t i = 0; i < groups.count; i++) {
			ck_assert_uint_gt(strlen(groups.list[i].name), 0);
			/* No part goes on into the next. */
			ck_assert_msg(!strstr(groups.list[i].name, "(python)"), "%s",
				      groups.list[i].name);
			count += groups.list[i].count;
		}
		ck_assert_uint_eq(count, ARRAY_LEN(odd));
		site_groups_free(&groups);
	}
	process.site_count = 0;
	ck_assert_int_eq(site_groups_make(&groups, &process, SITES_BY_FILE), 0);
	ck_assert_uint_eq(groups.count, 0);
	site_groups_free(&groups);
}
END_TEST

/* ---- rows ---- */

/* True if the row with @text is where the cursor is. */
static bool is_at(const char *text)
{
	int row = row_number(text);

	return row >= 0 && canvas_cell(&canvas, row, 1)->flags & CELL_SELECTED;
}

START_TEST(a_row_has_its_stack)
{
	int row;

	ck_assert(is_at(" Attention.__init__ at"));
	keys("\r");
	ck_assert_int_eq(view.focus, FOCUS_DETAILS);
	ck_assert_str_ne(row_with(" LEAKED        256M"), "");
	row = row_number("libffi.so.8.1.2+0x6f7a");
	ck_assert_int_gt(row, row_number(" Stack"));
	ck_assert_int_eq(row_number("  alloc at cuda.py:5 (python)"), row + 1);
	ck_assert_int_eq(row_number("→ Attention.__init__ at attention.py:5 (python)"), row + 2);
	ck_assert_int_eq(row_number("  main at train.py:7 (python)"), row + 3);
	/* Esc goes back one step: to the row, from there to the table. */
	keys("\033");
	ck_assert(is_at(" Attention.__init__ at"));
	ck_assert_int_eq(row_number("alloc at cuda.py"), -1);
	ck_assert(view.full);
	keys("\033");
	ck_assert(!view.full);
}
END_TEST

/* Objects are counted at the lines that make them, whether memory is allocated there, too, or not. */
START_TEST(objects_are_listed)
{
	struct snap_object_site objects[] = {
		{ .where = { .site = python->sites[0].site },
		  .address = python->sites[0].address,
		  .stack_id = python->sites[0].stack_id,
		  .kind = "stream",
		  .made = 900,
		  .live = 777 },
		{ .where = { .site = "listen+0x1f at net.cc:7 (libnet.so)" },
		  .address = 0x77,
		  .kind = "event",
		  .made = 900,
		  .live = 888 },
		{ .where = { .site = "forgotten+0x1 (libnet.so)" }, .address = 0x78, .made = 99 },
	};

	ck_assert_ptr_null(strstr(row_with("LIVE"), "OBJECTS"));
	canvas_resize(&canvas, 24, 140);
	python->object_sites = objects;
	python->object_site_count = ARRAY_LEN(objects);
	draw();
	ck_assert_str_ne(row_with(" OBJECTS "), "");
	ck_assert_ptr_nonnull(strstr(row_with("Attention.__init__ at"), " 777 "));
	ck_assert_ptr_nonnull(strstr(row_with("listen+0x1f at net.cc:7"), " 888 "));
	ck_assert_str_eq(row_with("forgotten"), "");
	python->object_site_count = 0;
}
END_TEST

START_TEST(no_stack)
{
	keys("jj");
	ck_assert(is_at(" pool::grow+0x13 at"));
	keys("\r");
	ck_assert_str_ne(row_with("--stacks"), "");
	keys("\033\033");
	ck_assert(!view.full);
}
END_TEST

/* The cursor is on a site, wherever that goes. As long as none was chosen, it is on the first. */
START_TEST(the_cursor_is_a_site)
{
	struct snap_site site;

	keys("j");
	ck_assert(is_at(" Attention.grow at"));
	python_feed(12);
	site = python->sites[1];
	python->sites[1] = python->sites[0];
	python->sites[0] = site;
	python->sites[0].leaked = 2 * python->sites[1].leaked;
	draw();
	ck_assert(is_at(" Attention.grow at"));
	ck_assert_int_lt(row_number(" Attention.grow"), row_number(" Attention.__init__"));
	keys("I>>>"); /* by another column */
	ck_assert(is_at(" Attention.grow at"));
	/* One that is gone leaves its place. */
	python->sites++;
	python->site_count--;
	draw();
	ck_assert(is_at("Attention."));
	python->site_count = 0;
	draw();
	keys("jjj\rG\r");
	ck_assert_int_eq(row_number("No memory was allocated"), view.layout.pane.row + 1);
}
END_TEST

START_TEST(moving)
{
	keys("G");
	ck_assert(is_at("0x7f0012345678"));
	keys("j");
	ck_assert(is_at("0x7f0012345678"));
	keys("k");
	ck_assert(is_at("other call sites"));
	keys("g");
	ck_assert(is_at("Attention.__init__"));
	keys("k");
	press(K_PAGE_DOWN);
	draw();
	ck_assert(is_at("0x7f0012345678"));
	/* On a short screen rows give way. */
	ck_assert_int_eq(canvas_resize(&canvas, 14, 60), 0);
	keys("gG");
	ck_assert_int_eq(row_number("Attention.__init__"), -1);
	ck_assert(is_at("0x7f0012345678"));
}
END_TEST

START_TEST(searching_in_stacks)
{
	keys("/alloc at\r");
	ck_assert(is_at(" Attention.__init__"));
	keys("n");
	ck_assert(is_at(" Attention.grow at"));
	keys("n");
	ck_assert(is_at(" Attention.__init__"));
	ck_assert_str_eq(view.message, "");
}
END_TEST

START_TEST(clicking)
{
	int row = row_number(" Attention.grow");

	view_mouse(&view, row, 10, MOUSE_CLICK);
	draw();
	ck_assert(is_at(" Attention.grow"));
	view_mouse(&view, row, 10, MOUSE_DOUBLE);
	draw();
	ck_assert_int_eq(view.focus, FOCUS_DETAILS);
	ck_assert_str_ne(row_with("→ Attention.grow at attention.py"), "");
	keys("\033");
	ck_assert(is_at(" Attention.grow"));
	/* Below the last row there is none. */
	view_mouse(&view, canvas.rows - 2, 10, MOUSE_CLICK);
	draw();
	ck_assert(is_at(" Attention.grow"));
}
END_TEST

START_TEST(grouping)
{
	ck_assert_ptr_nonnull(strstr(row_with(" LIVE  SUSPECT"), " SITE "));
	keys("jb");
	ck_assert_ptr_nonnull(strstr(row_with(" LIVE  SUSPECT"), " FUNCTION "));
	ck_assert(is_at(" Attention.__init__ (attent"));
	keys("b");
	ck_assert_ptr_nonnull(strstr(row_with(" LIVE  SUSPECT"), " FILE "));
	ck_assert_ptr_nonnull(strstr(row_with(" attention.py (/home/ana/a"),
				     "   ~40.0M     392M        0        72"));
	/* The details of a group have its sites, each with its figures and its stack. */
	canvas_resize(&canvas, 40, 80);
	keys("\r");
	ck_assert_str_ne(row_with(" LEAKED        392M"), "");
	ck_assert_int_gt(row_number(" Attention.__init__ at"), row_number(" LEAKED        392M"));
	ck_assert_int_eq(row_number(" LEAKED 256M  MADE 4"),
			 row_number(" Attention.__init__ at") + 1);
	ck_assert_int_eq(row_number("→ Attention.__init__ at attention.py:5 (python)"),
			 row_number(" Attention.__init__ at") + 4);
	ck_assert_int_eq(row_number(" SUSPECT ~40.0M  LEAKED 136M  MADE 68"),
			 row_number(" Attention.grow at") + 1);
	keys("\033");
	canvas_resize(&canvas, 24, 80);
	keys("\033");
	ck_assert(!view.full);
	keys("b");
	ck_assert_ptr_nonnull(strstr(row_with(" LIVE  SUSPECT"), " LIBRARY "));
	/* Each stack by itself, and each site again */
	keys("b");
	ck_assert_ptr_nonnull(strstr(row_with(" LIVE  SUSPECT"), " SITE "));
	ck_assert_int_eq(view.settings.sites_by, SITES_EACH);
	keys("b");
	ck_assert_ptr_nonnull(strstr(row_with(" LIVE  SUSPECT"), " SITE "));
	/* Elsewhere the key says where it works. */
	keys("1b");
	ck_assert_int_eq(view.settings.sites_by, SITES_BY_PLACE);
	ck_assert_ptr_nonnull(strstr(view.message, "6"));
}
END_TEST

/* Several ways to a site are one row, whose details have each of them with its stack. */
START_TEST(ways)
{
	const char *stack[] = { python->sites[0].stack[0], python->sites[0].stack[1],
				python->sites[0].stack[2], "evaluate at train.py:30 (python)",
				"main at train.py:9 (python)" };

	ck_assert_ptr_nonnull(strstr(row_with(" Attention.__init__ at"), "     256M  "));
	python_feed(12);
	python->sites[1] = python->sites[0];
	python->sites[1].stack = stack;
	python->sites[1].stack_count = ARRAY_LEN(stack);
	python->sites[1].stack_id++;
	python->sites[1].leaked = 44 * MIB;
	draw();
	/* It stays the row at the cursor. */
	ck_assert(is_at(" Attention.__init__ at"));
	ck_assert_ptr_nonnull(
		strstr(row_with(" Attention.__init__ at"), "     300M        0         8"));
	canvas_resize(&canvas, 40, 80);
	keys("\r");
	ck_assert_str_ne(row_with(" LEAKED        300M"), "");
	ck_assert_int_eq(row_number(" LEAKED 256M  MADE 4"),
			 row_number(" ← main at train.py:7") + 1);
	ck_assert_int_eq(row_number(" LEAKED 44.0M  MADE 4"),
			 row_number(" ← evaluate at train.py:30") + 1);
	ck_assert_int_eq(row_number("   evaluate at train.py:30 (python)"),
			 row_number(" LEAKED 44.0M  MADE 4") + 4);
	/* What is in one of the stacks is found. */
	keys("\033/evaluate at\r");
	ck_assert(is_at(" Attention.__init__ at"));
	/* One whose stack is not known, and one with nothing above it */
	python->sites[1].stack_count = 0;
	python->sites[0].stack_count = python->sites[0].shown + 1;
	keys("\r");
	ck_assert_str_ne(row_with(" (from nowhere else)"), "");
	ck_assert_str_ne(row_with(" (not known from where)"), "");
}
END_TEST

START_TEST(order_of_groups)
{
	keys("bb");
	keys(">>>>>>"); /* allocations */
	ck_assert_ptr_nonnull(strstr(row_with(" LIVE  SUSPECT"), "MADE▼"));
	ck_assert_int_lt(row_number(" not known"), row_number(" attention.py (/home/ana/o"));
	ck_assert_int_lt(row_number(" attention.py (/home/ana/o"),
			 row_number(" attention.py (/home/ana/a"));
}
END_TEST

START_TEST(groups_since_a_baseline)
{
	keys("bbx");
	python_feed(12);
	python->sites[1].leaked += 7 * MIB;
	python->sites[1].allocations += 2;
	python->sites[4].leaked += MIB;
	draw();
	ck_assert_ptr_nonnull(
		strstr(row_with("attention.py (/home/ana/a"), "  7.0M        0         2"));
	ck_assert_ptr_nonnull(
		strstr(row_with("attention.py (/home/ana/o"), "  1.0M        0         0"));
	ck_assert_ptr_nonnull(
		strstr(row_with("pool.cc (/src)"), "     0        0        0        0         0"));
}
END_TEST

Suite *suite_sites(void)
{
	Suite *suite = suite_create("sites");
	TCase *groups = tcase_create("groups"), *rows = tcase_create("rows");

	tcase_add_test(groups, by_function);
	tcase_add_test(groups, by_file);
	tcase_add_test(groups, by_library);
	tcase_add_test(groups, odd_texts);
	suite_add_tcase(suite, groups);
	tcase_add_checked_fixture(rows, setup_python, teardown);
	tcase_add_test(rows, a_row_has_its_stack);
	tcase_add_test(rows, objects_are_listed);
	tcase_add_test(rows, no_stack);
	tcase_add_test(rows, the_cursor_is_a_site);
	tcase_add_test(rows, moving);
	tcase_add_test(rows, searching_in_stacks);
	tcase_add_test(rows, clicking);
	tcase_add_test(rows, grouping);
	tcase_add_test(rows, ways);
	tcase_add_test(rows, order_of_groups);
	tcase_add_test(rows, groups_since_a_baseline);
	suite_add_tcase(suite, rows);
	return suite;
}
