/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/telling.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cuda/allocators.h"
#include "cuda/calls.h"
#include "cuda/errors.h"
#include "cutop_allocator.h"
#include "model/block_segments.h"
#include "model/columns.h"
#include "model/model_state.h"
#include "model/stream.h"
#include "util/saturated.h"
#include "util/utf8.h"
#include "util/util.h"

/* Which lines of a program hold most of a device's memory. */

/*
 * Post-mortems: what is worth keeping of the instant at which an allocation found no memory, or a
 * device came near to having none: which processes and lines held it. And of the instant at which a kernel was found to have broken down: what had
 * been launched before.
 */

struct program;
struct allocator;
struct rec_short;

/* An event to be told. */
struct postmortem {
	struct snap_detail detail;
	char text[1024];
	size_t used; /* of it */
};

/* A line is what a site is called by: sites whose stacks lead to it by different ways are one. */

struct held {
	const struct site *site; /* of a line: the one that holds most */
	uint64_t bytes, count;
	bool sampled; /* they are estimates */
};

static int line_order(const void *left, const void *right)
{
	const struct held *a = left, *b = right;
	int order = ORDER(a->site->shown->address, b->site->shown->address);

	if (!order)
		order = ORDER(b->bytes, a->bytes);
	return order ? order : ORDER(a->site->index, b->site->index);
}

static int size_order(const void *left, const void *right)
{
	const struct held *a = left, *b = right;
	int order = ORDER(b->bytes, a->bytes);

	return order ? order : ORDER(a->site->index, b->site->index);
}

/* What each site holds, by index. */
static void sum_sites(const struct ledger *ledger, int device, struct held *list)
{
	struct book_cursor cursor;
	struct alloc_node *node;

	book_walk(&ledger->book, &cursor);
	while ((node = book_next(&cursor)) != NULL) {
		if (node->state != NODE_LIVE || !KIND_IS_VRAM(node->kind) || !node->bytes ||
		    (device != CUTOP_DEVICE_UNKNOWN && node->device != device))
			continue;
		list[node->site].site = ledger->sites.list[node->site];
		list[node->site].bytes = add_saturated(list[node->site].bytes, node->bytes);
		list[node->site].count++;
	}
}

/* Makes lines of the sites, the largest first. Returns how many there are. */
static size_t sum_lines(struct held *list, size_t sites)
{
	size_t i, used = 0, count = 0;

	for (i = 0; i < sites; i++)
		if (list[i].site)
			list[used++] = list[i];
	if (!used)
		return 0;
	qsort(list, used, sizeof(*list), line_order);
	for (i = 0; i < used; i++) {
		if (!count || list[count - 1].site->shown != list[i].site->shown) {
			list[count++] = list[i];
			continue;
		}
		list[count - 1].bytes = add_saturated(list[count - 1].bytes, list[i].bytes);
		list[count - 1].count += list[i].count;
		list[count - 1].sampled |= list[i].sampled;
	}
	qsort(list, count, sizeof(*list), size_order);
	return count;
}

/* Lists the lines of @sites sites, which are in @list by index, and frees that. */
static void lines_take(const struct program *program, struct held *list, size_t sites,
		       struct snap_detail *detail)
{
	size_t i, count = sum_lines(list, sites);

	for (i = 0; i < count && i < LINES_MAX; i++) {
		struct snap_line *line = &detail->lines[i];
		char text[sizeof(line->text)];

		*line = (struct snap_line){
			.live = list[i].bytes,
			.allocations = list[i].count,
			.sampled = list[i].sampled,
			.site = list[i].site->address,
			.stack = list[i].site->stack_id,
		};
		sites_describe(list[i].site, &program->names, text, sizeof(text));
		utf8_clean(text, line->text, sizeof(line->text));
	}
	detail->line_count = i;
	detail->lines_omitted = count - i;
	free(list);
}

/*
 * Fills in the lines of @detail: those of @program that hold most of @device (CUTOP_DEVICE_UNKNOWN:
 * of all). Walks through its allocations. Without memory there are none.
 */
static void largest_lines(const struct program *program, int device, struct snap_detail *detail)
{
	const struct ledger *ledger = &program->ledger;
	struct held *list = calloc(ledger->sites.count + 1, sizeof(*list));

	if (!list)
		return;
	sum_sites(ledger, device, list);
	lines_take(program, list, ledger->sites.count, detail);
}

/* The same of blocks: of the allocator whose @sites these are. */
static void largest_lines_of(const struct program *program, const struct site_table *sites,
			     struct snap_detail *detail)
{
	struct held *list = calloc(sites->count + 1, sizeof(*list));
	size_t i;

	for (i = 0; list && i < sites->count; i++)
		if (sites->list[i]->live)
			list[i] = (struct held){ sites->list[i], sites->list[i]->live,
						 sites->list[i]->live_count,
						 sites->list[i]->sampled };
	if (list)
		lines_take(program, list, sites->count, detail);
}

/*
 * A program may fail to allocate in a loop: a walk through very many allocations is made once a
 * second at most.
 */
#define WALK_NS     1000000000ull
#define WALK_FREELY 4096 /* allocations that may be walked through at any time */

