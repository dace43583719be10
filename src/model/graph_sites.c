/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/graph_sites.h"

#include <stdlib.h>

#include "model/limits.h"

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int graph_site_compare(const struct graph_site *a, const struct graph_site *b)
{
	int order = ORDER(a->site, b->site);

	return order ? order : ORDER(a->stack, b->stack);
}

TREE_GENERATE(graph_site_tree, graph_site, link, graph_site_compare)

struct graph_site *graph_sites_get(struct graph_sites *sites, uint64_t site, uint64_t stack)
{
	struct graph_site key = { .site = site, .stack = stack },
			  *found = RB_FIND(graph_site_tree, &sites->tree, &key);

	if (found || sites->count >= GRAPH_SITES_MAX)
		return found;
	found = calloc(1, sizeof(*found));
	if (!found)
		return NULL;
	found->site = site;
	found->stack = stack;
	RB_INSERT(graph_site_tree, &sites->tree, found);
	sites->count++;
	return found;
}

struct graph_site *graph_sites_first(struct graph_sites *sites)
{
	return RB_MIN(graph_site_tree, &sites->tree);
}

struct graph_site *graph_sites_next(struct graph_site *site)
{
	return RB_NEXT(graph_site_tree, NULL, site);
}

void graph_sites_free(struct graph_sites *sites)
{
	struct graph_site *site;

	while ((site = RB_MIN(graph_site_tree, &sites->tree)) != NULL) {
		RB_REMOVE(graph_site_tree, &sites->tree, site);
		free(site);
	}
	sites->count = 0;
}
