/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of processes and files: exec, fork and exit of every process, executable mappings of
 * unknown files. These also run for programs that have nothing to do with CUDA, so they look up one
 * small key and return.
 */
#ifndef PROCESS_EVENTS_BPF_H
#define PROCESS_EVENTS_BPF_H

#include "files.bpf.h"
#include "frames.bpf.h"
#include "python.bpf.h"

/* ---- open calls ---- */

/*
 * Time in calls that have not returned. At each refresh user space runs an iterator over the
 * threads of each watched process, which reads their outermost frames: so that costs the calls
 * nothing. It reads the processor time of each, too. A thread that ends inside a call leaves its time in the program's row. Waits are in
 * program_sync.
 */

/*
 * The part of the time that the call belongs to which @thread is inside of, and its *@entry;
 * TIME_NONE if it is in none, or waits. The thread may go on meanwhile: an entry that is the same
 * before and after is that of the call.
 */
static __always_inline enum time_part open_part(struct thread_state *thread, __u64 *entry)
{
	volatile struct frame *frame = &thread->frames[0];
	const volatile struct call_desc *desc;
	enum time_part part;
	__u32 call;

	if (!*(volatile __u32 *)&thread->depth)
		return TIME_NONE;
	*entry = frame->entry;
	call = frame->call;
	if (!*entry || call >= CALL_COUNT || frame->by_runtime || frame->entry != *entry)
		return TIME_NONE;
	desc = desc_of(call);
	part = class_time_part(desc->class, desc->a);
	return part == TIME_SYNC ? TIME_NONE : part;
}

/* @thread, of a program, ends. */
static __noinline int open_call_leave(struct thread_state *thread)
{
	struct program_sync *sync;
	enum time_part part;
	__u64 entry;

	if (!thread)
		return 0;
	part = open_part(thread, &entry);
	if (part >= TIME_NONE)
		return 0;
	sync = sync_of(thread->program);
	if (sync)
		__sync_fetch_and_add(&sync->times.open_ns[part & (TIME_NONE - 1)],
				     bpf_ktime_get_ns() - entry);
	return 0;
}

SEC("iter/task")
int open_calls(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct thread_state *thread = NULL;
	struct open_call open = { .part = TIME_NONE };
	__u64 entry, now;

	if (!task)
		return 0;
	open.tgid = untrusted(task)->tgid;
	open.cpu_ns = untrusted(task)->se.sum_exec_runtime;
	if (untrusted(task)->pid == untrusted(task)->tgid)
		open.cpu_ns += BPF_CORE_READ(task, signal, sum_sched_runtime);
	if (untrusted(task)->bpf_storage)
		thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (thread && thread->program) {
		open.program = thread->program;
		open.part = open_part(thread, &entry);
		now = bpf_ktime_get_ns();
		if (open.part >= TIME_NONE || now < entry)
			open.part = TIME_NONE;
		else
			open.ns = now - entry;
	}
	bpf_seq_write(ctx->meta->seq, &open, sizeof(open));
	return 0;
}

/* ---- process events ---- */

#define SIGNAL_GROUP_EXIT 4    /* include/linux/sched/signal.h */
#define PROT_EXEC         4    /* include/uapi/asm-generic/mman-common.h */
#define MAP_ANONYMOUS     0x20 /* the same on all but alpha, mips, parisc and xtensa */

static __always_inline void late_forget(__u32 tgid)
{
	if (*(volatile __u32 *)&late_ever)
		bpf_map_delete_elem(&late, &tgid);
}

/*
 * Marks the program's row and reports its end. User space also looks at the rows, in case the ring
 * has no room for the record.
 */
static __always_inline void program_end(__u32 program, enum end_reason reason, __u32 exit_code)
{
	struct program_row *row = bpf_map_lookup_elem(&programs, &program);
	struct program_sync *sync = sync_of(program);
	__u64 now = bpf_ktime_get_ns(), sync_ns;
	struct rec_end *rec;

	if (!row || !sync || row->end_time)
		return;
	sync_ns = sync->ns;
	if (sync->depth > 0) {
		sync_ns += now - sync->since;
		sync->ns = sync_ns;
		sync->depth = 0;
	}
	row->end_reason = reason;
	row->exit_code = exit_code;
	row->end_time = now;
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec)
		return;
	header_fill(&rec->hdr, REC_END, sizeof(*rec), program, now);
	rec->sync_ns = sync_ns;
	rec->reason = reason;
	rec->exit_code = exit_code;
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
}

__u32 files_untold;

/*
 * The ring has no room to report the file @id, which may be an unknown library: user space will
 * search by itself.
 */
static __always_inline int file_untold(const struct file_id *id)
{
	/* Or the next process that runs or maps it reports it */
	bpf_map_delete_elem(&files, id);
	count_lost(LOST_RING_FULL);
	__sync_fetch_and_add(&files_untold, 1);
	return 0;
}

/*
 * If the kernel is busy with the storage, it cannot be freed now: the thread's next call starts
 * anew (thread_reconsider()).
 */
