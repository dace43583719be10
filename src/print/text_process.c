/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one process does, below the process table: its memory by kind, its kernels, its copies, its
 * failures. Processes with nothing to tell are left out. A process that has ended is detailed in
 * the snapshot of its end and not again: it stays in the table for long, and a page full of ended
 * processes would hide the running ones. Most of it are tables of the fields of fields.h.
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cuda/calls.h"
#include "model/time_shares.h"
#include "print/fields.h"
#include "print/text.h"
#include "util/utf8.h"
#include "util/util.h"

#define KERNELS_MAX  10
#define FAILURES_MAX 10
#define SITES_SHOWN  10
#define INDENT       2
#define NAME         32 /* cells of a kernel's or function's name before a call site */

/* ---- tables ---- */

struct text_column {
	int at;          /* the cell before which it ends, or, on the left, where it begins */
	const char *key; /* of the field */
	bool is_left;
	bool is_alarm; /* what is not 0 is coloured */
	/* Instead of a field: text that is cut at NAME cells, and its title */
	const char *(*text)(const void *item);
	const char *title;
	/* This sign stands before it where the field marked_by is not 0 */
	const char *mark, *marked_by;
	int shift; /* it is there if graphs launched, and moves those after it by this much */
};

struct text_table {
	const char *title; /* of the names, or of all; NULL: the columns have titles alone */
	const char *(*name)(const void *item, char out[NUMBER_SIZE]); /* NULL: there are none */
	int others; /* names are as wide as the widest, and this many cells follow; 0: they are not */
	bool (*shown)(const void *item); /* others are left out; NULL: none */
	const struct field_list *list;
	const struct text_column *columns;
	size_t count;
	size_t most;      /* rows; 0: all */
	const char *what; /* the others are: "and 3 more WHAT"; NULL: "... and 3 more" */
};

/* 391 for 391×1×1, 16x16 for 16×16×1: trailing ones are left out. */
static const char *text_dim(const uint32_t dim[3], char out[NUMBER_SIZE])
{
	if (!dim[0])
		snprintf(out, NUMBER_SIZE, "-");
	else if (dim[2] > 1)
		snprintf(out, NUMBER_SIZE, "%" PRIu32 "x%" PRIu32 "x%" PRIu32, dim[0], dim[1],
			 dim[2]);
	else if (dim[1] > 1)
		snprintf(out, NUMBER_SIZE, "%" PRIu32 "x%" PRIu32, dim[0], dim[1]);
	else
		snprintf(out, NUMBER_SIZE, "%" PRIu32, dim[0]);
	return out;
}

static const char *text_rate(double rate, char out[NUMBER_SIZE])
{
	size_t len;

	text_bytes(rate, out);
	len = strlen(out);
	if (isfinite(rate))
		snprintf(out + len, NUMBER_SIZE - len, "/s");
	return out;
}

/* A figure as text, "-" for NAN. */
static const char *text_number(double number, enum column_unit unit, char out[NUMBER_SIZE])
{
	return unit == UNIT_SECONDS          ? text_seconds(number, out) :
	       unit == UNIT_BYTES_PER_SECOND ? text_rate(number, out) :
					       text_count(number, out);
}

static const char *text_field(const struct field *field, const void *item, char out[NUMBER_SIZE])
{
	const void *at = (const char *)item + field->offset;

	switch (field->kind) {
	case FIELD_TEXT: return *(const char *const *)at ? *(const char *const *)at : "";
	case FIELD_NAME: return field->names[field_count(field, item)];
	case FIELD_CALL: return call_name(*(const uint16_t *)at);
	case FIELD_DIMS: return text_dim(at, out);
	case FIELD_BYTES: return text_bytes((double)field_count(field, item), out);
	case FIELD_DURATION:
	case FIELD_NUMBER:
	case FIELD_FIGURE: return text_number(field_number(field, item), field_unit(field), out);
	case FIELD_DEVICE:
		snprintf(out, NUMBER_SIZE, "%d", *(const int *)at);
		return *(const int *)at == CUTOP_DEVICE_UNKNOWN ? "-" : out;
	default: snprintf(out, NUMBER_SIZE, "%" PRIu64, field_count(field, item)); return out;
	}
}

