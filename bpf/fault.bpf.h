/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is needed to name suspects when a kernel has failed on the device. CUDA reports that only at
 * some later call, so every launch stores its time in its kernel's row, and every successful
 * synchronization of the whole device shows that everything before it succeeded. At the first
 * sticky error these times are frozen until the device is reset: launches after the error fail
 * because of it.
 * The clock is the kernel's tick counter, which costs next to nothing and moves once in 1 to 10 ms.
 * A thread numbers its launches within a tick, so that their order is known; between threads the
 * order within a tick is unknown.
 */
#ifndef FAULT_BPF_H
#define FAULT_BPF_H

#include "names.bpf.h"

static __always_inline __u64 launch_clock(struct thread_state *thread)
{
	__u64 now = bpf_jiffies64() << CUTOP_LAUNCH_CLOCK_TICK;

	if (now <= thread->launch_clock)
		now = thread->launch_clock + 1;
	thread->launch_clock = now;
	return now;
}

static __always_inline __u32 *watchful_of(__u32 program)
{
	return &watchful[program & (WATCHFUL_COUNT - 1)];
}

/* A launch was counted in @row; @stream: its stream was read, too. */
static __always_inline void launch_stamp(struct thread_state *thread, struct launch_row *row,
					 bool stream)
{
	row->last = launch_clock(thread);
	row->last_tid = thread->tid;
	if (stream)
		row->stream_seen = row->last;
}

/* The slot of @device in @sync, or NULL if there is none for it. */
static __always_inline struct sync_slot *sync_slot_of(struct program_sync *sync, __s32 device)
{
	__u32 slot = device == CUTOP_DEVICE_UNKNOWN ? CUTOP_SYNC_SLOTS - 1 : (__u32)device;

	if (slot >= CUTOP_SYNC_SLOTS || (device >= 0 && slot == CUTOP_SYNC_SLOTS - 1))
		return NULL;
	asm volatile("" : "+r"(slot));
	return &sync->slots[slot & (CUTOP_SYNC_SLOTS - 1)];
}

#define DEVICE_PART (-2) /* a synchronization that covers only a part of a device */

/* A synchronization of all of @device begins, and ends with success. */
static __always_inline void device_sync_begin(struct thread_state *thread, struct frame *frame,
					      __s32 device)
{
	frame->sync.clock = launch_clock(thread);
	frame->sync.device = device;
}

static __always_inline void device_sync_end(struct thread_state *thread, struct program_sync *sync,
					    struct frame *frame)
{
	__s32 device = frame->sync.device;
	struct sync_slot *slot = device == DEVICE_PART ? NULL : sync_slot_of(sync, device);

	if (!slot || slot->done > frame->entry)
		return;
	slot->done = frame->entry;
	slot->clock = frame->sync.clock;
	slot->tid = thread->tid;
}

static __always_inline void fault_send(struct thread_state *thread, const struct program_sync *sync)
{
	struct rec_fault *rec = record_begin(thread, REC_FAULT, sizeof(*rec), bpf_ktime_get_ns());
	int i;

	if (!rec)
		return;
	rec->clock = launch_clock(thread);
	for (i = 0; i < CUTOP_SYNC_SLOTS; i++) {
		rec->cleared[i] = sync->slots[i].clock;
		rec->cleared_tid[i] = sync->slots[i].tid;
	}
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
}

/* A sticky error was returned. True if it is the program's first, or the first since a reset. */
__noinline int fault_begin(struct thread_state *thread, __u64 site)
{
	struct program_sync *sync;
	struct program_row *row;
	__u32 program;

	if (!thread)
		return 0;
	program = thread->program;
	row = bpf_map_lookup_elem(&programs, &program);
	if (!row || __sync_val_compare_and_swap(&row->faulted, 0, 1))
		return 0;
	__sync_fetch_and_or(watchful_of(program), WATCHFUL_FAULT);
	site_announce(thread, site);
	sync = sync_of(program);
	if (sync)
		fault_send(thread, sync);
	return 1;
}

/* The device was reset, or a context is gone: launches there no longer matter. */
__noinline int fault_end(struct thread_state *thread, __s32 device, bool whole)
{
	struct program_sync *sync;
	struct sync_slot *slot;
	struct program_row *row;
	__u32 program;

	if (!thread)
		return 0;
	program = thread->program;
	row = bpf_map_lookup_elem(&programs, &program);
	if (!row)
		return 0;
	__sync_fetch_and_and(watchful_of(program), ~WATCHFUL_FAULT);
	row->faulted = 0;
	sync = sync_of(program);
	slot = sync ? sync_slot_of(sync, device) : NULL;
	if (!slot || !whole)
		return 0;
	slot->done = bpf_ktime_get_ns();
	slot->clock = launch_clock(thread);
	slot->tid = thread->tid;
	return 0;
}

#endif
