/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics about cutop itself, about calls, and about commands. Metrics of single processes are
 * in openmetrics_process.c.
 */
#include "metrics/openmetrics.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cuda/calls.h"
#include "metrics/openmetrics_parts.h"
#include "print/print.h"

#define NSEC_PER_SEC 1e9

/* ---- cutop ---- */

static void write_self(struct exposition *out, const struct snapshot *snapshot,
		       const struct choice *choice, const char *version)
{
	static const struct family build = { "cutop_build", FAMILY_INFO, NULL, "This program." };
	static const struct family started = { "cutop_start_time_seconds", FAMILY_GAUGE, "seconds",
					       "When watching began, in seconds since 1970." };
	static const struct family time = {
		"cutop_snapshot_time_seconds", FAMILY_GAUGE, "seconds",
		"When these figures were collected, in seconds since 1970."
	};
	static const struct family cpu = { "cutop_self_cpu_seconds", FAMILY_COUNTER, "seconds",
					   "CPU time that cutop has used." };
	static const struct family resident = { "cutop_self_resident_bytes", FAMILY_GAUGE, "bytes",
						"Memory of cutop itself." };
	static const struct family targets = {
		"cutop_probe_targets", FAMILY_GAUGE, NULL,
		"Libraries and programs that probes were placed in."
	};
	static const struct family probes = {
		"cutop_probes", FAMILY_GAUGE, NULL,
		"Functions of the CUDA libraries found: attached, and missing or refused."
	};
	static const struct family stepped = {
		"cutop_probes_single_stepped", FAMILY_GAUGE, NULL,
		"Attached functions whose probe the kernel single-steps, which costs some twenty times what others do."
	};
	static const struct family lost = { "cutop_lost", FAMILY_COUNTER, NULL,
					    "What could not be recorded, by cause." };
	static const struct family omitted = {
		"cutop_processes_omitted", FAMILY_GAUGE, NULL,
		"Running processes that have no series of their own, because there are too many."
	};
	size_t i;

	exposition_family(out, &build);
	sample_begin(out, NULL);
	sample_label(out, "version", version);
	sample_count(out, 1);
	exposition_family(out, &started);
	sample_begin(out, NULL);
	sample_number(out, (double)snapshot->started / NSEC_PER_SEC);
	exposition_family(out, &time);
	sample_begin(out, NULL);
	sample_number(out, (double)snapshot->time / NSEC_PER_SEC);
	exposition_family(out, &cpu);
	sample_begin(out, NULL);
	sample_number(out, snapshot->self_cpu_seconds);
	exposition_family(out, &resident);
	sample_begin(out, NULL);
	sample_count(out, snapshot->self_resident_bytes);
	exposition_family(out, &targets);
	sample_begin(out, NULL);
	sample_count(out, snapshot->targets);
	exposition_family(out, &probes);
	sample_begin(out, NULL);
	sample_label(out, "state", "attached");
	sample_count(out, snapshot->attached);
	sample_begin(out, NULL);
	sample_label(out, "state", "missing");
	sample_count(out, snapshot->missing);
	if (snapshot->has_points) {
		exposition_family(out, &stepped);
		sample_begin(out, NULL);
		sample_count(out, snapshot->single_stepped);
	}
	exposition_family(out, &lost);
	for (i = 0; i < LOST_COUNT; i++) {
		sample_begin(out, NULL);
		sample_label(out, "cause", lost_cause_names[i]);
		sample_count(out, snapshot->lost[i]);
	}
	exposition_family(out, &omitted);
	sample_begin(out, NULL);
	sample_count(out, choice->omitted);
}

/* ---- calls ---- */

#define SYMBOL_SHOWN (LABEL_SIZE - sizeof("#65535"))

/*
 * Symbols that look the same once they are cut for a label get a number: two series must not have
 * the same labels.
 */
