/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of graphs. Launches are counted for the whole, and passed on to its kernels when they are
 * asked for, or when the parts change: so counting a launch costs the same whatever the graph
 * contains.
 */
#include "model/graph_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "util/saturated.h"

static int part_compare(const struct part *a, const struct part *b)
{
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	if (a->off != b->off)
		return a->off ? 1 : -1;
	return ((uintptr_t)a->kernel > (uintptr_t)b->kernel) -
	       ((uintptr_t)a->kernel < (uintptr_t)b->kernel);
}

TREE_GENERATE(part_tree, part, link, part_compare)

struct parts *parts_new(struct parts_list *list)
{
	struct parts *parts = calloc(1, sizeof(*parts));

	if (!parts)
		return NULL;
	RB_INIT(&parts->tree);
	parts->owners = 1;
	parts->next = list->first;
	parts->link = &list->first;
	if (list->first)
		list->first->link = &parts->next;
	list->first = parts;
	return parts;
}

struct parts *parts_share(struct parts *parts)
{
	parts->owners++;
	return parts;
}

void parts_take(struct parts_list *list, struct parts *parts, struct part *part)
{
	RB_REMOVE(part_tree, &parts->tree, part);
	parts->count--;
	list->count--;
	list->unnamed -= !part->node;
	free(part);
}

void parts_drop(struct parts_list *list, struct parts *parts)
{
	struct part *part;

	if (!parts || --parts->owners)
		return;
	parts_settle(parts);
	while ((part = RB_MIN(part_tree, &parts->tree)) != NULL)
		parts_take(list, parts, part);
	*parts->link = parts->next;
	if (parts->next)
		parts->next->link = parts->link;
	free(parts);
}

int parts_own(struct parts_list *list, struct parts **parts)
{
	struct parts *copy;
	struct part *part;
	int error = 0;

	if ((*parts)->owners == 1) {
		parts_settle(*parts);
		return 0;
	}
	if ((*parts)->count > list->most - list->count)
		return -ENOSPC;
	copy = parts_new(list);
	if (!copy)
		return -ENOMEM;
	RB_FOREACH(part, part_tree, &(*parts)->tree)
	error = error ? error :
			parts_add(list, copy, part->node, part->kernel, part->count, part->off);
	if (error) {
		parts_drop(list, copy);
		return error;
	}
	parts_drop(list, *parts);
	*parts = copy;
	return 0;
}

int parts_add(struct parts_list *list, struct parts *parts, uint64_t node,
	      struct launch_entry *kernel, uint64_t count, bool off)
{
	struct part wanted = { .node = node, .kernel = kernel, .off = off };
	struct part *part = RB_FIND(part_tree, &parts->tree, &wanted);

	if (part) {
		part->count = add_saturated(part->count, count);
		return 0;
	}
	if (list->count >= list->most)
		return -ENOSPC;
	part = calloc(1, sizeof(*part));
	if (!part)
		return -ENOMEM;
	*part = wanted;
	part->count = count;
	RB_INSERT(part_tree, &parts->tree, part);
	parts->count++;
	list->count++;
	list->unnamed += !node;
	kernel->in_graph = true;
	return 0;
}

int parts_add_all(struct parts_list *list, struct parts *parts, uint64_t node,
		  const struct parts *from)
{
	struct part *part;
	int error;

	RB_FOREACH(part, part_tree, (struct part_tree *)&from->tree)
	{
		if (part->off)
			continue;
		error = parts_add(list, parts, node, part->kernel, part->count, false);
		if (error)
			return error;
	}
	return 0;
}

struct part *parts_first(const struct parts *parts)
{
	return RB_MIN(part_tree, (struct part_tree *)&parts->tree);
}

struct part *parts_after(struct part *part)
{
	return RB_NEXT(part_tree, NULL, part);
}

struct part *parts_of(const struct parts *parts, uint64_t node)
{
	struct part least = { .node = node };
	struct part *part = RB_NFIND(part_tree, (struct part_tree *)&parts->tree, &least);

	return part && part->node == node ? part : NULL;
}

struct part *parts_next(struct part *part)
{
	struct part *next = RB_NEXT(part_tree, NULL, part);

	return next && next->node == part->node ? next : NULL;
}

bool parts_remove(struct parts_list *list, struct parts *parts, uint64_t node)
{
	bool any = false;
	struct part *part;

	while ((part = parts_of(parts, node)) != NULL) {
		parts_take(list, parts, part);
		any = true;
	}
	return any;
}

void parts_launched(struct parts *parts, uint64_t launches)
{
	parts->launches = add_saturated(parts->launches, launches);
}

void parts_settle(struct parts *parts)
{
	struct part *part;

	if (!parts->launches)
		return;
	RB_FOREACH(part, part_tree, &parts->tree)
	if (!part->off)
		part->kernel->graph_launches =
			add_saturated(part->kernel->graph_launches,
				      multiply_saturated(part->count, parts->launches));
	parts->launches = 0;
}
