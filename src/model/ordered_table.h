/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ordered tables, red-black trees: what is in one begins with a struct entry, followed by its key,
 * some uint64_t that are compared one after the other.
 */
#ifndef MODEL_ORDERED_TABLE_H
#define MODEL_ORDERED_TABLE_H

#include <bsd/sys/tree.h>
#include <stddef.h>
#include <stdint.h>

/* RB_GENERATE_STATIC of libbsd uses a macro, __unused, that glibc's own headers use as a name. */
#define TREE_GENERATE(name, type, field, compare) \
	RB_GENERATE_INTERNAL(name, type, field, compare, static __attribute__((unused)))

struct entry {
	RB_ENTRY(entry) link;
	size_t words; /* in its key */
};

RB_HEAD(entry_tree, entry);

struct table {
	struct entry_tree tree;
	size_t count;
};

/* A key as two arguments of the functions below. */
#define KEY(...) \
	sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t), (const uint64_t[]) \
	{ \
		__VA_ARGS__ \
	}

/* The entry with that key; NULL: there is none. */
void *table_find(const struct table *table, size_t words, const uint64_t *key);
/* The same, but adds one of @size bytes, zero but for its key. NULL without memory. */
void *table_get(struct table *table, size_t words, const uint64_t *key, size_t size);
/* Adds @entry, whose key of @words is set and in no other entry. */
void table_add(struct table *table, size_t words, void *entry);
/*
 * The first entry that is not below the key, and the last that is not above it; NULL: there is
 * none. The key may have fewer words than those of the entries.
 */
void *table_from(const struct table *table, size_t words, const uint64_t *key);
void *table_up_to(const struct table *table, size_t words, const uint64_t *key);
/* Walk all in the order of their keys; NULL at the end. */
void *table_first(const struct table *table);
void *table_next(const void *entry);
/* Takes @entry out of the table; the second frees it, too. */
void table_take(struct table *table, void *entry);
void table_drop(struct table *table, void *entry);
/* Frees all entries. */
void table_free(struct table *table);

#endif
