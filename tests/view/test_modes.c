/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keys while something is open, without a terminal: what is typed, menus, the help, and questions
 * that want a yes.
 */
#include <string.h>

#include "at_screen.h"
#include "model/arena.h"
#include "util/util.h"

START_TEST(filtering)
{
	keys("\\python");
	ck_assert_uint_eq(view.table.row_count, 1);
	ck_assert_uint_eq(view.table.hidden, 5);
	keys("\033");
	ck_assert_uint_eq(view.table.row_count, 6);
	keys("\\user:ana\r");
	ck_assert_uint_eq(view.table.row_count, 3);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	keys("\\\b\b\bben\r");
	ck_assert_str_eq(view.filter, "user:ben");
	ck_assert_uint_eq(view.table.row_count, 1);
	keys("\033");
	ck_assert_uint_eq(view.table.row_count, 6);
	keys("\\pid:4400\r");
	ck_assert_uint_eq(view.table.row_count, 1);
	/* L is a letter here, and q too. */
	keys("\033\\Lq\r");
	ck_assert_str_eq(view.filter, "Lq");
	ck_assert_int_eq(view.request, REQUEST_NONE);
	ck_assert_uint_eq(view.table.row_count, 0);
}
END_TEST

/* Who writes over the screen does not ask what is open there. */
START_TEST(redrawn)
{
	static const char *const opened[] = { "", "/ab", "\\ab", "d", "?", "2\r" };

	for (size_t i = 0; i < ARRAY_LEN(opened); i++) {
		enum input_mode mode;

		keys(opened[i]);
		mode = view.mode;
		view.request = REQUEST_NONE;
		press('L' - '@');
		ck_assert_int_eq(view.request, REQUEST_REDRAW);
		ck_assert_int_eq(view.mode, mode);
		keys("\033\033");
	}
}
END_TEST

START_TEST(typing_is_bounded_and_clean)
{
	int i;

	keys("\\");
	for (i = 0; i < 1000; i++)
		view_key(&view, 0x63a8);
	view_key(&view, 7);
	view_key(&view, 0x9b);
	view_key(&view, K_F5);
	ck_assert_uint_lt(strlen(view.input), INPUT_SIZE);
	ck_assert_uint_eq(strlen(view.input) % 3, 0);
	keys("\b");
	ck_assert_uint_eq(strlen(view.input) % 3, 0);
	view_key(&view, 'U' - '@');
	ck_assert_str_eq(view.input, "");
	keys("\b\b");
	ck_assert_str_eq(view.input, "");
}
END_TEST

START_TEST(searching)
{
	keys("Pg/infer\r");
	ck_assert_uint_eq(selected_pid(), 4311);
	keys("/ana\r");
	ck_assert_uint_eq(view.table.rows[view.table.selected_row].process->user[0], 'a');
	keys("n");
	keys("n");
	keys("n");
	keys("N");
	ck_assert_str_eq(view_selected(&view)->user, "ana");
	keys("/nothing at all\r");
	ck_assert(strstr(view.message, "no match"));
	keys("/4600\r");
	ck_assert_uint_eq(selected_pid(), 4600);
	/* In a pane of full height, too. */
	keys("7\r/ended\r");
	ck_assert_str_eq(view.message, "");
	keys("/nothing at all");
	keys("\r");
	ck_assert_ptr_nonnull(strstr(view.message, "no match"));
}
END_TEST

/* A page cannot begin at each of its matches: the search goes on and round all the same. */
START_TEST(searching_a_long_list)
{
	struct snapshot *snapshot = cast_snapshot(10);
	struct snap_process *process = &snapshot->processes[1];
	struct snap_alloc *map = arena_alloc(snapshot->arena, 100, sizeof(*map));
	struct list_state *pane = &view.panes[PANE_MEMORY];
	static const size_t found[] = { 11, 96, 99, 11, 96 };

	ck_assert_ptr_nonnull(map);
	ck_assert_uint_eq(process->pid, 4242);
	for (size_t i = 0; i < 100; i++)
		map[i] = (struct snap_alloc){ .address = 0x1000 * i,
					      .bytes = 100 - i,
					      .site = i == 10 || i == 95 || i == 98 ? "needle" :
										      "hay" };
	process->map = map;
	process->map_count = 100;
	process->span_count = 0;
	view_feed(&view, snapshot);
	keys("/4242\r1\r/needle\r");
	for (size_t i = 0; i < ARRAY_LEN(found); i++) {
		ck_assert_uint_eq(pane->found, found[i]);
		ck_assert_uint_le(pane->top, found[i] - 1);
		ck_assert_uint_lt(found[i] - 1, pane->top + (size_t)pane->rows);
		keys("n");
	}
	for (size_t i = ARRAY_LEN(found); i-- > 0;) {
		keys("N");
		ck_assert_uint_eq(pane->found, found[i]);
	}
}
END_TEST

