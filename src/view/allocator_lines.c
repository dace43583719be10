/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/allocator_lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cuda/calls.h"
#include "util/util.h"

#define FRAGMENTED       0.2
#define FRAGMENTED_BYTES (256.0 * 1024 * 1024)

/* ---- figures ---- */

enum { PARTS_MAX = 12 };

/* What a line consists of. What has the highest rank is left out first. */
struct parts {
	struct {
		char text[64];
		enum style style;
		int rank;
	} list[PARTS_MAX];
	size_t count;
};

static void __attribute__((format(printf, 4, 5)))
part_add(struct parts *parts, int rank, enum style style, const char *format, ...)
{
	va_list args;

	if (parts->count == PARTS_MAX)
		return;
	va_start(args, format);
	vsnprintf(parts->list[parts->count].text, sizeof(parts->list[0].text), format, args);
	va_end(args);
	parts->list[parts->count].rank = rank;
	parts->list[parts->count++].style = style;
}

static int parts_width(const struct area *area, const struct parts *parts)
{
	int width = 0;

	for (size_t i = 0; i < parts->count; i++)
		width += (i ? 2 : 0) + canvas_width(area->canvas, parts->list[i].text);
	return width;
}

/* Returns the column after it. */
static int parts_draw(const struct area *area, int row, int cols, struct parts *parts)
{
	int col = 1;
	size_t i, last;

	while (parts->count > 1 && parts_width(area, parts) + col > cols) {
		for (last = 0, i = 1; i < parts->count; i++)
			if (parts->list[i].rank >= parts->list[last].rank)
				last = i;
		parts->count--;
		memmove(&parts->list[last], &parts->list[last + 1],
			(parts->count - last) * sizeof(parts->list[0]));
	}
	for (i = 0; i < parts->count && col < cols; i++)
		col = area_cut(area, row, col, cols - col, parts->list[i].style,
			       parts->list[i].text) +
		      2;
	return col;
}

static const char *bytes_text(double bytes, char out[32])
{
	format_bytes(bytes, out, 32);
	return out;
}

static double unusable(const struct snap_allocator *allocator)
{
	return allocator->has_gaps && allocator->fragmentation > 0 ?
		       allocator->fragmentation * (double)allocator->reserved :
		       0;
}

static bool is_fragmented(const struct snap_allocator *allocator)
{
	return allocator->fragmentation >= FRAGMENTED && unusable(allocator) >= FRAGMENTED_BYTES;
}

/*
 * The last request of @allocator that found no memory, if gaps are to blame: at least half of what
 * was asked for was in smaller ones.
 */
static const struct snap_detail *shortage_find(const struct snapshot *snapshot,
					       const struct snap_process *process,
					       const struct snap_allocator *allocator)
{
	for (size_t i = snapshot->event_count; allocator->shortages && i-- > 0;) {
		const struct snap_event *event = &snapshot->events[i];
		const struct snap_detail *detail = event->detail;

		if (event->kind != EVENT_OUT_OF_MEMORY || event->pid != process->pid || !detail ||
		    !detail->allocator || strcmp(detail->allocator, allocator->name) ||
		    detail->device != allocator->device)
			continue;
		return detail->has_gaps && detail->gaps >= detail->asked / 2 &&
				       detail->largest_gap < detail->asked ?
			       detail :
			       NULL;
	}
	return NULL;
}

bool fragmented_find(const struct snapshot *snapshot, const struct snap_process *process,
		     struct fragmented *found)
{
	*found = (struct fragmented){ .allocator = NULL };
	for (size_t i = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];
		const struct snap_detail *shortage = shortage_find(snapshot, process, allocator);

		if (!shortage && !is_fragmented(allocator))
			continue;
		/* What has failed already says more than what may fail. */
		if (found->allocator &&
		    (found->shortage ?
			     !shortage || unusable(allocator) <= unusable(found->allocator) :
			     !shortage && unusable(allocator) <= unusable(found->allocator)))
			continue;
		*found = (struct fragmented){ allocator, shortage };
	}
	return found->allocator != NULL;
}

/* What is not as it should be. */
static void caveats_add(struct parts *parts, const struct snap_allocator *allocator)
{
	char text[32];

	if (allocator->shortages)
		part_add(parts, 3, ST_FAILED, "%" PRIu64 " out of memory", allocator->shortages);
	if (allocator->unknown)
		part_add(parts, 2, ST_HELD, "%s in blocks from before cutop watched",
			 bytes_text((double)allocator->unknown, text));
	if (allocator->drawn_count && allocator->drawn_count < allocator->blocks)
		part_add(parts, 2, ST_HELD, "%zu of %zu blocks drawn", allocator->drawn_count,
			 allocator->blocks);
	if (allocator->inexact)
		part_add(parts, 5, ST_HELD, "reports were lost");
}

