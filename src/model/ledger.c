/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The accounting rules: how allocations, frees, resets and ends of processes change a process's
 * figures.
 * Records are made when a call returns, but memory changes hands inside it. While thread A is still
 * returning from free(p), thread B may be given p again and return first; then B's allocation
 * arrives before A's free. So an allocation at an address that is still live does not prove a
 * missed free: the old one leaves the figures at once (they cannot both be live, and the peak must
 * not include both) and waits among the displaced. A free of p that was entered before B's
 * allocation returned can only mean the old one, since no thread could know the new one yet. In the
 * same way, the end of a context is reported after its memory was given up: memory that it owned
 * may be among the displaced, and is ended there. A displaced allocation that nothing claims within
 * a second of records counts as a missed free.
 */
#include "model/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/calls.h"
#include "cuda/errors.h"
#include "model/limits.h"
#include "model/name_store.h"
#include "model/sites.h"
#include "util/saturated.h"

/* The number of the context @handle, 0 if it has none. */
static uint16_t contexts_find(const struct contexts *contexts, uint64_t handle)
{
	size_t i;

	for (i = 0; handle && i < contexts->count; i++)
		if (contexts->handles[i] == handle)
			return (uint16_t)(i + 1);
	return 0;
}

/* The same, but gives it a number if it has none; 0 without memory or room. */
static uint16_t contexts_get(struct contexts *contexts, uint64_t handle)
{
	uint16_t number = contexts_find(contexts, handle);
	size_t place = contexts->count, i;
	uint64_t *list;

	if (number || !handle)
		return number;
	for (i = 0; i < contexts->count; i++)
		if (!contexts->handles[i])
			place = i;
	if (place == contexts->count) {
		list = place < CONTEXTS_MAX ?
			       realloc(contexts->handles, (place + 1) * sizeof(*list)) :
			       NULL;
		if (!list)
			return 0;
		contexts->handles = list;
		contexts->count++;
	}
	contexts->handles[place] = handle;
	return (uint16_t)(place + 1);
}

/* The context was destroyed, and what it owned has ended: its number may be reused. */
static void contexts_end(struct contexts *contexts, uint16_t number)
{
	if (number)
		contexts->handles[number - 1] = 0;
}

static void contexts_free(struct contexts *contexts)
{
	free(contexts->handles);
	memset(contexts, 0, sizeof(*contexts));
}

#define DISPLACED_NS 1000000000ull /* how long a late free is waited for */

void ledger_init(struct ledger *ledger, struct own_devices *devices, struct name_store *names,
		 struct device_list *machine, size_t *nodes, uint64_t leak_age)
{
	memset(ledger, 0, sizeof(*ledger));
	ledger->devices = devices;
	ledger->names = names;
	ledger->machine = machine;
	ledger->leak_age = leak_age;
	book_init(&ledger->book, nodes);
}

void ledger_clear(struct ledger *ledger)
{
	book_clear(&ledger->book);
	sites_free(&ledger->sites);
	contexts_free(&ledger->contexts);
	devices_free(&ledger->held_on);
}

/* Takes a live allocation out of the figures. Its node stays. */
static void leave_live(struct ledger *ledger, struct alloc_node *node, uint64_t time)
{
	struct site *site = ledger->sites.list[node->site];

	ledger->live_allocations--;
	ledger->kinds[node->kind] = subtract_saturated(ledger->kinds[node->kind], node->bytes);
	if (KIND_IS_HOST(node->kind)) {
		site->host.live = subtract_saturated(site->host.live, node->bytes);
		site->host.blocks--;
		suspect_change(&site->host.suspect, site->host.live, ledger->leak_age, time);
	}
	if (!KIND_CAN_LEAK(node->kind))
		return;
	if (KIND_IS_VRAM(node->kind)) {
		ledger->live = subtract_saturated(ledger->live, node->bytes);
		devices_remove(ledger->machine, &ledger->held_on, node->device, node->bytes);
	} else {
		site->managed = subtract_saturated(site->managed, node->bytes);
	}
	site->live = subtract_saturated(site->live, node->bytes);
	suspect_change(&site->suspect, site->live, ledger->leak_age, time);
}

/* True if the record of the free of @node may be among the lost ones. */
static bool may_be_freed(const struct ledger *ledger, const struct alloc_node *node)
{
	return ledger->lost_time && node->born <= ledger->lost_time;
}

/* What is leaked or held at @site leaves these figures, to enter them again as it is judged then. */
static void figures_leave(struct ledger *ledger, const struct site *site)
{
	ledger->leaked = subtract_saturated(ledger->leaked, sites_ended(site, VERDICT_LEAKED));
	ledger->held = subtract_saturated(ledger->held, sites_ended(site, VERDICT_HELD));
}

