/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks: lines, weights, and names that would make a line into something else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out_sample.h"
#include "util/util.h"

static struct out_options options;

static void setup(void)
{
	sample_options(&options);
}

FIXTURE(setup, NULL);

static void assert_folded(const struct snapshot *snapshot, enum folded_weight weight,
			  const char *expected)
{
	uint64_t sum = 0;
	char *text;

	options.weight = weight;
	options.folded_total = 1;
	text = sample_print(out_folded, snapshot, &options);
	ck_assert_str_eq(text, expected);
	/* As flamegraph.pl reads a line: what stands behind the last blank is its weight. */
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *blank = strrchr(line, ' '), *end;

		ck_assert_ptr_nonnull(blank);
		sum += strtoull(blank + 1, &end, 10);
		ck_assert_int_eq(*end, 0);
	}
	ck_assert_uint_eq(options.folded_total, sum);
	free(text);
}

TEST(weights)
{
	const struct snapshot *snapshot = sample_snapshot();

	assert_folded(snapshot, FOLDED_LIVE,
		      "python train.py (4242);load_weights (model.so) 12992276070\n");
	assert_folded(snapshot, FOLDED_LEAKED,
		      "leaky (4107);0x7fff00001234;outer (leaky);main (leaky) 8000016\n");
	assert_folded(snapshot, FOLDED_SUSPECT,
		      "python train.py (4242);load_weights (model.so) 536870912\n");
	assert_folded(snapshot, FOLDED_HELD,
		      "python train.py (4242);load_weights (model.so) 1048576\n");
	assert_folded(snapshot, FOLDED_ALLOCATED,
		      "leaky (4107);0x7fff00001234;outer (leaky);main (leaky) 8000016\n"
		      "leaky (4107);main (leaky) 16000000\n"
		      "python train.py (4242);load_weights (model.so) 1099511627776\n");
	assert_folded(
		snapshot, FOLDED_TENSORS,
		"python train.py (4242);forward at model.py:88 (python);at::empty (libtorch.so) 6442450944\n"
		"python train.py (4242);keep (model.so) 536870912\n"
		"python train.py (4242);forward at model.py:88 (python);at::empty (libtorch.so) 1048576\n");
	assert_folded(snapshot, FOLDED_RISING,
		      "python train.py (4242);keep (model.so) 268435456\n");
	assert_folded(
		snapshot, FOLDED_LAUNCHES,
		"leaky (4107);vector_add 1000\n"
		"leaky (4107);ns::scale 1000\n"
		"python train.py (4242);at::native::vectorized_elementwise_kernel_with_a_very_long_name_indeed 1200000\n");
}

