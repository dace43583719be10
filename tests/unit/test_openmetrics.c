/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics: escapes, both forms, what is shown and what is summed up.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "metrics/openmetrics.h"
#include "metrics_text.h"
#include "out_sample.h"

static struct metrics_limits limits;
static char *text;

static void setup(void)
{
	limits = (struct metrics_limits){ 2, 10 };
	text = NULL;
}

static void teardown(void)
{
	free(text);
}

FIXTURE(setup, teardown);

static void print(const struct snapshot *snapshot, enum exposition_form form)
{
	size_t size = 0;
	FILE *stream;

	free(text);
	text = NULL;
	stream = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(stream);
	ck_assert_int_eq(openmetrics_write(stream, snapshot, &limits, "1\"2", form), 0);
	fclose(stream);
}

/* The one of sample_snapshot(), whose process ended just now. */
static struct snapshot *sample(void)
{
	struct snapshot *snapshot = sample_snapshot();

	snapshot->processes[0].end_time = snapshot->time;
	return snapshot;
}

static bool has(const char *line)
{
	return metrics_text_has(text, line);
}

static double value(const char *series)
{
	return metrics_text_value(text, series);
}

#define LEAKY "pid=\"4107\",command=\"leaky\",user=\"ana\""

TEST(forms)
{
	print(sample(), EXPOSITION_OPENMETRICS);
	ck_assert(has("# TYPE cutop_build info"));
	ck_assert(has("cutop_build_info{version=\"1\\\"2\"} 1"));
	ck_assert(has("# TYPE cutop_process_allocations counter"));
	ck_assert(has("# UNIT cutop_process_memory_live_bytes bytes") ||
		  !strstr(text, "cutop_process_memory_live_bytes"));
	ck_assert(has("cutop_process_allocations_total{" LEAKY "} 4"));
	ck_assert_str_eq(text + strlen(text) - 6, "# EOF\n");

	print(sample(), EXPOSITION_PROMETHEUS);
	ck_assert(has("# TYPE cutop_build_info gauge"));
	ck_assert(has("# TYPE cutop_process_allocations_total counter"));
	ck_assert(has("cutop_process_allocations_total{" LEAKY "} 4"));
	ck_assert_ptr_null(strstr(text, "# UNIT"));
	ck_assert_ptr_null(strstr(text, "EOF"));
}

/*
 * A column that is a metric, too, is told of each process that has it, under its name and with its
 * value.
 */
TEST(columns_as_metrics)
{
	struct snapshot *snapshot = sample();
	const struct snap_process *process = &snapshot->processes[0];
	char series[256];
	size_t compared = 0;

	print(snapshot, EXPOSITION_OPENMETRICS);
	for (size_t i = 0; i < column_count; i++) {
		const struct column_metric *metric = &columns[i].metric;
		struct column_value expected;

		if (!metric->name)
			continue;
		snprintf(series, sizeof(series), "%s%s{" LEAKY "}", metric->name,
			 metric->is_counter ? "_total" : "");
		expected = columns[i].value(process);
		ck_assert_msg(value(series) == (expected.absent ? -1 : expected.number), "%s is %g",
			      series, value(series));
		snprintf(series, sizeof(series), "# HELP %s %s", metric->name, metric->help);
		ck_assert_msg(has(series), "%s", series);
		snprintf(series, sizeof(series), "# TYPE %s %s", metric->name,
			 metric->is_counter ? "counter" : "gauge");
		ck_assert_msg(has(series), "%s", series);
		compared++;
	}
	ck_assert_uint_ge(compared, 5);
}

TEST(idle)
{
	print(sample_empty(), EXPOSITION_OPENMETRICS);
	ck_assert(has("cutop_lost_total{cause=\"ring_full\"} 0"));
	ck_assert(has("cutop_processes_omitted 0"));
	ck_assert_ptr_null(strstr(text, "cutop_process_"));
}

