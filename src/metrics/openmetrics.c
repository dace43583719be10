/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot as metrics. From top to bottom: the text that a scraper reads, line by line; the choice
 * of what is shown separately; and the families of metrics, most of them from the tables of
 * print/fields.h.
 */
#include "metrics/openmetrics.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/columns.h"
#include "print/fields.h"
#include "print/print.h"
#include "util/saturated.h"
#include "util/sink.h"
#include "util/utf8.h"
#include "util/util.h"

#define RUNNING_MAX 500 /* running processes shown separately: those seen first */
#define EXITED_MAX  100 /* ended processes shown: those that ended last */
/* How long an ended process is shown: five scrapes a minute apart */
#define EXITED_SECONDS 300
#define FAILURES_MAX   50 /* pairs of call and error shown of one process; the rest as one */

/* ---- the text ---- */

enum family_type { FAMILY_GAUGE, FAMILY_COUNTER, FAMILY_HISTOGRAM, FAMILY_INFO };

struct family {
	/* Without _total or _info; ends in the unit, if there is one */
	const char *name;
	enum family_type type;
	const char *help; /* one line */
};

struct exposition {
	struct sink *sink;
	enum exposition_form form;
	struct family family; /* of the next samples */
	char name[128];       /* its name, where that is put together */
	bool told;            /* its HELP and TYPE were written */
	bool labelled;        /* the sample has a label already */
};

/*
 * Room for a label's value before escaping, with its NUL; a longer value is cut between characters.
 */
#define LABEL_SIZE 256

static const char *const type_names[] = {
	[FAMILY_GAUGE] = "gauge",
	[FAMILY_COUNTER] = "counter",
	[FAMILY_HISTOGRAM] = "histogram",
	[FAMILY_INFO] = "info",
};

static const char *const type_suffixes[] = {
	[FAMILY_GAUGE] = "",
	[FAMILY_COUNTER] = "_total",
	[FAMILY_HISTOGRAM] = "",
	[FAMILY_INFO] = "_info",
};

/*
 * The samples up to the next call belong to @family. Its HELP and TYPE are written with its first
 * sample; a family without samples is left out.
 */
static void exposition_family(struct exposition *out, const struct family *family)
{
	out->family = *family;
	out->told = false;
}

/* Likewise, of the metric of @field. @prefix stands before its name. */
static void exposition_field(struct exposition *out, const char *prefix, const struct field *field)
{
	const char *name = field->metric.name ? field->metric.name : field->key;

	snprintf(out->name, sizeof(out->name), "%s%s", prefix, name);
	exposition_family(out, &(struct family){ out->name,
						 field->metric.is_counter ? FAMILY_COUNTER :
									    FAMILY_GAUGE,
						 field->metric.help });
}

/* The unit with which the name ends, or NULL. */
static const char *unit_of(const char *name)
{
	static const char *const units[] = { "bytes", "seconds", "ratio", "celsius", "watts" };
	const char *last = strrchr(name, '_');

	for (size_t i = 0; last && i < ARRAY_LEN(units); i++)
		if (!strcmp(last + 1, units[i]))
			return units[i];
	return NULL;
}

static void tell(struct exposition *out, const char *what, const char *text)
{
	bool suffixed = out->form == EXPOSITION_PROMETHEUS;

	sink_puts(out->sink, "# ");
	sink_puts(out->sink, what);
	sink_puts(out->sink, " ");
	sink_puts(out->sink, out->family.name);
	if (suffixed)
		sink_puts(out->sink, type_suffixes[out->family.type]);
	sink_puts(out->sink, " ");
	sink_puts(out->sink, text);
	sink_puts(out->sink, "\n");
}

