/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of the books: what allocations, frees, resets and ends of processes
 * do to a process's figures.
 *
 * Records are made when a call returns, but memory changes hands inside it.
 * While thread A is still on its way out of free(p), thread B may be given p
 * again and return first; then B's allocation is fed before A's free. So an
 * allocation at an address that is still live does not prove a missed free: the
 * old one leaves the figures at once (both cannot be live, and the peak must not
 * hold both) and waits among the displaced. A free of p that was entered before
 * B's allocation returned can only mean the old one, since nobody could know the
 * new one yet. Nor is the end of a context told before it has given up its memory: what it owned may be among the
 * displaced as well, and is ended there. What nobody claims within a second of records was a missed free.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "model/columns.h"
#include "model/internal.h"

#define RESULT_OUT_OF_MEMORY 2		/* cudaErrorMemoryAllocation, CUDA_ERROR_OUT_OF_MEMORY */

/* Takes a live allocation out of the figures. Its node stays. */
static void leave_live(struct model *model, struct image *image, struct alloc_node *node, uint64_t time)
{
	struct site *site = image->sites.list[node->site];

	if (node->kind == KIND_ARRAY)
		tiles_end(model, image, node->address, time);
	image->live_allocations--;
	if (!KIND_IS_VRAM(node->kind) || !image->checkpointed)
		image->kinds[node->kind] = subtract_saturated(image->kinds[node->kind], node->bytes);
	if (!KIND_CAN_LEAK(node->kind))
		return;
	if (KIND_IS_VRAM(node->kind) && !image->checkpointed) {
		image->live = subtract_saturated(image->live, node->bytes);
		devices_remove(model, image, node->device, node->bytes);
	} else if (!KIND_IS_VRAM(node->kind)) {
		site->managed = subtract_saturated(site->managed, node->bytes);
	}
	site->live = subtract_saturated(site->live, node->bytes);
	suspect_change(model, site, time);
}

/* True if the record of the free of @node may have been among those that were lost. */
static bool may_be_freed(const struct image *image, const struct alloc_node *node)
{
	return image->lost_time && node->born <= image->lost_time;
}

/*
 * What had to be freed, whose owner ended at @time, and that is live no more: leaked, or held. To call a leak what may have been freed
 * while records were lost would be a guess: that is suspect.
 */
static void count_ended(struct image *image, struct alloc_node *node, enum node_end end, uint64_t time)
{
	struct site *site = image->sites.list[node->site];

	node->state = may_be_freed(image, node) && !site->held ? NODE_UNSURE : NODE_ENDED;
	node->end = end;
	node->born = subtract_saturated(time, node->born);
	if (node->state == NODE_UNSURE) {
		site->unsure = add_saturated(site->unsure, node->bytes);
		return;
	}
	site->ended = add_saturated(site->ended, node->bytes);
	site->ended_by[end] = add_saturated(site->ended_by[end], node->bytes);
	devices_ended(image, node->device, (int64_t)node->bytes, site->held);
	if (site->held)
		image->held = add_saturated(image->held, node->bytes);
	else
		image->leaked = add_saturated(image->leaked, node->bytes);
}

/* A live allocation whose owner ends. What cannot leak is gone without harm. */
static void end_node(struct model *model, struct image *image, struct alloc_node *node, enum node_end end, uint64_t time)
{
	leave_live(model, image, node, time);
	if (KIND_CAN_LEAK(node->kind))
		count_ended(image, node, end, time);
	else
		book_remove(&image->book, node);
}

/* What ended at @site is held from now on, or leaked: on each device as well. */
static void move_ended(struct image *image, const struct site *site, bool held)
{
	struct book_cursor cursor;
	struct alloc_node *node;

	book_walk(&image->book, &cursor);
	while ((node = book_next(&cursor)) != NULL) {
		if (node->state != NODE_ENDED || node->site != site->index)
			continue;
		devices_ended(image, node->device, -(int64_t)node->bytes, !held);
		devices_ended(image, node->device, (int64_t)node->bytes, held);
	}
}

void ledger_hold_site(struct image *image, struct site *site, bool held)
{
	if (site->held == held)
		return;
	site->held = held;
	if (site->ended)
		move_ended(image, site, held);
	if (held) {
		image->leaked = subtract_saturated(image->leaked, site->ended);
		image->held = add_saturated(image->held, site->ended);
	} else {
		image->held = subtract_saturated(image->held, site->ended);
		image->leaked = add_saturated(image->leaked, site->ended);
	}
}

