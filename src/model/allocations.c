/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The list of one process's allocations: two red-black trees by address, whose nodes come from
 * chunks of the list's own. A chunk has no header per node, and a walk over a million nodes reads
 * memory in order; chunks double in size, so that a process with three allocations takes little
 * memory. Displaced allocations (see ledger.c) wait in a short list; recently freed addresses are
 * in a small set-associative table, where the newest of a set replaces the oldest.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/allocations.h"
#include "model/limits.h"

#define CHUNK_FIRST   16
#define CHUNK_LARGEST 8192
/* bytes that an allocation of unknown size may have: more than any device has */
#define UNSAID_MAX (1ull << 39)

struct alloc_chunk {
	struct alloc_chunk *next;
	size_t count;
	struct alloc_node nodes[];
};

#define FREED_WAYS 4
#define FREED_SETS 2048

struct freed_set {
	uint64_t address[FREED_SETS][FREED_WAYS]; /* newest first */
};

static int node_compare(const struct alloc_node *a, const struct alloc_node *b)
{
	return (a->address > b->address) - (a->address < b->address);
}

TREE_GENERATE(alloc_tree, alloc_node, link, node_compare)

/*
 * A handle is usually a pointer into the host's heap: its value says nothing about where the memory
 * is.
 */
static struct alloc_tree *tree_of(struct book *book, bool is_handle)
{
	return is_handle ? &book->handles : &book->ranges;
}

/* The last address that is covered; at least one is, so that the start is always found. */
static uint64_t last_address(uint64_t address, uint64_t bytes, bool is_handle)
{
	if (bytes <= 1 || is_handle)
		return address;
	return bytes - 1 > UINT64_MAX - address ? UINT64_MAX : address + bytes - 1;
}

void book_init(struct book *book, size_t *all)
{
	memset(book, 0, sizeof(*book));
	book->all = all;
	RB_INIT(&book->ranges);
	RB_INIT(&book->handles);
}

void book_close(struct book *book)
{
	free(book->displaced);
	book->displaced = NULL;
	book->displaced_count = book->displaced_size = 0;
	free(book->freed);
	book->freed = NULL;
}

