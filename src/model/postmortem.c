/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/postmortem.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cuda/allocators.h"
#include "cuda/calls.h"
#include "cuda/errors.h"
#include "model/columns.h"
#include "model/largest_lines.h"
#include "model/programs.h"
#include "model/block_segments.h"
#include "util/saturated.h"
#include "util/utf8.h"

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

	for (program = programs_first(programs); program; program = programs_next(program)) {
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

/*
 * How broken up the addresses are that @program holds of @kind on @device: from
 * the lowest to the highest, how much of that is free, and the longest free
 * stretch. Kinds lie in regions of their own, far from one another.
 */
static void measure_span(struct program *program, struct snap_detail *detail, int device,
			 unsigned int kind)
{
	uint64_t start = 0, end = 0, free_bytes = 0, gap = 0;
	struct alloc_node *node;

	if (kind == KIND_ARRAY || kind == KIND_PHYSICAL)
		return; /* handles, without addresses */
	for (node = book_lowest(&program->ledger.book); node; node = book_higher(node)) {
		if (node->state != NODE_LIVE || node->kind != kind || !node->bytes ||
		    (device >= 0 && node->device != device))
			continue;
		if (!end) {
			start = node->address;
		} else if (node->address > end) {
			free_bytes += node->address - end;
			if (node->address - end > gap)
				gap = node->address - end;
		}
		end = add_saturated(node->address, node->bytes);
	}
	detail->span = end - start;
	detail->span_free = free_bytes;
	detail->span_gap = gap;
}

static uint64_t site_vram(const struct site *site)
{
	return subtract_saturated(site->live, site->managed);
}

static const struct site *largest_site(const struct site_table *sites)
{
	const struct site *best = NULL;
	size_t i;

	for (i = 0; i < sites->count; i++) {
		const struct site *site = sites->list[i];

		if (site_vram(site) && (!best || site_vram(site) > site_vram(best)))
			best = site;
	}
	return best;
}

/* Appends to @text of @size bytes, @used of them used; what finds no room is cut. */
static size_t __attribute__((format(printf, 4, 5)))
append(char *text, size_t size, size_t used, const char *format, ...)
{
	va_list args;
	int len;

	if (used >= size)
		return used;
	va_start(args, format);
	len = vsnprintf(text + used, size - used, format, args);
	va_end(args);
	return len < 0 ? used : used + (size_t)len;
}

static size_t append_holders(char *text, size_t size, size_t used, const struct snap_detail *detail)
{
	char bytes[16];
	size_t i;

	for (i = 0; i < detail->holder_count; i++) {
		const struct snap_holder *holder = &detail->holders[i];

		format_bytes((double)holder->live, bytes, sizeof(bytes));
		used = append(text, size, used, "%s %u %s %s%s", i ? "," : "", holder->pid,
			      holder->command, holder->from_attach ? ">=" : "", bytes);
	}
	if (detail->holders_omitted)
		used = append(text, size, used, " and %zu more", detail->holders_omitted);
	return used;
}

void postmortem_out_of_memory(const struct programs *programs, struct program *program,
			      const struct rec_alloc *record, unsigned int hidden,
			      struct postmortem *report)
{
	struct snap_detail *detail = &report->detail;
	char where[256], size[16], own[16], most[16], *text = report->text;
	const size_t room = sizeof(report->text);
	const struct device_use *use;
	const struct site *site;
	size_t used;

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
	format_bytes((double)record->bytes, size, sizeof(size));
	used = append(text, room, 0, "%s of %s at %s: out of memory", call_name(record->call), size,
		      detail->site);
	if (KIND_IS_VRAM(record->kind)) {
		use = devices_find(&program->ledger.held_on, record->device);
		find_holders(programs, detail, record->device, use ? use->total : 0);
		if (may_walk(program, record->hdr.time)) {
			measure_span(program, detail, record->device, record->kind);
			largest_lines(program, record->device, detail);
		}
		if (record->device != CUTOP_DEVICE_UNKNOWN)
			used = append(text, room, used, " on device %d", record->device);
		format_bytes((double)program->ledger.live, own, sizeof(own));
		used = append(text, room, used, "; this process holds %s", own);
		site = detail->line_count ? NULL : largest_site(&program->ledger.sites);
		if (detail->line_count) {
			format_bytes((double)detail->lines[0].live, most, sizeof(most));
			used = append(text, room, used, ", %s of it from %s", most,
				      detail->lines[0].text);
		} else if (site) {
			format_bytes((double)site_vram(site), most, sizeof(most));
			sites_describe(site, &program->names, where, sizeof(where));
			used = append(text, room, used, ", %s of it from %s", most, where);
		}
		if (detail->holder_count) {
			used = append(text, room, used, "; held there:");
			used = append_holders(text, room, used, detail);
		}
		if (detail->span) {
			format_bytes((double)detail->span, size, sizeof(size));
			format_bytes((double)detail->span_free, own, sizeof(own));
			format_bytes((double)detail->span_gap, most, sizeof(most));
			used = append(text, room, used,
				      "; of its span of %s %s are free, at most %s in one piece",
				      size, own, most);
		}
	}
	if (hidden)
		append(text, room, used, " (and %u more not listed)", hidden);
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

void postmortem_short(const struct programs *programs, struct program *program,
		      struct allocator *allocator, const struct rec_short *record,
		      unsigned int hidden, struct postmortem *report)
{
	const struct device_use *use = devices_find(&program->ledger.held_on, allocator->device);
	struct snap_detail *detail = &report->detail;
	char size[16], own[16], most[16], *text = report->text;
	const size_t room = sizeof(report->text);
	size_t used;

	*detail = (struct snap_detail){
		.device = allocator->device,
		.call = CALL_COUNT,
		.address = record->site,
		.stack = record->stack,
		.allocator = allocator_names[allocator->kind],
		.asked = record->bytes,
		.allocated = record->has_totals ? record->allocated : allocator->allocated,
		.reserved = record->has_totals ? record->reserved : allocator->reserved,
	};
	names_describe_place(&program->names,
			     names_shown(&program->names, record->site, record->stack),
			     detail->site, sizeof(detail->site));
	find_holders(programs, detail, allocator->device, use ? use->total : 0);
	if (may_walk(program, record->hdr.time))
		measure_gaps(program, allocator, detail);
	largest_lines_of(program, &allocator->sites, detail);
	format_bytes((double)record->bytes, size, sizeof(size));
	used = append(text, room, 0, "%s: out of memory: %s asked for at %s", detail->allocator,
		      size, detail->site);
	if (allocator->device != CUTOP_DEVICE_UNKNOWN)
		used = append(text, room, used, " on device %d", allocator->device);
	format_bytes((double)detail->allocated, own, sizeof(own));
	format_bytes((double)detail->reserved, size, sizeof(size));
	used = append(text, room, used, "; %s of the %s that it has are in tensors", own, size);
	if (detail->line_count) {
		format_bytes((double)detail->lines[0].live, most, sizeof(most));
		used = append(text, room, used, ", %s%s from %s",
			      detail->lines[0].sampled ? "~" : "", most, detail->lines[0].text);
	}
	if (detail->has_gaps) {
		format_bytes((double)detail->gaps, own, sizeof(own));
		format_bytes((double)detail->largest_gap, most, sizeof(most));
		used = append(text, room, used, "; %s are free, at most %s in one piece", own,
			      most);
	}
	if (detail->holder_count) {
		used = append(text, room, used, "; held there:");
		used = append_holders(text, room, used, detail);
	}
	if (hidden)
		append(text, room, used, " (and %u more not listed)", hidden);
}

void postmortem_nearly_full(const struct programs *programs, const struct device_use *use,
			    struct postmortem *report)
{
	char held[16], total[16];
	size_t used;

	report->detail = (struct snap_detail){
		.device = use->device,
		.call = CALL_COUNT,
		.tracked = use->live,
		.total = use->total,
	};
	find_holders(programs, &report->detail, use->device, use->total);
	format_bytes((double)use->live, held, sizeof(held));
	format_bytes((double)use->total, total, sizeof(total));
	used = append(report->text, sizeof(report->text), 0,
		      "device %d is nearly full: %s of %s (%.0f%%) are held by", use->device, held,
		      total, 100 * (double)use->live / (double)use->total);
	append_holders(report->text, sizeof(report->text), used, &report->detail);
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

	for (entry = launch_first(&program->counters); entry; entry = launch_next(entry)) {
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
static size_t append_suspects(char *text, size_t size, size_t used,
			      const struct snap_detail *detail)
{
	bool done[SUSPECTS_MAX] = { false };
	size_t i, j;

	for (i = 0; i < detail->suspect_count; i++) {
		const struct snap_suspect *first = &detail->suspects[i];
		const char *before = ": ";

		if (done[i])
			continue;
		used = append(text, size, used, i ? "; in" : " in");
		if (first->stream)
			used = append(text, size, used, " stream 0x%llx",
				      (unsigned long long)first->stream);
		else
			used = append(text, size, used, " the default stream");
		for (j = i; j < detail->suspect_count; j++) {
			const struct snap_suspect *suspect = &detail->suspects[j];

			if (suspect->stream != first->stream || suspect->device != first->device)
				continue;
			done[j] = true;
			used = append(text, size, used, "%s%s%s", before, suspect->kernel,
				      suspect->stream_exact ? "" : "?");
			before = ", ";
		}
	}
	return used;
}

void postmortem_fault(struct program *program, const struct rec_fail_at *at,
		      struct postmortem *report)
{
	const struct rec_fail *record = &at->fail;
	enum call_layer layer = call_layer(record->call);
	const char *name = error_name(layer, record->result),
		   *meaning = error_meaning(layer, record->result);
	struct snap_detail *detail = &report->detail;
	const size_t room = sizeof(report->text);
	size_t used;

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
	used = append(report->text, room, 0,
		      "%s%s%s failed: %s (%d)%s%s; every call fails from here on",
		      call_name(record->call), detail->site[0] ? " at " : "", detail->site,
		      name ? name : "error", record->result, meaning ? ": " : "",
		      meaning ? meaning : "");
	if (detail->suspect_count) {
		used = append(report->text, room, used, "; launched last");
		append_suspects(report->text, room, used, detail);
	} else {
		append(report->text, room, used,
		       "; no kernel was launched since the last synchronize that succeeded");
	}
}