TEST(hostile_names)
{
	struct snapshot *snapshot = sample();
	char long_name[5000], *line, *rest;

	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	snapshot->processes[0].command = "a\"b\\c\nd\x1b[31m\xff\xc2\x9b";
	snapshot->processes[0].user = long_name;
	print(snapshot, EXPOSITION_OPENMETRICS);
	ck_assert_ptr_nonnull(strstr(text, "command=\"a\\\"b\\\\c?d?[31m??\""));
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		ck_assert_uint_lt(strlen(line), 1000);
		ck_assert(line[0] == '#' || !strncmp(line, "cutop_", 6));
	}
}

/* As templates have them: two symbols that begin alike, longer than a label may be. */
TEST(long_symbols)
{
	static struct snap_call calls[2];
	static struct snap_failure failures[2];
	struct snapshot *snapshot = sample();
	char symbols[2][1000], *line, *rest, *seen[2000];
	size_t count = 0, i, named = 0;

	for (i = 0; i < 2; i++) {
		memset(symbols[i], 'x', sizeof(symbols[i]));
		symbols[i][998] = (char)('a' + i);
		symbols[i][999] = 0;
		calls[i] = (struct snap_call){ .call = (uint16_t)(CUTOP_EXTRA + i),
					       .calls = 1,
					       .extra.symbol = symbols[i],
					       .hist[3] = 1 };
		failures[i] = (struct snap_failure){
			.call = calls[i].call, .error = "1", .count = 1, .extra.symbol = symbols[i]
		};
	}
	snapshot->calls = calls;
	snapshot->call_count = 2;
	snapshot->processes[0].failure_list = failures;
	snapshot->processes[0].failure_count = 2;
	print(snapshot, EXPOSITION_OPENMETRICS);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		named += strstr(line, "xxxx#") != NULL;
		*strrchr(line, ' ') = 0;
		for (i = 0; *line != '#' && i < count; i++)
			ck_assert_str_ne(seen[i], line);
		ck_assert_uint_lt(count, 2000);
		seen[count++] = line;
	}
	ck_assert_uint_gt(named, 6);
}

static struct snap_kernel kernels[8];

static struct snapshot *with_kernels(size_t count)
{
	struct snapshot *snapshot = sample();

	snapshot->processes[0].kernels = kernels;
	snapshot->processes[0].kernel_count = count;
	return snapshot;
}

static void kernel_set(size_t at, const char *name, uint64_t launches)
{
	kernels[at] = (struct snap_kernel){ .name = name, .signature = name, .launches = launches };
}

static double launches(const char *name)
{
	char series[256];

	snprintf(series, sizeof(series),
		 "cutop_process_kernel_launches_total{" LEAKY ",kernel=\"%s\",device=\"0\"}", name);
	return value(series);
}

TEST(kernels_by_name)
{
	kernel_set(0, "a", 100);
	kernel_set(1, "b", 50);
	kernel_set(2, "c", 40);
	print(with_kernels(3), EXPOSITION_OPENMETRICS);
	ck_assert(launches("a") == 100 && launches("b") == 50 && launches("c") == -1);
	kernel_set(2, "c", 60);
	print(with_kernels(3), EXPOSITION_PROMETHEUS);
	ck_assert(launches("a") == 100 && launches("b") == -1 && launches("c") == 60);
	limits.kernels = 0;
	print(with_kernels(3), EXPOSITION_OPENMETRICS);
	ck_assert(launches("a") == -1);
}

TEST(kernels_of_one_name_are_one)
{
	kernel_set(0, "scale", 3);
	kernel_set(1, "scale", 4);
	kernel_set(2, "scale", 5);
	kernels[2].device = 1;
	print(with_kernels(3), EXPOSITION_OPENMETRICS);
	ck_assert(launches("scale") == 7);
	ck_assert(value("cutop_process_kernel_launches_total{" LEAKY
			",kernel=\"scale\",device=\"1\"}") == 5);
}

