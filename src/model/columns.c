/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The column table, sorting by it, and how its values are written.
 *
 * A value is a number in its base unit with a mark: '>' for the figures of a
 * process that was watched only since cutop attached (they are lower bounds),
 * '~' where part of it is suspected only.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/columns.h"
#include "util/utf8.h"

static struct column_value absent(void)
{
	return (struct column_value){ .absent = true };
}

static struct column_value number(double value)
{
	return isnan(value) ? absent() : (struct column_value){ .number = value };
}

/* A figure that only grew since we looked, or misses what was there before. */
static struct column_value bound(const struct snap_process *process, double value)
{
	struct column_value result = number(value);

	if (!result.absent && process->from_attach)
		result.mark = '>';
	return result;
}

/* The same, of what only returns tell. */
static struct column_value returned(const struct snap_process *process, double value)
{
	return process->unreturned ? absent() : bound(process, value);
}

static struct column_value text(const char *value)
{
	if (!value || !*value)
		return absent();
	return (struct column_value){ .text = value };
}

#define VALUE(name) static struct column_value value_##name(const struct snap_process *process)

VALUE(pid) { return number(process->pid); }
VALUE(user) { return text(process->user); }
VALUE(dev) { return text(process->device_list); }
VALUE(live) { return returned(process, (double)process->live); }
VALUE(peak) { return returned(process, (double)process->peak); }
VALUE(allocs) { return returned(process, (double)process->map_count + (double)process->map_omitted); }
VALUE(launches) { return bound(process, (double)process->launches); }
VALUE(launch_rate) { return number(process->launches_per_second); }
VALUE(graph) { return bound(process, (double)process->graph_launches); }
VALUE(graph_rate) { return number(process->graph_launches_per_second); }
VALUE(h2d) { return number(process->copy_rate[DIR_H2D]); }
VALUE(d2h) { return number(process->copy_rate[DIR_D2H]); }
VALUE(d2d) { return number(process->copy_rate[DIR_D2D]); }
VALUE(p2p) { return number(process->copy_rate[DIR_P2P]); }
VALUE(wait) { return number(process->sync_share * 100); }
VALUE(held) { return returned(process, (double)process->held); }
VALUE(container) { return text(process->container); }
VALUE(pod) { return text(process->pod); }
VALUE(ns_pid) { return process->ns_pid ? number(process->ns_pid) : absent(); }
VALUE(used) { return process->has_used ? number((double)process->used) : absent(); }
VALUE(untracked) { return process->has_used ? number((double)process->untracked) : absent(); }
VALUE(managed) { return returned(process, (double)process->kinds[KIND_MANAGED]); }
VALUE(frees) { return returned(process, (double)process->frees); }
VALUE(kernels) { return bound(process, (double)process->kernel_count); }
VALUE(calls) { return bound(process, (double)process->calls); }
VALUE(start) { return number(floor((double)process->start_time / 1e9)); }
VALUE(state) { return text(process->exited ? "exited" : "running"); }
VALUE(command) { return text(process->command_line ? process->command_line : process->command); }

VALUE(leaked)
{
	struct column_value value = returned(process, (double)process->leaked + (double)process->suspect);

	if (process->suspect)
		value.mark = '~';
	return value;
}

VALUE(suspect)
{
	return process->has_suspect ? returned(process, (double)process->suspect) : absent();
}

VALUE(failed)
{
	struct column_value value = returned(process, (double)process->failures);

	if (process->sampled)
		value.mark = '>';
	return value;
}

