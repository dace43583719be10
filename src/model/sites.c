/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call sites of one process, by address and by index: allocations name
 * theirs by index, which costs them four bytes. Their number is bounded; what
 * comes after that shares one site, at address 0.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"

static int site_compare(const struct site *a, const struct site *b)
{
	return (a->address > b->address) - (a->address < b->address);
}

TREE_GENERATE(site_tree, site, link, site_compare)

static struct site *site_add(struct site_table *sites, uint64_t address)
{
	struct site *site;

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
	site->index = (uint32_t)sites->count;
	sites->list[sites->count++] = site;
	return site;
}

const struct site *sites_find(struct site_table *sites, uint64_t address)
{
	struct site key = { .address = address };

	return RB_FIND(site_tree, &sites->tree, &key);
}

struct site *sites_get(struct site_table *sites, uint64_t address)
{
	struct site *site, key = { .address = address };

	site = RB_FIND(site_tree, &sites->tree, &key);
	if (site)
		return site;
	if (sites->count >= SITES_MAX) {
		if (!sites->other) {
			sites->other = site_add(sites, 0);
			if (sites->other)
				site_set_name(sites->other, "other call sites", strlen("other call sites"));
		}
		return sites->other;
	}
	site = site_add(sites, address);
	if (site)
		RB_INSERT(site_tree, &sites->tree, site);
	return site;
}

int site_set_name(struct site *site, const char *text, size_t len)
{
	char *name = clean_copy(text, len);

	if (!name)
		return -ENOMEM;
	free(site->name);
	site->name = name;
	return 0;
}

void sites_free(struct site_table *sites)
{
	size_t i;

	for (i = 0; i < sites->count; i++) {
		suspect_free(sites->list[i]);
		free(sites->list[i]->name);
		free(sites->list[i]);
	}
	free(sites->list);
	memset(sites, 0, sizeof(*sites));
}
