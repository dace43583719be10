/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reports of one allocator come in order (cutop_allocator.h), so a block needs no waiting for a
 * free that is late: where a new block lies, an older one is gone, and its report was lost. That is
 * also told by the totals, which each report has: they are the last ones plus its own bytes, or
 * something is missing in between. What an allocator says of itself is never corrected by what the
 * book adds up to: after a late attach, or a loss, only the book is incomplete.
 */
#include "model/blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/limits.h"
#include "model/sites.h"
#include "util/saturated.h"

#define REQUEST_NS 30000000000ull

/* ---- the allocators of a process ---- */

static struct allocator *allocator_get(struct blocks *blocks, unsigned int kind, int device)
{
	struct allocator *allocator, **list;
	size_t i;

	for (i = 0; i < blocks->count; i++) {
		allocator = blocks->list[i];
		if (allocator->kind == kind && allocator->device == device)
			return allocator;
		if (allocator->kind > kind ||
		    (allocator->kind == kind && allocator->device > device))
			break;
	}
	if (blocks->count >= ALLOCATORS_MAX)
		return NULL;
	list = realloc(blocks->list, (blocks->count + 1) * sizeof(struct allocator *));
	if (!list)
		return NULL;
	blocks->list = list;
	allocator = calloc(1, sizeof(*allocator));
	if (!allocator)
		return NULL;
	allocator->kind = kind;
	allocator->device = device;
	book_init(&allocator->book, blocks->nodes);
	memmove(list + i + 1, list + i, (blocks->count - i) * sizeof(struct allocator *));
	list[i] = allocator;
	blocks->count++;
	return allocator;
}

size_t blocks_count(const struct blocks *blocks)
{
	size_t i, count = 0;

	for (i = 0; i < blocks->count; i++)
		count += blocks->list[i]->book.count;
	return count;
}

bool blocks_inexact(const struct blocks *blocks)
{
	size_t i;

	for (i = 0; i < blocks->count; i++)
		if (blocks->list[i]->inexact)
			return true;
	return false;
}

size_t blocks_weight(const struct blocks *blocks)
{
	size_t i, weight = 0;

	for (i = 0; i < blocks->count; i++)
		weight += sizeof(struct allocator) +
			  blocks->list[i]->sites.count * sizeof(struct site);
	return weight;
}

static void allocator_free(struct allocator *allocator)
{
	book_clear(&allocator->book);
	sites_free(&allocator->sites);
	free(allocator);
}

void blocks_free(struct blocks *blocks)
{
	size_t i;

	for (i = 0; i < blocks->count; i++)
		allocator_free(blocks->list[i]);
	free(blocks->list);
	memset(blocks, 0, sizeof(*blocks));
}

/* ---- other numbers of devices ---- */

static void allocator_renumber(struct allocator *allocator, const struct own_devices *numbers)
{
	struct book_cursor cursor;
	struct alloc_node *node;
	size_t i;

	allocator->device = own_devices_machine(numbers, allocator->device);
	book_walk(&allocator->book, &cursor);
	while ((node = book_next(&cursor)) != NULL)
		node->device = (int16_t)allocator->device;
	for (i = 0; i < allocator->sites.count; i++)
		allocator->sites.list[i]->device = (int16_t)allocator->device;
}

static int allocator_order(const void *left, const void *right)
{
	const struct allocator *const *a = left, *const *b = right;

	return (*a)->kind != (*b)->kind ?
		       ((*a)->kind > (*b)->kind) - ((*a)->kind < (*b)->kind) :
		       ((*a)->device > (*b)->device) - ((*a)->device < (*b)->device);
}

/* What is counted of @from, and what rose or was live at its end, goes on in @into. */
static void sums_merge(struct allocator *into, const struct allocator *from)
{
	into->inexact = true;
	into->from_attach |= from->from_attach;
	into->sampled |= from->sampled;
	into->handed_out = add_saturated(into->handed_out, from->handed_out);
	into->taken_back = add_saturated(into->taken_back, from->taken_back);
	into->shortages = add_saturated(into->shortages, from->shortages);
	into->ended = add_saturated(into->ended, from->ended);
	into->rising = add_saturated(into->rising, from->rising);
	into->is_judged &= from->is_judged;
}

/*
 * Several become one if their devices are unknown now, of which there is one allocator. The books
 * of the others are given up: what they say next counts with it.
 */