/* Figures of @allocator, or of several as one: @worst has the highest fragmentation of them. */
static void figures_add(struct parts *parts, const struct snap_allocator *allocator,
			const struct snap_allocator *worst, int width)
{
	char gaps[32], largest[32], whose[24] = "";
	enum style style = worst && is_fragmented(worst) ? ST_SUSPECT : ST_PLAIN;

	if (allocator->segment_count || !allocator->blocks)
		part_add(parts, 7, ST_PLAIN, "%*zu segment%s", width ? 4 : 0,
			 allocator->segment_count,
			 allocator->segment_count == 1 && !width ? "" : "s");
	part_add(parts, 6, ST_PLAIN, "%*zu block%s", width, allocator->blocks,
		 allocator->blocks == 1 && !width ? "" : "s");
	if (!allocator->has_gaps)
		return;
	part_add(parts, 4, ST_PLAIN, "gaps %*s, largest %*s", width,
		 bytes_text((double)allocator->free_in_segments, gaps), width,
		 bytes_text((double)allocator->largest_gap, largest));
	if (!worst || isnan(worst->fragmentation))
		return;
	if (worst != allocator)
		snprintf(whose, sizeof(whose), " on %d", worst->device);
	part_add(parts, 1, style, "fragmentation %*.0f%%%s", width ? 3 : 0,
		 worst->fragmentation * 100, whose);
}

static const struct snap_allocator *fragmented_most(const struct snap_process *process)
{
	const struct snap_allocator *worst = NULL;

	for (size_t i = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];

		if (allocator->has_gaps && !isnan(allocator->fragmentation) &&
		    (!worst || allocator->fragmentation > worst->fragmentation))
			worst = allocator;
	}
	return worst;
}

int allocators_line(const struct area *area, int row, int cols, const struct snap_process *process)
{
	struct snap_allocator sum = { .has_gaps = true };
	struct parts parts = { .count = 0 };
	size_t i;

	if (!process->allocator_count)
		return 0;
	if (process->allocator_count == 1) {
		const struct snap_allocator *only = &process->allocators[0];

		part_add(&parts, 0, ST_HEAD, "%s", only->name);
		figures_add(&parts, only, only, 0);
		caveats_add(&parts, only);
		return parts_draw(area, row, cols, &parts);
	}
	for (i = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];

		sum.segment_count += allocator->segment_count;
		sum.blocks += allocator->blocks;
		sum.drawn_count += allocator->drawn_count;
		sum.unknown += allocator->unknown;
		sum.shortages += allocator->shortages;
		sum.inexact |= allocator->inexact;
		sum.has_gaps &= allocator->has_gaps;
		sum.free_in_segments += allocator->free_in_segments;
		if (allocator->largest_gap > sum.largest_gap)
			sum.largest_gap = allocator->largest_gap;
	}
	part_add(&parts, 0, ST_HEAD, "%s on %zu devices", process->allocators[0].name,
		 process->allocator_count);
	figures_add(&parts, &sum, fragmented_most(process), 0);
	caveats_add(&parts, &sum);
	return parts_draw(area, row, cols, &parts);
}

int allocators_lines(const struct area *area, int row, const struct snap_process *process)
{
	int end = 0, end_here;

	for (size_t i = 0; i < process->allocator_count; i++, row++) {
		const struct snap_allocator *allocator = &process->allocators[i];
		struct parts parts = { .count = 0 };
		char tensors[32], cache[32];

		part_add(&parts, 0, ST_HEAD, "%s dev %d", allocator->name, allocator->device);
		part_add(&parts, 2, ST_LIVE, "%6s tensors",
			 bytes_text((double)allocator->allocated, tensors));
		if (allocator->has_totals)
			part_add(&parts, 3, ST_HELD, "%6s cache",
				 bytes_text(allocator->reserved > allocator->allocated ?
						    (double)(allocator->reserved -
							     allocator->allocated) :
						    0,
					    cache));
		figures_add(&parts, allocator, allocator, 6);
		caveats_add(&parts, allocator);
		end_here = parts_draw(area, row, area->rect.cols, &parts);
		end = i ? end : end_here;
	}
	return end;
}

/* ---- what to do ---- */

