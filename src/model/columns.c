/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The column table, sorting, and formatting. A value is a number in its base unit with a mark: '>'
 * for figures of a process that was running before cutop watched it (they are lower bounds), '~' if
 * part of it is only suspected.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/columns.h"
#include "util/utf8.h"
#include "util/util.h"

static struct column_value absent(void)
{
	return (struct column_value){ .absent = true };
}

static struct column_value number(double value)
{
	return isnan(value) ? absent() : (struct column_value){ .number = value };
}

static struct column_value count(uint64_t value)
{
	return (struct column_value){ .number = (double)value, .count = value };
}

/* A figure that misses what happened before cutop watched the process: a lower bound. */
static struct column_value bound(const struct snap_process *process, uint64_t value)
{
	struct column_value result = count(value);

	if (process->is_listed)
		return absent();
	if (process->from_attach)
		result.mark = '>';
	return result;
}

/* The same, for figures of what may have been given up for a time. */
static struct column_value spared(const struct snap_process *process, uint64_t value,
				  unsigned int spares)
{
	struct column_value result = bound(process, value);

	if (process->given_ever & spares)
		result.mark = '>';
	return result;
}

/* The same, for figures that only return probes give. */
static struct column_value returned(const struct snap_process *process, uint64_t value)
{
	return process->unreturned ? absent() : bound(process, value);
}

static struct column_value text(const char *value)
{
	return (struct column_value){ .absent = !value || !*value, .text = value };
}

#define VALUE(name) static struct column_value value_##name(const struct snap_process *process)

/* clang-format off */
VALUE(pid) { return count(process->pid); }
VALUE(user) { return text(process->user); }
VALUE(dev) { return text(process->device_list); }
VALUE(live) { return returned(process, process->live); }
VALUE(peak) { return returned(process, process->peak); }
VALUE(allocs) { return returned(process, process->map_count + process->map_omitted); }
VALUE(launches) { return spared(process, process->launches, 1u << SPARE_LAUNCHES); }
VALUE(graph) { return spared(process, process->graph_launches, 1u << SPARE_LAUNCHES); }
VALUE(graph_rate) { return number(process->graph_launches_per_second); }
VALUE(h2d) { return number(process->copy_rate[DIR_H2D]); }
VALUE(d2h) { return number(process->copy_rate[DIR_D2H]); }
VALUE(d2d) { return number(process->copy_rate[DIR_D2D]); }
VALUE(p2p) { return number(process->copy_rate[DIR_P2P]); }
VALUE(wait) { return number(process->sync_share * 100); }
VALUE(held) { return returned(process, process->held); }
VALUE(tensors) { return process->allocator_count ? returned(process, process->tensors) : absent(); }
VALUE(container) { return text(process->container); }
VALUE(pod) { return text(process->pod); }
VALUE(ns_pid) { return process->ns_pid ? count(process->ns_pid) : absent(); }
VALUE(rank) { return process->rank ? count(process->rank - 1) : absent(); }
VALUE(used) { return process->has_used ? count(process->used) : absent(); }
VALUE(untracked) { return process->has_used ? count(process->untracked) : absent(); }
VALUE(managed) { return returned(process, process->kinds[KIND_MANAGED]); }
VALUE(frees) { return returned(process, process->frees); }
VALUE(kernels) { return spared(process, process->kernel_count, 1u << SPARE_LAUNCHES); }
VALUE(cost) { return number(process->cost * 100); }
VALUE(start) { return count(process->start_time / 1000000000); }
VALUE(state) { return text(process->exited ? "exited" : "running"); }
VALUE(command) { return text(process->command_line ? process->command_line : process->command); }
/* clang-format on */

VALUE(launch_rate)
{
	struct column_value value = number(process->launches_per_second);

	if (process->given_up[SPARE_LAUNCHES] && !value.absent)
		value.mark = '~';
	return value;
}

/* What an allocator does not say is not known. */
VALUE(cache)
{
	return process->has_reserved && process->reserved >= process->tensors ?
		       returned(process, process->reserved - process->tensors) :
		       absent();
}

VALUE(leaked)
{
	struct column_value value = returned(process, process->leaked);

	value.count += process->suspect;
	value.number += (double)process->suspect;
	if (process->suspect)
		value.mark = '~';
	return value;
}

VALUE(suspect)
{
	return process->has_suspect ? returned(process, process->suspect) : absent();
}

VALUE(calls)
{
	struct column_value value =
		spared(process, process->calls, 1u << SPARE_CALLS | 1u << SPARE_LAUNCHES);

	if (process->runtime_late)
		value.mark = '>';
	return value;
}

