/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calling thread: whether its process is watched, which program that runs, and the thread's
 * state. A thread gets a state at its first call; a process gets a program number at the first call
 * of any of its threads.
 */
#ifndef THREADS_BPF_H
#define THREADS_BPF_H

#include "state.bpf.h"

__u32 late_ever; /* a process was put into `late` */

static __always_inline bool is_watched(struct task_struct *task, __u32 tgid)
{
	if (tgid == own_tgid)
		return false;
	if (only_listed && !bpf_map_lookup_elem(&listed, &tgid))
		return false;
	if (only_uid != (__u32)-1 && only_uid != (__u32)bpf_get_current_uid_gid())
		return false;
	return true;
}

/* The pid of @task's process in its own pid namespace. */
static __always_inline __u32 namespace_tgid(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, group_leader, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);
	int number = 0;

	if (level > 32) /* MAX_PID_NS_LEVEL, linux/pid_namespace.h */
		return 0;
	bpf_probe_read_kernel(&number, sizeof(number),
			      (char *)&pid->numbers[0] + level * bpf_core_type_size(struct upid));
	return number > 0 ? (__u32)number : 0;
}

#define ORIGIN_DEPTH 4

/*
 * The program that the current process, whose row @row is, was forked from, if both still run the
 * same program. Servers register their kernels once, and fork worker processes, which have no names
 * of their own. After exec, code and stack are elsewhere.
 */
__noinline int origin_find(struct program_row *row)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u64 code = BPF_CORE_READ(task, mm, start_code),
	      stack = BPF_CORE_READ(task, mm, start_stack);
	__u32 i, tgid, *known;

	if (!row)
		return 0;
	for (i = 0; i < ORIGIN_DEPTH; i++) {
		struct mm_struct *mm;

		task = BPF_CORE_READ(task, real_parent);
		mm = BPF_CORE_READ(task, mm);
		if (!mm || BPF_CORE_READ(mm, start_code) != code ||
		    BPF_CORE_READ(mm, start_stack) != stack)
			return 0;
		tgid = BPF_CORE_READ(task, tgid);
		if (late_of(tgid))
			row->origin_late = 1;
		known = bpf_map_lookup_elem(&tgids, &tgid);
		if (known) {
			row->origin = *known;
			break;
		}
	}
	return 0;
}

/* The program that @program was forked from, or 0. */
static __always_inline __u32 origin_of(__u32 program)
{
	struct program_row *row = bpf_map_lookup_elem(&programs, &program);

	return row ? row->origin : 0;
}

/*
 * Gives the current process a program number. Returns 0 if it is not watched or there is no room.
 */
__noinline __u32 program_new(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	struct program_row *row;
	struct rec_process *rec;
	struct near_sync *near;
	__u32 program, *known;
	__u64 args, len;

	if (!is_watched(task, tgid))
		return 0;
	program = __sync_fetch_and_add(&last_program, 1) + 1;
	bpf_map_update_elem(&programs, &program, &no_program, BPF_NOEXIST);
	row_made(ROWS_PROGRAMS);
	row = bpf_map_lookup_elem(&programs, &program);
	if (!row) {
		count_lost(LOST_PROCESSES);
		return 0;
	}
	row->tgid = tgid;
	row->start_time = BPF_CORE_READ(task, group_leader, start_boottime);
	row->parent_tgid = BPF_CORE_READ(task, real_parent, tgid);
	row->uid = (__u32)bpf_get_current_uid_gid();
	row->late = late_of(tgid);
	origin_find(row);
	BPF_CORE_READ_STR_INTO(&row->comm, task, group_leader, comm);
	/* Clear what is left of an earlier program with the same low bits: */
	__sync_fetch_and_and(&watchful[program & (WATCHFUL_COUNT - 1)], ~WATCHFUL_MARKS);
	/*
	 * Do this before another thread can find the program: that thread may wait in a call at
	 * once.
	 */
	near = NEAR_AT(near_syncs, NEAR_SYNCS, program);
	near_claim(near, program);
	if (bpf_map_update_elem(&tgids, &tgid, &program, BPF_NOEXIST)) {
		/* Another thread of the process was faster, or there is no room. */
		if (near->owner == program)
			near->owner = 0;
		bpf_map_delete_elem(&programs, &program);
		known = bpf_map_lookup_elem(&tgids, &tgid);
		if (known)
			return *known;
		count_lost(LOST_PROCESSES);
		return 0;
	}
	/* User space ignores a row without it; from here on, the row stays. */
	row->first_time = bpf_ktime_get_ns();
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec)
		return program; /* nothing is lost: user space finds the row */
	header_fill(&rec->hdr, REC_PROCESS, sizeof(*rec), program, row->first_time);
	rec->start_time = row->start_time;
	rec->parent_tgid = row->parent_tgid;
	rec->uid = row->uid;
	__builtin_memcpy(rec->comm, row->comm, sizeof(rec->comm));
	rec->ns_tgid = namespace_tgid(task);
	rec->args_len = 0;
	args = BPF_CORE_READ(task, mm, arg_start);
	len = BPF_CORE_READ(task, mm, arg_end) - args;
	if (len >= sizeof(rec->args))
		len = sizeof(rec->args) - 1;
	asm volatile("" : "+r"(len));
	if (!bpf_probe_read_user(rec->args, len & (CUTOP_ARGS_LEN - 1), (void *)args))
		rec->args_len = len & (CUTOP_ARGS_LEN - 1);
	bpf_ringbuf_submit(rec, BPF_RB_FORCE_WAKEUP);
	return program;
}