static bool is_leaked(const struct field *field, const void *item)
{
	uint64_t state = field_count(field, item);

	return state == ALLOC_LEAKED || state == ALLOC_SUSPECT;
}

static void print_cell(struct line *line, const struct text_table *table,
		       const struct text_column *column, int end, const void *item,
		       const struct snap_process *process)
{
	const struct field *field;
	char text[NUMBER_SIZE], marked[2 * NUMBER_SIZE];
	const char *shown;
	bool is_marked;

	if (column->text) {
		line_to(line, end);
		line_cut(line, column->text(item), NAME);
		return;
	}
	field = field_find(table->list->fields, column->key);
	shown = text_field(field, item, text);
	if (column->is_left) {
		line_to(line, end);
		if (column->is_alarm && is_leaked(field, item))
			line_style(line, STYLE_LEAKED);
		line_text(line, shown);
		line_style(line, STYLE_PLAIN);
	} else if (field->kind == FIELD_TRUE) {
		if (field_count(field, item))
			line_format(line, "  %s", field->key);
	} else if (!field_is_known(field, item, process)) {
		line_right(line, end, "-");
	} else {
		if (column->is_alarm && field_count(field, item))
			line_style(line, field->kind == FIELD_BYTES ? STYLE_LEAKED : STYLE_FAILED);
		/* An estimate of nothing is nothing. */
		is_marked = column->mark && (*column->mark != '~' || field_count(field, item)) &&
			    field_count(field_find(table->list->fields, column->marked_by), item);
		snprintf(marked, sizeof(marked), "%s%s", is_marked ? column->mark : "", shown);
		line_right(line, end, marked);
		line_style(line, STYLE_PLAIN);
	}
}

static void print_title(struct line *line, const struct text_table *table,
			const struct text_column *column, int at)
{
	const char *title = column->text ? column->title :
					   field_find(table->list->fields, column->key)->title;

	if (column->is_left || column->text) {
		line_to(line, at);
		line_text(line, title);
	} else if (title) {
		line_right(line, at, title);
	}
}

/* The width of the names: that of the widest, as far as the line leaves room. */
static int name_width(const struct line *line, const struct text_table *table,
		      const struct snap_process *process, size_t count)
{
	int widest = utf8_cells(table->title), others = table->others, most, cells;
	const char *item = list_items(table->list, process, &(size_t){ 0 });
	char text[NUMBER_SIZE];

	for (; count--; item += table->list->size) {
		if (table->shown && !table->shown(item))
			continue;
		cells = utf8_cells(table->name(item, text));
		widest = cells > widest ? cells : widest;
	}
	for (size_t i = 0; process->graph_launches && i < table->count; i++)
		others += table->columns[i].shift;
	most = line->width ? line->width - INDENT - others : 60;
	if (most < 16)
		most = 16;
	return widest < most ? widest : most;
}

/* Prints a row: of @item, or, where that is NULL, the titles. */
static void print_row(struct line *line, const struct text_table *table, int name, const void *item,
		      const struct snap_process *process)
{
	int from = name ? INDENT + name : 0;
	char text[NUMBER_SIZE];

	if (table->title && (!item || table->name))
		line_to(line, INDENT);
	line_style(line, item ? STYLE_PLAIN : STYLE_HEAD);
	if (!item && table->title)
		line_text(line, table->title);
	else if (item && table->name)
		line_cut(line, table->name(item, text), name ? name : INT_MAX);
	for (size_t i = 0; i < table->count; i++) {
		const struct text_column *column = &table->columns[i];

		if (column->shift && !process->graph_launches)
			continue;
		from += column->shift;
		if (item)
			print_cell(line, table, column, from + column->at, item, process);
		else
			print_title(line, table, column, from + column->at);
	}
	line_end(line);
}

static void print_more(struct line *line, uint64_t more, const char *what)
{
	if (!more)
		return;
	line_to(line, INDENT);
	if (what)
		line_format(line, "and %" PRIu64 " more %s%s", more, what, more == 1 ? "" : "s");
	else
		line_format(line, "... and %" PRIu64 " more", more);
	line_end(line);
}

