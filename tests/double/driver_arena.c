// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arenas: reserved address ranges, handed out first fit at the lowest
 * address, so that addresses are reused at once as a real device's are.
 *
 * All stretches of an arena, free or not, are blocks of one treap ordered by
 * address.  Each knows the largest free stretch below it, which makes first
 * fit, lookup by any inner address and freeing logarithmic; a list in address
 * order joins neighbours.  Pages are committed by the first touch.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include "driver.h"

pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;

/* Freed stretches from this size on give their pages back at once. */
#define GIVE_BACK ((size_t)4 << 20)

static unsigned int next_priority(void)
{
	static unsigned int state = 2463534242u;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static void refresh(struct block *b)
{
	size_t largest = b->kind == MEMORY_FREE ? b->size : 0;

	if (b->left && b->left->largest_free > largest)
		largest = b->left->largest_free;
	if (b->right && b->right->largest_free > largest)
		largest = b->right->largest_free;
	b->largest_free = largest;
}

static void split(struct block *root, uintptr_t at, struct block **low, struct block **high)
{
	if (!root) {
		*low = *high = NULL;
	} else if (root->base < at) {
		split(root->right, at, &root->right, high);
		*low = root;
		refresh(root);
	} else {
		split(root->left, at, low, &root->left);
		*high = root;
		refresh(root);
	}
}

static struct block *merge(struct block *low, struct block *high)
{
	if (!low || !high)
		return low ? low : high;
	if (low->priority > high->priority) {
		low->right = merge(low->right, high);
		refresh(low);
		return low;
	}
	high->left = merge(low, high->left);
	refresh(high);
	return high;
}

static void tree_insert(struct arena *arena, struct block *b)
{
	struct block *low, *high;

	b->left = b->right = NULL;
	refresh(b);
	split(arena->root, b->base, &low, &high);
	arena->root = merge(merge(low, b), high);
}

static void tree_remove(struct arena *arena, struct block *b)
{
	struct block *low, *mid, *high;

	split(arena->root, b->base, &low, &high);
	split(high, b->base + 1, &mid, &high);
	arena->root = merge(low, high);
}

bool arena_reserve(struct arena *arena, uintptr_t hint, size_t size, bool usable)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	int prot = usable ? PROT_READ | PROT_WRITE : PROT_NONE;
	struct block *b;
	void *at;

	at = mmap((void *)hint, size, prot, flags | MAP_FIXED_NOREPLACE, -1, 0);
	if (at == MAP_FAILED)
		at = mmap(NULL, size, prot, flags, -1, 0);
	if (at == MAP_FAILED)
		return false;
	/* A core dump or a fork's copy of 64 GiB of zeroes helps nobody. */
	madvise(at, size, MADV_DONTDUMP);
	b = calloc(1, sizeof(*b));
	if (!b)
		return false;
	b->base = arena->base = (uintptr_t)at;
	b->size = arena->size = size;
	b->priority = next_priority();
	refresh(b);
	arena->root = arena->first = b;
	return true;
}

static struct block *first_fit(struct block *b, size_t size)
{
	while (b && b->largest_free >= size) {
		if (b->left && b->left->largest_free >= size)
			b = b->left;
		else if (b->kind == MEMORY_FREE && b->size >= size)
			return b;
		else
			b = b->right;
	}
	return NULL;
}

/* Cut a free block in two; the first part, of this size, is returned. */
static struct block *cut(struct arena *arena, struct block *b, size_t size)
{
	struct block *rest;

	if (b->size == size)
		return b;
	rest = calloc(1, sizeof(*rest));
	if (!rest)
		return b;
	tree_remove(arena, b);
	rest->base = b->base + size;
	rest->size = b->size - size;
	rest->priority = next_priority();
	rest->prev = b;
	rest->next = b->next;
	if (rest->next)
		rest->next->prev = rest;
	b->next = rest;
	b->size = size;
	tree_insert(arena, b);
	tree_insert(arena, rest);
	return b;
}

static struct block *take(struct arena *arena, struct block *b, uintptr_t at, size_t size)
{
	if (at > b->base) {
		cut(arena, b, at - b->base);
		b = b->next;
	}
	b = cut(arena, b, size);
	tree_remove(arena, b);
	b->kind = MEMORY_RESERVED;
	tree_insert(arena, b);
	return b;
}

struct block *arena_alloc(struct arena *arena, size_t size, size_t align)
{
	struct block *b = first_fit(arena->root, size);
	uintptr_t at;

	if (!b)
		return NULL;
	at = (b->base + align - 1) & ~(align - 1);
	if (at + size > b->base + b->size) {
		b = first_fit(arena->root, size + align);
		if (!b)
			return NULL;
		at = (b->base + align - 1) & ~(align - 1);
	}
	return take(arena, b, at, size);
}

struct block *arena_alloc_at(struct arena *arena, uintptr_t at, size_t size)
{
	struct block *b = arena_find(arena, at);

	if (!b || b->kind != MEMORY_FREE || at + size > b->base + b->size)
		return NULL;
	return take(arena, b, at, size);
}

static void absorb(struct arena *arena, struct block *b, struct block *gone)
{
	tree_remove(arena, gone);
	b->size += gone->size;
	b->next = gone->next;
	if (b->next)
		b->next->prev = b;
	free(gone);
}

void arena_free(struct arena *arena, struct block *b)
{
	if (b->size >= GIVE_BACK)
		madvise((void *)b->base, b->size, MADV_DONTNEED);
	tree_remove(arena, b);
	b->kind = MEMORY_FREE;
	b->ctx = NULL;
	b->pool = NULL;
	b->requested = 0;
	if (b->next && b->next->kind == MEMORY_FREE)
		absorb(arena, b, b->next);
	if (b->prev && b->prev->kind == MEMORY_FREE) {
		struct block *before = b->prev;

		tree_remove(arena, before);
		before->size += b->size;
		before->next = b->next;
		if (before->next)
			before->next->prev = before;
		free(b);
		b = before;
	}
	tree_insert(arena, b);
}

struct block *arena_find(struct arena *arena, uintptr_t at)
{
	struct block *b = arena->root;

	while (b) {
		if (at < b->base)
			b = b->left;
		else if (at - b->base < b->size)
			return b;
		else
			b = b->right;
	}
	return NULL;
}

/* One free stretch again, as in a process that has allocated nothing. */
void arena_forget(struct arena *arena)
{
	struct block *b = arena->first, *next;

	if (!b)
		return;
	for (next = b->next; next; next = b->next) {
		b->next = next->next;
		free(next);
	}
	b->kind = MEMORY_FREE;
	b->size = arena->size;
	b->ctx = NULL;
	b->left = b->right = NULL;
	refresh(b);
	arena->root = b;
}