void blocks_renumber(struct blocks *blocks, const struct own_devices *numbers)
{
	size_t i, count = 0;

	if (!blocks->count)
		return;
	for (i = 0; i < blocks->count; i++)
		allocator_renumber(blocks->list[i], numbers);
	qsort(blocks->list, blocks->count, sizeof(struct allocator *), allocator_order);
	for (i = 0; i < blocks->count; i++) {
		if (!count || allocator_order(&blocks->list[count - 1], &blocks->list[i])) {
			blocks->list[count++] = blocks->list[i];
			continue;
		}
		sums_merge(blocks->list[count - 1], blocks->list[i]);
		allocator_free(blocks->list[i]);
	}
	blocks->count = count;
}

/* ---- reports ---- */

static void request_note(struct allocator *allocator, uint64_t bytes, uint64_t time)
{
	if (subtract_saturated(time, allocator->request_since) >= REQUEST_NS) {
		allocator->requests[1] = allocator->requests[0];
		allocator->requests[0] = 0;
		allocator->request_since = time;
	}
	if (bytes > allocator->requests[0])
		allocator->requests[0] = bytes;
}

uint64_t blocks_request(const struct allocator *allocator)
{
	return allocator->requests[0] > allocator->requests[1] ? allocator->requests[0] :
								 allocator->requests[1];
}

/* What @allocator says of itself after its memory in use has changed by @bytes. */
static void totals_take(struct allocator *allocator, const struct rec_block *record)
{
	uint64_t before = record->allocated - (uint64_t)record->bytes;
	bool is_first = !allocator->handed_out && !allocator->taken_back;

	if (!record->has_totals) {
		if (record->bytes < 0)
			allocator->allocated =
				subtract_saturated(allocator->allocated, -(uint64_t)record->bytes);
		else
			allocator->allocated =
				add_saturated(allocator->allocated, (uint64_t)record->bytes);
	} else {
		if (is_first)
			allocator->from_attach = before != 0;
		else if (before != allocator->allocated && !allocator->paused)
			allocator->inexact = true;
		allocator->paused = false;
		allocator->has_totals = true;
		allocator->allocated = record->allocated;
		allocator->reserved = record->reserved;
	}
	if (allocator->allocated > allocator->peak_allocated)
		allocator->peak_allocated = allocator->allocated;
	if (allocator->reserved > allocator->peak_reserved)
		allocator->peak_reserved = allocator->reserved;
}

static void block_leave(struct allocator *allocator, struct alloc_node *node, uint64_t leak_age,
			uint64_t time)
{
	struct site *site = allocator->sites.list[node->site];

	allocator->booked = subtract_saturated(allocator->booked, node->bytes);
	if (node->opens) {
		site->live = subtract_saturated(site->live, node->opens * node->bytes);
		site->live_count = subtract_saturated(site->live_count, node->opens);
		suspect_change(&site->suspect, site->live, leak_age, time);
	}
	book_remove(&allocator->book, node);
}

static void block_take_back(struct allocator *allocator, const struct rec_block *record,
			    uint64_t leak_age)
{
	struct alloc_node *node = book_at(&allocator->book, record->address);

	allocator->taken_back++;
	if (!node) {
		/* One of those from before, or its own report was lost. */
		allocator->inexact |= !allocator->from_attach;
		return;
	}
	allocator->inexact |= node->bytes != -(uint64_t)record->bytes;
	block_leave(allocator, node, leak_age, record->hdr.time);
}

/* All allocators of a process together have as many sites as its allocations may have. */
static void sites_limit(const struct blocks *blocks, struct site_table *sites)
{
	size_t i, all = 0;

	for (i = 0; i < blocks->count; i++)
		all += blocks->list[i]->sites.count;
	sites->limit = all < SITES_MAX ? sites->count + SITES_MAX - all : 1;
}

/*
 * For how many blocks the one of @record stands. 0: it was not drawn. All of those share a site at
 * address 0, which counts nothing.
 */
static uint16_t block_weight(const struct rec_block *record)
{
	if (record->one_of <= 1)
		return 1;
	return record->site ? record->one_of : 0;
}

static int block_hand_out(struct allocator *allocator, struct name_store *names,
			  const struct rec_block *record, uint64_t leak_age)
{
	uint64_t bytes = (uint64_t)record->bytes, time = record->hdr.time;
	uint16_t weight = block_weight(record);
	struct alloc_node *node;
	struct site *site;

	allocator->handed_out++;
	request_note(allocator, bytes, time);
	while ((node = book_overlap(&allocator->book, record->address, bytes, false)) != NULL) {
		allocator->inexact = true;
		block_leave(allocator, node, leak_age, time);
	}
	site = sites_get(&allocator->sites, names, record->site, record->stack);
	node = site ? book_add(&allocator->book, record->address, bytes, false) : NULL;
	if (!node) {
		allocator->inexact = true;
		return -ENOMEM;
	}
	node->born = time;
	node->site = site->index;
	node->device = (int16_t)allocator->device;
	node->opens = weight;
	allocator->booked = add_saturated(allocator->booked, bytes);
	site->device = (int16_t)allocator->device;
	allocator->sampled |= record->one_of > 1;
	if (!weight)
		return 0;
	site->sampled |= weight > 1;
	site->allocations += weight;
	site->allocated = add_saturated(site->allocated, weight * bytes);
	site->live = add_saturated(site->live, weight * bytes);
	site->live_count += weight;
	suspect_change(&site->suspect, site->live, leak_age, time);
	return 0;
}

