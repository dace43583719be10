/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics of single processes. A family's samples have to stand together, so each function here
 * goes through all processes.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "metrics/openmetrics_parts.h"
#include "model/columns.h"

#define FAILURES_MAX 50 /* pairs of call and error shown of one process; the rest as one */

void process_begin(struct exposition *out, const struct snap_process *process)
{
	sample_begin(out, NULL);
	sample_label_count(out, "pid", process->pid);
	sample_label(out, "command", command_basename(process->command));
	sample_label(out, "user", process->user);
	sample_label(out, "container", process->container);
	sample_label(out, "pod", process->pod);
}

/* ---- plain figures ---- */

#define PROCESS_COUNT(name, type, unit, member, help) \
	{ \
		{ "cutop_process_" name, type, unit, help }, \
			offsetof(struct snap_process, member), NULL \
	}

/* The order of the metrics in an exposition. Columns that are not listed follow. */
static const struct {
	struct family family;
	size_t offset;      /* of a uint64_t */
	const char *column; /* used instead: the column whose metric this is */
} process_counts[] = {
	PROCESS_COUNT("live_allocations", FAMILY_GAUGE, NULL, live_allocations,
		      "Allocations not freed yet, of all kinds."),
	PROCESS_COUNT("allocations", FAMILY_COUNTER, NULL, allocations,
		      "Allocations that succeeded."),
	PROCESS_COUNT("allocated_bytes", FAMILY_COUNTER, "bytes", allocated,
		      "VRAM and managed memory allocated in all, freed since or not."),
	{ .column = "cutop_process_frees" },
	PROCESS_COUNT("failed_allocations", FAMILY_COUNTER, NULL, failed_allocations,
		      "Allocations that failed."),
	PROCESS_COUNT("failed_frees", FAMILY_COUNTER, NULL, failed_frees,
		      "Frees that failed, double frees left out."),
	PROCESS_COUNT("double_frees", FAMILY_COUNTER, NULL, double_frees,
		      "Frees of what was freed before."),
	PROCESS_COUNT("unknown_frees", FAMILY_COUNTER, NULL, unknown_frees,
		      "Frees of what was allocated unseen."),
	{ .column = "cutop_process_calls" },
	{ .column = "cutop_process_launches" },
	{ .column = "cutop_process_graph_launches" },
	{ .column = "cutop_process_peak_bytes" },
};

static void write_column(struct exposition *out, const struct choice *choice,
			 const struct column *column)
{
	const struct family family = {
		column->metric.name,
		column->metric.is_counter ? FAMILY_COUNTER : FAMILY_GAUGE,
		column->unit == UNIT_BYTES ? "bytes" : NULL,
		column->metric.help,
	};

	exposition_family(out, &family);
	for (size_t i = 0; i < choice->count; i++) {
		const struct column_value value = column->value(choice->list[i].process);

		if (value.absent)
			continue;
		process_begin(out, choice->list[i].process);
		sample_count(out, value.count);
	}
}

static bool is_placed(const char *metric)
{
	for (size_t i = 0; i < sizeof(process_counts) / sizeof(process_counts[0]); i++)
		if (process_counts[i].column && !strcmp(process_counts[i].column, metric))
			return true;
	return false;
}

static void write_counts(struct exposition *out, const struct choice *choice)
{
	size_t i, j;

	for (i = 0; i < sizeof(process_counts) / sizeof(process_counts[0]); i++) {
		if (process_counts[i].column) {
			for (j = 0; j < column_count; j++)
				if (columns[j].metric.name &&
				    !strcmp(columns[j].metric.name, process_counts[i].column))
					write_column(out, choice, &columns[j]);
			continue;
		}
		exposition_family(out, &process_counts[i].family);
		for (j = 0; j < choice->count; j++) {
			const struct snap_process *process = choice->list[j].process;

			if (process->unreturned)
				continue;
			process_begin(out, process);
			sample_count(out, *(const uint64_t *)((const char *)process +
							      process_counts[i].offset));
		}
	}
	for (i = 0; i < column_count; i++)
		if (columns[i].metric.name && !is_placed(columns[i].metric.name))
			write_column(out, choice, &columns[i]);
}

