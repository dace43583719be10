/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A place is cleared before its owner is: the next owner's counts begin at zero. */
#include "probe/row_cache.h"

#include <string.h>

/* The row of @owner, which is not 0; NULL: it has none. */
#define NEAR_OF(places, owner_) \
	near_of((owner_), \
		&(places)[near_place(owner_) % (sizeof(places) / sizeof((places)[0]))].owner)

static __u64 *near_of(uint64_t owner, __u64 *place)
{
	return owner && __atomic_load_n(place, __ATOMIC_ACQUIRE) == owner ? place : NULL;
}

static struct near_call *call_of(const struct cutop_bpf *skeleton, const struct call_key *key)
{
	return (struct near_call *)NEAR_OF(skeleton->bss->near_calls, near_call_owner(key));
}

static struct near_copy *copy_of(const struct cutop_bpf *skeleton, const struct copy_key *key)
{
	return (struct near_copy *)NEAR_OF(skeleton->bss->near_copies, near_copy_owner(key));
}

static struct near_sync *sync_of(const struct cutop_bpf *skeleton, uint32_t program)
{
	return (struct near_sync *)NEAR_OF(skeleton->bss->near_syncs, program);
}

static void raise_max(__u64 *max, uint64_t value)
{
	if (*max < value)
		*max = value;
}

void near_call_add(const struct cutop_bpf *skeleton, const struct call_key *key,
		   struct call_row *row)
{
	const struct near_call *near = call_of(skeleton, key);
	int i;

	if (!near)
		return;
	row->calls += near->row.calls;
	row->failures += near->row.failures;
	row->ns += near->row.ns;
	raise_max(&row->max_ns, near->row.max_ns);
	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		row->hist[i] += near->row.hist[i];
}

void near_copy_add(const struct cutop_bpf *skeleton, const struct copy_key *key,
		   struct copy_row *row)
{
	const struct near_copy *near = copy_of(skeleton, key);
	int i;

	if (!near)
		return;
	row->calls += near->row.calls;
	row->failures += near->row.failures;
	row->bytes += near->row.bytes;
	row->ns += near->row.ns;
	raise_max(&row->max_ns, near->row.max_ns);
	row->timed_bytes += near->row.timed_bytes;
	row->timed_ns += near->row.timed_ns;
	for (i = 0; i < CUTOP_SIZE_BUCKETS; i++)
		row->sizes[i] += near->row.sizes[i];
	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		row->hist[i] += near->row.hist[i];
	row->hosts += near->row.hosts;
}

struct program_sync near_sync_read(const struct cutop_bpf *skeleton, uint32_t program,
				   const struct program_row *row)
{
	const struct near_sync *near = sync_of(skeleton, program);

	return near ? near->row : row->sync;
}

#define RELEASE(near) \
	do { \
		if (!(near)) \
			return; \
		memset(&(near)->row, 0, sizeof((near)->row)); \
		__atomic_store_n(&(near)->owner, 0, __ATOMIC_RELEASE); \
	} while (0)

void near_call_release(struct cutop_bpf *skeleton, const struct call_key *key)
{
	struct near_call *near = call_of(skeleton, key);

	RELEASE(near);
}

void near_copy_release(struct cutop_bpf *skeleton, const struct copy_key *key)
{
	struct near_copy *near = copy_of(skeleton, key);

	RELEASE(near);
}

void near_sync_claim(struct cutop_bpf *skeleton, uint32_t program)
{
	__u64 *owner = &skeleton->bss->near_syncs[near_place(program) % NEAR_SYNCS].owner;
	__u64 free_slot = 0;

	__atomic_compare_exchange_n(owner, &free_slot, program, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
}

void near_sync_release(struct cutop_bpf *skeleton, uint32_t program)
{
	struct near_sync *near = sync_of(skeleton, program);

	RELEASE(near);
}
