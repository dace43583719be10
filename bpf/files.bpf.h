/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files: which one it is, whether user space knows it, where it is. A program that lives 1 ms may
 * be gone before user space can look into /proc, and its file's name alone leads nowhere. So for
 * unknown files the path is read here: name by name and mount by mount, up to the root of the mount
 * namespace, without a lock. If something is renamed meanwhile, the path leads to another file or
 * to none, which user space notices.
 */
#ifndef FILES_BPF_H
#define FILES_BPF_H

#include "base.bpf.h"
#include "state.bpf.h"

/* ---- vma ---- */

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

/*
 * The mapping at @address of the current process. Returns -ENOENT if there is none, another error
 * if it is unknown.
 */
static __always_inline long vma_at(__u64 address, struct vma_info *info)
{
	long err = bpf_find_vma(bpf_get_current_task_btf(), address, vma_seen, info, 0);

	return err && err != -ENOENT ? vma_read(address, info) : err;
}

/* ---- files ---- */

static __always_inline void file_id_read(struct file *file, struct file_id *id)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	id->inode = BPF_CORE_READ(inode, i_ino);
	id->size = BPF_CORE_READ(inode, i_size);
	id->device = BPF_CORE_READ(inode, i_sb, s_dev);
	id->generation = BPF_CORE_READ(inode, i_generation);
}

/* Distinguishes files that are mapped at one place one after the other. */
static __always_inline __u64 file_mark(struct file *file)
{
	struct inode *inode = BPF_CORE_READ(file, f_inode);

	return BPF_CORE_READ(inode, i_ino) ^ (__u64)BPF_CORE_READ(inode, i_generation) << 32 ^
	       (__u64)BPF_CORE_READ(inode, i_sb, s_dev) << 44;
}

/*
 * Files that user space knows (FILE_KNOWN, FILE_PROBED), or was told of, and by which process: that
 * may be gone before user space looks, so others report the file, too, until it is known. So does
 * the same process if it has run another program since: that may not have mapped the file yet when
 * user space looks. A file that falls out of this LRU map is reported again.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct file_id);
	__type(value, __u32);
} files SEC(".maps");

/* A process id has 22 bits (PID_MAX_LIMIT); 9 are of how often the process has run a program. */
static __always_inline __u32 file_teller(void)
{
	__u32 runs = untrusted(bpf_get_current_task_btf())->self_exec_id;

	return bpf_get_current_pid_tgid() >> 32 | (runs & 0x1ff) << 22;
}

static __always_inline bool file_is_new(const struct file_id *id)
{
	__u32 teller = file_teller(), *last;

	last = bpf_map_lookup_elem(&files, id);
	if (last && (*last == FILE_KNOWN || *last == FILE_PROBED || *last == teller))
		return false;
	return !bpf_map_update_elem(&files, id, &teller, BPF_ANY);
}

static __always_inline bool file_is_known(const struct file_id *id)
{
	__u32 *teller = bpf_map_lookup_elem(&files, id);

	return teller && (*teller == FILE_KNOWN || *teller == FILE_PROBED);
}

#define PATH_NAMES 24 /* names and mounts on the way */

/*
 * The names up to the root; none if they are too many, or lead to no root. The position of the next
 * one is kept in memory, not in a register: so all rounds look the same to the verifier.
 */
__noinline int path_read(__u64 file_address, struct path_names *path)
{
	struct file *file = (struct file *)file_address;
	struct dentry *dentry = BPF_CORE_READ(file, f_path.dentry), *parent;
	struct vfsmount *vfsmount = BPF_CORE_READ(file, f_path.mnt);
	__u32 len;
	long n;
	int i;

	if (!path || !bpf_core_field_exists(((struct mount *)0)->mnt_mountpoint))
		return 0;
	path->len = 0;
	for (i = 0; i < PATH_NAMES; i++) {
		struct mount *mount = (struct mount *)((__u64)vfsmount -
						       bpf_core_field_offset(struct mount, mnt));

		if (dentry == BPF_CORE_READ(vfsmount, mnt_root)) {
			struct mount *below = BPF_CORE_READ(mount, mnt_parent);

			if (below == mount)
				return 0;
			dentry = BPF_CORE_READ(mount, mnt_mountpoint);
			vfsmount = (struct vfsmount *)((__u64)below +
						       bpf_core_field_offset(struct mount, mnt));
			continue;
		}
		parent = BPF_CORE_READ(dentry, d_parent);
		len = path->len;
		if (parent == dentry || len > CUTOP_PATH_MAX - CUTOP_PATH_NAME_MAX)
			break;
		n = bpf_probe_read_kernel_str(path->names + len, CUTOP_PATH_NAME_MAX,
					      BPF_CORE_READ(dentry, d_name.name));
		if (n <= 1)
			break;
		path->len = len + (__u32)n;
		dentry = parent;
	}
	path->len = 0;
	return 0;
}

#endif