static uint64_t runs(const struct snap_process *process)
{
	return !process->exited;
}

static uint64_t lower_bounds(const struct snap_process *process)
{
	return process->from_attach;
}

static uint64_t inexact(const struct snap_process *process)
{
	return process->inexact;
}

static uint64_t unreturned(const struct snap_process *process)
{
	return process->unreturned != UNRETURNED_NOT;
}

static void write_state(struct exposition *out, const struct choice *choice)
{
	static const struct {
		struct family family;
		uint64_t (*value)(const struct snap_process *process);
	} states[] = {
		{ { "cutop_process_running", FAMILY_GAUGE, NULL,
		    "1 as long as it runs, 0 for some minutes after its end." },
		  runs },
		{ { "cutop_process_watched_late", FAMILY_GAUGE, NULL,
		    "1 if it ran before cutop did: its figures are lower bounds." },
		  lower_bounds },
		{ { "cutop_process_inexact", FAMILY_GAUGE, NULL, "1 if something of it was lost." },
		  inexact },
		{ { "cutop_process_no_returns", FAMILY_GAUGE, NULL,
		    "1 if returns of its calls are not probed: allocations, failures and times are not known." },
		  unreturned },
	};
	static const struct family cost = {
		"cutop_process_cost_ratio", FAMILY_GAUGE, NULL,
		"What watching costs it, as a share of its own processor time; an estimate."
	};
	static const struct family started = { "cutop_process_start_time_seconds", FAMILY_GAUGE,
					       "seconds", "When it began, in seconds since 1970." };
	static const struct family waiting = {
		"cutop_process_synchronize_seconds", FAMILY_COUNTER, "seconds",
		"Time in which at least one thread was inside a synchronizing call."
	};
	size_t i, j;

	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		exposition_family(out, &states[i].family);
		for (j = 0; j < choice->count; j++) {
			process_begin(out, choice->list[j].process);
			sample_count(out, states[i].value(choice->list[j].process));
		}
	}
	exposition_family(out, &cost);
	for (j = 0; j < choice->count; j++) {
		if (isnan(choice->list[j].process->cost))
			continue;
		process_begin(out, choice->list[j].process);
		sample_number(out, choice->list[j].process->cost);
	}
	exposition_family(out, &started);
	for (j = 0; j < choice->count; j++) {
		if (!choice->list[j].process->start_time)
			continue;
		process_begin(out, choice->list[j].process);
		sample_number(out, (double)choice->list[j].process->start_time / 1e9);
	}
	exposition_family(out, &waiting);
	for (j = 0; j < choice->count; j++) {
		if (choice->list[j].process->unreturned)
			continue;
		process_begin(out, choice->list[j].process);
		sample_number(out, choice->list[j].process->sync_seconds);
	}
}

/* Recordings of earlier versions do not tell it of any process: then there is no family. */
static void write_time(struct exposition *out, const struct choice *choice)
{
	static const struct family time = {
		"cutop_process_time_seconds", FAMILY_GAUGE, "seconds",
		"Time of all its threads in calls of a kind; in launches it is an estimate from a sample."
	};
	bool any = false;

	for (size_t j = 0; j < choice->count; j++) {
		const struct snap_process *process = choice->list[j].process;

		if (!process->time.is_known)
			continue;
		if (!any)
			exposition_family(out, &time);
		any = true;
		for (size_t i = 0; i < TIME_NONE; i++) {
			process_begin(out, process);
			sample_label(out, "in", time_part_names[i]);
			sample_number(out, process->time.seconds[i]);
		}
	}
}

/* ---- memory ---- */