static uint64_t held_by(const struct program *program, int device)
{
	const struct device_use *use;

	if (device == CUTOP_DEVICE_UNKNOWN)
		return program->ledger.live;
	use = devices_find(&program->ledger.held_on, device);
	return use ? use->live : 0;
}

/*
 * True if @program knows the device called @device as another one than those who were told @total.
 */
static bool is_elsewhere(const struct program *program, int device, uint64_t total)
{
	const struct device_use *use = devices_find(&program->ledger.held_on, device);

	return use && use->total && total && use->total != total;
}

/* The processes that hold most of @device, whose size is @total (0: not known). */
static void find_holders(const struct programs *programs, struct snap_detail *detail, int device,
			 uint64_t total)
{
	const struct program *program, *list[HOLDERS_MAX];
	size_t i, count = 0;

	for (program = table_first(&programs->table); program; program = table_next(program)) {
		uint64_t held = held_by(program, device);

		if (!held || program->ended || is_elsewhere(program, device, total))
			continue;
		if (count == HOLDERS_MAX) {
			detail->holders_omitted++;
			if (held <= held_by(list[count - 1], device))
				continue;
			count--;
		}
		for (i = count++; i > 0 && held_by(list[i - 1], device) < held; i--)
			list[i] = list[i - 1];
		list[i] = program;
	}
	for (i = 0; i < count; i++) {
		struct snap_holder *holder = &detail->holders[i];

		holder->pid = list[i]->identity.pid;
		holder->from_attach = list[i]->identity.from_attach;
		holder->live = held_by(list[i], device);
		utf8_clean(identity_name(&list[i]->identity), holder->command,
			   sizeof(holder->command));
	}
	detail->holder_count = count;
}

static bool may_walk(struct program *program, uint64_t time)
{
	if (program->ledger.book.count + blocks_count(&program->blocks) <= WALK_FREELY)
		return true;
	if (program->walked && time - program->walked < WALK_NS)
		return false;
	program->walked = time;
	return true;
}

/* Goes on with the text of @report; what finds no room is cut. */
static void __attribute__((format(printf, 2, 3)))
say(struct postmortem *report, const char *format, ...)
{
	size_t room = sizeof(report->text) - report->used;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(report->text + report->used, room, format, args);
	va_end(args);
	if (len > 0)
		report->used += (size_t)len < room ? (size_t)len : room - 1;
}

/* Which objects are live in large numbers: each costs memory that no allocation shows. */
static void say_objects(const struct program *program, struct postmortem *report)
{
	struct snap_detail *detail = &report->detail;
	const struct object_site *site, *most;
	const char *before = "; live in large numbers: ";

	for (unsigned int kind = 0; kind < OBJECT_KIND_COUNT; kind++) {
		struct snap_many *many = &detail->objects[detail->object_count];
		uint64_t live = 0;

		most = NULL;
		for (site = table_first(&program->objects.sites); site; site = table_next(site)) {
			if (site->kind != kind)
				continue;
			live += site->live;
			if (!most || site->live > most->live)
				most = site;
		}
		if (live < object_descs[kind].many)
			continue;
		detail->object_count++;
		many->live = live;
		many->kind = object_descs[kind].name;
		many->address = most->site;
		many->stack = most->stack;
		names_describe_place(&program->names,
				     names_shown(&program->names, most->site, most->stack),
				     many->site, sizeof(many->site));
		say(report, "%s%" PRIu64 " %s, most made at %s", before, live,
		    object_descs[kind].plural, many->site);
		before = ", ";
	}
}

static void say_holders(struct postmortem *report, const char *before)
{
	const struct snap_detail *detail = &report->detail;
	size_t i;

	if (detail->holder_count)
		say(report, "%s", before);
	for (i = 0; i < detail->holder_count; i++) {
		const struct snap_holder *holder = &detail->holders[i];

		say(report, "%s %u %s %s%s", i ? "," : "", holder->pid, holder->command,
		    holder->from_attach ? ">=" : "", size_of((double)holder->live).text);
	}
	if (detail->holders_omitted)
		say(report, " and %zu more", detail->holders_omitted);
}

/* @hidden: how many such events were not told since the last. */
static void postmortem_out_of_memory(const struct programs *programs, struct program *program,
				     const struct rec_alloc *record, unsigned int hidden,
				     struct postmortem *report)
{
	struct snap_detail *detail = &report->detail;
	const struct device_use *use;

	*detail = (struct snap_detail){
		.device = record->device,
		.call = record->call,
		.code = record->result,
		.address = record->site,
		.stack = record->stack,
	};
	names_describe_place(&program->names,
			     names_shown(&program->names, record->site, record->stack),
			     detail->site, sizeof(detail->site));
	say(report, "%s of %s at %s: out of memory", call_name(record->call),
	    size_of((double)record->bytes).text, detail->site);
	if (KIND_IS_VRAM(record->kind)) {
		use = devices_find(&program->ledger.held_on, record->device);
		find_holders(programs, detail, record->device, use ? use->total : 0);
		if (may_walk(program, record->hdr.time))
			largest_lines(program, record->device, detail);
		if (record->device != CUTOP_DEVICE_UNKNOWN)
			say(report, " on device %d", record->device);
		say(report, "; this process holds %s", size_of((double)program->ledger.live).text);
		if (detail->line_count) {
			say(report, ", %s of it from %s",
			    size_of((double)detail->lines[0].live).text, detail->lines[0].text);
		}
		say_holders(report, "; held there:");
		say_objects(program, report);
	}
	if (hidden)
		say(report, " (and %u more not listed)", hidden);
}