void ledger_expire(struct model *model, struct image *image, uint64_t now)
{
	size_t count;

	if (!image->book.displaced_count || now < DISPLACED_NS)
		return;
	count = book_expire(&image->book, now - DISPLACED_NS);
	if (count) {
		model_lose(model, LOST_FREE, count);
		image->inexact = true;
	}
}

static void displace(struct model *model, struct image *image, struct alloc_node *node, uint64_t when)
{
	if (node->state == NODE_LIVE) {
		leave_live(model, image, node, when);
		if (!book_displace(&image->book, node, when)) {
			model_lose(model, LOST_FREE, 1);
			image->inexact = true;
		}
	}
	book_remove(&image->book, node);
}

/* The number of the context with @handle: 0 for none, or, unless @add, if it owns nothing. */
static uint16_t context_index(struct image *image, uint64_t handle, bool add)
{
	size_t i, place = image->context_count;
	uint64_t *list;

	if (!handle)
		return 0;
	for (i = 0; i < image->context_count; i++) {
		if (image->contexts[i] == handle)
			return (uint16_t)(i + 1);
		if (!image->contexts[i])
			place = i;	/* of one that ended: nothing that is live refers to it */
	}
	if (!add)
		return 0;
	if (place == image->context_count) {
		list = place < CONTEXTS_MAX ? realloc(image->contexts, (place + 1) * sizeof(*list)) : NULL;
		if (!list) {
			image->inexact = true;	/* its end will not be seen */
			return 0;
		}
		image->contexts = list;
		image->context_count++;
	}
	image->contexts[place] = handle;
	return (uint16_t)(place + 1);
}

void ledger_retain(struct alloc_node *node)
{
	if (node->opens < UINT16_MAX)
		node->opens++;
}

void ledger_release(struct model *model, struct image *image, struct alloc_node *node, uint64_t time)
{
	if (node->opens > 1) {
		node->opens--;
		return;
	}
	image->frees++;
	leave_live(model, image, node, time);
	book_note_freed(&image->book, node->address);
	book_remove(&image->book, node);
}

/* Whether @image is to keep no more allocations, since there are too many. Asked anew now and then only: it takes a walk. */
static bool book_is_full(struct model *model, struct image *image)
{
	struct image *other;
	size_t count = 0;

	if (image->book.count < NODES_FREE)
		return false;
	if (image->nodes_asked++ % 4096 == 0) {
		for (other = image_tree_first(model); other; other = image_tree_next(other))
			count += other->book.count;
		image->nodes_full = count >= NODES_MAX;
	}
	return image->nodes_full;
}

static bool is_handle(const struct rec_alloc *record)
{
	return record->kind == KIND_ARRAY || record->kind == KIND_PHYSICAL || call_descs[record->call].flags & CALL_HANDLE;
}

/*
 * Whether @node belongs to no context, so that neither a destroyed context nor a device's reset frees it.
 * Source: cuda.h, cuCtxDestroy(), of cuMemCreate(), cuMemAllocAsync() and cuMemAllocFromPoolAsync(); cuda_runtime_api.h,
 * cudaDeviceReset(), of the last two. That a primary context's reset keeps them, too, was seen in CUDA.jl's issue 1579.
 */
static bool outlives_contexts(const struct alloc_node *node)
{
	return call_descs[node->call].flags & CALL_NO_CONTEXT;
}

void ledger_checkpoint(struct model *model, struct image *image, bool out, uint64_t time)
{
	struct book_cursor cursor;
	struct alloc_node *node;

	if (image->checkpointed == out)
		return;
	image->checkpointed = out;
	book_walk(&image->book, &cursor);
	while ((node = book_next(&cursor)) != NULL) {
		if (node->state != NODE_LIVE || !KIND_IS_VRAM(node->kind))
			continue;
		if (out) {
			image->kinds[node->kind] = subtract_saturated(image->kinds[node->kind], node->bytes);
			image->live = subtract_saturated(image->live, node->bytes);
			devices_remove(model, image, node->device, node->bytes);
		} else {
			image->kinds[node->kind] = add_saturated(image->kinds[node->kind], node->bytes);
			image->live = add_saturated(image->live, node->bytes);
			devices_add(model, image, node->device, node->bytes, time);
		}
	}
}