#define USE_BYTES(name, member, help) \
	{ \
		{ "cutop_process_memory_" name "_bytes", FAMILY_GAUGE, "bytes", help }, \
			offsetof(struct snap_use, member) \
	}

static const struct {
	struct family family;
	size_t offset; /* of a uint64_t */
} use_bytes[] = {
	USE_BYTES("live", live, "VRAM allocated and not freed yet, by device."),
	USE_BYTES("peak", peak, "The most VRAM that was live at once, by device."),
	USE_BYTES("leaked", leaked,
		  "VRAM and managed memory that was live when its owner ended, by device."),
	USE_BYTES("held", held,
		  "VRAM and managed memory that a caching allocator kept to the end, by device."),
	USE_BYTES("suspect", suspect,
		  "VRAM and managed memory at call sites whose floor keeps rising, by device."),
};

static void write_memory(struct exposition *out, const struct choice *choice)
{
	static const struct family kinds = {
		"cutop_process_memory_kind_bytes", FAMILY_GAUGE, "bytes",
		"Memory allocated and not freed yet, by kind; managed, pinned, registered, shared and static memory counts in no total."
	};
	size_t i, j, k;

	for (i = 0; i < sizeof(use_bytes) / sizeof(use_bytes[0]); i++) {
		exposition_family(out, &use_bytes[i].family);
		for (j = 0; j < choice->count; j++) {
			const struct snap_process *process = choice->list[j].process;

			for (k = 0; k < process->use_count; k++) {
				process_begin(out, process);
				sample_label_device(out, "device", process->uses[k].device);
				sample_count(out,
					     *(const uint64_t *)((const char *)&process->uses[k] +
								 use_bytes[i].offset));
			}
		}
	}
	exposition_family(out, &kinds);
	for (j = 0; j < choice->count; j++)
		for (k = 0; k < KIND_COUNT; k++) {
			if (!choice->list[j].process->kinds[k])
				continue;
			process_begin(out, choice->list[j].process);
			sample_label(out, "kind", alloc_kind_names[k]);
			sample_count(out, choice->list[j].process->kinds[k]);
		}
}

static void write_untracked(struct exposition *out, const struct choice *choice)
{
	static const struct family used = { "cutop_process_device_used_bytes", FAMILY_GAUGE,
					    "bytes",
					    "Memory of devices that it uses, as the driver says." };
	static const struct family untracked = {
		"cutop_process_untracked_bytes", FAMILY_GAUGE, "bytes",
		"Memory of devices that it uses beyond the allocations that are known: contexts, code, what was made unseen."
	};
	size_t i;

	exposition_family(out, &used);
	for (i = 0; i < choice->count; i++) {
		if (!choice->list[i].process->has_used)
			continue;
		process_begin(out, choice->list[i].process);
		sample_count(out, choice->list[i].process->used);
	}
	exposition_family(out, &untracked);
	for (i = 0; i < choice->count; i++) {
		if (!choice->list[i].process->has_used)
			continue;
		process_begin(out, choice->list[i].process);
		sample_count(out, choice->list[i].process->untracked);
	}
}

static int leaks_order(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	uint64_t first = a->values[0] + a->values[1], second = b->values[0] + b->values[1];

	return first != second ? (first < second ? 1 : -1) : strcmp(a->name, b->name);
}

/*
 * The call sites of @process that leak most, @max at most, in a new list. Returns how many, or a
 * negative errno.
 */
static ssize_t leaks_collect(const struct snap_process *process, size_t max, struct named **result)
{
	struct named *list = calloc(process->site_count + 1, sizeof(*list));
	size_t i, count = 0;

	*result = list;
	if (!list)
		return -ENOMEM;
	for (i = 0; i < process->site_count; i++) {
		const struct snap_site *site = &process->sites[i];

		if (site->leaked || site->suspect)
			named_set(&list[count++], site->site, 0, site->leaked, site->suspect);
	}
	count = named_merge(list, count);
	if (count)
		qsort(list, count, sizeof(*list), leaks_order);
	return (ssize_t)(count < max ? count : max);
}

