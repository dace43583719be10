/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Without memory a part of the screen may be missing, and nothing else happens: each allocation of
 * a drawing and of a key fails once.
 */
#include <stdlib.h>

#include "at_screen.h"
#include "util/util.h"

static unsigned long calls, fails_at; /* 0: none fails */

static bool fails(void)
{
	return ++calls == fails_at;
}

/* As the linker names them with --wrap: the view's calls come here. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
	return fails() ? NULL : __real_realloc(memory, size);
}

/*
 * Types @text and draws, with each of the allocations failing in turn. Returns how many there are.
 */
static unsigned long each_fails(const char *text)
{
	unsigned long at = 0;

	do {
		calls = 0;
		fails_at = ++at;
		keys(text);
		fails_at = 0;
		draw();
	} while (calls >= at && at < 10000);
	return at;
}

static struct snapshot *with_tensors(int step)
{
	struct snapshot *snapshot = cast_snapshot(step);

	cast_tensors(snapshot, 2);
	return snapshot;
}

/* In every pane, in full height, with a baseline and without. */
START_TEST(panes_are_drawn)
{
	static const char *const opened[] = { "", "z", "\r", "\033\033\033z" };

	view_feed(&view, with_tensors(11));
	keys("/4242\r");
	for (int pane = 0; pane < PANE_COUNT; pane++)
		for (size_t i = 0; i < ARRAY_LEN(opened); i++) {
			char text[16];

			snprintf(text, sizeof(text), "%d", pane);
			keys(opened[i]);
			if (_i && !view.base)
				keys("x");
			view_feed(&view, with_tensors(12));
			each_fails(text);
		}
}
END_TEST

/* Snapshots come and go, rows are arranged, menus are open. */
START_TEST(keys_are_pressed)
{
	static const char *const texts[] = { "t", "oo", "jk", "\\a\b\033", "/a\r", "TU",
					     "D", "xx", "  ", "vvvvv",     "GGGG", "?\033" };

	view_feed(&view, with_tensors(11));
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		each_fails(texts[i]);
	for (unsigned long at = 1; at < 200; at++) {
		struct snapshot *snapshot = with_tensors(12);

		calls = 0;
		fails_at = at;
		view_feed(&view, snapshot);
		fails_at = 0;
		draw();
	}
}
END_TEST

Suite *suite_no_memory(void)
{
	Suite *suite = suite_create("no memory");
	TCase *tests = tcase_create("no memory");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, panes_are_drawn, 0, 2);
	tcase_add_test(tests, keys_are_pressed);
	suite_add_tcase(suite, tests);
	return suite;
}