void sample_label_call(struct exposition *out, unsigned int call, const struct snap_extra *extra)
{
	char text[LABEL_SIZE];
	struct snap_extra cut = { text, NULL, NULL };

	if (extra->symbol && strlen(extra->symbol) > SYMBOL_SHOWN) {
		snprintf(text, sizeof(text), "%.*s#%u", (int)SYMBOL_SHOWN - 1, extra->symbol,
			 call & 0xffff);
		extra = &cut;
	}
	sample_label(out, "call", snapshot_call_name(call, extra));
}

static void call_begin(struct exposition *out, const char *suffix, const struct snap_call *call)
{
	sample_begin(out, suffix);
	sample_label_call(out, call->call, &call->extra);
	sample_label(out, "layer", call_layer_name(call_layer(call->call)));
}

/*
 * Every other bucket of the model's histogram: bounds a factor of four apart. Bucket i ends at 2^(i
 * + CUTOP_HIST_SHIFT + 1) ns; the last has no upper bound.
 */
static void write_histogram(struct exposition *out, const struct snap_call *call)
{
	uint64_t sum = 0;
	char bound[32];
	unsigned int i;

	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		sum += call->hist[i];
	if (!sum)
		return;
	for (i = 0, sum = 0; i < CUTOP_HIST_BUCKETS; i++) {
		sum += call->hist[i];
		if (!(i & 1) || i == CUTOP_HIST_BUCKETS - 1)
			continue;
		snprintf(bound, sizeof(bound), "%.9g",
			 ldexp(1, (int)i + CUTOP_HIST_SHIFT + 1) / NSEC_PER_SEC);
		call_begin(out, "_bucket", call);
		sample_label(out, "le", bound);
		sample_count(out, sum);
	}
	call_begin(out, "_bucket", call);
	sample_label(out, "le", "+Inf");
	sample_count(out, sum);
	call_begin(out, "_sum", call);
	sample_number(out, call->seconds);
	call_begin(out, "_count", call);
	sample_count(out, sum);
}

static void write_calls(struct exposition *out, const struct snapshot *snapshot)
{
	static const struct family calls = { "cutop_calls", FAMILY_COUNTER, NULL,
					     "Calls of CUDA functions, by all processes ever." };
	static const struct family failures = {
		"cutop_call_failures", FAMILY_COUNTER, NULL,
		"Calls of CUDA functions that failed, by all processes ever."
	};
	static const struct family duration = {
		"cutop_call_duration_seconds", FAMILY_HISTOGRAM, "seconds",
		"Time inside calls of CUDA functions, of those that were timed: all but launches, of which a sample is."
	};
	size_t i;

	exposition_family(out, &calls);
	for (i = 0; i < snapshot->call_count; i++) {
		call_begin(out, NULL, &snapshot->calls[i]);
		sample_count(out, snapshot->calls[i].calls);
	}
	exposition_family(out, &failures);
	for (i = 0; i < snapshot->call_count; i++) {
		/* For some functions named with --probe, failures are unknown. */
		if (snapshot->calls[i].extra.symbol && !snapshot->calls[i].judged)
			continue;
		call_begin(out, NULL, &snapshot->calls[i]);
		sample_count(out, snapshot->calls[i].failures);
	}
	exposition_family(out, &duration);
	for (i = 0; i < snapshot->call_count; i++)
		write_histogram(out, &snapshot->calls[i]);
}

/* ---- devices ---- */

/* Begins a sample of @device. */
static void device_begin(struct exposition *out, const struct snap_device *device)
{
	sample_begin(out, NULL);
	sample_label_device(out, "device", device->device);
}

/* Begins a sample of @instance, a part of @device. */
static void instance_begin(struct exposition *out, const struct snap_device *device,
			   const struct snap_instance *instance)
{
	char number[16];

	device_begin(out, device);
	snprintf(number, sizeof(number), "%u", instance->gpu_instance);
	sample_label(out, "gpu_instance", number);
	snprintf(number, sizeof(number), "%u", instance->compute_instance);
	sample_label(out, "compute_instance", number);
}

enum instance_figure {
	INSTANCE_INFO,
	INSTANCE_TRACKED,
	INSTANCE_TOTAL,
	INSTANCE_USED,
	INSTANCE_FIGURES
};