static int write_sites(struct exposition *out, const struct choice *choice)
{
	static const struct family families[] = {
		{ "cutop_process_site_leaked_bytes", FAMILY_GAUGE, "bytes",
		  "VRAM and managed memory leaked, by the call sites that leaked most." },
		{ "cutop_process_site_suspect_bytes", FAMILY_GAUGE, "bytes",
		  "VRAM and managed memory at call sites whose floor keeps rising, by the worst of them." },
	};
	struct named *list;
	ssize_t count, i;
	size_t j, k;

	for (k = 0; k < 2 && choice->sites; k++) {
		exposition_family(out, &families[k]);
		for (j = 0; j < choice->count; j++) {
			count = leaks_collect(choice->list[j].process, choice->sites, &list);
			if (count < 0)
				return (int)count;
			for (i = 0; i < count; i++) {
				process_begin(out, choice->list[j].process);
				sample_label(out, "site", list[i].name);
				sample_count(out, list[i].values[k]);
			}
			free(list);
		}
	}
	return 0;
}

/* ---- kernels ---- */

static void write_kernels(struct exposition *out, const struct choice *choice)
{
	static const struct family families[] = {
		{ "cutop_process_kernel_launches", FAMILY_COUNTER, NULL,
		  "Launches by kernel; those launched least as other." },
		{ "cutop_process_kernel_graph_launches", FAMILY_COUNTER, NULL,
		  "Runs by launched graphs, by kernel; those launched least as other." },
	};
	size_t i, j, k;

	for (k = 0; k < 2; k++) {
		exposition_family(out, &families[k]);
		for (j = 0; j < choice->count; j++) {
			const struct shown *shown = &choice->list[j];

			for (i = 0; i < shown->kernel_count; i++) {
				const struct named *kernel = &shown->kernels[i];

				/* Most kernels are in no graph: leave out zeros. */
				if (k && !kernel->values[k])
					continue;
				process_begin(out, shown->process);
				sample_label(out, "kernel", kernel->name);
				sample_label_device(out, "device", kernel->device);
				sample_count(out, kernel->values[k]);
			}
			if (shown->has_other && (!k || shown->other[k])) {
				process_begin(out, shown->process);
				sample_label(out, "kernel", "other");
				sample_count(out, shown->other[k]);
			}
		}
	}
}

/* ---- copies ---- */

static bool same_copies(const struct snap_copy *a, const struct snap_copy *b)
{
	return a->direction == b->direction && a->mode == b->mode && a->device == b->device;
}

/*
 * The sum of @process's copies that have the same labels as the one at @at; false if an earlier one
 * has shown them.
 */
static bool copies_sum(const struct snap_process *process, size_t at, struct snap_copy *sum)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (same_copies(&process->copies[i], &process->copies[at]))
			return false;
	*sum = process->copies[at];
	for (i = at + 1; i < process->copy_count; i++) {
		const struct snap_copy *copy = &process->copies[i];

		if (!same_copies(copy, sum))
			continue;
		sum->calls += copy->calls;
		sum->failures += copy->failures;
		sum->bytes += copy->bytes;
		sum->seconds += copy->seconds;
	}
	return true;
}

enum copy_figure { COPY_CALLS, COPY_FAILURES, COPY_BYTES, COPY_SECONDS, COPY_FIGURES };

static void write_copy(struct exposition *out, const struct snap_copy *copy,
		       enum copy_figure figure)
{
	switch (figure) {
	case COPY_CALLS: sample_count(out, copy->calls); break;
	case COPY_FAILURES: sample_count(out, copy->failures); break;
	case COPY_BYTES: sample_count(out, copy->bytes); break;
	default: sample_number(out, copy->seconds);
	}
}

