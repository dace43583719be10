/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The few kernel types that the BPF programs look into, so that building needs
 * no BTF of any kernel. Only fields that are read are named; CO-RE finds their
 * real offsets when the object is loaded. pt_regs and the BPF map and flag
 * numbers are user-space ABI and stand as they are.
 */
#ifndef VMLINUX_MIN_H
#define VMLINUX_MIN_H
#define __VMLINUX_H__ /* bpf_tracing.h: use the kernel's register names */

typedef unsigned char __u8;
typedef signed char __s8;
typedef unsigned short __u16;
typedef short __s16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;
typedef __u8 u8;
typedef __u16 u16;
typedef __s16 s16;
typedef __u32 u32;
typedef __s32 s32;
typedef __u64 u64;
typedef __s64 s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

/* include/uapi/linux/bpf.h */
enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};
enum { BPF_ANY = 0, BPF_NOEXIST = 1, BPF_EXIST = 2 };
enum { BPF_F_NO_PREALLOC = 1, BPF_F_MMAPABLE = 1 << 10 };
enum { BPF_F_USER_STACK = 1 << 8 };
enum { BPF_LOCAL_STORAGE_GET_F_CREATE = 1 };
enum { BPF_RB_NO_WAKEUP = 1, BPF_RB_FORCE_WAKEUP = 2 };
enum { BPF_RB_AVAIL_DATA = 0, BPF_RB_CONS_POS = 2, BPF_RB_PROD_POS = 3 };

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx;
	unsigned long r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax, ip, cs, flags, sp, ss;
};
#elif defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	__u64 regs[31];
	__u64 sp, pc, pstate;
};
struct pt_regs {
	struct user_pt_regs user_regs;
};
#else
#error "unknown target architecture"
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	int counter;
} atomic_t;

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct qstr d_name;
	struct dentry *d_parent;
};

struct vfsmount {
	struct dentry *mnt_root;
};

/* fs/mount.h */
struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct super_block {
	__u32 s_dev;
	unsigned long s_magic;
};

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
	__u32 i_generation;
	long long i_size;
};

struct rb_node {
	unsigned long __rb_parent_color;
	struct rb_node *rb_right;
	struct rb_node *rb_left;
};

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
};

struct address_space {
	struct inode *host;
	struct rb_root_cached i_mmap;
};

struct file {
	struct inode *f_inode;
	struct path f_path;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct xol_area {
	unsigned long vaddr;
};

struct uprobes_state {
	struct xol_area *xol_area;
};

/* Linux 6.1; include/linux/maple_tree.h */
enum maple_type {
	maple_dense,
	maple_leaf_64,
	maple_range_64,
	maple_arange_64,
};

struct maple_range_64 {
	unsigned long pivot[15];
	void *slot[16];
};

struct maple_arange_64 {
	unsigned long pivot[9];
	void *slot[10];
};

struct maple_tree {
	void *ma_root;
};

struct mm_struct {
	struct maple_tree mm_mt;
	unsigned long start_code;
	unsigned long start_stack;
	unsigned long arg_start;
	unsigned long arg_end;
	unsigned long env_end;
	unsigned long exec_vm;
	struct file *exe_file;
	struct uprobes_state uprobes_state;
};

struct vm_area_struct {
	struct mm_struct *vm_mm;
	unsigned long vm_start;
	unsigned long vm_end;
	unsigned long vm_pgoff;
	unsigned long vm_flags;
	struct file *vm_file;
	struct {
		struct rb_node rb;
	} shared;
};

struct task_struct;

struct signal_struct {
	atomic_t live;
	unsigned int flags;
	int group_exit_code;
	struct task_struct *group_exec_task;
	unsigned long long sum_sched_runtime; /* of threads that have ended, ns */
};

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct upid {
	int nr;
};

struct pid {
	unsigned int level;
	struct upid numbers[1]; /* one more for each level */
};

struct bpf_run_ctx;

/*
 * What the kernel stores beside a run of a program on a session or multi link:
 * kernel/trace/bpf_trace.c
 */
struct bpf_session_run_ctx {
	bool is_return;
};

struct bpf_uprobe {
	__u64 cookie;
};

struct bpf_uprobe_multi_run_ctx {
	struct bpf_session_run_ctx session_ctx;
	struct bpf_uprobe *uprobe;
};

/*
 * A function whose return is probed: where its return address was, and its value. The next one is
 * further out.
 */
struct return_instance {
	unsigned long stack;
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};

struct uprobe_task {
	struct return_instance *return_instances;
};

#if defined(__TARGET_ARCH_x86)
struct thread_struct {
	unsigned long fsbase;
};
#endif

struct task_struct {
#if defined(__TARGET_ARCH_x86)
	struct thread_struct thread;
#endif
	struct sched_entity se;
	struct uprobe_task *utask;
	struct bpf_run_ctx *bpf_ctx;
	int pid;
	int tgid;
	int exit_code;
	int prio;
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	struct signal_struct *signal;
	struct mm_struct *mm;
	struct files_struct *files;
	__u64 start_boottime;
	__u64 self_exec_id; /* how often it has run a program */
	void *bpf_storage;
	char comm[16];
};

struct linux_binprm {
	struct file *file;
};

struct seq_file {
	void *buf;
};

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
