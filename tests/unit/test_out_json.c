/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JSON printer: documents parsed back. What tests/recordings/sample.members has of schema 1 is held
 * there; here are the other members, and those that are absent.
 */
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "out_sample.h"
#include "print/text.h"

static json_t *parsed(const struct snapshot *snapshot)
{
	char *text;
	json_error_t error;
	struct out_options options;
	json_t *document;

	sample_options(&options);
	text = sample_print(out_json, snapshot, &options);
	document = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(document, "%s: %s", error.text, text);
	ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
	return document;
}

/* The member at @path, "processes.0.memory.live_bytes"; NULL if there is none. */
static json_t *at(json_t *value, const char *path)
{
	char copy[128], *save, *key;

	snprintf(copy, sizeof(copy), "%s", path);
	for (key = strtok_r(copy, ".", &save); key && value; key = strtok_r(NULL, ".", &save))
		value = json_is_array(value) ? json_array_get(value, (size_t)atoi(key)) :
					       json_object_get(value, key);
	return value;
}

static void assert_int(json_t *document, const char *path, json_int_t expected)
{
	json_t *value = at(document, path);

	ck_assert_msg(json_is_integer(value), "%s is no integer", path);
	ck_assert_msg(json_integer_value(value) == expected, "%s is %lld", path,
		      (long long)json_integer_value(value));
}

static void assert_real(json_t *document, const char *path, double expected)
{
	json_t *value = at(document, path);

	ck_assert_msg(json_is_number(value), "%s is no number", path);
	ck_assert_double_eq_tol(json_number_value(value), expected, 1e-9 * (1 + expected));
}

static void assert_text(json_t *document, const char *path, const char *expected)
{
	json_t *value = at(document, path);

	ck_assert_msg(json_is_string(value), "%s is no string", path);
	ck_assert_str_eq(json_string_value(value), expected);
}

static void assert_absent(json_t *document, const char *path)
{
	ck_assert_msg(!at(document, path), "%s is present", path);
}

TEST(json_head)
{
	struct snapshot *snapshot = sample_snapshot();
	json_t *document = parsed(snapshot);

	ck_assert_uint_eq(json_object_size(at(document, "lost")), LOST_COUNT);
	for (int i = 0; i < LOST_COUNT; i++)
		ck_assert_int_eq(json_integer_value(json_object_get(at(document, "lost"),
								    lost_cause_names[i])),
				 i == LOST_RETURN ? 12 : 0);
	assert_text(document, "devices.0.name", "NVIDIA \"H100\"");
	assert_text(document, "devices.0.uuid", "GPU-1234");
	assert_int(document, "devices.0.used_bytes", 20000000000);
	assert_real(document, "devices.0.utilization", 0.97);
	assert_real(document, "devices.0.temperature_celsius", 64);
	assert_real(document, "devices.0.power_watts", 412.3);
	assert_real(document, "devices.0.power_limit_watts", 700);
	assert_int(document, "devices.0.instances.0.gpu_instance", 3);
	assert_int(document, "devices.0.instances.0.compute_instance", 0);
	assert_text(document, "devices.0.instances.0.name", "1g.10gb");
	assert_text(document, "devices.0.instances.0.uuid", "MIG-5678");
	assert_int(document, "devices.0.instances.0.used_bytes", 3221225472);
	assert_int(document, "devices.0.instances.0.total_bytes", 10200547328);
	assert_int(document, "devices.0.instances.0.tracked_bytes", 2147483648);
	assert_int(document, "devices.0.instances.1.compute_instance", 1);
	assert_absent(document, "devices.0.instances.1.used_bytes");
	assert_int(document, "devices.0.processes.0.used_bytes", 13000000000);
	assert_absent(document, "devices.0.processes.0.gpu_instance");
	assert_int(document, "devices.0.processes.1.gpu_instance", 3);
	assert_absent(document, "devices.0.processes.1.tracked_bytes");
	assert_int(document, "devices.0.processes.2.compute_instance", 1);
	assert_absent(document, "devices.0.processes.2.used_bytes");
	assert_absent(document, "devices.1.power_limit_watts");
	assert_absent(document, "devices.1.instances");
	assert_absent(document, "devices.1.processes");
	assert_absent(document, "devices.1.name");
	assert_absent(document, "devices.1.uuid");
	assert_absent(document, "devices.1.used_bytes");
	assert_absent(document, "devices.1.total_bytes");
	assert_absent(document, "devices.1.utilization");
	assert_absent(document, "devices.1.temperature_celsius");
	assert_absent(document, "devices.1.power_watts");
	assert_int(document, "events.0.repeated", 2);
	ck_assert_uint_eq(json_array_size(at(document, "events.0.holders")), 2);
	assert_text(document, "events.0.holders.1.command", "./in?fer");
	assert_text(document, "events.0.holders.1.watched_from", "attach");
	assert_text(document, "events.0.stack.1", "grow at infer.py:40 (python)");
	assert_text(document, "events.0.frames.1.file", "/srv/infer.py");
	ck_assert_uint_eq(json_array_size(at(document, "events.0.sites")), 2);
	assert_text(document, "events.0.sites.0.frames.1.function", "grow");
	assert_absent(document, "events.0.sites.1.stack");
	assert_absent(document, "events.0.total_bytes");
	assert_absent(document, "events.1.repeated");
	assert_absent(document, "events.1.device");
	assert_absent(document, "events.0.command");
	assert_absent(document, "events.1.bytes");
	assert_absent(document, "totals.findings_omitted");
	json_decref(document);
	snapshot->findings_omitted = 2;
	document = parsed(snapshot);
	assert_int(document, "totals.findings_omitted", 2);
	json_decref(document);
}