static void tell_family(struct exposition *out)
{
	const struct family *family = &out->family;
	const char *unit = unit_of(family->name);

	if (out->told)
		return;
	out->told = true;
	tell(out, "HELP", family->help);
	/* The older format has no info type. */
	if (out->form == EXPOSITION_PROMETHEUS && family->type == FAMILY_INFO)
		tell(out, "TYPE", "gauge");
	else
		tell(out, "TYPE", type_names[family->type]);
	if (out->form == EXPOSITION_OPENMETRICS && unit)
		tell(out, "UNIT", unit);
}

/* Begins a sample. @suffix ("_bucket") is added to the name; NULL: the usual suffix of the type. */
static void sample_begin(struct exposition *out, const char *suffix)
{
	tell_family(out);
	sink_puts(out->sink, out->family.name);
	sink_puts(out->sink, suffix ? suffix : type_suffixes[out->family.type]);
	out->labelled = false;
}

static void label_open(struct exposition *out, const char *name)
{
	sink_puts(out->sink, out->labelled ? "," : "{");
	out->labelled = true;
	sink_puts(out->sink, name);
	sink_puts(out->sink, "=\"");
}

/* Adds a label; none if the text is NULL. Invalid UTF-8 and control characters become '?'. */
static void sample_label(struct exposition *out, const char *name, const char *text)
{
	char clean[LABEL_SIZE];
	const char *c, *special;

	if (!text)
		return;
	label_open(out, name);
	utf8_clean(text, clean, sizeof(clean));
	/* Newlines would have to be escaped as well, but cleaning has removed them. */
	for (c = clean; (special = strpbrk(c, "\"\\")) != NULL; c = special + 1) {
		sink_write(out->sink, c, (size_t)(special - c));
		sink_puts(out->sink, *special == '"' ? "\\\"" : "\\\\");
	}
	sink_puts(out->sink, c);
	sink_puts(out->sink, "\"");
}

static void sample_label_count(struct exposition *out, const char *name, uint64_t count)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, count);
	sample_label(out, name, text);
}

static void sample_label_device(struct exposition *out, const char *name, int device)
{
	if (device < 0)
		sample_label(out, name, "unknown");
	else
		sample_label_count(out, name, (uint64_t)device);
}

static void value(struct exposition *out, const char *text)
{
	sink_puts(out->sink, out->labelled ? "} " : " ");
	sink_puts(out->sink, text);
	sink_puts(out->sink, "\n");
}

/* Ends the sample. */
static void sample_count(struct exposition *out, uint64_t count)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, count);
	value(out, text);
}

static void sample_number(struct exposition *out, double number)
{
	char text[32];

	if (isnan(number))
		snprintf(text, sizeof(text), "NaN");
	else if (isinf(number))
		snprintf(text, sizeof(text), number < 0 ? "-Inf" : "+Inf");
	else
		snprintf(text, sizeof(text), "%.15g", number);
	value(out, text);
}

static void exposition_end(struct exposition *out)
{
	if (out->form == EXPOSITION_OPENMETRICS)
		sink_puts(out->sink, "# EOF\n");
}

/* Ends the sample with the value of @field. */
static void sample_field(struct exposition *out, const struct field *field, const void *item)
{
	if (field->kind == FIELD_COUNT || field->kind == FIELD_BYTES)
		sample_count(out, field_count(field, item));
	else
		sample_number(out, field_number(field, item));
}

/* True if @item of @process (NULL: of none) has a value for @field. */
static bool has_sample(const struct field *field, const void *item,
		       const struct snap_process *process)
{
	return field_is_known(field, item, process) &&
	       (field->kind != FIELD_NUMBER || !isnan(field_number(field, item)));
}

/* ---- the choice ---- */

/*
 * What is shown separately is chosen so that series are few. A pid is a label, so of all programs
 * that had the same pid only the latest is shown. Of a process's kernels those launched most are
 * named; a sum of the others would go down when one of them becomes one of those, as no counter may.
 */

/* The figures of all kernels, or call sites, with one name. */
struct named {
	char name[LABEL_SIZE]; /* as the label shows it */
	int device;
	uint64_t values[2];
};

