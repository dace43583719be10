/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Printers of snapshots: CSV cell by cell, text against the files in golden/
 * (UPDATE_GOLDEN=1 writes them anew), streams that fail. JSON: test_out_json.c.
 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "print/line.h"
#include "print/print.h"
#include "trace/trace_format.h"
#include "util/sink.h"
#include "out_sample.h"
#include "run_tests.h"

static const printer printers[] = { out_text, out_json, out_csv, out_leak_report, out_folded };
#define PRINTER_COUNT ((int)(sizeof(printers) / sizeof(printers[0])))

static struct out_options options;

static void setup(void)
{
	setenv("TZ", "UTC", 1);
	sample_options(&options);
}

FIXTURE(setup, NULL);

static char *printed(printer print, const struct snapshot *snapshot)
{
	return sample_print(print, snapshot, &options);
}

static char *read_file(const char *path)
{
	char *text = calloc(1, 1 << 16);
	FILE *stream = fopen(path, "r");

	ck_assert_msg(stream, "%s: %s", path, strerror(errno));
	ck_assert_uint_lt(fread(text, 1, (1 << 16) - 1, stream), (1 << 16) - 1);
	fclose(stream);
	return text;
}

static void assert_golden(printer print, const struct snapshot *snapshot, const char *name)
{
	char *text = printed(print, snapshot), *expected, path[512];

	snprintf(path, sizeof(path), "%s/%s", GOLDEN_DIR, name);
	if (getenv("UPDATE_GOLDEN")) {
		FILE *stream = fopen(path, "w");

		ck_assert_ptr_nonnull(stream);
		fputs(text, stream);
		fclose(stream);
	}
	expected = read_file(path);
	ck_assert_msg(!strcmp(text, expected), "differs from %s:\n%s", name, text);
	free(expected);
	free(text);
}

/* CSV */

/* Cell @index of line @row, unquoted; to be freed. */
static char *csv_cell(const char *text, int row, int index)
{
	char *cell = calloc(1, strlen(text) + 1), *out = cell;
	bool quoted = false;

	for (; *text && row >= 0; text++) {
		bool here = row == 0 && index == 0;

		if (*text == '"') {
			if (quoted && text[1] == '"' && here)
				*out++ = '"';
			if (quoted && text[1] == '"')
				text++;
			else
				quoted = !quoted;
		} else if (!quoted && *text == ',') {
			index -= row == 0;
		} else if (!quoted && *text == '\n') {
			row--;
		} else if (here) {
			*out++ = *text;
		}
	}
	return cell;
}

static int csv_column(const char *name)
{
	for (size_t i = 0; i < column_count; i++)
		if (!strcmp(columns[i].name, name))
			return (int)i + 1;
	ck_abort_msg("no column %s", name);
	return 0;
}

static void assert_cell(const char *text, int row, const char *name, const char *expected)
{
	char *cell = csv_cell(text, row, strcmp(name, "time") ? csv_column(name) : 0);

	ck_assert_msg(!strcmp(cell, expected), "%s in row %d is \"%s\", not \"%s\"", name, row,
		      cell, expected);
	free(cell);
}

