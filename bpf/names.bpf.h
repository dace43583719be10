/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What names kernels and call sites: registrations, kernel handles, and the file mapped at an
 * address. The file is looked up here, in the process, because a program that lives 5 ms is gone
 * before user space could ask /proc.
 */
#ifndef NAMES_BPF_H
#define NAMES_BPF_H

#include "caller.bpf.h"
#include "files.bpf.h"
#include "threads.bpf.h"
#include "trace.bpf.h"

/* ---- stubs ---- */

/*
 * The kernel name that each stub was registered with. A program may register a hundred thousand
 * kernels before main and launch twenty, so registering has to be cheap. Stubs are registered in
 * the order of their addresses, some 14 to a page of code: they are stored by page, so that the
 * next one finds its entry in the processor's cache. A hash with an entry per stub costs a cache
 * miss or two for each, which took 900 ns.
 */

#define STUB_PAGE_SHIFT 12
#define STUB_SLOTS      16 /* a power of two */
#define STUB_LEVELS     16 /* entries per page: enough for a function every 16 bytes */

struct stub_key {
	__u64 page;
	__u32 program;
	__u32 level;
};

struct stub_page {
	__u64 names[STUB_SLOTS];   /* addresses */
	__u16 offsets[STUB_SLOTS]; /* of the stubs, within their page */
	__u32 count;               /* may exceed the number of slots */
	__u32 pad;
};

static const struct stub_page no_stubs;

HASH_MAP(stubs, struct stub_key, struct stub_page, 1 << 18);

/* The index of @offset in @page, or STUB_SLOTS. */
static __always_inline __u32 stub_slot(const struct stub_page *page, __u16 offset)
{
	__u32 count = *(const volatile __u32 *)&page->count, i;

	for (i = 0; i < STUB_SLOTS; i++) {
		if (i >= count)
			break;
		if (page->offsets[i] == offset)
			return i;
	}
	return STUB_SLOTS;
}

struct stub_search {
	struct stub_key key; /* its level is set by the search */
	__u64 name;
	__u16 offset;
	bool learns; /* puts the name there instead of taking what is there */
	bool is_found;
};

/* Looks at one level: a call for each, since the verifier walks through every round of a loop. */
static long stub_search_level(__u32 level, struct stub_search *search)
{
	struct stub_page *page;
	__u32 slot;

	search->key.level = level;
	page = bpf_map_lookup_elem(&stubs, &search->key);
	if (!page && search->learns) {
		bpf_map_update_elem(&stubs, &search->key, &no_stubs, BPF_NOEXIST);
		page = bpf_map_lookup_elem(&stubs, &search->key);
	}
	if (!page)
		return 1;
	slot = stub_slot(page, search->offset);
	if (slot == STUB_SLOTS && search->learns && page->count < STUB_SLOTS)
		slot = __sync_fetch_and_add(&page->count, 1);
	if (slot >= STUB_SLOTS)
		return 0;
	if (search->learns) {
		page->names[slot] = search->name;
		page->offsets[slot] = search->offset;
	} else {
		search->name = page->names[slot];
	}
	search->is_found = true;
	return 1;
}

static __always_inline void stub_search(struct stub_search *search, __u32 program, __u64 stub)
{
	search->key.page = stub >> STUB_PAGE_SHIFT;
	search->key.program = program;
	search->offset = stub & ((1 << STUB_PAGE_SHIFT) - 1);
	bpf_loop(STUB_LEVELS, stub_search_level, search, 0);
}

/*
 * Remembers that @stub of @program has the name at @name; the latest one counts. Returns false
 * without room.
 */
static __noinline bool stub_learn(__u32 program, __u64 stub, __u64 name)
{
	struct stub_search search = { .name = name, .learns = true };

	stub_search(&search, program, stub);
	return search.is_found;
}

/* The address of the name of @stub, or 0. */
__noinline __u64 stub_name_own(__u32 program, __u64 stub)
{
	struct stub_search search = {};

	stub_search(&search, program, stub);
	return search.name;
}