int blocks_record(struct blocks *blocks, struct name_store *names, const struct rec_block *record,
		  uint64_t leak_age)
{
	struct allocator *allocator = allocator_get(blocks, record->allocator, record->device);

	if (!allocator)
		return -ENOMEM;
	if (!blocks->first)
		blocks->first = record->hdr.time;
	totals_take(allocator, record);
	if (!record->has_totals && record->reserved)
		allocator->pool = record->reserved;
	if (record->bytes > 0) {
		sites_limit(blocks, &allocator->sites);
		return block_hand_out(allocator, names, record, leak_age);
	}
	block_take_back(allocator, record, leak_age);
	return 0;
}

static struct allocator *allocator_of_pool(struct blocks *blocks, const struct rec_short *record)
{
	size_t i;

	for (i = 0; i < blocks->count; i++)
		if (blocks->list[i]->kind == record->allocator &&
		    blocks->list[i]->pool == record->reserved)
			return blocks->list[i];
	return NULL;
}

struct allocator *blocks_short(struct blocks *blocks, const struct rec_short *record)
{
	struct allocator *allocator =
		record->allocator == ALLOCATOR_PYTORCH ?
			allocator_get(blocks, record->allocator, record->device) :
			allocator_of_pool(blocks, record);

	if (!allocator)
		return NULL;
	allocator->shortages++;
	/* It has given back to the driver what it could, which it reports nowhere else. */
	if (record->has_totals) {
		allocator->has_totals = true;
		allocator->allocated = record->allocated;
		allocator->reserved = record->reserved;
	}
	/* One that would have found room, were it in one piece, shows what the pieces are worth. */
	if (allocator->has_totals &&
	    record->bytes <= subtract_saturated(allocator->reserved, allocator->allocated))
		request_note(allocator, record->bytes, record->hdr.time);
	return allocator;
}

bool blocks_return(struct blocks *blocks, const struct rec_block *record, uint64_t leak_age)
{
	struct rec_block known = *record;
	size_t i;

	for (i = 0; i < blocks->count; i++) {
		struct allocator *allocator = blocks->list[i];
		struct alloc_node *node = allocator->kind == record->allocator ?
						  book_at(&allocator->book, record->address) :
						  NULL;

		if (!node)
			continue;
		known.bytes = -(int64_t)node->bytes;
		totals_take(allocator, &known);
		block_take_back(allocator, &known, leak_age);
		return true;
	}
	return false;
}

void blocks_pause(struct blocks *blocks)
{
	for (size_t i = 0; i < blocks->count; i++) {
		struct allocator *allocator = blocks->list[i];

		for (size_t j = 0; j < allocator->sites.count; j++) {
			struct site *site = allocator->sites.list[j];

			suspect_free(&site->suspect);
			site->live = site->live_count = 0;
		}
		book_clear(&allocator->book);
		allocator->booked = 0;
		allocator->from_attach = allocator->paused = true;
		/* It will not say what it has then: only what is handed out from there on is known. */
		if (!allocator->has_totals)
			allocator->allocated = 0;
	}
}

/* ---- the end ---- */

void blocks_end(struct blocks *blocks, uint64_t time, uint64_t leak_age)
{
	uint64_t since;
	size_t i, j;

	for (i = 0; i < blocks->count; i++) {
		struct allocator *allocator = blocks->list[i];

		for (j = 0; j < allocator->sites.count; j++) {
			struct site *site = allocator->sites.list[j];

			site->unsure = suspect_bytes(site->suspect, leak_age, time, &since);
			site->ended = site->live;
			allocator->rising = add_saturated(allocator->rising, site->unsure);
			suspect_free(&site->suspect);
			site->live = site->live_count = 0;
		}
		allocator->is_judged = suspect_can_tell(blocks->first, leak_age, time);
		allocator->ended = add_saturated(allocator->ended, allocator->booked);
		book_clear(&allocator->book);
		allocator->booked = 0;
		allocator->allocated = allocator->reserved = 0;
	}
}
