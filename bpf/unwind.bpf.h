/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the native stack of code without frame pointers, by a table of rows (cutop_unwind.h) that
 * holds only the return addresses that were met so far: programs meet hundreds, while their
 * libraries have millions. Where a row is missing, what may be addresses on the stack is sent from
 * there on; user space finishes the walk and adds the rows.
 *
 * The stack is memory of the watched program, and may contain anything. The number of steps is
 * limited, each has to go up the stack (except through a signal's frame, whose handler may have a
 * stack of its own, and from C to Go), and what cannot be read ends the walk. Nothing here may sleep.
 */
#ifndef UNWIND_BPF_H
#define UNWIND_BPF_H

#include "names.bpf.h"

#include "cutop_python.h"
#include "cutop_unwind.h"

#define UNWIND_WINDOW 4096 /* bytes of the stack that are read at once; a power of two */
#define UNWIND_PAGE   4096
#define UNWIND_LOOK   32768 /* bytes that are looked through to tell stacks apart */
#define UNWIND_TOP    4096  /* the same, at the beginning of a longer stack */
#define UNWIND_RANGES 4     /* mappings remembered while a copy is looked through */
/* Bytes below the end of a stack that belong to it; usually the largest size of one: ulimit -s */
#define UNWIND_NEAR     (8u << 20)
#define UNWIND_RING_GAP 4 /* one part in so many of the ring is left to other records */

/* Set by user space before loading: rows are used, instead of frame pointers. */
const volatile bool with_rows;
const volatile __u64 ring_size; /* bytes */

/* Written by user space; made small if it is not needed. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, UNWIND_SETS);
	__type(key, __u32);
	__type(value, struct unwind_set);
} unwind_rows SEC(".maps");

/* How a walk ended. */
enum unwind_end {
	UNWIND_WHOLE,   /* at the outermost frame, or at the most frames that are kept */
	UNWIND_CUT,     /* where the stack cannot be read, or nothing is known */
	UNWIND_MISSING, /* where a row is missing */
};

struct unwind_range {
	__u64 start, bytes;
	__u32 is_code, is_executable; /* the first: of a file */
};

/* Of a thread; the first part is of stacks.bpf.h. */
struct stack_scratch {
	__u64 frames[CUTOP_STACK_FRAMES + 1];
	__u64 known; /* the stack that was last found among those sent, 0: none */
	__u32 known_program;
	__u32 count;
	__u64 hash;  /* of the frames */
	__u64 words; /* the same of the code addresses on the stack, and their places */
	__u32 end;   /* enum unwind_end */
	__u32 again; /* a mapping of these frames could not be looked up */
	__u64 first_ip, first_sp, first_bp; /* registers that the walk began with */
	__u64 ip, sp, bp;                   /* of the frame that it has come to */
	__u64 interrupted;                  /* UNWIND_INTERRUPTED, if ip is no return address */
	__u32 program;
	__u32 age;  /* module_age() */
	__u64 mark; /* UNWIND_MARK() */
	__u64 trampoline;
	/* where stacks end: a thread's, the main thread's, and the mapping; nothing may be there */
	__u64 limits[3];
	__u64 instance, instance_stack, instance_caller; /* a struct return_instance */
	__u64 window_start;
	__u64 window_bytes;
	__u64 word;
	__u32 next_range;
	struct unwind_range ranges[UNWIND_RANGES];
	__u32 word_count;
	__u64 left; /* bytes of the stack that are looked at */
	/* the stack that is sent; 0: it is only looked at, and what is beyond the list is dropped */
	__u64 sent;
	__u8 window[UNWIND_WINDOW];
};

/* Words of a stack that are kept to be sent, of a thread. */
struct stack_words {
	__u64 words[UNWIND_WORDS];
};

/*
 * From Linux 7 on a thread's storage in a map comes from kmalloc_nolock(), which has no more than
 * two pages, the kernel's own part included; so these are two. mm/slub.c
 */
_Static_assert(sizeof(struct stack_scratch) < 8000 && sizeof(struct stack_words) < 8000,
	       "Linux 7 has no storage of that size");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct stack_scratch);
} scratches SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct stack_words);
} kept_words SEC(".maps");

/* ---- memory ---- */

/* How many of @bytes from @address on lie below the ends of stacks that are known. */
static __always_inline __u64 unwind_clamp(const struct stack_scratch *scratch, __u64 address,
					  __u64 bytes)
{
	__u32 i;

#pragma unroll
	for (i = 0; i < 3; i++)
		if (address < scratch->limits[i] && scratch->limits[i] - address < bytes)
			bytes = scratch->limits[i] - address;
	return bytes;
}

