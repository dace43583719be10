/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The variables of a process: asking, the answer, and what may be in it. */
#include "at_screen.h"
#include "util/util.h"

static void answer(const char *words, size_t len)
{
	view_environment(&view, words, len, NULL);
	draw();
}

START_TEST(asked_and_answered)
{
	static const char words[] = "CUDA_VISIBLE_DEVICES=0,1\0LD_PRELOAD=/opt/lib/libx.so";

	keys("/4242\r");
	keys("e");
	ck_assert_int_eq(view.mode, INPUT_ENVIRONMENT);
	ck_assert_int_eq(view_request(&view), REQUEST_ENVIRONMENT);
	ck_assert_uint_eq(view_environment_of(&view)->pid, 4242);
	ck_assert_str_ne(row_with("Variables of 4242 python"), "");
	ck_assert_str_ne(row_with("Reading ..."), "");
	/* The screen goes on while it is waited for, and the question stays the same. */
	view_feed(&view, cast_snapshot(11));
	answer(words, sizeof(words));
	ck_assert_str_ne(row_with("CUDA_VISIBLE_DEVICES=0,1"), "");
	ck_assert_str_ne(row_with("LD_PRELOAD=/opt/lib/libx.so"), "");
	keys("e");
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	/* Of another one it is not shown, and an answer that comes too late is none. */
	answer(words, sizeof(words));
	ck_assert_ptr_null(view.environment.words);
	keys("/4311\r");
	keys("e");
	ck_assert_str_eq(row_with("LD_PRELOAD"), "");
	ck_assert_str_ne(row_with("Reading ..."), "");
}
END_TEST

START_TEST(no_answer)
{
	keys("e");
	view_environment(&view, NULL, 0, "There is no right to read it.");
	draw();
	ck_assert_str_ne(row_with("There is no right to read it."), "");
	view_environment(&view, "LD_A=1", 7, "The rest of it cannot be read.");
	draw();
	ck_assert_str_ne(row_with("LD_A=1"), "");
	ck_assert_str_ne(row_with("The rest of it cannot be read."), "");
	answer("", 0);
	ck_assert_str_eq(row_with("The rest of it"), "");
	ck_assert_str_ne(row_with("None whose name begins with"), "");
	keys("\033");
	view.host.readonly = true;
	keys("e");
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_ptr_nonnull(strstr(view.message, "--readonly"));
	view.host.readonly = false;
	view.host.play.is_on = true;
	keys("e");
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_ptr_nonnull(strstr(view.message, "a recording"));
	view.host.play.is_on = false;
	keys("/4500\r");
	keys("e");
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_ptr_nonnull(strstr(view.message, "has exited"));
}
END_TEST

/* All of a long value is to be seen, by scrolling. */
START_TEST(long_values)
{
	char words[4096], *at = words;

	at += sprintf(at, "LD_LIBRARY_PATH=");
	for (int i = 0; i < 300; i++)
		at += sprintf(at, "/%03d:", i);
	at += sprintf(at, "end") + 1;
	at += sprintf(at, "XLA_FLAGS=last") + 1;
	keys("e");
	answer(words, (size_t)(at - words));
	ck_assert_str_ne(row_with("Up and Down scroll"), "");
	ck_assert_str_ne(row_with("LD_LIBRARY_PATH=/000:/001:"), "");
	keys("G");
	ck_assert_str_ne(row_with("/299:end"), "");
	ck_assert_str_ne(row_with("XLA_FLAGS=last"), "");
	ck_assert_str_eq(row_with("LD_LIBRARY_PATH"), "");
	keys("g");
	ck_assert_str_ne(row_with("LD_LIBRARY_PATH"), "");
	view_mouse(&view, 10, 10, MOUSE_WHEEL_DOWN);
	ck_assert_int_gt(view.help_top, 0);
	/* Any size of the screen will do. */
	for (int rows = 1; rows < 12; rows++)
		for (int cols = 1; cols < 40; cols++) {
			ck_assert_int_eq(canvas_resize(&canvas, rows, cols), 0);
			draw();
		}
	view_mouse(&view, 0, 0, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
}
END_TEST

/* The process controls what is in there. */
START_TEST(hostile_contents)
{
	char words[3000] = "LD_A=\033[2J\033]0;title\007\x9b"
			   "31m\xff\xfe\r\n\t",
	     *at = words + strlen(words) + 1;

	at = stpcpy(at, "LD_B") + 1; /* no sign of equality */
	at = stpcpy(at, "LD_C=\xe2\x80\xae"
			"desrever\xe2\x80\x8f") +
	     1;
	at = stpcpy(at, "LD_D=");
	for (int i = 0; i < 500; i++)
		at = stpcpy(at, "\xcc\x81");
	at = stpcpy(at + 1, "=CUDA_") + 1;
	at = stpcpy(at, "LD_E=\xe6\x8e\xa8\xe8\xab\x96") + 1;
	keys("e");
	for (int ascii = 0; ascii < 2; ascii++) {
		view.settings.ascii = ascii;
		answer(words, (size_t)(at - words));
		ck_assert_str_ne(row_with("LD_B"), "");
		ck_assert_str_ne(row_with("LD_E="), "");
		for (int row = 0; row < canvas.rows; row++)
			for (int col = 0; col < canvas.cols; col++) {
				const char *text = canvas_cell(&canvas, row, col)->text;

				for (const char *c = text; *c; c++) {
					ck_assert((unsigned char)*c >= 0x20 && *c != 0x7f);
					ck_assert(!ascii || !(*c & 0x80));
				}
				ck_assert(!strstr(text, "\xe2\x80\xae"));
				ck_assert(!strchr(text, '\xff'));
			}
	}
}
END_TEST

/* A wide character that does not fit at the end of a row begins the next one. */
START_TEST(wide_values)
{
	for (int shift = 0; shift < 2; shift++) {
		char words[800] = "LD_A=", *at = words + strlen(words);
		size_t seen = 0;

		at = stpcpy(at, shift ? "x" : "");
		for (int i = 0; i < 200; i++)
			at = stpcpy(at, "\xe6\x8e\xa8");
		keys("e");
		answer(words, (size_t)(at - words) + 1);
		for (int row = 0; row < canvas.rows; row++)
			for (int col = 0; col < canvas.cols; col++)
				seen += !strcmp(canvas_cell(&canvas, row, col)->text,
						"\xe6\x8e\xa8");
		ck_assert_uint_eq(seen, 200);
		keys("\033");
	}
}
END_TEST

Suite *suite_environment(void)
{
	Suite *suite = suite_create("environment");
	TCase *tests = tcase_create("environment");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, asked_and_answered);
	tcase_add_test(tests, no_answer);
	tcase_add_test(tests, long_values);
	tcase_add_test(tests, hostile_contents);
	tcase_add_test(tests, wide_values);
	suite_add_tcase(suite, tests);
	return suite;
}
