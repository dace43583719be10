/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which file is mapped at an address of the current process. The kernel's helper for that only
 * tries to lock the address space. The lock is held while a process maps or forks, for
 * microseconds; but while probes are placed on hundreds of functions, it is taken hundreds of
 * times. A thread that meets one of our probes then waits until the lock is released, and so gets
 * here just when it is about to be taken again, every time: a short program would end without its
 * call sites ever being reported.
 * So when the lock is refused, the tree of mappings is read without it. The tree is made for that,
 * but while we read, nodes may be freed and reused: so a result is believed only if it is a mapping
 * of this address space that contains this address. The lock would have shown the same, now or a
 * moment ago.
 */
#ifndef VMA_BPF_H
#define VMA_BPF_H

#include "state.bpf.h"

/* include/linux/mm.h */
#define VM_WRITE  2
#define VM_EXEC   4
#define VM_SHARED 8

struct vma_info {
	__u64 start, end, offset, flags;
	__u64 file;
};

static __always_inline void vma_copy(struct vm_area_struct *vma, struct vma_info *info)
{
	bpf_core_read(&info->start, sizeof(info->start), &vma->vm_start);
	bpf_core_read(&info->end, sizeof(info->end), &vma->vm_end);
	bpf_core_read(&info->offset, sizeof(info->offset), &vma->vm_pgoff);
	info->offset <<= page_shift;
	info->flags = VM_EXEC;
	if (bpf_core_field_exists(vma->vm_flags))
		bpf_core_read(&info->flags, sizeof(info->flags), &vma->vm_flags);
	bpf_core_read(&info->file, sizeof(info->file), &vma->vm_file);
}

static long vma_seen(struct task_struct *task, struct vm_area_struct *vma, struct vma_info *info)
{
	vma_copy(vma, info);
	return 0;
}

/*
 * include/linux/maple_tree.h and lib/maple_tree.c, Linux 6.1 to 7.3: nodes are aligned to 256
 * bytes, and the low bits of a pointer to one give its type. Slot n covers the addresses up to
 * pivot n. A pivot of 0, except the first, comes after the last one; the slot after the last pivot
 * covers all higher addresses.
 */
#define NODE_MASK       255ull
#define NODE_KIND(node) ((node) >> 3 & 15)
#define IS_NODE(root)   (((root)&3) == 2 && (root) > 4096)
/* Levels of at least five children each: enough for any number of mappings */
#define TREE_DEPTH   8
#define INNER_PIVOTS (sizeof(((struct maple_arange_64 *)0)->pivot) / 8)
#define LEAF_PIVOTS  (sizeof(((struct maple_range_64 *)0)->pivot) / 8)

/* Reads it by way of @info, which is to be filled later: callers have little stack left. */
static __always_inline __u64 word_at(__u64 address, struct vma_info *info)
{
	bpf_probe_read_kernel(&info->start, sizeof(info->start), (void *)address);
	return info->start; /* 0 if it cannot be read */
}

/* The entry for @address in the node with these pivots and slots. */
static __always_inline __u64 node_entry(__u64 pivots, __u32 count, __u64 slots, __u64 address,
					struct vma_info *info)
{
	__u32 i;

	for (i = 0; i < count; i++) {
		__u64 pivot = word_at(pivots + i * 8, info);

		if (address <= pivot || (i && !pivot))
			break;
	}
	return word_at(slots + i * 8, info);
}

/* Reads the mapping at @address without the lock. Returns 0 if there is one. */
__noinline int vma_read(__u64 address, struct vma_info *info)
{
	struct mm_struct *mm = BPF_CORE_READ(bpf_get_current_task_btf(), mm);
	const struct maple_arange_64 *inner = NULL;
	const struct maple_range_64 *leaf = NULL;
	struct vm_area_struct *vma;
	__u64 entry, node;
	int i;

	if (!info || !mm || !bpf_core_field_exists(mm->mm_mt))
		return -1;
	entry = (__u64)BPF_CORE_READ(mm, mm_mt.ma_root);
	if (!IS_NODE(entry))
		return -1;
	for (i = 0; i < TREE_DEPTH; i++) {
		if (NODE_KIND(entry) != bpf_core_enum_value(enum maple_type, maple_arange_64))
			break;
		node = entry & ~NODE_MASK;
		entry = node_entry(node + bpf_core_field_offset(inner->pivot), INNER_PIVOTS,
				   node + bpf_core_field_offset(inner->slot), address, info);
	}
	if (NODE_KIND(entry) != bpf_core_enum_value(enum maple_type, maple_leaf_64))
		return -1;
	node = entry & ~NODE_MASK;
	entry = node_entry(node + bpf_core_field_offset(leaf->pivot), LEAF_PIVOTS,
			   node + bpf_core_field_offset(leaf->slot), address, info);
	vma = (struct vm_area_struct *)entry;
	if (!vma || BPF_CORE_READ(vma, vm_mm) != mm)
		return -1;
	vma_copy(vma, info);
	return address >= info->start && address < info->end ? 0 : -1;
}

#define FIND_VMA_TRIES 16
#define WAIT_CALLS     32 /* calls of some 20 ns each */

/*
 * A program can only wait by doing something; trying more often instead would make the verifier
 * check each attempt.
 */
static __always_inline void wait_a_little(void)
{
	int i;

#pragma unroll
	for (i = 0; i < WAIT_CALLS; i++)
		bpf_ktime_get_ns();
}

/* The same as vma_at() below, without waiting for the lock. */
static __always_inline long vma_at_once(__u64 address, struct vma_info *info)
{
	long err = bpf_find_vma(bpf_get_current_task_btf(), address, vma_seen, info, 0);

	return err && err != -ENOENT ? vma_read(address, info) : err;
}

/*
 * The mapping at @address of the current process. Returns -ENOENT if there is none, another error
 * if it is unknown.
 */
static __always_inline long vma_at(__u64 address, struct vma_info *info)
{
	long err = -1;
	int i;

	for (i = 0; i < FIND_VMA_TRIES; i++) {
		err = bpf_find_vma(bpf_get_current_task_btf(), address, vma_seen, info, 0);
		if (!err || err == -ENOENT)
			break;
		if (!i && !vma_read(address, info))
			return 0;
		wait_a_little();
	}
	return err;
}

#endif