/* Prints what @process has of it; nothing if that is nothing. */
static void print_table(struct line *line, const struct text_table *table,
			const struct snap_process *process)
{
	size_t count, most = table->most ? table->most : SIZE_MAX, rows = 0;
	const char *item = list_items(table->list, process, &count);
	int name;

	most = count < most ? count : most;
	name = table->others && most ? name_width(line, table, process, most) : 0;
	for (size_t i = 0; i < most; i++, item += table->list->size) {
		if (table->shown && !table->shown(item))
			continue;
		if (!rows++)
			print_row(line, table, name, NULL, process);
		print_row(line, table, name, item, process);
	}
	print_more(line, count - most, table->what);
}

#define COLUMNS(table) .columns = (table), .count = ARRAY_LEN(table)

/* An address has at most 18 cells, and "registered" is the longest kind. */
static const struct text_column map_columns[] = {
	{ .at = 34, .key = "size" },
	{ .at = 36, .key = "kind", .is_left = true },
	{ .at = 50, .key = "device" },
	{ .at = 58, .key = "age_seconds" },
	{ .at = 60, .key = "state", .is_left = true, .is_alarm = true },
	{ .at = 69, .key = "call", .is_left = true },
	{ .at = 88, .key = "site", .is_left = true },
};

static const char *alloc_name(const void *item, char out[NUMBER_SIZE])
{
	snprintf(out, NUMBER_SIZE, "0x%" PRIx64, ((const struct snap_alloc *)item)->address);
	return out;
}

/* Sizes are exact bytes, as in JSON: two that differ by one must be told apart. */
static const struct text_table map_table = { "ADDRESS", alloc_name, .list = &map_list,
					     COLUMNS(map_columns) };

/* Ends counted from the end of the name. */
static const struct text_column kernel_columns[] = {
	{ .at = 11, .key = "launches" },
	{ .at = 11,
	  .key = "graph_launches",
	  .mark = "~",
	  .marked_by = "graph_launches_exact",
	  .shift = 11 },
	{ .at = 20, .key = "runs_per_second" },
	{ .at = 31, .key = "grid" },
	{ .at = 40, .key = "block" },
	{ .at = 47, .key = "p50_seconds" },
	{ .at = 54, .key = "p99_seconds" },
	{ .at = 61, .key = "failures", .is_alarm = true, .mark = "≥", .marked_by = "returns" },
};

static const char *kernel_name(const void *item, char out[NUMBER_SIZE])
{
	(void)out;
	return ((const struct snap_kernel *)item)->shown;
}

static const struct text_table kernel_table = {
	"KERNEL",    kernel_name, 61, .list = &kernel_list, COLUMNS(kernel_columns),
	KERNELS_MAX, "kernel"
};

/* "unknown async" is the longest name. */
static const struct text_column copy_columns[] = {
	{ .at = 17, .key = "device" },
	{ .at = 27, .key = "calls" },
	{ .at = 35, .key = "bytes" },
	{ .at = 43, .key = "rate_bytes_per_second" },
	{ .at = 54, .key = "bytes_per_second" },
	{ .at = 61, .key = "failures", .is_alarm = true },
	{ .key = "pageable" },
};

static const char *copy_name(const void *item, char out[NUMBER_SIZE])
{
	const struct snap_copy *copy = item;

	snprintf(out, NUMBER_SIZE, "%s %s",
		 copy->direction < DIR_COUNT ? copy_direction_names[copy->direction] : "unknown",
		 copy_mode_names[copy->mode == COPY_ASYNC]);
	return out;
}

static const struct text_table copy_table = { "COPY", copy_name, .list = &copy_list,
					      COLUMNS(copy_columns) };

static const struct text_column extra_columns[] = {
	{ .at = 11, .key = "calls" },
	{ .at = 19, .key = "seconds" },
	{ .at = 27, .key = "mean_seconds" },
	{ .at = 35, .key = "max_seconds" },
	{ .at = 43, .key = "failures", .is_alarm = true },
};

