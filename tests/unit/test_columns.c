/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The column table: values, sort order, and how values are written. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"
#include "model/columns.h"

static const char *bytes(double value)
{
	static char out[32];

	ck_assert_int_eq(format_bytes(value, out, sizeof(out)), (int)strlen(out));
	ck_assert_uint_le(strlen(out), 6);
	return out;
}

static const char *count(double value)
{
	static char out[32];

	ck_assert_int_eq(format_count(value, out, sizeof(out)), (int)strlen(out));
	ck_assert_uint_le(strlen(out), 6);
	return out;
}

TEST(numbers_as_people_read_them)
{
	ck_assert_str_eq(bytes(0), "0");
	ck_assert_str_eq(bytes(999), "999");
	ck_assert_str_eq(bytes(1000), "1.0K");
	ck_assert_str_eq(bytes(1024), "1.0K");
	ck_assert_str_eq(bytes(1536), "1.5K");
	ck_assert_str_eq(bytes(8000000), "7.6M");
	ck_assert_str_eq(bytes(512.0 * 1024 * 1024), "512M");
	ck_assert_str_eq(bytes(999.6 * 1024), "1.0M");
	ck_assert_str_eq(bytes(12.1 * 1024 * 1024 * 1024), "12.1G");
	ck_assert_str_eq(bytes(1.8446744073709552e19), "16.0E");
	ck_assert_str_eq(count(0), "0");
	ck_assert_str_eq(count(9999), "9999");
	ck_assert_str_eq(count(10000), "10.0k");
	ck_assert_str_eq(count(48200), "48.2k");
	ck_assert_str_eq(count(99949), "99.9k");
	ck_assert_str_eq(count(99960), "100k");
	ck_assert_str_eq(count(999600), "1.0M");
	ck_assert_str_eq(count(3.1e9), "3.1G");
}

static const char *shown(const char *name, struct column_value value, bool ascii, int *cells)
{
	static char out[64];
	const struct column *column = column_find(name);

	ck_assert_ptr_nonnull(column);
	*cells = column_format(column, &value, ascii, out, sizeof(out));
	return out;
}

TEST(values_with_marks)
{
	struct column_value value = { .number = 6.3 * 1024 * 1024 * 1024, .mark = '>' };
	int cells;

	ck_assert_str_eq(shown("live", value, false, &cells), "\xe2\x89\xa5"
							      "6.3G");
	ck_assert_int_eq(cells, 5);
	ck_assert_str_eq(shown("live", value, true, &cells), "6.3G+");
	value = (struct column_value){ .number = 512 * MIB, .mark = '~' };
	ck_assert_str_eq(shown("leaked", value, false, &cells), "~512M");
	value = (struct column_value){ .absent = true };
	ck_assert_str_eq(shown("wait", value, false, &cells), "-");
	ck_assert_int_eq(cells, 1);
	value = (struct column_value){ .number = 58.4 };
	ck_assert_str_eq(shown("wait", value, false, &cells), "58");
	value = (struct column_value){ .number = 0.3 };
	ck_assert_str_eq(shown("launch_rate", value, false, &cells), "0.3");
	value = (struct column_value){ .number = 31000 };
	ck_assert_str_eq(shown("launch_rate", value, false, &cells), "31.0k");
	value = (struct column_value){ .number = 4194304 };
	ck_assert_str_eq(shown("pid", value, false, &cells), "4194304");
	value = (struct column_value){ .text = "p\xc3\xa9" };
	ck_assert_str_eq(shown("command", value, false, &cells), "p\xc3\xa9");
	ck_assert_int_eq(cells, 2);
}

TEST(table_is_sound)
{
	size_t i, j;

	for (i = 0; i < column_count; i++) {
		ck_assert_ptr_eq(column_find(columns[i].name), &columns[i]);
		ck_assert_ptr_nonnull(columns[i].value);
		ck_assert_uint_gt(strlen(columns[i].help), 0);
		if (columns[i].width)
			ck_assert_int_le((int)strlen(columns[i].title), columns[i].width);
		for (j = 0; j < i; j++) {
			ck_assert_str_ne(columns[i].name, columns[j].name);
			ck_assert_msg(!columns[i].rank || columns[i].rank != columns[j].rank,
				      "%s has the rank of %s", columns[i].name, columns[j].name);
			ck_assert(!columns[i].json || !columns[j].json ||
				  strcmp(columns[i].json, columns[j].json));
			ck_assert(!columns[i].metric.name || !columns[j].metric.name ||
				  strcmp(columns[i].metric.name, columns[j].metric.name));
		}
		if (!columns[i].metric.name)
			continue;
		/* Metrics are whole, and end in their unit. */
		ck_assert_uint_gt(strlen(columns[i].metric.help), 0);
		ck_assert_int_eq(strncmp(columns[i].metric.name, "cutop_process_",
					 strlen("cutop_process_")),
				 0);
		ck_assert(columns[i].unit == UNIT_COUNT || columns[i].unit == UNIT_BYTES);
		ck_assert_int_eq(columns[i].unit == UNIT_BYTES,
				 strstr(columns[i].metric.name, "_bytes") != NULL);
	}
	/* What takes the rest of the line stands last. */
	ck_assert_int_eq(columns[column_count - 1].width, 0);
	ck_assert_ptr_null(column_find("nothing"));
	ck_assert_ptr_null(column_find(""));
}

