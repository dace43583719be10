/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call sites of one process, by address and stack and by index: allocations
 * name theirs by index, which costs them four bytes. Their number is bounded;
 * what comes after that shares one site, at address 0. What an address is
 * called stands in a table of its own, which sites and frames share.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int site_compare(const struct site *a, const struct site *b)
{
	int order = COMPARE(a->address, b->address);

	return order ? order : COMPARE(a->stack_id, b->stack_id);
}

static int place_compare(const struct place *a, const struct place *b)
{
	return COMPARE(a->address, b->address);
}

static int stack_compare(const struct stack *a, const struct stack *b)
{
	return COMPARE(a->id, b->id);
}

TREE_GENERATE(site_tree, site, link, site_compare)
TREE_GENERATE(place_tree, place, link, place_compare)
TREE_GENERATE(stack_tree, stack, link, stack_compare)

/* ---- places ---- */

const struct place *sites_find(struct site_table *sites, uint64_t address)
{
	struct place key = { .address = address };

	return RB_FIND(place_tree, &sites->places, &key);
}

struct place *sites_place(struct site_table *sites, uint64_t address)
{
	struct place key = { .address = address }, *place = RB_FIND(place_tree, &sites->places, &key);

	if (place || (sites->place_count >= PLACES_MAX && address))	/* site_other() is at 0 */
		return place;
	place = calloc(1, sizeof(*place));
	if (!place)
		return NULL;
	place->address = address;
	RB_INSERT(place_tree, &sites->places, place);
	sites->place_count++;
	return place;
}

int place_set_name(struct place *place, const char *text, size_t len)
{
	char *name = clean_copy(text, len);

	if (!name)
		return -ENOMEM;
	free(place->name);
	place->name = name;
	return 0;
}

/* ---- stacks ---- */

static const struct stack *stack_find(struct site_table *sites, uint64_t id)
{
	struct stack key = { .id = id };

	return id ? RB_FIND(stack_tree, &sites->stacks, &key) : NULL;
}

int sites_stack(struct site_table *sites, uint64_t id, const char *frames, size_t count)
{
	struct stack *stack;
	uint64_t address;
	size_t i;

	if (stack_find(sites, id) || sites->stack_count >= STACKS_MAX)
		return 0;
	stack = calloc(1, sizeof(*stack) + count * sizeof(stack->frames[0]));
	if (!stack)
		return -ENOMEM;
	stack->id = id;
	for (i = 0; i < count; i++) {
		memcpy(&address, frames + i * sizeof(address), sizeof(address));
		stack->frames[i] = sites_place(sites, address);
		if (!stack->frames[i])
			break;		/* the outer ones are left out */
		stack->count++;
	}
	RB_INSERT(stack_tree, &sites->stacks, stack);
	sites->stack_count++;
	return 0;
}

/* ---- sites ---- */

static struct site *site_add(struct site_table *sites, uint64_t address, uint64_t stack_id)
{
	struct place *place = sites_place(sites, address);
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
	site->stack = stack_find(sites, stack_id);
	site->place = place;
	/* Nothing of it can be against the cache yet. */
	site->held = place->flags & SITE_IS_HELD || (place->flags & SITE_IN_CACHE && !sites->cache.is_off);
	site->index = (uint32_t)sites->count;
	sites->list[sites->count++] = site;
	return site;
}

static struct site *site_other(struct site_table *sites)
{
	static const char name[] = "other call sites";

	if (sites->other)
		return sites->other;
	sites->other = site_add(sites, 0, 0);
	if (sites->other && !sites->other->place->name)
		place_set_name(sites->other->place, name, sizeof(name) - 1);
	return sites->other;
}

struct site *sites_get(struct site_table *sites, uint64_t address, uint64_t stack_id)
{
	struct site *site, key = { .address = address, .stack_id = stack_id };

	site = RB_FIND(site_tree, &sites->tree, &key);
	if (site)
		return site;
	if (sites->count >= SITES_MAX || !sites_place(sites, address))
		return site_other(sites);
	site = site_add(sites, address, stack_id);
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

void sites_free(struct site_table *sites)
{
	struct place *place, *next_place;
	struct stack *stack, *next_stack;
	size_t i;

	for (i = 0; i < sites->count; i++) {
		suspect_free(sites->list[i]);
		free(sites->list[i]);
	}
	free(sites->list);
	for (stack = RB_MIN(stack_tree, &sites->stacks); stack; stack = next_stack) {
		next_stack = RB_NEXT(stack_tree, NULL, stack);
		RB_REMOVE(stack_tree, &sites->stacks, stack);
		free(stack);
	}
	for (place = RB_MIN(place_tree, &sites->places); place; place = next_place) {
		next_place = RB_NEXT(place_tree, NULL, place);
		RB_REMOVE(place_tree, &sites->places, place);
		free(place->name);
		free(place);
	}
	memset(sites, 0, sizeof(*sites));
}