struct choice {
	const struct snap_process **list; /* ordered by first sight; ended ones last */
	size_t count, omitted;
	const struct metrics_limits *limits;
};

static void named_set(struct named *named, const char *name, int device, uint64_t first,
		      uint64_t second)
{
	utf8_clean(name, named->name, sizeof(named->name));
	named->device = device;
	named->values[0] = first;
	named->values[1] = second;
}

static int named_order(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : (a->device > b->device) - (a->device < b->device);
}

/* Sums up entries with the same name and device, in place. Returns how many are left. */
static size_t named_merge(struct named *list, size_t count)
{
	size_t i, left = 0;

	if (count)
		qsort(list, count, sizeof(*list), named_order);
	for (i = 0; i < count; i++) {
		if (left && !named_order(&list[left - 1], &list[i])) {
			list[left - 1].values[0] += list[i].values[0];
			list[left - 1].values[1] += list[i].values[1];
			continue;
		}
		if (left != i)
			list[left] = list[i];
		left++;
	}
	return left;
}

static int first_seen_order(const void *left, const void *right)
{
	const struct snap_process *a = *(const struct snap_process *const *)left,
				  *b = *(const struct snap_process *const *)right;

	if (a->exited != b->exited)
		return a->exited - b->exited;
	if (a->exited && a->end_time != b->end_time)
		return a->end_time > b->end_time ? -1 : 1; /* the latest first */
	return (a->program > b->program) - (a->program < b->program);
}

static bool is_over(const struct snapshot *snapshot, const struct snap_process *process)
{
	return process->exited &&
	       process->end_time + EXITED_SECONDS * NSEC_PER_SEC < snapshot->time;
}

/* Collects the latest program of each pid, running or ended lately. */
static void processes_collect(struct choice *choice, const struct snapshot *snapshot)
{
	size_t i;

	for (i = 0; i < snapshot->process_count; i++) {
		const struct snap_process *process = &snapshot->processes[i],
					  **last = choice->count ?
							   &choice->list[choice->count - 1] :
							   NULL;

		if (is_over(snapshot, process))
			continue;
		/* Processes are sorted by pid, then by age. */
		if (!last || (*last)->pid != process->pid)
			last = &choice->list[choice->count++];
		else if (!(*last)->exited && process->exited)
			continue;
		*last = process;
	}
}

static void processes_limit(struct choice *choice)
{
	size_t i, left = 0, running = 0, exited = 0;

	if (choice->count)
		qsort(choice->list, choice->count, sizeof(choice->list[0]), first_seen_order);
	for (i = 0; i < choice->count; i++) {
		bool is_exited = choice->list[i]->exited;

		if (is_exited ? exited++ < EXITED_MAX : running++ < RUNNING_MAX)
			choice->list[left++] = choice->list[i];
		else
			choice->omitted += !is_exited;
	}
	choice->count = left;
}

/* ---- cutop ---- */

