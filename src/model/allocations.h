/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A book of allocations: what one process holds, by address.
 *
 * Only the data structure; which call does what to it is ledger.c's business.
 * Ranges of addresses are in one tree, opaque handles (of arrays and of physical
 * memory, say), which cover no addresses, in another.
 */
#ifndef MODEL_ALLOCATIONS_H
#define MODEL_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree.h"

enum node_state {
	NODE_FREE,		/* on the free list, or never used */
	NODE_LIVE,
	NODE_ENDED,		/* its owner ended first: leaked, or held if its site is */
	NODE_UNSURE,		/* the same, unless its free was among what was lost */
};

/* What ended an allocation before it was freed. */
enum node_end {
	NODE_END_EXIT,		/* its process, or its program: exec */
	NODE_END_RESET,		/* the device was reset */
	NODE_END_CONTEXT,	/* its context was destroyed */
	NODE_END_COUNT,
};

/* One allocation. There can be a million of them: 72 bytes. */
struct alloc_node {
	RB_ENTRY(alloc_node) link;
	uint64_t address;
	uint64_t bytes;
	uint64_t born;		/* NODE_LIVE: time at return; ended: how long it lived */
	uint32_t site;		/* index among the process's sites */
	uint16_t call;
	int16_t device;
	uint16_t element_bytes;
	uint16_t opens;		/* shared memory is opened, and physical memory is held, more than once */
	uint8_t kind : 6;
	uint8_t is_deferred : 1;	/* an array that memory is mapped into as a whole */
	uint8_t is_handle : 1;	/* what `address` is */
	uint8_t state : 4;	/* enum node_state */
	uint8_t end : 4;	/* enum node_end, once it ended */
	uint16_t context;	/* index among the process's contexts; 0: a device's primary one */
};

RB_HEAD(alloc_tree, alloc_node);

struct alloc_chunk;

/* An allocation whose address was given out again before its free was seen. */
struct displaced {
	struct alloc_node was;
	uint64_t when;		/* return of the one that took its place */
};

struct freed_set;

struct book {
	struct alloc_tree ranges, handles;
	struct alloc_chunk *chunks;
	struct alloc_node *unused;
	size_t count;			/* nodes in both trees */
	struct displaced *displaced;	/* oldest first */
	size_t displaced_count, displaced_size;
	struct freed_set *freed;
};

#define BOOK_DISPLACED_MAX 4096

void book_init(struct book *book);

/* Forgets everything and gives the memory back. */
void book_clear(struct book *book);

/* Gives back what only a running process needs. */
void book_close(struct book *book);

/*
 * Adds an allocation in state NODE_LIVE and returns it, the other fields zero,
 * or returns NULL without memory. Nothing in the book may overlap it.
 */
struct alloc_node *book_add(struct book *book, uint64_t address, uint64_t bytes, bool is_handle);
void book_remove(struct book *book, struct alloc_node *node);

/* Returns the lowest allocation that shares an address with what is described, or NULL. */
struct alloc_node *book_overlap(struct book *book, uint64_t address, uint64_t bytes, bool is_handle);

/* Returns the allocation that starts at @address, or NULL. */
struct alloc_node *book_at(struct book *book, uint64_t address);

/* Returns the allocation whose handle is @handle, or NULL. */
struct alloc_node *book_handle(struct book *book, uint64_t handle);

/* Returns the allocation that @address points into, or whose handle it is, or NULL. */
struct alloc_node *book_containing(struct book *book, uint64_t address);

/* True if @address may be in live memory whose size is not known (another process's): it begins below, and nothing is in between. */
bool book_may_contain(struct book *book, uint64_t address);

/* Walks the ranges by address; NULL at the end. */
struct alloc_node *book_lowest(struct book *book);
struct alloc_node *book_higher(struct alloc_node *node);

/* Walks all allocations in no order; the one returned may be removed. */
struct book_cursor {
	const struct alloc_chunk *chunk;
	size_t index;
};
void book_walk(const struct book *book, struct book_cursor *cursor);
struct alloc_node *book_next(struct book_cursor *cursor);

/*
 * Keeps a copy of @node, which gave way to an allocation returned at @when.
 * Returns false if that cannot be kept.
 */
bool book_displace(struct book *book, const struct alloc_node *node, uint64_t when);

/*
 * True if a free of @address entered at @entry is that of a displaced
 * allocation, which is then forgotten.
 */
bool book_claim(struct book *book, uint64_t address, uint64_t entry);

/* Forgets displaced allocation @i. */
void book_drop_displaced(struct book *book, size_t i);

/* Forgets the allocations displaced before @time and returns how many they were. */
size_t book_expire(struct book *book, uint64_t time);

/* Addresses freed lately, some thousands. Adding may fail silently without memory. */
void book_note_freed(struct book *book, uint64_t address);
bool book_was_freed(const struct book *book, uint64_t address);

#endif