TEST(who_is_shown)
{
	struct snapshot *snapshot = sample();
	struct snap_process *list = calloc(2000, sizeof(*list));
	const char *at;
	size_t i, shown = 0;

	for (i = 0; i < 2000; i++) {
		list[i] = snapshot->processes[0];
		list[i].program = (uint32_t)i + 1;
		list[i].pid = (uint32_t)i + 1;
		list[i].exited = i >= 1000;
		list[i].end_time = i >= 1000 ? snapshot->time - 1000000000ull * (i - 1000) : 0;
	}
	snapshot->processes = list;
	snapshot->process_count = 2000;
	print(snapshot, EXPOSITION_OPENMETRICS);
	for (at = text; (at = strstr(at, "\ncutop_process_calls_total{")) != NULL; at++)
		shown++;
	ck_assert_uint_eq(shown, 600);
	ck_assert(has("cutop_processes_omitted 500"));
	/* Of those that ended, the latest; after five minutes none. */
	ck_assert(value("cutop_process_running{pid=\"1001\",command=\"leaky\",user=\"ana\"}") == 0);
	ck_assert(value("cutop_process_running{pid=\"1100\",command=\"leaky\",user=\"ana\"}") == 0);
	ck_assert(value("cutop_process_running{pid=\"1101\",command=\"leaky\",user=\"ana\"}") ==
		  -1);
	ck_assert(value("cutop_process_running{pid=\"500\",command=\"leaky\",user=\"ana\"}") == 1);
	snapshot->time += 301 * 1000000000ull;
	print(snapshot, EXPOSITION_OPENMETRICS);
	ck_assert(value("cutop_process_running{pid=\"1001\",command=\"leaky\",user=\"ana\"}") ==
		  -1);
	/* Of a pid's programs the one that runs. */
	list[0].pid = list[1].pid = list[2].pid = 77;
	list[0].exited = list[2].exited = true;
	list[0].end_time = list[2].end_time = snapshot->time;
	snapshot->process_count = 3;
	print(snapshot, EXPOSITION_OPENMETRICS);
	ck_assert(value("cutop_process_running{pid=\"77\",command=\"leaky\",user=\"ana\"}") == 1);
	free(list);
}

TEST(failures_are_few)
{
	static struct snap_failure failures[80];
	struct snapshot *snapshot = sample();
	static char errors[80][16];
	size_t i;

	for (i = 0; i < 80; i++) {
		snprintf(errors[i], sizeof(errors[i]), "error %zu", i);
		failures[i] = (struct snap_failure){ .call = CALL_cudaMalloc,
						     .code = (int)i,
						     .error = errors[i],
						     .count = 80 - i,
						     .first = 1000 - i };
	}
	snapshot->processes[0].failure_list = failures;
	snapshot->processes[0].failure_count = 80;
	print(snapshot, EXPOSITION_OPENMETRICS);
	/* Those that came first have a series, and keep it. */
	ck_assert(value("cutop_process_failures_total{" LEAKY
			",call=\"cudaMalloc\",layer=\"runtime\",error=\"error 79\"}") == 1);
	ck_assert(value("cutop_process_failures_total{" LEAKY
			",call=\"cudaMalloc\",layer=\"runtime\",error=\"error 29\"}") == -1);
	ck_assert(value("cutop_process_failures_total{" LEAKY
			",call=\"other\",layer=\"other\",error=\"other\"}") == (80 + 51) * 30 / 2);
}

static size_t lines_with(const char *start)
{
	return metrics_text_lines(text, start);
}

/*
 * So many call sites, those that leak most: the ways to one line are one, and its name may be
 * anything.
 */
