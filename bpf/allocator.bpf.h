/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of device memory that a framework's allocator hands out and takes back: each is a record.
 * The functions that tell of them are seen at their entry; what they return says nothing.
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

static __always_inline void short_send(struct pt_regs *ctx, struct thread_state *thread,
				       const volatile struct allocator_form *form, __s32 device,
				       __u64 site, __u64 stack)
{
	struct rec_short *rec;

	rec = record_begin(thread, REC_SHORT, sizeof(*rec), bpf_ktime_get_ns());
	if (!rec)
		return;
	rec->bytes = call_arg(ctx, form->bytes);
	rec->allocated = call_arg(ctx, form->allocated);
	rec->reserved = call_arg(ctx, form->reserved);
	rec->site = site;
	rec->stack = stack;
	rec->device = device;
	rec->allocator = form->allocator;
	rec->has_totals = form->has_totals;
	rec->pad[0] = rec->pad[1] = 0;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
}

static __always_inline void block_send(struct pt_regs *ctx, struct thread_state *thread,
				       const volatile struct allocator_form *form, __s32 device,
				       __u64 site, __u64 stack, __u32 one_of)
{
	struct rec_block *rec;

	rec = record_begin(thread, REC_BLOCK, sizeof(*rec), bpf_ktime_get_ns());
	if (!rec)
		return;
	rec->address = call_arg(ctx, form->address);
	rec->bytes = call_arg(ctx, form->bytes);
	rec->allocated = call_arg(ctx, form->allocated);
	rec->reserved = call_arg(ctx, form->reserved);
	rec->site = site;
	rec->stack = stack;
	rec->device = device;
	rec->allocator = form->allocator;
	rec->has_totals = form->has_totals;
	rec->one_of = one_of;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
}

/* From how many blocks of so many bytes one is drawn. */
static __always_inline __u32 block_one_of(__u64 bytes)
{
	__u64 one_of = all_blocks || bytes > BLOCK_ALWAYS / 2 ? 1 : BLOCK_ALWAYS / bytes;

	return one_of < BLOCK_ONE_OF ? one_of : BLOCK_ONE_OF;
}

/* @number: CUTOP_IS_ALLOCATOR() */
static __noinline int allocator_tell(struct pt_regs *ctx, __u32 number)
{
	const volatile struct allocator_form *form;
	struct thread_state *thread;
	__u64 device, site = 0, stack = 0;
	__u32 one_of = 1;
	__s64 bytes;

	form = &allocator_forms[(number - CUTOP_ALLOCATOR) & (ALLOCATOR_FORMS_MAX - 1)];
	device = call_arg(ctx, form->device);
	if ((device & 0xff) != C10_DEVICE_CUDA) {
		__sync_fetch_and_add(&blocks_elsewhere, 1);
		return 0;
	}
	thread = thread_enter(bpf_get_current_task_btf());
	if (!thread)
		return 0;
	bytes = call_arg(ctx, form->bytes);
	if (!form->is_short && bytes > 0)
		one_of = block_one_of(bytes);
	/* A block that is freed has no site. */
	if ((form->is_short || bytes > 0) &&
	    (one_of == 1 || !((__u64)bpf_get_prandom_u32() * one_of >> 32))) {
		site = caller_at_entry(ctx, thread);
		site_announce(thread, site);
		stack = stack_at_entry(thread, site);
	}
	if (form->is_short)
		short_send(ctx, thread, form, (__s8)(device >> 8), site, stack);
	else
		block_send(ctx, thread, form, (__s8)(device >> 8), site, stack, one_of);
	return 0;
}

#endif