TEST(values_of_a_process)
{
	struct snap_process process = {
		.pid = 7,
		.user = "ana",
		.command = "x",
		.device_list = "",
		.leaked = 10,
		.suspect = 5,
		.map_count = 3,
		.map_omitted = 2,
		.sync_share = NAN,
		.failures = 3,
		.launches_per_second = NAN,
	};

	ck_assert_double_eq(column_find("leaked")->value(&process).number, 15);
	ck_assert_int_eq(column_find("leaked")->value(&process).mark, '~');
	ck_assert_double_eq(column_find("allocs")->value(&process).number, 5);
	ck_assert(column_find("wait")->value(&process).absent);
	ck_assert(column_find("launch_rate")->value(&process).absent);
	ck_assert(column_find("dev")->value(&process).absent);
	ck_assert(column_find("suspect")->value(&process).absent);
	ck_assert_int_eq(column_find("failed")->value(&process).mark, 0);
	/* To the last digit, where a double has fewer. */
	process.frees = (1ull << 60) + 1;
	ck_assert_uint_eq(column_find("frees")->value(&process).count, process.frees);
	ck_assert_uint_eq(column_find("pid")->value(&process).count, 7);
	ck_assert_uint_eq(column_find("leaked")->value(&process).count, 15);
	process.sampled = true;
	ck_assert_int_eq(column_find("failed")->value(&process).mark, '>');
	ck_assert_int_eq(column_find("live")->value(&process).mark, 0);
	process.from_attach = true;
	ck_assert_int_eq(column_find("live")->value(&process).mark, '>');
	ck_assert_int_eq(column_find("peak")->value(&process).mark, '>');
	ck_assert_int_eq(column_find("launches")->value(&process).mark, '>');
	ck_assert_int_eq(column_find("pid")->value(&process).mark, 0);
}

TEST(sort_orders_are_parsed)
{
	struct sort_order order = { .reverse = true };
	const char *bad = NULL, *text = "live,nope,pid";
	size_t len = 0;

	ck_assert_int_eq(sort_order_parse(&order, "leaked,PID", &bad, &len), 0);
	ck_assert_uint_eq(order.count, 2);
	ck_assert(order.reverse);
	ck_assert_str_eq(order.keys[1]->name, "pid");
	ck_assert_int_eq(sort_order_parse(&order, text, &bad, &len), -EINVAL);
	ck_assert_ptr_eq(bad, text + 5);
	ck_assert_uint_eq(len, 4);
	ck_assert_uint_eq(order.count, 2);
	ck_assert_int_eq(sort_order_parse(&order, "", &bad, &len), -EINVAL);
	ck_assert_int_eq(sort_order_parse(&order, "live,", &bad, &len), -EINVAL);
	ck_assert_int_eq(sort_order_parse(&order, "pid,pid,pid,pid,pid,pid,pid,pid,pid", &bad,
					  &len),
			 -E2BIG);
}

static void expect(const char *by, bool reverse, struct snap_process *all, size_t n,
		   const char *pids)
{
	const struct snap_process *sorted[8];
	struct sort_order order = { 0 };
	char got[64] = "";
	const char *bad;
	size_t i, len;

	ck_assert_int_eq(sort_order_parse(&order, by, &bad, &len), 0);
	order.reverse = reverse;
	for (i = 0; i < n; i++)
		sorted[i] = &all[i];
	sort_processes(sorted, n, &order);
	for (i = 0; i < n; i++)
		sprintf(got + strlen(got), "%u%s", sorted[i]->pid, i + 1 < n ? " " : "");
	ck_assert_str_eq(got, pids);
}

TEST(processes_are_sorted)
{
	struct snap_process all[] = {
		{ .pid = 3, .live = 5, .user = "ben", .sync_share = 0.5, .start_time = 1 },
		{ .pid = 1, .live = 5, .user = "ana", .sync_share = NAN, .start_time = 2 },
		{ .pid = 2, .live = 9, .user = "ana", .sync_share = 0.7, .start_time = 3 },
		{ .pid = 4, .live = 1, .user = "", .sync_share = 0.1, .start_time = 4 },
	};

	expect("live", false, all, 4, "2 1 3 4");
	expect("live", true, all, 4, "4 1 3 2");  /* ties stay by pid */
	expect("user", false, all, 4, "1 2 3 4"); /* text ascending, absent last */
	expect("user", true, all, 4, "3 1 2 4");
	expect("wait", false, all, 4, "2 3 4 1");
	expect("wait", true, all, 4, "4 3 2 1"); /* absent last either way */
	expect("user,live", false, all, 4, "2 1 3 4");
	expect("pid", false, all, 4, "4 3 2 1");
	expect("live", false, all, 0, "");
}

TEST(ties_by_start_time)
{
	struct snap_process all[] = {
		{ .pid = 1, .start_time = 9, .program = 3 },
		{ .pid = 1, .start_time = 5, .program = 7 },
		{ .pid = 1, .start_time = 9, .program = 2 },
	};
	const struct snap_process *sorted[] = { &all[0], &all[1], &all[2] };
	struct sort_order order = { .keys = { column_find("live") }, .count = 1 };

	sort_processes(sorted, 3, &order);
	ck_assert_ptr_eq(sorted[0], &all[1]);
	ck_assert_ptr_eq(sorted[1], &all[2]);
	ck_assert_ptr_eq(sorted[2], &all[0]);
}