int ledger_alloc(struct model *model, struct image *image, const struct rec_alloc *record)
{
	uint64_t bytes = record->bytes < BYTES_MAX ? record->bytes : BYTES_MAX;
	struct alloc_node *node;
	struct site *site;

	image_note_device(image, record->device);
	if (record->result) {
		if (call_failed(record->call, record->result))
			image->failed_allocations++;
		if (record->result == RESULT_OUT_OF_MEMORY)
			mortem_out_of_memory(model, image, record);
		return 0;
	}
	if (!record->address)
		return 0;
	ledger_checkpoint(model, image, false, record->hdr.time);	/* that it was restored was not seen */

	node = record->kind == KIND_SHARED ? book_at(&image->book, record->address) : NULL;
	if (node && node->kind == KIND_SHARED && node->state == NODE_LIVE) {
		/* Opened once more: the same memory, to be closed once more. */
		ledger_retain(node);
		return 0;
	}
	while ((node = book_overlap(&image->book, record->address, bytes, is_handle(record))) != NULL)
		displace(model, image, node, record->hdr.time);

	site = sites_get(&image->sites, record->site, record->stack);
	node = site && !book_is_full(model, image) ? book_add(&image->book, record->address, bytes, is_handle(record)) : NULL;
	if (!node) {
		image->inexact = true;
		return -ENOMEM;
	}
	node->kind = record->kind;
	node->born = record->hdr.time;
	node->site = site->index;
	node->call = record->call;
	node->device = record->device >= 0 && record->device < INT16_MAX ? (int16_t)record->device : CUTOP_DEVICE_UNKNOWN;
	node->element_bytes = record->element_bytes < UINT16_MAX ? (uint16_t)record->element_bytes : UINT16_MAX;
	node->opens = 1;
	node->is_deferred = (record->how & ALLOC_DEFERRED) != 0;
	node->context = outlives_contexts(node) ? 0 : context_index(image, record->context, true);

	/* Where its own functions are not watched, the runtime's calls of the driver tell of it. */
	if (!site->allocations)
		site->by_runtime = kernels_is_runtime(image, site->address);
	if (!record->context && !outlives_contexts(node) &&
	    (call_descs[record->call].layer == LAYER_RUNTIME || site->by_runtime))
		image_note_runtime(image, node->device);

	image->allocations++;
	image->live_allocations++;
	image->kinds[node->kind] = add_saturated(image->kinds[node->kind], bytes);
	if (!site->allocations)
		site->device = node->device;
	else if (site->device != node->device)
		site->device = CUTOP_DEVICE_UNKNOWN;
	site->allocations++;
	if (KIND_IS_VRAM(node->kind)) {
		image->live = add_saturated(image->live, bytes);
		if (image->live > image->peak)
			image->peak = image->live;
		devices_add(model, image, node->device, bytes, record->hdr.time);
	} else if (KIND_CAN_LEAK(node->kind)) {
		site->managed = add_saturated(site->managed, bytes);
	}
	if (KIND_CAN_LEAK(node->kind)) {
		image->allocated = add_saturated(image->allocated, bytes);
		site->allocated = add_saturated(site->allocated, bytes);
		site->live = add_saturated(site->live, bytes);
		suspect_change(model, site, record->hdr.time);
		caches_note(image, site, node->kind, bytes);
	}
	return 0;
}

static void failed_free(struct model *model, struct image *image, const struct rec_free *record, const struct alloc_node *node)
{
	char where[256], more[48] = "";
	unsigned int hidden;

	if ((node && node->state == NODE_LIVE) || !book_was_freed(&image->book, record->address)) {
		image->failed_frees++;
		return;
	}
	image->double_frees++;
	if (!events_allow(image, EVENT_DOUBLE_FREE, record->hdr.time, &hidden))
		return;
	if (hidden)
		snprintf(more, sizeof(more), " (and %u more not listed)", hidden);
	describe_address(image, record->site, where, sizeof(where));
	events_add(model, image, EVENT_DOUBLE_FREE, record->hdr.time, 0,
		   "%s of 0x%llx, which was freed before, called from %s%s", call_name(record->call),
		   (unsigned long long)record->address, where, more);
}

/* An allocation taken for ended by a reset is freed with success: it was not. */
static void unleak(struct image *image, const struct alloc_node *node)
{
	struct site *site = image->sites.list[node->site];

	image->inexact = true;
	if (node->state == NODE_UNSURE) {
		site->unsure = subtract_saturated(site->unsure, node->bytes);
		return;
	}
	site->ended = subtract_saturated(site->ended, node->bytes);
	site->ended_by[node->end] = subtract_saturated(site->ended_by[node->end], node->bytes);
	devices_ended(image, node->device, -(int64_t)node->bytes, site->held);
	if (site->held)
		image->held = subtract_saturated(image->held, node->bytes);
	else
		image->leaked = subtract_saturated(image->leaked, node->bytes);
}