static void figures_enter(struct ledger *ledger, const struct site *site)
{
	ledger->leaked = add_saturated(ledger->leaked, sites_ended(site, VERDICT_LEAKED));
	ledger->held = add_saturated(ledger->held, sites_ended(site, VERDICT_HELD));
}

/*
 * An allocation that should have been freed, whose owner has ended at @time, and that is no longer
 * live. What is said of it follows from its site's verdict, which may change later. If its free may
 * be among lost records, calling it a leak would be a guess.
 */
/*
 * The same for a displaced one, which is no longer live. It must be of a kind that has to be freed.
 */
static void ledger_end_displaced(struct ledger *ledger, struct alloc_node *node, enum node_end end,
				 uint64_t time)
{
	struct site *site = ledger->sites.list[node->site];

	figures_leave(ledger, site);
	node->state = may_be_freed(ledger, node) ? NODE_UNSURE : NODE_ENDED;
	node->end = end;
	node->born = subtract_saturated(time, node->born);
	if (node->state == NODE_UNSURE) {
		site->unsure = add_saturated(site->unsure, node->bytes);
		site->unsure_blocks++;
	} else {
		site->ended = add_saturated(site->ended, node->bytes);
		site->ended_blocks++;
		site->ended_by[end] = add_saturated(site->ended_by[end], node->bytes);
	}
	figures_enter(ledger, site);
	devices_ended(&ledger->held_on, node->device, (int64_t)node->bytes,
		      verdict_if(site->verdict, node->state == NODE_UNSURE));
}

/*
 * Ends a live allocation whose owner ends; if it is of no device, it is gone, and @node with it:
 * pinned memory counts at its site.
 */
static void ledger_end_node(struct ledger *ledger, struct alloc_node *node, enum node_end end,
			    uint64_t time)
{
	struct site *site = ledger->sites.list[node->site];

	leave_live(ledger, node, time);
	if (KIND_CAN_LEAK(node->kind)) {
		ledger_end_displaced(ledger, node, end, time);
		return;
	}
	if (KIND_IS_HOST(node->kind) && !may_be_freed(ledger, node)) {
		site->host.left = add_saturated(site->host.left, node->bytes);
		site->host.blocks++;
	}
	book_remove(&ledger->book, node);
}

/* The ended memory of @site moves to the figures of @verdict, those of each device as well. */
static void site_move(struct ledger *ledger, struct site *site, enum verdict verdict)
{
	enum verdict before = site->verdict;
	struct book_cursor cursor;
	struct alloc_node *node;

	if (before == verdict)
		return;
	figures_leave(ledger, site);
	site->verdict = verdict;
	figures_enter(ledger, site);
	if (!site->ended && !site->unsure)
		return;
	book_walk(&ledger->book, &cursor);
	while ((node = book_next(&cursor)) != NULL) {
		bool is_unsure = node->state == NODE_UNSURE;

		if (node->site != site->index || (node->state != NODE_ENDED && !is_unsure))
			continue;
		devices_ended(&ledger->held_on, node->device, -(int64_t)node->bytes,
			      verdict_if(before, is_unsure));
		devices_ended(&ledger->held_on, node->device, (int64_t)node->bytes,
			      verdict_if(verdict, is_unsure));
	}
}

static void judge_site(struct ledger *ledger, struct site *site)
{
	struct site_table *sites = &ledger->sites;
	bool was_off = sites->cache.is_off;
	size_t i;

	site_move(ledger, site, sites_judge(sites, site));
	if (was_off == sites->cache.is_off)
		return;
	for (i = 0; i < sites->count; i++)
		site_move(ledger, sites->list[i], sites_judge(sites, sites->list[i]));
}

void ledger_judge(struct ledger *ledger, uint64_t address)
{
	struct site *site;
	size_t i;

	for (site = sites_at(&ledger->sites, address); site; site = sites_next(site))
		judge_site(ledger, site);
	/* It may be in the stacks of others. */
	for (i = 0; ledger->sites.has_runtime && i < ledger->sites.count; i++)
		if (ledger->sites.list[i]->place->flags & SITE_IN_RUNTIME)
			judge_site(ledger, ledger->sites.list[i]);
}