/* How @allocator's memory is used: what it has is worth as much as its largest piece. */
static void measure_gaps(struct program *program, struct allocator *allocator,
			 struct snap_detail *detail)
{
	struct block_segments segments;

	if (block_segments_find(&segments, program, allocator))
		return;
	detail->has_gaps = segments.has_gaps;
	detail->gaps = segments.free_bytes;
	detail->largest_gap = segments.largest_gap;
	block_segments_free(&segments);
}

/* The same of a request to a framework's @allocator. */
static void postmortem_short(const struct model *model, struct program *program,
			     struct allocator *allocator, const struct rec_short *record,
			     unsigned int hidden, struct postmortem *report)
{
	const struct device_use *use = devices_find(&program->ledger.held_on, allocator->device);
	struct snap_detail *detail = &report->detail;

	*detail = (struct snap_detail){
		.device = allocator->device,
		.call = CALL_COUNT,
		.address = record->site,
		.stack = record->stack,
		.allocator = extra_names_pool(&model->extras, allocator->kind),
		.asked = record->bytes,
		.allocated = record->has_totals ? record->allocated : allocator->allocated,
		.reserved = record->has_totals ? record->reserved : allocator->peak_reserved,
	};
	names_describe_place(&program->names,
			     names_shown(&program->names, record->site, record->stack),
			     detail->site, sizeof(detail->site));
	find_holders(&model->programs, detail, allocator->device, use ? use->total : 0);
	if (may_walk(program, record->hdr.time))
		measure_gaps(program, allocator, detail);
	largest_lines_of(program, &allocator->sites, detail);
	say(report, "%s: out of memory: %s asked for at %s", detail->allocator,
	    size_of((double)record->bytes).text, detail->site);
	if (allocator->device != CUTOP_DEVICE_UNKNOWN)
		say(report, " on device %d", allocator->device);
	if (detail->reserved)
		say(report, "; %s of the %s that it has are in %s",
		    size_of((double)detail->allocated).text, size_of((double)detail->reserved).text,
		    allocator_noun(allocator->kind));
	else
		say(report, "; %s are in %s", size_of((double)detail->allocated).text,
		    allocator_noun(allocator->kind));
	if (detail->line_count) {
		say(report, ", %s%s from %s", detail->lines[0].sampled ? "~" : "",
		    size_of((double)detail->lines[0].live).text, detail->lines[0].text);
	}
	if (detail->has_gaps) {
		say(report, "; %s are free, at most %s in one piece",
		    size_of((double)detail->gaps).text, size_of((double)detail->largest_gap).text);
	}
	say_holders(report, "; held there:");
	say_objects(program, report);
	if (hidden)
		say(report, " (and %u more not listed)", hidden);
}

/* @use: what is held on the device. */
static void postmortem_nearly_full(const struct programs *programs, const struct device_use *use,
				   struct postmortem *report)
{
	report->detail = (struct snap_detail){
		.device = use->device,
		.call = CALL_COUNT,
		.tracked = use->live,
		.total = use->total,
	};
	find_holders(programs, &report->detail, use->device, use->total);
	say(report, "device %d is nearly full: %s of %s (%.0f%%) are held by", use->device,
	    size_of((double)use->live).text, size_of((double)use->total).text,
	    100 * (double)use->live / (double)use->total);
	say_holders(report, "");
}

/* Faults */

#define SUSPECTS_PER_STREAM 3

/* The launch clock tells the order within a thread; between threads only that of ticks. */
static bool is_before(uint64_t a, uint32_t a_tid, uint64_t b, uint32_t b_tid)
{
	if (a_tid == b_tid)
		return a <= b;
	return a >> CUTOP_LAUNCH_CLOCK_TICK < b >> CUTOP_LAUNCH_CLOCK_TICK;
}

/*
 * True if all launches of @entry are known to have gone well: a synchronize of its device that
 * succeeded came later.
 */
static bool is_cleared(const struct program *program, const struct launch_entry *entry)
{
	int device = entry->key.device;
	unsigned int slot = device == CUTOP_DEVICE_UNKNOWN ? CUTOP_SYNC_SLOTS - 1 :
							     (unsigned int)device;

	if (!program->fault.hdr.size || slot >= CUTOP_SYNC_SLOTS ||
	    (device >= 0 && slot == CUTOP_SYNC_SLOTS - 1))
		return false;
	return is_before(entry->row.last, entry->row.last_tid, program->fault.cleared[slot],
			 program->fault.cleared_tid[slot]);
}

/*
 * True if the last launch of @entry came after the error: when the one before was is not known any
 * more.
 */
static bool is_later(const struct program *program, const struct launch_entry *entry)
{
	const struct rec_fault *fault = &program->fault;

	return fault->hdr.size &&
	       is_before(fault->clock + 1, fault->hdr.tid, entry->row.last, entry->row.last_tid);
}

static bool same_stream(const struct launch_entry *a, const struct launch_entry *b)
{
	return a->row.stream == b->row.stream && a->key.device == b->key.device;
}

