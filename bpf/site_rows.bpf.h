/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With --launch-sites: where kernels are launched, and where threads wait.
 *
 * There is a row for each kernel and each place that launches it, and for each function that waits
 * and each place that calls it. A record for each sample would fill the ring: programs launch a
 * million kernels a second, from a few lines.
 *
 * A sample of launches is taken. If it were each 64th, a loop that launches 64 kernels, or 32,
 * would show one line and no other. So each launch is taken with the chance of 1 in LAUNCH_SAMPLE,
 * and counts for as many. A launch that is followed in any case (the first of a kernel, one with
 * another grid) counts for itself. User space knows how many launches there were, and makes the
 * sites of a kernel add up to that.
 *
 * Waits are few and long, so all of them are taken; of copies that wait those that are long.
 */
#ifndef SITE_ROWS_BPF_H
#define SITE_ROWS_BPF_H

#include "stacks.bpf.h"

#define LAUNCH_SAMPLE 64 /* one launch in this many gets a return probe; a power of two */

/* User space makes it small where it is not wanted. */
HASH_MAP(call_sites, struct call_site_key, struct call_site_row, 1 << 16);

/* Per program, by its low bits: its rows. User space takes off those that it deletes. */
__u32 call_sites_made[WATCHFUL_COUNT];

/*
 * User space fills it in: launches that pass before one is taken, each as likely as the next
 * (probe/bpf.c)
 */
const volatile __u16 launch_gaps[LAUNCH_GAPS];

static const struct call_site_row no_call_site;

/* Launches of a thread that pass before its next one is taken. */
static __always_inline __u16 launch_gap(void)
{
	return launch_gaps[bpf_get_prandom_u32() & (LAUNCH_GAPS - 1)];
}

/* The same asked at each launch: whether it is taken. */
static __always_inline bool launch_drawn(void)
{
	return !(bpf_get_prandom_u32() & (LAUNCH_SAMPLE - 1));
}

/*
 * The row of @key, or one for what found no room of its own; NULL if there is none of that either.
 */
static __always_inline struct call_site_row *call_site_row_get(struct call_site_key *key)
{
	__u32 *made = &call_sites_made[key->launch.program & (WATCHFUL_COUNT - 1)];
	struct call_site_row *row = bpf_map_lookup_elem(&call_sites, key);

	if (row)
		return row;
	if (*made >= CALL_SITES_MAX) {
		key->site = key->stack = 0;
		row = bpf_map_lookup_elem(&call_sites, key);
		if (row)
			return row;
	}
	if (!bpf_map_update_elem(&call_sites, key, &no_call_site, BPF_NOEXIST)) {
		__sync_fetch_and_add(made, 1);
		row_made(ROWS_CALL_SITES);
	}
	row = bpf_map_lookup_elem(&call_sites, key);
	if (!row)
		count_lost(LOST_CALL_SITES);
	return row;
}

/*
 * At the return of @call: a launch of @function that stands for @amount launches, or a wait of
 * @amount nanoseconds.
 */
static __noinline int call_site_count(struct pt_regs *ctx, struct thread_state *thread, __u32 call,
				      __u64 function, __u64 amount)
{
	struct call_site_key *key = &thread->place;
	struct call_site_row *row;

	__builtin_memset(key, 0, sizeof(*key));
	key->launch.program = thread->program;
	key->launch.call = call;
	key->launch.function = function;
	key->site = call_site(ctx);
	site_announce(thread, key->site);
	key->stack = stack_of(ctx, thread, key->site);
	if (desc_of(call)->class == CLASS_LAUNCH)
		key->launch.device = thread->device;
	row = call_site_row_get(key);
	if (!row)
		return 0;
	__sync_fetch_and_add(&row->samples, 1);
	if (desc_of(call)->class == CLASS_LAUNCH)
		__sync_fetch_and_add(&row->launches, amount);
	else
		__sync_fetch_and_add(&row->ns, amount);
	return 0;
}

#endif
