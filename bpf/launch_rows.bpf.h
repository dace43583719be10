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

#include "arguments.bpf.h"
#include "frames.bpf.h"
#include "names.bpf.h"
#include "state.bpf.h"

/* ---- launch config ---- */

/*
 * A launch's configuration: grid, block, shared bytes and stream, from registers, from the stack,
 * or from a struct in memory.
 */

/*
 * struct cudaLaunchConfig_t, driver_types.h; CUlaunchConfig, cuda.h, has 32 bits of shared bytes
 * and 32 of padding
 */
struct launch_config {
	__u32 grid[3];
	__u32 block[3];
	__u64 shared_bytes;
	__u64 stream;
};

/*
 * Offsets in cudaLaunchConfig_t and CUlaunchConfig, and struct cudaLaunchAttribute, driver_types.h,
 * which CUlaunchAttribute resembles.
 */
#define CONFIG_ATTRIBUTES 40 /* a pointer, and their number in 32 bits */
#define ATTRIBUTE_BYTES   72
#define ATTRIBUTE_VALUE   8
#define ATTRIBUTES_MAX    24 /* number of kinds: 16 in CUDA 13.0 */
/* cudaLaunchAttributeDeviceUpdatableKernelNode; the value begins with a boolean */
#define ATTRIBUTE_UPDATABLE 13

/* struct cudaLaunchParams, driver_types.h (CUDA 12 and before) */
struct launch_params {
	__u64 function;
	__u32 grid[3];
	__u32 block[3];
	__u64 args;
	__u64 shared_bytes;
	__u64 stream;
};

/* struct CUDA_LAUNCH_PARAMS, cuda.h: 32 bits of shared bytes and 32 of padding, too */
struct driver_launch_params {
	__u64 function;
	struct launch_config config;
};

/* A launch's configuration, as far as it is known. */
struct launch_shape {
	__u32 grid[3], block[3];
	__u32 shared_bytes;
	__u64 stream;
};

static __always_inline bool same_grid(const struct launch_row *row,
				      const struct launch_shape *shape)
{
	return row->grid[0] == shape->grid[0] && row->grid[1] == shape->grid[1] &&
	       row->grid[2] == shape->grid[2] && row->block[0] == shape->block[0] &&
	       row->block[1] == shape->block[1] && row->block[2] == shape->block[2];
}

/* Grid and block as the ABI packs them into registers: x and y in one, z in the next. */
static __always_inline void shape_unpack(struct launch_shape *shape, __u64 grid, __u64 grid_z,
					 __u64 block, __u64 block_z)
{
	shape->grid[0] = grid;
	shape->grid[1] = grid >> 32;
	shape->grid[2] = grid_z;
	shape->block[0] = block;
	shape->block[1] = block >> 32;
	shape->block[2] = block_z;
}

/*
 * Shared bytes and stream of a launch by arguments, and the driver's third dimension of the block,
 * are on the caller's stack, even at return.
 */
static __always_inline void launch_memory(const void *words_at, struct launch_row *row, bool driver)
{
	__u64 words[3] = {};

	if (driver) {
		bpf_probe_read_user(words, sizeof(words), words_at);
		row->block[2] = words[0];
		row->shared_bytes = words[1];
		row->stream = words[2];
		return;
	}
	bpf_probe_read_user(words, 2 * sizeof(words[0]), words_at);
	row->shared_bytes = words[0];
	row->stream = words[1];
}

static __always_inline void shape_take(struct launch_shape *shape, const __u32 *grid,
				       const __u32 *block, __u64 shared_bytes, __u64 stream)
{
	__builtin_memcpy(shape->grid, grid, sizeof(shape->grid));
	__builtin_memcpy(shape->block, block, sizeof(shape->block));
	shape->shared_bytes = shared_bytes;
	shape->stream = stream;
}

/*
 * All of a launch whose configuration is a struct in memory: its function, and how often it is
 * launched.
 */
static __noinline int launch_struct(struct pt_regs *ctx, struct launch_shape *shape,
				    __u64 *function, __u64 *times)
{
	const volatile struct call_desc *desc = desc_of(bpf_get_attach_cookie(ctx));
	struct driver_launch_params driver = {};
	struct launch_params params = {};
	const void *address = (const void *)PT_REGS_PARM1(ctx);
	long err;

	*times = 1;
	switch (desc->a) {
	case FORM_GRID:
	case FORM_BARE:
		*function = (__u64)address;
		shape->grid[0] = desc->a == FORM_GRID ? (__u32)PT_REGS_PARM2(ctx) : 1;
		shape->grid[1] = desc->a == FORM_GRID ? (__u32)PT_REGS_PARM3(ctx) : 1;
		shape->grid[2] = 1;
		return 0;
	case FORM_CONFIG:
	case FORM_DRIVER_MULTI:
		if (desc->a == FORM_CONFIG) {
			err = bpf_probe_read_user(&driver.config, sizeof(driver.config), address);
			driver.function = PT_REGS_PARM2(ctx);
		} else {
			err = bpf_probe_read_user(&driver, sizeof(driver), address);
			*times = (__u32)PT_REGS_PARM2(ctx);
		}
		*function = driver.function;
		shape_take(shape, driver.config.grid, driver.config.block,
			   driver.config.shared_bytes, driver.config.stream);
		break;
	default:
		err = bpf_probe_read_user(&params, sizeof(params), address);
		*times = (__u32)PT_REGS_PARM2(ctx);
		*function = params.function;
		shape_take(shape, params.grid, params.block, params.shared_bytes, params.stream);
	}
	if (err)
		argument_lost();
	return 0;
}

struct attribute_search {
	__u64 at;
	__u32 count;
	bool is_updatable;
};

static long attribute_look(__u32 i, struct attribute_search *list)
{
	struct {
		__u32 id, pad, value;
	} one;

	if (i >= list->count ||
	    bpf_probe_read_user(&one, sizeof(one), (void *)(list->at + i * ATTRIBUTE_BYTES)))
		return 1;
	if (one.id != ATTRIBUTE_UPDATABLE)
		return 0;
	list->is_updatable = one.value == 1;
	return 1;
}

/* True if the launch whose configuration is at @config asks for a node that kernels may change. */
static __noinline bool asks_updatable(__u64 config)
{
	struct attribute_search list = {};

	if (bpf_probe_read_user(&list, 12, (void *)(config + CONFIG_ATTRIBUTES)) || !list.at)
		return false;
	bpf_loop(ATTRIBUTES_MAX, attribute_look, &list, 0);
	return list.is_updatable;
}

/* ---- launch times ---- */

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
	__u64 from, weight, gap, bucket;

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

/* ---- launch rows ---- */

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
 * which that is unknown: src/probe/probe_sets.c.
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