/* By place, and below that by kernel or call; kernels of which that is not known stand alone. */
TEST(launches_and_waits)
{
	static const char *const names[] = { "libffi.so.8+0x6f7a", "step at train.py:12 (python)",
					     "<module> at train.py:40 (python)" };
	static const struct snap_frame step = { .language = FRAME_PYTHON,
						.function = "step",
						.file = "/home/ana/train.py",
						.line = 12 },
				       module = { .language = FRAME_PYTHON,
						  .function = "<module>",
						  .file = "/home/ana/train.py",
						  .line = 40 };
	static const struct snap_frame *const frames[] = { NULL, &step, &module };
	struct snapshot *snapshot = sample_snapshot();
	struct snap_process *process = &snapshot->processes[0];
	struct snap_launch_site launches[] = {
		{ .at = { .site = names[1],
			  .stack = names,
			  .stack_count = 3,
			  .shown = 1,
			  .frames = frames,
			  .frame_count = 3 },
		  .kernel = &process->kernels[0],
		  .launches = 900,
		  .samples = 14,
		  .sampled = true },
		{ .at = { .site = "main+0x1f4 at leaky.c:9 (leaky)" },
		  .kernel = &process->kernels[0],
		  .launches = 100 },
		{ .at = { .site = "main+0x1f8 (leaky)" }, .launches = 3 },
		{ .at = { .site = "main+0x200 (leaky)" }, .kernel = &process->kernels[0] },
	};
	struct snap_wait_site waits[] = {
		{ .at = launches[0].at,
		  .call = CALL_cudaDeviceSynchronize,
		  .calls = 3,
		  .seconds = 1.25 },
		{ .at = { .site = "main+0x210 (leaky)" },
		  .call = CALL_cudaStreamSynchronize,
		  .calls = 1,
		  .seconds = 2e-7 },
	};

	snapshot->process_count = 1;
	process->launch_sites = launches;
	process->launch_site_count = ARRAY_LEN(launches);
	process->wait_sites = waits;
	process->wait_site_count = ARRAY_LEN(waits);
	process->kernels[0].has_sites = true;
	assert_folded(
		snapshot, FOLDED_LAUNCHES,
		"leaky (4107);<module> (train.py);step at train.py:12 (python);libffi.so.8+0x6f7a;vector_add 900\n"
		"leaky (4107);main at leaky.c:9 (leaky);vector_add 100\n"
		"leaky (4107);main (leaky) 3\n"
		"leaky (4107);ns::scale 1000\n");
	assert_folded(
		snapshot, FOLDED_WAIT,
		"leaky (4107);<module> (train.py);step at train.py:12 (python);libffi.so.8+0x6f7a;cudaDeviceSynchronize 1250000\n");
}

/* Once a process has ended, nothing of it is live; what was live then is weighed. */
TEST(tensors_of_the_ended)
{
	struct snapshot *snapshot = sample_snapshot();
	struct snap_site *site = &snapshot->processes[1].allocators[0].sites[1];

	site->held = site->live;
	site->live = 0;
	snapshot->processes[1].allocators[0].sites[0].live = 0;
	snapshot->processes[1].allocators[1].sites[0].live = 0;
	assert_folded(snapshot, FOLDED_TENSORS,
		      "python train.py (4242);keep (model.so) 536870912\n");
}

TEST(nothing)
{
	assert_folded(sample_empty(), FOLDED_LIVE, "");
	assert_folded(sample_empty(), FOLDED_TENSORS, "");
	assert_folded(sample_empty(), FOLDED_LAUNCHES, "");
}

TEST(graphs)
{
	struct snapshot *snapshot = sample_snapshot();

	snapshot->process_count = 1;
	snapshot->processes[0].kernels[0].graph_launches = 50;
	snapshot->processes[0].kernels[1].launches = 0;
	snapshot->processes[0].kernels[1].graph_launches = 7;
	assert_folded(snapshot, FOLDED_LAUNCHES,
		      "leaky (4107);vector_add 1000\n"
		      "leaky (4107);[graphs];vector_add 50\n"
		      "leaky (4107);[graphs];ns::scale 7\n");
}

/* A place as told, as an outer frame, as the innermost one. */
static const struct {
	const char *place, *outer, *inner;
} places[] = {
	{ "make+0x13 (leak)", "make (leak)", "make (leak)" },
	{ "make+0x13 at leak.cu:21 (leak)", "make (leak)", "make at leak.cu:21 (leak)" },
	{ "make+0x13 at a b.cu:21 (leak)", "make (leak)", "make at a b.cu:21 (leak)" },
	/* without a symbol there is nothing else to tell it by */
	{ "libc.so.6+0x27249", "libc.so.6+0x27249", "libc.so.6+0x27249" },
	{ "tool+0x27 at x.c:1", "tool+0x27 at x.c:1", "tool+0x27 at x.c:1" },
	{ "0x7fff00001234", "0x7fff00001234", "0x7fff00001234" },
	{ "other call sites", "other call sites", "other call sites" },
	{ "", "?", "?" },
	{ "   ", "?", "?" },
	{ "operator+0x1 (a)", "operator (a)", "operator (a)" },
	{ "a+0x", "a+0x", "a+0x" },
	{ "a+0xzz (b)", "a+0xzz (b)", "a+0xzz (b)" },
	{ "a;b+0x1 (c;d)", "a:b (c:d)", "a:b (c:d)" },
	{ "two\nlines+0x1 (c)", "two?lines (c)", "two?lines (c)" },
	{ "\033[2J\t\177+0x1 (\r)", "?[2J?? (?)", "?[2J?? (?)" },
	{ "bad\xff\xc3+0x1 (c)", "bad?? (c)", "bad?? (c)" },
	/* the C1 control CSI, and one that is a letter */
	{ "\xc2\x9b+0x1 (推論)", "? (推論)", "? (推論)" },
	/* a second number is another profile's weight */
	{ "kernel 12", "kernel 12", "kernel_12" },
	{ "kernel 1.5 ", "kernel 1.5", "kernel_1.5" },
	{ "12", "12", "12" },
};