/* The kernels launched last, at most so many of each stream. */
static void find_suspects(struct program *program, struct snap_detail *detail)
{
	struct launch_entry *entry, *list[SUSPECTS_MAX];
	size_t i, count = 0;

	for (entry = table_first(&program->counters.launches); entry; entry = table_next(entry)) {
		size_t later = 0, last_of_stream = SUSPECTS_MAX;

		if (!entry->row.last || is_cleared(program, entry))
			continue;
		if (is_later(program, entry)) {
			detail->suspects_omitted++;
			continue;
		}
		for (i = 0; i < count; i++)
			if (same_stream(list[i], entry)) {
				later++;
				last_of_stream = i;
			}
		if (later >= SUSPECTS_PER_STREAM || count == SUSPECTS_MAX) {
			/* One must give way: the earliest of the stream, or of all. */
			size_t out = later >= SUSPECTS_PER_STREAM ? last_of_stream : count - 1;

			detail->suspects_omitted++;
			if (list[out]->row.last >= entry->row.last)
				continue;
			memmove(&list[out], &list[out + 1], (--count - out) * sizeof(*list));
		}
		for (i = count++; i > 0 && list[i - 1]->row.last < entry->row.last; i--)
			list[i] = list[i - 1];
		list[i] = entry;
	}
	for (i = 0; i < count; i++) {
		const struct kernel_name *name =
			names_kernel(&program->names, list[i]->key.function);
		struct snap_suspect *suspect = &detail->suspects[i];
		char where[128];

		if (list[i]->is_graph)
			snprintf(where, sizeof(where), "graph 0x%" PRIx64,
				 (uint64_t)list[i]->key.function);
		else if (!name || !name->brief)
			names_describe(&program->names, list[i]->key.function, where,
				       sizeof(where));
		utf8_clean(name && name->brief && !list[i]->is_graph ? name->brief : where,
			   suspect->kernel, sizeof(suspect->kernel));
		suspect->device = own_devices_machine(&program->devices, list[i]->key.device);
		suspect->stream = list[i]->row.stream;
		suspect->stream_exact = list[i]->row.stream_seen == list[i]->row.last;
		suspect->launches = add_saturated(list[i]->row.launches, list[i]->graph_launches);
	}
	detail->suspect_count = count;
}

/* "stream 0x55d0: saxpy, reduce; default stream: scale", the stream launched into last first. */
static void say_suspects(struct postmortem *report)
{
	const struct snap_detail *detail = &report->detail;
	bool done[SUSPECTS_MAX] = { false };
	size_t i, j;

	for (i = 0; i < detail->suspect_count; i++) {
		const struct snap_suspect *first = &detail->suspects[i];
		const char *before = ": ";

		if (done[i])
			continue;
		say(report, i ? "; in" : " in");
		if (first->stream)
			say(report, " stream 0x%llx", (unsigned long long)first->stream);
		else
			say(report, " the default stream");
		for (j = i; j < detail->suspect_count; j++) {
			const struct snap_suspect *suspect = &detail->suspects[j];

			if (suspect->stream != first->stream || suspect->device != first->device)
				continue;
			done[j] = true;
			say(report, "%s%s%s", before, suspect->kernel,
			    suspect->stream_exact ? "" : "?");
			before = ", ";
		}
	}
}

/* A sticky error: the first of a process, or since its device was reset. */
static void postmortem_fault(struct program *program, const struct rec_fail_at *at,
			     struct postmortem *report)
{
	const struct rec_fail *record = &at->fail;
	enum call_layer layer = call_layer(record->call);
	const char *name = error_name(layer, record->result),
		   *meaning = error_meaning(layer, record->result);
	struct snap_detail *detail = &report->detail;

	*detail = (struct snap_detail){
		.device = CUTOP_DEVICE_UNKNOWN,
		.call = record->call,
		.code = record->result,
		.is_fault = true,
		.address = record->site,
		.stack = at->stack,
	};
	if (record->site)
		names_describe_place(&program->names, record->site, detail->site,
				     sizeof(detail->site));
	find_suspects(program, detail);
	say(report, "%s%s%s failed: %s (%d)%s%s; every call fails from here on",
	    call_name(record->call), detail->site[0] ? " at " : "", detail->site,
	    name ? name : "error", record->result, meaning ? ": " : "", meaning ? meaning : "");
	if (detail->suspect_count) {
		say(report, "; launched last");
		say_suspects(report);
	} else {
		say(report, "; no kernel was launched since the last synchronize that succeeded");
	}
}

/* A start or end of @program: @text goes on from what the program is called. */
static void tell_life(struct model *model, const struct program *program, enum event_kind kind,
		      uint64_t time, bool failed, const char *text)
{
	char name[IDENTITY_BRIEF];

	model_log(model, &(struct event){
				 .time = time,
				 .pid = program->identity.pid,
				 .program = program->number,
				 .kind = (uint8_t)kind,
				 .name = (char *)identity_brief(&program->identity, name),
				 .text = (char *)text,
				 .failed = failed,
			 });
}

void tell_start(struct model *model, const struct program *program,
		const struct rec_process *record)
{
	/*
	 * No thread id: the process was running when cutop was told to watch it, and has made no
	 * call since.
	 */
	tell_life(model, program, EVENT_START, record->hdr.time, false,
		  record->hdr.tid ? " made its first call" : " is watched from here on");
}

