/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot as text, like top's batch mode: three summary lines, the process table, then details
 * of each active process (text_process.c), and an empty line. The table's columns come from the
 * column table. Every column ends at a fixed cell; a value too wide for its column takes from the
 * blanks of the next, so that one long number does not shift the rest of its row.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "cuda/calls.h"
#include "print/text.h"
#include "util/util.h"

/* ---- words and numbers that the text printers share ---- */

const char *at_least(bool lower_bound)
{
	return lower_bound ? "≥" : "";
}

const char *text_bytes(double bytes, char out[NUMBER_SIZE])
{
	if (!isfinite(bytes))
		return strcpy(out, "-");
	format_bytes(bytes, out, NUMBER_SIZE);
	return out;
}

const char *text_count(double count, char out[NUMBER_SIZE])
{
	if (!isfinite(count))
		return strcpy(out, "-");
	format_count(count, out, NUMBER_SIZE);
	return out;
}

const char *text_seconds(double seconds, char out[NUMBER_SIZE])
{
	static const char *const units[] = { "ns", "µs", "ms", "s" };
	double value = seconds * 1e9;
	size_t unit = 0;

	if (!isfinite(seconds))
		return strcpy(out, "-");
	/* compare the rounded value: 999.7 ns are 1.0 µs */
	for (; unit < 3 && value >= 999.5; unit++)
		value /= 1e3;
	snprintf(out, NUMBER_SIZE, value < 9.95 && unit ? "%.1f%s" : "%.0f%s", value, units[unit]);
	return out;
}

const char *text_remark(const struct snap_process *process, char out[NUMBER_SIZE])
{
	const char *more = process->inexact ? ", inexact" : "";
	int status = process->exit_code;

	if (!process->exited) {
		bool is_spared = snapshot_is_spared(process);

		return strcpy(out, process->inexact && is_spared ? " (inexact, less is watched)" :
				   process->inexact              ? " (inexact)" :
				   is_spared                     ? " (less is watched)" :
								   "");
	}
	if (process->end_is_guess)
		snprintf(out, NUMBER_SIZE, " (ended%s)", more);
	else if (process->end_reason == END_EXEC)
		snprintf(out, NUMBER_SIZE, " (exec%s)", more);
	else if (WIFSIGNALED(status) && signal_name(WTERMSIG(status)))
		snprintf(out, NUMBER_SIZE, " (killed by %s%s)", signal_name(WTERMSIG(status)),
			 more);
	else if (WIFSIGNALED(status))
		snprintf(out, NUMBER_SIZE, " (killed by signal %d%s)", WTERMSIG(status), more);
	else
		snprintf(out, NUMBER_SIZE, " (exited %d%s)", WEXITSTATUS(status), more);
	return out;
}

void text_head(struct line *line, const struct snap_process *process)
{
	char remark[NUMBER_SIZE];

	line_style(line, STYLE_HEAD);
	line_format(line, "%" PRIu32 " ", process->pid);
	line_text(line, process->command_line ? process->command_line : process->command);
	line_text(line, text_remark(process, remark));
}

bool text_unseen(const struct snapshot *snapshot, enum unseen_cause cause, char out[UNSEEN_SIZE])
{
	const struct snap_unseen *unseen = &snapshot->unseen[cause];
	const char *plural = unseen->total == 1 ? "" : "s";

	*out = 0;
	if (!unseen->total)
		return false;
	switch (cause) {
	case UNSEEN_DRIVER:
		snprintf(
			out, UNSEEN_SIZE,
			"process %" PRIu32
			" (%s) allocated by the driver's functions, and only the runtime's are "
			"watched: --layer both shows it, or, where the kernel cannot do that, --layer driver",
			unseen->pid, unseen->comm);
		break;
	case UNSEEN_LATE:
		snprintf(
			out, UNSEEN_SIZE,
			"a program ran or loaded a CUDA library before it was probed; --library names it, or the "
			"program, ahead");
		break;
	case UNSEEN_ALLOC:
	case UNSEEN_FREE:
		snprintf(
			out, UNSEEN_SIZE,
			"%" PRIu64
			" function%s that %s%s could not be probed, or w%s left out%s; cutop doctor names them",
			unseen->total, plural, cause == UNSEEN_ALLOC ? "allocate" : "free",
			*plural ? "" : "s", *plural ? "ere" : "as",
			cause == UNSEEN_FREE ? ": what leaked may have been freed" : "");
		break;
	case UNSEEN_LAYER:
		snprintf(
			out, UNSEEN_SIZE,
			"the driver's calls are not watched, so what programs allocate by them is not known: --layer both "
			"watches them, --fail-on-leak notices them");
		break;
	default: return false;
	}
	return true;
}

