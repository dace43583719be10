/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader of COMMAND's programs. ld.so(8) calls _dl_debug_state() before it maps libraries and
 * after they are mapped, before their constructors run. A library mapped in between may have to be
 * probed: if user space has not examined it yet, the loading thread, and no other one, waits there
 * until user space has answered, for loader_wait_ns at most.
 * BPF programs cannot block. So the thread is sent back to the last instruction before that
 * function, a nop (src/probe/loader.c), and comes again: it runs its own code all the time, can be
 * preempted, handles its signals, and holds no kernel lock. The program can see no signal, stop,
 * tracer or group of ours. If user space does not answer in time, no thread waits any more until it
 * does.
 */
#ifndef LOADER_BPF_H
#define LOADER_BPF_H

#include "state.bpf.h"

#define R_STATE       24 /* of r_state in struct r_debug, <link.h> */
#define RT_CONSISTENT 0

#define FIRST_NORMAL_PRIORITY 100 /* MAX_RT_PRIO, include/linux/sched/prio.h */

const volatile bool loader_waits; /* the probes on loaders are placed */
const volatile __u64 loader_wait_ns;

HASH_MAP(loaders, __u32, struct loader_row, 16384); /* by process; used here only */

/*
 * By process: the time of its last record that user space has dealt with (written by user space,
 * maybe after the process's end); and that of the last record that was not caused by a known
 * loader: that file's code may run before it is examined.
 */
#define LOADER_TIMES(name) \
	struct { \
		__uint(type, BPF_MAP_TYPE_LRU_HASH); \
		__uint(max_entries, 16384); \
		__type(key, __u32); \
		__type(value, __u64); \
	} name SEC(".maps")

LOADER_TIMES(answers);
LOADER_TIMES(loose);

/* User space is examining a file, whose probes may be half placed */
__u32 examining;
/* A wait ended without an answer; user space clears this with its next one */
__u32 loader_stalled;

/* From here on, the process's mappings cannot be waited for. */
static __always_inline void loader_leave(struct loader_row *row, __u64 until)
{
	row->state = LOADER_LEFT;
	row->told = until;
}

/* The current process starts a new program. */
static __always_inline void loader_starts(__u32 tgid)
{
	struct loader_row row = { .state = LOADER_STARTS, .tid = tgid };

	if (!loader_waits)
		return;
	row.began = bpf_ktime_get_ns();
	bpf_map_update_elem(&loaders, &tgid, &row, BPF_ANY);
}

/* The process ends. */
static __always_inline void loader_forget(__u32 tgid)
{
	if (!loader_waits)
		return;
	bpf_map_delete_elem(&loaders, &tgid);
	bpf_map_delete_elem(&answers, &tgid);
	bpf_map_delete_elem(&loose, &tgid);
}

/* User space was told at @time of a file that the current thread maps; ~0: it could not be told. */
static __always_inline void loader_told(__u64 time)
{
	struct loader_row *row;
	__u64 id = bpf_get_current_pid_tgid();
	__u32 tgid = id >> 32;

	if (!loader_waits)
		return;
	row = bpf_map_lookup_elem(&loaders, &tgid);
	if (!row || row->tid != (__u32)id)
		bpf_map_update_elem(&loose, &tgid, &time, BPF_ANY);
	else if (row->state == LOADER_LEFT || !~time)
		loader_leave(row, time);
	else
		row->told = time;
}

static __always_inline bool is_answered(__u32 tgid, __u64 told)
{
	__u64 *answer = bpf_map_lookup_elem(&answers, &tgid);

	return answer && *answer >= told;
}

static __always_inline void loader_begins(__u32 tgid)
{
	struct loader_row *row = bpf_map_lookup_elem(&loaders, &tgid),
			  fresh = { .state = LOADER_LOADS };
	__u32 tid = (__u32)bpf_get_current_pid_tgid();

	if (row && row->state == LOADER_LEFT && !is_answered(tgid, row->told))
		return;
	/*
	 * At a program's start, or for a second namespace of libraries: wait for what is mapped so
	 * far as well.
	 */
	if (row && row->state != LOADER_LEFT && row->tid == tid) {
		row->state = LOADER_LOADS;
		return;
	}
	fresh.tid = tid;
	fresh.began = bpf_ktime_get_ns();
	bpf_map_update_elem(&loaders, &tgid, &fresh, BPF_ANY);
}

static __always_inline void ip_set(struct pt_regs *ctx, __u64 address)
{
#if defined(__TARGET_ARCH_x86)
	ctx->ip = address;
#else
	ctx->user_regs.pc = address;
#endif
}

static __always_inline bool may_go_on(__u32 tgid, __u64 told)
{
	return !*(volatile __u32 *)&examining && (!told || is_answered(tgid, told));
}

/* True if the current thread has to come back here. */
static __always_inline bool loader_ends(__u32 tgid)
{
	struct loader_row *row = bpf_map_lookup_elem(&loaders, &tgid);
	__u64 now;

	if (!row || row->state == LOADER_LEFT || row->tid != (__u32)bpf_get_current_pid_tgid())
		return false;
	if (may_go_on(tgid, row->told)) {
		bpf_map_delete_elem(&loaders, &tgid);
		return false;
	}
	now = bpf_ktime_get_ns();
	if (!row->until)
		row->until = now + loader_wait_ns;
	/* A real-time thread would wait for processes that it keeps from running. */
	if (!*(volatile __u32 *)&loader_stalled && now < row->until &&
	    bpf_get_current_task_btf()->prio >= FIRST_NORMAL_PRIORITY)
		return true;
	loader_stalled = 1;
	loader_leave(row, row->told ? row->told : ~0ull);
	return false;
}

#endif
