/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of the counter maps, and their keys: what is frequent (launches, copies,
 * calls, failures), by program, and what is known of a program whatever
 * became of its records. BPF counts, user space reads rows whole once per
 * refresh. The records beside them, and what both have in common, are in
 * cutop_event.h, which includes this file.
 *
 * Every field only grows, but for a launch's last configuration. BPF leaves
 * `samples` at 0, and counts in `calls` only those whose returns are not probed:
 * the collector adds the sum of the row's histogram. That saves an atomic add
 * per call.
 *
 * Recordings keep keys and rows as they are, programs' aside (model/stream.h).
 * What holds of the layout of records holds of these, too. Include
 * <linux/types.h> or vmlinux.h first.
 */
#ifndef CUTOP_ROWS_H
#define CUTOP_ROWS_H

#include "cutop_call_desc.h"

#define CUTOP_COMM_LEN		16	/* TASK_COMM_LEN, linux/sched.h */
#define CUTOP_SYNC_SLOTS	16	/* devices of a program whose synchronizing is followed, less one; a power of two */

/*
 * Latency bucket i holds [2^(i+6), 2^(i+7)) ns; the first also what is
 * shorter, the last (from 137 s) what is longer. Size bucket i of copies holds
 * [2^i, 2^(i+1)) bytes; the first also 0, the last what is larger.
 */
#define CUTOP_HIST_BUCKETS	32
#define CUTOP_SIZE_BUCKETS	40
#define CUTOP_HIST_SHIFT	6

/* A process and the loader (ld.so) of its program: bpf/loader.bpf.h. Not in recordings. */
enum loader_state {
	LOADER_STARTS,		/* the program was just started; its loader was not seen yet */
	LOADER_LOADS,		/* it brings in libraries; what these are to run comes after it ends */
	LOADER_LEFT,		/* something was mapped that nothing waits for, up to what was told at `told` */
};

struct loader_row {
	__u64 began;		/* what was mapped since waits at the end of it */
	__u64 told;		/* time of the last record of a file so mapped; 0: none */
	__u64 until;		/* when waiting ends in any case; 0: it has not begun */
	__u32 tid;		/* thread that loads */
	__u32 state;		/* enum loader_state */
};

struct launch_key {
	__u32 program;
	__u16 call;
	__s16 device;
	__u64 function;		/* first argument: stub, or handle (see __cudaGetKernel) */
};

struct launch_row {
	__u64 launches;		/* calls entered, but for those captured */
	__u64 captured;		/* calls that became nodes of a graph and launched nothing; timed in the map `calls` */
	__u64 failures;		/* of launches whose return was seen */
	__u64 samples;		/* returns seen */
	__u64 ns;		/* over samples */
	__u64 max_ns;
	__u64 stream;		/* last seen, like the shared bytes only when the return was */
	__u32 grid[3];
	__u32 block[3];
	__u32 shared_bytes;
	__u32 sampled;		/* 1: a return was skipped at least once */
	__u64 hist[CUTOP_HIST_BUCKETS];	/* over samples */
	__u64 last;		/* when the last one was entered, by the launch clock (fault.bpf.h) */
	__u64 stream_seen;	/* equal: the stream is that one's */
	__u32 last_tid;		/* thread of the last one */
	__u32 announced;	/* its name was told of before a traced call */
};

/* Where a kernel is launched, or, with the call of a function that waits, no device and no function, where a thread waits. */
struct call_site_key {
	struct launch_key launch;
	__u64 site;		/* the call's return address; 0, without stack: all sites for which there was no room */
	__u64 stack;		/* rec_stack.stack of the same program; 0: none */
};

struct call_site_row {
	__u64 launches;		/* that the samples stand for */
	__u64 samples;		/* launches whose site was looked at, or waits, which all are */
	__u64 ns;		/* of waits */
};

#define CALL_SITES_MAX	8192	/* rows of one program */
#define LAUNCH_GAPS	256	/* a power of two */

#define LAUNCH_SLOTS	4096	/* a power of two */

struct launch_slot {
	struct launch_row row;
} __attribute__((aligned(64)));	/* cache lines of its own */

/* Where a row is looked up: in here, or in a slot. What was counted here before there was a slot is added to that. */
struct launch_home {
	struct launch_row row;
	__u32 slot;		/* 0: none */
	__u32 pad;
};