static void write_self(struct exposition *out, const struct snapshot *snapshot,
		       const struct choice *choice, const char *version)
{
	static const struct family build = { "cutop_build", FAMILY_INFO, "This program." };
	static const struct family probes = {
		"cutop_probes", FAMILY_GAUGE,
		"Functions of the CUDA libraries found: attached, and missing or refused."
	};
	static const struct family stepped = {
		"cutop_probes_single_stepped", FAMILY_GAUGE,
		"Attached functions whose probe the kernel single-steps, which costs some twenty times what others do."
	};
	static const struct family lost = { "cutop_lost", FAMILY_COUNTER,
					    "What could not be recorded, by cause." };
	static const struct family omitted = {
		"cutop_processes_omitted", FAMILY_GAUGE,
		"Running processes that have no series of their own, because there are too many."
	};
	const struct field *field;
	size_t i;

	exposition_family(out, &build);
	sample_begin(out, NULL);
	sample_label(out, "version", version);
	sample_count(out, 1);
	for (field = NULL; (field = metric_after(&self_fields, field)) != NULL;) {
		exposition_field(out, "cutop_", field);
		sample_begin(out, NULL);
		sample_field(out, field, snapshot);
	}
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
static void sample_label_call(struct exposition *out, unsigned int call,
			      const struct snap_extra *extra)
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
			 ldexp(1, (int)i + CUTOP_HIST_SHIFT + 1) / 1e9);
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
	static const struct family duration = {
		"cutop_call_duration_seconds", FAMILY_HISTOGRAM,
		"Time inside calls of CUDA functions, of those that were timed: all but launches, of which a sample is."
	};
	/* Sums over all processes: of some of them, failures are known. */
	static const struct snap_process any = { .unreturned = UNRETURNED_NOT };
	const struct field *field;

	for (field = NULL; (field = metric_after(call_list.fields, field)) != NULL;) {
		exposition_field(out, "cutop_", field);
		for (size_t i = 0; i < snapshot->call_count; i++) {
			if (!has_sample(field, &snapshot->calls[i], &any))
				continue;
			call_begin(out, NULL, &snapshot->calls[i]);
			sample_field(out, field, &snapshot->calls[i]);
		}
	}
	exposition_family(out, &duration);
	for (size_t i = 0; i < snapshot->call_count; i++)
		if (!snapshot->calls[i].untimed)
			write_histogram(out, &snapshot->calls[i]);
}

/* ---- devices ---- */

static void device_begin(struct exposition *out, const struct snap_device *device)
{
	sample_begin(out, NULL);
	sample_label_device(out, "device", device->device);
}

static void instance_begin(struct exposition *out, const struct snap_device *device,
			   const struct snap_instance *instance)
{
	device_begin(out, device);
	sample_label_count(out, "gpu_instance", instance->gpu_instance);
	sample_label_count(out, "compute_instance", instance->compute_instance);
}

/* The parts of divided devices. */
static void write_instances(struct exposition *out, const struct snapshot *snapshot)
{
	static const struct family info = { "cutop_device_instance", FAMILY_INFO,
					    "What a part of a divided device (MIG) is." };
	const struct snap_device *device, *end = snapshot->devices + snapshot->device_count;
	const struct field *field;

	exposition_family(out, &info);
	for (device = snapshot->devices; device < end; device++)
		for (size_t i = 0; i < device->instance_count; i++) {
			instance_begin(out, device, &device->instances[i]);
			sample_label(out, "name", device->instances[i].name);
			sample_label(out, "uuid", device->instances[i].uuid);
			sample_count(out, 1);
		}
	for (field = NULL; (field = metric_after(instance_list.fields, field)) != NULL;) {
		exposition_field(out, "cutop_device_instance_", field);
		for (device = snapshot->devices; device < end; device++)
			for (size_t i = 0; i < device->instance_count; i++) {
				if (!has_sample(field, &device->instances[i], NULL))
					continue;
				instance_begin(out, device, &device->instances[i]);
				sample_field(out, field, &device->instances[i]);
			}
	}
}

static void write_devices(struct exposition *out, const struct snapshot *snapshot)
{
	static const struct family info = { "cutop_device", FAMILY_INFO, "What a device is." };
	const struct snap_device *device, *end = snapshot->devices + snapshot->device_count;
	const struct field *field;

	exposition_family(out, &info);
	for (device = snapshot->devices; device < end; device++) {
		if (!device->name)
			continue;
		device_begin(out, device);
		sample_label(out, "name", device->name);
		sample_label(out, "uuid", device->uuid);
		sample_count(out, 1);
	}
	for (field = NULL; (field = metric_after(device_list.fields, field)) != NULL;) {
		exposition_field(out, "cutop_device_", field);
		for (device = snapshot->devices; device < end; device++) {
			if (!has_sample(field, device, NULL))
				continue;
			device_begin(out, device);
			sample_field(out, field, device);
		}
	}
	write_instances(out, snapshot);
}