VALUE(failed)
{
	struct column_value value = returned(process, process->failures);

	if (process->sampled || process->runtime_late ||
	    process->given_ever & (1u << SPARE_CALLS | 1u << SPARE_LAUNCHES))
		value.mark = '>';
	return value;
}

#define COLUMN(id, ...) \
	{ \
		.name = #id, .value = value_##id, __VA_ARGS__ \
	}

/* The order in CSV, in the usual table, and in lists. */
const struct column columns[] = {
	COLUMN(pid, .title = "PID", .help = "process id", .unit = UNIT_ID, .width = 7, .rank = 3,
	       .json = "pid"),
	COLUMN(user, .title = "USER", .help = "owner", .unit = UNIT_TEXT, .width = 8, .rank = 11,
	       .json = "user"),
	COLUMN(dev, .title = "DEV", .help = "devices it uses", .unit = UNIT_TEXT, .width = 3,
	       .right = true, .rank = 16),
	COLUMN(live, .title = "LIVE", .help = "bytes of VRAM allocated and not freed",
	       .unit = UNIT_BYTES, .width = 7, .rank = 2, .json = "memory.live_bytes"),
	COLUMN(peak, .title = "PEAK", .help = "most that was live at once", .unit = UNIT_BYTES,
	       .width = 7, .rank = 15, .json = "memory.peak_bytes",
	       .metric = { "cutop_process_peak_bytes", false,
			   "The most VRAM that was live at once, on all devices together." }),
	COLUMN(tensors, .title = "TENSORS", .help = "bytes that PyTorch or another pool handed out",
	       .unit = UNIT_BYTES, .width = 8, .rank = 4, .is_rare = true,
	       .json = "memory.tensors_bytes",
	       .metric = { "cutop_process_tensors_bytes", false,
			   "What allocators of frameworks have handed out of the VRAM they took." }),
	COLUMN(cache, .title = "CACHE", .help = "bytes that it keeps for later", .unit = UNIT_BYTES,
	       .width = 7, .rank = 5, .is_rare = true, .json = "memory.cache_bytes",
	       .metric = { "cutop_process_cache_bytes", false,
			   "VRAM that allocators of frameworks took and have not handed out." }),
	COLUMN(leaked, .title = "LEAKED", .help = "bytes leaked, and suspected to leak (~)",
	       .unit = UNIT_BYTES, .width = 7, .rank = 6, .tone = TONE_LEAK),
	COLUMN(allocs, .title = "ALLOCS", .help = "allocations of every kind not freed",
	       .unit = UNIT_COUNT, .width = 7, .rank = 14),
	COLUMN(launches, .title = "LAUNCHES", .help = "kernel launches in all", .unit = UNIT_COUNT,
	       .width = 8, .metric = { "cutop_process_launches", true, "Kernel launches." }),
	COLUMN(launch_rate, .title = "LAUNCH/s", .help = "kernel launches per second",
	       .unit = UNIT_PER_SECOND, .width = 8, .rank = 7),
	COLUMN(h2d, .title = "H2D/s", .help = "bytes copied host to device per second",
	       .unit = UNIT_BYTES_PER_SECOND, .width = 6, .rank = 9),
	COLUMN(d2h, .title = "D2H/s", .help = "bytes copied device to host per second",
	       .unit = UNIT_BYTES_PER_SECOND, .width = 6, .rank = 10),
	COLUMN(d2d, .title = "D2D/s", .help = "bytes copied within a device per second",
	       .unit = UNIT_BYTES_PER_SECOND, .width = 6),
	COLUMN(p2p, .title = "P2P/s", .help = "bytes copied between devices per second",
	       .unit = UNIT_BYTES_PER_SECOND, .width = 6),
	COLUMN(wait, .title = "WAIT%", .help = "share of the time a thread waits for the device",
	       .unit = UNIT_PERCENT, .width = 5, .rank = 12),
	COLUMN(failed, .title = "FAILED", .help = "calls that failed", .unit = UNIT_COUNT,
	       .width = 7, .rank = 8, .tone = TONE_FAILURE),
	COLUMN(cost, .title = "COST%", .help = "what being watched costs, of its processor time",
	       .unit = UNIT_PERCENT, .width = 5, .rank = 13, .is_rare = true),
	COLUMN(held, .title = "HELD", .help = "bytes a caching allocator kept until the end",
	       .unit = UNIT_BYTES, .width = 7, .json = "memory.held_bytes"),
	COLUMN(suspect, .title = "SUSPECT", .help = "bytes at call sites whose floor keeps rising",
	       .unit = UNIT_BYTES, .width = 7, .tone = TONE_NOTICE, .json = "memory.suspect_bytes"),
	COLUMN(used, .title = "USED", .help = "bytes of devices' memory in use, as the driver says",
	       .unit = UNIT_BYTES, .width = 7, .json = "memory.used_bytes",
	       .metric = { "cutop_process_device_used_bytes", false,
			   "Memory of devices that it uses, as the driver says." }),
	COLUMN(untracked, .title = "UNTRACKED", .help = "those that are not among the live ones",
	       .unit = UNIT_BYTES, .width = 9, .json = "memory.untracked_bytes",
	       .metric = { "cutop_process_untracked_bytes", false,
			   "Memory of devices that it uses beyond the allocations that are known: contexts, code, what was made unseen." }),
	COLUMN(managed, .title = "MANAGED", .help = "bytes of managed memory not freed",
	       .unit = UNIT_BYTES, .width = 7),
	COLUMN(frees, .title = "FREES", .help = "allocations freed", .unit = UNIT_COUNT, .width = 7,
	       .json = "memory.frees",
	       .metric = { "cutop_process_frees", true, "Frees of known allocations." }),
	COLUMN(graph, .title = "GRAPH", .help = "kernel launches by graphs in all",
	       .unit = UNIT_COUNT, .width = 7,
	       .metric = { "cutop_process_graph_launches", true,
			   "Kernels that launched graphs ran." }),
	COLUMN(graph_rate, .title = "GRAPH/s", .help = "kernel launches by graphs per second",
	       .unit = UNIT_PER_SECOND, .width = 7),
	COLUMN(kernels, .title = "KERNELS", .help = "different kernels launched",
	       .unit = UNIT_COUNT, .width = 7),
	COLUMN(calls, .title = "CALLS", .help = "calls of hooked functions", .unit = UNIT_COUNT,
	       .width = 7, .metric = { "cutop_process_calls", true, "Calls of CUDA functions." }),
	COLUMN(start, .title = "START", .help = "when it started, in seconds since 1970",
	       .unit = UNIT_ID, .width = 10),
	COLUMN(state, .title = "STATE", .help = "running or exited", .unit = UNIT_TEXT, .width = 7,
	       .json = "state"),
	COLUMN(ns_pid, .title = "NSPID", .help = "process id in its own namespace", .unit = UNIT_ID,
	       .width = 7, .json = "ns_pid"),
	COLUMN(rank, .title = "RANK", .help = "its number in the job, as the launcher says",
	       .unit = UNIT_ID, .width = 5, .json = "rank"),
	COLUMN(container, .title = "CONTAINER", .help = "container it runs in", .unit = UNIT_TEXT,
	       .width = 13, .json = "container"),
	COLUMN(pod, .title = "POD", .help = "Kubernetes pod it runs in, by its UID",
	       .unit = UNIT_TEXT, .width = 13, .json = "pod"),
	COLUMN(command, .title = "COMMAND", .help = "program and its arguments", .unit = UNIT_TEXT,
	       .rank = 1),
};

