/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clicks and the wheel, to actions to state, without a terminal. */
#include "at_screen.h"
#include "view/map.h"

START_TEST(on_the_screen)
{
	const struct column *list[COLUMNS_MAX];

	ck_assert_uint_gt(table_columns(&view, list), 1);
	keys("P");
	view_mouse(&view, view.layout.table.row + 2, 5, MOUSE_CLICK);
	ck_assert_uint_eq(selected_pid(), view.table.rows[2].process->pid);
	view_mouse(&view, view.layout.titles.row, view.table.list.title_start[1] + 1, MOUSE_CLICK);
	ck_assert_ptr_eq(view.settings.sort.keys[0], list[1]);
	view_mouse(&view, view.layout.tabs.row, 28, MOUSE_CLICK);
	ck_assert_int_eq(view.settings.pane, PANE_COPIES);
	view_mouse(&view, view.layout.tabs.row, 10, MOUSE_CLICK);
	ck_assert_int_eq(view.settings.pane, PANE_MEMORY);
	view_mouse(&view, view.layout.table.row, 5, MOUSE_DOUBLE);
	ck_assert(view_in_pane(&view));
	keys("\033");
	/* However long after the first, but not with a key or another click between. */
	draw();
	view_mouse(&view, view.layout.table.row + 1, 5, MOUSE_CLICK);
	ck_assert(!view_in_pane(&view));
	keys("j");
	view_mouse(&view, view.layout.table.row + 2, 5, MOUSE_CLICK);
	view_mouse(&view, view.layout.table.row + 1, 5, MOUSE_CLICK);
	view_mouse(&view, view.layout.tabs.row, 2, MOUSE_CLICK);
	view_mouse(&view, view.layout.table.row + 1, 5, MOUSE_CLICK);
	ck_assert(!view_in_pane(&view));
	view_mouse(&view, view.layout.table.row + 1, 5, MOUSE_CLICK);
	ck_assert(view_in_pane(&view));
	keys("\033");
	draw();
	view_mouse(&view, view.layout.bar.row, 2, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_HELP);
	view_mouse(&view, 5, 5, MOUSE_WHEEL_DOWN);
	ck_assert_int_eq(view.help.top, 1);
	view_mouse(&view, 5, 5, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	for (int row = -2; row < 30; row++)
		for (int col = -2; col < 90; col += 3)
			view_mouse(&view, row, col, MOUSE_WHEEL_UP);
}
END_TEST

START_TEST(in_menus)
{
	const struct column *second = &columns[1];

	keys("g");
	press(K_F6);
	view_mouse(&view, 0, 0, MOUSE_CLICK);
	ck_assert_msg(view.mode == INPUT_SORT, "a menu that was not drawn yet was clicked at");
	draw();
	view_mouse(&view, view.menu.rect.row + 1, view.menu.rect.col + 3, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	ck_assert_ptr_eq(view.settings.sort.keys[0], second);
	press(K_F6);
	keys("G");
	draw();
	ck_assert_uint_gt(view.menu.top, 0);
	view_mouse(&view, view.menu.rect.row, view.menu.rect.col, MOUSE_CLICK);
	ck_assert_ptr_eq(view.settings.sort.keys[0], &columns[view.menu.top]);
	press(K_F6);
	draw();
	view_mouse(&view, view.menu.rect.row - 1, view.menu.rect.col, MOUSE_CLICK);
	ck_assert_msg(view.mode == INPUT_SORT, "a click at the frame closes the menu");
	view_mouse(&view, view.menu.rect.row, 0, MOUSE_CLICK);
	ck_assert_msg(view.mode == INPUT_NORMAL, "a click beside the menu does not close it");

	/* Two clicks on one line: what lies behind the menu is not opened by the second. */
	press(K_F6);
	draw();
	view_mouse(&view, view.menu.rect.row + 1, view.menu.rect.col + 3, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_NORMAL);
	view_mouse(&view, view.layout.table.row + 1, view.menu.rect.col + 3, MOUSE_DOUBLE);
	ck_assert(!view_in_pane(&view));
	view_mouse(&view, view.layout.table.row + 1, view.menu.rect.col + 3, MOUSE_CLICK);
	view_mouse(&view, view.layout.table.row + 1, view.menu.rect.col + 3, MOUSE_DOUBLE);
	ck_assert(view_in_pane(&view));
	keys("\033g");

	press(K_F9);
	draw();
	view_mouse(&view, view.menu.rect.row + 3, view.menu.rect.col + 3, MOUSE_CLICK);
	ck_assert_int_eq(view.mode, INPUT_CONFIRM);
	ck_assert_int_eq(view.signal_number, menu_signals[3].number);
	view_mouse(&view, 12, 40, MOUSE_CLICK);
	ck_assert_msg(view.request == REQUEST_NONE, "a click confirms a signal");
	view_mouse(&view, 12, 40, MOUSE_WHEEL_DOWN);
	ck_assert_msg(view.mode == INPUT_CONFIRM, "the wheel answers a question");
	keys("\033");

	press(K_F2);
	draw();
	view_mouse(&view, view.menu.rect.row + 1, view.menu.rect.col + 3, MOUSE_CLICK);
	ck_assert_uint_eq(view.menu.row, 1);
	ck_assert(!view.settings.ascii);
	view_mouse(&view, view.menu.rect.row + 1, view.menu.rect.col + 3, MOUSE_DOUBLE);
	ck_assert(view.settings.ascii);
	keys(" \033");
}
END_TEST

START_TEST(in_panes)
{
	struct list_state *pane = &view.panes[PANE_KERNELS];

	keys("g2");
	draw();
	ck_assert_int_gt(pane->title_end[2], 0);
	view_mouse(&view, pane->title_row, pane->title_end[2] - 1, MOUSE_CLICK);
	ck_assert_uint_eq(pane->sort, 3);
	ck_assert(!pane->reverse);
	view_mouse(&view, pane->title_row, pane->title_end[2] - 1, MOUSE_CLICK);
	ck_assert(pane->reverse);
	view_mouse(&view, pane->title_row, pane->title_start[1], MOUSE_CLICK);
	ck_assert_uint_eq(pane->sort, 2);
	ck_assert(!pane->reverse);
	view_mouse(&view, pane->title_row, 0, MOUSE_CLICK);
	ck_assert_uint_eq(pane->sort, 2);
}
END_TEST

/* The column of the screen where @text begins in row @row; -1: it is not there. */
static int col_of(int row, const char *text)
{
	for (int col = 0; col < canvas.cols; col++) {
		char line[4096] = "";

		for (int i = col; i < canvas.cols; i++)
			strcat(line, canvas_cell(&canvas, row, i)->text);
		if (!strncmp(line, text, strlen(text)))
			return col;
	}
	return -1;
}

static void click_text(int row, const char *text, int beyond)
{
	int col = col_of(row, text);

	ck_assert_msg(col >= 0, "%s is not there", text);
	view_mouse(&view, row, col + beyond, MOUSE_CLICK);
	draw();
}

/* The first line says what is not as usual, and a click there ends it. */
START_TEST(on_flags)
{
	ck_assert_int_eq(canvas_resize(&canvas, 24, 200), 0);
	keys("T\\python\r");
	view.message[0] = 0;
	keys("uj\r");
	keys("x ");
	ck_assert(view.frozen && view.base && view.filter[0] && view.user[0] &&
		  view.table.tags.count);
	/* Not what is beside it. */
	click_text(0, " FROZEN", 0);
	click_text(0, "cutop", 0);
	ck_assert(view.frozen && view.base && view.filter[0] && view.user[0] &&
		  view.table.tags.count);
	click_text(0, "FROZEN", 0);
	ck_assert(!view.frozen && view.base);
	click_text(0, "filter python", 3);
	ck_assert(!view.filter[0] && view.user[0]);
	ck_assert_uint_eq(view.table.row_count, 3);
	click_text(0, "user ana", 7);
	ck_assert(!view.user[0]);
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
	click_text(0, "since ", 0);
	ck_assert(!view.base && view.table.tags.count);
	click_text(0, "1 tagged", 0);
	ck_assert_uint_eq(view.table.tags.count, 0);
	ck_assert_int_eq(col_of(0, "tagged"), -1);
	view.host.play.is_on = true;
	draw();
	click_text(0, "REPLAY", 0);
	ck_assert_int_eq(view_request(&view), REQUEST_PAUSE);
}
END_TEST

START_TEST(on_signs_of_the_tree)
{
	int row;

	ck_assert_int_eq(canvas_resize(&canvas, 24, 140), 0);
	keys("tG");
	for (row = 0; view.table.rows[row].process->pid != 4107;)
		row++;
	click_text(view.layout.table.row + row, "▼", 0);
	ck_assert_uint_eq(view.table.rows[row].folded, 1);
	ck_assert_uint_ne(selected_pid(), 4107);
	click_text(view.layout.table.row + row, "▶", 0);
	ck_assert_uint_eq(view.table.rows[row].folded, 0);
	/* The name beside it is the row's; and what has no children has no sign. */
	click_text(view.layout.table.row + row, "▼", 3);
	ck_assert_uint_eq(view.table.rows[row].folded, 0);
	ck_assert_uint_eq(selected_pid(), 4107);
	click_text(view.layout.table.row + row + 1, "└─", 0);
	ck_assert_uint_eq(selected_pid(), 4600);
	ck_assert(!view.full);
	keys("t");
	click_text(view.layout.table.row, view.table.rows[0].process->command, 0);
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
}
END_TEST

/* The second click on a row shows its details, and Enter there goes to the event's process. */
START_TEST(in_the_log)
{
	int row;

	keys("Pg7");
	ck_assert_uint_ne(selected_pid(), 4400);
	row = row_number("4400 ");
	ck_assert_int_gt(row, view.panes[PANE_LOG].title_row);
	view_mouse(&view, row, 20, MOUSE_CLICK);
	ck_assert_int_eq(view.focus, FOCUS_PANE);
	view_mouse(&view, row, 20, MOUSE_CLICK);
	draw();
	ck_assert_int_eq(view.focus, FOCUS_DETAILS);
	ck_assert_str_ne(row_with("4400  (Enter goes to it)"), "");
	keys("\r");
	ck_assert_int_eq(view.focus, FOCUS_TABLE);
	ck_assert_uint_eq(selected_pid(), 4400);
	/* Two clicks on two rows are none on one. */
	view_mouse(&view, row, 20, MOUSE_CLICK);
	view_mouse(&view, row + 1, 20, MOUSE_CLICK);
	ck_assert_int_eq(view.focus, FOCUS_PANE);
	/* One that is not in the table. */
	keys("\033\\nothing\r");
	view_mouse(&view, row, 20, MOUSE_CLICK);
	view_mouse(&view, row, 20, MOUSE_CLICK);
	draw();
	ck_assert_str_eq(row_with("(Enter goes to it)"), "");
	keys("\r");
	ck_assert_ptr_nonnull(strstr(view.message, "4400 is not in the table"));
	ck_assert_int_eq(view.focus, FOCUS_DETAILS);
	for (int at = 0; at < 30; at++)
		view_mouse(&view, at, 20, MOUSE_DOUBLE);
}
END_TEST

/* A click on a device shows whose it is; one more, on it or on the first line, all again. */
START_TEST(on_devices)
{
	struct snapshot *snapshot = cast_snapshot(11);
	const struct device_cell *cell;

	cast_many_devices(snapshot, 3, 1);
	view_feed(&view, snapshot);
	ck_assert_int_eq(canvas_resize(&canvas, 40, 160), 0);
	draw();
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
	ck_assert_uint_eq(view.device_cell_count, 3 + 3);
	for (size_t i = 0; i < view.device_cell_count; i++) {
		size_t expected = 0;

		cell = &view.device_cells[i];
		view_mouse(&view, cell->rect.row, cell->rect.col + 4, MOUSE_CLICK);
		ck_assert(view.on_device.is_on);
		ck_assert_int_eq(view.on_device.device, cell->device);
		ck_assert_int_eq(view.on_device.instance, cell->instance);
		for (size_t j = 0; j < snapshot->process_count; j++) {
			const struct snap_process *process = &snapshot->processes[j];
			const struct snap_device *device = &snapshot->devices[cell->device];
			bool uses = false;

			for (size_t k = 0; cell->instance < 0 && k < process->device_count; k++)
				uses |= process->devices[k] == cell->device;
			for (size_t k = 0; k < device->use_count; k++)
				uses |= device->uses[k].program == process->program &&
					(cell->instance < 0 ||
					 device->uses[k].instance == cell->instance);
			expected += uses;
		}
		ck_assert_uint_eq(view.table.row_count, expected);
		draw();
		ck_assert(canvas_cell(&canvas, view.device_cells[i].rect.row,
				      view.device_cells[i].rect.col)
				  ->flags &
			  CELL_SELECTED);
	}
	view_mouse(&view, view.device_cells[5].rect.row, view.device_cells[5].rect.col,
		   MOUSE_CLICK);
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
	/* The key goes through them: a device, its parts, the next device; then all again. */
	keys("v");
	ck_assert_int_ge(col_of(0, "GPU 0 ("), 0);
	keys("v");
	ck_assert_int_ge(col_of(0, "GPU 0:"), 0);
	keys("vvvv");
	ck_assert_int_ge(col_of(0, "GPU 2 ("), 0);
	click_text(0, "GPU 2 (", 2);
	ck_assert(!view.on_device.is_on);
	keys("vvvvvvv");
	ck_assert(!view.on_device.is_on);
	keys("v\033");
	ck_assert(!view.on_device.is_on);
	ck_assert_uint_eq(view.table.row_count, CAST_COUNT);
}
END_TEST

/* A click in the map puts the cursor on the allocation there. */
START_TEST(on_the_map)
{
	size_t hits = 0;
	int last = -1;

	ck_assert_int_eq(canvas_resize(&canvas, 40, 120), 0);
	view.settings.sort.keys[0] = column_find("pid");
	keys("1g");
	for (int row = view.layout.pane.row; row < view.panes[PANE_MEMORY].title_row; row++)
		for (int col = 0; col < 120; col++) {
			const struct snap_process *process;
			uint64_t at = map_block_at(&view, row, col);
			char address[32];
			size_t i;

			if (!map_click(&view, row, col))
				continue;
			draw();
			process = view_selected(&view);
			ck_assert_int_eq(view.focus, FOCUS_PANE);
			for (i = 0; i < process->map_count; i++)
				if (process->map[i].address == at)
					break;
			ck_assert_uint_lt(i, process->map_count);
			ck_assert(view.panes[PANE_MEMORY].cursor.in_sight);
			hits += last != (int)i;
			last = (int)i;
			/* Its address is in the row at the cursor. */
			snprintf(address, sizeof(address), "%#llx", (unsigned long long)at);
			ck_assert_int_ge(col_of(view.panes[PANE_MEMORY].title_row + 1 +
							(int)(view.panes[PANE_MEMORY].cursor.row -
							      view.panes[PANE_MEMORY].top),
						address),
					 0);
		}
	ck_assert_uint_gt(hits, 1);
	/* By the mouse, and not where there is no map. */
	focus_set(&view, FOCUS_TABLE);
	view_mouse(&view, view.layout.pane.row + 1, 40, MOUSE_CLICK);
	ck_assert_int_eq(view.focus, FOCUS_PANE);
	keys("2");
	ck_assert(!map_click(&view, view.layout.pane.row + 1, 40));
}
END_TEST

/* On the bars beside lists: the end is at the end. The wheel moves past the cursor. */
START_TEST(on_scrollbars)
{
	struct list_state *pane = &view.panes[PANE_CALLS];
	struct rect table;
	int last;

	ck_assert_int_eq(canvas_resize(&canvas, 8, 80), 0);
	keys("P5");
	table = view.layout.table;
	ck_assert_uint_gt(view.table.row_count, (size_t)table.rows);
	ck_assert_int_ge(table.rows, 2);
	last = table.row + table.rows - 1;
	view_mouse(&view, last, 79, MOUSE_CLICK);
	draw();
	ck_assert_uint_eq(view.table.list.top, view.table.row_count - (size_t)table.rows);
	ck_assert_uint_eq(view.table.selected_row, 0); /* what was selected stays so */
	view_mouse(&view, table.row, 79, MOUSE_CLICK);
	draw();
	ck_assert_uint_eq(view.table.list.top, 0);
	view_mouse(&view, last, 78, MOUSE_CLICK); /* beside it: the row */
	ck_assert_uint_eq(view.table.selected_row, (size_t)table.rows - 1);

	ck_assert_int_eq(canvas_resize(&canvas, 12, 80), 0);
	keys("Mg\r");
	ck_assert_uint_gt(pane->count, (size_t)pane->rows);
	ck_assert_int_ge(pane->rows, 2);
	view_mouse(&view, pane->title_row + pane->rows, 79, MOUSE_CLICK);
	draw();
	ck_assert_uint_eq(pane->top, pane->count - (size_t)pane->rows);
	ck_assert_uint_eq(pane->cursor.row, 0);
	view_mouse(&view, pane->title_row + 1, 79, MOUSE_CLICK);
	draw();
	ck_assert_uint_eq(pane->top, 0);
	view_mouse(&view, pane->title_row + 1, 20, MOUSE_WHEEL_DOWN);
	draw();
	ck_assert_uint_gt(pane->top, 0);
	keys("j");
	ck_assert(pane->cursor.in_sight);

	keys("\r");
	ck_assert_int_eq(view.focus, FOCUS_DETAILS);
	ck_assert_int_gt(view.details.rows, view.layout.pane.rows);
	view_mouse(&view, view.layout.pane.row + view.layout.pane.rows - 1, 79, MOUSE_CLICK);
	draw();
	ck_assert_int_eq(view.details.top, view.details.rows - view.layout.pane.rows);
}
END_TEST

/* A message is over the keys of the last row: a click there is not meant for them. */
START_TEST(on_messages)
{
	int row = view.layout.bar.row, col;

	draw();
	col = col_of(row, "Quit");
	ck_assert_int_gt(col, 0);
	view_message(&view, "something");
	draw();
	view_mouse(&view, row, col, MOUSE_CLICK);
	ck_assert_int_eq(view_request(&view), REQUEST_NONE);
	draw();
	ck_assert_int_eq(col_of(row, "Quit"), col);
	view_mouse(&view, row, col, MOUSE_CLICK);
	ck_assert_int_eq(view_request(&view), REQUEST_QUIT);
	/* On the smallest screens it is over the table. */
	ck_assert_int_eq(canvas_resize(&canvas, 5, 80), 0);
	keys("Pg");
	view_message(&view, "something");
	draw();
	view_mouse(&view, 4, 5, MOUSE_CLICK);
	ck_assert_uint_eq(view.table.selected_row, 0);
	ck_assert_str_eq(view.message, "");
}
END_TEST

static void many_kernels(struct snapshot *snapshot, uint32_t program)
{
	struct snap_process *process = cast_member(snapshot, program);

	process->kernel_count = 40;
	process->kernels = cast_memory(snapshot, 40, sizeof(*process->kernels));
	for (size_t i = 0; i < process->kernel_count; i++) {
		char *name = cast_memory(snapshot, 1, 32);

		snprintf(name, 32, "kernel_%u_%zu_", program, i);
		process->kernels[i] = (struct snap_kernel){ .name = name,
							    .signature = name,
							    .shown = name,
							    .symbol = name,
							    .launches = 1000 - i };
	}
}

/* The row that is clicked is selected, wherever the cursor was in another process's list. */
START_TEST(what_is_in_sight)
{
	struct snapshot *snapshot = cast_snapshot(11);
	int row;

	many_kernels(snapshot, CAST_TRAINER);
	many_kernels(snapshot, CAST_LEAKER);
	view_feed(&view, snapshot);
	keys("/4242\r2\r");
	for (int i = 0; i < 30; i++)
		keys("j");
	ck_assert_uint_gt(view.panes[PANE_KERNELS].top, 0);
	keys("\033/4107\r");
	row = row_number("kernel_2_2_");
	ck_assert_int_gt(row, 0);
	view_mouse(&view, row, 5, MOUSE_CLICK);
	draw();
	ck_assert_int_eq(row_number("kernel_2_2_"), row);
	ck_assert(canvas_cell(&canvas, row, 5)->flags & CELL_SELECTED);
	ck_assert_uint_eq(view.panes[PANE_KERNELS].cursor.row, 2);
}
END_TEST

/* An event is its process's, not that of one that has got the pid since. */
START_TEST(reused_pids)
{
	struct snapshot *snapshot = cast_snapshot(11);
	struct snap_process *older = cast_member(snapshot, CAST_FAILING),
			    *younger = cast_member(snapshot, CAST_LEAKER);
	const struct snap_event *last;

	older->start_time = 1;
	younger->start_time = UINT64_MAX;
	older->pid = younger->pid;
	for (size_t i = 0; i < snapshot->event_count; i++)
		snapshot->events[i].pid = older->pid;
	last = &snapshot->events[snapshot->event_count - 1];
	ck_assert_uint_eq(last->pid, older->pid);
	view_feed(&view, snapshot);
	keys("L7\r\r\r");
	ck_assert_int_eq(view.focus, FOCUS_TABLE);
	ck_assert_uint_eq(view.table.selected, CAST_FAILING);
}
END_TEST

/* Where there is room, z shows the pane before beside the present one; a click there goes to it. */
START_TEST(two_panes)
{
	ck_assert_int_eq(canvas_resize(&canvas, 40, 170), 0);
	draw();
	keys("2");
	keys("6");
	keys("z");
	ck_assert_int_eq(view.settings.pane, PANE_SITES);
	ck_assert_int_eq(view.layout.other.rows, view.layout.pane.rows);
	ck_assert_int_eq(view.layout.pane.cols + 1 + view.layout.other.cols, 170);
	ck_assert_ptr_nonnull(strstr(row_with("SITE "), "KERNEL"));
	ck_assert_int_eq(view.focus, FOCUS_TABLE);
	view_mouse(&view, view.layout.other.row + 2, view.layout.other.col + 3, MOUSE_CLICK);
	draw();
	ck_assert_int_eq(view.settings.pane, PANE_KERNELS);
	ck_assert_int_eq(view.other, PANE_SITES);
	ck_assert_int_eq(view.focus, FOCUS_PANE);
	/* Each stays where it is. */
	ck_assert_int_lt(view.layout.other.col, view.layout.pane.col);
	ck_assert(strstr(row_with("SITE "), "SITE ") < strstr(row_with("SITE "), "KERNEL"));
	/* A row of this one is chosen; the other one's key goes there, a third's takes its place. */
	view_mouse(&view, view.layout.pane.row + 2, view.layout.pane.col + 3, MOUSE_CLICK);
	draw();
	ck_assert_uint_eq(view.panes[PANE_KERNELS].cursor.row, 1);
	keys("6");
	ck_assert_int_eq(view.other, PANE_KERNELS);
	keys("3");
	ck_assert_int_eq(view.other, PANE_KERNELS);
	ck_assert_int_eq(view.settings.pane, PANE_COPIES);
	keys("z");
	ck_assert(view.full && !view.layout.other.rows);
	keys("z");
	ck_assert(!view.full && !view.two);
	/* Whose the second one is stands there where the first is of all. */
	keys("z2");
	keys("0");
	ck_assert_int_eq(view.settings.pane, PANE_FINDINGS);
	ck_assert_str_ne(row_with("0 Findings"), "");
	ck_assert_ptr_nonnull(strstr(row_with("0 Findings"), " 4242 python "));
	keys("zz");
	/* Esc takes it away, and where there is no room there is none. */
	keys("z\033\033");
	ck_assert(!view.two);
	keys("z");
	ck_assert_int_eq(canvas_resize(&canvas, 40, 159), 0);
	draw();
	ck_assert_int_eq(view.layout.other.rows, 0);
	ck_assert_int_eq(view.layout.pane.cols, 159);
}
END_TEST

Suite *suite_mouse(void)
{
	Suite *suite = suite_create("mouse");
	TCase *tests = tcase_create("mouse");

	tcase_set_timeout(tests, 60);
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, on_the_screen);
	tcase_add_test(tests, in_menus);
	tcase_add_test(tests, in_panes);
	tcase_add_test(tests, on_flags);
	tcase_add_test(tests, on_signs_of_the_tree);
	tcase_add_test(tests, in_the_log);
	tcase_add_test(tests, on_devices);
	tcase_add_test(tests, on_the_map);
	tcase_add_test(tests, on_scrollbars);
	tcase_add_test(tests, on_messages);
	tcase_add_test(tests, what_is_in_sight);
	tcase_add_test(tests, reused_pids);
	tcase_add_test(tests, two_panes);
	suite_add_tcase(suite, tests);
	return suite;
}