/* ---- processes ---- */

/*
 * A family's samples have to stand together, so each function here goes through all processes.
 */

/* Begins a sample of @process with the labels that all of its series have. */
static void process_begin(struct exposition *out, const struct snap_process *process)
{
	sample_begin(out, NULL);
	sample_label_count(out, "pid", process->pid);
	sample_label(out, "command",
		     command_basename(process->label ? process->label : process->command));
	sample_label(out, "user", process->user);
	sample_label(out, "container", process->container);
	sample_label(out, "pod", process->pod);
}

static void write_column(struct exposition *out, const struct choice *choice,
			 const struct column *column)
{
	exposition_family(out, &(struct family){ column->metric.name,
						 column->metric.is_counter ? FAMILY_COUNTER :
									     FAMILY_GAUGE,
						 column->metric.help });
	for (size_t i = 0; i < choice->count; i++) {
		const struct column_value value = column->value(choice->list[i]);

		if (value.absent)
			continue;
		process_begin(out, choice->list[i]);
		sample_count(out, value.count);
	}
}

static void write_figures(struct exposition *out, const struct choice *choice,
			  const struct fields *fields)
{
	const struct field *field;

	for (field = NULL; (field = metric_after(fields, field)) != NULL;) {
		exposition_field(out, "cutop_process_", field);
		for (size_t i = 0; i < choice->count; i++) {
			const struct snap_process *process = choice->list[i];

			if (!has_sample(field, process, process))
				continue;
			process_begin(out, process);
			sample_field(out, field, process);
		}
	}
}

/* Figures of what processes list. @label adds an item's own labels. */
static void write_list(struct exposition *out, const struct choice *choice, const char *prefix,
		       const struct field_list *list,
		       void (*label)(struct exposition *out, const void *item))
{
	const struct field *field;

	for (field = NULL; (field = metric_after(list->fields, field)) != NULL;) {
		exposition_field(out, prefix, field);
		for (size_t i = 0, count; i < choice->count; i++) {
			const struct snap_process *process = choice->list[i];
			const char *item = list_items(list, process, &count);

			for (; count--; item += list->size) {
				if (!has_sample(field, item, process))
					continue;
				process_begin(out, process);
				label(out, item);
				sample_field(out, field, item);
			}
		}
	}
}

static void label_use(struct exposition *out, const void *item)
{
	sample_label_device(out, "device", ((const struct snap_use *)item)->device);
}

static void label_allocator(struct exposition *out, const void *item)
{
	const struct snap_allocator *allocator = item;

	sample_label(out, "allocator", allocator->name);
	sample_label_device(out, "device", allocator->device);
}