static void write_instances(struct exposition *out, const struct snap_device *device,
			    unsigned int figure)
{
	for (size_t i = 0; i < device->instance_count; i++) {
		const struct snap_instance *instance = &device->instances[i];
		const uint64_t values[INSTANCE_FIGURES] = {
			[INSTANCE_INFO] = 1,
			[INSTANCE_TRACKED] = instance->tracked,
			[INSTANCE_TOTAL] = instance->total,
			[INSTANCE_USED] = instance->used,
		};

		if (figure >= INSTANCE_TOTAL && !instance->has_used)
			continue;
		instance_begin(out, device, instance);
		if (figure == INSTANCE_INFO) {
			sample_label(out, "name", instance->name);
			sample_label(out, "uuid", instance->uuid);
		}
		sample_count(out, values[figure]);
	}
}

/* The parts of divided devices. */
static void write_all_instances(struct exposition *out, const struct snapshot *snapshot)
{
	static const struct family families[INSTANCE_FIGURES] = {
		[INSTANCE_INFO] = { "cutop_device_instance", FAMILY_INFO, NULL,
				    "What a part of a divided device (MIG) is." },
		[INSTANCE_TRACKED] = { "cutop_device_instance_tracked_bytes", FAMILY_GAUGE, "bytes",
				       "VRAM that watched processes in it have allocated." },
		[INSTANCE_TOTAL] = { "cutop_device_instance_total_bytes", FAMILY_GAUGE, "bytes",
				     "Its memory." },
		[INSTANCE_USED] = { "cutop_device_instance_used_bytes", FAMILY_GAUGE, "bytes",
				    "How much of that is in use, by all processes." },
	};

	for (unsigned int i = 0; i < INSTANCE_FIGURES; i++) {
		exposition_family(out, &families[i]);
		for (size_t j = 0; j < snapshot->device_count; j++)
			write_instances(out, &snapshot->devices[j], i);
	}
}

static void write_devices(struct exposition *out, const struct snapshot *snapshot)
{
	enum { TRACKED, TOTAL, USED, UTILIZATION, TEMPERATURE, POWER, POWER_LIMIT, FIGURES };
	static const struct family info = { "cutop_device", FAMILY_INFO, NULL,
					    "What a device is." };
	static const struct family families[FIGURES] = {
		[TRACKED] = { "cutop_device_tracked_bytes", FAMILY_GAUGE, "bytes",
			      "VRAM that watched processes have allocated." },
		[TOTAL] = { "cutop_device_total_bytes", FAMILY_GAUGE, "bytes",
			    "The device's memory." },
		[USED] = { "cutop_device_used_bytes", FAMILY_GAUGE, "bytes",
			   "Memory of it that is in use, by all processes." },
		[UTILIZATION] = { "cutop_device_utilization_ratio", FAMILY_GAUGE, "ratio",
				  "Share of the time in which a kernel ran, from 0 to 1, as the driver says." },
		[TEMPERATURE] = { "cutop_device_temperature_celsius", FAMILY_GAUGE, "celsius",
				  "Its temperature." },
		[POWER] = { "cutop_device_power_watts", FAMILY_GAUGE, "watts",
			    "The power it draws." },
		[POWER_LIMIT] = { "cutop_device_power_limit_watts", FAMILY_GAUGE, "watts",
				  "The most that it may draw." },
	};
	unsigned int figure;
	size_t i;

	exposition_family(out, &info);
	for (i = 0; i < snapshot->device_count; i++) {
		if (!snapshot->devices[i].name)
			continue;
		device_begin(out, &snapshot->devices[i]);
		sample_label(out, "name", snapshot->devices[i].name);
		sample_label(out, "uuid", snapshot->devices[i].uuid);
		sample_count(out, 1);
	}
	for (figure = 0; figure < FIGURES; figure++) {
		exposition_family(out, &families[figure]);
		for (i = 0; i < snapshot->device_count; i++) {
			const struct snap_device *device = &snapshot->devices[i];
			const double values[FIGURES] = {
				[TRACKED] = (double)device->tracked,
				[TOTAL] = device->total ? (double)device->total : NAN,
				[USED] = device->has_used ? (double)device->used : NAN,
				[UTILIZATION] = device->utilization,
				[TEMPERATURE] = device->temperature,
				[POWER] = device->power,
				[POWER_LIMIT] = device->power_limit,
			};

			if (isnan(values[figure]))
				continue;
			device_begin(out, device);
			sample_number(out, values[figure]);
		}
	}
	write_all_instances(out, snapshot);
}

