/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of device memory that a framework's allocator hands out and takes back: each is a record.
 * Functions that tell of them are seen at their entry. Of pools that tell nothing the call that
 * returns a block is seen at both ends.
 */
#ifndef ALLOCATOR_BPF_H
#define ALLOCATOR_BPF_H

#include "names.bpf.h"
#include "stacks.bpf.h"
#include "threads.bpf.h"

#include "cutop_allocator.h"

/* By number: filled in by user space (probe/extra_functions.c). */
const volatile struct allocator_form allocator_forms[ALLOCATOR_FORMS_MAX];

/* The site of each block, not of a sample. */
const volatile bool all_blocks;

/* How often they told of memory that is on no CUDA device. */
__u64 blocks_elsewhere;

/* The stack at the entry of a call: of Python, native, or both. 0: none. */
static __always_inline __u64 stack_at_entry(struct thread_state *thread, __u64 site)
{
	__u64 stack = python_alone ? python_of(thread, site, 0) : 0;

	if (!stack && with_rows) {
		thread->caller = site;
		stack = stack_by_rows(thread);
		thread->caller = 0;
	}
	return python_alone ? stack : python_of(thread, site, stack);
}

/* The caller at entry, also behind another tool's return probe. */
static __always_inline __u64 caller_at_entry(struct pt_regs *ctx, struct thread_state *thread)
{
	__u64 caller = call_caller(ctx);

	return caller && caller == trampoline_of(thread) ? caller_behind_trampoline(call_sp(ctx)) :
							   caller;
}

/* A request of @bytes found no memory. Totals: 0. Submit it, if not NULL. */
static __always_inline struct rec_short *short_begin(struct thread_state *thread,
						     const volatile struct allocator_form *form,
						     __u64 bytes, __s32 device, __u64 site,
						     __u64 stack)
{
	struct rec_short *rec;

	rec = record_begin(thread, REC_SHORT, sizeof(*rec), bpf_ktime_get_ns());
	if (!rec)
		return NULL;
	rec->bytes = bytes;
	rec->allocated = rec->reserved = 0;
	rec->site = site;
	rec->stack = stack;
	rec->device = device;
	rec->allocator = form->allocator;
	rec->has_totals = form->has_totals;
	rec->pad[0] = rec->pad[1] = 0;
	return rec;
}

static __always_inline struct rec_block *block_begin(struct thread_state *thread,
						     const volatile struct allocator_form *form,
						     __u64 address, __s64 bytes, __s32 device)
{
	struct rec_block *rec;

	rec = record_begin(thread, REC_BLOCK, sizeof(*rec), bpf_ktime_get_ns());
	if (!rec)
		return NULL;
	rec->address = address;
	rec->bytes = bytes;
	rec->allocated = rec->reserved = 0;
	rec->site = rec->stack = 0;
	rec->device = device;
	rec->allocator = form->allocator;
	rec->has_totals = form->has_totals;
	rec->one_of = 1;
	return rec;
}

/* From how many blocks of so many bytes one is drawn. */
static __always_inline __u32 block_one_of(__u64 bytes)
{
	__u64 one_of = all_blocks || bytes > BLOCK_ALWAYS / 2 ? 1 : BLOCK_ALWAYS / bytes;

	return one_of < BLOCK_ONE_OF ? one_of : BLOCK_ONE_OF;
}

/* The site and the stack of @call, which takes a block or finds no memory; or not, by chance. */
static __always_inline void place_note(struct pt_regs *ctx, struct thread_state *thread,
				       struct pool_call *call)
{
	call->site = call->stack = 0;
	if (call->one_of > 1 && (__u64)bpf_get_prandom_u32() * call->one_of >> 32)
		return;
	call->site = caller_at_entry(ctx, thread);
	site_announce(thread, call->site);
	call->stack = stack_at_entry(thread, call->site);
}

/* It tells of a block, or that no memory was found. */
static __always_inline void told(struct pt_regs *ctx, struct thread_state *thread,
				 const volatile struct allocator_form *form, __s32 device)
{
	struct pool_call call = { .bytes = call_arg(ctx, form->bytes), .one_of = 1 };
	__s64 bytes = call.bytes;

	/* A block that is freed has no site. */
	if (form->act == BLOCK_TOLD && bytes > 0)
		call.one_of = block_one_of(bytes);
	if (form->act == BLOCK_SHORT || bytes > 0)
		place_note(ctx, thread, &call);
	if (form->act == BLOCK_SHORT) {
		struct rec_short *rec =
			short_begin(thread, form, bytes, device, call.site, call.stack);

		if (!rec)
			return;
		rec->allocated = call_arg(ctx, form->allocated);
		rec->reserved = call_arg(ctx, form->reserved);
		bpf_ringbuf_submit(rec, quiet_flags(thread));
	} else {
		struct rec_block *rec =
			block_begin(thread, form, call_arg(ctx, form->address), bytes, device);

		if (!rec)
			return;
		rec->allocated = call_arg(ctx, form->allocated);
		rec->reserved = call_arg(ctx, form->reserved);
		rec->site = call.site;
		rec->stack = call.stack;
		rec->one_of = call.one_of;
		bpf_ringbuf_submit(rec, quiet_flags(thread));
	}
}

