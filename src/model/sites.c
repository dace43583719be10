/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sites are found by address and stack, and by index: an allocation refers to its site by index, in
 * four bytes. Their number is limited. Past half of that, stacks are not told apart any more, so
 * that new places can be; in the end all allocations share one site, at address 0.
 */
#include "model/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "cutop_calls.h"
#include "cutop_event.h"
#include "model/limits.h"
#include "util/saturated.h"
#include "util/util.h"

/*
 * Memory belongs to the library that asked for it. Its calls lead to the runtime and from there to
 * the driver; which of these were probed in time depends on how the process came under watch, and
 * must not matter. So a call of the driver's by the runtime counts as one of the code that called
 * the runtime, as its stack shows (sites.c). Where there is no such stack, memory of which PyTorch's
 * allocator hands out blocks is that allocator's; of other memory nothing is known.
 *
 * Whether memory of PyTorch's allocator is held by its cache: the allocator normally caches. With
 * PYTORCH_NO_CUDA_MEMORY_CACHING, and with the backend cudaMallocAsync, each of its allocations is
 * a tensor, and a tensor that is live at the end is a leak like any other. The calls come from the
 * same library in all cases, so the sizes have to tell.
 * The cache asks for 2 MiB for tensors of 1 MiB or less, for 20 MiB for tensors of less than 10
 * MiB, and for the next multiple of 2 MiB above that; with expandable segments for 2 or 20 MiB of
 * physical memory. It never asks for anything else: one block of another size, or one from
 * cudaMallocAsync, shows that this process has no cache. Source: PyTorch,
 * c10/core/CachingDeviceAllocator.h, get_allocation_size(); c10/cuda/CUDACachingAllocator.cpp,
 * ExpandableSegment, uncached_allocate().
 * Tensors may have such sizes by chance. So the cache counts as proved only by a block of physical
 * memory, or by 2 or 20 MiB together with a block of another such size: without proof the memory is
 * shown as held, but --fail-on-leak gives no verdict. Where the allocator's own reports are seen
 * (model/blocks.h) nothing has to be judged by sizes: it reports only while its cache is on.
 */

#define SMALL_BUFFER (2ull << 20) /* kSmallBuffer */
/* kLargeBuffer; large_segment_size() of the allocator's options */
#define LARGE_BUFFER (20ull << 20)
#define LARGE_MIN    (10ull << 20) /* kMinLargeAlloc */
#define LARGE_ROUND  (2ull << 20)  /* kRoundLarge */

static bool is_cache_size(uint64_t bytes)
{
	return bytes == SMALL_BUFFER || (bytes >= LARGE_MIN && bytes % LARGE_ROUND == 0);
}

void cache_signs_note(struct cache_signs *signs, unsigned int kind, uint64_t bytes)
{
	switch (kind) {
	case KIND_DEVICE:
	case KIND_PHYSICAL: break;
	case KIND_ASYNC: signs->is_off = true; return;
	default: signs->is_elsewhere = true; return;
	}
	if (!is_cache_size(bytes)) {
		signs->is_off = true;
		return;
	}
	signs->has_physical |= kind == KIND_PHYSICAL;
	signs->has_buffer |= bytes == SMALL_BUFFER || bytes == LARGE_BUFFER;
	signs->has_sizes |= signs->size && signs->size != bytes;
	if (!signs->size)
		signs->size = bytes;
}

/* Adds a site's @signs to those of all. */
static void cache_signs_add(struct cache_signs *all, const struct cache_signs *signs)
{
	all->is_off |= signs->is_off;
	all->has_physical |= signs->has_physical;
	all->has_buffer |= signs->has_buffer;
	all->has_sizes |= signs->has_sizes ||
			  (all->size && signs->size && all->size != signs->size);
	if (!all->size)
		all->size = signs->size;
}

/*
 * The verdict on what a site with @signs allocates. @flags: enum site_flag of the place that asked
 * for it; or of the runtime, if which code called that is not known.
 */
static enum verdict cache_verdict(const struct cache_signs *all, const struct cache_signs *signs,
				  uint32_t flags)
{
	if (flags & SITE_IS_HELD || signs->pool)
		return VERDICT_HELD;
	if (flags & SITE_IN_RUNTIME && !signs->is_told)
		return VERDICT_UNKNOWN;
	if (flags & (SITE_IN_CACHE | SITE_IN_RUNTIME) && (all->is_told || !all->is_off) &&
	    !signs->is_elsewhere)
		return VERDICT_HELD;
	return VERDICT_LEAKED;
}

enum verdict verdict_if(enum verdict verdict, bool is_unsure)
{
	return is_unsure && verdict == VERDICT_LEAKED ? VERDICT_UNKNOWN : verdict;
}

/* True if it is proved that the cache is on. */
static bool cache_is_proven(const struct cache_signs *all)
{
	return all->is_told || all->has_physical || (all->has_buffer && all->has_sizes);
}

