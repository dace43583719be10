/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows in which launches are counted, one for each kernel of a program. The map `launches` has
 * an entry, called home, for each. Looking one up costs as much as the rest of counting, so the
 * first few thousand rows are in slots of an array, which a thread that remembers the slot's number
 * reaches without a look-up. User space hands out the slots, and takes them back together with the
 * homes.
 *
 * The first launch of a kernel also reports its name to user space, as far as the program has shown
 * it: handle to stub (__cudaGetKernel), stub to name (__cudaRegisterFunction). The string is read
 * only here, because programs register many more kernels than they launch.
 */
#ifndef LAUNCH_ROWS_BPF_H
#define LAUNCH_ROWS_BPF_H

#include "names.bpf.h"

/*
 * Sends REC_KERNEL with room for @room bytes of name. Returns the name's length with its NUL, or an
 * error.
 */
static __always_inline long kernel_send(__u32 program, __u32 call, __u64 function, __u64 stub,
					__u64 name, const __u32 room)
{
	struct rec_kernel *rec = bpf_ringbuf_reserve(&events, sizeof(*rec) + room, 0);
	long len = 0;

	if (!rec) {
		count_lost_of(program, LOST_RING_FULL);
		return 0;
	}
	if (name) {
		len = bpf_probe_read_user_str(rec->name, room, (void *)name);
		if (len < 0 || (len == room && room < CUTOP_NAME_MAX)) {
			bpf_ringbuf_discard(rec, BPF_RB_NO_WAKEUP);
			return len;
		}
	}
	header_fill(&rec->hdr, REC_KERNEL, sizeof(*rec) + room, program, bpf_ktime_get_ns());
	rec->function = function;
	rec->stub = stub;
	rec->source = len > 1 ? NAME_REGISTERED : NAME_NONE;
	rec->truncated = len == CUTOP_NAME_MAX;
	rec->call = call;
	rec->name_len = len > 1 ? len - 1 : 0;
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
	return len;
}

/* Reports a kernel whose name is at @name, unless that is 0 or cannot be read. */
static __always_inline void kernel_tell(__u32 program, __u32 call, __u64 function, __u64 stub,
					__u64 name)
{
	long len;

	if (name) {
		len = kernel_send(program, call, function, stub, name, CUTOP_NAME_SHORT);
		if (len == CUTOP_NAME_SHORT)
			len = kernel_send(program, call, function, stub, name, CUTOP_NAME_MAX);
		if (len >= 0 || (len == -EFAULT && name_defer(program, call, function, stub, name)))
			return;
		count_lost_of(program, LOST_ARGUMENT);
	}
	kernel_send(program, call, function, stub, 0, 8);
}

/*
 * What the handle of @key stands for. The handle may be older than a fork: then @key becomes that
 * of the program that knew it.
 */
static __always_inline __u64 *handle_known(struct address_key *key)
{
	__u64 *known = NULL;
	__u32 i;

	for (i = 0; i < GENERATIONS && key->program; i++) {
		known = bpf_map_lookup_elem(&handles, key);
		if (known)
			break;
		key->program = origin_of(key->program);
	}
	return known;
}

/* What @function was made from: a driver's function from a kernel, and that from a stub. */
static __noinline __u64 kernel_stub(__u32 program, __u64 function)
{
	struct address_key key = { .address = function, .program = program };
	__u64 *known = handle_known(&key), stub = known ? *known : function;

	key.address = stub;
	key.program = program;
	known = stub != function ? handle_known(&key) : NULL;
	return known ? *known : stub;
}

/*
 * How often it was learned from what a driver's function is made, and how often one was launched of
 * which that is unknown: src/probe/launches.c.
 */
__u32 taught_handles, unknown_handles;

/* True if @program, or one that it was forked from, ran before it was watched. */
static __noinline bool program_is_late(__u32 program)
{
	struct program_row *row;

	if (!late_ever)
		return false;
	row = bpf_map_lookup_elem(&programs, &program);
	return row && (row->origin_late || late_of(row->tgid));
}

/*
 * Called after what finds a kernel new, not within it, as kernel_stub() is called before the rest:
 * so they share their part of the stack.
 */