TEST_LOOP(hostile_places, (sizeof(places) / sizeof(places[0])))
{
	struct snapshot *snapshot = sample_snapshot();
	const char *stack[2] = { places[_i].place, places[_i].place };
	char expected[512];

	snapshot->process_count = 1;
	snapshot->processes[0].site_count = 1;
	snapshot->processes[0].sites[0].stack = stack;
	snapshot->processes[0].sites[0].stack_count = 2;
	snprintf(expected, sizeof(expected), "leaky (4107);%s;%s 8000016\n", places[_i].outer,
		 places[_i].inner);
	assert_folded(snapshot, FOLDED_LEAKED, expected);
}

TEST_LOOP(hostile_processes, 6)
{
	static const char *const commands[][2] = {
		{ "/usr/bin/python3", "python3 (4107)" },
		{ "/odd/", "/odd/ (4107)" },
		{ "a;b", "a:b (4107)" },
		{ "# comment", "_ comment (4107)" },
		{ "a\nb 5", "a?b 5 (4107)" },
		{ "", " (4107)" },
	};
	struct snapshot *snapshot = sample_snapshot();
	char expected[512];

	snapshot->process_count = 1;
	snapshot->processes[0].kernel_count = 1;
	snapshot->processes[0].command = commands[_i][0];
	snapshot->processes[0].kernels[0].shown = "k 9;\n8 7";
	snprintf(expected, sizeof(expected), "%s;k 9:?8_7 1000\n", commands[_i][1]);
	assert_folded(snapshot, FOLDED_LAUNCHES, expected);
}

/* Names of kilobytes are cut, and not within a character. */
TEST(long_names)
{
	struct snapshot *snapshot = sample_snapshot();
	char *name = malloc(1 << 16), *text;
	size_t len;

	for (len = 0; len + 3 < 1 << 16; len += 3)
		memcpy(name + len, "推", 3);
	memcpy(name + len, "", 1);
	snapshot->process_count = 1;
	snapshot->processes[0].kernel_count = 1;
	snapshot->processes[0].command = name;
	snapshot->processes[0].kernels[0].shown = name;
	options.weight = FOLDED_LAUNCHES;
	text = sample_print(out_folded, snapshot, &options);
	ck_assert_uint_lt(strlen(text), 2048);
	ck_assert_ptr_null(strchr(text, '?'));
	ck_assert_ptr_nonnull(strstr(text, " (4107);推"));
	ck_assert_ptr_nonnull(strstr(text, "推 1000\n"));
	free(text);
	/* a symbol that fills a frame does not push its file out of bounds */
	memset(name, 'x', 3000);
	strcpy(name + 3000, "+0x1 (file)");
	snapshot->processes[0].command = "leaky";
	snapshot->processes[0].sites[0].stack_count = 0;
	snapshot->processes[0].sites[0].site = name;
	options.weight = FOLDED_LEAKED;
	text = sample_print(out_folded, snapshot, &options);
	ck_assert_uint_lt(strlen(text), 2048);
	ck_assert_ptr_nonnull(strstr(text, "x 8000016\n"));
	free(text);
	free(name);
}