/* The table has each format in its place. */
TEST(formats_are_sound)
{
#define FORMAT_SOUND(constant, name) \
	ck_assert_ptr_eq(print_formats[FORMAT_##constant], &print_format_##name); \
	ck_assert_int_eq(print_format_##name.format, FORMAT_##constant); \
	ck_assert(print_format_##name.print != NULL);
#define TRACE_SOUND(constant, name) ck_assert_int_eq(trace_format_##name.format, FORMAT_##constant);
	SNAPSHOT_FORMATS(FORMAT_SOUND)
	TRACE_FORMATS(TRACE_SOUND)
	ck_assert_ptr_null(print_formats[FORMAT_CHROME]);
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		ck_assert_uint_gt(strlen(format_names[i]), 0);
}

TEST(csv_rows)
{
	struct snapshot *snapshot = sample_snapshot();
	char *text, *header;

	snapshot->processes[1].command = "python \"a\", b\nc";
	text = printed(out_csv, snapshot);
	header = csv_cell(text, 0, 0);
	ck_assert_str_eq(header, "time");
	free(header);
	for (size_t i = 0; i < column_count; i++)
		assert_cell(text, 0, columns[i].name, columns[i].name);
	/* by live, most first */
	assert_cell(text, 1, "time", "2025-11-21T14:03:22.123456Z");
	assert_cell(text, 1, "pid", "4242");
	assert_cell(text, 2, "pid", "4311");
	assert_cell(text, 3, "pid", "4107");
	assert_cell(text, 1, "live", "12992276070");
	assert_cell(text, 1, "tensors", "6982467584");
	assert_cell(text, 1, "cache", "537919488");
	assert_cell(text, 2, "tensors", "");
	assert_cell(text, 2, "cache", "");
	assert_cell(text, 1, "h2d", "2254857830");
	assert_cell(text, 1, "wait", "58");
	assert_cell(text, 3, "wait", "");
	assert_cell(text, 1, "command", "python \"a\", b\nc");
	assert_cell(text, 2, "command", "推論 é");
	free(text);
}

TEST(csv_header_once)
{
	char *first = printed(out_csv, sample_snapshot()),
	     *second = printed(out_csv, sample_snapshot());

	ck_assert(options.header_done);
	ck_assert_str_eq(strchr(first, '\n') + 1, second);
	free(first);
	free(second);
}

/* Text; in ASCII: tests/recordings/sample.sparse.txt */

TEST(text_golden)
{
	assert_golden(out_text, sample_snapshot(), "text.txt");
	options.width = 80;
	options.color = true;
	assert_golden(out_text, sample_snapshot(), "text-80-color.txt");
	options.color = false;
	options.width = 100;
	assert_golden(out_text, sample_empty(), "text-empty.txt");
	options.lists_map = true;
	options.width = 0;
	assert_golden(out_text, sample_snapshot(), "text-map.txt");
}

TEST(text_ascii)
{
	char *text;

	options.ascii = true;
	text = printed(out_text, sample_snapshot());
	for (const char *c = text; *c; c++)
		ck_assert_msg(*c == '\n' || (*c >= ' ' && *c < 0x7f), "byte %#x", *c & 0xff);
	free(text);
}

/* The driver says nothing of memory that is the machine's: at least what processes use is known. */
TEST(text_unified_memory)
{
	struct snapshot *snapshot = sample_snapshot();
	char *text;

	snapshot->devices[0].has_used = false;
	text = printed(out_text, snapshot);
	ck_assert_ptr_nonnull(strstr(text, "GPU 0  NVIDIA \"H100\"  ≥14.9G of 80.0G used  97%"));
	free(text);
}

/* Every width, wide characters at the cut included: no line is longer, none ends in a blank. */
TEST(text_width)
{
	setlocale(LC_ALL, "C.UTF-8");
	for (options.width = 1; options.width < 140; options.width++) {
		char *text = printed(out_text, sample_snapshot()), *save;

		for (char *row = strtok_r(text, "\n", &save); row;
		     row = strtok_r(NULL, "\n", &save)) {
			wchar_t wide[512];

			ck_assert_uint_lt(mbstowcs(wide, row, 512), 512);
			ck_assert_int_le(wcswidth(wide, 512), options.width);
			ck_assert_int_ne(row[strlen(row) - 1], ' ');
		}
		free(text);
	}
}

/* Without a width nothing is cut: names of C++ can be long. */
TEST(text_long_names)
{
	struct snapshot *snapshot = sample_snapshot();
	struct snap_process *process = &snapshot->processes[2];
	char site[600], kernel[600], pod[600], *text;

	snprintf(site, sizeof(site), "%0500d_site", 0);
	snprintf(kernel, sizeof(kernel), "%0500d_kernel", 0);
	snprintf(pod, sizeof(pod), "%0500d_pod", 0);
	process->failure_list[0].where.site = site;
	process->failure_list[0].kernel = process->failure_list[0].shown = kernel;
	process->pod = pod;
	text = printed(out_text, snapshot);
	ck_assert_ptr_nonnull(strstr(text, "0_site"));
	ck_assert_ptr_nonnull(strstr(text, "0_kernel"));
	ck_assert_ptr_nonnull(strstr(text, "0_pod"));
	free(text);
}

/* A number that the limit would cut is left out: 5 is not 58. */
TEST(text_whole_numbers)
{
	struct snapshot *snapshot = sample_snapshot();
	char *text;

	options.width = 79;
	snapshot->processes[1].allocator_count = 0; /* or there is no room for two columns more */
	text = printed(out_text, snapshot);
	ck_assert_ptr_nonnull(strstr(text, "   819M       0 python train.py"));
	free(text);
	options.width = 14;
	text = printed(out_text, sample_snapshot());
	/* 12.1G would end in the 15th cell */
	ck_assert_ptr_nonnull(strstr(text, "\n   4242\n"));
	free(text);
}

/* Where not all columns have room, the command has. */
TEST(text_narrow)
{
	const char *bad;
	size_t bad_len;
	char *text;

	for (options.width = 30; options.width < 140; options.width++) {
		text = printed(out_text, sample_snapshot());
		ck_assert_msg(strstr(text, " python t") != NULL, "%d: %s", options.width, text);
		free(text);
	}
	/* Nor does a column go that is sorted by. */
	ck_assert_int_eq(sort_order_parse(&options.sort, "peak,dev", &bad, &bad_len), 0);
	options.width = 80;
	text = printed(out_text, sample_snapshot());
	ck_assert_ptr_nonnull(strstr(text, " DEV "));
	ck_assert_ptr_nonnull(strstr(text, " PEAK\u25bc "));
	ck_assert_ptr_null(strstr(text, " ALLOCS "));
	free(text);
}

/* A column sorted by is shown, whether it is a usual one or not. */
TEST(text_sort_column)
{
	const char *bad;
	size_t bad_len;
	char *text;

	ck_assert_int_eq(sort_order_parse(&options.sort, "held,pid", &bad, &bad_len), 0);
	text = printed(out_text, sample_snapshot());
	ck_assert_ptr_nonnull(strstr(text, " HELD▼ COMMAND\n"));
	ck_assert_ptr_nonnull(strstr(text, "1.0M python train.py (less is watched)\n"));
	free(text);
}

/* One that ended long ago keeps its row and loses its details. */
TEST(text_ended_before)
{
	struct snapshot *snapshot = sample_snapshot();
	char *text;

	snapshot->processes[0].launches_per_second = 0;
	snapshot->processes[0].copy_rate[DIR_H2D] = 0;
	text = printed(out_text, snapshot);
	ck_assert_ptr_nonnull(strstr(text, "(exited 0)"));
	ck_assert_ptr_null(strstr(text, "vector_add"));
	free(text);
}

TEST(text_control_bytes)
{
	struct snapshot *snapshot = sample_snapshot();
	char *text;

	snapshot->processes[0].command = "a\x1b[31mb\xff\xc2\x9b"
					 "c\td";
	text = printed(out_text, snapshot);
	ck_assert_ptr_nonnull(strstr(text, "a?[31mb??c?d"));
	free(text);
}

TEST(text_findings_omitted)
{
	struct snapshot *snapshot = sample_snapshot();
	char *text = printed(out_text, snapshot);

	ck_assert_ptr_null(strstr(text, " more\n"));
	free(text);
	snapshot->findings_omitted = 7;
	text = printed(out_text, snapshot);
	ck_assert_ptr_nonnull(strstr(text, "\n! and 7 more\n"));
	free(text);
}

/* A program's locale with another decimal sign must not show. */
TEST_LOOP(locale, PRINTER_COUNT)
{
	char *before = printed(printers[_i], sample_snapshot()), *after;

	options.header_done = false;
	if (setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8")) {
		ck_assert_str_ne(localeconv()->decimal_point, ".");
		after = printed(printers[_i], sample_snapshot());
		ck_assert_str_eq(before, after);
		ck_assert_str_ne(localeconv()->decimal_point, ".");
		free(after);
	}
	free(before);
}

/* Leak report */

TEST(leak_golden)
{
	struct snapshot *snapshot = sample_snapshot();

	assert_golden(out_leak_report, snapshot, "leak.txt");
	/* a single process, nothing lost, as in the case study */
	snapshot->process_count = 1;
	snapshot->lost[LOST_RETURN] = 0;
	snapshot->processes[0].sites[0].left_blocks = 1;
	snapshot->processes[0].leaked = snapshot->processes[0].sites[0].leaked = 8000000;
	assert_golden(out_leak_report, snapshot, "leak-one.txt");
}

TEST(leak_none)
{
	struct snapshot *snapshot = sample_snapshot();
	char *text;

	snapshot->process_count = 1;
	snapshot->lost[LOST_RETURN] = 0;
	snapshot->processes[0].leaked = snapshot->processes[0].sites[0].leaked = 0;
	snapshot->processes[0].map_count = 0;
	text = printed(out_leak_report, snapshot);
	ck_assert_str_eq(text, "no leak\n");
	free(text);
	text = printed(out_leak_report, sample_empty());
	ck_assert_str_eq(text, "no leak: no CUDA call was seen\n");
	free(text);
}

/* What is not listed counts, and is as sure as it was. */
TEST(leak_gone)
{
	struct snapshot *snapshot = sample_empty();
	char *text;

	snapshot->gone = (struct snap_gone){ .processes = 3,
					     .leaked = 7,
					     .held = 5,
					     .from_attach = true,
					     .inexact = true,
					     .unreturned = true };
	text = printed(out_leak_report, snapshot);
	ck_assert_str_eq(
		text, "3 processes that ended earlier, not listed: leaked 7 bytes\n"
		      "leaked at least 7 bytes\n"
		      "held 5 bytes by caching allocators, on purpose: not a leak\n"
		      "lower bounds: a process was watched only since cutop attached\n"
		      "what programs allocated whose calls' returns were not probed is not known\n"
		      "inexact: not every call could be recorded\n");
	free(text);
	snapshot->gone = (struct snap_gone){ .processes = 1, .leaked = 1 };
	text = printed(out_leak_report, snapshot);
	ck_assert_str_eq(
		text, "1 process that ended earlier, not listed: leaked 1 byte\nleaked 1 byte\n");
	free(text);
	snapshot->gone = (struct snap_gone){
		.processes = 1, .leaked = 9, .leaked_by_reset = 3, .leaked_by_context = 2
	};
	text = printed(out_leak_report, snapshot);
	ck_assert_str_eq(
		text,
		"1 process that ended earlier, not listed: leaked 9 bytes\n"
		"  5 bytes were live at a device's reset or a context's end\nleaked 9 bytes\n");
	free(text);
}

TEST(leak_ended_by)
{
	struct snapshot *snapshot = sample_snapshot();
	char *text;

	snapshot->process_count = 1;
	snapshot->processes[0].leaked_by_reset = 30000;
	snapshot->processes[0].reset_call = CALL_cudaDeviceReset;
	snapshot->processes[0].leaked_by_context = 1;
	snapshot->processes[0].context_call = CALL_cuCtxDestroy_v2;
	text = printed(out_leak_report, snapshot);
	ck_assert_ptr_nonnull(
		strstr(text, "\n  30000 bytes (29.3K) were live when cudaDeviceReset() freed them\n"
			     "  1 byte were live when cuCtxDestroy_v2() freed them\n"));
	free(text);
}

/* What could not be seen is not reported as "no leak". */
TEST_LOOP(leak_unseen, UNSEEN_COUNT)
{
	static const char *const says[UNSEEN_COUNT] = {
		[UNSEEN_DRIVER] =
			"process 7 (solver) allocated by the driver's functions, and only the runtime's are watched: "
			"--layer both shows it, or, where the kernel cannot do that, --layer driver\n",
		[UNSEEN_LATE] =
			"a program ran or loaded a CUDA library before it was probed; --library names it, or the program, ahead\n",
		[UNSEEN_ALLOC] =
			"1 function that allocates could not be probed, or was left out; cutop doctor names them\n",
		[UNSEEN_FREE] =
			"1 function that frees could not be probed, or was left out: what leaked may have been freed; "
			"cutop doctor names them\n",
		[UNSEEN_LAYER] =
			"the driver's calls are not watched, so what programs allocate by them is not known: --layer both "
			"watches them, --fail-on-leak notices them\n",
	};
	struct snapshot *snapshot = sample_snapshot();
	char *text;

	snapshot->process_count = 1;
	snapshot->lost[LOST_RETURN] = 0;
	snapshot->processes[0].leaked = snapshot->processes[0].sites[0].leaked = 0;
	snapshot->processes[0].map_count = 0;
	snapshot->unseen[_i] = (struct snap_unseen){ .total = 1, .pid = 7, .comm = "solver" };
	text = printed(out_leak_report, snapshot);
	ck_assert_ptr_nonnull(
		strstr(text, _i == UNSEEN_FREE ? "no leak\n" : "no leak that could be seen\n"));
	ck_assert_ptr_nonnull(strstr(text, says[_i]));
	free(text);
	text = printed(out_json, snapshot);
	ck_assert_ptr_nonnull(strstr(text, "\"unseen\":{"));
	free(text);
}

TEST(leak_unproven)
{
	struct snapshot *snapshot = sample_empty();
	char *text;

	snapshot->gone = (struct snap_gone){ .processes = 1, .held = 9, .held_unproven = 7 };
	text = printed(out_leak_report, snapshot);
	ck_assert_str_eq(
		text,
		"no certain leak\n"
		"held 9 bytes by caching allocators, on purpose: not a leak\n"
		"  but 7 bytes of it may be tensors: nothing shows that PyTorch's cache is on; "
		"--leak-ignore 'libc10_cuda*' takes it for held\n");
	free(text);
}

/* Streams that fail */

TEST_LOOP(full_disk, PRINTER_COUNT)
{
	for (int buffer = 16; buffer <= 1 << 16; buffer <<= 6) {
		FILE *stream = fopen("/dev/full", "w");

		ck_assert_ptr_nonnull(stream);
		setvbuf(stream, NULL, _IOFBF, (size_t)buffer);
		ck_assert_int_eq(printers[_i](stream, sample_snapshot(), &options), -ENOSPC);
		ck_assert(!options.header_done);
		fclose(stream);
	}
}

TEST_LOOP(closed_pipe, PRINTER_COUNT)
{
	FILE *stream;
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(fds), 0);
	close(fds[0]);
	stream = fdopen(fds[1], "w");
	ck_assert_int_eq(printers[_i](stream, sample_snapshot(), &options), -EPIPE);
	fclose(stream);
}

/* Words go into the next line whole; where there is no limit there is one line. */
TEST(wrapped_lines)
{
	static const struct {
		int wrap;
		const char *text, *expected;
	} cases[] = {
		{ 0, "one two three four", "  one two three four\n" },
		{ 12, "one two three four", "  one two\n    three\n    four\n" },
		{ 9, "one two", "  one two\n" },
		{ 8, "one two", "  one\n    two\n" },
		{ 6, "a_word_that_is_too_long on", "  a_word_that_is_too_long\n    on\n" },
		{ 9, "\303\251\303\251\303\251 \303\251\303\251\303\251",
		  "  \303\251\303\251\303\251 \303\251\303\251\303\251\n" },
		{ 20, "", "\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct out_options plain = { 0 };
		size_t size;
		char *text;
		FILE *stream = open_memstream(&text, &size);
		struct line line;
		struct sink sink;

		ck_assert_int_eq(sink_open(&sink, stream), 0);
		line_init(&line, &sink, &plain);
		line.wrap = cases[i].wrap;
		line_to(&line, 2);
		line_wrapped(&line, 4, cases[i].text);
		line_end(&line);
		ck_assert_int_eq(sink_close(&sink), 0);
		fclose(stream);
		ck_assert_str_eq(text, cases[i].expected);
		free(text);
	}
}
