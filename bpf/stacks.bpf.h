/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With --stacks: the user stack of an allocation, taken at its return, by rows (unwind.bpf.h), or
 * else by frame pointers. By then the kernel has
 * restored the caller's address, so the stack begins at the call site whatever the function's first
 * instruction is; at entry some kernels leave the caller out, and the return address is the
 * trampoline's. A stack is identified by a hash of its addresses and sent once per process. The
 * kernel's own kind of map for stacks (BPF_MAP_TYPE_STACK_TRACE) cannot be used by sleepable
 * programs, and drops stacks whose 32-bit hashes collide.
 */
#ifndef STACKS_BPF_H
#define STACKS_BPF_H

#include "python_call.bpf.h"
#include "unwind.bpf.h"

const volatile bool with_stacks;

/* stacks that were sent; user space makes it small if it is not needed */
HASH_MAP(stacks, struct address_key, __u32, 1 << 17);

#define COPY_LASTS 1000000000ull /* ns */

/* A copy that was sent: unwind_send(). */
struct stack_copy {
	__u64 id;
	__u64 time;
	__u64 position; /* in the ring, of what comes after it */
};

/* By stack_scratch.words */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct address_key);
	__type(value, struct stack_copy);
} stack_copies SEC(".maps");

static __always_inline __u64 stack_hash(const struct stack_scratch *scratch, __u32 count)
{
	__u64 hash = count;
	__u32 i;

	for (i = 0; i < CUTOP_STACK_FRAMES; i++) {
		if (i >= count)
			break;
		hash = stack_mix(hash, scratch->frames[i]);
	}
	return hash ? hash : 1;
}

/* Of the frames in a record, and what bpf_get_stack() may write */
#define STACK_BYTES (CUTOP_STACK_FRAMES * sizeof(__u64))

struct stack_walk {
	struct stack_scratch *scratch;
	__u32 program;
	__u32 again; /* a mapping could not be looked up now */
};

static long stack_module(__u32 i, struct stack_walk *walk)
{
	__u64 address = 0;

	if (i >= CUTOP_STACK_FRAMES)
		return 1;
	bpf_probe_read_kernel(&address, sizeof(address), &walk->scratch->frames[i]);
	/* The byte before a return address belongs to the call. */
	if (module_announce(walk->program, address - 1))
		walk->again = 1;
	return 0;
}

/* Sends a new stack, after the mappings that it goes through. Returns 0, or -1 if it was lost. */
static __noinline int stack_send(struct thread_state *thread, struct stack_scratch *scratch,
				 __u64 hash, __u32 count)
{
	struct address_key key = { .address = hash };
	struct stack_walk walk = { .scratch = scratch };
	struct rec_stack *rec;
	__u32 one = 1;

	key.program = walk.program = thread->program;
	/* New stacks without end are to take no room from other records. */
	if (!ring_has_room()) {
		count_lost(LOST_STACKS);
		return -1;
	}
	if (with_rows)
		walk.again = scratch->again; /* stack_is_stale() has reported them. */
	else
		bpf_loop(count, stack_module, &walk, 0);
	/*
	 * Once it is known, other threads refer to it: by then it must have its place in the ring.
	 */
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec) + STACK_BYTES, 0);
	if (!rec) {
		count_lost(LOST_STACKS);
		return -1;
	}
	if (bpf_map_update_elem(&stacks, &key, &one, BPF_ANY)) {
		bpf_ringbuf_discard(rec, 0);
		count_lost(LOST_STACKS);
		return -1;
	}
	header_of(thread, &rec->hdr, REC_STACK, sizeof(*rec) + STACK_BYTES, bpf_ktime_get_ns());
	rec->stack = hash;
	rec->count = count;
	rec->shown = with_rows && scratch->end == UNWIND_CUT ? UNWIND_STACK_IS_CUT : 0;
	bpf_probe_read_kernel(rec->frames, STACK_BYTES, scratch->frames);
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	if (walk.again)
		bpf_map_delete_elem(&stacks, &key); /* the next one from here tries again */
	return 0;
}

/* True if the stack in @scratch was sent, and @hash is its id. */
static __always_inline bool stack_is_known(struct thread_state *thread,
					   struct stack_scratch *scratch, __u64 hash)
{
	struct address_key key = { .address = hash, .program = thread->program };

	if (scratch->known == hash && scratch->known_program == thread->program)
		return true;
	if (!bpf_map_lookup_elem(&stacks, &key))
		return false;
	scratch->known = hash;
	scratch->known_program = thread->program;
	return true;
}

/*
 * True if the walk may have gone wrong: since rows were made for its addresses, another library was
 * mapped there. The walk is then to be done anew, from its first frame, and not by rows.
 */
static __always_inline bool stack_is_stale(struct thread_state *thread,
					   struct stack_scratch *scratch)
{
	struct stack_walk walk = { .scratch = scratch, .program = thread->program };

	bpf_loop(scratch->count, stack_module, &walk, 0);
	scratch->again = walk.again;
	if (module_age(thread->program) == scratch->age)
		return false;
	scratch->age = module_age(thread->program);
	scratch->ip = scratch->first_ip;
	scratch->sp = scratch->first_sp;
	scratch->bp = scratch->first_bp;
	scratch->interrupted = 0;
	scratch->count = 0;
	return true;
}