TEST(json_process)
{
	json_t *document = parsed(sample_snapshot()), *leaky, *train, *infer;

	leaky = at(document, "processes.0");
	train = at(document, "processes.1");
	infer = at(document, "processes.2");
	assert_text(leaky, "state", "exited");
	assert_text(leaky, "ended", "exit");
	assert_absent(leaky, "signal");
	assert_absent(leaky, "container");
	assert_absent(leaky, "ns_pid");
	assert_text(leaky, "watched_from", "start");
	ck_assert(json_is_false(at(leaky, "inexact")));
	assert_absent(leaky, "synchronize.share");
	assert_text(train, "state", "running");
	assert_absent(train, "ended");
	assert_absent(leaky, "time");
	assert_int(train, "time.threads", 2);
	assert_real(train, "time.wall_seconds", 61);
	ck_assert(json_is_true(at(train, "time.launch_sampled")));
	for (int i = 0; i < TIME_PARTS; i++)
		ck_assert(json_is_number(
			json_object_get(at(train, "time.seconds"), time_part_names[i])));
	assert_real(train, "time.seconds.launch", 5.25);
	assert_real(train, "time.share.none", 0.22);
	assert_int(train, "time.launch_gaps.samples", 10);
	assert_real(train, "time.launch_gaps.latency_seconds.max", 2e-3);
	assert_int(train, "time.launch_gaps.histogram.6", 603);
	ck_assert_uint_eq(json_array_size(at(train, "time.launch_gaps.histogram")),
			  CUTOP_HIST_BUCKETS);
	assert_text(train, "time.verdict",
		    "the GPU is busy (97%) while the program waits in synchronizing calls");
	assert_int(infer, "signal", SIGKILL);
	assert_absent(infer, "exit_code");
	assert_text(infer, "watched_from", "attach");
	ck_assert(json_is_true(at(infer, "inexact")));
	ck_assert_uint_eq(json_array_size(at(infer, "devices")), 2);
	assert_text(infer, "command", "推論 é");
	json_decref(document);
}

TEST(json_exec)
{
	struct snapshot *snapshot = sample_snapshot();
	json_t *document;

	snapshot->processes[0].end_reason = END_EXEC;
	document = parsed(snapshot);
	assert_text(document, "processes.0.ended", "exec");
	assert_absent(document, "processes.0.exit_code");
	json_decref(document);
}

TEST(json_end_unseen)
{
	struct snapshot *snapshot = sample_snapshot();
	char remark[NUMBER_SIZE];
	json_t *document;

	snapshot->processes[0].end_is_guess = true;
	document = parsed(snapshot);
	assert_text(document, "processes.0.ended", "exit");
	assert_absent(document, "processes.0.exit_code");
	json_decref(document);
	ck_assert_str_eq(text_remark(&snapshot->processes[0], remark), " (ended)");
}

