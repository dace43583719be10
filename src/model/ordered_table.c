/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/ordered_table.h"

#include <stdlib.h>
#include <string.h>

#include "util/util.h"

static int key_compare(size_t words, const uint64_t *a, const uint64_t *b)
{
	size_t i;

	for (i = 0; i + 1 < words && a[i] == b[i]; i++)
		;
	return ORDER(a[i], b[i]);
}

static uint64_t *key_of(const struct entry *entry)
{
	return (uint64_t *)(entry + 1);
}

static int entry_compare(const struct entry *a, const struct entry *b)
{
	return key_compare(a->words, key_of(a), key_of(b));
}

TREE_GENERATE(entry_tree, entry, link, entry_compare)

void *table_from(const struct table *table, size_t words, const uint64_t *key)
{
	struct entry *at = RB_ROOT(&table->tree), *best = NULL;

	while (at) {
		if (key_compare(words, key_of(at), key) >= 0) {
			best = at;
			at = RB_LEFT(at, link);
		} else {
			at = RB_RIGHT(at, link);
		}
	}
	return best;
}

void *table_up_to(const struct table *table, size_t words, const uint64_t *key)
{
	struct entry *at = RB_ROOT(&table->tree), *best = NULL;

	while (at) {
		if (key_compare(words, key_of(at), key) <= 0) {
			best = at;
			at = RB_RIGHT(at, link);
		} else {
			at = RB_LEFT(at, link);
		}
	}
	return best;
}

void *table_find(const struct table *table, size_t words, const uint64_t *key)
{
	struct entry *at = RB_ROOT(&table->tree);
	int order;

	while (at && (order = key_compare(words, key, key_of(at))) != 0)
		at = order < 0 ? RB_LEFT(at, link) : RB_RIGHT(at, link);
	return at;
}

void table_add(struct table *table, size_t words, void *entry)
{
	((struct entry *)entry)->words = words;
	RB_INSERT(entry_tree, &table->tree, entry);
	table->count++;
}

void *table_get(struct table *table, size_t words, const uint64_t *key, size_t size)
{
	struct entry *entry = table_find(table, words, key);

	if (entry)
		return entry;
	entry = calloc(1, size);
	if (!entry)
		return NULL;
	memcpy(key_of(entry), key, words * sizeof(*key));
	table_add(table, words, entry);
	return entry;
}

void *table_first(const struct table *table)
{
	return RB_MIN(entry_tree, (struct entry_tree *)&table->tree);
}

void *table_next(const void *entry)
{
	return RB_NEXT(entry_tree, NULL, (struct entry *)entry);
}

void table_take(struct table *table, void *entry)
{
	RB_REMOVE(entry_tree, &table->tree, entry);
	table->count--;
}

void table_drop(struct table *table, void *entry)
{
	table_take(table, entry);
	free(entry);
}

void table_free(struct table *table)
{
	while (table->count)
		table_drop(table, table_first(table));
}