#define GENERATIONS 3

/*
 * The same, but also searches the program that this one was forked from: a copy has everything at
 * the same addresses.
 */
static __always_inline __u64 stub_name(__u32 program, __u64 stub)
{
	__u64 name = 0;
	__u32 i;

	for (i = 0; i < GENERATIONS && program; i++) {
		name = stub_name_own(program, stub);
		if (name)
			break;
		program = origin_of(program);
	}
	return name;
}

/* ---- deferred names ---- */

/*
 * Names that are not in memory: most kernels' names are in a part of a file that no process has
 * read yet. A BPF program could sleep until the page is there. But it would sleep for ever if the
 * page never arrives (a dead file server, userfaultfd), inside a section that every removal of a
 * probe on the machine waits for. So our programs do not sleep. User space is told the name's
 * address and, if that memory is an unmodified part of a file, its place in the file, and reads it
 * there (src/errand).
 */

/*
 * Reports that the name of @function, which @call launched or created (CALL_COUNT: a function of
 * the driver's), is at @name in the current process and could not be read. Returns 0 if nothing is
 * mapped there.
 */
__noinline int name_defer(__u32 program, __u32 call, __u64 function, __u64 stub, __u64 name)
{
	struct vma_info at = {};
	struct rec_name_at *rec;
	long err = vma_at(name, &at);

	if (err == -ENOENT)
		return 0;
	/* What was read without the lock may be of another mapping. */
	if (err)
		__builtin_memset(&at, 0, sizeof(at));
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec) {
		count_lost_of(program, LOST_RING_FULL);
		return 1;
	}
	header_fill(&rec->hdr, REC_NAME_AT, sizeof(*rec), program, bpf_ktime_get_ns());
	rec->name = name;
	rec->function = function;
	rec->stub = stub;
	rec->call = call;
	/* Writable private memory may differ from the file. */
	rec->in_file = at.file && (at.flags & VM_SHARED || !(at.flags & VM_WRITE));
	rec->pad = 0;
	rec->offset = name - at.start + at.offset;
	rec->path.len = 0;
	rec->pad2 = 0;
	if (rec->in_file) {
		file_id_read((struct file *)at.file, &rec->id);
		path_read(at.file, &rec->path);
	} else {
		__builtin_memset(&rec->id, 0, sizeof(rec->id));
	}
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
	return 1;
}

/* ---- names ---- */

struct module_key {
	__u64 start;
	__u32 program;
	__u32 pad;
};

struct address_key {
	__u64 address;
	__u32 program;
	__u32 pad;
};

/* kernel handle to stub, or to the handle that it was made from */
HASH_MAP(handles, struct address_key, __u64, 1 << 18);
HASH_MAP(sites, struct address_key, __u32, 1 << 18); /* call sites whose mapping was reported */
/* Mappings that were reported: file_mark() of the file */
HASH_MAP(modules, struct module_key, __u64, 65536);

#define MODULE_AGES 1024 /* a power of two */

/* Per program, by its low bits: how often a file was found where another had been reported. */
__u32 module_ages[MODULE_AGES];

static __always_inline __u32 module_age(__u32 program)
{
	return *(volatile __u32 *)&module_ages[program & (MODULE_AGES - 1)];
}

/*
 * Reports which file is mapped at @address of the current process, once per mapping, and again if
 * another file has replaced it. Returns 1 if that could not be found out now.
 */