static const char *extra_name(const void *item, char out[NUMBER_SIZE])
{
	const struct snap_call *call = item;

	(void)out;
	return snapshot_call_brief(call->call, &call->extra);
}

static bool is_extra(const void *item)
{
	return ((const struct snap_call *)item)->extra.symbol;
}

/* Functions that the user named with --probe. Other functions show in the figures. */
static const struct text_table extra_table = { "PROBED", extra_name, 43,
					       is_extra, &call_list, COLUMNS(extra_columns) };

static const struct text_column graph_columns[] = {
	{ .at = 25, .key = "instantiated" },
	{ .at = 34, .key = "live" },
	{ .at = 46, .key = "launches" },
	{ .at = 48, .key = "site", .is_left = true },
};
static const struct text_table graph_table = { "GRAPHS", .list = &graph_list,
					       COLUMNS(graph_columns), SITES_SHOWN, "site" };

static bool remains(const void *item)
{
	const struct snap_object_site *site = item;

	return site->live || site->left;
}

static const struct text_column object_columns[] = {
	{ .at = 18, .key = "made" },
	{ .at = 26, .key = "live" },
	{ .at = 34, .key = "left" },
	{ .at = 42, .key = "rising" },
	{ .at = 44, .key = "kind", .is_left = true },
	{ .at = 53, .key = "site", .is_left = true },
};
/* Streams, events and the like that were not destroyed. */
static const struct text_table object_table = { "OBJECTS",        .list = &object_list,
						.shown = remains, COLUMNS(object_columns),
						SITES_SHOWN,      "site" };

static const char *launched_name(const void *item)
{
	const struct snap_launch_site *site = item;

	return site->kernel ? site->kernel->shown : "-";
}

static const struct text_column launch_columns[] = {
	{ .at = 13, .key = "launches", .mark = "~", .marked_by = "sampled" },
	{ .at = 15, .text = launched_name, .title = "KERNEL" },
	{ .at = 15 + NAME + 2, .key = "site", .is_left = true },
};
static const struct text_table launch_table = { .list = &launch_site_list,
						COLUMNS(launch_columns),
						.most = SITES_SHOWN };

static const char *waited_name(const void *item)
{
	return call_name(((const struct snap_wait_site *)item)->call);
}

static const struct text_column wait_columns[] = {
	{ .at = 13, .key = "calls" },
	{ .at = 21, .key = "seconds" },
	{ .at = 23, .text = waited_name, .title = "CALL" },
	{ .at = 23 + NAME + 2, .key = "site", .is_left = true },
};
static const struct text_table wait_table = { .list = &wait_site_list,
					      COLUMNS(wait_columns),
					      .most = SITES_SHOWN };

/* ---- tensors ---- */

static const struct text_column block_columns[] = {
	{ .at = 13, .key = "live_bytes", .mark = "~", .marked_by = "sampled" },
	{ .at = 21, .key = "rising_bytes", .is_alarm = true, .mark = "~", .marked_by = "sampled" },
	{ .at = 29, .key = "blocks", .mark = "~", .marked_by = "sampled" },
	{ .at = 31, .key = "site", .is_left = true },
};
static const struct text_table block_table = { .list = &block_line_list,
					       COLUMNS(block_columns),
					       .most = SITES_SHOWN };

static void print_figure(struct line *line, const char *what, double bytes, bool sampled)
{
	char text[NUMBER_SIZE];

	line_format(line, "  %s %s%s", what, sampled ? "~" : "", text_bytes(bytes, text));
}

static void print_allocator(struct line *line, const struct snap_allocator *allocator)
{
	char text[NUMBER_SIZE];

	line_to(line, INDENT);
	line_style(line, STYLE_HEAD);
	line_text(line, strcmp(allocator->noun, "tensors") ? "BLOCKS" : "TENSORS");
	line_style(line, STYLE_PLAIN);
	if (allocator->device >= 0)
		line_format(line, "  device %d", allocator->device);
	line_format(line, "  %s in %s%zu block%s", text_bytes((double)allocator->allocated, text),
		    at_least(allocator->unknown > 0), allocator->blocks,
		    allocator->blocks == 1 ? "" : "s");
	if (allocator->has_totals && allocator->reserved >= allocator->allocated)
		print_figure(line, "cache", (double)(allocator->reserved - allocator->allocated),
			     false);
	if (allocator->has_gaps && allocator->free_in_segments) {
		print_figure(line, "in one piece", (double)allocator->largest_gap, false);
		line_format(line, "  fragmentation %.0f%%", 100 * allocator->fragmentation);
	}
	if (allocator->rising) {
		line_style(line, STYLE_LEAKED);
		print_figure(line, "rising", (double)allocator->rising, allocator->sampled);
		line_style(line, STYLE_PLAIN);
	}
	if (allocator->shortages)
		line_format(line, "  out of memory %" PRIu64, allocator->shortages);
	line_end(line);
}

