/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory whose owner ends before it is freed: what a reset or the end of a context ends, and
 * whether that really happened, since the runtime and other libraries share a device's primary
 * context.
 */
#include "model/ledger_end.h"

#include <string.h>

#include "cuda/calls.h"
#include "model/place_frames.h"
#include "model/suspect.h"
#include "util/saturated.h"

/*
 * True if @site is in a function of the runtime that is linked into the program: one of the table,
 * or one named as NVIDIA's archive names its inner functions (probe/runtime_code.c). Names of call
 * sites come late, so this is asked at the end.
 */
static bool is_linked_runtime(const struct site *site)
{
	static const char inner[] = "libcudart_static_";
	size_t outer = place_frames_count(site->place) - 1;
	const char *name = place_frames_text(site->place, outer);
	size_t len = name ? strcspn(name, "+ (") : 0;
	unsigned int call;

	if (!len || !strncmp(name, inner, sizeof(inner) - 1))
		return len;
	for (call = 0; call < CALL_COUNT; call++)
		if (call_descs[call].layer == LAYER_RUNTIME &&
		    !strncmp(call_name(call), name, len) && !call_name(call)[len])
			return true;
	return false;
}

static bool is_release(const struct rec_reset *record)
{
	const struct call_desc *desc = &call_descs[record->call];

	return desc->class == CLASS_CONTEXT &&
	       (desc->a == CONTEXT_RELEASE || desc->a == CONTEXT_GREEN_END);
}

/* True if the end of @context (0: of the primary one of @device) ends @node. */
static bool is_ended_by(struct ledger *ledger, const struct alloc_node *node, uint16_t context,
			const struct rec_reset *record)
{
	int device = record->device;

	if (node->state != NODE_LIVE || node->context != context ||
	    ledger_outlives_contexts(node->call))
		return false;
	if (context || device == CUTOP_DEVICE_UNKNOWN || node->device == device)
		return true;
	/*
	 * A context whose retaining was seen is known, with its device: this one is held by
	 * something else.
	 */
	if (node->device != CUTOP_DEVICE_UNKNOWN || is_release(record))
		return false;
	/*
	 * Its device is unknown: if the process uses one device, it is that; otherwise we cannot
	 * tell.
	 */
	if (own_devices_count(ledger->devices) <= 1)
		return true;
	ledger->inexact = true;
	return false;
}

/*
 * True if @record is a release that seemed to be the last one of a primary context, although the
 * runtime uses it. The runtime holds a reference of its own, but may have taken it by a call that
 * cannot be seen: then the counted retains and releases of other libraries come to zero, but end
 * nothing.
 */
static bool is_others_release(const struct ledger *ledger, const struct rec_reset *record)
{
	size_t i;

	if (!is_release(record))
		return false;
	for (i = 0; i < ledger->sites.count; i++) {
		const struct site *site = ledger->sites.list[i];

		if (site->live &&
		    (site->device == record->device || site->device == CUTOP_DEVICE_UNKNOWN) &&
		    (site->by_runtime || is_linked_runtime(site)))
			return true;
	}
	return own_devices_runtime_uses(ledger->devices, record->device);
}

/*
 * True if it also ends the runtime's own reference: what the runtime did before does not count for
 * the next context.
 */
static bool is_reset(const struct rec_reset *record)
{
	const struct call_desc *desc = &call_descs[record->call];

	return desc->class == CLASS_RESET ||
	       (desc->class == CLASS_CONTEXT && desc->a == CONTEXT_RESET);
}

void ledger_reset(struct ledger *ledger, const struct rec_reset *record, struct reset_news *news)
{
	uint64_t leaked = ledger->leaked, held = ledger->held;
	uint16_t context = contexts_find(&ledger->contexts, record->context);
	enum node_end end = record->context ? NODE_END_CONTEXT : NODE_END_RESET;
	struct book_cursor cursor;
	struct alloc_node *node;
	uint64_t entry =
		subtract_saturated(record->hdr.time, (uint64_t)record->lasted * CUTOP_LASTED_NS);
	size_t i;

	*news = (struct reset_news){ .is_end = false };
	own_devices_note(ledger->devices, record->device);
	if (is_others_release(ledger, record))
		return;
	news->is_end = true;
	if (!record->context && is_reset(record))
		own_devices_forget_runtime(ledger->devices, record->device);
	if (record->context && !context)
		return; /* it owned nothing */
	contexts_end(&ledger->contexts, context);
	ledger->end_calls[end] = record->call;
	book_walk(&ledger->book, &cursor);
	while ((node = book_next(&cursor)) != NULL) {
		if (!is_ended_by(ledger, node, context, record))
			continue;
		news->count += KIND_CAN_LEAK(node->kind);
		ledger_end_node(ledger, node, end, record->hdr.time);
	}
	for (i = ledger->book.displaced_count; i-- > 0;) {
		node = &ledger->book.displaced[i].was;
		/*
		 * If another allocation replaced it before the ending call was entered, it had been
		 * freed.
		 */
		if (ledger->book.displaced[i].when < entry ||
		    !is_ended_by(ledger, node, context, record))
			continue;
		if (KIND_CAN_LEAK(node->kind)) {
			news->count++;
			ledger_end_displaced(ledger, node, end, record->hdr.time);
		}
		book_drop_displaced(&ledger->book, i);
	}
	news->is_told = true;
	news->leaked = subtract_saturated(ledger->leaked, leaked);
	news->is_held = ledger->held > held;
}

void ledger_end(struct ledger *ledger, uint64_t time, struct end_news *news)
{
	uint64_t leaked = ledger->leaked;
	struct book *book = &ledger->book;
	struct site_table *sites = &ledger->sites;
	struct book_cursor cursor;
	struct alloc_node *node;
	struct site *site;
	size_t i;

	*news = (struct end_news){ .lost_frees = book->displaced_count };
	ledger->inexact |= book->displaced_count != 0;
	for (i = 0; i < sites->count; i++)
		sites->list[i]->last_bytes = sites->list[i]->ended;
	tiles_free(&ledger->tiles); /* memory that only these held was not given back */
	book_walk(book, &cursor);
	while ((node = book_next(&cursor)) != NULL) {
		if (node->state != NODE_LIVE)
			continue;
		ledger_end_node(ledger, node, NODE_END_EXIT, time);
		site = sites->list[node->site];
		if (site->verdict == VERDICT_UNKNOWN)
			news->unknown = add_saturated(news->unknown, node->bytes);
		else if (site->verdict == VERDICT_LEAKED && node->state == NODE_UNSURE)
			news->unsure = add_saturated(news->unsure, node->bytes);
		else
			news->count += site->verdict == VERDICT_LEAKED;
	}
	book_close(book);
	if (!book->count)
		book_clear(book);
	for (i = 0; i < sites->count; i++) {
		site = sites->list[i];
		suspect_free(&site->suspect);
		if (site->verdict != VERDICT_LEAKED || site->ended == site->last_bytes)
			continue;
		if (!news->most ||
		    site->ended - site->last_bytes > news->most->ended - news->most->last_bytes)
			news->most = site;
	}
	news->leaked = subtract_saturated(ledger->leaked, leaked);
}