TEST(json_memory)
{
	json_t *document = parsed(sample_snapshot()), *leaky, *train;

	leaky = at(document, "processes.0.memory");
	train = at(document, "processes.1.memory");
	ck_assert_uint_eq(json_object_size(at(leaky, "kinds")), KIND_COUNT);
	assert_absent(leaky, "untracked_bytes");
	assert_absent(leaky, "map.1.device");
	assert_text(train, "map.0.state", "suspect");
	assert_text(train, "map.1.state", "held");
	/* more than jansson's integers hold: still a number */
	assert_text(train, "map.2.address", "0xffffffffffffffff");
	assert_real(train, "map.2.size", 18446744073709551615.0);
	assert_absent(document, "processes.1.sites.0.stack");
	assert_text(document, "processes.0.sites.0.stack.1", "outer+0x10 at \"odd\".c:7 (leaky)");
	assert_absent(document, "processes.0.sites.0.stack.3");
	/* not known yet: absent, not zero */
	assert_absent(document, "processes.2.memory.suspect_bytes");
	assert_int(document, "processes.1.memory.used_bytes", 13300000000);
	assert_int(document, "processes.1.memory.untracked_bytes", 307723930);
	assert_absent(document, "processes.0.memory.used_bytes");
	assert_absent(document, "processes.0.memory.untracked_bytes");
	json_decref(document);
}

/* What is not known of an allocator has no member. */
TEST(json_allocators)
{
	json_t *document = parsed(sample_snapshot()),
	       *first = at(document, "processes.1.memory.allocators.0"),
	       *late = at(document, "processes.1.memory.allocators.1");

	assert_absent(document, "processes.0.memory.allocators");
	assert_int(document, "processes.1.memory.tensors_bytes", 6982467584);
	assert_int(document, "processes.1.memory.cache_bytes", 537919488);
	ck_assert_uint_eq(json_array_size(at(document, "processes.1.memory.allocators")), 2);
	assert_text(first, "name", "pytorch");
	assert_int(first, "device", 0);
	assert_int(first, "allocated_bytes", 6979321856);
	assert_int(first, "reserved_bytes", 7516192768);
	assert_int(first, "peak_allocated_bytes", 7247757312);
	assert_int(first, "free_in_segments_bytes", 536870912);
	assert_int(first, "largest_gap_bytes", 201326592);
	assert_real(first, "fragmentation", 0.03125);
	assert_int(first, "segments", 2);
	assert_int(first, "blocks", 100);
	assert_int(first, "out_of_memory", 2);
	assert_int(first, "rising_bytes", 268435456);
	assert_text(first, "watched_from", "start");
	ck_assert(json_is_false(at(first, "inexact")));
	assert_text(first, "map.0.address", "0x7f1400000000");
	assert_text(first, "map.0.state", "suspect");
	assert_int(first, "map_omitted", 98);
	assert_text(first, "sites.0.site", "forward at model.py:88 (python)");
	assert_int(first, "sites.0.live_bytes", 6442450944);
	assert_int(first, "sites.0.blocks", 96);
	assert_text(first, "sites.0.stack.1", "forward at model.py:88 (python)");
	assert_text(first, "sites.0.frames.1.file", "/home/ana/model.py");
	assert_int(first, "sites.1.rising_bytes", 268435456);
	assert_absent(first, "sites.1.stack");
	assert_absent(first, "live_at_exit_bytes");
	assert_int(late, "device", 1);
	assert_int(late, "unknown_bytes", 2097152);
	assert_text(late, "watched_from", "attach");
	ck_assert(json_is_true(at(late, "inexact")));
	assert_absent(late, "free_in_segments_bytes");
	assert_absent(late, "largest_gap_bytes");
	assert_absent(late, "fragmentation");
	assert_absent(late, "rising_bytes");
	json_decref(document);
}