static void tell_leaks(struct model *model, const struct program *program,
		       const struct end_news *news)
{
	char where[256];

	if (news->unsure) {
		model_tell(model, program, EVENT_LOST, program->end_time, news->unsure, NULL,
			   "%s were not seen freed: leaked, unless "
			   "their frees are among what was lost",
			   size_of((double)news->unsure).text);
	}
	if (news->unknown) {
		model_tell(
			model, program, EVENT_LOST, program->end_time, news->unknown, NULL,
			"%s that the runtime allocated were not freed: leaked, unless the library "
			"that asked for them, which is not known, is a cache",
			size_of((double)news->unknown).text);
	}
	if (!news->leaked || !news->most)
		return;
	sites_describe(news->most, &program->names, where, sizeof(where));
	model_tell(model, program, EVENT_LEAK, program->end_time, news->leaked, NULL,
		   "leaked %s in %llu allocation%s, most from %s",
		   size_of((double)news->leaked).text, (unsigned long long)news->count,
		   news->count == 1 ? "" : "s", where);
}

void tell_how_it_ended(struct model *model, const struct program *program)
{
	uint64_t end = wall_clock_at(&model->clock, program->end_time);
	int code = program->exit_code, status = WEXITSTATUS(code);
	bool failed = false;
	double seconds;
	char ran[24], number[24], text[96];

	seconds = (double)subtract_saturated(end, program_start(model, program)) / 1e9;
	format_duration(seconds, 60, ran);
	if (seconds < 1)
		snprintf(ran, sizeof(ran), "%.2fs", seconds);
	if (program->end_is_guess) {
		snprintf(text, sizeof(text), " has ended: how was not seen");
	} else if (program->end_reason == END_EXEC) {
		snprintf(text, sizeof(text), " ran %s, then became another program", ran);
	} else if (WIFSIGNALED(code)) {
		failed = true;
		snprintf(number, sizeof(number), "signal %d", WTERMSIG(code));
		snprintf(text, sizeof(text), " ran %s, killed by %s", ran,
			 signal_name(WTERMSIG(code)) ?: number);
	} else {
		failed = status;
		snprintf(text, sizeof(text), " ran %s, exited %d", ran, status);
	}
	tell_life(model, program, EVENT_END, program->end_time, failed, text);
}

void tell_end(struct model *model, const struct program *program, const struct end_news *news)
{
	if (news->lost_frees)
		model_lose(model, LOST_FREE, news->lost_frees);
	tell_leaks(model, program, news);
	tell_how_it_ended(model, program);
}

/* ---- memory ---- */

void tell_nearly_full(struct model *model, struct program *program, const struct device_use *use,
		      uint64_t time)
{
	struct postmortem report = { .used = 0 };
	unsigned int hidden;

	if (!event_limit_allow(&program->limits[EVENT_NEARLY_FULL], time, &hidden))
		return;
	postmortem_nearly_full(&model->programs, use, &report);
	model_tell(model, program, EVENT_NEARLY_FULL, time, use->live, &report.detail, "%s",
		   report.text);
}

/*
 * The storm that such a failure begins, whose event is to be told. NULL: it is counted in one that
 * was told, *@repeated, or there were too many others. *@hidden: how many of these.
 */
static struct storm *storm_begin(struct model *model, struct program *program, enum event_kind kind,
				 unsigned int call, uint64_t site, uint64_t stack, uint64_t time,
				 unsigned int *hidden, uint64_t *repeated)
{
	const struct storm like = { .site = names_shown(&program->names, site, stack),
				    .latest = time,
				    .call = (uint16_t)call,
				    .kind = (uint8_t)kind };
	bool is_new;
	struct storm *storm = storms_find(&program->storms, &like, &is_new);

	*repeated = 0;
	if (!is_new && events_repeat(&model->log, storm->event)) {
		*repeated = storm->event;
		return NULL;
	}
	if (!event_limit_allow(&program->limits[kind], time, hidden))
		return NULL;
	*storm = like;
	return storm;
}

/* The shortage of the thread @tid, or room for one: the oldest. */
static struct shortage *shortage_of(struct program *program, uint32_t tid)
{
	struct shortage *oldest = &program->shortages[0];

	for (size_t i = 0; i < SHORTAGES_MAX; i++) {
		struct shortage *shortage = &program->shortages[i];

		if (shortage->tid == tid)
			return shortage;
		if (shortage->time < oldest->time)
			oldest = shortage;
	}
	return oldest;
}

#define RETRY_NS 1000000000ull /* what comes later is another request */

static bool is_retry(const struct shortage *shortage, const struct rec_alloc *record)
{
	return shortage->tid == record->hdr.tid && shortage->device == record->device &&
	       shortage->bytes <= record->bytes &&
	       subtract_saturated(record->hdr.time, shortage->time) <= RETRY_NS;
}

static struct shortage *shortage_note(struct program *program, const struct rec_alloc *record)
{
	struct shortage *shortage = shortage_of(program, record->hdr.tid);

	if (!is_retry(shortage, record) || shortage->bytes != record->bytes)
		*shortage = (struct shortage){ .tid = record->hdr.tid,
					       .device = record->device,
					       .bytes = record->bytes,
					       .live = program->ledger.live };
	shortage->failed++;
	shortage->time = record->hdr.time;
	return shortage;
}