const struct snap_process **sorted_processes(const struct snapshot *snapshot,
					     const struct sort_order *order)
{
	size_t count = snapshot->process_count;
	const struct snap_process **processes = calloc(count ? count : 1, sizeof(*processes));

	if (!processes)
		return NULL;
	for (size_t i = 0; i < count; i++)
		processes[i] = &snapshot->processes[i];
	sort_processes(processes, count, order);
	return processes;
}

/* ---- the process table ---- */

#define TABLE_MAX (COLUMNS_MAX + SORT_KEYS_MAX)

struct table {
	const struct column *columns[TABLE_MAX];
	size_t count;
	const struct sort_order *order;
};

static bool table_has(const struct table *table, const struct column *column)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->columns[i] == column)
			return true;
	return false;
}

static void table_add(struct table *table, const struct column *column)
{
	if (column && table->count < TABLE_MAX && !table_has(table, column))
		table->columns[table->count++] = column;
}

static bool is_sorted_by(const struct table *table, const struct column *column)
{
	for (size_t i = 0; i < table->order->count; i++)
		if (table->order->keys[i] == column)
			return true;
	return false;
}

static void table_drop(struct table *table, const struct column *column)
{
	size_t i, kept = 0;

	for (i = 0; i < table->count; i++)
		if (table->columns[i] != column)
			table->columns[kept++] = table->columns[i];
	table->count = kept;
}

/*
 * The column to drop first if the line is too short for all, as on the screen; NULL: none may be
 * dropped.
 */
static const struct column *table_least(const struct table *table)
{
	const struct column *least = NULL;

	for (size_t i = 0; i < table->count; i++) {
		const struct column *column = table->columns[i];

		/* The columns that say which process it is always stay. */
		if (column->unit != UNIT_ID && column->width && !is_sorted_by(table, column) &&
		    (!least || column->rank > least->rank))
			least = column;
	}
	return least;
}

/*
 * Drops columns until a command has some room in @width cells: a row without the command says
 * little.
 */
static void table_narrow(struct table *table, int width)
{
	int least = width < 60 || width >= 100 ? 8 : 14;

	for (const struct column *next; width && (next = table_least(table));
	     table_drop(table, next)) {
		int start = 0;

		for (size_t i = 0; i + 1 < table->count; i++)
			start += table->columns[i]->width + 1;
		if (start + least <= width)
			break;
	}
}

/*
 * The usual columns; the sort columns are added before COMMAND if they are missing: an order by a
 * hidden column looks like none.
 */
static void table_init(struct table *table, const struct snapshot *snapshot,
		       const struct sort_order *order, int width)
{
	const struct column *last = NULL;

	table->count = 0;
	table->order = order;
	for (size_t i = 0; i < column_count; i++) {
		if (!columns[i].width)
			last = &columns[i];
		else if (columns[i].rank && !column_is_void(&columns[i], snapshot))
			table_add(table, &columns[i]);
	}
	for (size_t i = 0; i < order->count; i++)
		if (order->keys[i] != last)
			table_add(table, order->keys[i]);
	table_add(table, last);
	table_narrow(table, width);
}

static void print_titles(struct line *line, const struct table *table)
{
	const struct sort_order *order = table->order;
	int start = 0;

	line_style(line, STYLE_HEAD);
	for (size_t i = 0; i < table->count; i++) {
		const struct column *column = table->columns[i];
		const char *arrow = "";
		char title[64];

		if (order->count && column == order->keys[0])
			arrow = (column->unit == UNIT_TEXT) == order->reverse ? "▼" : "▲";
		snprintf(title, sizeof(title), "%s%s", column->title, arrow);
		if (column_is_left(column)) {
			line_to(line, start);
			line_text(line, title);
		} else {
			line_right(line, start + column->width, title);
		}
		start += column->width + 1;
	}
	line_end(line);
}