/* Reads the stack from @address on into the window. Returns 0, or -1 if nothing is there. */
__noinline int unwind_read(struct stack_scratch *scratch, __u64 address, __u32 most)
{
	__u64 bytes;

	if (!scratch)
		return -1;
	bytes = unwind_clamp(scratch, address, most);
	scratch->window_start = address;
	scratch->window_bytes = bytes & ~7ull;
	if (bytes > UNWIND_WINDOW)
		bytes = UNWIND_WINDOW;
	asm volatile("" : "+r"(bytes));
	if (bytes <= UNWIND_WINDOW && !bpf_probe_read_user(scratch->window, bytes, (void *)address))
		return 0;
	/* A page further on is not there. */
	bytes = 4096 - (address & 4095);
	scratch->window_bytes = bytes & ~7ull;
	asm volatile("" : "+r"(bytes));
	if (bytes <= 4096 && !bpf_probe_read_user(scratch->window, bytes, (void *)address))
		return 0;
	scratch->window_bytes = 0;
	return -1;
}

/* Reads the word at @address of the stack into scratch->word. Returns 0, or -1. */
static __always_inline int unwind_word(struct stack_scratch *scratch, __u64 address)
{
	__u64 at = address - scratch->window_start;

	if (address & 7)
		return -1;
	if (at >= scratch->window_bytes) {
		if (unwind_read(scratch, address, UNWIND_WINDOW))
			return -1;
		at = 0;
		if (!scratch->window_bytes)
			return -1;
	}
	scratch->word = *(__u64 *)(scratch->window + (at & (UNWIND_WINDOW - 8)));
	return 0;
}

/* ---- return probes ---- */

/* The innermost function whose return is probed: a struct return_instance; 0: none. */
static __always_inline __u64 unwind_instances(struct task_struct *task)
{
	struct uprobe_task *utask = untrusted(task)->utask;

	return utask ? (__u64)utask->return_instances : 0;
}

/*
 * Looks at the next function whose return is probed: the true return address is there, where the
 * stack has the kernel's trampoline.
 */
static long unwind_instance(__u32 i, struct stack_scratch **at)
{
	struct stack_scratch *scratch = *at;
	struct return_instance *instance = (struct return_instance *)scratch->instance;

	if (!instance)
		return 1;
	bpf_core_read(&scratch->instance_stack, 8, &instance->stack);
	bpf_core_read(&scratch->instance_caller, 8, &instance->orig_ret_vaddr);
	if (scratch->instance_stack == scratch->sp - 8 &&
	    scratch->instance_caller != scratch->trampoline) {
		scratch->word = scratch->instance_caller;
		return 1;
	}
	/* They are listed from the innermost on: those further in are not needed any more. */
	bpf_core_read(&scratch->instance, 8, &instance->next);
	return 0;
}

/* ---- the walk ---- */

static __always_inline struct unwind_row *unwind_find(__u64 tag)
{
	__u32 index = UNWIND_SET_OF(tag), i;
	struct unwind_set *set = bpf_map_lookup_elem(&unwind_rows, &index);

	if (!set)
		return NULL;
#pragma unroll
	for (i = 0; i < UNWIND_WAYS; i++)
		if (*(volatile __u64 *)&set->rows[i].tag == tag)
			return &set->rows[i];
	return NULL;
}

/* The registers that the signal's frame at @sp has kept. Returns 0, or -1. */
static __always_inline int unwind_signal(struct stack_scratch *scratch)
{
	__u64 sp = scratch->sp;

	if (unwind_word(scratch, sp + UNWIND_UCONTEXT_BP))
		return -1;
	scratch->bp = scratch->word;
	if (unwind_word(scratch, sp + UNWIND_UCONTEXT_SP))
		return -1;
	scratch->sp = scratch->word;
	if (unwind_word(scratch, sp + UNWIND_UCONTEXT_IP))
		return -1;
	scratch->ip = scratch->word;
	scratch->interrupted = UNWIND_INTERRUPTED;
	return 0;
}

/* Goes to the caller of a frame without signals. Returns 0, or -1 if that cannot be read. */
static __always_inline int unwind_caller(struct stack_scratch *scratch, struct unwind_rule rule)
{
	__u64 cfa = (rule.cfa == UNWIND_SP ? scratch->sp : scratch->bp) + (__s64)rule.offset;
	__u64 bp = scratch->bp;

	if (rule.cfa == UNWIND_BP_AT) {
		if (unwind_word(scratch, cfa))
			return -1;
		cfa = scratch->word;
	}
	if (cfa <= scratch->sp && rule.cfa != UNWIND_CHAIN)
		return -1;
	if (rule.bp_by != UNWIND_BP_SAME) {
		if (unwind_word(scratch, (rule.bp_by == UNWIND_BP_CFA ? cfa : bp) + (__s64)rule.bp))
			return -1;
		bp = scratch->word;
	}
	if (unwind_word(scratch, cfa - 8))
		return -1;
	scratch->sp = cfa;
	scratch->bp = bp;
	if (scratch->trampoline && scratch->word == scratch->trampoline)
		bpf_loop(UNWIND_RETURNS, unwind_instance, &scratch, 0);
	scratch->ip = scratch->word;
	scratch->interrupted = 0;
	return 0;
}

