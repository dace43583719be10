/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one process does, below the process table: its memory by kind, its kernels, its copies, its
 * failures. Processes with nothing to tell are left out. A process that has ended is detailed in
 * the snapshot of its end and not again: it stays in the table for long, and a page full of ended
 * processes would hide the running ones.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "cuda/calls.h"
#include "print/text.h"
#include "util/utf8.h"

#define KERNELS_MAX       10
#define FAILURES_MAX      10
#define GRAPH_SITES_SHOWN 10
#define INDENT            2

static bool has_history(const struct snap_process *process)
{
	bool probed = false;

	for (size_t i = 0; i < process->call_count; i++)
		probed |= process->call_list[i].extra.symbol != NULL;
	return process->allocations || process->kernel_count || process->graph_site_count ||
	       process->copy_count || process->failure_count || process->answer_count || probed;
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

/*
 * The width of a first column: that of its widest name, as far as the line leaves room for @others
 * cells.
 */
static int clamp_name_width(const struct line *line, int widest, int others)
{
	int most = line->width ? line->width - INDENT - others : 60;

	if (most < 16)
		most = 16;
	return widest < most ? widest : most;
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

static void print_failed(struct line *line, int end, uint64_t failures, bool lower_bound,
			 bool known)
{
	char text[NUMBER_SIZE];

	if (!known) {
		line_right(line, end, "-");
		return;
	}
	if (failures)
		line_style(line, STYLE_FAILED);
	snprintf(text, sizeof(text), "%s%" PRIu64, at_least(lower_bound), failures);
	line_right(line, end, text);
	line_style(line, STYLE_PLAIN);
}

static void print_more(struct line *line, uint64_t count, uint64_t shown, const char *what)
{
	if (count <= shown)
		return;
	line_to(line, INDENT);
	line_format(line, "and %" PRIu64 " more %s%s", count - shown, what,
		    count - shown == 1 ? "" : "s");
	line_end(line);
}

/*
 * Where the columns of allocations end, or begin; an address has at most 18 cells, and "registered"
 * is the longest kind.
 */
enum {
	A_SIZE = 34,
	A_KIND = 36,
	A_DEVICE = 50,
	A_AGE = 58,
	A_STATE = 60,
	A_CALL = 69,
	A_SITE = 88
};

static void print_alloc(struct line *line, const struct snap_alloc *alloc)
{
	char text[NUMBER_SIZE];

	line_to(line, INDENT);
	line_format(line, "0x%" PRIx64, alloc->address);
	snprintf(text, sizeof(text), "%" PRIu64, alloc->bytes);
	line_right(line, A_SIZE, text);
	line_to(line, A_KIND);
	line_text(line, alloc->kind < KIND_COUNT ? alloc_kind_names[alloc->kind] : "?");
	snprintf(text, sizeof(text), "%d", alloc->device);
	line_right(line, A_DEVICE, alloc->device == CUTOP_DEVICE_UNKNOWN ? "-" : text);
	line_right(line, A_AGE, text_seconds((double)alloc->age / 1e9, text));
	line_to(line, A_STATE);
	if (alloc->state == ALLOC_LEAKED || alloc->state == ALLOC_SUSPECT)
		line_style(line, STYLE_LEAKED);
	line_text(line, alloc->state < ALLOC_STATE_COUNT ? alloc_state_names[alloc->state] : "?");
	line_style(line, STYLE_PLAIN);
	line_to(line, A_CALL);
	line_text(line, call_name(alloc->call));
	line_to(line, A_SITE);
	line_text(line, alloc->site);
	line_end(line);
}

/*
 * Prints each allocation: --map. Sizes are exact bytes, as in JSON: two that differ by one must be
 * told apart.
 */
static void print_map(struct line *line, const struct snap_process *process)
{
	if (!process->map_count)
		return;
	line_to(line, INDENT);
	line_style(line, STYLE_HEAD);
	line_text(line, "ADDRESS");
	line_right(line, A_SIZE, "BYTES");
	line_to(line, A_KIND);
	line_text(line, "KIND");
	line_right(line, A_DEVICE, "DEV");
	line_right(line, A_AGE, "AGE");
	line_to(line, A_STATE);
	line_text(line, "STATE");
	line_to(line, A_CALL);
	line_text(line, "CALL");
	line_to(line, A_SITE);
	line_text(line, "SITE");
	line_end(line);
	for (size_t i = 0; i < process->map_count; i++)
		print_alloc(line, &process->map[i]);
	print_more(line, process->map_count + process->map_omitted, process->map_count,
		   "allocation");
}

/*
 * Where the columns of kernels end, counted from the end of the name; with the column for graphs,
 * the later ones end that much further right.
 */
enum {
	K_LAUNCHES = 11,
	K_RATE = 20,
	K_GRID = 31,
	K_BLOCK = 40,
	K_P50 = 47,
	K_P99 = 54,
	K_FAILED = 61,
	K_GRAPH = 11
};

static void print_kernel(struct line *line, const struct snap_kernel *kernel, int name,
			 bool by_graph, bool known)
{
	int from = INDENT + name;
	char text[NUMBER_SIZE];

	line_to(line, INDENT);
	line_cut(line, kernel->shown, name);
	snprintf(text, sizeof(text), "%" PRIu64, kernel->launches);
	line_right(line, from + K_LAUNCHES, text);
	if (by_graph) {
		from += K_GRAPH;
		snprintf(text, sizeof(text), "%s%" PRIu64, kernel->updatable ? "~" : "",
			 kernel->graph_launches);
		line_right(line, from + K_LAUNCHES, text);
	}
	line_right(line, from + K_RATE,
		   text_count(kernel->launches_per_second + kernel->graph_launches_per_second,
			      text));
	line_right(line, from + K_GRID, text_dim(kernel->grid, text));
	line_right(line, from + K_BLOCK, text_dim(kernel->block, text));
	line_right(line, from + K_P50, text_seconds(kernel->latency.p50, text));
	line_right(line, from + K_P99, text_seconds(kernel->latency.p99, text));
	print_failed(line, from + K_FAILED, kernel->failures, kernel->sampled, known);
	line_end(line);
}

static void print_kernels(struct line *line, const struct snap_process *process)
{
	size_t shown = process->kernel_count < KERNELS_MAX ? process->kernel_count : KERNELS_MAX;
	int name = utf8_cells("KERNEL"), from;
	bool by_graph = process->graph_launches != 0;

	if (!shown)
		return;
	for (size_t i = 0; i < shown; i++) {
		int cells = utf8_cells(process->kernels[i].shown);

		name = cells > name ? cells : name;
	}
	name = clamp_name_width(line, name, by_graph ? K_FAILED + K_GRAPH : K_FAILED);
	from = INDENT + name;
	line_to(line, INDENT);
	line_style(line, STYLE_HEAD);
	line_text(line, "KERNEL");
	line_right(line, from + K_LAUNCHES, "LAUNCHES");
	if (by_graph) {
		from += K_GRAPH;
		line_right(line, from + K_LAUNCHES, "BY GRAPH");
	}
	line_right(line, from + K_RATE, "LAUNCH/s");
	line_right(line, from + K_GRID, "GRID");
	line_right(line, from + K_BLOCK, "BLOCK");
	line_right(line, from + K_P50, "P50");
	line_right(line, from + K_P99, "P99");
	line_right(line, from + K_FAILED, "FAILED");
	line_end(line);
	for (size_t i = 0; i < shown; i++)
		print_kernel(line, &process->kernels[i], name, by_graph, !process->unreturned);
	print_more(line, process->kernel_count, shown, "kernel");
}

/* Where the columns of copies end; "unknown async" is the longest first one. */
enum { C_DEVICE = 17, C_CALLS = 27, C_BYTES = 35, C_RATE = 43, C_THROUGHPUT = 54, C_FAILED = 61 };

static const char *text_rate(double rate, char out[NUMBER_SIZE])
{
	size_t len;

	text_bytes(rate, out);
	len = strlen(out);
	if (isfinite(rate))
		snprintf(out + len, NUMBER_SIZE - len, "/s");
	return out;
}

static void print_copy(struct line *line, const struct snap_copy *copy, bool known)
{
	char text[NUMBER_SIZE];

	line_to(line, INDENT);
	line_format(line, "%s %s",
		    copy->direction < DIR_COUNT ? copy_direction_names[copy->direction] : "unknown",
		    copy_mode_names[copy->mode == COPY_ASYNC]);
	snprintf(text, sizeof(text), "%d", copy->device);
	line_right(line, C_DEVICE, copy->device == CUTOP_DEVICE_UNKNOWN ? "-" : text);
	snprintf(text, sizeof(text), "%" PRIu64, copy->calls);
	line_right(line, C_CALLS, text);
	line_right(line, C_BYTES, text_bytes((double)copy->bytes, text));
	line_right(line, C_RATE, text_rate(copy->rate_bytes_per_second, text));
	line_right(line, C_THROUGHPUT,
		   text_rate(copy->mode == COPY_SYNC && known ? copy->bytes_per_second : NAN,
			     text));
	print_failed(line, C_FAILED, copy->failures, false, known);
	if (copy->pageable)
		line_text(line, "  pageable");
	line_end(line);
}

static void print_copies(struct line *line, const struct snap_process *process)
{
	if (!process->copy_count)
		return;
	line_to(line, INDENT);
	line_style(line, STYLE_HEAD);
	line_text(line, "COPY");
	line_right(line, C_DEVICE, "DEV");
	line_right(line, C_CALLS, "CALLS");
	line_right(line, C_BYTES, "BYTES");
	line_right(line, C_RATE, "RATE");
	line_right(line, C_THROUGHPUT, "THROUGHPUT");
	line_right(line, C_FAILED, "FAILED");
	line_end(line);
	for (size_t i = 0; i < process->copy_count; i++)
		print_copy(line, &process->copies[i], !process->unreturned);
}

/* Where the columns of probed functions end, from the end of the name. */
enum { E_CALLS = 11, E_TIME = 19, E_AVERAGE = 27, E_MAX = 35, E_FAILED = 43 };

static void print_extra(struct line *line, const struct snap_call *call, int from, bool known)
{
	char text[NUMBER_SIZE];

	line_to(line, INDENT);
	line_cut(line, snapshot_call_brief(call->call, &call->extra), from - INDENT);
	snprintf(text, sizeof(text), "%" PRIu64, call->calls);
	line_right(line, from + E_CALLS, text);
	line_right(line, from + E_TIME, text_seconds(known ? call->seconds : NAN, text));
	line_right(line, from + E_AVERAGE,
		   text_seconds(call->calls && known ? call->seconds / (double)call->calls : NAN,
				text));
	line_right(line, from + E_MAX, text_seconds(call->latency.max, text));
	print_failed(line, from + E_FAILED, call->failures, false, call->judged && known);
	line_end(line);
}

/* Functions that the user named with --probe. Other functions show in the figures. */
static void print_extras(struct line *line, const struct snap_process *process)
{
	int name = utf8_cells("PROBED"), from;
	bool any = false;

	for (size_t i = 0; i < process->call_count; i++)
		if (process->call_list[i].extra.symbol) {
			int cells = utf8_cells(snapshot_call_brief(process->call_list[i].call,
								   &process->call_list[i].extra));

			name = cells > name ? cells : name;
			any = true;
		}
	if (!any)
		return;
	name = clamp_name_width(line, name, E_FAILED);
	from = INDENT + name;
	line_to(line, INDENT);
	line_style(line, STYLE_HEAD);
	line_text(line, "PROBED");
	line_right(line, from + E_CALLS, "CALLS");
	line_right(line, from + E_TIME, "TIME");
	line_right(line, from + E_AVERAGE, "AVG");
	line_right(line, from + E_MAX, "MAX");
	line_right(line, from + E_FAILED, "FAILED");
	line_end(line);
	for (size_t i = 0; i < process->call_count; i++)
		if (process->call_list[i].extra.symbol)
			print_extra(line, &process->call_list[i], from, !process->unreturned);
}

/* Where the columns of graphs end, or begin. */
enum { G_MADE = 25, G_LIVE = 34, G_LAUNCHES = 46, G_SITE = 48 };

static void print_graphs(struct line *line, const struct snap_process *process)
{
	size_t shown = process->graph_site_count < GRAPH_SITES_SHOWN ? process->graph_site_count :
								       GRAPH_SITES_SHOWN;
	char text[NUMBER_SIZE];

	if (!shown)
		return;
	line_to(line, INDENT);
	line_style(line, STYLE_HEAD);
	line_text(line, "GRAPHS");
	line_right(line, G_MADE, "INSTANTIATED");
	line_right(line, G_LIVE, "LIVE");
	line_right(line, G_LAUNCHES, "LAUNCHES");
	line_to(line, G_SITE);
	line_text(line, "SITE");
	line_end(line);
	for (size_t i = 0; i < shown; i++) {
		const struct snap_graph_site *site = &process->graph_sites[i];

		snprintf(text, sizeof(text), "%" PRIu64, site->made);
		line_right(line, G_MADE, text);
		snprintf(text, sizeof(text), "%" PRIu64, site->live);
		line_right(line, G_LIVE, text);
		snprintf(text, sizeof(text), "%" PRIu64, site->launches);
		line_right(line, G_LAUNCHES, text);
		line_to(line, G_SITE);
		line_text(line, site->where.site);
		line_end(line);
	}
	print_more(line, process->graph_site_count, shown, "site");
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
	print_more(line, count, shown, "kind");
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
	char end[NUMBER_SIZE];

	if (!is_active(since, snapshot, process))
		return;
	line_style(line, STYLE_HEAD);
	line_format(line, "%" PRIu32 " ", process->pid);
	line_text(line, process->command_line ? process->command_line : process->command);
	line_text(line, text_remark(process, end));
	line_end(line);
	print_container(line, process);
	print_given_up(line, process);
	print_memory(line, process);
	text_blocks(line, process);
	if (lists_map)
		print_map(line, process);
	print_kernels(line, process);
	print_graphs(line, process);
	text_call_sites(line, process);
	text_time(line, snapshot, process);
	print_copies(line, process);
	print_extras(line, process);
	print_failures(line, process, 0, process->failure_count, "FAILED CALL", STYLE_FAILED);
	print_failures(line, process, process->failure_count, process->answer_count, "QUESTIONS",
		       STYLE_PLAIN);
	print_events(line, since, snapshot, process);
}
