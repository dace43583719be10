/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asynchronous copies: how many bytes were submitted to each stream, and how many of them are known
 * to be done, because of a synchronization. Both only grow; the difference is pending.
 * Synchronizing a stream covers everything that was enqueued when the call was entered.
 * Synchronizing the whole device is noted only in the program's row; its times are compared when
 * the stream is next used, and when user space reads the row. If threads interfere, the figure is
 * too high, never too low: bytes enqueued during a synchronization stay pending until the next.
 * The legacy default stream (0, or cudaStreamLegacy) is treated like any other stream of its
 * device: that synchronizing it also waits for blocking streams is not followed. A synchronous copy
 * to the host covers the default stream that it runs in.
 * The first time that a page of host memory is copied asynchronously, user space is told: it knows
 * whether CUDA allocated the page, or whether it is pageable.
 */
#ifndef PENDING_BPF_H
#define PENDING_BPF_H

#include "fault.bpf.h"

#define STREAM_LEGACY 1 /* cudaStreamLegacy, CU_STREAM_LEGACY */
#define STREAM_THREAD 2 /* cudaStreamPerThread */
/* Bytes above the stack pointer where callers have their variables */
#define STACK_NEAR (1u << 20)
#define HOSTS_MAX  4096 /* pages of host memory that are reported, per row of `copies` */

HASH_MAP(pending, struct pending_key, struct pending_row, 65536);
static const struct pending_row no_pending;
/* By the low bits of the program: it has rows in `pending`. */
__u8 has_pending[WATCHFUL_COUNT];

struct {
	/* Pages that fall out of the LRU map are reported again */
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct address_key);
	__type(value, __u32);
} hosts SEC(".maps");

static __always_inline __u32 stream_rule(__u32 call)
{
	call &= CALL_TABLE_SIZE - 1;
	asm volatile("" : "+r"(call));
	return call_streams[call & (CALL_TABLE_SIZE - 1)];
}

/* The stream that @stream means in @call of this thread. */
static __always_inline __u64 stream_meant(struct thread_state *thread, __u32 call, __u64 stream)
{
	if (!stream)
		stream = stream_rule(call) & CUTOP_STREAM_PER_THREAD ? STREAM_THREAD :
								       STREAM_LEGACY;
	return stream == STREAM_THREAD ? stream | (__u64)thread->tid << 32 : stream;
}

static __always_inline void pending_key_of(struct thread_state *thread, __u64 stream,
					   struct pending_key *key)
{
	key->stream = stream;
	key->program = thread->program;
	/*
	 * Default streams exist once per device; a handle means one stream, whatever the thread's
	 * device is.
	 */
	key->device = (__u32)stream <= STREAM_THREAD &&
				      (stream == STREAM_LEGACY || (__u32)stream == STREAM_THREAD) ?
			      work_device(thread) :
			      CUTOP_DEVICE_UNKNOWN;
}

/*
 * Before CUDA 13, the runtime's batch calls had one more argument: where to write the index of a
 * copy that fails. It is where the stream, at @place, is now, or one argument before, where flags
 * are now. It is an address, mostly on the caller's stack, which neither a stream nor flags can be.
 */
static __noinline __u32 stream_moved(struct pt_regs *ctx, __u32 place)
{
	place &= CUTOP_STREAM_ARGUMENT;
	if (call_arg(ctx, place - 1) >= SMALL_NUMBER ||
	    call_arg(ctx, place) - call_sp(ctx) < STACK_NEAR)
		place++;
	return place;
}

/* Which argument of @call is the stream, at its entry; CUTOP_STREAM_NONE. */
static __always_inline __u32 stream_place(struct pt_regs *ctx, __u32 call)
{
	__u32 rule = stream_rule(call);

	return rule & CUTOP_STREAM_MOVED ? stream_moved(ctx, rule) : rule & CUTOP_STREAM_ARGUMENT;
}

/* The stream of a call that has one, at its entry. */
static __always_inline __u64 stream_argument(struct pt_regs *ctx, struct thread_state *thread,
					     __u32 call)
{
	__u32 argument = stream_place(ctx, call);

	return stream_meant(thread, call,
			    argument == CUTOP_STREAM_NONE ? 0 : call_arg(ctx, argument));
}

/* Everything that was enqueued by @time is done, if nothing has been enqueued since. */
static __always_inline bool pending_cover_all(struct pending_row *row, __u64 time)
{
	__u64 enqueued[CUTOP_PENDING_SLOTS];
	int i;

	for (i = 0; i < CUTOP_PENDING_SLOTS; i++)
		enqueued[i] = *(volatile __u64 *)&row->enqueued[i];
	/* Check again now: a thread that enqueues stores its time first. */
	if (*(volatile __u64 *)&row->last > time)
		return false;
	for (i = 0; i < CUTOP_PENDING_SLOTS; i++)
		if (row->covered[i] < enqueued[i])
			row->covered[i] = enqueued[i];
	return true;
}

