/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel name that each stub was registered with. A program may register a hundred thousand
 * kernels before main and launch twenty, so registering has to be cheap. Stubs are registered in
 * the order of their addresses, some 14 to a page of code: they are stored by page, so that the
 * next one finds its entry in the processor's cache. A hash with an entry per stub costs a cache
 * miss or two for each, which took 900 ns.
 */
#ifndef STUBS_BPF_H
#define STUBS_BPF_H

#include "threads.bpf.h"

#define STUB_PAGE_SHIFT 12
#define STUB_SLOTS      16 /* a power of two */
#define STUB_LEVELS     16 /* entries per page: enough for a function every 16 bytes */

struct stub_key {
	__u64 page;
	__u32 program;
	__u32 level;
};

struct stub_page {
	__u64 names[STUB_SLOTS];   /* addresses */
	__u16 offsets[STUB_SLOTS]; /* of the stubs, within their page */
	__u32 count;               /* may exceed the number of slots */
	__u32 pad;
};

static const struct stub_page no_stubs;

HASH_MAP(stubs, struct stub_key, struct stub_page, 1 << 18);

/* The index of @offset in @page, or STUB_SLOTS. */
static __always_inline __u32 stub_slot(const struct stub_page *page, __u16 offset)
{
	__u32 count = *(const volatile __u32 *)&page->count, i;

	for (i = 0; i < STUB_SLOTS; i++) {
		if (i >= count)
			break;
		if (page->offsets[i] == offset)
			return i;
	}
	return STUB_SLOTS;
}

/*
 * Remembers that @stub of @program has the name at @name; the latest one counts. Returns false
 * without room.
 */
static __noinline bool stub_learn(__u32 program, __u64 stub, __u64 name)
{
	struct stub_key key = { .page = stub >> STUB_PAGE_SHIFT, .program = program };
	__u16 offset = stub & ((1 << STUB_PAGE_SHIFT) - 1);
	struct stub_page *page;
	__u32 slot, level;

	for (level = 0; level < STUB_LEVELS; level++) {
		/* Keep it in a register: the verifier does not follow a counter in memory. */
		asm volatile("" : "+r"(level));
		key.level = level;
		page = bpf_map_lookup_elem(&stubs, &key);
		if (!page) {
			bpf_map_update_elem(&stubs, &key, &no_stubs, BPF_NOEXIST);
			page = bpf_map_lookup_elem(&stubs, &key);
			if (!page)
				return false;
		}
		slot = stub_slot(page, offset);
		if (slot == STUB_SLOTS && page->count < STUB_SLOTS)
			slot = __sync_fetch_and_add(&page->count, 1);
		if (slot < STUB_SLOTS) {
			page->names[slot] = name;
			page->offsets[slot] = offset;
			return true;
		}
	}
	return false;
}

/* The address of the name of @stub, or 0. */
__noinline __u64 stub_name_own(__u32 program, __u64 stub)
{
	struct stub_key key = { .page = stub >> STUB_PAGE_SHIFT, .program = program };
	__u16 offset = stub & ((1 << STUB_PAGE_SHIFT) - 1);
	struct stub_page *page;
	__u32 slot, level;

	for (level = 0; level < STUB_LEVELS; level++) {
		/* Keep it in a register: the verifier does not follow a counter in memory. */
		asm volatile("" : "+r"(level));
		key.level = level;
		page = bpf_map_lookup_elem(&stubs, &key);
		if (!page)
			return 0;
		slot = stub_slot(page, offset);
		if (slot < STUB_SLOTS)
			return page->names[slot];
	}
	return 0;
}

#define GENERATIONS 3

/*
 * The same, but also searches the program that this one was forked from: a copy has everything at
 * the same addresses.
 */
static __always_inline __u64 stub_name(__u32 program, __u64 stub)
{
	__u64 name = 0;
	__u32 i;

	for (i = 0; i < GENERATIONS && program; i++) {
		name = stub_name_own(program, stub);
		if (name)
			break;
		program = origin_of(program);
	}
	return name;
}

#endif
