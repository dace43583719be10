/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF limits the rows of a program, but a recording may say anything. Past the limit a kernel has
 * one row for all its other sites.
 */
#include "model/call_sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/limits.h"

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int entry_compare(const struct call_site_entry *left, const struct call_site_entry *right)
{
	const struct call_site_key *a = &left->key, *b = &right->key;
	int order = COMPARE(a->launch.call, b->launch.call);

	if (!order)
		order = COMPARE(a->launch.device, b->launch.device);
	if (!order)
		order = COMPARE(a->launch.function, b->launch.function);
	if (!order)
		order = COMPARE(a->site, b->site);
	return order ? order : COMPARE(a->stack, b->stack);
}

TREE_GENERATE(call_site_tree, call_site_entry, link, entry_compare)

static void row_add(struct call_site_row *sum, const struct call_site_row *row)
{
	sum->launches += row->launches;
	sum->samples += row->samples;
	sum->ns += row->ns;
}

int call_sites_add(struct call_sites *sites, struct name_store *names,
		   const struct call_site_key *key, const struct call_site_row *row)
{
	struct call_site_entry wanted = { .key = *key },
			       *entry = RB_FIND(call_site_tree, &sites->tree, &wanted);
	struct place *place = NULL;

	if (!entry && (wanted.key.site || wanted.key.stack)) {
		place = sites->count < LAUNCH_SITES_MAX ? names_place(names, key->site) : NULL;
		if (!place) {
			wanted.key.site = wanted.key.stack = 0;
			entry = RB_FIND(call_site_tree, &sites->tree, &wanted);
		}
	}
	if (!entry) {
		entry = calloc(1, sizeof(*entry));
		if (!entry)
			return -ENOMEM;
		entry->key = wanted.key;
		entry->place = place;
		entry->stack = names_stack(names, wanted.key.stack);
		RB_INSERT(call_site_tree, &sites->tree, entry);
		sites->count++;
	}
	row_add(&entry->row, row);
	return 0;
}

const struct call_site_entry *call_sites_first(const struct call_sites *sites)
{
	return RB_MIN(call_site_tree, (struct call_site_tree *)&sites->tree);
}

const struct call_site_entry *call_sites_next(const struct call_site_entry *entry)
{
	return RB_NEXT(call_site_tree, NULL, (struct call_site_entry *)entry);
}

void call_sites_free(struct call_sites *sites)
{
	struct call_site_entry *entry;

	while ((entry = RB_MIN(call_site_tree, &sites->tree)) != NULL) {
		RB_REMOVE(call_site_tree, &sites->tree, entry);
		free(entry);
	}
	sites->count = 0;
}