__noinline int module_announce(__u32 program, __u64 address)
{
	/* Each is used when those before it are no longer needed: callers have little stack left. */
	union {
		struct vma_info info;
		struct {
			__u64 start, end, offset;
			struct module_key key;
		} known;
		struct file_id id;
	} at = {};
	struct rec_module_at *rec;
	__u64 mark, *known;
	struct file *file;
	long err;

	err = vma_at(address, &at.info);
	if (err)
		return err != -ENOENT;
	if (!(at.info.flags & VM_EXEC) || !at.info.file)
		return 0;
	file = (struct file *)at.info.file;
	at.known.key.program = program;
	at.known.key.pad = 0;
	at.known.key.start = at.known.start;
	mark = file_mark(file);
	known = bpf_map_lookup_elem(&modules, &at.known.key);
	if (known && *known == mark)
		return 0;
	if (known)
		__sync_fetch_and_add(&module_ages[program & (MODULE_AGES - 1)], 1);
	if (bpf_map_update_elem(&modules, &at.known.key, &mark, known ? BPF_ANY : BPF_NOEXIST))
		return 0;
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec) {
		count_lost_of(program, LOST_RING_FULL);
		bpf_map_delete_elem(&modules, &at.known.key);
		return 1;
	}
	header_fill(&rec->module.hdr, REC_MODULE_AT, sizeof(*rec), program, bpf_ktime_get_ns());
	rec->module.start = at.known.start;
	rec->module.end = at.known.end;
	rec->module.offset = at.known.offset;
	rec->path.len = 0;
	bpf_probe_read_kernel_str(rec->module.file, sizeof(rec->module.file),
				  BPF_CORE_READ(file, f_path.dentry, d_name.name));
	file_id_read(file, &at.id);
	rec->module.id = at.id;
	if (!file_is_known(&at.id))
		path_read((__u64)file, &rec->path);
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
	return 0;
}

/* The same for a call site, once per site; a thread remembers those that it reported last. */
static __always_inline void site_announce(struct thread_state *thread, __u64 address)
{
	struct address_key key = { .address = address, .program = thread->program };
	__u64 *last = &thread->sites[address & (SITE_CACHE - 1)];
	__u32 one = 1;

	if (*last == address)
		return;
	if (!bpf_map_lookup_elem(&sites, &key)) {
		if (module_announce(thread->program, address))
			return; /* the next call from here tries again */
		/* Without room, other threads look the site up again: no figure is lost. */
		bpf_map_update_elem(&sites, &key, &one, BPF_ANY);
	}
	*last = address;
}

/* The same, for what names.bpf.h includes. */
__noinline int site_tell(struct thread_state *thread, __u64 address)
{
	if (thread)
		site_announce(thread, address);
	return 0;
}

/*
 * A variable of the program whose size only its registration tells; or the variables of a fat
 * binary are gone.
 */
static __noinline int variable_tell(struct pt_regs *ctx, struct thread_state *thread, __u32 call)
{
	const volatile struct call_desc *desc = desc_of(call);
	struct rec_map *rec;

	if (!keep_books)
		return 0;
	rec = record_begin(thread, REC_MAP, sizeof(*rec), bpf_ktime_get_ns());
	if (!rec)
		return 0;
	rec->address = call_arg(ctx, desc->a);
	rec->bytes = desc->c == NO_ARG ? 0 : call_arg(ctx, desc->c);
	rec->handle = call_arg(ctx, 0);
	rec->call = call;
	rec->act = desc->c == NO_ARG ? MAP_UNLOAD : MAP_VARIABLE;
	__builtin_memset(rec->pad, 0, sizeof(rec->pad));
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return 0;
}

/*
 * __cudaRegisterFunction and the like, which run before main for every kernel and variable of the
 * program.
 */
static __always_inline void register_entry(struct call_run *run)
{
	const volatile struct call_desc *desc = run->desc;
	struct thread_state *thread = run->thread;
	__u64 stub = call_arg(run->ctx, desc->a);

	if (desc->b == NO_ARG)
		variable_tell(run->ctx, thread, run->call);
	else if (!stub_learn(thread->program, stub, call_arg(run->ctx, desc->b)))
		count_lost(LOST_NAMES);
	/*
	 * Call sites are most likely in the same file as stubs: one more chance to report it while
	 * the program lives.
	 */
	if (desc->c != NO_ARG && !thread->told_program)
		thread->told_program = !module_announce(thread->program, stub);
	trace_alone(run->ctx, thread, run->call);
}