static void print_tensors(struct line *line, const struct snap_process *process)
{
	if (process->exited)
		return;
	for (size_t i = 0; i < process->allocator_count; i++)
		print_allocator(line, &process->allocators[i]);
	print_table(line, &block_table, process);
}

void text_blocks_end(struct line *line, const struct snap_process *process)
{
	char bytes[NUMBER_SIZE], text[NUMBER_SIZE];

	line_style(line, STYLE_HEAD);
	line_right(line, 16, "RISEN");
	line_right(line, 26, "LIVE");
	line_to(line, 28);
	line_text(line, "SITE");
	line_end(line);
	for (size_t i = 0; i < process->block_line_count && process->block_lines[i].rising; i++) {
		const struct snap_block_line *at = &process->block_lines[i];

		line_style(line, STYLE_LEAKED);
		snprintf(text, sizeof(text), "%s%" PRIu64, at->sampled ? "~" : "", at->rising);
		line_right(line, 16, text);
		line_style(line, STYLE_PLAIN);
		snprintf(text, sizeof(text), "%s%s", at->sampled ? "~" : "",
			 text_bytes((double)at->live, bytes));
		line_right(line, 26, text);
		line_to(line, 28);
		line_text(line, at->site);
		line_end(line);
	}
}

/* ---- time ---- */

static void print_part(struct line *line, const struct snap_time *time, enum time_part part,
		       double share)
{
	line_format(line, "%s%s %s%.0f%%", part ? "  " : "", time_part_names[part],
		    part == TIME_LAUNCH && time->sampled && share > 0 ? "~" :
		    part == TIME_NONE ? at_least(time->threads > 1) :
					"",
		    100 * share);
}

static void print_shares(struct line *line, const struct snap_time *time)
{
	bool in_all = isnan(time->share[TIME_NONE]);

	if (!(time->wall_seconds > 0))
		return;
	line_to(line, INDENT);
	line_style(line, STYLE_HEAD);
	line_text(line, "TIME");
	line_style(line, STYLE_PLAIN);
	line_to(line, INDENT + 6);
	for (int part = 0; part < TIME_PARTS; part++)
		print_part(line, time, (enum time_part)part,
			   in_all ? time->seconds[part] / time->wall_seconds : time->share[part]);
	if (in_all)
		line_text(line, "  (in all)");
	line_end(line);
}

static void print_time(struct line *line, const struct snapshot *snapshot,
		       const struct snap_process *process)
{
	const struct snap_time *time = &process->time;
	char verdict[VERDICT_TEXT], p50[NUMBER_SIZE], p99[NUMBER_SIZE], max[NUMBER_SIZE];

	if (!time->is_known)
		return;
	print_shares(line, time);
	if (time->gaps) {
		line_to(line, INDENT);
		line_style(line, STYLE_HEAD);
		line_text(line, "GAPS");
		line_style(line, STYLE_PLAIN);
		line_to(line, INDENT + 6);
		line_format(line, "between launches: p50 %s  p99 %s  max %s  (%" PRIu64 " samples)",
			    text_seconds(time->gap.p50, p50), text_seconds(time->gap.p99, p99),
			    text_seconds(time->gap.max, max), time->gaps);
		line_end(line);
	}
	if (*time_verdict_text(snapshot, process, verdict)) {
		line_to(line, INDENT + 6);
		line_text(line, verdict);
		line_end(line);
	}
}

/* ---- the whole ---- */