static __always_inline void thread_forget(struct task_struct *task)
{
	struct thread_state *thread = bpf_task_storage_get(&threads, task, NULL, 0);

	/* If it cannot be read, nothing is cleared. */
	if (thread)
		bpf_probe_read_kernel(thread, sizeof(*thread), NULL);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(process_exec, struct task_struct *task, int old_pid, struct linux_binprm *bprm)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32, program, *known;
	struct file_id id = {};
	struct rec_exec *rec;
	struct inode *inode;
	struct file *file;

	late_forget(tgid); /* before the program is looked up: src/probe/late.c */
	python_end(tgid);
	known = bpf_map_lookup_elem(&tgids, &tgid);
	if (known) {
		program = *known;
		bpf_map_delete_elem(&tgids, &tgid);
		program_end(program, END_EXEC, 0);
	}
	/* The other threads are gone. This one's state belongs to the old program. */
	if (untrusted(task)->bpf_storage && bpf_task_storage_delete(&threads, task))
		thread_forget(task);
	if (only_listed && !bpf_map_lookup_elem(&listed, &tgid))
		return 0;
	file = untrusted(bprm)->file;
	if (!file)
		return 0;
	/* As file_id_read(), in a program that may read fields without a helper. */
	inode = file->f_inode;
	id.inode = inode->i_ino;
	id.size = inode->i_size;
	id.device = inode->i_sb->s_dev;
	id.generation = inode->i_generation;
	if (!file_is_new(&id))
		return 0;
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec)
		return file_untold(&id);
	header_fill(&rec->hdr, REC_EXEC, sizeof(*rec), 0, bpf_ktime_get_ns());
	rec->id = id;
	rec->uid = bpf_get_current_uid_gid();
	rec->pad = 0;
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(process_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 parent_tgid, child_tgid, one = 1;

	child_tgid = child->tgid;
	parent_tgid = parent->tgid;
	if (child_tgid == parent_tgid)
		return 0;
	python_fork(parent_tgid, child_tgid);
	if (!follow_children || !bpf_map_lookup_elem(&listed, &parent_tgid))
		return 0;
	if (bpf_map_update_elem(&listed, &child_tgid, &one, BPF_ANY))
		count_lost(LOST_PROCESSES);
	return 0;
}

/* True if another thread of the process has called exec: this thread ends with the old program. */
static __always_inline bool is_replaced(struct task_struct *task)
{
	return bpf_core_field_exists(task->signal->group_exec_task) &&
	       BPF_CORE_READ(task, signal, group_exec_task);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(process_exit, struct task_struct *task)
{
	struct task_struct *seen = untrusted(task);
	struct signal_struct *signal = seen->signal;
	struct thread_state *thread =
		seen->bpf_storage ? bpf_task_storage_get(&threads, task, NULL, 0) : NULL;
	__u32 tgid = bpf_get_current_pid_tgid() >> 32, program, *known, exit_code;

	if (thread && thread->program && thread->in_sync)
		sync_leave(thread);
	if (thread && thread->program && thread->depth)
		open_call_leave(thread);
	if (signal->live.counter > 0) {
		/*
		 * A thread that ends inside a call, for example because it was cancelled; not one
		 * that ends with its process.
		 */
		if (thread && thread->program && thread->depth &&
		    !(signal->flags & SIGNAL_GROUP_EXIT) && !is_replaced(task))
			count_lost_of(thread->program, LOST_RETURN);
		return 0;
	}
	/*
	 * The last thread. Two threads may see this at once: only the one that deletes the key goes
	 * on.
	 */
	late_forget(tgid);
	python_end(tgid);
	/* Its number will be reused. */
	if (only_listed)
		bpf_map_delete_elem(&listed, &tgid);
	known = bpf_map_lookup_elem(&tgids, &tgid);
	if (!known)
		return 0;
	program = *known;
	if (bpf_map_delete_elem(&tgids, &tgid))
		return 0;
	if (signal->flags & SIGNAL_GROUP_EXIT)
		exit_code = signal->group_exit_code;
	else
		exit_code = seen->group_leader->exit_code;
	program_end(program, END_EXIT, exit_code);
	return 0;
}

/*
 * Run by user space for itself (BPF_PROG_TEST_RUN): which file is mapped at the address args[0].
 * The mapping's inode is the one that probes sit on; stat(2) shows another one for files in overlay
 * mounts. The answer comes in pieces of 16 bits, chosen by args[1], so that the program needs no
 * map: processes that must not hold a map run it, too.
 */
static long file_seen(struct task_struct *task, struct vm_area_struct *vma, struct file **file)
{
	*file = BPF_CORE_READ(vma, vm_file);
	return 0;
}

SEC("raw_tp")
int identify(__u64 *args)
{
	struct file *file = NULL;
	struct file_id id = {};
	__u64 word;

	if (bpf_find_vma(bpf_get_current_task_btf(), args[0], file_seen, &file, 0) || !file)
		return 0;
	file_id_read(file, &id);
	switch (args[1] / 4) {
	case 0: word = id.inode; break;
	case 1: word = id.size; break;
	case 2: word = id.device | (__u64)id.generation << 32; break;
	default: word = BPF_CORE_READ(file, f_inode, i_sb, s_magic);
	}
	return IDENTIFY_FOUND | (word >> (args[1] % 4 * 16) & 0xffff);
}

#endif
