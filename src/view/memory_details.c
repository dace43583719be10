/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The story of an allocation: what it is, when and by whom it was made, and what else its site has. */
#include "view/memory_details.h"

#include <inttypes.h>

#include "cuda/calls.h"
#include "util/util.h"
#include "view/cells.h"

/* What each state means, as the man page says it. */
static const char *const meanings[ALLOC_STATE_COUNT] = {
	[ALLOC_LIVE] = "It was allocated, and not freed yet.",
	[ALLOC_SUSPECT] = "It may be leaked: the least that is live from its site keeps rising.",
	[ALLOC_LEAKED] = "It was never freed: its process has ended, or its context is gone.",
	[ALLOC_HELD] =
		"It was live when its process ended, and no leak: a cache or a pool kept it.",
	[ALLOC_SAVED] = "It is not on the device, because its process is checkpointed.",
};

static void site_section(const struct snap_site *site, bool is_block, struct details *details)
{
	char text[CELL_TEXT];

	details_section(details, "All that was allocated there");
	details_field(details, "made", ST_PLAIN, "%" PRIu64, site->allocations);
	cell_bytes(text, (double)site->allocated);
	details_field(details, "bytes of all", ST_PLAIN, "%s", text);
	cell_bytes(text, (double)site->live);
	details_field(details, "live", ST_LIVE, "%s", text);
	if (site->suspect) {
		cell_bytes(text, (double)site->suspect);
		details_field(details, is_block ? "rising" : "suspect", ST_SUSPECT, "~%s", text);
	}
	if (site->leaked) {
		cell_bytes(text, (double)site->leaked);
		details_field(details, "leaked", ST_LEAKED, "%s", text);
	}
}

static void segment_section(const struct snap_segment *segment, struct details *details)
{
	char text[CELL_TEXT], more[CELL_TEXT];

	details_section(details, "The segment that it is in");
	details_field(details, "address", ST_PLAIN, "0x%" PRIx64 "%s", segment->start,
		      segment->is_expandable ? ", expandable" : "");
	cell_bytes(text, (double)segment->used);
	cell_bytes(more, (double)(segment->end - segment->start));
	details_field(details, "used", ST_PLAIN, "%.32s of %.32s, in %zu block%s", text, more,
		      segment->blocks, segment->blocks == 1 ? "" : "s");
	cell_bytes(text, (double)segment->largest_gap);
	details_field(details, "largest gap", ST_PLAIN, "%s", text);
}

void memory_details(const struct list *list, const struct memory_row *row, enum style style,
		    const char *state, struct details *details)
{
	const struct snap_alloc *alloc = row->alloc;
	const struct snap_site *site = memory_row_site(list->process, row);
	char size[CELL_TEXT], age[32], when[32];
	bool is_known = alloc->state < ALLOC_STATE_COUNT;
	uint64_t lasted = row->alloc->age;
	uint64_t until = list->process->end_time ? list->process->end_time :
						   list->view->shown->time;

	cell_bytes(size, (double)alloc->bytes);
	details_text(details, ST_HEAD, "%.32s at 0x%" PRIx64 ", %s", size, alloc->address, state);
	details_section(details, row->allocator ? "Block" : "Allocation");
	details_field(details, "size", ST_PLAIN, "%" PRIu64 " bytes", alloc->bytes);
	format_age(lasted, age, sizeof(age));
	format_when(list->view, until > lasted ? until - lasted : 0, when, sizeof(when));
	details_field(details, "made", ST_PLAIN, "at %s, %s before %s", when, age,
		      list->process->end_time ? "its process ended" : "now");
	if (row->allocator)
		details_field(details, "by", ST_PLAIN, "%s's allocator", row->allocator->name);
	else
		details_field(details, "by", ST_PLAIN, "%s", call_name(alloc->call));
	if (!row->allocator && alloc->kind < KIND_COUNT)
		details_field(details, "kind", ST_PLAIN, "%s%s", alloc_kind_names[alloc->kind],
			      alloc->in_cache ? ", for a caching allocator" : "");
	if (alloc->device >= 0)
		details_field(details, "device", ST_PLAIN, "%d", alloc->device);
	details_field(details, "state", style, "%s", state);
	if (is_known)
		details_text(details, ST_DIM, "%s", meanings[alloc->state]);
	details_section(details, "Where it was made");
	if (!site || !site->stack_count)
		details_text(details, ST_PLAIN, "%s", alloc->site);
	for (size_t i = 0; site && i < site->stack_count; i++)
		details_text(details, i == site->shown ? ST_HEAD : ST_PLAIN, "%s %s",
			     i == site->shown ? "→" : " ", site->stack[i]);
	if (!site || site->stack_count < 2)
		details_text(details, ST_DIM, "Its stack is not known: see --stacks, and doctor.");
	for (size_t i = 0; row->allocator && i < row->allocator->segment_count; i++)
		if (alloc->address >= row->allocator->segments[i].start &&
		    alloc->address < row->allocator->segments[i].end)
			segment_section(&row->allocator->segments[i], details);
	if (site)
		site_section(site, row->allocator != NULL, details);
}