static bool has_history(const struct snap_process *process)
{
	bool any = false;

	for (size_t i = 0; i < process->call_count; i++)
		any |= process->call_list[i].extra.symbol != NULL;
	for (size_t i = 0; i < process->object_site_count; i++)
		any |= remains(&process->object_sites[i]);
	return process->allocations || process->kernel_count || process->graph_site_count ||
	       process->copy_count || process->failure_count || process->answer_count || any;
}

static bool ended_since(uint64_t since, const struct snapshot *snapshot,
			const struct snap_process *process)
{
	for (size_t i = snapshot->event_count; i-- > 0;) {
		const struct snap_event *event = &snapshot->events[i];

		if (event->kind == EVENT_END && event->pid == process->pid && event->time >= since)
			return true;
	}
	return false;
}

static bool is_active(uint64_t since, const struct snapshot *snapshot,
		      const struct snap_process *process)
{
	if (!has_history(process))
		return false;
	if (!process->exited || !since || ended_since(since, snapshot, process))
		return true;
	if (process->launches_per_second > 0 || process->graph_launches_per_second > 0 ||
	    process->failures_per_second > 0)
		return true;
	for (size_t i = 0; i < DIR_COUNT; i++)
		if (process->copy_rate[i] > 0)
			return true;
	return false;
}

/* ", 2 double frees"; prints nothing for 0 unless it comes first. */
static void print_number(struct line *line, uint64_t number, const char *what, bool first)
{
	if (number || first)
		line_format(line, "%s%" PRIu64 " %s%s", first ? "  " : ", ", number, what,
			    number == 1 ? "" : "s");
}

static void print_memory(struct line *line, const struct snap_process *process)
{
	char text[NUMBER_SIZE];

	if (!process->allocations && !process->failed_allocations)
		return;
	line_to(line, INDENT);
	line_style(line, STYLE_HEAD);
	line_text(line, "MEMORY");
	line_style(line, STYLE_PLAIN);
	print_number(line, process->allocations, "allocation", true);
	line_format(line, " (%" PRIu64 " live)", process->live_allocations);
	print_number(line, process->frees, "free", false);
	print_number(line, process->failed_allocations, "failed allocation", false);
	print_number(line, process->failed_frees, "failed free", false);
	print_number(line, process->double_frees, "double free", false);
	print_number(line, process->unknown_frees, "unknown free", false);
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (process->kinds[i])
			line_format(line, "  %s %s", alloc_kind_names[i],
				    text_bytes((double)process->kinds[i], text));
	if (process->held)
		line_format(line, "  held %s", text_bytes((double)process->held, text));
	if (process->has_used)
		line_format(line, "  untracked %s", text_bytes((double)process->untracked, text));
	line_end(line);
}

/* Those of process->failure_list from @from on. */
static void print_failures(struct line *line, const struct snap_process *process, size_t from,
			   size_t count, const char *title, enum line_style style)
{
	const struct snap_failure *failure, *end;
	size_t shown = count < FAILURES_MAX ? count : FAILURES_MAX;
	int name = utf8_cells(title);
	char text[NUMBER_SIZE];

	if (!shown)
		return;
	failure = process->failure_list + from;
	end = failure + shown;
	for (const struct snap_failure *at = failure; at < end; at++) {
		int cells = utf8_cells(snapshot_call_brief(at->call, &at->extra));

		name = cells > name ? cells : name;
	}
	line_to(line, INDENT);
	line_style(line, STYLE_HEAD);
	line_text(line, title);
	line_right(line, INDENT + name + 9, "COUNT");
	line_text(line, "  ERROR");
	line_end(line);
	for (; failure < end; failure++) {
		line_to(line, INDENT);
		line_text(line, snapshot_call_brief(failure->call, &failure->extra));
		line_style(line, style);
		snprintf(text, sizeof(text), "%" PRIu64, failure->count);
		line_right(line, INDENT + name + 9, text);
		line_style(line, STYLE_PLAIN);
		line_text(line, "  ");
		line_text(line, failure->error);
		if (!failure->extra.symbol)
			line_format(line, " (%d)", failure->code);
		if (failure->where.site) {
			line_text(line, failure->count > 1 ? "  first in " : "  in ");
			line_text(line, failure->where.site);
		}
		if (failure->kernel) {
			line_text(line, "  kernel ");
			line_text(line, failure->shown);
		}
		line_end(line);
	}
	print_more(line, count - shown, "kind");
}

