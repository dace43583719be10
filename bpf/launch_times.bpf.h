/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long launches take, and how long a thread does something else before it launches again.
 *
 * Both are measured only for launches that are followed to their return, which are few: the thread
 * keeps when such a launch returned, and its next launch counts the time since then, once. A launch
 * that is followed because something about it is new (the first of a kernel, another grid) stands
 * for itself; one in LAUNCH_STRIDE is followed because it is its turn, and stands for as many.
 *
 * The stride is a prime number: if it were 64, a loop that launches a kernel 64 times, or 32, would
 * always be measured at the same place.
 */
#ifndef LAUNCH_TIMES_BPF_H
#define LAUNCH_TIMES_BPF_H

#include "frames.bpf.h"

#define LAUNCH_STRIDE 67

/* Set by user space: launches before were not all seen (CLOCK_MONOTONIC). */
__u64 launches_since;

/*
 * The thread's next launch is entered, or that of a graph. Called only if thread->gap_from is set.
 */
__noinline int gap_end(struct thread_state *thread)
{
	struct program_times *times;
	struct program_sync *sync;
	__u64 from, weight, gap;
	__u32 bucket;

	if (!thread)
		return 0;
	from = thread->gap_from;
	weight = thread->weight;
	thread->gap_from = 0;
	sync = sync_of(thread->program);
	if (!sync || !from || from < launches_since)
		return 0;
	times = &sync->times;
	gap = bpf_ktime_get_ns() - from;
	bucket = histogram_bucket(gap, CUTOP_HIST_SHIFT, CUTOP_HIST_BUCKETS);
	asm volatile("" : "+r"(bucket));
	__sync_fetch_and_add(&times->gap_hist[bucket & (CUTOP_HIST_BUCKETS - 1)], weight);
	__sync_fetch_and_add(&times->gaps, 1);
	raise_max(&times->gap_max_ns, gap);
	return 0;
}

/* The launch of @frame, which says for how many launches it stands, returned at @now. */
static __noinline int launch_timed(struct thread_state *thread, struct frame *frame, __u64 now)
{
	__u64 weight = frame->launch.counted.weight, ns = now - frame->entry;
	struct program_sync *sync;

	if (!weight)
		return 0;
	thread->weight = weight;
	thread->gap_from = now;
	sync = sync_of(thread->program);
	if (!sync)
		return 0;
	if (weight == 1) {
		__sync_fetch_and_add(&sync->times.certain, 1);
		__sync_fetch_and_add(&sync->times.certain_ns, ns);
	} else {
		__sync_fetch_and_add(&sync->times.drawn, 1);
		__sync_fetch_and_add(&sync->times.drawn_ns, ns);
	}
	return 0;
}

#endif
