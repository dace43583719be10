/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What names kernels and call sites: registrations, kernel handles, and the
 * file mapped at an address. The last is read here, in the process, because
 * a program that lives 5 ms is gone before user space could ask /proc.
 */
#ifndef NAMES_BPF_H
#define NAMES_BPF_H

struct module_key {
	__u64 start;
	__u32 image;
	__u32 pad;
};

struct address_key {
	__u64 address;
	__u32 image;
	__u32 pad;
};

HASH_MAP(stubs, struct address_key, __u64, 1 << 20);	/* stub to the name's address */
HASH_MAP(handles, struct address_key, __u64, 1 << 18);	/* kernel handle to stub */
HASH_MAP(sites, struct address_key, __u32, 1 << 18);	/* call sites whose mapping was told of */
HASH_MAP(modules, struct module_key, __u32, 65536);	/* mappings already told of */

static __always_inline void file_id_read(struct file *file, struct file_id *id)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	id->inode = BPF_CORE_READ(inode, i_ino);
	id->size = BPF_CORE_READ(inode, i_size);
	id->device = BPF_CORE_READ(inode, i_sb, s_dev);
	id->generation = BPF_CORE_READ(inode, i_generation);
}

struct vma_info {
	__u64 start, end, offset;
	__u64 file;
};

static long vma_seen(struct task_struct *task, struct vm_area_struct *vma, struct vma_info *info)
{
	info->start = BPF_CORE_READ(vma, vm_start);
	info->end = BPF_CORE_READ(vma, vm_end);
	info->offset = BPF_CORE_READ(vma, vm_pgoff) << page_shift;
	info->file = (__u64)BPF_CORE_READ(vma, vm_file);
	return 0;
}

#define FIND_VMA_TRIES	16

/*
 * Tells user space which file is mapped at @address of the current process,
 * once per mapping. Returns 1 if that could not be found out now: the address
 * space is locked while somebody maps, or places probes.
 */
static __noinline int module_announce(__u32 image, __u64 address)
{
	struct vma_info info = {};
	struct module_key key = { .image = image };
	struct rec_module *rec;
	struct file *file;
	__u32 one = 1;
	int i;

	if (!have_find_vma)
		return 0;
	for (i = 0; i < FIND_VMA_TRIES; i++) {
		long err = bpf_find_vma(bpf_get_current_task_btf(), address, vma_seen, &info, 0);

		if (err == -ENOENT)
			return 0;
		if (!err)
			break;
	}
	if (i == FIND_VMA_TRIES)
		return 1;
	if (!info.file)
		return 0;
	key.start = info.start;
	if (bpf_map_update_elem(&modules, &key, &one, BPF_NOEXIST))
		return 0;
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec) {
		count_lost_of(image, LOST_RING_FULL);
		bpf_map_delete_elem(&modules, &key);
		return 1;
	}
	header_fill(&rec->hdr, REC_MODULE, sizeof(*rec), image, bpf_ktime_get_ns());
	rec->start = info.start;
	rec->end = info.end;
	rec->offset = info.offset;
	file = (struct file *)info.file;
	file_id_read(file, &rec->id);
	bpf_probe_read_kernel_str(rec->file, sizeof(rec->file), BPF_CORE_READ(file, f_path.dentry, d_name.name));
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
	return 0;
}

/* The same for a call site, once per site; what a thread told of last, it remembers. */
static __always_inline void site_announce(struct thread_state *thread, __u64 address)
{
	struct address_key key = { .address = address, .image = thread->image };
	__u64 *last = &thread->sites[address & (SITE_CACHE - 1)];
	__u32 one = 1;

	if (*last == address)
		return;
	if (!bpf_map_lookup_elem(&sites, &key)) {
		if (module_announce(thread->image, address))
			return;	/* the next call from here tries again */
		/* Without room the site is looked up again by other threads: no figure is lost. */
		bpf_map_update_elem(&sites, &key, &one, BPF_ANY);
	}
	*last = address;
}

/* __cudaRegisterFunction, before main, for every kernel of the program. */
static __always_inline int register_entry(struct pt_regs *ctx)
{
	__u32 call = bpf_get_attach_cookie(ctx);
	struct thread_state *thread = thread_enter();
	struct address_key key = {};
	__u64 name;

	if (!thread || call >= CALL_COUNT)
		return 0;
	key.image = thread->image;
	key.address = call_arg(ctx, desc_of(call)->a);
	name = call_arg(ctx, desc_of(call)->b);
	if (bpf_map_update_elem(&stubs, &key, &name, BPF_ANY))
		count_lost(LOST_NAMES);
	/* Where stubs are, call sites most likely are: one chance more to learn of it while the program lives. */
	if (!thread->told_program)
		thread->told_program = !module_announce(thread->image, key.address);
	return 0;
}

/* __cudaGetKernel and cudaGetKernel: also when nested, since they teach. */
static __always_inline int handle_entry(struct pt_regs *ctx)
{
	__u32 call = bpf_get_attach_cookie(ctx);
	struct thread_state *thread = thread_enter();
	struct frame *frame;

	if (!thread || call >= CALL_COUNT)
		return 1;
	frame = frame_open(thread, ctx, call);
	if (!frame)
		return 1;
	frame->args[0] = call_arg(ctx, desc_of(call)->a);
	frame->args[1] = call_arg(ctx, desc_of(call)->b);
	return 0;
}

static __always_inline int handle_return(struct pt_regs *ctx)
{
	__u32 call = bpf_get_attach_cookie(ctx);
	struct thread_state *thread = thread_leave();
	struct address_key key = {};
	struct frame *frame;
	__u64 stub;

	if (!thread || call >= CALL_COUNT)
		return 0;
	frame = frame_close(thread, ctx, call);
	if (!frame || PT_REGS_RC(ctx))
		return 0;
	key.image = thread->image;
	stub = frame->args[1];
	if (bpf_probe_read_user(&key.address, sizeof(key.address), (void *)frame->args[0])) {
		count_lost_of(thread->image, LOST_ARGUMENT);
		return 0;
	}
	if (bpf_map_update_elem(&handles, &key, &stub, BPF_ANY))
		count_lost(LOST_NAMES);
	return 0;
}

#endif