void ledger_cache_told(struct ledger *ledger, uint64_t address)
{
	struct site_table *sites = &ledger->sites;
	const struct alloc_node *node;
	struct site *site;
	size_t i;

	if (!sites->cache.is_told) {
		sites->cache.is_told = true;
		for (i = 0; i < sites->count; i++)
			site_move(ledger, sites->list[i], sites_judge(sites, sites->list[i]));
	}
	node = sites->has_runtime ? book_containing(&ledger->book, address) : NULL;
	site = node && node->state == NODE_LIVE ? sites->list[node->site] : NULL;
	if (!site || site->signs.is_told)
		return;
	site->signs.is_told = true;
	judge_site(ledger, site);
}

void ledger_pool_told(struct ledger *ledger, const struct alloc_node *node, uint8_t pool)
{
	struct site *site = ledger->sites.list[node->site];

	if (site->signs.pool)
		return;
	site->signs.pool = pool;
	judge_site(ledger, site);
}

/* A program that never selects a device uses the first, which no call of it tells. */
const struct device_use *ledger_place(struct ledger *ledger, uint64_t address, int device)
{
	const struct device_use *unknown = devices_find(&ledger->held_on, CUTOP_DEVICE_UNKNOWN);
	struct alloc_node *node;

	if (!unknown || !unknown->live || device < 0)
		return NULL;
	node = book_containing(&ledger->book, address);
	if (!node || node->state != NODE_LIVE || !KIND_IS_VRAM(node->kind) ||
	    node->device != CUTOP_DEVICE_UNKNOWN)
		return NULL;
	own_devices_note(ledger->devices, device);
	devices_remove(ledger->machine, &ledger->held_on, node->device, node->bytes);
	node->device = (int16_t)device;
	return devices_add(ledger->machine, &ledger->held_on, device, node->bytes);
}

size_t ledger_expire(struct ledger *ledger, uint64_t now)
{
	size_t count;

	if (!ledger->book.displaced_count || now < DISPLACED_NS)
		return 0;
	count = book_expire(&ledger->book, now - DISPLACED_NS);
	ledger->inexact |= count != 0;
	return count;
}

/* Returns true if the free of @node will not be seen, because there is no room to wait for it. */
static bool displace(struct ledger *ledger, struct alloc_node *node, uint64_t when)
{
	bool is_lost = false;

	if (node->state == NODE_LIVE) {
		leave_live(ledger, node, when);
		is_lost = !book_displace(&ledger->book, node, when);
		ledger->inexact |= is_lost;
	}
	book_remove(&ledger->book, node);
	return is_lost;
}

static void retain(struct alloc_node *node)
{
	if (node->opens < UINT16_MAX)
		node->opens++;
}

/* One of the holders of @node releases it: the last one frees it. @node may be gone then. */
static void release(struct ledger *ledger, struct alloc_node *node, uint64_t time)
{
	if (node->opens > 1) {
		node->opens--;
		return;
	}
	ledger->frees++;
	leave_live(ledger, node, time);
	book_note_freed(&ledger->book, node->address);
	book_remove(&ledger->book, node);
}

void ledger_hold(struct ledger *ledger, uint64_t handle, uint64_t born)
{
	struct alloc_node *node = book_handle(&ledger->book, handle);

	if (node && node->state == NODE_LIVE && node->born == born)
		retain(node);
}

void ledger_let_go(struct ledger *ledger, uint64_t handle, uint64_t born, uint64_t time)
{
	struct alloc_node *node = book_handle(&ledger->book, handle);

	if (!node || node->born != born)
		ledger->frees += book_claim(&ledger->book, handle, born);
	else if (node->state == NODE_LIVE)
		release(ledger, node, time);
}

static bool is_handle(const struct rec_alloc *record)
{
	return record->kind == KIND_ARRAY || record->kind == KIND_PHYSICAL ||
	       call_descs[record->call].flags & CALL_HANDLE;
}

/*
 * Source: cuda.h, cuCtxDestroy(), for cuMemCreate(), cuMemAllocAsync() and
 * cuMemAllocFromPoolAsync(); cuda_runtime_api.h, cudaDeviceReset(), for the last two. That a
 * primary context's reset keeps them, too, was observed in CUDA.jl's issue 1579.
 */
/*
 * True if allocations by @call belong to no context, so that neither a destroyed context nor a
 * device's reset frees them.
 */
static bool ledger_outlives_contexts(unsigned int call)
{
	return call_descs[call].flags & CALL_NO_CONTEXT;
}

/* Memory of the host that no device's call made is on none. */
int ledger_device(const struct own_devices *numbers, unsigned int kind, int device)
{
	return device == CUTOP_DEVICE_UNKNOWN && KIND_IS_HOST(kind) ?
		       device :
		       own_devices_machine(numbers, device);
}