const size_t column_count = sizeof(columns) / sizeof(columns[0]);
_Static_assert(sizeof(columns) / sizeof(columns[0]) <= COLUMNS_MAX,
	       "more columns than COLUMNS_MAX");

bool column_is_left(const struct column *column)
{
	return column->unit == UNIT_TEXT && !column->right;
}

bool column_is_void(const struct column *column, const struct snapshot *snapshot)
{
	size_t i;

	if (!column->is_rare || !snapshot)
		return column->is_rare;
	for (i = 0; i < snapshot->process_count; i++)
		if (!column->value(&snapshot->processes[i]).absent)
			return false;
	return true;
}

static const struct column *find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < column_count; i++)
		if (strlen(columns[i].name) == len && !ascii_ncasecmp(columns[i].name, name, len))
			return &columns[i];
	return NULL;
}

const struct column *column_find(const char *name)
{
	return find(name, strlen(name));
}

int sort_order_parse(struct sort_order *order, const char *list, const char **bad, size_t *bad_len)
{
	struct sort_order parsed = { .reverse = order->reverse };

	for (;;) {
		size_t len = strcspn(list, ",");
		const struct column *column = find(list, len);

		if (!column || parsed.count == SORT_KEYS_MAX) {
			*bad = list;
			*bad_len = len;
			return column ? -E2BIG : -EINVAL;
		}
		parsed.keys[parsed.count++] = column;
		list += len;
		if (!*list)
			break;
		list++;
	}
	*order = parsed;
	return 0;
}

int column_compare(const struct column *column, const struct column_value *a,
		   const struct column_value *b, bool reverse)
{
	int order;

	if (a->absent || b->absent)
		return (int)a->absent - (int)b->absent;
	if (column->unit == UNIT_TEXT)
		order = strcmp(a->text, b->text);
	else
		order = (a->number < b->number) - (a->number > b->number);
	return reverse ? -order : order;
}