static enum line_style value_style(const struct column *column, const struct column_value *value)
{
	if (value->absent || column->unit == UNIT_TEXT || !(value->number > 0))
		return STYLE_PLAIN;
	switch (column->tone) {
	case TONE_LEAK: return STYLE_LEAKED;
	case TONE_FAILURE: return STYLE_FAILED;
	default: return STYLE_PLAIN;
	}
}

static void print_row(struct line *line, const struct table *table,
		      const struct snap_process *process)
{
	char text[256];
	int start = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct column *column = table->columns[i];
		const struct column_value value = column->value(process);
		bool whole = column->unit == UNIT_TEXT && !value.absent && value.text;

		if (!whole)
			column_format(column, &value, line->ascii, text, sizeof(text));
		if (!column_is_left(column)) {
			line_style(line, value_style(column, &value));
			line_right(line, start + column->width, whole ? value.text : text);
			line_style(line, STYLE_PLAIN);
		} else {
			line_to(line, start);
			if (column->width)
				line_cut(line, whole ? value.text : text, column->width);
			else
				line_text(line, whole ? value.text : text);
		}
		start += column->width + 1;
	}
	line_text(line, text_remark(process, text));
	line_end(line);
}

/* ---- the summary ---- */

static void print_lost(struct line *line, const struct snapshot *snapshot)
{
	uint64_t total = 0;
	const char *before = " (";

	for (size_t i = 0; i < LOST_COUNT; i++)
		total += snapshot->lost[i];
	if (total)
		line_style(line, STYLE_FAILED);
	line_format(line, "lost %" PRIu64, total);
	for (size_t i = 0; i < LOST_COUNT; i++) {
		if (!snapshot->lost[i])
			continue;
		line_format(line, "%s%s %" PRIu64, before, lost_cause_names[i], snapshot->lost[i]);
		before = ", ";
	}
	if (total)
		line_text(line, ")");
	line_style(line, STYLE_PLAIN);
}

/* cutop  3 processes  probes 214/214  lost 0  self 0.4% 2.1M  14:03:22  1.0s */
static void print_self(struct line *line, const struct snapshot *snapshot)
{
	time_t seconds = (time_t)(snapshot->time / 1000000000u);
	char text[NUMBER_SIZE];
	struct tm tm;

	line_style(line, STYLE_HEAD);
	line_text(line, "cutop");
	line_style(line, STYLE_PLAIN);
	line_format(line, "  %zu process%s  ", snapshot->process_count,
		    snapshot->process_count == 1 ? "" : "es");
	if (snapshot->gone.processes)
		line_format(line, "(%zu ended before them)  ", snapshot->gone.processes);
	line_format(line, "probes %u/%u  ", snapshot->attached,
		    snapshot->attached + snapshot->missing);
	print_lost(line, snapshot);
	line_text(line, "  self ");
	if (snapshot->elapsed_seconds > 0)
		line_format(line, "%.1f%% ",
			    100 * snapshot->self_cpu_seconds / snapshot->elapsed_seconds);
	line_text(line, text_bytes((double)snapshot->self_resident_bytes, text));
	if (localtime_r(&seconds, &tm) && strftime(text, sizeof(text), "  %H:%M:%S", &tm))
		line_text(line, text);
	if (snapshot->is_whole)
		line_format(line, "  whole run, %s",
			    text_seconds(snapshot->interval_seconds, text));
	else if (isfinite(snapshot->interval_seconds))
		line_format(line, "  %.1fs", snapshot->interval_seconds);
	line_end(line);
}

/* A total with its rate, where there is one: "launches 2000 (48.2k/s)". */
static void print_total(struct line *line, const char *word, uint64_t total, double rate,
			bool lower_bound)
{
	char text[NUMBER_SIZE];

	line_format(line, "  %s %s%s", word, at_least(lower_bound),
		    text_count((double)total, text));
	if (isfinite(rate))
		line_format(line, " (%s/s)", text_count(rate, text));
}