void ledger_renumber(struct ledger *ledger, const struct own_devices *numbers)
{
	struct book_cursor cursor;
	struct alloc_node *node;
	struct site *site;
	size_t i;

	book_walk(&ledger->book, &cursor);
	while ((node = book_next(&cursor)) != NULL)
		node->device = (int16_t)ledger_device(numbers, node->kind, node->device);
	for (i = 0; i < ledger->book.displaced_count; i++) {
		node = &ledger->book.displaced[i].was;
		node->device = (int16_t)ledger_device(numbers, node->kind, node->device);
	}
	for (i = 0; i < ledger->sites.count; i++) {
		site = ledger->sites.list[i];
		site->device = (int16_t)own_devices_machine(numbers, site->device);
	}
	devices_renumber(ledger->machine, &ledger->held_on, numbers);
}

int ledger_alloc(struct ledger *ledger, const struct rec_alloc *record, struct ledger_news *news)
{
	uint64_t bytes = record->bytes < BYTES_MAX ? record->bytes : BYTES_MAX;
	struct alloc_node *node;
	struct site *site;

	*news = (struct ledger_news){ .full = NULL };
	own_devices_note(ledger->devices, record->device);
	if (record->result) {
		if (call_failed(record->call, record->result))
			ledger->failed_allocations++;
		return 0;
	}
	if (!record->address)
		return 0;

	node = record->kind == KIND_SHARED ? book_at(&ledger->book, record->address) : NULL;
	if (node && node->kind == KIND_SHARED && node->state == NODE_LIVE) {
		/* Opened once more: the same memory, which has to be closed once more. */
		retain(node);
		return 0;
	}
	while ((node = book_overlap(&ledger->book, record->address, bytes, is_handle(record))) !=
	       NULL)
		news->lost_frees += displace(ledger, node, record->hdr.time);

	site = sites_get(&ledger->sites, ledger->names, record->site, record->stack);
	node = site ? book_add(&ledger->book, record->address, bytes, is_handle(record)) : NULL;
	if (!node) {
		ledger->inexact = true;
		return -ENOMEM;
	}
	node->kind = record->kind;
	node->born = record->hdr.time;
	node->site = site->index;
	node->call = record->call;
	node->device = record->device >= 0 && record->device < INT16_MAX ? (int16_t)record->device :
									   CUTOP_DEVICE_UNKNOWN;
	node->element_bytes = record->element_bytes < UINT16_MAX ? (uint16_t)record->element_bytes :
								   UINT16_MAX;
	node->opens = 1;
	if (!ledger_outlives_contexts(node->call)) {
		node->context = contexts_get(&ledger->contexts, record->context);
		/* the end of its context will not be recognized */
		ledger->inexact |= record->context && !node->context;
	}

	/*
	 * If the runtime's functions are not watched, its calls of the driver show that it is in
	 * use.
	 */
	if (!site->allocations)
		site->by_runtime = names_is_runtime(ledger->names, site->address);
	if (!record->context && !ledger_outlives_contexts(node->call) &&
	    (call_descs[record->call].layer == LAYER_RUNTIME || site->by_runtime))
		own_devices_note_runtime(ledger->devices, node->device);

	ledger->allocations++;
	ledger->live_allocations++;
	ledger->kinds[node->kind] = add_saturated(ledger->kinds[node->kind], bytes);
	if (!site->allocations)
		site->device = node->device;
	else if (site->device != node->device)
		site->device = CUTOP_DEVICE_UNKNOWN;
	site->allocations++;
	site->call = record->call;
	if (KIND_IS_VRAM(node->kind)) {
		ledger->live = add_saturated(ledger->live, bytes);
		if (ledger->live > ledger->peak)
			ledger->peak = ledger->live;
		news->full = devices_add(ledger->machine, &ledger->held_on, node->device, bytes);
	} else if (KIND_CAN_LEAK(node->kind)) {
		site->managed = add_saturated(site->managed, bytes);
		devices_note(&ledger->held_on, node->device);
	}
	if (KIND_IS_HOST(node->kind)) {
		site->host.live = add_saturated(site->host.live, bytes);
		site->host.blocks++;
		suspect_change(&site->host.suspect, site->host.live, ledger->leak_age,
			       record->hdr.time);
	}
	if (KIND_CAN_LEAK(node->kind)) {
		ledger->allocated = add_saturated(ledger->allocated, bytes);
		site->allocated = add_saturated(site->allocated, bytes);
		site->live = add_saturated(site->live, bytes);
		suspect_change(&site->suspect, site->live, ledger->leak_age, record->hdr.time);
		cache_signs_note(&site->signs, node->kind, bytes);
		if (sites_in_cache(site))
			judge_site(ledger, site);
	}
	return 0;
}