/*
 * __cudaGetKernel, cuModuleGetFunction and the like: followed even when nested, for what they
 * teach.
 */
static __always_inline int handle_entry(struct call_run *run)
{
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;

	if (frame->nested &&
	    is_callback(run->ctx, thread, run->cookie, frame_cookie(thread, thread->depth - 2)))
		frame->nested = false;
	frame->teacher.handle_at = call_arg(run->ctx, run->desc->a);
	frame->teacher.meaning = call_arg(run->ctx, run->desc->b);
	caller_note(run);
	return call_entered(run);
}

static __always_inline void handle_learn(__u32 program, __u64 handle, __u64 stub, __u64 flags)
{
	struct address_key key = { .address = handle, .program = program };

	if (bpf_map_update_elem(&handles, &key, &stub, flags) && flags == BPF_ANY)
		count_lost(LOST_NAMES);
}

static __always_inline void handle_return(struct call_run *run)
{
	struct frame *frame = run->frame;
	__u64 handle = 0;

	if (run->result)
		return;
	if (bpf_probe_read_user(&handle, sizeof(handle), (void *)frame->teacher.handle_at))
		count_lost_of(run->thread->program, LOST_ARGUMENT);
	else if (handle != frame->teacher.meaning)
		handle_learn(run->thread->program, handle, frame->teacher.meaning, BPF_ANY);
}

/* ---- handles that come with a name: the driver's module functions ---- */

/* Sends REC_NAME with room for @room bytes. Returns the name's length with its NUL, or an error. */
static __always_inline long name_send(struct thread_state *thread, __u64 handle, __u64 name,
				      const __u32 room)
{
	struct rec_text *rec = bpf_ringbuf_reserve(&events, sizeof(*rec) + room, 0);
	long len;

	if (!rec) {
		count_lost_of(thread->program, LOST_RING_FULL);
		return 0;
	}
	len = bpf_probe_read_user_str(rec->text, room, (void *)name);
	if (len <= 1 || (len == room && room < CUTOP_NAME_MAX)) {
		bpf_ringbuf_discard(rec, BPF_RB_NO_WAKEUP);
		return len;
	}
	header_of(thread, &rec->hdr, REC_NAME, sizeof(*rec) + room, bpf_ktime_get_ns());
	rec->address = handle;
	rec->flags = NAME_DRIVER;
	rec->text_len = len - 1;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return len;
}

__noinline int name_tell(struct thread_state *thread, __u64 handle, __u64 name)
{
	long len;

	if (!thread)
		return 0;
	len = name_send(thread, handle, name, CUTOP_NAME_SHORT);
	if (len == CUTOP_NAME_SHORT)
		len = name_send(thread, handle, name, CUTOP_NAME_MAX);
	if (len == -EFAULT && name_defer(thread->program, CALL_COUNT, handle, 0, name))
		return 0;
	if (len < 0)
		count_lost_of(thread->program, LOST_ARGUMENT);
	return 0;
}

static __always_inline void named_return(struct call_run *run)
{
	bool out = run->desc->flags & CALL_NAME_OUT;
	struct thread_state *thread = run->thread;
	struct frame *frame = run->frame;
	__u64 read = 0, handle, name;

	if (run->result)
		return;
	if (bpf_probe_read_user(&read, sizeof(read),
				(void *)(out ? frame->teacher.meaning :
					       frame->teacher.handle_at))) {
		count_lost_of(thread->program, LOST_ARGUMENT);
		return;
	}
	handle = out ? frame->teacher.handle_at : read;
	name = out ? read : frame->teacher.meaning;
	/* The program's own: launching it is not a launch by the runtime (launch_follows()). */
	if (!frame->nested && !frame->by_runtime)
		handle_learn(thread->program, handle, handle, BPF_NOEXIST);
	name_tell(thread, handle, name);
}

#endif