static void write_copies(struct exposition *out, const struct choice *choice)
{
	static const struct family families[COPY_FIGURES] = {
		[COPY_CALLS] = { "cutop_process_copies", FAMILY_COUNTER, NULL, "Copies." },
		[COPY_FAILURES] = { "cutop_process_copy_failures", FAMILY_COUNTER, NULL,
				    "Copies that failed." },
		[COPY_BYTES] = { "cutop_process_copy_bytes", FAMILY_COUNTER, "bytes",
				 "Bytes copied, or enqueued to be." },
		[COPY_SECONDS] = { "cutop_process_copy_seconds", FAMILY_COUNTER, "seconds",
				   "Time inside the copying calls." },
	};
	struct snap_copy copy;
	unsigned int figure;
	size_t i, j;

	for (figure = 0; figure < COPY_FIGURES; figure++) {
		exposition_family(out, &families[figure]);
		for (j = 0; j < choice->count; j++) {
			const struct snap_process *process = choice->list[j].process;

			for (i = 0; i < process->copy_count; i++) {
				if (process->unreturned && figure != COPY_CALLS &&
				    figure != COPY_BYTES)
					continue; /* unknown */
				if (!copies_sum(process, i, &copy))
					continue;
				process_begin(out, process);
				sample_label(out, "direction",
					     copy_direction_names[copy.direction]);
				sample_label(out, "mode", copy_mode_names[copy.mode]);
				sample_label_device(out, "device", copy.device);
				write_copy(out, &copy, (enum copy_figure)figure);
			}
		}
	}
}

/* ---- failures ---- */

/* By first occurrence: a failure that has a series keeps it. */
static int failure_order(const void *left, const void *right)
{
	const struct snap_failure *a = *(const struct snap_failure *const *)left;
	const struct snap_failure *b = *(const struct snap_failure *const *)right;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->call != b->call)
		return a->call < b->call ? -1 : 1;
	return (a->code > b->code) - (a->code < b->code);
}

/* @failure NULL: the sum of all others. */
static void failure_write(struct exposition *out, const struct snap_process *process,
			  const struct snap_failure *failure, uint64_t count)
{
	process_begin(out, process);
	if (failure)
		sample_label_call(out, failure->call, &failure->extra);
	else
		sample_label(out, "call", "other");
	sample_label(out, "layer", failure ? call_layer_name(call_layer(failure->call)) : "other");
	sample_label(out, "error", failure ? failure->error : "other");
	sample_count(out, count);
}

static int write_failures(struct exposition *out, const struct choice *choice)
{
	static const struct family failures = { "cutop_process_failures", FAMILY_COUNTER, NULL,
						"Calls that failed, by function and error." };
	size_t i, j;

	exposition_family(out, &failures);
	for (j = 0; j < choice->count; j++) {
		const struct snap_process *process = choice->list[j].process;
		const struct snap_failure **list =
			calloc(process->failure_count + 1, sizeof(*list));
		uint64_t other = 0;

		if (!list)
			return -ENOMEM;
		for (i = 0; i < process->failure_count; i++)
			list[i] = &process->failure_list[i];
		if (process->failure_count)
			qsort(list, process->failure_count, sizeof(*list), failure_order);
		for (i = 0; i < process->failure_count; i++) {
			if (i < FAILURES_MAX)
				failure_write(out, process, list[i], list[i]->count);
			else
				other += list[i]->count;
		}
		if (process->failure_count > FAILURES_MAX)
			failure_write(out, process, NULL, other);
		free(list);
	}
	return 0;
}

int processes_write(struct exposition *out, const struct choice *choice)
{
	int err;

	write_state(out, choice);
	write_time(out, choice);
	write_counts(out, choice);
	write_memory(out, choice);
	write_untracked(out, choice);
	err = write_sites(out, choice);
	allocators_write(out, choice);
	write_kernels(out, choice);
	write_copies(out, choice);
	return err ? err : write_failures(out, choice);
}
