/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel launches: the hot path. Every launch is counted at entry in its
 * kernel's row. Where the kernel lets an entry choose (session programs), a
 * return probe is asked for only when its answer is likely to be news: the
 * first launch of a kernel, a changed configuration, one launch in 64, and
 * every launch after a failure of the process until 64 in a row succeeded.
 * Failures and latency are then samples, and the row says so.
 *
 * The first launch of a kernel also tells user space its name, as far as the
 * program taught it: handle to stub (__cudaGetKernel), stub to name
 * (__cudaRegisterFunction). The string is read only here, because programs
 * register many more kernels than they launch.
 */
#ifndef LAUNCH_BPF_H
#define LAUNCH_BPF_H

#define LAUNCH_SAMPLE	64	/* one launch in this many gets a return probe; a power of two */

/* struct cudaLaunchConfig_t, driver_types.h */
struct launch_config {
	__u32 grid[3];
	__u32 block[3];
	__u64 shared_bytes;
	__u64 stream;
};

/* struct cudaLaunchParams, driver_types.h (CUDA 12 and before) */
struct launch_params {
	__u64 function;
	__u32 grid[3];
	__u32 block[3];
	__u64 args;
	__u64 shared_bytes;
	__u64 stream;
};

/*
 * Brings the pages of the string at @address into memory, which only a
 * sleepable program can: the names lie in parts of the file nobody has read
 * yet. Without it the plain reads below fail with -EFAULT.
 */
static __always_inline void fault_in(__u64 address)
{
	char byte;

	bpf_copy_from_user(&byte, 1, (void *)address);
	bpf_copy_from_user(&byte, 1, (void *)(address + CUTOP_NAME_SHORT));
}

/* Sends REC_KERNEL with room for @room bytes of name. Returns the name's length with its NUL, or an error. */
static __always_inline long kernel_send(__u32 image, __u32 call, __u64 function, __u64 stub, __u64 name,
					const __u32 room)
{
	struct rec_kernel *rec = bpf_ringbuf_reserve(&events, sizeof(*rec) + room, 0);
	long len = 0;

	if (!rec) {
		count_lost_of(image, LOST_RING_FULL);
		return 0;
	}
	if (name) {
		len = bpf_probe_read_user_str(rec->name, room, (void *)name);
		if (len < 0 || (len == room && room < CUTOP_NAME_MAX)) {
			bpf_ringbuf_discard(rec, BPF_RB_NO_WAKEUP);
			return len;
		}
	}
	header_fill(&rec->hdr, REC_KERNEL, sizeof(*rec) + room, image, bpf_ktime_get_ns());
	rec->function = function;
	rec->stub = stub;
	rec->source = len > 1 ? NAME_REGISTERED : NAME_NONE;
	rec->truncated = len == CUTOP_NAME_MAX;
	rec->call = call;
	rec->name_len = len > 1 ? len - 1 : 0;
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
	return len;
}

static __always_inline void kernel_announce(__u32 image, __u32 call, __u64 function)
{
	struct address_key key = { .address = function, .image = image };
	__u64 *known, stub = 0, name = 0;
	long len;

	known = bpf_map_lookup_elem(&handles, &key);
	stub = known ? *known : function;
	key.address = stub;
	known = bpf_map_lookup_elem(&stubs, &key);
	if (known)
		name = *known;
	module_announce(image, stub);
	if (name) {
		len = kernel_send(image, call, function, stub, name, CUTOP_NAME_SHORT);
		if (len == -EFAULT) {
			fault_in(name);
			len = kernel_send(image, call, function, stub, name, CUTOP_NAME_SHORT);
		}
		if (len == CUTOP_NAME_SHORT) {
			fault_in(name + CUTOP_NAME_MAX - 2 * CUTOP_NAME_SHORT);
			len = kernel_send(image, call, function, stub, name, CUTOP_NAME_MAX);
		}
		if (len >= 0)
			return;
		count_lost_of(image, LOST_ARGUMENT);
	}
	kernel_send(image, call, function, stub, 0, 8);
}

/*
 * Counts a launch. Returns 1 if its return is news. @registers has grid x and
 * y, grid z, block x and y, block z as the ABI packs them.
 */
static __always_inline int launch_count(struct thread_state *thread, __u32 call, __u64 function, __u64 times,
					const __u64 registers[4], __u32 shared_bytes, __u64 stream)
{
	struct launch_key key = {
		.image = thread->image,
		.call = call,
		.device = thread->device,
		.function = function,
	};
	struct launch_row *row = bpf_map_lookup_elem(&launches, &key);
	bool news = false;
	__u64 before;

	if (!row) {
		if (!bpf_map_update_elem(&launches, &key, &no_launches, BPF_NOEXIST))
			kernel_announce(thread->image, call, function);
		row = bpf_map_lookup_elem(&launches, &key);
		if (!row) {
			count_lost_of(thread->image, LOST_LAUNCH_ROWS);
			return 1;
		}
		news = true;
	}
	before = __sync_fetch_and_add(&row->launches, times);
	if (row->grid[0] != (__u32)registers[0] || row->grid[1] != (__u32)(registers[0] >> 32) ||
	    row->grid[2] != (__u32)registers[1] || row->block[0] != (__u32)registers[2] ||
	    row->block[1] != (__u32)(registers[2] >> 32) || row->block[2] != (__u32)registers[3] ||
	    row->shared_bytes != shared_bytes) {
		row->grid[0] = registers[0];
		row->grid[1] = registers[0] >> 32;
		row->grid[2] = registers[1];
		row->block[0] = registers[2];
		row->block[1] = registers[2] >> 32;
		row->block[2] = registers[3];
		row->shared_bytes = shared_bytes;
		news = true;
	}
	if (row->stream != stream)
		row->stream = stream;
	if (news || exact_launches || !(before & (LAUNCH_SAMPLE - 1)) ||
	    watchful[thread->image & (WATCHFUL_COUNT - 1)])
		return 1;
	if (!row->sampled)
		row->sampled = 1;
	return 0;
}