/* The call sites that held most when an allocation found no memory. */
static void print_lines(struct line *line, const struct snap_detail *detail)
{
	char text[LINE_TEXT];

	if (detail->line_count < 2)
		return; /* the event says it */
	for (size_t i = 0; i < detail->line_count; i++) {
		line_to(line, INDENT + 9);
		line_text(line, snapshot_line(&detail->lines[i], text));
		line_end(line);
	}
	if (detail->lines_omitted) {
		line_to(line, INDENT + 9);
		line_format(line, "and %zu more call site%s", detail->lines_omitted,
			    detail->lines_omitted == 1 ? "" : "s");
		line_end(line);
	}
}

/* Only events that keep details are printed: the others show in the figures. */
static void print_events(struct line *line, uint64_t since, const struct snapshot *snapshot,
			 const struct snap_process *process)
{
	for (size_t i = 0; i < snapshot->event_count; i++) {
		const struct snap_event *event = &snapshot->events[i];
		time_t seconds = (time_t)(event->time / 1000000000u);
		char clock[NUMBER_SIZE];
		struct tm tm;

		if (event->pid != process->pid || !event->detail || event->time < since)
			continue;
		line_to(line, INDENT);
		line_style(line, STYLE_FAILED);
		if (localtime_r(&seconds, &tm) && strftime(clock, sizeof(clock), "%H:%M:%S ", &tm))
			line_text(line, clock);
		line_style(line, STYLE_PLAIN);
		if (event->repeated)
			line_format(line, "(%" PRIu64 " times) ", event->repeated + 1);
		line_text(line, event->text);
		line_end(line);
		print_lines(line, event->detail);
	}
}

static void print_container(struct line *line, const struct snap_process *process)
{
	if (!process->container && !process->pod)
		return;
	line_to(line, INDENT);
	line_style(line, STYLE_HEAD);
	line_text(line, process->container ? "CONTAINER" : "POD");
	line_style(line, STYLE_PLAIN);
	line_text(line, "  ");
	if (process->container)
		line_text(line, process->container);
	if (process->container && process->pod)
		line_text(line, "  in pod ");
	if (process->pod)
		line_text(line, process->pod);
	if (process->ns_pid)
		line_format(line, "  (pid %" PRIu32 " there)", process->ns_pid);
	line_end(line);
}

/* What --budget had given up, if anything. */
static void print_given_up(struct line *line, const struct snap_process *process)
{
	const char *before = "  given up to keep within --budget: ";

	for (int kind = 0; kind < SPARE_COUNT; kind++) {
		if (!process->given_up[kind])
			continue;
		line_text(line, before);
		line_text(line, spare_names[kind]);
		before = ", ";
	}
	if (snapshot_is_spared(process))
		line_end(line);
}

void text_detail(struct line *line, uint64_t since, bool lists_map, const struct snapshot *snapshot,
		 const struct snap_process *process)
{
	if (!is_active(since, snapshot, process))
		return;
	text_head(line, process);
	line_end(line);
	print_container(line, process);
	print_given_up(line, process);
	print_memory(line, process);
	print_tensors(line, process);
	if (lists_map)
		print_table(line, &map_table, process);
	if (lists_map && process->map_count)
		print_more(line, process->map_omitted, "allocation");
	print_table(line, &kernel_table, process);
	print_table(line, &graph_table, process);
	print_table(line, &object_table, process);
	print_table(line, &launch_table, process);
	print_table(line, &wait_table, process);
	print_time(line, snapshot, process);
	print_table(line, &copy_table, process);
	print_table(line, &extra_table, process);
	print_failures(line, process, 0, process->failure_count, "FAILED CALL", STYLE_FAILED);
	print_failures(line, process, process->failure_count, process->answer_count, "QUESTIONS",
		       STYLE_PLAIN);
	print_events(line, since, snapshot, process);
}