/* ---- commands ---- */

#define COMMAND_COUNT(name, type, unit, member, help) \
	{ \
		{ "cutop_command_" name, type, unit, help }, offsetof(struct snap_command, member) \
	}

static const struct {
	struct family family;
	size_t offset; /* of a uint64_t */
} command_counts[] = {
	COMMAND_COUNT("processes", FAMILY_COUNTER, NULL, processes,
		      "Processes of this command that used CUDA, ever."),
	COMMAND_COUNT("running_processes", FAMILY_GAUGE, NULL, running,
		      "Processes of this command that use CUDA and run."),
	COMMAND_COUNT("live_bytes", FAMILY_GAUGE, "bytes", live,
		      "VRAM allocated and not freed, in running processes."),
	COMMAND_COUNT("suspect_bytes", FAMILY_GAUGE, "bytes", suspect,
		      "VRAM and managed memory at call sites whose floor keeps rising."),
	COMMAND_COUNT("leaked_bytes", FAMILY_COUNTER, "bytes", leaked,
		      "VRAM and managed memory that was live when its owner ended."),
	COMMAND_COUNT("held_bytes", FAMILY_COUNTER, "bytes", held,
		      "VRAM and managed memory that caching allocators kept to the end."),
	COMMAND_COUNT("allocations", FAMILY_COUNTER, NULL, allocations,
		      "Allocations that succeeded."),
	COMMAND_COUNT("allocated_bytes", FAMILY_COUNTER, "bytes", allocated,
		      "VRAM and managed memory allocated in all, freed since or not."),
	COMMAND_COUNT("frees", FAMILY_COUNTER, NULL, frees, "Frees of known allocations."),
	COMMAND_COUNT("failed_allocations", FAMILY_COUNTER, NULL, failed_allocations,
		      "Allocations that failed."),
	COMMAND_COUNT("failed_frees", FAMILY_COUNTER, NULL, failed_frees,
		      "Frees that failed, double frees left out."),
	COMMAND_COUNT("double_frees", FAMILY_COUNTER, NULL, double_frees,
		      "Frees of what was freed before."),
	COMMAND_COUNT("unknown_frees", FAMILY_COUNTER, NULL, unknown_frees,
		      "Frees of what was allocated unseen."),
	COMMAND_COUNT("calls", FAMILY_COUNTER, NULL, calls, "Calls of CUDA functions."),
	COMMAND_COUNT("failures", FAMILY_COUNTER, NULL, failures,
		      "Calls of CUDA functions that failed."),
	COMMAND_COUNT("launches", FAMILY_COUNTER, NULL, launches, "Kernel launches."),
	COMMAND_COUNT("graph_launches", FAMILY_COUNTER, NULL, graph_launches,
		      "Kernels that launched graphs ran."),
};

static void write_command_counts(struct exposition *out, const struct snapshot *snapshot)
{
	size_t i, j;

	for (i = 0; i < sizeof(command_counts) / sizeof(command_counts[0]); i++) {
		exposition_family(out, &command_counts[i].family);
		for (j = 0; j < snapshot->command_count; j++) {
			const struct snap_command *command = &snapshot->commands[j];

			sample_begin(out, NULL);
			sample_label(out, "command", command->command);
			sample_count(out, *(const uint64_t *)((const char *)command +
							      command_counts[i].offset));
		}
	}
}

static bool command_copy_begin(struct exposition *out, const struct snap_command *command,
			       unsigned int direction, unsigned int mode)
{
	if (!command->copies[direction][mode].calls)
		return false;
	sample_begin(out, NULL);
	sample_label(out, "command", command->command);
	sample_label(out, "direction", copy_direction_names[direction]);
	sample_label(out, "mode", copy_mode_names[mode]);
	return true;
}