/*
 * The rising-floor test: which call sites of a running process look like leaks. A site's time is
 * cut into windows of leak_age, starting at its first allocation; the first window is skipped. The
 * floor of a window is the smallest number of live bytes in it: allocations that come and go do not
 * raise it, those that are never freed do. The test looks at single windows and at spans of 2, 4
 * ... 1024 of them; a site is suspect when the floor of some kind of span has risen three times in
 * a row, and the suspect bytes are that rise. No timer is needed: live bytes are constant between
 * two changes, so the windows in between are closed at the next change or when they are asked for.
 */

#define SPANS 11 /* 1, 2, 4 ... 1024 windows */
#define RISES 3
/* After this many windows without a change, no span can have risen three times. */
#define WINDOWS_MAX (4u << (SPANS - 1))

struct span {
	uint64_t least; /* in the open span */
	uint64_t floor; /* of the last closed span */
	uint64_t base;  /* the floor before it began to rise, */
	uint64_t since; /* and the window in which the rise began */
	uint32_t rises; /* rises in a row */
	bool closed;    /* a span has been closed */
};

struct suspect {
	uint64_t start;  /* start of the first window that counts */
	uint64_t window; /* number of the open window */
	uint64_t least;  /* fewest live bytes in it so far */
	uint64_t live;   /* live bytes since the last change */
	struct span spans[SPANS];
};

static void close_span(struct span *span, uint64_t began)
{
	if (span->closed && span->least > span->floor) {
		span->rises++;
	} else {
		span->rises = 0;
		span->base = span->least;
		span->since = began;
	}
	span->floor = span->least;
	span->closed = true;
}

static void close_window(struct suspect *suspect)
{
	unsigned int i;

	for (i = 0; i < SPANS; i++) {
		struct span *span = &suspect->spans[i];
		uint64_t length = 1ull << i, at = suspect->window & (length - 1);

		if (!at || suspect->least < span->least)
			span->least = suspect->least;
		if (at == length - 1)
			close_span(span, suspect->window - at);
	}
	suspect->window++;
	suspect->least = suspect->live;
}

/* Nothing has changed for so long that only the present counts. */
static void level_off(struct suspect *suspect, uint64_t window)
{
	unsigned int i;

	for (i = 0; i < SPANS; i++)
		suspect->spans[i] = (struct span){
			.least = suspect->live,
			.floor = suspect->live,
			.base = suspect->live,
			.since = window & ~((1ull << i) - 1),
			.closed = true,
		};
	suspect->window = window;
	suspect->least = suspect->live;
}

static void advance(struct suspect *suspect, uint64_t leak_age, uint64_t now)
{
	uint64_t window;

	if (now < suspect->start)
		return;
	window = (now - suspect->start) / leak_age;
	if (window > suspect->window && window - suspect->window > WINDOWS_MAX)
		level_off(suspect, window);
	while (suspect->window < window)
		close_window(suspect);
}

void suspect_change(struct suspect **kept, uint64_t live, uint64_t leak_age, uint64_t time)
{
	struct suspect *suspect = *kept;

	if (!leak_age)
		return;
	if (!suspect) {
		if (!live)
			return;
		/* Without memory the site is not tested; its bytes are counted all the same. */
		suspect = *kept = calloc(1, sizeof(*suspect));
		if (!suspect)
			return;
		suspect->start = add_saturated(time, leak_age);
		suspect->least = suspect->live = live;
		return;
	}
	advance(suspect, leak_age, time);
	suspect->live = live;
	/* Before the first window that counts, only the live bytes at its start matter. */
	if (live < suspect->least || time < suspect->start)
		suspect->least = live;
}

uint64_t suspect_bytes(struct suspect *suspect, uint64_t leak_age, uint64_t now, uint64_t *since)
{
	uint64_t most = 0;
	unsigned int i;

	*since = UINT64_MAX;
	if (!suspect)
		return 0;
	advance(suspect, leak_age, now);
	for (i = 0; i < SPANS; i++) {
		const struct span *span = &suspect->spans[i];

		if (span->rises < RISES || span->floor - span->base <= most)
			continue;
		most = span->floor - span->base;
		*since = suspect->start + span->since * leak_age;
	}
	return most < suspect->live ? most : suspect->live;
}

bool suspect_can_tell(uint64_t first, uint64_t leak_age, uint64_t now)
{
	/* The first window is skipped; the next is the base that the others rise above. */
	return leak_age && now > first && (now - first) / leak_age >= RISES + 2;
}

void suspect_free(struct suspect **suspect)
{
	free(*suspect);
	*suspect = NULL;
}

/* The place that asked for the memory of @site, or its own in the runtime if that is not known. */
static struct place *owner_find(const struct site *site)
{
	uint32_t i;