void ledger_free(struct model *model, struct image *image, const struct rec_free *record)
{
	struct alloc_node *node;

	if (!record->address)
		return;
	node = book_at(&image->book, record->address);
	if (record->result) {
		if (call_failed(record->call, record->result))
			failed_free(model, image, record, node);
		return;
	}
	if (book_claim(&image->book, record->address, record->entry)) {
		image->frees++;
		if (!node)
			book_note_freed(&image->book, record->address);
		return;
	}
	/* Entered before the allocation that stands there was known to anyone: not meant. */
	if (node && node->state == NODE_LIVE && record->entry < node->born)
		node = NULL;
	if (!node) {
		tiles_end(model, image, record->address, record->hdr.time);
		image->unknown_frees++;
		return;
	}
	if (node->state == NODE_LIVE) {
		ledger_release(model, image, node, record->hdr.time);
		return;
	}
	image->frees++;
	unleak(image, node);
	book_note_freed(&image->book, record->address);
	book_remove(&image->book, node);
}

/* How many different devices the process is known to use. */
static unsigned int device_count(const struct image *image)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < sizeof(image->devices) / sizeof(image->devices[0]); i++)
		count += (unsigned int)__builtin_popcountll(image->devices[i]);
	return count;
}

/*
 * Whether @site is in a function of the runtime that is linked into the program: of the table, or as NVIDIA's archive calls its
 * inner ones (probe/runtime_code.c). Names of call sites come late, so this is asked at the end.
 */
static bool is_linked_runtime(const struct site *site)
{
	static const char inner[] = "libcudart_static_";
	const char *name = site->place->name;
	size_t len = name ? strcspn(name, "+ (") : 0;
	unsigned int call;

	if (!len || !strncmp(name, inner, sizeof(inner) - 1))
		return len;
	for (call = 0; call < CALL_COUNT; call++)
		if (call_descs[call].layer == LAYER_RUNTIME && !strncmp(call_name(call), name, len) && !call_name(call)[len])
			return true;
	return false;
}

static bool is_release(const struct rec_reset *record)
{
	const struct call_desc *desc = &call_descs[record->call];

	return desc->class == CLASS_CONTEXT && (desc->a == CONTEXT_RELEASE || desc->a == CONTEXT_GREEN_END);
}

/* Whether the end of @context (0: of the primary one of @device) ends @node. */
static bool is_ended_by(struct image *image, const struct alloc_node *node, uint16_t context, const struct rec_reset *record)
{
	int device = record->device;

	if (node->state != NODE_LIVE || node->context != context || outlives_contexts(node))
		return false;
	if (context || device == CUTOP_DEVICE_UNKNOWN || node->device == device)
		return true;
	/* A context that was retained where it was seen is known, and so is its device: this is of one that something else holds. */
	if (node->device != CUTOP_DEVICE_UNKNOWN || is_release(record))
		return false;
	/* On which device it lies is not known: on the only one, or nobody can say. */
	if (device_count(image) <= 1)
		return true;
	image->inexact = true;
	return false;
}

/*
 * Whether @record is of a release that seemed the last of a primary context, although the runtime works in it. The runtime
 * holds a reference of its own, but may have taken it by a call that cannot be seen: then the pairs of retain and release
 * that other libraries make come to nothing in what was counted, and end nothing.
 */
static bool is_others_release(const struct image *image, const struct rec_reset *record)
{
	size_t i;

	if (!is_release(record))
		return false;
	for (i = 0; i < image->sites.count; i++) {
		const struct site *site = image->sites.list[i];

		if (site->live && (site->device == record->device || site->device == CUTOP_DEVICE_UNKNOWN) &&
		    (site->by_runtime || is_linked_runtime(site)))
			return true;
	}
	return image_runtime_uses(image, record->device);
}

/* Whether it also ends the runtime's own reference: what the runtime did before says nothing of the context that comes. */
static bool is_reset(const struct rec_reset *record)
{
	const struct call_desc *desc = &call_descs[record->call];

	return desc->class == CLASS_RESET || (desc->class == CLASS_CONTEXT && desc->a == CONTEXT_RESET);
}