START_TEST(delay)
{
	keys("d");
	view_key(&view, 'U' - '@');
	keys("0.5\r");
	ck_assert_int_eq(view.request, REQUEST_DELAY);
	ck_assert_uint_eq(view.settings.delay, 500000000);
	ck_assert_int_eq(canvas_resize(&canvas, 60, 200), 0);
	draw();
	ck_assert_ptr_nonnull(strstr(row_with("cutop"), " 0.5s"));
	view.settings.delay = 10000000;
	draw();
	ck_assert_ptr_nonnull(strstr(row_with("cutop"), " 0.01s"));
	view.settings.delay = 500000000;
	view.request = REQUEST_NONE;
	keys("d");
	keys("x\r");
	ck_assert_int_eq(view.request, REQUEST_NONE);
	ck_assert_uint_eq(view.settings.delay, 500000000);
	/* A recording's snapshots are those that were made. */
	view.host.play.is_on = true;
	keys("d");
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_ptr_nonnull(strstr(view.message, "+ and -"));
}
END_TEST

START_TEST(signals_ask_first)
{
	keys("Pg");
	view_key(&view, K_F9);
	ck_assert_int_eq(view.mode, INPUT_SIGNAL);
	/* What is sorted meanwhile is not hit. */
	view_feed(&view, cast_snapshot(15));
	keys("j\r");
	ck_assert_int_eq(view.mode, INPUT_CONFIRM);
	ck_assert_int_eq(view.signal_number, 2);
	keys("y");
	ck_assert_int_eq(view.request, REQUEST_SIGNAL);
	ck_assert_uint_eq(view_signal_count(&view), 1);
	ck_assert_uint_eq(view_signal_target(&view, 0)->program, CAST_WIDE);
	view.request = REQUEST_NONE;
	view.signal_number = 0;
	view_key(&view, K_F9);
	keys("\r\r"); /* Enter is no yes */
	ck_assert_int_eq(view.request, REQUEST_NONE);
	ck_assert_int_eq(view.signal_number, 0);
	view.host.readonly = true;
	view_key(&view, K_F9);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	view.host.readonly = false;
	keys("/short\r");
	view_key(&view, K_F9); /* it has exited */
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
}
END_TEST

START_TEST(quitting)
{
	keys("\033\033\033");
	ck_assert_int_eq(view.request, REQUEST_NONE); /* Esc never quits */
	keys("?");
	ck_assert_int_eq(view.mode, INPUT_HELP);
	keys("q");
	ck_assert_int_eq(view.request, REQUEST_NONE);
	keys("q");
	ck_assert_int_eq(view.request, REQUEST_QUIT);
	view.request = REQUEST_NONE;
	keys("/abc\003"); /* Ctrl-C, while something is typed */
	ck_assert_int_eq(view.request, REQUEST_QUIT);
	view.request = REQUEST_NONE;
	view.host.from_command = true;
	keys("\003");
	ck_assert_int_eq(view.mode, INPUT_CONFIRM);
	ck_assert_int_eq(view.request, REQUEST_NONE);
	keys("\003");
	ck_assert_int_eq(view.request, REQUEST_QUIT);
	view.request = REQUEST_NONE;
	keys("q");
	ck_assert_int_eq(view.mode, INPUT_CONFIRM);
	keys("\033");
	ck_assert_int_eq(view.request, REQUEST_NONE);
	keys("qy");
	ck_assert_int_eq(view.request, REQUEST_QUIT);
	view.request = REQUEST_NONE;
	view.host.command_ended = true;
	keys("q");
	ck_assert_int_eq(view.request, REQUEST_QUIT);
}
END_TEST

/* What is changed in the menu stays where there is a file; else it says which key makes one. */
START_TEST(settings_are_kept)
{
	press(K_F2);
	keys(" \033"); /* the first line is the theme */
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_int_eq(view.request, REQUEST_NONE); /* --no-config */
	ck_assert_str_eq(view.message, "");
	view_settings_begin(&view);
	view.host.settings_path = "/home/u/cutoprc";
	press(K_F2);
	keys("\033");
	ck_assert_str_eq(view.message, ""); /* nothing has changed */
	press(K_F2);
	keys(" \033");
	ck_assert_ptr_nonnull(strstr(view.message, "W saves"));
	ck_assert_int_eq(view.request, REQUEST_NONE);
	view.host.settings_kept = true;
	press(K_F2);
	keys(" \033");
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_int_eq(view_request(&view), REQUEST_KEEP);
}
END_TEST

