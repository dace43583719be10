/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A book of allocations: what one process holds, by address. Only the data structure; ledger.c
 * decides which call does what to it. Allocations with addresses are in one tree; opaque handles
 * (of arrays or physical memory, for example), which cover no addresses, are in another.
 */
#ifndef MODEL_ALLOCATIONS_H
#define MODEL_ALLOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ordered_table.h"

enum node_state {
	NODE_FREE, /* on the free list, or never used */
	NODE_LIVE,
	/* Its owner ended first: leaked, or held if its site counts as held */
	NODE_ENDED,
	NODE_UNSURE, /* the same, unless its free is among the lost records */
};

/* What ended an allocation that was not freed. */
enum node_end {
	NODE_END_EXIT,    /* the process ended, or its program did (exec) */
	NODE_END_RESET,   /* the device was reset */
	NODE_END_CONTEXT, /* its context was destroyed */
	NODE_END_COUNT,
};

/* One allocation. There can be a million of them: 72 bytes. */
struct alloc_node {
	RB_ENTRY(alloc_node) link;
	uint64_t address;
	uint64_t bytes;
	uint64_t born; /* NODE_LIVE: time at return; ended: how long it lived */
	uint32_t site; /* index among the process's sites */
	uint16_t call;
	int16_t device;
	uint16_t element_bytes;
	/*
	 * How often shared memory was opened, or how many hold physical memory; of a block, for how
	 * many it stands in the figures of its site
	 */
	uint16_t opens;
	uint8_t kind : 6;
	uint8_t is_handle : 1; /* `address` is a handle */
	uint8_t state : 4;     /* enum node_state */
	uint8_t end : 4;       /* enum node_end, if it has ended */
	uint16_t context;      /* index among the process's contexts; 0: a device's primary one */
};

RB_HEAD(alloc_tree, alloc_node);

struct alloc_chunk;

/* An allocation whose address was given out again before its free was seen. */
struct displaced {
	struct alloc_node was;
	uint64_t when; /* when the call returned that allocated the address again */
};

struct freed_set;

struct book {
	struct alloc_tree ranges, handles;
	struct alloc_chunk *chunks;
	struct alloc_node *unused;
	size_t count;                /* nodes in both trees */
	size_t *all;                 /* nodes in all books of all processes */
	struct displaced *displaced; /* oldest first */
	size_t displaced_count, displaced_size;
	struct freed_set *freed;
};

#define BOOK_DISPLACED_MAX 4096

/* @all: how many nodes there are in all books, to be counted there. */
void book_init(struct book *book, size_t *all);

/* Drops everything and frees the memory. */
void book_clear(struct book *book);

/* Frees what only a running process needs. */
void book_close(struct book *book);

/*
 * Adds an allocation in state NODE_LIVE and returns it, with the other fields zero, or returns NULL
 * without memory or room (NODES_MAX). It must not overlap another one.
 */
struct alloc_node *book_add(struct book *book, uint64_t address, uint64_t bytes, bool is_handle);
void book_remove(struct book *book, struct alloc_node *node);

/* Returns the lowest allocation that overlaps the given one, or NULL. */
struct alloc_node *book_overlap(struct book *book, uint64_t address, uint64_t bytes,
				bool is_handle);

/* Returns the allocation that starts at @address, or NULL. */
struct alloc_node *book_at(struct book *book, uint64_t address);

/* Returns the allocation whose handle is @handle, or NULL. */
struct alloc_node *book_handle(struct book *book, uint64_t handle);

/* Returns the allocation that @address points into, or whose handle it is, or NULL. */
struct alloc_node *book_containing(struct book *book, uint64_t address);

/*
 * True if @address may be inside live memory of unknown size (another process's): that begins below
 * it, with no other allocation in between.
 */
bool book_may_contain(struct book *book, uint64_t address);

/* Walks the allocations with addresses in ascending order; NULL at the end. */
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
 * Keeps a copy of @node, which was replaced by an allocation returned at @when. Returns false if
 * there is no room.
 */
bool book_displace(struct book *book, const struct alloc_node *node, uint64_t when);

/*
 * True if a free of @address entered at @entry belongs to a displaced allocation, which is then
 * dropped.
 */
bool book_claim(struct book *book, uint64_t address, uint64_t entry);

/* Drops displaced allocation @i. */
void book_drop_displaced(struct book *book, size_t i);

/* Drops the allocations displaced before @time and returns how many they were. */
size_t book_expire(struct book *book, uint64_t time);

/* Addresses freed lately, some thousands. Adding may fail silently without memory. */
void book_note_freed(struct book *book, uint64_t address);
bool book_was_freed(const struct book *book, uint64_t address);

#endif
