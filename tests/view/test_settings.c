/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings: round trip, what is kept, how the file is replaced. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cast.h"
#include "util/util.h"
#include "view/settings.h"

static char folder[64];
static struct reason why;

static const char *path(const char *name)
{
	static char text[2][128];
	static int turn;

	turn = !turn;
	snprintf(text[turn], sizeof(text[turn]), "%s/%s", folder, name);
	return text[turn];
}

static void setup(void)
{
	strcpy(folder, "/tmp/cutop-settings.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	why.text[0] = 0;
}

static void teardown(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

static void file_put(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static char *file_get(const char *name)
{
	char *text = file_read(name, 65536, NULL);

	ck_assert_ptr_nonnull(text);
	return text;
}

START_TEST(round_trip)
{
	struct view view, again;
	const char *bad;
	size_t len;

	view_init(&view);
	view_init(&again);
	view.settings.theme = theme_find("light");
	view.settings.ascii = view.settings.tree = view.settings.full_names = true;
	view.settings.log_bars = true;
	view.settings.mouse = false;
	view.settings.delay = 2500000000;
	view.settings.pane = PANE_CALLS;
	view.settings.sites_by = SITES_BY_FILE;
	strcpy(view.settings.site_skip, "my::alloc* */pool.cc");
	strcpy(view.settings.pool, "/etc/arena.pool");
	ck_assert_int_eq(sort_order_parse(&view.settings.sort, "leaked,pid", &bad, &len), 0);
	view.settings.sort.reverse = true;
	view.settings.column_count = 3;
	view.settings.columns[1] = column_find("held");
	ck_assert_int_eq(settings_write(&view.settings, path("a/b/cutoprc"), &why), 0);
	ck_assert_int_eq(settings_read(&again.settings, path("a/b/cutoprc"), &why), 0);
	ck_assert_mem_eq(&view.settings.sort, &again.settings.sort, sizeof(view.settings.sort));
	ck_assert_uint_eq(again.settings.column_count, 3);
	ck_assert_ptr_eq(again.settings.columns[1], column_find("held"));
	ck_assert_ptr_eq(again.settings.theme, view.settings.theme);
	ck_assert_uint_eq(again.settings.delay, view.settings.delay);
	ck_assert_int_eq(again.settings.pane, PANE_CALLS);
	ck_assert_int_eq(again.settings.sites_by, SITES_BY_FILE);
	ck_assert_str_eq(again.settings.site_skip, "my::alloc* */pool.cc");
	ck_assert_str_eq(again.settings.pool, "/etc/arena.pool");
	ck_assert(again.settings.ascii && again.settings.tree && again.settings.full_names &&
		  again.settings.log_bars && !again.settings.mouse && !again.settings.follow);
}
END_TEST

/* Only what has changed is written over what the file says by then. */
START_TEST(changes_alone_are_written)
{
	struct view view, again;
	const char *bad;
	size_t len;
	char *text;

	view_init(&view);
	file_put(path("rc"), "[screen]\nsort = leaked\ndelay = 3\n");
	ck_assert_int_eq(settings_read(&view.settings, path("rc"), &why), 0);
	/* --sort and --delay, for once */
	ck_assert_int_eq(sort_order_parse(&view.settings.sort, "pid", &bad, &len), 0);
	view.settings.delay = NSEC_PER_SEC / 4;
	view_settings_begin(&view);
	view.settings.tree = true;
	view.settings.pane = PANE_CALLS;
	/* another cutop meanwhile */
	file_put(path("rc"),
		 "[screen]\nsort = live\nreverse = yes\ndelay = 3\ntheme = light\npane = log\n");
	ck_assert_int_eq(view_settings_keep(&view, path("rc"), &why), 0);
	ck_assert(!settings_differ(&view.settings_before, &view.settings));
	view_init(&again);
	ck_assert_int_eq(settings_read(&again.settings, path("rc"), &why), 0);
	ck_assert(again.settings.tree && again.settings.sort.reverse);
	ck_assert_int_eq(again.settings.pane, PANE_CALLS);
	ck_assert_str_eq(again.settings.theme->name, "light");
	ck_assert_str_eq(again.settings.sort.keys[0]->name, "live");
	ck_assert_uint_eq(again.settings.delay, 3 * NSEC_PER_SEC);
	/* A file with a mistake is the user's to mend; it is not overwritten. */
	view.settings.tree = false;
	file_put(path("rc"), "[screen]\ntheme = lihgt\n");
	ck_assert_int_lt(view_settings_keep(&view, path("rc"), &why), 0);
	ck_assert_ptr_nonnull(strstr(why.text, "lihgt"));
	text = file_get(path("rc"));
	ck_assert_str_eq(text, "[screen]\ntheme = lihgt\n");
	free(text);
}
END_TEST

START_TEST(what_is_not_known_stays)
{
	struct view view;
	char *text;

	view_init(&view);
	file_put(
		path("rc"),
		"; mine\n[screen]\ntheme = mono\nfuture = 42\nbudget = 25\n\n[other]\ntheme = kept\n# last");
	ck_assert_int_eq(settings_read(&view.settings, path("rc"), &why), 0);
	ck_assert_str_eq(view.settings.theme->name, "mono");
	ck_assert_uint_eq(view.settings.budget, 25);
	view.settings.theme = theme_find("light");
	ck_assert_int_eq(chmod(path("rc"), 0640), 0);
	ck_assert_int_eq(settings_write(&view.settings, path("rc"), &why), 0);
	text = file_get(path("rc"));
	ck_assert_ptr_nonnull(
		strstr(text, "; mine\n[screen]\ntheme = light\nfuture = 42\nbudget = 25\n"));
	ck_assert_ptr_nonnull(strstr(text, "[other]\ntheme = kept\n# last\n"));
	ck_assert_ptr_null(strstr(text, "mono"));
	ck_assert_ptr_nonnull(strstr(text, "delay = 1\n"));
	ck_assert(strstr(text, "delay") < strstr(text, "[other]"));
	free(text);
	struct stat stat_of;
	ck_assert_int_eq(stat(path("rc"), &stat_of), 0);
	ck_assert_uint_eq(stat_of.st_mode & 07777, 0640);
	/* Written twice it is the same. */
	text = file_get(path("rc"));
	ck_assert_int_eq(settings_write(&view.settings, path("rc"), &why), 0);
	char *again = file_get(path("rc"));
	ck_assert_str_eq(text, again);
	free(text);
	free(again);
}
END_TEST

START_TEST(through_links)
{
	struct view view;
	struct stat stat_of;

	view_init(&view);
	ck_assert_int_eq(mkdir(path("dots"), 0700), 0);
	file_put(path("dots/cutoprc"), "[screen]\n");
	ck_assert_int_eq(symlink("dots/cutoprc", path("link")), 0);
	ck_assert_int_eq(settings_write(&view.settings, path("link"), &why), 0);
	ck_assert_int_eq(lstat(path("link"), &stat_of), 0);
	ck_assert(S_ISLNK(stat_of.st_mode));
	ck_assert_int_eq(lstat(path("dots/cutoprc"), &stat_of), 0);
	ck_assert_int_gt(stat_of.st_size, 20);
	/* One that points nowhere yet. */
	ck_assert_int_eq(symlink("dots/new", path("empty")), 0);
	ck_assert_int_eq(settings_write(&view.settings, path("empty"), &why), 0);
	ck_assert_int_eq(lstat(path("dots/new"), &stat_of), 0);
	ck_assert(S_ISREG(stat_of.st_mode));
}
END_TEST

START_TEST(bad_files)
{
	struct view view;

	view_init(&view);
	ck_assert_int_eq(settings_read(&view.settings, path("none"), &why), 0);
	file_put(path("bad"), "[screen]\ntheme = purple\ndelay = 2\n");
	ck_assert_int_eq(settings_read(&view.settings, path("bad"), &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "purple"));
	ck_assert_uint_eq(view.settings.delay, 2000000000); /* the rest counts */
	file_put(
		path("bad"),
		"[screen]\ndelay = -1\nsort = nothing\ncolumns =\npane = nowhere\nascii = perhaps\n");
	ck_assert_int_eq(settings_read(&view.settings, path("bad"), &why), -EINVAL);
	ck_assert_uint_gt(view.settings.column_count, 3);
	file_put(path("bad"), "what is this\n");
	ck_assert_int_eq(settings_read(&view.settings, path("bad"), &why), -EINVAL);
	file_put(path("bad"), "[screen]\ncolumns = pid future live\n");
	ck_assert_int_eq(settings_read(&view.settings, path("bad"), &why), 0);
	ck_assert_uint_eq(view.settings.column_count, 2);
	file_put(path("bad"), "[screen]\ndelay = soon\n");
	ck_assert_int_eq(settings_read(&view.settings, path("bad"), &why), -EINVAL);
	ck_assert_ptr_nonnull(strstr(why.text, "delay cannot be 'soon'"));
	file_put(path("bad"), "[screen]\nbudget = -1\n");
	ck_assert_int_eq(settings_read(&view.settings, path("bad"), &why), -EINVAL);
	ck_assert_uint_eq(view.settings.budget, BUDGET_USUAL);
	ck_assert_int_eq(mkdir(path("folder"), 0700), 0);
	ck_assert_int_eq(settings_read(&view.settings, path("folder"), &why), -EISDIR);
	ck_assert_int_lt(settings_write(&view.settings, path("folder"), &why), 0);
	file_put(path("file"), "");
	ck_assert_int_lt(settings_write(&view.settings, path("file/rc"), &why), 0);
}
END_TEST

/* What --delay takes can be saved, read again and typed. */
/* What is shown is chosen one by one, and may be all there is. */
START_TEST(every_column)
{
	struct view view, again;

	view_init(&view);
	view_init(&again);
	for (view.settings.column_count = 0; view.settings.column_count < column_count;
	     view.settings.column_count++)
		view.settings.columns[view.settings.column_count] =
			&columns[view.settings.column_count];
	ck_assert_int_eq(settings_write(&view.settings, path("cutoprc"), &why), 0);
	ck_assert_msg(!settings_read(&again.settings, path("cutoprc"), &why), "%s", why.text);
	ck_assert_uint_eq(again.settings.column_count, column_count);
	ck_assert_mem_eq(view.settings.columns, again.settings.columns,
			 column_count * sizeof(view.settings.columns[0]));
	file_put(path("cutoprc"), "[screen]\n  theme = light\n  delay = 2\n\tsort = pid\n");
	ck_assert_msg(!settings_read(&again.settings, path("cutoprc"), &why), "%s", why.text);
	ck_assert_uint_eq(again.settings.delay, 2000000000);
	ck_assert_ptr_eq(again.settings.sort.keys[0], column_find("pid"));
	view_clear(&view);
	view_clear(&again);
}
END_TEST

START_TEST(any_delay)
{
	static const char *const good[] = { "0.01", "0.05", "1", "7200", "1e+09" }, *const bad[] = {
		"0.009", "", "1e10", "nan", "1s"
	};
	struct settings settings = { .delay = 0 };
	struct view view, again;

	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		view_init(&view);
		view_init(&again);
		ck_assert_int_eq(delay_parse(good[i], &view.settings.delay), 0);
		ck_assert_int_eq(settings_write(&view.settings, path("rc"), &why), 0);
		ck_assert_int_eq(settings_read(&again.settings, path("rc"), &why), 0);
		ck_assert_uint_eq(again.settings.delay, view.settings.delay);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		ck_assert_int_eq(delay_parse(bad[i], &settings.delay), -EINVAL);
	ck_assert_uint_eq(settings.delay, 0);
}
END_TEST

START_TEST(changed_on_the_screen)
{
	struct view view;
	char name[64], value[64];
	const char *help;
	size_t columns_before;

	cast_view(&view, 1);
	columns_before = view.settings.column_count;
	view_key(&view, K_F2);
	ck_assert_int_eq(view.mode, INPUT_SETTINGS);
	cast_keys(&view, " ");
	ck_assert_ptr_ne(view.settings.theme, &themes[0]);
	for (size_t i = 0; i < settings_lines(&view); i++) {
		settings_line(&view, i, name, value, sizeof(name), &help);
		ck_assert_uint_gt(strlen(name), 0);
		ck_assert_ptr_nonnull(help);
	}
	/* The last line is a column not shown: it comes before COMMAND. */
	view_key(&view, 'G');
	cast_keys(&view, " ");
	ck_assert_uint_eq(view.settings.column_count, columns_before + 1);
	ck_assert_str_eq(view.settings.columns[columns_before]->name, "command");
	for (size_t i = 0; i < 500; i++)
		cast_keys(&view, i % 3 ? "j " : " k");
	ck_assert_uint_gt(view.settings.column_count, 0);
	cast_keys(&view, "W");
	ck_assert_int_eq(view.request, REQUEST_SAVE);
	view_clear(&view);
}
END_TEST

/* What keys change is saved as well: all that the menu has, and no more. */
START_TEST(changed_by_keys)
{
	struct settings read;
	struct view view, fresh;

	cast_view(&view, 3);
	cast_keys(&view, "tFc6bEI5");
	view_key(&view, K_F5);
	cast_keys(&view, "td");
	view_key(&view, 'U' - '@');
	cast_keys(&view, "2.5\r\\python\ruj\rT*x");
	ck_assert_int_eq(settings_write(&view.settings, path("keys"), &why), 0);
	view_init(&fresh);
	read = fresh.settings;
	ck_assert_int_eq(settings_read(&read, path("keys"), &why), 0);
	ck_assert(read.tree && read.follow && read.full_names);
	ck_assert_int_eq(read.sites_by, SITES_BY_FUNCTION);
	ck_assert_str_eq(read.sort.keys[0]->name, "failed");
	ck_assert(read.sort.reverse);
	ck_assert_int_eq(read.pane, PANE_CALLS);
	ck_assert_uint_eq(read.delay, 2500000000);
	ck_assert_int_eq(memcmp(&read, &view.settings, sizeof(read)), 0);
	view_clear(&fresh);
	view_clear(&view);
}
END_TEST

Suite *suite_settings(void)
{
	Suite *suite = suite_create("settings");
	TCase *tests = tcase_create("settings");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, round_trip);
	tcase_add_test(tests, changes_alone_are_written);
	tcase_add_test(tests, what_is_not_known_stays);
	tcase_add_test(tests, through_links);
	tcase_add_test(tests, bad_files);
	tcase_add_test(tests, every_column);
	tcase_add_test(tests, any_delay);
	tcase_add_test(tests, changed_on_the_screen);
	tcase_add_test(tests, changed_by_keys);
	suite_add_tcase(suite, tests);
	return suite;
}