static __always_inline int launch_entry(struct pt_regs *ctx, bool session)
{
	__u32 call = bpf_get_attach_cookie(ctx);
	struct thread_state *thread = thread_enter();
	const volatile struct call_desc *desc;
	__u64 registers[4], stack[2] = {}, function, times = 1;
	struct launch_config config;
	struct launch_params params;
	struct frame *frame;
	int news;

	if (!thread || call >= CALL_COUNT)
		return 1;
	desc = desc_of(call);
	if (thread->depth) {
		frames_settle(thread, call_sp(ctx));
		if (thread->depth) {
			if (!session)
				frame_open(thread, ctx, call);
			return 1;
		}
	}
	function = call_arg(ctx, desc->b);
	switch (desc->a) {
	case FORM_ARGS:
		registers[0] = PT_REGS_PARM2(ctx);
		registers[1] = PT_REGS_PARM3(ctx);
		registers[2] = PT_REGS_PARM4(ctx);
		registers[3] = PT_REGS_PARM5(ctx);
#if defined(__TARGET_ARCH_x86)
		bpf_probe_read_user(stack, sizeof(stack), (void *)(PT_REGS_SP(ctx) + 8));
#else
		stack[0] = call_arg(ctx, 6);
		stack[1] = call_arg(ctx, 7);
#endif
		break;
	case FORM_CONFIG:
		if (bpf_probe_read_user(&config, sizeof(config), (void *)call_arg(ctx, 0))) {
			count_lost_of(thread->image, LOST_ARGUMENT);
			__builtin_memset(&config, 0, sizeof(config));
		}
		registers[0] = (__u64)config.grid[1] << 32 | config.grid[0];
		registers[1] = config.grid[2];
		registers[2] = (__u64)config.block[1] << 32 | config.block[0];
		registers[3] = config.block[2];
		stack[0] = config.shared_bytes;
		stack[1] = config.stream;
		break;
	default:
		if (bpf_probe_read_user(&params, sizeof(params), (void *)call_arg(ctx, 0))) {
			count_lost_of(thread->image, LOST_ARGUMENT);
			__builtin_memset(&params, 0, sizeof(params));
		}
		function = params.function;
		registers[0] = (__u64)params.grid[1] << 32 | params.grid[0];
		registers[1] = params.grid[2];
		registers[2] = (__u64)params.block[1] << 32 | params.block[0];
		registers[3] = params.block[2];
		stack[0] = params.shared_bytes;
		stack[1] = params.stream;
		times = (__u32)call_arg(ctx, 1);
		break;
	}
	news = launch_count(thread, call, function, times, registers, stack[0], stack[1]);
	if (session && !news)
		return 1;
	frame = frame_open(thread, ctx, call);
	if (!frame)
		return 1;
	frame->args[0] = function;
	frame->args[1] = (__s64)thread->device;
	frame->entry = bpf_ktime_get_ns();
	return 0;
}

static __always_inline int launch_return(struct pt_regs *ctx)
{
	__u32 call = bpf_get_attach_cookie(ctx), bucket, *guard;
	struct thread_state *thread = thread_leave();
	__u64 now = bpf_ktime_get_ns(), ns;
	struct launch_key key = {};
	struct launch_row *row;
	struct frame *frame;
	__s32 result;

	if (!thread || call >= CALL_COUNT)
		return 0;
	frame = frame_close(thread, ctx, call);
	if (!frame || frame->nested)
		return 0;
	result = PT_REGS_RC(ctx);
	ns = now - frame->entry;
	key.image = thread->image;
	key.call = call;
	key.device = frame->args[1];
	key.function = frame->args[0];
	row = bpf_map_lookup_elem(&launches, &key);
	if (row) {
		__sync_fetch_and_add(&row->samples, 1);
		__sync_fetch_and_add(&row->ns, ns);
		raise_max(&row->max_ns, ns);
		bucket = histogram_bucket(ns, CUTOP_HIST_SHIFT, CUTOP_HIST_BUCKETS);
		if (bucket < CUTOP_HIST_BUCKETS)
			__sync_fetch_and_add(&row->hist[bucket], 1);
		if (result)
			__sync_fetch_and_add(&row->failures, 1);
	}
	if (result) {
		failure_count(thread->image, call, result, frame->site, now);
	} else {
		guard = (__u32 *)&watchful[thread->image & (WATCHFUL_COUNT - 1)];
		if (*guard)	/* two threads may both take one: a launch more or less is no matter */
			*guard = *guard - 1;
	}
	return 0;
}

#endif