/* VRAM  18.4G live  513M leaked  launches 2.1M (48.2k/s)  failed 12 (3/s)  waiting 61% */
static void print_totals(struct line *line, const struct snapshot *snapshot)
{
	bool from_attach = false, sampled = false, spared = false;
	char text[NUMBER_SIZE];
	double suspect = (double)snapshot->gone.suspect;
	bool bound;

	for (size_t i = 0; i < snapshot->process_count; i++) {
		const struct snap_process *process = &snapshot->processes[i];

		from_attach |= process->from_attach;
		sampled |= process->sampled || process->runtime_late;
		spared |= process->given_ever & 1u << SPARE_LAUNCHES;
		if (process->has_suspect)
			suspect += (double)process->suspect;
	}
	line_style(line, STYLE_HEAD);
	line_text(line, "VRAM");
	line_style(line, STYLE_PLAIN);
	line_format(line, "  %s%s live  ", at_least(from_attach),
		    text_bytes((double)snapshot->live, text));
	if (snapshot->leaked || suspect > 0)
		line_style(line, STYLE_LEAKED);
	text_bytes((double)snapshot->leaked + suspect, text);
	line_format(line, "%s%s leaked", suspect > 0 ? "~" : "", text);
	line_style(line, STYLE_PLAIN);
	/*
	 * The memory of processes that are gone is gone as well; their launches and failures still
	 * count.
	 */
	bound = from_attach || spared || snapshot->gone.from_attach;
	print_total(line, "launches", snapshot->launches, snapshot->launches_per_second, bound);
	if (snapshot->graph_launches)
		print_total(line, "by graphs", snapshot->graph_launches,
			    snapshot->graph_launches_per_second, bound);
	if (snapshot->failures)
		line_style(line, STYLE_FAILED);
	print_total(line, "failed", snapshot->failures, snapshot->failures_per_second,
		    bound || sampled || snapshot->gone.sampled);
	line_style(line, STYLE_PLAIN);
	if (isfinite(snapshot->sync_share))
		line_format(line, "  waiting %.0f%%", 100 * snapshot->sync_share);
	else
		line_text(line, "  waiting -");
	line_end(line);
}

/*
 * H2D 3.2G/s  D2H 840M/s  D2D 12G/s  P2P -
 * H2H and unknown are shown only if there were such copies.
 */
static void print_copies(struct line *line, const struct snapshot *snapshot)
{
	static const uint8_t order[DIR_COUNT] = { DIR_H2D, DIR_D2H, DIR_D2D,
						  DIR_P2P, DIR_H2H, DIR_UNKNOWN };
	char text[NUMBER_SIZE];

	for (size_t i = 0; i < DIR_COUNT; i++) {
		unsigned int direction = order[i];
		double rate = snapshot->copy_rate[direction];
		uint64_t bytes = 0;

		for (size_t j = 0; j < snapshot->process_count; j++)
			bytes += snapshot->processes[j].copy_bytes[direction];
		if (!bytes && (direction == DIR_H2H || direction == DIR_UNKNOWN))
			continue;
		line_text(line, i ? "  " : "");
		line_style(line, STYLE_HEAD);
		line_text(line, copy_direction_names[direction]);
		line_style(line, STYLE_PLAIN);
		if (bytes && isfinite(rate))
			line_format(line, " %s/s", text_bytes(rate, text));
		else
			line_text(line, " –");
	}
	line_end(line);
}

/* "  18.6G of 80.0G used  6.5G untracked" */
static void print_used(struct line *line, uint64_t used, uint64_t total, uint64_t tracked)
{
	char text[NUMBER_SIZE];

	line_format(line, "  %s of ", text_bytes((double)used, text));
	line_format(line, "%s used", text_bytes((double)total, text));
	line_format(line, "  %s untracked",
		    text_bytes(used > tracked ? (double)(used - tracked) : 0, text));
}

/* "  ≥18.6G of 119G used": of unified memory */
static void print_least(struct line *line, uint64_t used, uint64_t total)
{
	char text[NUMBER_SIZE];

	line_format(line, "  ≥%s of ", text_bytes((double)used, text));
	line_format(line, "%s used", text_bytes((double)total, text));
}