static enum free_news failed_free(struct ledger *ledger, const struct rec_free *record,
				  const struct alloc_node *node, bool inherited)
{
	bool is_live = node && node->state == NODE_LIVE,
	     is_double = !is_live && book_was_freed(&ledger->book, record->address);

	*(is_double ? &ledger->double_frees : &ledger->failed_frees) += 1;
	return is_double ? FREE_DOUBLE : node || inherited ? FREE_PLAIN : FREE_UNKNOWN;
}

/* An allocation that a reset seemed to end is freed successfully: it had not ended. */
static void unleak(struct ledger *ledger, const struct alloc_node *node)
{
	struct site *site = ledger->sites.list[node->site];

	ledger->inexact = true;
	figures_leave(ledger, site);
	if (node->state == NODE_UNSURE) {
		site->unsure = subtract_saturated(site->unsure, node->bytes);
		site->unsure_blocks--;
	} else {
		site->ended = subtract_saturated(site->ended, node->bytes);
		site->ended_blocks--;
		site->ended_by[node->end] =
			subtract_saturated(site->ended_by[node->end], node->bytes);
	}
	figures_enter(ledger, site);
	devices_ended(&ledger->held_on, node->device, -(int64_t)node->bytes,
		      verdict_if(site->verdict, node->state == NODE_UNSURE));
}

/* The driver has shut down, and freed @node with everything else. */
static void freed_late(struct ledger *ledger, const struct rec_free *record, uint64_t stack,
		       struct alloc_node *node)
{
	struct site *site = ledger->sites.list[node->site];

	leave_live(ledger, node, record->hdr.time);
	if (KIND_CAN_LEAK(node->kind)) {
		site->late.bytes = add_saturated(site->late.bytes, node->bytes);
		site->late.count++;
		site->late.address = record->site;
		site->late.stack = stack;
		site->late.call = record->call;
	}
	book_remove(&ledger->book, node);
}

enum free_news ledger_free(struct ledger *ledger, const struct rec_free *record, uint64_t stack,
			   bool inherited)
{
	struct alloc_node *node;

	if (!record->address)
		return FREE_PLAIN;
	node = book_at(&ledger->book, record->address);
	if (node && node->state == NODE_LIVE &&
	    call_outcome(record->call, record->result) == OUTCOME_AT_EXIT) {
		freed_late(ledger, record, stack, node);
		return FREE_PLAIN;
	}
	if (record->result)
		return call_failed(record->call, record->result) ?
			       failed_free(ledger, record, node, inherited) :
			       FREE_PLAIN;
	if (book_claim(&ledger->book, record->address, record->entry)) {
		ledger->frees++;
		if (!node)
			book_note_freed(&ledger->book, record->address);
		return FREE_PLAIN;
	}
	/*
	 * The free was entered before the allocation at that address had returned: it means an
	 * earlier one.
	 */
	if (node && node->state == NODE_LIVE && record->entry < node->born)
		node = NULL;
	if (!node) {
		ledger->unknown_frees += !inherited;
	} else if (node->state == NODE_LIVE) {
		release(ledger, node, record->hdr.time);
	} else {
		ledger->frees++;
		unleak(ledger, node);
		book_note_freed(&ledger->book, record->address);
		book_remove(&ledger->book, node);
	}
	return FREE_PLAIN;
}

/*
 * Memory whose owner ends before it is freed: what a reset or the end of a context ends, and
 * whether that really happened, since the runtime and other libraries share a device's primary
 * context.
 */

/*
 * True if @site is in a function of the runtime that is linked into the program: one of the table,
 * or one named as NVIDIA's archive names its inner functions (probe/elffile.c). Names of call
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

	*news = (struct reset_news){ .is_told = false };
	own_devices_note(ledger->devices, record->device);
	if (is_others_release(ledger, record))
		return;
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
	uint64_t since;
	struct site *site;
	size_t i;

	*news = (struct end_news){ .lost_frees = book->displaced_count };
	ledger->inexact |= book->displaced_count != 0;
	for (i = 0; i < sites->count; i++) {
		site = sites->list[i];
		site->last_bytes = site->ended;
		site->risen = suspect_bytes(site->suspect, ledger->leak_age, time, &since);
	}
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
		suspect_free(&site->host.suspect);
		if (site->verdict != VERDICT_LEAKED || site->ended == site->last_bytes)
			continue;
		if (!news->most ||
		    site->ended - site->last_bytes > news->most->ended - news->most->last_bytes)
			news->most = site;
	}
	news->leaked = subtract_saturated(ledger->leaked, leaked);
}
