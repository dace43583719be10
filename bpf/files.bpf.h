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