static int compare_processes(const void *left, const void *right, void *opaque)
{
	const struct snap_process *a = *(const struct snap_process *const *)left;
	const struct snap_process *b = *(const struct snap_process *const *)right;
	const struct sort_order *order = opaque;
	size_t i;

	for (i = 0; i < order->count; i++) {
		struct column_value x = order->keys[i]->value(a), y = order->keys[i]->value(b);
		int result = column_compare(order->keys[i], &x, &y, order->reverse);

		if (result)
			return result;
	}
	/* No two processes compare equal, so any sort is stable. */
	return snapshot_process_order(a, b);
}

void sort_processes(const struct snap_process **processes, size_t count,
		    const struct sort_order *order)
{
	struct sort_order copy = *order;

	if (count)
		qsort_r(processes, count, sizeof(*processes), compare_processes, &copy);
}

/*
 * Writes @value with one of @suffixes: unchanged if it is below @plain, else divided by @base until
 * it has three digits.
 */
static int format_scaled(double value, double base, double plain, const char *suffixes, char *out,
			 size_t size)
{
	const char *sign = value < 0 ? "-" : "";
	size_t i = 0;

	value = fabs(value);
	if (!isfinite(value))
		return snprintf(out, size, "-");
	if (round(value) < plain)
		return snprintf(out, size, "%s%.0f", sign, value);
	value /= base;
	while (value >= 999.5 && suffixes[i + 1]) {
		value /= base;
		i++;
	}
	return snprintf(out, size, "%s%.*f%c", sign, value < 99.95, value, suffixes[i]);
}

int format_bytes(double bytes, char *out, size_t size)
{
	return format_scaled(bytes, 1024, 1000, "KMGTPE", out, size);
}

struct size_text size_of(double bytes)
{
	struct size_text size;

	format_bytes(bytes, size.text, sizeof(size.text));
	return size;
}

int format_count(double count, char *out, size_t size)
{
	return format_scaled(count, 1000, 10000, "kMGTPE", out, size);
}

const char *format_duration(double seconds, double tenths, char out[24])
{
	static const struct {
		uint64_t seconds, from;
		char unit, rest;
	} units[] = { { 86400, 172800, 'd', 'h' }, { 3600, 3600, 'h', 'm' }, { 60, 60, 'm', 's' } };
	uint64_t whole = (uint64_t)llround(fmax(seconds, 0)), unit, rest;

	if (seconds < tenths) {
		snprintf(out, 24, "%.1fs", seconds);
		return out;
	}
	snprintf(out, 24, "%us", (unsigned int)whole);
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (whole < units[i].from)
			continue;
		unit = units[i].seconds;
		rest = whole % unit / (unit == 86400 ? 3600 : unit / 60);
		snprintf(out, 24, rest ? "%u%c%02u%c" : "%u%c", (unsigned int)(whole / unit),
			 units[i].unit, (unsigned int)rest, units[i].rest);
		break;
	}
	return out;
}

/* Small rates keep a decimal: 0.3 launches per second are not 0. */
static int format_rate(double rate, char *out, size_t size)
{
	if (rate > 0 && rate < 9.95 && fabs(rate - round(rate)) >= 0.05)
		return snprintf(out, size, "%.1f", rate);
	return format_count(rate, out, size);
}

static int format_seconds(double seconds, char *out, size_t size)
{
	if (seconds < 99.95)
		return snprintf(out, size, "%.1fs", seconds);
	return snprintf(out, size, "%.0fs", seconds);
}

int column_format(const struct column *column, const struct column_value *value, bool ascii,
		  char *out, size_t size)
{
	char body[32];

	if (!size)
		return 0;
	if (value->absent) {
		snprintf(out, size, "-");
		return utf8_cells(out);
	}
	if (column->unit == UNIT_TEXT) {
		snprintf(out, size, "%s", value->text);
		return utf8_cells(out);
	}
	switch (column->unit) {
	case UNIT_BYTES:
	case UNIT_BYTES_PER_SECOND: format_bytes(value->number, body, sizeof(body)); break;
	case UNIT_COUNT: format_count(value->number, body, sizeof(body)); break;
	case UNIT_PER_SECOND: format_rate(value->number, body, sizeof(body)); break;
	case UNIT_SECONDS: format_seconds(value->number, body, sizeof(body)); break;
	default: snprintf(body, sizeof(body), "%.0f", value->number);
	}
	snprintf(out, size, "%s%s%s",
		 value->mark == '~'           ? "~" :
		 value->mark == '>' && !ascii ? "\u2265" :
						"",
		 body, value->mark == '>' && ascii ? "+" : "");
	return utf8_cells(out);
}