enum copy_mode { COPY_SYNC, COPY_ASYNC };

struct copy_key {
	__u32 program;
	__u16 call;
	__u8 direction;		/* enum copy_direction */
	__u8 mode;		/* enum copy_mode */
	__s32 device;
	__u32 pad;
};

/* Copies host to device of so many bytes or less return before they are done: CUDA programming guide, "64 KB or less". */
#define CUTOP_COPY_EARLY_BYTES	65536

/*
 * Whether the duration of a successful copy counts in its call throughput, which is what the program got, not how fast the
 * bus is (API synchronization behavior, cuda_runtime_api.h of CUDA 13.0). One to the host has waited for what stood before
 * it in its stream, one from pageable memory too, and has returned when that was staged. Not counted are copies from device to
 * device, be it the same or another one (cudaMemcpyPeer), which the host does not wait for; nor those of little to a device.
 */
#define CUTOP_COPY_IS_TIMED(direction, bytes)							\
	((direction) < DIR_D2D && !((direction) == DIR_H2D && (bytes) <= CUTOP_COPY_EARLY_BYTES))

struct copy_row {
	__u64 calls;
	__u64 failures;
	__u64 bytes;		/* of successful ones */
	__u64 ns;
	__u64 max_ns;
	__u64 timed_bytes;	/* of those that count in the call throughput */
	__u64 timed_ns;
	__u64 sizes[CUTOP_SIZE_BUCKETS];
	__u64 hist[CUTOP_HIST_BUCKETS];
	__u64 hosts;		/* pages of the host that user space was told of */
};

/*
 * What a stream was given by asynchronous copies. Directions that the model
 * resolves stand in a slot of their own, at DIR_DEFAULT, in what the copy counts
 * (bytes, or elements).
 */
#define CUTOP_PENDING_SLOTS	(DIR_COUNT + 1)

struct pending_key {
	__u64 stream;		/* a handle; 1: the legacy default stream; 2 and above it the thread: that thread's */
	__u32 program;
	__s32 device;		/* of a default stream */
};

struct pending_row {
	__u64 enqueued[CUTOP_PENDING_SLOTS];
	__u64 covered[CUTOP_PENDING_SLOTS];	/* known to be done */
	__u64 mark[CUTOP_PENDING_SLOTS];	/* enqueued at mark_time */
	__u64 mark_time;	/* when a synchronize was entered that will cover what is marked */
	__u64 last;		/* when something was enqueued last */
	__s32 device;
	__u32 pad;
};

/*
 * Calls that have no row of another map (launches, copies) and send no record
 * each (allocations, frees): those are counted from there.
 */
struct call_key {
	__u32 program;
	__u16 call;
	__u16 pad;
};

struct call_row {
	__u64 calls;
	__u64 failures;
	__u64 ns;
	__u64 max_ns;
	__u64 hist[CUTOP_HIST_BUCKETS];
};

struct fail_key {
	__u32 program;
	__u16 call;
	__u16 pad;
	__s32 result;
	__u32 pad2;
};

struct fail_row {
	__u64 count;
	__u64 first;		/* time */
	__u64 last;
};

/* Launches of an executable graph that succeeded, since what it holds last changed. */
struct graph_key {
	__u64 exec;
	__u32 program;
	__u32 pad;
};

struct graph_row {
	__u64 launches;
	__u64 epoch;		/* 0: not seen made */
	__u64 instance;		/* the epoch since which single nodes may have changed, but no more */
	__u64 last;		/* as a launch's */
	__u64 stream;		/* of the last launch, like what follows */
	__u32 last_tid;
	__s32 device;
	__u16 call;
	__u16 pad[3];
};

/* The last synchronize of a whole device. Devices past the slots have none: what is said of them is more cautious. */
struct sync_slot {
	__u64 begin;		/* when it was entered */
	__u64 done;		/* the same of the last one that has returned with success */
	__u64 clock;		/* of that, by the launch clock of its thread */
	__u32 tid;
	__u32 pad;
};

/* A program's synchronizing calls. */
struct program_sync {
	__u64 since;		/* when the first of the threads inside went in */
	__u64 ns;		/* time with a thread inside, up to that */
	__s32 depth;		/* threads inside */
	__u32 pad;
	struct sync_slot slots[CUTOP_SYNC_SLOTS];	/* by device; the last where the device is not known */
};