/* What is wrong with @found, and in few words. */
static void fragmented_say(const struct snap_process *process, const struct fragmented *found,
			   char *text, char *brief, size_t size)
{
	const struct snap_allocator *allocator = found->allocator;
	char bytes[32], request[32], where[24] = "";

	if (process->allocator_count > 1 && allocator->device >= 0)
		snprintf(where, sizeof(where), "dev %d: ", allocator->device);
	if (found->shortage) {
		bytes_text((double)found->shortage->gaps, bytes);
		bytes_text((double)found->shortage->asked, request);
		snprintf(text, size, "%sno %s in one piece while %s lay in smaller gaps: ", where,
			 request, bytes);
	} else {
		bytes_text(unusable(allocator), bytes);
		bytes_text((double)allocator->largest_request, request);
		snprintf(text, size, "%s%s lie in gaps too small for a request of %s: ", where,
			 bytes, request);
	}
	snprintf(brief, size, "%s%s in gaps: ", where, bytes);
}

void fragmented_line(const struct area *area, int row, const struct snap_process *process,
		     const struct fragmented *found)
{
	static const char *const remedies[2][3] = {
		{ "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True joins them, else max_split_size_mb limits it",
		  "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, else max_split_size_mb",
		  "try expandable_segments:True" },
		{ "torch.cuda.empty_cache() gives their pages back, and max_split_size_mb limits it",
		  "torch.cuda.empty_cache(), and max_split_size_mb", "try max_split_size_mb" },
	};
	bool is_expandable = false;
	char whole[160], brief[160], text[320];
	size_t i;

	for (i = 0; i < found->allocator->segment_count; i++)
		is_expandable |= found->allocator->segments[i].is_expandable;
	fragmented_say(process, found, whole, brief, sizeof(whole));
	for (i = 0; i < 4; i++) {
		snprintf(text, sizeof(text), "%s%s",
			 i == 0 ? whole :
			 i == 1 ? brief :
				  "",
			 remedies[is_expandable][i > 1 ? i - 1 : i]);
		if (canvas_width(area->canvas, text) + 4 <= area->rect.cols)
			break;
	}
	area_text(area, row, 1, ST_SUSPECT, "!");
	area_cut(area, row, 3, area->rect.cols - 4, ST_SUSPECT, text);
}

/* ---- one block ---- */

static int said(char *out, size_t size, int len, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Appends to @out, of which @len bytes are used; returns how many are then. */
static int said(char *out, size_t size, int len, const char *format, ...)
{
	va_list args;
	int added;

	if (len < 0 || (size_t)len >= size)
		return len;
	va_start(args, format);
	added = vsnprintf(out + len, size - (size_t)len, format, args);
	va_end(args);
	return added < 0 ? len : len + added;
}

static void block_text(char *out, size_t size, const struct memory_row *shown,
		       const struct segment_list *segments)
{
	const struct snap_alloc *alloc = shown->alloc;
	const struct stretch *stretch =
		shown->allocator && segments ?
			segment_list_find(segments, alloc->device, alloc->address) :
			NULL;
	const char *state = alloc->state >= ALLOC_STATE_COUNT ? "?" :
								alloc_state_names[alloc->state];
	char number[32], age[32];
	int len;

	format_age(shown->alloc->age, age, sizeof(age));
	if (shown->allocator && alloc->state == ALLOC_SUSPECT)
		state = "rising";
	len = said(out, size, 0, "%s %s %s  %#" PRIx64, bytes_text((double)alloc->bytes, number),
		   state, age, alloc->address);
	if (!shown->allocator)
		said(out, size, len, "  by %s", call_name(alloc->call));
	else if (stretch && stretch->is_guess)
		said(out, size, len, "  its segment is not known");
	if (!stretch || stretch->is_guess)
		return;
	len = said(out, size, len, "  segment %s %.0f%% used, %zu block%s",
		   bytes_text(stretch_size(stretch), number),
		   floor((double)stretch->used / stretch_size(stretch) * 100), stretch->blocks,
		   stretch->blocks == 1 ? "" : "s");
	if (stretch->largest_gap)
		said(out, size, len, ", gap %s", bytes_text((double)stretch->largest_gap, number));
}

void memory_row_lines(const struct area *area, int row, int rows, const struct memory_row *shown,
		      const struct segment_list *segments)
{
	char text[512], number[32];
	int col = 1, cols = area->rect.cols;

	if (shown->allocator)
		area_text(area, row, col, ST_TAB, "●");
	col += 2;
	if (rows < 2) {
		bytes_text((double)shown->alloc->bytes, number);
		col = area_text(area, row, col, ST_LIVE, number) + 1;
	}
	area_cut(area, row, col, cols - col - 1, ST_HEAD, shown->alloc->site);
	if (rows < 2)
		return;
	block_text(text, sizeof(text), shown, segments);
	area_cut(area, row + 1, 3, cols - 4, ST_DIM, text);
}