/* GPU 0:3  MIG 1g.10gb  3.0G of 9.5G used  512M untracked */
static void print_instances(struct line *line, const struct snap_device *device)
{
	char number[INSTANCE_TEXT];

	for (size_t i = 0; i < device->instance_count; i++) {
		const struct snap_instance *instance = &device->instances[i];

		line_style(line, STYLE_HEAD);
		line_format(line, "GPU %s", snapshot_instance(device, instance, number));
		line_style(line, STYLE_PLAIN);
		line_format(line, "  MIG %s", instance->name ? instance->name : "-");
		if (instance->has_used)
			print_used(line, instance->used, instance->total, instance->tracked);
		line_end(line);
	}
}

/*
 * GPU 0  NVIDIA H100  18.6G of 80.0G used  6.5G untracked  97%  64C  412W
 * These are the driver's figures, if there are any.
 */
static void print_devices(struct line *line, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->device_count; i++) {
		const struct snap_device *device = &snapshot->devices[i];

		if (!device->name && !device->has_used)
			continue;
		line_style(line, STYLE_HEAD);
		line_format(line, "GPU %d", device->device);
		line_style(line, STYLE_PLAIN);
		line_text(line, "  ");
		line_text(line, device->name ? device->name : "-");
		if (device->has_used)
			print_used(line, device->used, device->total, device->tracked);
		else if (device->total)
			print_least(line, device_used_least(device), device->total);
		if (isfinite(device->utilization))
			line_format(line, "  %.0f%%", 100 * device->utilization);
		if (isfinite(device->temperature))
			line_format(line, "  %.0fC", device->temperature);
		if (isfinite(device->power))
			line_format(line, "  %.0fW", device->power);
		line_end(line);
		print_instances(line, device);
	}
}

/*
 * The time from which on things are new to the reader; 0: everything is. Not every snapshot is
 * printed.
 */
static uint64_t told_until(const struct snapshot *snapshot, const struct out_options *options)
{
	uint64_t interval;

	if (options->tells_on)
		return options->told_time;
	if (!isfinite(snapshot->interval_seconds))
		return 0;
	interval = (uint64_t)(snapshot->interval_seconds * 1e9);
	return interval < snapshot->time ? snapshot->time - interval : 0;
}

/* What is wrong, in a sentence each. */
static void print_findings(struct line *line, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->finding_count; i++) {
		const struct snap_finding *finding = &snapshot->findings[i];

		line_style(line, STYLE_HEAD);
		if (finding->command)
			line_format(line, "! %s (%" PRIu32 ") ", command_basename(finding->command),
				    finding->pid);
		else
			line_format(line, "! GPU %d: ", finding->device);
		line_style(line, STYLE_PLAIN);
		line_text(line, finding->text);
		line_end(line);
	}
	if (snapshot->findings_omitted) {
		line_format(line, "! and %zu more", snapshot->findings_omitted);
		line_end(line);
	}
}

int out_text(FILE *stream, const struct snapshot *snapshot, struct out_options *options)
{
	uint64_t since = told_until(snapshot, options);
	const struct snap_process **processes;
	struct table table;
	struct sink sink;
	struct line line;
	int ret;

	processes = sorted_processes(snapshot, &options->sort);
	if (!processes)
		return -ENOMEM;
	ret = sink_open(&sink, stream);
	if (ret)
		goto out;
	line_init(&line, &sink, options);
	print_self(&line, snapshot);
	print_totals(&line, snapshot);
	print_copies(&line, snapshot);
	print_devices(&line, snapshot);
	table_init(&table, snapshot, &options->sort, line.width);
	print_titles(&line, &table);
	for (size_t i = 0; i < snapshot->process_count; i++)
		print_row(&line, &table, processes[i]);
	for (size_t i = 0; i < snapshot->process_count; i++)
		text_detail(&line, since, options->lists_map, snapshot, processes[i]);
	print_findings(&line, snapshot);
	line_end(&line);
	ret = sink_close(&sink);
	options->told_time = snapshot->time;
out:
	free(processes);
	return ret;
}

const struct print_format print_format_text = { .format = FORMAT_TEXT,
						.print = out_text,
						.report = out_leak_report };