static void write_command_copies(struct exposition *out, const struct snapshot *snapshot)
{
	static const struct family families[] = {
		{ "cutop_command_copies", FAMILY_COUNTER, NULL, "Copies." },
		{ "cutop_command_copy_failures", FAMILY_COUNTER, NULL, "Copies that failed." },
		{ "cutop_command_copy_bytes", FAMILY_COUNTER, "bytes",
		  "Bytes copied, or enqueued to be." },
		{ "cutop_command_copy_seconds", FAMILY_COUNTER, "seconds",
		  "Time inside the copying calls." },
	};
	unsigned int which, direction, mode;
	size_t i;

	for (which = 0; which < 4; which++) {
		exposition_family(out, &families[which]);
		for (i = 0; i < snapshot->command_count; i++)
			for (direction = 0; direction < DIR_COUNT; direction++)
				for (mode = COPY_SYNC; mode <= COPY_ASYNC; mode++) {
					const struct snap_copy_total *total =
						&snapshot->commands[i].copies[direction][mode];

					if (!command_copy_begin(out, &snapshot->commands[i],
								direction, mode))
						continue;
					if (which == 3)
						sample_number(out,
							      (double)total->ns / NSEC_PER_SEC);
					else
						sample_count(out, which == 0 ? total->calls :
								  which == 1 ? total->failures :
									       total->bytes);
				}
	}
}

static void write_commands(struct exposition *out, const struct snapshot *snapshot)
{
	static const struct family waiting = {
		"cutop_command_synchronize_seconds", FAMILY_COUNTER, "seconds",
		"Time in which at least one thread of a process was inside a synchronizing call."
	};
	size_t i;

	write_command_counts(out, snapshot);
	write_command_copies(out, snapshot);
	exposition_family(out, &waiting);
	for (i = 0; i < snapshot->command_count; i++) {
		sample_begin(out, NULL);
		sample_label(out, "command", snapshot->commands[i].command);
		sample_number(out, (double)snapshot->commands[i].sync_ns / NSEC_PER_SEC);
	}
}

int openmetrics_write(struct openmetrics *metrics, FILE *stream, const struct snapshot *snapshot,
		      const char *version, enum exposition_form form)
{
	struct sink sink;
	struct exposition out = { .sink = &sink, .form = form };
	struct choice choice;
	int err;

	err = openmetrics_choose(metrics, snapshot, &choice);
	if (!err)
		err = sink_open(&sink, stream);
	if (err)
		return err;
	write_self(&out, snapshot, &choice, version);
	write_calls(&out, snapshot);
	write_devices(&out, snapshot);
	write_commands(&out, snapshot);
	if (processes_write(&out, &choice))
		sink.error = sink.error ? sink.error : -ENOMEM;
	exposition_end(&out);
	return sink_close(&sink);
}

/* ---- the formats ---- */

static int metrics_open(struct out_options *options)
{
	const struct metrics_limits limits = { options->kernels, options->sites };

	options->metrics = openmetrics_new(&limits);
	return options->metrics ? 0 : -ENOMEM;
}

static int out_openmetrics(FILE *stream, const struct snapshot *snapshot,
			   struct out_options *options)
{
	return openmetrics_write(options->metrics, stream, snapshot, options->version,
				 EXPOSITION_OPENMETRICS);
}

static int out_prometheus(FILE *stream, const struct snapshot *snapshot,
			  struct out_options *options)
{
	return openmetrics_write(options->metrics, stream, snapshot, options->version,
				 EXPOSITION_PROMETHEUS);
}

static void metrics_close(struct out_options *options)
{
	openmetrics_free(options->metrics);
}

const struct print_format print_format_openmetrics = {
	.format = FORMAT_OPENMETRICS,
	.is_metrics = true,
	.open = metrics_open,
	.print = out_openmetrics,
	.close = metrics_close,
};
const struct print_format print_format_prometheus = {
	.format = FORMAT_PROMETHEUS,
	.is_metrics = true,
	.open = metrics_open,
	.print = out_prometheus,
	.close = metrics_close,
};