static __always_inline __u64 native_id(__u64 hash)
{
	return (hash | NATIVE_STACK) & ~PYTHON_STACK;
}

/*
 * The id of a copy of a stack with the same code addresses in the same places that user space has
 * not read yet, or that was sent a moment ago; 0 if there is none. A program that allocates in a
 * loop calls again and again before user space has made the rows.
 */
static __always_inline __u64 copy_find(struct thread_state *thread, struct stack_scratch *scratch)
{
	struct address_key key = { .address = scratch->words, .program = thread->program };
	struct stack_copy *copy = bpf_map_lookup_elem(&stack_copies, &key);

	return copy && (bpf_ktime_get_ns() - copy->time < COPY_LASTS ||
			bpf_ringbuf_query(&events, BPF_RB_CONS_POS) < copy->position) ?
		       copy->id :
		       0;
}

/* A function of its own, so that what it has on the stack is not below what sends one. */
static __noinline int copy_keep(struct thread_state *thread, struct stack_scratch *scratch,
				__u64 id)
{
	struct address_key key = { .address = scratch->words, .program = thread->program };
	struct stack_copy copy = { .id = id, .time = bpf_ktime_get_ns() };

	copy.position = bpf_ringbuf_query(&events, BPF_RB_PROD_POS);
	return bpf_map_update_elem(&stack_copies, &key, &copy, BPF_ANY);
}

/*
 * The stack of the current thread at the return of a call, or, if thread->caller is set, at its
 * entry: its id, or 0 if it cannot be had. (The caller is no argument since Linux 6.1 has no stack
 * left for it.)
 */
__noinline __u64 stack_by_rows(struct thread_state *thread)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct stack_scratch *scratch;
	__u64 id, ip, sp;
	int end;

	if (!thread || !with_rows)
		return 0;
	scratch = storage_new(scratches, task);
	if (!scratch)
		goto lost;
	scratch->program = thread->program;
	scratch->age = module_age(thread->program);
	scratch->trampoline = trampoline_of(thread);
	ip = PT_REGS_IP(regs);
	sp = PT_REGS_SP(regs);
	if (thread->caller) {
		ip = thread->caller;
		sp += STACK_ARGUMENTS;
	}
	end = unwind_walk(scratch, ip, sp, PT_REGS_FP(regs));
	id = native_id(scratch->hash);
	if (end != UNWIND_MISSING && stack_is_known(thread, scratch, id))
		return id;
	if (!stack_is_stale(thread, scratch) && end != UNWIND_MISSING)
		return stack_send(thread, scratch, id, scratch->count) ? 0 : id;
	if (unwind_explore(scratch))
		goto lost;
	id = copy_find(thread, scratch);
	if (id)
		return id;
	id = native_id(stack_mix(bpf_ktime_get_ns(), thread->tid));
	if (ring_has_room() && !unwind_send(thread, scratch, id)) {
		copy_keep(thread, scratch, id);
		return id;
	}
lost:
	count_lost(LOST_STACKS); /* The call is recorded all the same, with its site. */
	return 0;
}

/* The same by frame pointers, at the return of a call. */
static __noinline __u64 stack_by_pointers(struct pt_regs *ctx, struct thread_state *thread)
{
	struct stack_scratch *scratch;
	__u64 id;
	long size;

	scratch = storage_new(scratches, bpf_get_current_task_btf());
	if (!scratch)
		goto lost;
	size = bpf_get_stack(ctx, scratch->frames, STACK_BYTES, BPF_F_USER_STACK);
	if (size < (long)sizeof(__u64) || size > (long)STACK_BYTES)
		goto lost;
	id = stack_hash(scratch, size / sizeof(__u64));
	if (stack_is_known(thread, scratch, id))
		return id;
	return stack_send(thread, scratch, id, size / sizeof(__u64)) ? 0 : id;
lost:
	count_lost(LOST_STACKS);
	return 0;
}

/* The stack at the return of a call: its id, or 0 if it cannot be had. */
static __always_inline __u64 stack_take(struct pt_regs *ctx, struct thread_state *thread)
{
	if (with_rows)
		return stack_by_rows(thread);
	return stack_by_pointers(ctx, thread);
}

/* The stack at the return of a call: of Python, native, or both. 0: none. */
static __always_inline __u64 stack_of(struct pt_regs *ctx, struct thread_state *thread, __u64 site)
{
	__u64 stack = python_alone ? python_of(thread, site, 0) : 0;

	if (!stack && with_stacks)
		stack = stack_take(ctx, thread);
	return python_alone ? stack : python_of(thread, site, stack);
}

/* The same of a call of a trace: none at all if it is not asked for. */
static __always_inline __u64 stack_traced(struct pt_regs *ctx, struct thread_state *thread)
{
	return with_stacks && !python_alone ?
		       python_of(thread, call_site(ctx), stack_take(ctx, thread)) :
		       0;
}

#endif
