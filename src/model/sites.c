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

#include "model/limits.h"
#include "model/suspect.h"
#include "util/saturated.h"

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int site_compare(const struct site *a, const struct site *b)
{
	int order = COMPARE(a->address, b->address);

	return order ? order : COMPARE(a->stack_id, b->stack_id);
}

TREE_GENERATE(site_tree, site, link, site_compare)

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
	struct site *site, key = { .address = address, .stack_id = stack_id };

	site = RB_FIND(site_tree, &sites->tree, &key);
	if (!site && stack_id && sites->count >= limit / 2) {
		key.stack_id = stack_id = 0;
		site = RB_FIND(site_tree, &sites->tree, &key);
	}
	if (site)
		return site;
	if (sites->count >= limit || !names_place(names, address))
		return site_other(sites, names);
	site = site_add(sites, names, address, stack_id);
	if (site)
		RB_INSERT(site_tree, &sites->tree, site);
	return site;
}

struct site *sites_at(struct site_table *sites, uint64_t address)
{
	struct site key = { .address = address }, *site = RB_NFIND(site_tree, &sites->tree, &key);

	return site && site->address == address ? site : NULL;
}

struct site *sites_next(struct site *site)
{
	struct site *next = RB_NEXT(site_tree, NULL, site);

	return next && next->address == site->address ? next : NULL;
}

uint64_t sites_unproven(const struct site_table *sites, const struct site *site)
{
	if (site->owner->flags & SITE_IS_HELD || cache_is_proven(&sites->cache))
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
		free(sites->list[i]);
	}
	free(sites->list);
	memset(sites, 0, sizeof(*sites));
}