/* Recordings of earlier versions do not tell it of any process: then there is no family. */
static void write_time(struct exposition *out, const struct choice *choice)
{
	static const struct family time = {
		"cutop_process_time_seconds", FAMILY_GAUGE,
		"Time of all its threads in calls of a kind; in launches it is an estimate from a sample."
	};
	bool any = false;

	for (size_t j = 0; j < choice->count; j++) {
		const struct snap_process *process = choice->list[j];

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

static void write_kinds(struct exposition *out, const struct choice *choice)
{
	static const struct family kinds = {
		"cutop_process_memory_kind_bytes", FAMILY_GAUGE,
		"Memory allocated and not freed yet, by kind; managed, pinned, registered, shared and static memory counts in no total."
	};
	size_t j, k;

	exposition_family(out, &kinds);
	for (j = 0; j < choice->count; j++)
		for (k = 0; k < KIND_COUNT; k++) {
			if (!choice->list[j]->kinds[k])
				continue;
			process_begin(out, choice->list[j]);
			sample_label(out, "kind", alloc_kind_names[k]);
			sample_count(out, choice->list[j]->kinds[k]);
		}
}

/* The most of both figures together first. */
static int sum_order(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	uint64_t first = add_saturated(a->values[0], a->values[1]),
		 second = add_saturated(b->values[0], b->values[1]);

	return first != second ? (first < second ? 1 : -1) : named_order(a, b);
}

/* By bytes that rise, then by live bytes: most first. */
static int tensors_order(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	for (size_t i = 0; i < 2; i++)
		if (a->values[i] != b->values[i])
			return a->values[i] < b->values[i] ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* What is shown by name of a process, of what is most: two figures of each. */
enum shown { SHOWN_LEAKS, SHOWN_TENSORS, SHOWN_KERNELS };

static const struct shown_desc {
	const char *label;
	int (*order)(const void *left, const void *right);
	struct family families[2];
} shown_descs[] = {
	[SHOWN_LEAKS] = { "site",
			  sum_order,
			  { { "cutop_process_site_leaked_bytes", FAMILY_GAUGE,
			      "VRAM and managed memory leaked, by the call sites that leaked most." },
			    { "cutop_process_site_suspect_bytes", FAMILY_GAUGE,
			      "VRAM and managed memory at call sites whose floor keeps rising, by the worst of them." } } },
	[SHOWN_TENSORS] = { "site",
			    tensors_order,
			    { { "cutop_process_site_tensors_rising_bytes", FAMILY_GAUGE,
				"Bytes of tensors at call sites whose floor keeps rising, by the worst of them." },
			      { "cutop_process_site_tensors_bytes", FAMILY_GAUGE,
				"Bytes of live tensors by call site, of those that rise and of those that hold most." } } },
	[SHOWN_KERNELS] = { "kernel",
			    sum_order,
			    { { "cutop_process_kernel_launches", FAMILY_COUNTER,
				"Launches by kernel, of those launched most." },
			      { "cutop_process_kernel_graph_launches", FAMILY_COUNTER,
				"Runs by launched graphs, by kernel, of those launched most." } } },
};

/* Those of @process, most first, in a new list, which has @count of them; NULL without memory. */
static struct named *shown_list(const struct snap_process *process, enum shown shown, size_t *count)
{
	size_t room = process->site_count + process->block_line_count + process->kernel_count, i,
	       used = 0;
	struct named *list = calloc(room + 1, sizeof(*list));

	if (!list)
		return NULL;
	for (i = 0; shown == SHOWN_LEAKS && i < process->site_count; i++) {
		const struct snap_site *site = &process->sites[i];

		if (site->leaked || site->suspect)
			named_set(&list[used++], site->site, 0, site->leaked, site->suspect);
	}
	for (i = 0; shown == SHOWN_TENSORS && i < process->block_line_count; i++) {
		const struct snap_block_line *line = &process->block_lines[i];
		uint64_t live = process->exited ? 0 : line->live;

		if (line->rising || live)
			named_set(&list[used++], line->site, 0, line->rising, live);
	}
	for (i = 0; shown == SHOWN_KERNELS && i < process->kernel_count; i++)
		named_set(&list[used++], process->kernels[i].name, process->kernels[i].device,
			  process->kernels[i].launches, process->kernels[i].graph_launches);
	*count = named_merge(list, used);
	if (*count)
		qsort(list, *count, sizeof(*list), shown_descs[shown].order);
	return list;
}

static int write_shown(struct exposition *out, const struct choice *choice, enum shown shown)
{
	const struct shown_desc *desc = &shown_descs[shown];
	bool is_kernels = shown == SHOWN_KERNELS;
	size_t most = is_kernels ? choice->limits->kernels : choice->limits->sites, count, i, j, k;
	struct named *list;

	for (k = 0; k < 2 && most; k++) {
		exposition_family(out, &desc->families[k]);
		for (j = 0; j < choice->count; j++) {
			const struct snap_process *process = choice->list[j];

			/* What rises is known later than what is live. */
			if (shown == SHOWN_TENSORS && !k &&
			    !(process->has_suspect && process->tensors_judged))
				continue;
			list = shown_list(process, shown, &count);
			if (!list)
				return -ENOMEM;
			for (i = 0; i < count && i < most; i++) {
				/* Most kernels are in no graph: leave out zeros. */
				if (is_kernels && k && !list[i].values[k])
					continue;
				process_begin(out, process);
				sample_label(out, desc->label, list[i].name);
				if (is_kernels)
					sample_label_device(out, "device", list[i].device);
				sample_count(out, list[i].values[k]);
			}
			free(list);
		}
	}
	return 0;
}

static void label_copy(struct exposition *out, const void *item)
{
	const struct snap_copy *copy = item;

	sample_label(out, "direction", copy_direction_names[copy->direction]);
	sample_label(out, "mode", copy_mode_names[copy->mode]);
	sample_label_device(out, "device", copy->device);
}

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
	static const struct family failures = { "cutop_process_failures", FAMILY_COUNTER,
						"Calls that failed, by function and error." };
	size_t i, j;

	exposition_family(out, &failures);
	for (j = 0; j < choice->count; j++) {
		const struct snap_process *process = choice->list[j];
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

static int write_processes(struct exposition *out, const struct choice *choice)
{
	int err;

	write_figures(out, choice, &process_fields);
	write_time(out, choice);
	write_figures(out, choice, &memory_fields);
	for (size_t i = 0; i < column_count; i++)
		if (columns[i].metric.name)
			write_column(out, choice, &columns[i]);
	write_list(out, choice, "cutop_process_memory_", &use_list, label_use);
	write_kinds(out, choice);
	err = write_shown(out, choice, SHOWN_LEAKS);
	write_list(out, choice, "cutop_process_allocator_", &allocator_list, label_allocator);
	err = err ? err : write_shown(out, choice, SHOWN_TENSORS);
	err = err ? err : write_shown(out, choice, SHOWN_KERNELS);
	write_list(out, choice, "cutop_process_", &copy_list, label_copy);
	return err ? err : write_failures(out, choice);
}

/* ---- the whole ---- */

int openmetrics_write(FILE *stream, const struct snapshot *snapshot,
		      const struct metrics_limits *limits, const char *version,
		      enum exposition_form form)
{
	struct sink sink;
	struct exposition out = { .sink = &sink, .form = form };
	struct choice choice = { .limits = limits };
	int err;

	choice.list = calloc(snapshot->process_count + 1, sizeof(const struct snap_process *));
	err = choice.list ? sink_open(&sink, stream) : -ENOMEM;
	if (err)
		goto out;
	processes_collect(&choice, snapshot);
	processes_limit(&choice);
	write_self(&out, snapshot, &choice, version);
	write_calls(&out, snapshot);
	write_devices(&out, snapshot);
	if (write_processes(&out, &choice))
		sink.error = sink.error ? sink.error : -ENOMEM;
	exposition_end(&out);
	err = sink_close(&sink);
out:
	free(choice.list);
	return err;
}

static int out_openmetrics(FILE *stream, const struct snapshot *snapshot,
			   struct out_options *options)
{
	return openmetrics_write(stream, snapshot, &options->limits, options->version,
				 EXPOSITION_OPENMETRICS);
}

static int out_prometheus(FILE *stream, const struct snapshot *snapshot,
			  struct out_options *options)
{
	return openmetrics_write(stream, snapshot, &options->limits, options->version,
				 EXPOSITION_PROMETHEUS);
}

const struct print_format print_format_openmetrics = {
	.format = FORMAT_OPENMETRICS,
	.is_metrics = true,
	.print = out_openmetrics,
};
const struct print_format print_format_prometheus = {
	.format = FORMAT_PROMETHEUS,
	.is_metrics = true,
	.print = out_prometheus,
};