TEST(sites_that_leak)
{
	struct snapshot *snapshot = sample();
	struct snap_site sites[15];
	char names[15][40];

	memset(sites, 0, sizeof(sites));
	for (unsigned int i = 0; i < 15; i++) {
		snprintf(names[i], sizeof(names[i]), "step at train.py:%u (python)", i);
		sites[i] = (struct snap_site){
			.site = names[i], .leaked = i * 100, .suspect = i, .allocations = 1
		};
	}
	sites[1].site = names[14]; /* another way */
	sites[13].site = "f\"\\\n\033[2J at \xff.py:3 (python)";
	snapshot->processes[0].sites = sites;
	snapshot->processes[0].site_count = 15;
	print(snapshot, EXPOSITION_OPENMETRICS);
	ck_assert_uint_eq(lines_with("cutop_process_site_leaked_bytes{" LEAKY), 10);
	ck_assert_uint_eq(lines_with("cutop_process_site_suspect_bytes{" LEAKY), 10);
	ck_assert(has("cutop_process_site_leaked_bytes{" LEAKY
		      ",site=\"step at train.py:14 (python)\"} 1500"));
	ck_assert(has("cutop_process_site_suspect_bytes{" LEAKY
		      ",site=\"step at train.py:14 (python)\"} 15"));
	ck_assert(has("cutop_process_site_leaked_bytes{" LEAKY
		      ",site=\"f\\\"\\\\??[2J at ?.py:3 (python)\"} 1300"));
	ck_assert(has("cutop_process_site_leaked_bytes{" LEAKY
		      ",site=\"step at train.py:5 (python)\"} 500"));
	ck_assert_ptr_null(strstr(text, "train.py:4 "));
	limits.sites = 2;
	print(snapshot, EXPOSITION_PROMETHEUS);
	ck_assert_uint_eq(lines_with("cutop_process_site_leaked_bytes{" LEAKY), 2);
	ck_assert_ptr_nonnull(strstr(text, "train.py:14 "));
	limits.sites = 0;
	print(snapshot, EXPOSITION_PROMETHEUS);
	ck_assert_ptr_null(strstr(text, "cutop_process_site"));
}

TEST(histograms)
{
	static struct snap_call calls[1];
	struct snapshot *snapshot = sample();

	calls[0] = (struct snap_call){
		.call = CALL_cudaMalloc, .calls = 7, .failures = 1, .seconds = 0.5
	};
	calls[0].hist[0] = 1; /* up to 128 ns */
	calls[0].hist[1] = 2; /* up to 256 ns */
	calls[0].hist[4] = 3; /* up to 2048 ns */
	calls[0].hist[CUTOP_HIST_BUCKETS - 1] = 1;
	snapshot->calls = calls;
	snapshot->call_count = 1;
	print(snapshot, EXPOSITION_PROMETHEUS);
#define CALL "{call=\"cudaMalloc\",layer=\"runtime\""
	ck_assert(value("cutop_calls_total" CALL "}") == 7);
	ck_assert(value("cutop_call_failures_total" CALL "}") == 1);
	ck_assert(value("cutop_call_duration_seconds_bucket" CALL ",le=\"2.56e-07\"}") == 3);
	ck_assert(value("cutop_call_duration_seconds_bucket" CALL ",le=\"1.024e-06\"}") == 3);
	ck_assert(value("cutop_call_duration_seconds_bucket" CALL ",le=\"4.096e-06\"}") == 6);
	ck_assert(value("cutop_call_duration_seconds_bucket" CALL ",le=\"68.7194767\"}") == 6);
	ck_assert(value("cutop_call_duration_seconds_bucket" CALL ",le=\"+Inf\"}") == 7);
	ck_assert(value("cutop_call_duration_seconds_sum" CALL "}") == 0.5);
	ck_assert(value("cutop_call_duration_seconds_count" CALL "}") == 7);
}

TEST(a_full_disk)
{
	FILE *stream = fopen("/dev/full", "w");

	ck_assert_ptr_nonnull(stream);
	ck_assert_int_eq(openmetrics_write(stream, sample(), &limits, "1", EXPOSITION_OPENMETRICS),
			 -ENOSPC);
	fclose(stream);
}