/*
 * True if @record is of an allocator that says itself when it has no memory: before that it frees
 * what it can, and tries again.
 */
static bool says_itself(struct program *program, const struct rec_alloc *record)
{
	const struct place *place = names_place(&program->names, record->site);

	return program->ledger.sites.cache.is_told && place &&
	       place->flags & (SITE_IN_CACHE | SITE_IN_RUNTIME);
}

void tell_out_of_memory(struct model *model, struct program *program,
			const struct rec_alloc *record)
{
	struct shortage *shortage = shortage_note(program, record);
	struct postmortem report = { .used = 0 };
	struct storm *storm;
	uint64_t event;
	unsigned int hidden;

	if (says_itself(program, record))
		return;
	storm = storm_begin(model, program, EVENT_OUT_OF_MEMORY, record->call, record->site,
			    record->stack, record->hdr.time, &hidden, &event);
	if (storm) {
		postmortem_out_of_memory(&model->programs, program, record, hidden, &report);
		event = storm->event = model_tell(model, program, EVENT_OUT_OF_MEMORY,
						  record->hdr.time, record->bytes, &report.detail,
						  "%s", report.text);
	}
	shortage->told = event && event == shortage->event ? shortage->told + 1 : event != 0;
	shortage->event = event;
}

void tell_recovered(struct model *model, struct program *program, const struct rec_alloc *record)
{
	struct shortage *shortage = shortage_of(program, record->hdr.tid), was = *shortage;
	struct snap_detail detail = { .device = record->device,
				      .call = record->call,
				      .address = record->site,
				      .stack = record->stack };
	uint64_t freed = subtract_saturated(was.live, program->ledger.live);
	char tries[32] = "", device[24] = "", after[48] = "";
	struct storm *storm;
	unsigned int hidden;
	uint64_t repeated;

	if (was.tid != record->hdr.tid)
		return;
	shortage->tid = 0;
	if (!is_retry(&was, record))
		return;
	program->ledger.recovered_allocations += was.failed;
	events_take_back(&model->log, was.event, was.told);
	storm = storm_begin(model, program, EVENT_RECOVERED, record->call, record->site,
			    record->stack, record->hdr.time, &hidden, &repeated);
	if (!storm)
		return;
	names_describe_place(&program->names,
			     names_shown(&program->names, record->site, record->stack), detail.site,
			     sizeof(detail.site));
	if (record->device != CUTOP_DEVICE_UNKNOWN)
		snprintf(device, sizeof(device), " on device %d", record->device);
	if (was.failed > 1)
		snprintf(tries, sizeof(tries), " %u times", was.failed);
	if (freed)
		snprintf(after, sizeof(after), ", after %s were freed",
			 size_of((double)freed).text);
	storm->event = model_tell(model, program, EVENT_RECOVERED, record->hdr.time, was.bytes,
				  &detail, "%s of %s at %s: found none%s%s; got it %.1f ms later%s",
				  call_name(record->call), size_of((double)was.bytes).text,
				  detail.site, device, tries,
				  (double)(record->hdr.time - was.time) / 1e6, after);
}

void tell_short(struct model *model, struct program *program, struct allocator *allocator,
		const struct rec_short *record)
{
	struct postmortem report = { .used = 0 };
	unsigned int hidden;
	uint64_t repeated;
	struct storm *storm = storm_begin(model, program, EVENT_OUT_OF_MEMORY, CALL_COUNT,
					  record->site, record->stack, record->hdr.time, &hidden,
					  &repeated);

	if (!storm)
		return;
	postmortem_short(model, program, allocator, record, hidden, &report);
	storm->event = model_tell(model, program, EVENT_OUT_OF_MEMORY, record->hdr.time,
				  record->bytes, &report.detail, "%s", report.text);
}

void tell_bad_free(struct model *model, struct program *program, const struct rec_free_at *at,
		   enum free_news news)
{
	enum event_kind kind = news == FREE_DOUBLE ? EVENT_DOUBLE_FREE : EVENT_UNKNOWN_FREE;
	const struct rec_free *record = &at->free;
	struct snap_detail detail = {
		.device = CUTOP_DEVICE_UNKNOWN,
		.call = record->call,
		.code = record->result,
		.address = record->site,
		.stack = at->stack,
	};
	char more[48] = "";
	struct storm *storm;
	unsigned int hidden;
	uint64_t repeated;

	/* After a sticky error each call fails, whatever it is given. */
	if (news == FREE_PLAIN || (news == FREE_UNKNOWN && error_is_sticky(record->result)))
		return;
	storm = storm_begin(model, program, kind, record->call, record->site, at->stack,
			    record->hdr.time, &hidden, &repeated);
	if (!storm)
		return;
	if (hidden)
		snprintf(more, sizeof(more), " (and %u more not listed)", hidden);
	names_describe_place(&program->names, record->site, detail.site, sizeof(detail.site));
	storm->event = model_tell(model, program, kind, record->hdr.time, 0, &detail,
				  "%s of 0x%llx, %s, called from %s%s", call_name(record->call),
				  (unsigned long long)record->address,
				  news == FREE_DOUBLE ? "which was freed before" :
							"where no allocation is known to begin",
				  detail.site, more);
}