/* `watchful` has a word for each program, by its number modulo this: what is known of its launches. The marks are cleared for a new program. */
#define WATCHFUL_COUNT	4096	/* a power of two */
#define WATCHFUL_FAULT	0x80000000	/* a sticky error was met: launches leave no times any more */
#define WATCHFUL_LAYERED 0x40000000	/* two libraries answer for one call: see is_same_act() */
#define WATCHFUL_MARKS	(WATCHFUL_FAULT | WATCHFUL_LAYERED)

/*
 * The row of the map `programs`: what is known of a program whatever became of its
 * records. BPF makes it at the first hooked call and marks its end; user space
 * deletes it, with the program's other rows, after it has read them once more.
 */
struct program_row {
	__u64 start_time;	/* the thread group leader's, CLOCK_BOOTTIME ns */
	__u64 first_time;	/* of the first hooked call */
	__u64 end_time;		/* 0: runs */
	struct program_sync sync;	/* unless it has a near one */
	__u32 tgid;
	__u32 parent_tgid;
	__u32 uid;
	__u32 end_reason;	/* enum end_reason */
	__u32 exit_code;	/* as wait(2) gives it */
	__u32 late;		/* ran before its library was probed */
	__u32 inexact;		/* something of it was lost */
	__u64 lost_time;	/* when a record of it was lost last, 0: none was. What was live then may have been freed unseen */
	char comm[CUTOP_COMM_LEN];
	__u32 faulted;		/* a sticky error was met */
	__u32 unreturned;	/* enum unreturned */
	__u32 origin;		/* the program that it was forked from, and still is a copy of; 0: none. Its kernels have names that are ours */
	__u32 origin_late;	/* who it was forked from is late */
};

/*
 * Rows that are found without a search: bpf/row_cache.bpf.h. `owner` is the key in one word, 0 where there is none; what
 * was counted of it before it had the place, or by who did not know, stands in the map.
 */
#define NEAR_SYNCS	256	/* powers of two */
#define NEAR_CALLS	1024
#define NEAR_COPIES	256

struct near_sync {
	__u64 owner;
	struct program_sync row;
};

struct near_call {
	__u64 owner;
	struct call_row row;
};

struct near_copy {
	__u64 owner;
	struct copy_row row;
};

static inline __u64 near_call_owner(const struct call_key *key)
{
	return key->program | (__u64)key->call << 32;
}

#define NEAR_DEVICES	1024	/* as the model: a larger number is none */

/* 0: such a copy has no place. */
static inline __u64 near_copy_owner(const struct copy_key *key)
{
	__u32 device = (__u32)(key->device + 1);	/* CUTOP_DEVICE_UNKNOWN is -1 */

	if (device > NEAR_DEVICES)
		return 0;
	return key->program | (__u64)key->call << 32 | (__u64)key->direction << 48 | (__u64)key->mode << 52 | (__u64)device << 53;
}

/* Where the row of @owner is, if it is anywhere: its number modulo that of places. */
static inline __u32 near_place(__u64 owner)
{
	return (__u32)(owner * 0x9e3779b97f4a7c15ull >> 40);	/* 2 to the 64th by the golden ratio */
}

/* Maps whose rows user space reads at each refresh: rows_made[] of the BPF side counts those made. */
enum row_map {
	ROWS_IMAGES,
	ROWS_LAUNCHES,
	ROWS_COPIES,
	ROWS_CALLS,
	ROWS_GRAPHS,
	ROWS_FAILURES,
	ROWS_PENDING,
	ROWS_CALL_SITES,
	ROWS_COUNT,
};

#define TRANSLATORS_MAX	32	/* names of programs that translate others */
#define TRANSLATOR_FILES	32	/* probed files that such a process tells of */

/* The name of a program that translates others, as exec gives it to its process. */
struct translator_name {
	__u64 words[2];		/* CUTOP_COMM_LEN bytes, NUL where there are fewer */
};

/* Such a process. */
struct translator_row {
	__u64 since;		/* when it began */
	__u64 told;		/* which file was told of last */
	__u32 count;		/* how often */
	__u32 name;		/* number of its name */
};

#endif