void ledger_reset(struct model *model, struct image *image, const struct rec_reset *record)
{
	uint64_t leaked = image->leaked, held = image->held, count = 0;
	uint16_t context = context_index(image, record->context, false);
	enum node_end end = record->context ? NODE_END_CONTEXT : NODE_END_RESET;
	struct book_cursor cursor;
	struct alloc_node *node;
	char bytes[16], device[24] = "";
	uint64_t entry = subtract_saturated(record->hdr.time, (uint64_t)record->lasted * CUTOP_LASTED_NS);
	size_t i;

	image_note_device(image, record->device);
	if (is_others_release(image, record))
		return;
	statics_end(image, record->context, record->device);
	if (!record->context && is_reset(record))
		image_forget_runtime(image, record->device);
	if (record->context && !context)
		return;		/* it owned nothing */
	if (context)
		image->contexts[context - 1] = 0;
	image->end_calls[end] = record->call;
	book_walk(&image->book, &cursor);
	while ((node = book_next(&cursor)) != NULL) {
		if (!is_ended_by(image, node, context, record))
			continue;
		count += KIND_CAN_LEAK(node->kind);
		end_node(model, image, node, end, record->hdr.time);
	}
	for (i = image->book.displaced_count; i-- > 0;) {
		node = &image->book.displaced[i].was;
		/* What was given to others before the call that ended it was freed by somebody. */
		if (image->book.displaced[i].when < entry || !is_ended_by(image, node, context, record))
			continue;
		if (KIND_CAN_LEAK(node->kind)) {
			count++;
			count_ended(image, node, end, record->hdr.time);
		}
		book_drop_displaced(&image->book, i);
	}
	leaked = subtract_saturated(image->leaked, leaked);
	held = subtract_saturated(image->held, held);
	format_bytes((double)leaked, bytes, sizeof(bytes));
	if (record->device != CUTOP_DEVICE_UNKNOWN)
		snprintf(device, sizeof(device), " of device %d", record->device);
	events_add(model, image, EVENT_RESET, record->hdr.time, leaked,
		   "%s%s ended %llu live allocation%s: %s leaked%s", call_name(record->call), device,
		   (unsigned long long)count, count == 1 ? "" : "s", bytes, held ? ", the rest held by caches" : "");
}

void ledger_end(struct model *model, struct image *image, uint64_t time)
{
	uint64_t leaked = image->leaked, count = 0, unsure = 0;
	struct book *book = &image->book;
	const struct site *most = NULL;
	struct book_cursor cursor;
	struct alloc_node *node;
	char bytes[16], where[256];
	size_t i;

	if (book->displaced_count) {
		model_lose(model, LOST_FREE, book->displaced_count);
		image->inexact = true;
	}
	for (i = 0; i < image->sites.count; i++)
		image->sites.list[i]->last_bytes = image->sites.list[i]->ended;
	tiles_free(image);	/* memory that they alone held was not given back */
	book_walk(book, &cursor);
	while ((node = book_next(&cursor)) != NULL) {
		if (node->state != NODE_LIVE)
			continue;
		end_node(model, image, node, NODE_END_EXIT, time);
		count += node->state == NODE_ENDED && !image->sites.list[node->site]->held;
		if (node->state == NODE_UNSURE)
			unsure = add_saturated(unsure, node->bytes);
	}
	levels_free(image);
	globals_free(image);
	statics_free(image);
	book_close(book);
	if (!book->count)
		book_clear(book);
	for (i = 0; i < image->sites.count; i++) {
		struct site *site = image->sites.list[i];

		suspect_free(site);
		if (site->held || site->ended == site->last_bytes)
			continue;
		if (!most || site->ended - site->last_bytes > most->ended - most->last_bytes)
			most = site;
	}
	if (unsure) {
		format_bytes((double)unsure, bytes, sizeof(bytes));
		events_add(model, image, EVENT_LOST, time, unsure, "%s were not seen freed: leaked, unless their frees are among "
			   "what was lost", bytes);
	}
	leaked = subtract_saturated(image->leaked, leaked);
	if (!leaked || !most)
		return;
	format_bytes((double)leaked, bytes, sizeof(bytes));
	describe_site(image, most, where, sizeof(where));
	events_add(model, image, EVENT_LEAK, time, leaked, "leaked %s in %llu allocation%s, most from %s", bytes,
		   (unsigned long long)count, count == 1 ? "" : "s", where);
}