void tell_reset(struct model *model, const struct program *program, const struct rec_reset *record,
		const struct reset_news *news)
{
	char device[24] = "";

	if (record->device != CUTOP_DEVICE_UNKNOWN)
		snprintf(device, sizeof(device), " of device %d", record->device);
	model_tell(model, program, EVENT_RESET, record->hdr.time, news->leaked, NULL,
		   "%s%s ended %llu live allocation%s: %s leaked%s", call_name(record->call),
		   device, (unsigned long long)news->count, news->count == 1 ? "" : "s",
		   size_of((double)news->leaked).text,
		   news->is_held ? ", the rest held by caches" : "");
}

/* The site of @sites that looks most like a leak; @most: the one so far. */
static const struct snap_site *worst(const struct snap_site *sites, size_t count,
				     const struct snap_site *most)
{
	for (size_t i = 0; i < count; i++)
		if (sites[i].suspect > (most ? most->suspect : 0))
			most = &sites[i];
	return most;
}

/* @told: how many bytes were told of last; @what: of which memory. */
static void tell_rising(struct model *model, const struct program *program, uint64_t bytes,
			const struct snap_site *most, const char *what, uint64_t *told,
			uint64_t time)
{
	struct snap_detail detail = { .device = CUTOP_DEVICE_UNKNOWN, .call = CALL_COUNT };

	if (!bytes || !most || bytes / 10 < *told)
		return;
	*told = bytes;
	detail.address = most->address;
	detail.stack = most->stack_id;
	snprintf(detail.site, sizeof(detail.site), "%s", most->site);
	model_tell(model, program, EVENT_SUSPECT, time, bytes, &detail,
		   "%s%s may be leaking: what is live keeps rising, most at %s%s%s",
		   size_of((double)bytes).text, what, detail.site, most->holder ? ", held by " : "",
		   most->holder ?: "");
}

/* Of the objects of one kind, the @count sites at @list. */
static void tell_objects(struct model *model, struct program *program, enum object_kind kind,
			 const struct snap_object_site *list, size_t count, uint64_t time)
{
	struct snap_detail detail = { .device = CUTOP_DEVICE_UNKNOWN, .call = CALL_COUNT };
	const struct object_desc *desc = &object_descs[kind];
	const struct snap_object_site *most = NULL;
	uint64_t rising = 0, *told = &program->objects_told[kind];

	for (size_t i = 0; i < count; i++) {
		if (list[i].kind != desc->name)
			continue;
		rising += list[i].rising;
		if (list[i].rising > (most ? most->rising : 0))
			most = &list[i];
	}
	/* Programs warm up: a few more of what they have anyway are no news. */
	if (!most || rising * 16 < desc->many || rising / 10 < *told)
		return;
	*told = rising;
	detail.call = most->call;
	detail.address = most->address;
	detail.stack = most->stack_id;
	snprintf(detail.site, sizeof(detail.site), "%s", most->where.site);
	model_tell(model, program, EVENT_SUSPECT, time, 0, &detail,
		   "%" PRIu64
		   " %s are made and not destroyed: their number keeps rising, most at %s",
		   rising, desc->plural, detail.site);
}

void tell_suspect(struct model *model, struct program *program, const struct snap_process *process,
		  uint64_t time)
{
	uint64_t bytes = add_saturated(process->suspect, process->tensors_rising);
	const struct snap_site *most = worst(process->sites, process->site_count, NULL),
			       *host = NULL;

	if (program->ended)
		return;
	for (size_t i = 0; i < process->allocator_count; i++)
		most = worst(process->allocators[i].sites, process->allocators[i].site_count, most);
	tell_rising(model, program, bytes, most, "", &program->suspect_told, time);
	for (size_t i = 0; i < process->site_count; i++)
		if (process->sites[i].host.suspect > (host ? host->host.suspect : 0))
			host = &process->sites[i];
	tell_rising(model, program, process->host_suspect, host, " of pinned host memory",
		    &program->host_told, time);
	tell_objects(model, program, OBJECT_GRAPH, process->graph_sites, process->graph_site_count,
		     time);
	for (enum object_kind kind = OBJECT_GRAPH + 1; kind < OBJECT_KIND_COUNT; kind++)
		tell_objects(model, program, kind, process->object_sites,
			     process->object_site_count, time);
}

/* ---- calls ---- */

static void tell_fault(struct model *model, struct program *program, const struct rec_fail_at *at)
{
	const struct rec_fail *record = &at->fail;
	struct postmortem report = { .used = 0 };
	unsigned int hidden;

	if (!event_limit_allow(&program->limits[EVENT_FAULT], record->hdr.time, &hidden))
		return;
	postmortem_fault(program, at, &report);
	model_tell(model, program, EVENT_FAULT, record->hdr.time, 0, &report.detail, "%s",
		   report.text);
}