static __always_inline __u64 stack_mix(__u64 hash, __u64 address)
{
	hash = (hash ^ address) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/* Takes the frame that the walk has come to into the stack, as its @n-th. */
static __always_inline void frame_note(struct stack_scratch *scratch, __u32 n)
{
	scratch->frames[n & CUTOP_STACK_FRAMES] = scratch->ip;
	scratch->hash = stack_mix(scratch->hash, scratch->ip);
	scratch->count = n + 1;
}

static long unwind_step(__u32 i, struct stack_scratch **at)
{
	struct stack_scratch *scratch = *at;
	struct unwind_rule rule;
	struct unwind_row *row;
	__u64 tag;

	if (i >= CUTOP_STACK_FRAMES)
		return 1;
	tag = UNWIND_TAG(scratch->mark, scratch->ip ^ scratch->interrupted);
	row = unwind_find(tag);
	if (!row) {
		scratch->end = UNWIND_MISSING;
		return 1;
	}
	rule = row->rule;
	/* User space may have made it another address's while it was read. */
	if (*(volatile __u64 *)&row->tag != tag) {
		scratch->end = UNWIND_MISSING;
		return 1;
	}
	frame_note(scratch, i);
	if (rule.cfa == UNWIND_END || (rule.cfa == UNWIND_CHAIN && !scratch->bp))
		return 1;
	if (rule.cfa == UNWIND_NONE ||
	    (rule.cfa == UNWIND_SIGNAL ? unwind_signal(scratch) : unwind_caller(scratch, rule))) {
		scratch->end = UNWIND_CUT;
		return 1;
	}
	return 0;
}

static long unwind_seen(struct task_struct *task, struct vm_area_struct *vma,
			struct stack_scratch **at)
{
	struct stack_scratch *scratch = *at;
	struct unwind_range *range = &scratch->ranges[scratch->next_range & (UNWIND_RANGES - 1)];

	range->start = vma->vm_start;
	range->bytes = vma->vm_end - vma->vm_start;
	range->is_executable = vma->vm_flags & VM_EXEC ? 1 : 0;
	range->is_code = range->is_executable && untrusted(vma)->vm_file;
	return 0;
}

/*
 * True if the row that is missing cannot be made: no file contains the code, as it was compiled while
 * the program runs.
 */
static __always_inline bool unwind_is_nameless(struct stack_scratch *scratch)
{
	long err = bpf_find_vma(bpf_get_current_task_btf(), scratch->ip - !scratch->interrupted,
				unwind_seen, &scratch, 0);

	/* Any other error: the lock was taken. */
	return err ? err == -ENOENT :
		     !scratch->ranges[scratch->next_range & (UNWIND_RANGES - 1)].is_code;
}

/*
 * Walks the stack of the current thread from these registers on, into scratch->frames. Returns how
 * it ended: enum unwind_end.
 */
__noinline int unwind_walk(struct stack_scratch *scratch, __u64 ip, __u64 sp, __u64 bp)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mm_struct *mm;

	if (!scratch)
		return UNWIND_CUT;
	mm = untrusted(task)->mm;
	scratch->limits[0] = scratch->limits[1] = scratch->limits[2] = 0;
#if defined(__TARGET_ARCH_x86)
	/* A thread's control block lies at the end of its stack: glibc's allocatestack.c */
	scratch->limits[0] = (task->thread.fsbase + 4095) & ~4095ull;
#endif
	if (mm)
		scratch->limits[1] = (mm->env_end + 4095) & ~4095ull;
	scratch->instance = 0;
	if (scratch->trampoline)
		scratch->instance = unwind_instances(task);
	scratch->mark = UNWIND_MARK(scratch->program, scratch->age);
	scratch->first_ip = scratch->ip = ip;
	scratch->first_sp = scratch->sp = sp;
	scratch->first_bp = scratch->bp = bp;
	scratch->interrupted = 0;
	scratch->count = 0;
	/*
	 * Where libraries come and go, stacks are sent again: so that it is seen what is mapped at
	 * their addresses now.
	 */
	scratch->hash = mm ? mm->exec_vm : 0;
	scratch->end = UNWIND_WHOLE;
	unwind_read(scratch, sp, UNWIND_WINDOW);
	bpf_loop(CUTOP_STACK_FRAMES, unwind_step, &scratch, 0);
	if (scratch->end == UNWIND_MISSING && unwind_is_nameless(scratch)) {
		frame_note(scratch, scratch->count);
		scratch->end = UNWIND_CUT;
	}
	return scratch->end;
}

/* ---- unwind copies ---- */

/*
 * Where a walk (unwind.bpf.h) misses a row: looks through the stack from there on, reports the
 * mappings that it may lead through, and sends those words of it that may be needed to go on.
 */

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
	/*
	 * A thread's stack may lie beside libraries, so near is no proof. Go's stacks are on its heap,
	 * which begins at 0xc000000000.
	 */
	if (is_executable || unwind_is_near(scratch, address) || address >> 32 == 0xc0)
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