START_TEST(changes_of_keys_are_seen)
{
	ck_assert(!view_settings_changed(&view));
	keys("2K");
	ck_assert(view_settings_changed(&view));
	keys("M1");
	ck_assert(!view_settings_changed(&view));
}
END_TEST

/* In full height the menu is about the pane. */
START_TEST(menu_of_a_pane)
{
	struct list_state *pane = &view.panes[PANE_KERNELS];

	keys("2\r");
	draw();
	press(K_F6);
	draw();
	ck_assert_int_lt(view.menu.rect.rows, 15);
	press(K_HOME);
	press(K_DOWN);
	press(K_ENTER);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_uint_gt(pane->sort, 0);
	ck_assert(!pane->reverse);
	keys("I");
	ck_assert(pane->reverse);
	press(K_F6);
	ck_assert_uint_eq(view.menu.row, 1);
	press(K_HOME);
	press(K_ENTER);
	ck_assert_uint_eq(pane->sort, 0);
	ck_assert_str_eq(view.settings.sort.keys[0]->name, "live");
}
END_TEST

START_TEST(menus_go_by_pages)
{
	press(K_F6);
	draw();
	press(K_HOME);
	press(K_PAGE_DOWN);
	ck_assert_uint_eq(view.menu.row, (size_t)view.menu.rect.rows - 1);
	for (int i = 0; i < 9; i++)
		press(K_PAGE_DOWN);
	ck_assert_uint_eq(view.menu.row, column_count - 1);
	press(K_PAGE_UP);
	ck_assert_uint_lt(view.menu.row, column_count - 1);
	for (int i = 0; i < 9; i++)
		press(K_PAGE_UP);
	ck_assert_uint_eq(view.menu.row, 0);
	keys("\033?G");
	draw();
	ck_assert_int_eq(view.mode, INPUT_HELP);
	ck_assert_int_gt(view.help.top, 10);
	/* Not beyond the end: its last line is at the bottom. */
	ck_assert_str_ne(row_with("Wheel         scrolls"), "");
	ck_assert_int_lt(view.help.top, 100);
	keys("g");
	ck_assert_int_eq(view.help.top, 0);
	keys("\033");
}
END_TEST

START_TEST(help_in_a_narrow_screen)
{
	ck_assert_int_eq(canvas_resize(&canvas, 10, 40), 0);
	keys("?");
	ck_assert_str_ne(row_with(" Up and Down scroll"), "");
}
END_TEST

/* A pane that was never drawn with rows has no columns to sort by. */
START_TEST(a_sort_menu_of_nothing)
{
	struct snapshot *snapshot = cast_snapshot(0);

	view_clear(&view);
	cast_view(&view, 0);
	snapshot->process_count = 0;
	view_feed(&view, snapshot);
	keys("5\r");
	press(K_F6);
	draw();
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_ptr_nonnull(strstr(view.message, "nothing to sort"));
	/* Nor do keys move in an empty menu. */
	view.mode = INPUT_SORT;
	press(K_DOWN);
	press(K_UP);
	press(K_END);
	ck_assert_uint_eq(view.menu.row, 0);
}
END_TEST

#define MANY 100

/* Two users' processes in @many, which is to live until there is another snapshot. */
static void feed_many(struct snap_process many[MANY])
{
	struct snapshot *snapshot = cast_snapshot(12);

	for (size_t i = 0; i < MANY; i++) {
		many[i] = snapshot->processes[1];
		many[i].program = (uint32_t)i + 100;
		many[i].pid = (uint32_t)i + 10000;
		many[i].user = i < 40 ? "xavier" : "yvonne";
	}
	snapshot->processes = many;
	snapshot->process_count = MANY;
	view_feed(&view, snapshot);
	keys("PI");
}

