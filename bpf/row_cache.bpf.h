/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The row cache. Looking up a row in a hash map takes as long as the rest of counting a call, so
 * the first rows also have a place in an array, at an index that follows from the key. If the place
 * belongs to another key, the call is counted in the hash map instead. User space adds up both, and
 * clears the place when the program ends.
 */
#ifndef ROW_CACHE_BPF_H
#define ROW_CACHE_BPF_H

#include "base.bpf.h"

struct near_sync near_syncs[NEAR_SYNCS];
struct near_call near_calls[NEAR_CALLS];
struct near_copy near_copies[NEAR_COPIES];

#define NEAR_AT(places, count, owner) \
	({ \
		__u32 place_ = near_place(owner) & ((count)-1); \
		asm volatile("" : "+r"(place_)); \
		&places[place_ & ((count)-1)]; \
	})

/* Takes the place at @near if it has no owner. @owner is not 0. */
#define near_claim(near, owner_) \
	do { \
		if (!*(volatile __u64 *)&(near)->owner) \
			__sync_val_compare_and_swap(&(near)->owner, 0, owner_); \
	} while (0)

#endif
