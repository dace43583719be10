/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a walk (unwind.bpf.h) misses a row: looks through the stack from there on, reports the
 * mappings that it may lead through, and sends those words of it that may be needed to go on.
 */
#ifndef UNWIND_COPIES_BPF_H
#define UNWIND_COPIES_BPF_H

#include "unwind.bpf.h"

/* Looking through a stack: for its first member see unwind_seen(). */
/* What is no pointer is in the scratch: there is little stack left. */
struct unwind_look {
	struct stack_scratch *scratch;
	struct stack_words *kept;
	struct thread_state *thread;
};

/* Sends the words of a long stack that were kept so far. */
__noinline int unwind_send_part(struct thread_state *thread, struct stack_scratch *scratch,
				struct stack_words *kept, __u64 id)
{
	struct rec_stack_part *rec;

	if (!thread || !scratch || !kept)
		return 0;
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec) + UNWIND_WORDS * sizeof(__u64), 0);
	if (rec) { /* else they count as 0, and the stack ends early */
		header_of(thread, &rec->hdr, REC_STACK_PART,
			  sizeof(*rec) + UNWIND_WORDS * sizeof(__u64), bpf_ktime_get_ns());
		rec->stack = id;
		rec->word_count = scratch->word_count;
		rec->pad = 0;
		bpf_probe_read_kernel(rec->words, UNWIND_WORDS * sizeof(__u64), kept->words);
		bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
	}
	scratch->word_count = 0;
	return 0;
}

static __always_inline void unwind_keep(struct unwind_look *look, __u64 at, __u64 address)
{
	struct stack_scratch *scratch = look->scratch;
	__u64 place = (at - scratch->sp) / 8;

	if (place >= UNWIND_PLACES)
		return;
	if (scratch->word_count >= UNWIND_WORDS && scratch->sent)
		unwind_send_part(look->thread, scratch, look->kept, scratch->sent);
	if (scratch->word_count < UNWIND_WORDS)
		look->kept->words[scratch->word_count & (UNWIND_WORDS - 1)] =
			UNWIND_WORD(place, address);
	scratch->word_count++;
}

/* True if @address may be of this thread's stack: the end of one is not far above it. */
static __always_inline bool unwind_is_near(const struct stack_scratch *scratch, __u64 address)
{
	__u32 i;

#pragma unroll
	for (i = 0; i < 3; i++)
		if (address < scratch->limits[i] && scratch->limits[i] - address < UNWIND_NEAR)
			return true;
	return false;
}

/*
 * Looks at a word that lies at @at. If it leads into a file's code, the mapping is reported, and
 * the word and its place tell this stack from others. Mappings are remembered, as most words that
 * look like addresses lead to the same few.
 */
static __always_inline void unwind_look_at(struct unwind_look *look, __u64 at, __u64 address)
{
	struct stack_scratch *scratch = look->scratch;
	__u32 is_code, is_executable, i;
	long err;

	if (address < 65536 || address >> 47)
		return;
	for (i = 0; i < UNWIND_RANGES; i++)
		if (address - scratch->ranges[i].start < scratch->ranges[i].bytes)
			break;
	if (i < UNWIND_RANGES) {
		is_code = scratch->ranges[i].is_code;
		is_executable = scratch->ranges[i].is_executable;
	} else {
		err = bpf_find_vma(bpf_get_current_task_btf(), address, unwind_seen, look, 0);
		if (err == -ENOENT)
			return;
		i = scratch->next_range & (UNWIND_RANGES - 1);
		is_code = err || scratch->ranges[i].is_code;
		is_executable = err || scratch->ranges[i].is_executable;
		if (!err)
			scratch->next_range++;
		/* Where the lock was taken, module_announce() tries harder. */
		if (is_code)
			module_announce(scratch->program, address);
	}
	/* A thread's stack may lie beside libraries, so near is no proof. */
	if (is_executable || unwind_is_near(scratch, address))
		unwind_keep(look, at, address);
	if (is_code)
		scratch->words = stack_mix(scratch->words ^ (at - scratch->sp), address);
}

/* Page by page, since some may not be there, as those of large variables that are not used yet. */
static long unwind_look_up(__u32 n, struct unwind_look *look)
{
	struct stack_scratch *scratch = look->scratch;
	__u64 at = (scratch->sp & ~(UNWIND_PAGE - 1ull)) + (__u64)n * 8;

	if (at < scratch->sp)
		return 0;
	if (at - scratch->sp >= scratch->left)
		return 1;
	if (!(at & (UNWIND_PAGE - 1)) || at == scratch->sp)
		unwind_read(scratch, at, UNWIND_PAGE - (at & (UNWIND_PAGE - 1)));
	if (at - scratch->window_start >= scratch->window_bytes)
		return 0;
	unwind_look_at(
		look, at,
		*(__u64 *)(scratch->window + ((at - scratch->window_start) & (UNWIND_PAGE - 8))));
	return 0;
}

static long unwind_look_top(__u32 n, struct unwind_look *look)
{
	struct stack_scratch *scratch = look->scratch;

	unwind_look_at(look, scratch->window_start + n * 8,
		       *(__u64 *)(scratch->window + ((n * 8) & (UNWIND_PAGE - 8))));
	return 0;
}