/* The matches are shown from the first one, even if the selected process is none of them. */
START_TEST(filtered_away)
{
	struct snap_process many[MANY];

	feed_many(many);
	keys("/10080\r");
	ck_assert_str_ne(row_with(" 81/100"), "");
	keys("\\user:xa");
	ck_assert_uint_eq(view.table.row_count, 40);
	ck_assert_uint_eq(view.table.list.top, 0);
	ck_assert_str_ne(row_with(" -/40"), "");
	ck_assert_uint_eq(view.table.selected_row, 40); /* behind the last */
	/* Where it is hidden from the middle: there. */
	keys("\033/10010\r\\user:yv");
	ck_assert_uint_eq(view.table.row_count, 60);
	ck_assert_uint_eq(view.table.selected_row, 0);
	keys("\033");
	ck_assert_str_ne(row_with(" 11/100"), "");
	view_feed(&view, cast_snapshot(13));
}
END_TEST

/* From a process that is hidden, keys go to the matches next to where it would be. */
START_TEST(moving_from_a_hidden_one)
{
	struct snap_process many[MANY];

	feed_many(many);
	keys("/10010\r\\user:yv\r");
	press(K_DOWN);
	ck_assert_uint_eq(view_selected(&view)->pid, 10040);
	press(K_DOWN);
	ck_assert_uint_eq(view_selected(&view)->pid, 10041);
	view_clear(&view);
	cast_view(&view, 3);
	feed_many(many);
	keys("/10080\r\\user:xa\r");
	press(K_UP);
	ck_assert_uint_eq(view_selected(&view)->pid, 10039);
	view_feed(&view, cast_snapshot(13));
}
END_TEST

/* Words find actions and settings, those without a key, too; Enter does the chosen one. */
START_TEST(the_palette)
{
	const struct theme *theme = view.settings.theme;
	size_t columns_before = view.settings.column_count;

	keys(":");
	ck_assert_int_eq(view.mode, INPUT_PALETTE);
	ck_assert_uint_gt(palette_count(&view), 100);
	keys("by FAILED");
	ck_assert_str_ne(row_with(":by FAILED_"), "");
	ck_assert_ptr_nonnull(strstr(row_with("by failed calls"), " E"));
	keys("\r");
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_str_eq(view.settings.sort.keys[0]->name, "failed");
	/* A setting */
	keys(":theme");
	ck_assert_uint_eq(palette_count(&view), 1);
	keys("\r");
	ck_assert_ptr_ne(view.settings.theme, theme);
	keys(":column nspid\r");
	ck_assert_uint_eq(view.settings.column_count, columns_before + 1);
	/* One that opens something else, and the second of several */
	keys(":this help\r");
	ck_assert_int_eq(view.mode, INPUT_HELP);
	keys("\033:by launches\t\t\t\033");
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	keys(":next ");
	press(K_DOWN);
	press(K_DOWN);
	press(K_UP);
	ck_assert_uint_eq(view.menu.row, 1);
	press(K_UP);
	press(K_UP);
	ck_assert_uint_eq(view.menu.row, palette_count(&view) - 1);
	/* Nothing is done by what nothing has. */
	keys("xyz");
	ck_assert_uint_eq(palette_count(&view), 0);
	ck_assert_str_ne(row_with("Nothing has these words"), "");
	keys("\r");
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_int_eq(view.request, REQUEST_NONE);
	/* A click chooses a line. */
	keys(":tree of");
	view_mouse(&view, view.menu.rect.row, view.menu.rect.col + 2, MOUSE_CLICK);
	ck_assert(view.settings.tree);
	ck_assert_int_eq(canvas_resize(&canvas, 3, 10), 0);
	keys(":q");
}
END_TEST

Suite *suite_modes(void)
{
	Suite *suite = suite_create("modes");
	TCase *tests = tcase_create("modes");

	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, filtering);
	tcase_add_test(tests, redrawn);
	tcase_add_test(tests, typing_is_bounded_and_clean);
	tcase_add_test(tests, searching);
	tcase_add_test(tests, searching_a_long_list);
	tcase_add_test(tests, delay);
	tcase_add_test(tests, signals_ask_first);
	tcase_add_test(tests, quitting);
	tcase_add_test(tests, settings_are_kept);
	tcase_add_test(tests, changes_of_keys_are_seen);
	tcase_add_test(tests, menu_of_a_pane);
	tcase_add_test(tests, menus_go_by_pages);
	tcase_add_test(tests, a_sort_menu_of_nothing);
	tcase_add_test(tests, help_in_a_narrow_screen);
	tcase_add_test(tests, filtered_away);
	tcase_add_test(tests, moving_from_a_hidden_one);
	tcase_add_test(tests, the_palette);
	suite_add_tcase(suite, tests);
	return suite;
}
