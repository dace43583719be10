/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Libraries that programs load while they run. If possible, the kernel's function behind mmap(2) is
 * traced: that costs other programs nothing. Some kernels do not allow it. Then a file is noticed
 * when one of its pages is touched for the first time in a process, which the loader does at once:
 * to clear the end of the data, or to look up a name. Such page faults are rarer than mappings of
 * anonymous memory, and each takes so long that one more check hardly matters.
 */
#ifndef LOADING_BPF_H
#define LOADING_BPF_H

#include "caller.bpf.h"
#include "process_events.bpf.h"
#include "arguments.bpf.h"
#include "files.bpf.h"

__u32 own_mappings; /* mappings by user space itself, as a test: src/probe/probe.c */

static __always_inline bool is_asked_for(void)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;

	if (tgid == own_tgid)
		__sync_fetch_and_add(&own_mappings, 1);
	else if (!only_listed || bpf_map_lookup_elem(&listed, &tgid))
		return true;
	return false;
}

/* The current process has mapped @file, with the descriptor @fd; -1 if that is unknown. */
static __always_inline int mapping_tell(struct file *file, __s32 fd)
{
	struct file_id id = {};
	struct rec_mmap *rec;

	file_id_read(file, &id);
	if (!file_is_new(&id))
		return 0;
	__sync_fetch_and_add(&runtime_marks, 1);
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec)
		return file_untold(&id);
	header_fill(&rec->hdr, REC_MMAP, sizeof(*rec), 0, bpf_ktime_get_ns());
	rec->id = id;
	rec->fd = fd;
	rec->uid = bpf_get_current_uid_gid();
	bpf_probe_read_kernel_str(rec->file, sizeof(rec->file),
				  BPF_CORE_READ(file, f_path.dentry, d_name.name));
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
	return 0;
}

/*
 * A call of mmap(2) with these arguments. For anonymous memory the kernel ignores fd, which may be
 * anything.
 */
static __always_inline int mapping_look(__u64 prot, __u64 flags, __u32 fd)
{
	struct file **table, *file = NULL;
	struct fdtable *fdt;

	if (!(prot & PROT_EXEC) || (flags & MAP_ANONYMOUS) || (__s32)fd < 0 || !is_asked_for())
		return 0;
	fdt = untrusted(bpf_get_current_task_btf())->files->fdt;
	if (fd >= fdt->max_fds)
		return 0;
	table = fdt->fd;
	bpf_probe_read_kernel(&file, sizeof(file), table + fd);
	return file ? mapping_tell(file, (__s32)fd) : 0;
}

/* mm/mmap.c */
SEC("fentry/ksys_mmap_pgoff")
int BPF_PROG(file_mapping, unsigned long addr, unsigned long len, unsigned long prot,
	     unsigned long flags, unsigned long fd)
{
	return mapping_look(prot, flags, fd);
}

/*
 * Inodes of files that user space knows, each at the index that its mark gives: so a fault on a
 * known file, as nearly all are, is recognized without a call to the kernel. User space empties
 * this when it forgets a file.
 */
#define MARK_PLACE_SHIFT 52
__u64 known_marks[1 << (64 - MARK_PLACE_SHIFT)];

static __always_inline __u64 inode_mark(struct inode *inode)
{
	/* Two odd constants with well spread bits: the golden ratio, and one of xxHash's primes. */
	return ((inode->i_ino ^ (__u64)inode->i_sb->s_dev << 32) * 0x9e3779b97f4a7c15ull ^
		(inode->i_generation ^ (__u64)inode->i_size << 24) * 0xc2b2ae3d27d4eb4full) |
	       1;
}

#define WALK_MAX 64 /* steps; a process has four or five mappings of a library */

/*
 * A walk through the tree of a file's mappings (linux/interval_tree_generic.h): nodes, and the
 * result.
 */
struct mapping_walk {
	__u64 node, from;
	__u64 file; /* the file, as a process has it mapped for code */
};

/*
 * The tree is not locked: what is read may have been replaced, which bpf_rdonly_cast() makes
 * harmless.
 */
static __always_inline struct vm_area_struct *mapping_of(__u64 node)
{
	return bpf_rdonly_cast(
		(void *)(node - bpf_core_field_offset(struct vm_area_struct, shared.rb)),
		bpf_core_type_id_kernel(struct vm_area_struct));
}

/*
 * All nodes, two steps for each: down to the left, and up again through the parents. A function
 * that the verifier goes through once; the loop's it would go through for each way to come there.
 */
__noinline int walk_on(struct mapping_walk *walk)
{
	struct vm_area_struct *vma;
	__u64 left, right, parent, from;

	if (!walk)
		return 0;
	vma = mapping_of(walk->node);
	left = (__u64)vma->shared.rb.rb_left;
	right = (__u64)vma->shared.rb.rb_right;
	parent = vma->shared.rb.__rb_parent_color & ~3ull;
	from = walk->from;
	walk->from = walk->node;
	walk->node = parent;
	if (from == parent) {
		if (vma->vm_flags & VM_EXEC)
			walk->file = (__u64)vma->vm_file;
		if (left)
			walk->node = left;
	}
	if (right && (from == left || (from == parent && !left)))
		walk->node = right;
	return 0;
}

static long walk_step(__u32 i, struct mapping_walk *walk)
{
	walk_on(walk);
	/*
	 * Computed here: of a function's result clang 18 knows the range, and leaves out what limits
	 * it, but the verifier does not.
	 */
	return walk->file || !walk->node;
}

/*
 * The file of @mapping as a process has it mapped for code, or NULL: no process has, or it was not
 * found this time.
 */
static __always_inline struct file *code_of(struct address_space *mapping)
{
	struct mapping_walk walk = { .node = (__u64)mapping->i_mmap.rb_root.rb_node };

	if (walk.node)
		bpf_loop(WALK_MAX, walk_step, &walk, 0);
	return (struct file *)walk.file;
}

/*
 * A process touches a page of a file for the first time. Only files that a process has mapped for
 * code matter.
 */
static __always_inline int touch_look(struct address_space *mapping)
{
	struct inode *inode = mapping->host;
	struct mm_struct *mm;
	struct file_id id = {};
	struct file *file;
	__u64 mark, *known;

	if (!inode)
		return 0;
	mark = inode_mark(inode);
	known = &known_marks[mark >> MARK_PLACE_SHIFT];
	if (*known == mark)
		return 0;
	file = code_of(mapping);
	if (!file)
		return 0;
	file_id_read(file, &id);
	if (file_is_known(&id)) {
		*known = mark;
		/*
		 * The file was forgotten meanwhile, perhaps before the mark was there to be
		 * removed.
		 */
		if (!file_is_known(&id))
			*known = 0;
		return 0;
	}
	/* A program is touched before it runs; process_exec() reports it. */
	mm = untrusted(bpf_get_current_task_btf())->mm;
	if (!is_asked_for() || !mm || BPF_CORE_READ(mm, exe_file, f_inode) == inode)
		return 0;
	return mapping_tell(file, -1);
}

/*
 * mm/filemap.c: the page is in memory and gets mapped, with its neighbours; or it is read, or
 * copied to be written to.
 */
SEC("tp_btf/mm_filemap_map_pages")
int BPF_PROG(file_touch, struct address_space *mapping)
{
	return touch_look(mapping);
}

SEC("tp_btf/mm_filemap_fault")
int BPF_PROG(file_touch_alone, struct address_space *mapping)
{
	return touch_look(mapping);
}

#endif