	if (!(site->place->flags & SITE_IN_RUNTIME))
		return site->place;
	for (i = 0; site->stack && i < site->stack->count; i++) {
		struct place *place = site->stack->frames[i];

		/*
		 * The stack ends early, or goes on with Python, which calls the runtime by way of
		 * native code, whose frames are not here.
		 */
		if (!place->name || place->address >= PLACE_PYTHON)
			break;
		if (!(place->flags & SITE_IN_RUNTIME))
			return place;
	}
	return site->place;
}

bool sites_in_cache(const struct site *site)
{
	return site->owner->flags & SITE_IN_CACHE ||
	       (site->owner->flags & SITE_IN_RUNTIME && site->signs.is_told);
}

enum verdict sites_judge(struct site_table *sites, struct site *site)
{
	site->owner = owner_find(site);
	sites->has_runtime |= (site->place->flags & SITE_IN_RUNTIME) != 0;
	if (sites_in_cache(site))
		cache_signs_add(&sites->cache, &site->signs);
	return cache_verdict(&sites->cache, &site->signs, site->owner->flags);
}

uint64_t sites_ended(const struct site *site, enum verdict verdict)
{
	return add_saturated(site->verdict == verdict ? site->ended : 0,
			     verdict_if(site->verdict, true) == verdict ? site->unsure : 0);
}

bool sites_by_library(const struct site *site)
{
	return site->verdict == VERDICT_HELD && site->owner->flags & SITE_IS_HELD;
}

uint64_t sites_risen(const struct site *site)
{
	return !sites_by_library(site) ? 0 : site->risen < site->ended ? site->risen : site->ended;
}

uint64_t sites_host_left(const struct site *site)
{
	return site->verdict == VERDICT_HELD ? 0 : site->host.left;
}

static struct site *site_add(struct site_table *sites, struct name_store *names, uint64_t address,
			     uint64_t stack_id)
{
	struct place *place = names_place(names, address);
	struct site *site;

	if (!place)
		return NULL;
	if (sites->count == sites->size) {
		size_t size = sites->size ? sites->size * 2 : 8;
		struct site **list = realloc(sites->list, size * sizeof(*list));

		if (!list)
			return NULL;
		sites->list = list;
		sites->size = size;
	}
	site = calloc(1, sizeof(*site));
	if (!site)
		return NULL;
	site->address = address;
	site->stack_id = stack_id;
	site->stack = names_stack(names, stack_id);
	site->place = place;
	site->shown = site->stack && site->stack->shown ? site->stack->frames[site->stack->shown] :
							  place;
	/* No allocation of it can speak against the cache yet. */
	site->verdict = sites_judge(sites, site);
	site->index = (uint32_t)sites->count;
	sites->list[sites->count++] = site;
	return site;
}

static struct site *site_other(struct site_table *sites, struct name_store *names)
{
	static const char name[] = "other call sites";

	if (sites->other)
		return sites->other;
	sites->other = site_add(sites, names, 0, 0);
	if (sites->other && !sites->other->place->name)
		names_place_set(names, sites->other->place, name, sizeof(name) - 1);
	return sites->other;
}

struct site *sites_get(struct site_table *sites, struct name_store *names, uint64_t address,
		       uint64_t stack_id)
{
	size_t limit = sites->limit ? sites->limit : SITES_MAX;
	struct site *site = table_find(&sites->table, KEY(address, stack_id));

	if (!site && stack_id && sites->count >= limit / 2) {
		stack_id = 0;
		site = table_find(&sites->table, KEY(address, stack_id));
	}
	if (site)
		return site;
	if (sites->count >= limit || !names_place(names, address))
		return site_other(sites, names);
	site = site_add(sites, names, address, stack_id);
	if (site)
		table_add(&sites->table, 2, site);
	return site;
}

struct site *sites_at(struct site_table *sites, uint64_t address)
{
	struct site *site = table_from(&sites->table, KEY(address));

	return site && site->address == address ? site : NULL;
}

struct site *sites_next(struct site *site)
{
	struct site *next = table_next(site);

	return next && next->address == site->address ? next : NULL;
}

uint64_t sites_unproven(const struct site_table *sites, const struct site *site)
{
	if (site->owner->flags & SITE_IS_HELD || site->signs.pool || cache_is_proven(&sites->cache))
		return 0;
	return sites_ended(site, VERDICT_HELD);
}

void sites_describe(const struct site *site, const struct name_store *names, char *out, size_t size)
{
	site->shown->is_told = true;
	if (site->shown->name)
		snprintf(out, size, "%s", site->shown->name);
	else
		names_describe(names, site->address, out, size);
}

void sites_free(struct site_table *sites)
{
	size_t i;

	for (i = 0; i < sites->count; i++) {
		suspect_free(&sites->list[i]->suspect);
		suspect_free(&sites->list[i]->host.suspect);
		free(sites->list[i]);
	}
	free(sites->list);
	memset(sites, 0, sizeof(*sites));
}