void book_clear(struct book *book)
{
	struct alloc_chunk *chunk, *next;

	book_close(book);
	for (chunk = book->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*book->all -= book->count;
	book_init(book, book->all);
}

static int book_grow(struct book *book)
{
	size_t i, count = CHUNK_FIRST;
	struct alloc_chunk *chunk;

	if (book->chunks)
		count = book->chunks->count * 2;
	if (count > CHUNK_LARGEST)
		count = CHUNK_LARGEST;
	chunk = calloc(1, sizeof(*chunk) + count * sizeof(chunk->nodes[0]));
	if (!chunk)
		return -ENOMEM;
	chunk->count = count;
	chunk->next = book->chunks;
	book->chunks = chunk;
	for (i = count; i-- > 0;) {
		RB_LEFT(&chunk->nodes[i], link) = book->unused;
		book->unused = &chunk->nodes[i];
	}
	return 0;
}

struct alloc_node *book_add(struct book *book, uint64_t address, uint64_t bytes, bool is_handle)
{
	struct alloc_node *node;

	if (book->count >= NODES_FREE && *book->all >= NODES_MAX)
		return NULL;
	if (!book->unused && book_grow(book) < 0)
		return NULL;
	node = book->unused;
	book->unused = RB_LEFT(node, link);
	memset(node, 0, sizeof(*node));
	node->address = address;
	node->bytes = bytes;
	node->is_handle = is_handle;
	node->state = NODE_LIVE;
	RB_INSERT(alloc_tree, tree_of(book, is_handle), node);
	book->count++;
	++*book->all;
	return node;
}

void book_remove(struct book *book, struct alloc_node *node)
{
	RB_REMOVE(alloc_tree, tree_of(book, node->is_handle), node);
	node->state = NODE_FREE;
	RB_LEFT(node, link) = book->unused;
	book->unused = node;
	book->count--;
	--*book->all;
}

/* The node with the highest start that is not above @address. */
static struct alloc_node *at_or_below(struct alloc_tree *tree, uint64_t address)
{
	struct alloc_node *at = RB_ROOT(tree), *best = NULL;

	while (at) {
		if (at->address <= address) {
			best = at;
			at = RB_RIGHT(at, link);
		} else {
			at = RB_LEFT(at, link);
		}
	}
	return best;
}

struct alloc_node *book_overlap(struct book *book, uint64_t address, uint64_t bytes, bool is_handle)
{
	uint64_t last = last_address(address, bytes, is_handle);
	struct alloc_tree *tree = tree_of(book, is_handle);
	struct alloc_node *node, key = { .address = address };

	node = at_or_below(tree, address);
	if (node && last_address(node->address, node->bytes, is_handle) >= address)
		return node;
	node = RB_NFIND(alloc_tree, tree, &key);
	return node && node->address <= last ? node : NULL;
}

struct alloc_node *book_at(struct book *book, uint64_t address)
{
	struct alloc_node *node, key = { .address = address };

	node = RB_FIND(alloc_tree, &book->ranges, &key);
	return node ? node : RB_FIND(alloc_tree, &book->handles, &key);
}

struct alloc_node *book_handle(struct book *book, uint64_t handle)
{
	struct alloc_node key = { .address = handle };

	return RB_FIND(alloc_tree, &book->handles, &key);
}

struct alloc_node *book_containing(struct book *book, uint64_t address)
{
	struct alloc_node *node, key = { .address = address };

	node = at_or_below(&book->ranges, address);
	if (node && last_address(node->address, node->bytes, false) >= address)
		return node;
	return RB_FIND(alloc_tree, &book->handles, &key);
}

bool book_may_contain(struct book *book, uint64_t address)
{
	const struct alloc_node *node = at_or_below(&book->ranges, address);

	return node && node->state == NODE_LIVE && !node->bytes &&
	       address - node->address < UNSAID_MAX;
}

struct alloc_node *book_lowest(struct book *book)
{
	return RB_MIN(alloc_tree, &book->ranges);
}

struct alloc_node *book_higher(struct alloc_node *node)
{
	return RB_NEXT(alloc_tree, NULL, node);
}

void book_walk(const struct book *book, struct book_cursor *cursor)
{
	cursor->chunk = book->chunks;
	cursor->index = 0;
}

struct alloc_node *book_next(struct book_cursor *cursor)
{
	while (cursor->chunk) {
		const struct alloc_chunk *chunk = cursor->chunk;

		while (cursor->index < chunk->count) {
			const struct alloc_node *node = &chunk->nodes[cursor->index++];

			if (node->state != NODE_FREE)
				return (struct alloc_node *)node;
		}
		cursor->chunk = chunk->next;
		cursor->index = 0;
	}
	return NULL;
}

bool book_displace(struct book *book, const struct alloc_node *node, uint64_t when)
{
	struct displaced *list = book->displaced;

	if (book->displaced_count == book->displaced_size) {
		size_t size = book->displaced_size ? book->displaced_size * 2 : 16;

		if (size > BOOK_DISPLACED_MAX)
			return false;
		list = realloc(list, size * sizeof(*list));
		if (!list)
			return false;
		book->displaced = list;
		book->displaced_size = size;
	}
	list[book->displaced_count++] = (struct displaced){ *node, when };
	return true;
}

static void drop_displaced(struct book *book, size_t first, size_t count)
{
	struct displaced *list = book->displaced;

	book->displaced_count -= count;
	memmove(list + first, list + first + count,
		(book->displaced_count - first) * sizeof(*list));
}

void book_drop_displaced(struct book *book, size_t i)
{
	drop_displaced(book, i, 1);
}

bool book_claim(struct book *book, uint64_t address, uint64_t entry)
{
	size_t i;

	for (i = 0; i < book->displaced_count; i++) {
		const struct displaced *one = &book->displaced[i];

		if (one->was.address == address && one->was.born <= entry && entry < one->when) {
			drop_displaced(book, i, 1);
			return true;
		}
	}
	return false;
}

size_t book_expire(struct book *book, uint64_t time)
{
	size_t count = 0;

	/*
	 * They are in the order of records, which is nearly that of time: stop at the first recent
	 * one.
	 */
	while (count < book->displaced_count && book->displaced[count].when < time)
		count++;
	if (count)
		drop_displaced(book, 0, count);
	return count;
}

static uint64_t *freed_ways(const struct book *book, uint64_t address)
{
	/*
	 * Device addresses are multiples of 256 or more: multiply to spread the bits, and use the
	 * high ones.
	 */
	return book->freed->address[(address * 0x9e3779b97f4a7c15ull) >> 53];
}

void book_note_freed(struct book *book, uint64_t address)
{
	uint64_t *ways;
	size_t i;

	if (!book->freed) {
		book->freed = calloc(1, sizeof(*book->freed));
		if (!book->freed)
			return;
	}
	ways = freed_ways(book, address);
	for (i = 0; i < FREED_WAYS - 1 && ways[i] != address; i++)
		;
	memmove(ways + 1, ways, i * sizeof(*ways));
	ways[0] = address;
}

bool book_was_freed(const struct book *book, uint64_t address)
{
	const uint64_t *ways;
	size_t i;

	if (!book->freed)
		return false;
	ways = freed_ways(book, address);
	for (i = 0; i < FREED_WAYS; i++)
		if (ways[i] == address)
			return true;
	return false;
}