/* The next function whose return is probed: on the stack they all look alike. */
static long unwind_note(__u32 i, struct unwind_look *look)
{
	struct stack_scratch *scratch = look->scratch;
	struct return_instance *instance = (struct return_instance *)scratch->instance;
	__u64 at = 0, address = 0;

	if (!instance)
		return 1;
	bpf_core_read(&at, 8, &instance->stack);
	bpf_core_read(&address, 8, &instance->orig_ret_vaddr);
	bpf_core_read(&scratch->instance, 8, &instance->next);
	scratch->words = stack_mix(scratch->words ^ (at - scratch->sp), address);
	/* Of several for one place, one has the address; the others lead back to the trampoline. */
	if (address != scratch->trampoline && address >> 47 == 0)
		unwind_keep(look, at, address);
	return 0;
}

static __always_inline int unwind_send_sized(struct thread_state *thread,
					     struct stack_scratch *scratch,
					     const struct stack_words *kept, __u64 id, __u64 bytes,
					     const __u32 words)
{
	struct rec_stack_copy *rec =
		bpf_ringbuf_reserve(&events, sizeof(*rec) + words * sizeof(__u64), 0);

	if (!rec)
		return -1;
	header_of(thread, &rec->hdr, REC_STACK_COPY, sizeof(*rec) + words * sizeof(__u64),
		  bpf_ktime_get_ns());
	rec->stack = id;
	rec->ip = scratch->ip;
	rec->sp = scratch->sp;
	rec->bp = scratch->bp;
	rec->count = scratch->count;
	rec->bytes = bytes;
	rec->flags = scratch->interrupted ? UNWIND_AT_INTERRUPTED : 0;
	rec->age = scratch->age;
	rec->word_count = scratch->word_count;
	rec->pad = 0;
	bpf_probe_read_kernel(rec->frames, sizeof(rec->frames), scratch->frames);
	bpf_probe_read_kernel(rec->words, words * sizeof(__u64), kept->words);
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
	return 0;
}

/* True if stacks may take more of the ring. */
static __always_inline bool ring_has_room(void)
{
	return bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) <
	       ring_size - ring_size / UNWIND_RING_GAP;
}

static __always_inline void unwind_returns(struct unwind_look *look)
{
	struct stack_scratch *scratch = look->scratch;

	scratch->instance = scratch->trampoline ? unwind_instances(bpf_get_current_task_btf()) : 0;
	bpf_loop(UNWIND_RETURNS, unwind_note, look, 0);
}

/*
 * Reports the mappings that the stack may lead through, so that they are known when it is gone, and
 * keeps what unwind_send() is to send. Returns 0, or -1 if there is no memory to keep it.
 */
__noinline int unwind_explore(struct stack_scratch *scratch)
{
	struct unwind_look look = { .scratch = scratch };
	struct task_struct *task = bpf_get_current_task_btf();
	struct mm_struct *mm;
	__u64 from;
	__u32 i;

	if (!scratch)
		return -1;
	look.kept = storage_new(kept_words, task);
	if (!look.kept)
		return -1;
	scratch->words = stack_mix(scratch->hash, scratch->ip);
	scratch->word_count = 0;
	scratch->sent = 0;
	module_announce(scratch->program, scratch->ip);
	/* The stack ends with its mapping, if not before. */
	if (!bpf_find_vma(task, scratch->sp, unwind_seen, &look, 0)) {
		i = scratch->next_range & (UNWIND_RANGES - 1);
		scratch->limits[2] = scratch->ranges[i].start + scratch->ranges[i].bytes;
	}
	for (i = 0; i < UNWIND_RANGES; i++)
		scratch->ranges[i].bytes = 0;
	/* What called main(), or a thread's first function, stands at the stack's beginning. */
	mm = untrusted(task)->mm;
	from = mm ? mm->start_stack : 0;
	if (from <= scratch->sp || from > scratch->limits[2])
		from = scratch->limits[0];
	if (from > scratch->sp + UNWIND_LOOK && from <= scratch->limits[2] &&
	    !unwind_read(scratch, from - UNWIND_TOP, UNWIND_TOP))
		bpf_loop(UNWIND_TOP / 8, unwind_look_top, &look, 0);
	scratch->word_count = 0;
	scratch->left = unwind_clamp(scratch, scratch->sp, UNWIND_LOOK);
	bpf_loop((UNWIND_LOOK + UNWIND_PAGE) / 8, unwind_look_up, &look, 0);
	unwind_returns(&look);
	return 0;
}

/* Sends the stack that was explored. Returns 0, or -1 if the ring is full. */
__noinline int unwind_send(struct thread_state *thread, struct stack_scratch *scratch, __u64 id)
{
	struct unwind_look look = { .scratch = scratch, .thread = thread };
	__u64 left, words;

	if (!thread || !scratch)
		return -1;
	look.kept = bpf_task_storage_get(&kept_words, bpf_get_current_task_btf(), NULL, 0);
	if (!look.kept)
		return -1;
	words = scratch->words;
	left = unwind_clamp(scratch, scratch->sp, UNWIND_PLACES * 8);
	if (left > UNWIND_LOOK || scratch->word_count > UNWIND_WORDS) {
		scratch->word_count = 0;
		scratch->left = left;
		scratch->sent = id;
		bpf_loop(UNWIND_PLACES + UNWIND_PAGE / 8, unwind_look_up, &look, 0);
		unwind_returns(&look);
		scratch->words = words; /* copy_keep() */
	}
	if (scratch->word_count <= UNWIND_WORDS / 4)
		return unwind_send_sized(thread, scratch, look.kept, id, left, UNWIND_WORDS / 4);
	return unwind_send_sized(thread, scratch, look.kept, id, left, UNWIND_WORDS);
}

#endif