TEST(json_activity)
{
	json_t *document = parsed(sample_snapshot()), *leaky, *train, *infer;

	leaky = at(document, "processes.0");
	train = at(document, "processes.1");
	infer = at(document, "processes.2");
	assert_absent(leaky, "kernels.1.symbol");
	assert_absent(leaky, "kernels.1.device");
	assert_absent(leaky, "kernels.1.launches_per_second");
	assert_absent(leaky, "kernels.1.latency_seconds");
	assert_text(leaky, "kernels.1.returns", "sampled");
	ck_assert_uint_eq(json_array_size(at(leaky, "copies.0.sizes")), CUTOP_SIZE_BUCKETS);
	assert_absent(train, "copies.1.bytes_per_second");
	ck_assert(json_is_true(at(train, "copies.1.pageable")));
	assert_absent(train, "copies.0.pageable");
	assert_absent(train, "copies.2.pageable");
	assert_absent(train, "copies.2.rate_bytes_per_second");
	assert_absent(infer, "failures.1.last");
	assert_text(infer, "graphs.0.call", "cudaGraphInstantiate");
	assert_int(infer, "graphs.0.instantiated", 12);
	assert_int(infer, "graphs.0.live", 2);
	assert_int(infer, "graphs.0.launches", 50000);
	assert_text(infer, "graphs.0.site", "grow at infer.py:40 (python)");
	assert_text(infer, "graphs.0.frames.1.function", "grow");
	assert_absent(infer, "graphs.1.stack");
	assert_absent(train, "graphs");
	assert_text(infer, "objects.0.kind", "stream");
	assert_text(infer, "objects.0.call", "cudaStreamCreate");
	assert_int(infer, "objects.0.made", 1000);
	assert_int(infer, "objects.0.live", 900);
	assert_int(infer, "objects.0.rising", 300);
	assert_absent(infer, "objects.0.left");
	assert_text(infer, "objects.0.site", "grow at infer.py:40 (python)");
	assert_text(infer, "objects.0.frames.1.function", "grow");
	assert_int(infer, "objects.1.left", 2);
	assert_absent(infer, "objects.1.rising");
	assert_int(infer, "objects.2.live", 0);
	assert_absent(train, "objects");
	assert_text(infer, "failures.0.site", "grow at infer.py:40 (python)");
	assert_text(infer, "failures.0.stack.1", "grow at infer.py:40 (python)");
	assert_text(infer, "failures.0.frames.1.language", "python");
	assert_int(infer, "failures.0.frames.1.line", 40);
	assert_text(infer, "failures.1.site", "main+0x20 (infer)");
	assert_absent(infer, "failures.1.stack");
	assert_absent(infer, "failures.1.frames");
	ck_assert_uint_eq(json_array_size(at(infer, "kernels")), 0);
	json_decref(document);
}

/* A string that was not cleaned must not make a document that no parser takes. */
TEST(json_hostile)
{
	struct snapshot *snapshot = sample_snapshot();
	json_t *document;

	snapshot->processes[0].command = "a\xff\xc0\x80\n\"\\\x1b[31m";
	document = parsed(snapshot);
	assert_text(document, "processes.0.command", "a???\n\"\\\x1b[31m");
	json_decref(document);
}

TEST(json_empty)
{
	struct snapshot *snapshot = sample_empty();
	json_t *document = parsed(snapshot);

	assert_absent(document, "interval_seconds");
	assert_absent(document, "host");
	ck_assert_uint_eq(json_array_size(at(document, "processes")), 0);
	ck_assert_uint_eq(json_array_size(at(document, "events")), 0);
	assert_absent(document, "devices");
	json_decref(document);
}

TEST(json_large_map)
{
	const size_t count = 100000;
	struct snapshot *snapshot = sample_snapshot();
	struct snap_alloc *map = calloc(count, sizeof(*map));
	json_t *document;

	for (size_t i = 0; i < count; i++) {
		map[i] = snapshot->processes[0].map[0];
		map[i].address += i;
	}
	snapshot->processes[0].map = map;
	snapshot->processes[0].map_count = count;
	document = parsed(snapshot);
	ck_assert_uint_eq(json_array_size(at(document, "processes.0.memory.map")), count);
	assert_text(document, "processes.0.memory.map.99999.address", "0x7f124001869f");
	json_decref(document);
	free(map);
}

/* A member that is a column, too, has its value, and is left out where that is absent. */
TEST(json_columns)
{
	struct snapshot *snapshot = sample_snapshot();
	json_t *document;
	char path[128];
	size_t compared = 0;

	snapshot->processes[1].frees = (1ull << 53) + 1;
	snapshot->processes[1].ns_pid = 17;
	snapshot->processes[1].rank = 4;
	snapshot->processes[1].pod = "0d1e";
	document = parsed(snapshot);
	for (size_t i = 0; i < column_count; i++) {
		const struct column *column = &columns[i];
		bool seen = false;

		for (size_t j = 0; column->json && j < snapshot->process_count; j++) {
			struct column_value value = column->value(&snapshot->processes[j]);

			snprintf(path, sizeof(path), "processes.%zu.%s", j, column->json);
			if (value.absent)
				assert_absent(document, path);
			else if (column->unit == UNIT_TEXT)
				assert_text(document, path, value.text);
			else if (column->unit == UNIT_COUNT || column->unit == UNIT_BYTES ||
				 column->unit == UNIT_ID)
				assert_int(document, path, (json_int_t)value.count);
			else
				assert_real(document, path, value.number);
			seen |= !value.absent;
		}
		compared += seen;
		ck_assert_msg(seen || !column->json, "%s is in no process of the sample",
			      column->name);
	}
	ck_assert_uint_ge(compared, 13);
	json_decref(document);
}
