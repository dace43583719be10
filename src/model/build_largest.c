/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The largest allocations of a book, in order. A process can have a million: then one walk keeps
 * the largest ones in a heap of the size asked for, and only those are sorted. Of a few thousand,
 * it is faster to put aside all that are large enough, as a rough count of sizes tells, and to sort
 * those digit by digit.
 */
#include <stdlib.h>
#include <string.h>

#include "model/build.h"

/* With more allocations than this, a list of all of them would take too much memory. */
#define LISTED_MAX 16384

/* True if @a comes after @b in the map. */
static bool is_smaller(const struct alloc_node *a, const struct alloc_node *b)
{
	return a->bytes != b->bytes ? a->bytes < b->bytes : a->address > b->address;
}

static int node_order(const void *left, const void *right)
{
	const struct alloc_node *a = *(const struct alloc_node *const *)left;
	const struct alloc_node *b = *(const struct alloc_node *const *)right;

	return is_smaller(a, b) - is_smaller(b, a);
}

/* Restores the heap (smallest at the root) after its root was replaced. */
static void sift_down(const struct alloc_node **heap, size_t count, size_t at)
{
	const struct alloc_node *node = heap[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= count)
			break;
		if (child + 1 < count && is_smaller(heap[child + 1], heap[child]))
			child++;
		if (!is_smaller(heap[child], node))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = node;
}

/* Keeps the largest of @book in @heap, in no order. Returns how many. */
static size_t heap_fill(const struct book *book, const struct alloc_node **heap, size_t room)
{
	struct book_cursor cursor;
	struct alloc_node *node;
	size_t count = 0, i;

	book_walk(book, &cursor);
	while (room && (node = book_next(&cursor)) != NULL) {
		if (count < room) {
			heap[count++] = node;
			for (i = count / 2; count == room && i-- > 0;)
				sift_down(heap, count, i);
		} else if (is_smaller(heap[0], node)) {
			heap[0] = node;
			sift_down(heap, count, 0);
		}
	}
	return count;
}

/* ---- a list of all ---- */

struct item {
	uint64_t bytes;
	const struct alloc_node *node;
};

/* Sizes in classes: 16 for each power of two */
#define CLASS_BITS 4
#define CLASSES    (64u << CLASS_BITS)

static unsigned int class_of(uint64_t bytes)
{
	unsigned int log;

	if (bytes < 1u << CLASS_BITS)
		return (unsigned int)bytes;
	log = 63 - (unsigned int)__builtin_clzll(bytes);
	return (log << CLASS_BITS) +
	       (unsigned int)(bytes >> (log - CLASS_BITS) & ((1u << CLASS_BITS) - 1));
}

/* Lists those that may be among the @room largest. Returns how many. */
static size_t list_fill(const struct book *book, struct item *list, size_t room)
{
	unsigned int counts[CLASSES] = { 0 }, least = CLASSES;
	struct book_cursor cursor;
	struct alloc_node *node;
	size_t count = 0, kept = 0, i, sum = 0;

	book_walk(book, &cursor);
	while ((node = book_next(&cursor)) != NULL) {
		list[count++] = (struct item){ node->bytes, node };
		counts[class_of(node->bytes)]++;
	}
	if (count <= room)
		return count;
	while (sum < room)
		sum += counts[--least];
	for (i = 0; i < count; i++)
		if (class_of(list[i].bytes) >= least)
			list[kept++] = list[i];
	return kept;
}

/* Sorts @list by size, largest first, with @other, which is as long. Returns where it is then. */
static struct item *list_sort(struct item *list, struct item *other, size_t count)
{
	uint64_t any = 0, all = UINT64_MAX;
	unsigned int shift;
	size_t i;

	for (i = 0; i < count; i++) {
		any |= list[i].bytes;
		all &= list[i].bytes;
	}
	for (shift = 0; shift < 64; shift += 8) {
		size_t starts[257] = { 0 };
		struct item *sorted = other;

		/* All have the same digit here. */
		if (!((any ^ all) >> shift & 0xff))
			continue;
		for (i = 0; i < count; i++)
			starts[256 - (list[i].bytes >> shift & 0xff)]++;
		for (i = 1; i < 257; i++)
			starts[i] += starts[i - 1];
		for (i = 0; i < count; i++)
			sorted[starts[255 - (list[i].bytes >> shift & 0xff)]++] = list[i];
		other = list;
		list = sorted;
	}
	return list;
}

static int item_order(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	return (a->node->address > b->node->address) - (a->node->address < b->node->address);
}

/* Puts those of one size in the order of their addresses, as far as the first @room need it. */
static void sizes_sort(struct item *list, size_t count, size_t room)
{
	size_t i, begin = 0;
	bool is_sorted = true;

	for (i = 1; i <= count && begin < room; i++) {
		if (i < count && list[i].bytes == list[begin].bytes) {
			is_sorted = is_sorted && item_order(&list[i - 1], &list[i]) <= 0;
			continue;
		}
		if (!is_sorted)
			qsort(list + begin, i - begin, sizeof(*list), item_order);
		begin = i;
		is_sorted = true;
	}
}

size_t build_largest(const struct book *book, const struct alloc_node **list, size_t room)
{
	size_t i, count = book->count;
	struct item *items = NULL, *sorted;

	if (room && count && count <= LISTED_MAX)
		items = malloc(2 * count * sizeof(*items));
	if (!items) {
		count = heap_fill(book, list, room);
		if (count)
			qsort(list, count, sizeof(*list), node_order);
		return count;
	}
	count = list_fill(book, items, room);
	sorted = list_sort(items, items + book->count, count);
	sizes_sort(sorted, count, room);
	count = count < room ? count : room;
	for (i = 0; i < count; i++)
		list[i] = sorted[i].node;
	free(items);
	return count;
}