void tell_failure(struct model *model, struct program *program, const struct rec_fail_at *at)
{
	const struct rec_fail *record = &at->fail;
	enum call_layer layer = call_layer(record->call);
	const char *name = error_name(layer, record->result),
		   *meaning = error_meaning(layer, record->result);
	const struct kernel_name *kernel;
	const struct place *place;
	char where[256] = "", launched[256] = "";
	unsigned int hidden;

	if (!call_failed(record->call, record->result))
		return;
	if (layer != LAYER_EXTRA && error_is_sticky(record->result)) {
		/*
		 * The log has said that every call fails from now on: further failures show only in
		 * the figures.
		 */
		if (!program->faulted)
			tell_fault(model, program, at);
		program->faulted = true;
		return;
	}
	/*
	 * Allocations that found no memory are reported separately, with the processes that hold
	 * it.
	 */
	if (layer != LAYER_EXTRA && call_descs[record->call].class == CLASS_ALLOC &&
	    record->result == ERROR_OUT_OF_MEMORY)
		return;
	if (!event_limit_allow(&program->limits[EVENT_FAILURE], record->hdr.time, &hidden))
		return;
	place = names_place(&program->names, record->site);
	if (place && place->name)
		names_describe_place(&program->names, record->site, where, sizeof(where));
	kernel = at->function ? names_kernel(&program->names, at->function) : NULL;
	if (kernel)
		snprintf(launched, sizeof(launched), " of %s", kernel->brief);
	if (name)
		model_tell(model, program, EVENT_FAILURE, record->hdr.time, 0, NULL,
			   "%s%s%s%s failed: %s (%d)%s%s", call_name(record->call), launched,
			   where[0] ? " in " : "", where, name, record->result, meaning ? ": " : "",
			   meaning ? meaning : "");
	else
		model_tell(model, program, EVENT_FAILURE, record->hdr.time, 0, NULL,
			   "%s%s%s failed with %s%d",
			   extra_names_brief(&model->extras, record->call), where[0] ? " in " : "",
			   where, layer == LAYER_EXTRA ? "" : "code ", record->result);
}

void tell_pageable(struct model *model, const struct program *program, const struct rec_host *copy)
{
	struct snap_detail detail = {
		.device = own_devices_machine(&program->devices, copy->device), .call = copy->call
	};

	names_describe_place(&program->names, copy->site, detail.site, sizeof(detail.site));
	model_tell(
		model, program, EVENT_PAGEABLE, copy->hdr.time, 0, &detail,
		"%s %s %s pageable memory at %s: it may be synchronous (cudaMallocHost or cudaHostRegister would make it "
		"asynchronous)",
		call_name(copy->call), copy_direction_names[copy->direction],
		copy->direction == DIR_D2H ? "to" : "from", detail.site);
}

void tell_unreturned(struct model *model, const struct program *program)
{
	/* Users who asked for it need no message. */
	if (program->unreturned == UNRETURNED_SECCOMP ||
	    program->unreturned == UNRETURNED_SHADOW_STACK)
		model_tell(
			model, program, EVENT_NO_RETURNS, model->latest, 0, NULL,
			"%s: returns are not probed, since on this "
			"kernel that kills programs %s: allocations, failures and times are not known",
			identity_name(&program->identity),
			program->unreturned == UNRETURNED_SECCOMP ? "under a seccomp filter" :
								    "with a shadow stack");
}

void tell_budget(struct model *model, const struct program *program, enum spare spare, bool given)
{
	static const char *const what[SPARE_COUNT] = {
		[SPARE_BLOCKS] = "blocks of its allocators are",
		[SPARE_CALLS] = "calls that are only counted are",
		[SPARE_LAUNCHES] = "launches are",
	};

	model_tell(model, program, EVENT_BUDGET, given ? program->cost.since[spare] : model->latest,
		   0, NULL, "%s: %s %s", identity_name(&program->identity), what[spare],
		   !given ? "watched again" :
		   spare == SPARE_LAUNCHES ?
			    "watched in one second of several, to keep within --budget" :
			    "not watched, to keep within --budget");
}

void tell_limit(struct model *model, const struct rec_limit *record)
{
	if (record->kind != LIMIT_NAMES)
		return; /* from a later version */
	model_tell(
		model, NULL, EVENT_LIMIT, record->hdr.time, record->limit, NULL,
		"the memory for names from files (--names-memory) is used up: those used least recently go, and are read again when needed");
}

void tell_pool(struct model *model, struct program *program, const struct rec_hdr *call,
	       unsigned int kind, bool nowhere)
{
	const char *name = extra_names_pool(&model->extras, kind);

	if (nowhere)
		model_tell(
			model, program, EVENT_LOST, call->time, 0, NULL,
			"pool %s: %d calls handed out no block in memory of CUDA's, so none is counted: are its functions and arguments right?",
			name, POOL_TRIAL);
	else
		model_tell(
			model, program, EVENT_LOST, call->time, 0, NULL,
			"pool %s: of %d blocks none has come back: are the functions that free them right?",
			name, POOL_TRIAL);
}

void tell_notice(struct model *model, const struct rec_text *record, const char *text)
{
	static const enum event_kind kinds[NOTICE_COUNT] = {
		[NOTICE_LOST] = EVENT_LOST,
		[NOTICE_TRANSLATED] = EVENT_TRANSLATED,
	};
	char copy[1024];

	snprintf(copy, sizeof(copy), "%.*s", (int)record->text_len, text);
	model_log(model, &(struct event){
				 .time = record->hdr.time,
				 .pid = record->hdr.tgid,
				 .kind = (uint8_t)kinds[record->flags],
				 .text = copy,
			 });
}
