/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failed calls: counted in a row for each call and error; the first of each is reported with its
 * call site.
 */
#ifndef FAILURES_BPF_H
#define FAILURES_BPF_H

#include "python_call.bpf.h"

__noinline int fault_begin(struct thread_state *thread, __u64 site);  /* fault.bpf.h */
__noinline int site_tell(struct thread_state *thread, __u64 address); /* names.bpf.h */

static __always_inline void failure_send(struct thread_state *thread, __u32 call, __s32 result,
					 __u64 site, __u64 now)
{
	struct rec_fail_at *rec;
	__u64 where;

	site_tell(thread, site);
	where = python_site(thread, site);
	rec = record_begin(thread, REC_FAIL, sizeof(*rec), now);
	if (!rec)
		return;
	rec->fail.site = where;
	rec->fail.result = result;
	rec->fail.call = call;
	rec->fail.pad = 0;
	rec->stack = 0;
	rec->function = thread->failing;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
}

/* Counts a failed call in its row. Returns 1 if it is the first with this error. */
__noinline int failure_row(struct thread_state *thread, __u32 call, __s32 result, __u64 now)
{
	__u32 program = thread ? thread->program : 0;
	struct fail_key key = { .program = program, .call = call, .result = result };
	struct fail_row fresh = { .count = 1, .first = now, .last = now };
	struct fail_row *row;

	if (!thread)
		return 0;
	row = bpf_map_lookup_elem(&failures, &key);
	if (!row) {
		if (!bpf_map_update_elem(&failures, &key, &fresh, BPF_NOEXIST)) {
			row_made(ROWS_FAILURES);
			return 1;
		}
		row = bpf_map_lookup_elem(&failures, &key);
		if (!row) {
			count_lost_of(program, LOST_FAIL_ROWS);
			return 0;
		}
	}
	__sync_fetch_and_add(&row->count, 1);
	row->last = now;
	return 0;
}

/* Counts a failed call, and reports the first with each error, and each first sticky error. */
__noinline int failure_count(struct thread_state *thread, __u32 call, __s32 result, __u64 site,
			     __u64 now)
{
	__u32 program = thread ? thread->program : 0;
	__u32 *guard = &watchful[program & (WATCHFUL_COUNT - 1)], seen;
	bool is_new = false;

	if (!thread)
		return 0;
	/*
	 * If another thread changes it at the same time, a few more launches do not matter; but the
	 * mark of a fault must stay.
	 */
	seen = *guard;
	if (__sync_val_compare_and_swap(guard, seen, WATCHFUL_CALLS | (seen & WATCHFUL_MARKS)) !=
	    seen)
		__sync_fetch_and_or(guard, WATCHFUL_CALLS);
	if (CUTOP_IS_STICKY(result) && fault_begin(thread, site))
		is_new = true;
	if (failure_row(thread, call, result, now) || is_new)
		failure_send(thread, call, result, site, now);
	return 0;
}

#endif