/*
 * True if the call noted in @thread, of a function that returns a block, is under way: this one is
 * made inside it. Exceptions leave calls without a return: on x86-64 the address where it would
 * return, the kernel's trampoline, is then no longer in its place once that was used again.
 */
static __always_inline bool pool_is_inside(struct pt_regs *ctx, struct thread_state *thread)
{
	__u64 sp = thread->pool.sp;

	if (sp <= call_sp(ctx))
		return false;
#if defined(__TARGET_ARCH_x86)
	{
		__u64 trampoline = trampoline_of(thread), address = 0;

		return !trampoline ||
		       (!bpf_probe_read_user(&address, sizeof(address), (void *)sp) &&
			address == trampoline);
	}
#else
	return true;
#endif
}

/* A block is asked for. Pools may take theirs from each other: the outermost call counts. */
static __always_inline bool pool_asked(struct pt_regs *ctx, struct thread_state *thread,
				       const volatile struct allocator_form *form, __u32 number)
{
	struct pool_call *call = &thread->pool;
	__u64 granule = form->granule ? form->granule : 1, bytes = call_arg(ctx, form->bytes);

	if (!bytes || bytes > BLOCK_ASKED_MAX || pool_is_inside(ctx, thread))
		return false;
	call->bytes = (bytes + granule - 1) & -granule;
	call->one_of = block_one_of(call->bytes);
	call->number = number;
	call->pool = call_arg(ctx, 0);
	call->result = form->result ? call_arg(ctx, form->result - 1) : 0;
	call->sp = call_sp(ctx);
	place_note(ctx, thread, call);
	return true;
}

/*
 * True if @address is device memory, as far as that can be told where the allocation that it lies in
 * is older than its probes: the processor cannot read it. The host's, which such pools hand out as
 * well, is pinned, so it is always there.
 */
static __always_inline bool is_apart(struct thread_state *thread, __u64 address)
{
	__u8 byte;

	return late_of(thread->tgid) != LATE_NOT &&
	       bpf_probe_read_user(&byte, sizeof(byte), (void *)address);
}

/*
 * At the entry of function @number, CUTOP_IS_ALLOCATOR(). Returns whether its return is wanted.
 */
static __noinline int allocator_tell(struct pt_regs *ctx, __u32 number)
{
	const volatile struct allocator_form *form;
	struct thread_state *thread;
	__u64 device = C10_DEVICE_CUDA;

	form = &allocator_forms[(number - CUTOP_ALLOCATOR) & (ALLOCATOR_FORMS_MAX - 1)];
	if (form->act <= BLOCK_SHORT)
		device = call_arg(ctx, form->device);
	if ((device & 0xff) != C10_DEVICE_CUDA) {
		__sync_fetch_and_add(&blocks_elsewhere, 1);
		return 0;
	}
	thread = thread_enter(bpf_get_current_task_btf());
	if (!thread)
		return 0;
	if (form->act == BLOCK_MADE)
		return pool_asked(ctx, thread, form, number);
	if (form->act == BLOCK_RETURNED) {
		struct rec_block *rec = block_begin(thread, form, call_arg(ctx, form->address), 0,
						    CUTOP_DEVICE_UNKNOWN);

		if (rec)
			bpf_ringbuf_submit(rec, quiet_flags(thread));
		return 0;
	}
	told(ctx, thread, form, (__s8)(device >> 8));
	return 0;
}

/* At the return of function @number, if that was wanted. */
static __noinline int allocator_done(struct pt_regs *ctx, __u32 number)
{
	const volatile struct allocator_form *form;
	struct thread_state *thread = thread_leave(bpf_get_current_task_btf());
	__u64 address = PT_REGS_RC(ctx);
	struct pool_call *call;

	if (!thread)
		return 0;
	call = &thread->pool;
	if (call->sp != return_sp(ctx) || call->number != number)
		return 0;
	call->sp = 0;
	form = &allocator_forms[(number - CUTOP_ALLOCATOR) & (ALLOCATOR_FORMS_MAX - 1)];
	if (call->result && ((__u32)address ||
			     bpf_probe_read_user(&address, sizeof(address), (void *)call->result)))
		address = 0; /* a status that is none of success */
	if (address) {
		struct rec_block *rec =
			block_begin(thread, form, address, call->bytes, CUTOP_DEVICE_UNKNOWN);

		if (!rec)
			return 0;
		rec->allocated = is_apart(thread, address);
		rec->reserved = call->pool;
		rec->site = call->site;
		rec->stack = call->stack;
		rec->one_of = call->one_of;
		bpf_ringbuf_submit(rec, quiet_flags(thread));
	} else {
		struct rec_short *rec = short_begin(thread, form, call->bytes, CUTOP_DEVICE_UNKNOWN,
						    call->site, call->stack);

		if (!rec)
			return 0;
		rec->reserved = call->pool;
		bpf_ringbuf_submit(rec, quiet_flags(thread));
	}
	return 0;
}

#endif