const struct column columns[] = {
	{ "pid", "PID", "process id", UNIT_ID, 7, value_pid },
	{ "user", "USER", "owner", UNIT_TEXT, 8, value_user },
	{ "dev", "DEV", "devices it uses", UNIT_TEXT, 3, value_dev },
	{ "live", "LIVE", "bytes of VRAM allocated and not freed", UNIT_BYTES, 7, value_live },
	{ "peak", "PEAK", "most that was live at once", UNIT_BYTES, 7, value_peak },
	{ "leaked", "LEAKED", "bytes leaked, and suspected to leak (~)", UNIT_BYTES, 7, value_leaked },
	{ "allocs", "ALLOCS", "allocations of every kind not freed", UNIT_COUNT, 7, value_allocs },
	{ "launches", "LAUNCHES", "kernel launches in all", UNIT_COUNT, 8, value_launches },
	{ "launch_rate", "LAUNCH/s", "kernel launches per second", UNIT_PER_SECOND, 8, value_launch_rate },
	{ "h2d", "H2D/s", "bytes copied host to device per second", UNIT_BYTES_PER_SECOND, 6, value_h2d },
	{ "d2h", "D2H/s", "bytes copied device to host per second", UNIT_BYTES_PER_SECOND, 6, value_d2h },
	{ "d2d", "D2D/s", "bytes copied within a device per second", UNIT_BYTES_PER_SECOND, 6, value_d2d },
	{ "p2p", "P2P/s", "bytes copied between devices per second", UNIT_BYTES_PER_SECOND, 6, value_p2p },
	{ "wait", "WAIT%", "share of the time a thread waits for the device", UNIT_PERCENT, 5, value_wait },
	{ "failed", "FAILED", "calls that failed", UNIT_COUNT, 7, value_failed },
	{ "held", "HELD", "bytes a caching allocator kept until the end", UNIT_BYTES, 7, value_held },
	{ "suspect", "SUSPECT", "bytes at call sites whose floor keeps rising", UNIT_BYTES, 7, value_suspect },
	{ "used", "USED", "bytes of devices' memory in use, as the driver says", UNIT_BYTES, 7, value_used },
	{ "untracked", "UNTRACKED", "those that are not among the live ones", UNIT_BYTES, 9, value_untracked },
	{ "managed", "MANAGED", "bytes of managed memory not freed", UNIT_BYTES, 7, value_managed },
	{ "frees", "FREES", "allocations freed", UNIT_COUNT, 7, value_frees },
	{ "graph", "GRAPH", "kernel launches by graphs in all", UNIT_COUNT, 7, value_graph },
	{ "graph_rate", "GRAPH/s", "kernel launches by graphs per second", UNIT_PER_SECOND, 7, value_graph_rate },
	{ "kernels", "KERNELS", "different kernels launched", UNIT_COUNT, 7, value_kernels },
	{ "calls", "CALLS", "calls of hooked functions", UNIT_COUNT, 7, value_calls },
	{ "start", "START", "when it started, in seconds since 1970", UNIT_ID, 10, value_start },
	{ "state", "STATE", "running or exited", UNIT_TEXT, 7, value_state },
	{ "ns_pid", "NSPID", "process id in its own namespace", UNIT_ID, 7, value_ns_pid },
	{ "container", "CONTAINER", "container it runs in", UNIT_TEXT, 13, value_container },
	{ "pod", "POD", "Kubernetes pod it runs in, by its UID", UNIT_TEXT, 13, value_pod },
	{ "command", "COMMAND", "program and its arguments", UNIT_TEXT, 0, value_command },
};

const size_t column_count = sizeof(columns) / sizeof(columns[0]);

static const struct column *find(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < column_count; i++)
		if (strlen(columns[i].name) == len && !strncasecmp(columns[i].name, name, len))
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

int column_compare(const struct column *column, const struct column_value *a, const struct column_value *b, bool reverse)
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
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->start_time != b->start_time)
		return a->start_time < b->start_time ? -1 : 1;
	/* No two are equal, so that any sort is a stable one. */
	return (a->image > b->image) - (a->image < b->image);
}

void sort_processes(const struct snap_process **processes, size_t count, const struct sort_order *order)
{
	struct sort_order copy = *order;

	if (count)
		qsort_r(processes, count, sizeof(*processes), compare_processes, &copy);
}

/* Writes @value with one of @suffixes: below @plain as it is, else divided by @base until three digits do. */
static int format_scaled(double value, double base, double plain, const char *suffixes, char *out, size_t size)
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

int format_count(double count, char *out, size_t size)
{
	return format_scaled(count, 1000, 10000, "kMGTPE", out, size);
}

/* Small rates say more with a decimal: 0.3 launches per second are not none. */
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

int column_format(const struct column *column, const struct column_value *value, bool ascii, char *out, size_t size)
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
	case UNIT_BYTES_PER_SECOND:
		format_bytes(value->number, body, sizeof(body));
		break;
	case UNIT_COUNT:
		format_count(value->number, body, sizeof(body));
		break;
	case UNIT_PER_SECOND:
		format_rate(value->number, body, sizeof(body));
		break;
	case UNIT_SECONDS:
		format_seconds(value->number, body, sizeof(body));
		break;
	default:
		snprintf(body, sizeof(body), "%.0f", value->number);
	}
	snprintf(out, size, "%s%s", value->mark == '~' ? "~" : value->mark != '>' ? "" : ascii ? ">" : "\u2265", body);
	return utf8_cells(out);
}