__noinline int kernel_announce(__u32 program, __u32 call, __u64 function)
{
	__u64 stub = kernel_stub(program, function), name = stub_name(program, stub);

	if (stub == function && !name && desc_of(call)->layer == LAYER_DRIVER &&
	    program_is_late(program))
		__sync_fetch_and_add(&unknown_handles, 1);
	module_announce(program, stub);
	kernel_tell(program, call, function, stub, name);
	return 0;
}

/* ---- rows ---- */

static __always_inline struct launch_row *slot_row(__u32 slot)
{
	slot &= LAUNCH_SLOTS - 1;
	asm volatile("" : "+r"(slot));
	return &slots[slot & (LAUNCH_SLOTS - 1)].row;
}

static __always_inline struct launch_row *home_row(struct launch_home *home)
{
	return home->slot ? slot_row(home->slot) : &home->row;
}

/* Takes a free slot; 0: there is none. */
static __always_inline __u32 slot_take(void)
{
	int i;

	for (i = 0; i < 4; i++) {
		__u32 taken = *(volatile __u32 *)&slots_taken;

		if (taken == *(volatile __u32 *)&slots_given)
			break;
		if (__sync_val_compare_and_swap(&slots_taken, taken, taken + 1) == taken)
			return slots_free[taken & (LAUNCH_SLOTS - 1)];
	}
	return 0;
}

/*
 * A kernel's first launch. Another thread may count in the home before it learns of the slot: user
 * space adds up both.
 */
__noinline int launch_row_new(const struct launch_key *key)
{
	struct launch_home *home;
	struct launch_key own; /* Linux 6.1 does not accept a function's argument as a key */

	if (!key)
		return 0;
	own = *key;
	if (bpf_map_update_elem(&launches, &own, &no_launches, BPF_NOEXIST))
		return 0;
	row_made(ROWS_LAUNCHES);
	home = bpf_map_lookup_elem(&launches, &own);
	if (home)
		home->slot = slot_take();
	return 1;
}

static __always_inline struct launch_home *launch_home_get(const struct launch_key *key)
{
	struct launch_home *home = bpf_map_lookup_elem(&launches, key);

	if (home)
		return home;
	if (launch_row_new(key))
		kernel_announce(key->program, key->call, key->function);
	home = bpf_map_lookup_elem(&launches, key);
	if (!home)
		count_lost_of(key->program, LOST_LAUNCH_ROWS);
	return home;
}

static __always_inline struct launch_row *launch_row_get(const struct launch_key *key)
{
	struct launch_home *home = launch_home_get(key);

	return home ? home_row(home) : NULL;
}

/* ---- what a thread remembers of rows ---- */

static __always_inline struct hot_launch *hot_place(struct thread_state *thread, __u64 function)
{
	__u32 place = (function >> 4 ^ function >> 9) & (HOT_LAUNCHES - 1);

	asm volatile("" : "+r"(place));
	return &thread->hot[place & (HOT_LAUNCHES - 1)];
}

static __always_inline bool is_hot(const struct hot_launch *hot, const struct thread_state *thread,
				   __u64 function, __u32 call)
{
	return hot->function == function && hot->call == call && hot->device == thread->device &&
	       hot->slot;
}

/* The row of @function, which the thread remembers if it is in a slot. */
static __noinline struct launch_home *hot_learn(struct thread_state *thread, __u64 function,
						__u32 call)
{
	struct launch_key key = { .call = call, .function = function, .program = thread->program };
	struct launch_home *home;
	struct hot_launch *hot;

	key.device = thread->device;
	home = launch_home_get(&key);
	if (!home || !home->slot)
		return home;
	hot = hot_place(thread, function);
	hot->function = function;
	hot->call = call;
	hot->device = thread->device;
	hot->slot = home->slot;
	hot->left = 0;
	return home;
}

static __always_inline struct launch_row *launch_row_of(struct thread_state *thread, __u64 function,
							__u32 call)
{
	struct hot_launch *hot = hot_place(thread, function);
	struct launch_home *home;

	if (is_hot(hot, thread, function, call))
		return slot_row(hot->slot);
	home = hot_learn(thread, function, call);
	return home ? home_row(home) : NULL;
}

#endif