static __always_inline void pending_cover_mark(struct pending_row *row)
{
	int i;

	for (i = 0; i < CUTOP_PENDING_SLOTS; i++)
		if (row->covered[i] < row->mark[i])
			row->covered[i] = row->mark[i];
}

/* What the row counts was enqueued before a synchronization that was entered at @time. */
static __always_inline void pending_mark(struct pending_row *row, __u64 time)
{
	int i;

	for (i = 0; i < CUTOP_PENDING_SLOTS; i++)
		row->mark[i] = row->enqueued[i];
	row->mark_time = time;
}

/* Before more is enqueued: applies synchronizations of the whole device to earlier copies. */
static __always_inline void pending_settle(struct thread_state *thread, struct pending_row *row)
{
	struct program_sync *sync = sync_of(thread->program);
	struct sync_slot *slot;

	if (!sync)
		return;
	slot = sync_slot_of(sync, work_device(thread));
	if (!slot || !slot->begin)
		return;
	if (!pending_cover_all(row, slot->done) && row->mark_time && row->mark_time <= slot->done)
		pending_cover_mark(row);
	if (slot->begin > row->mark_time && row->last <= slot->begin)
		pending_mark(row, slot->begin);
}

/* An asynchronous copy was enqueued: @bytes of direction @slot, by a call that returned at @now. */
__noinline int pending_add(struct thread_state *thread, __u64 stream, __u64 bytes, __u32 slot,
			   __u64 now)
{
	struct pending_key key = {};
	struct pending_row *row;

	if (!thread)
		return 0;
	pending_key_of(thread, stream, &key);
	row = bpf_map_lookup_elem(&pending, &key);
	if (!row) {
		has_pending[thread->program & (WATCHFUL_COUNT - 1)] = 1;
		bpf_map_update_elem(&pending, &key, &no_pending, BPF_NOEXIST);
		row_made(ROWS_PENDING);
		row = bpf_map_lookup_elem(&pending, &key);
		if (!row) {
			count_lost_of(thread->program, LOST_PENDING_ROWS);
			return 0;
		}
	} else {
		pending_settle(thread, row);
	}
	row->device = work_device(thread);
	if (now > row->last)
		*(volatile __u64 *)&row->last = now;
	if (slot < CUTOP_PENDING_SLOTS)
		__sync_fetch_and_add(&row->enqueued[slot], bytes);
	return 0;
}

/* A synchronization of one stream begins, and ends with success. */
__noinline int stream_sync_begin(struct thread_state *thread, __u64 stream, __u64 entry)
{
	struct pending_key key = {};
	struct pending_row *row;

	if (!thread || !has_pending[thread->program & (WATCHFUL_COUNT - 1)])
		return 0;
	pending_key_of(thread, stream, &key);
	row = bpf_map_lookup_elem(&pending, &key);
	if (row)
		pending_mark(row, entry);
	return 0;
}

__noinline int stream_sync_end(struct thread_state *thread, __u64 stream, __u64 entry)
{
	struct pending_key key = {};
	struct pending_row *row;

	if (!thread || !has_pending[thread->program & (WATCHFUL_COUNT - 1)])
		return 0;
	pending_key_of(thread, stream, &key);
	row = bpf_map_lookup_elem(&pending, &key);
	if (!row)
		return 0;
	if (row->mark_time == entry)
		pending_cover_mark(row);
	else
		/* Another thread has begun to synchronize the same stream */
		pending_cover_all(row, entry);
	return 0;
}

/* Reports the host page at @address, unless that was done. @row: the copy's. */
static __noinline int host_tell(struct thread_state *thread, struct copy_row *row,
				const struct frame *frame, __u64 site)
{
	bool to_host = frame->direction == DIR_D2H;
	struct address_key key = {};
	struct rec_host *rec;
	__u64 *last, address;
	__u32 one = 1;

	if (!row)
		return 0;
	address = to_host ? frame->copy.destination : frame->copy.source;
	/* Once per direction and device, since the row of both is marked. */
	key.program = thread->program;
	key.address = address >> page_shift << 8 | (thread->device & 127) << 1 | to_host;
	last = &thread->hosts[(key.address >> 8) & (HOST_CACHE - 1)];
	if (*last == key.address)
		return 0;
	*last = key.address;
	if (bpf_map_lookup_elem(&hosts, &key) || row->hosts >= HOSTS_MAX)
		return 0;
	bpf_map_update_elem(&hosts, &key, &one, BPF_ANY);
	__sync_fetch_and_add(&row->hosts, 1);
	site_announce(thread, site);
	rec = record_begin(thread, REC_HOST, sizeof(*rec), bpf_ktime_get_ns());
	if (!rec)
		return 0;
	rec->address = address;
	rec->site = site;
	rec->device = thread->device;
	rec->call = frame->call;
	rec->direction = frame->direction;
	rec->pad = 0;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return 0;
}

#endif