/* The device of a thread that has chosen none. In a late process it may have done so before. */
__noinline int thread_default(struct thread_state *thread)
{
	__u32 tgid;

	if (!thread)
		return 0;
	tgid = thread->tgid;
	thread->doubtful = 0;
	if (late_of(tgid) != LATE_ALL)
		thread->device = 0;
	return 0;
}

__noinline int thread_begin(struct thread_state *thread)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	__u32 *known = bpf_map_lookup_elem(&tgids, &tgid);
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct program_sync *sync;

	if (!thread)
		return 0;
	thread->program = known ? *known : program_new();
	thread->ignored_seen = 0;
	sync = thread->program ? sync_of(thread->program) : NULL;
	if (sync)
		__sync_fetch_and_add(&sync->times.threads, 1);
	thread->tgid = tgid;
	thread->tid = (__u32)bpf_get_current_pid_tgid();
	thread->device = CUTOP_DEVICE_UNKNOWN;
	thread->doubtful = *(volatile __u32 *)&attaching &&
			   BPF_CORE_READ(task, group_leader, start_boottime) < loaded_at;
	if (!thread->doubtful)
		thread_default(thread);
	return 0;
}

/*
 * The kernel had no storage for a thread, or was busy with it: its call is not counted, and its
 * process is inexact.
 */
__noinline int thread_refused(void)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32;
	__u32 *known = bpf_map_lookup_elem(&tgids, &tgid);

	if (known)
		count_lost_of(*known, LOST_THREADS);
	else if (is_watched((struct task_struct *)bpf_get_current_task(), tgid))
		count_lost(LOST_THREADS);
	return 0;
}

/*
 * A thread that was not watched makes a call. It may be watched now: its state belongs to an
 * earlier program (thread_forget()), or, if only one user's processes are watched, it has changed
 * to that user. What it did before is unknown, as for any late process.
 */
__noinline int thread_reconsider(struct thread_state *thread)
{
	__u32 tgid, all = LATE_ALL, *known;

	if (!thread)
		return 0;
	tgid = thread->tgid;
	if (tgid) {
		if (only_uid == (__u32)-1 ||
		    !is_watched((struct task_struct *)bpf_get_current_task(), tgid))
			return 0;
		known = bpf_map_lookup_elem(&tgids, &tgid);
		if (known && bpf_map_lookup_elem(&ignored, known))
			return 0;
		late_ever = 1;
		bpf_map_update_elem(&late, &tgid, &all, BPF_ANY);
	}
	thread_begin(thread);
	return 0;
}

/* Whether @thread's program is ignored may have changed: then the thread is not watched. */
__noinline int thread_ignore(struct thread_state *thread)
{
	__u32 program;

	if (!thread)
		return 0;
	thread->ignored_seen = *(volatile __u32 *)&ignored_count;
	program = thread->program;
	if (bpf_map_lookup_elem(&ignored, &program))
		thread->program = 0;
	return 0;
}

/* The current thread's state at entry; NULL if it is not watched. */
static __always_inline struct thread_state *thread_enter(struct task_struct *task)
{
	struct thread_state *thread = bpf_task_storage_get(&threads, task, NULL, 0);

	if (!thread) {
		thread = storage_new(threads, task);
		if (!thread) {
			thread_refused();
			return NULL;
		}
		thread_begin(thread);
	}
	if (!thread->program) {
		if (!thread->tgid || only_uid != (__u32)-1)
			thread_reconsider(thread);
		if (!thread->program)
			return NULL;
	}
	if (thread->ignored_seen != *(volatile __u32 *)&ignored_count) {
		thread_ignore(thread);
		if (!thread->program)
			return NULL;
	}
	if (thread->doubtful && !*(volatile __u32 *)&attaching)
		thread_default(thread);
	return thread;
}

/*
 * The same at return. A thread without state was inside the call when the probe was placed: nothing
 * is lost.
 */
static __always_inline struct thread_state *thread_leave(struct task_struct *task)
{
	struct thread_state *thread = bpf_task_storage_get(&threads, task, NULL, 0);

	return thread && thread->program ? thread : NULL;
}

#endif
