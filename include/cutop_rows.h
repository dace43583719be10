/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of the counter maps, and their keys: counts of frequent events (launches, copies, calls,
 * failures) by program, and what has to be known about a program even if its records are lost. BPF
 * counts, user space reads whole rows once per refresh. Records, and what both have in common, are
 * in cutop_event.h, which includes this file.
 *
 * Every field only grows, except a launch's last configuration. BPF leaves `samples` at 0, and
 * counts in `calls` only calls whose returns are not probed: the collector adds the sum of the
 * row's histogram. That saves an atomic add per call.
 *
 * Recordings contain keys and rows unchanged, except those of programs (model/stream.h). The rules
 * for the layout of records also apply here. Include <linux/types.h> or vmlinux.h first.
 */
#ifndef CUTOP_ROWS_H
#define CUTOP_ROWS_H

#include "cutop_call_desc.h"

#define CUTOP_COMM_LEN 16 /* TASK_COMM_LEN, linux/sched.h */
/* one more than the devices whose synchronization is followed per program; a power of two */
#define CUTOP_SYNC_SLOTS 16

/*
 * Latency bucket i contains [2^(i+6), 2^(i+7)) ns; the first one also shorter times, the last one
 * (from 137 s) longer ones. Size bucket i of copies contains [2^i, 2^(i+1)) bytes; the first one
 * also 0, the last one larger sizes.
 */
#define CUTOP_HIST_BUCKETS 32
#define CUTOP_SIZE_BUCKETS 40
#define CUTOP_HIST_SHIFT   6

struct launch_key {
	__u32 program;
	__u16 call;
	__s16 device;
	__u64 function; /* first argument: stub, or handle (see __cudaGetKernel) */
};

struct launch_row {
	__u64 launches; /* calls entered, except captured ones */
	/* Calls that became nodes of a graph instead of launches; timed in the map `calls` */
	__u64 captured;
	__u64 failures; /* among the launches whose return was seen */
	__u64 samples;  /* returns seen */
	__u64 ns;       /* total over the samples */
	__u64 max_ns;
	/* Last one seen; like the shared bytes, read only when the return was seen */
	__u64 stream;
	__u32 grid[3];
	__u32 block[3];
	__u32 shared_bytes;
	__u32 sampled;                  /* 1: a return was skipped at least once */
	__u64 hist[CUTOP_HIST_BUCKETS]; /* over samples */
	/* Entry time of the last launch, by the launch clock (fault.bpf.h) */
	__u64 last;
	__u64 stream_seen; /* if equal to `last`, `stream` belongs to that launch */
	__u32 last_tid;    /* thread of the last launch */
	__u32 announced;   /* its name was reported before a traced call */
};

/*
 * Where a kernel is launched, or, with the call of a function that waits, no device and no
 * function, where a thread waits.
 */
struct call_site_key {
	struct launch_key launch;
	/* The call's return address; 0, without stack: all sites for which there was no room */
	__u64 site;
	__u64 stack; /* rec_stack.stack of the same program; 0: none */
};

struct call_site_row {
	__u64 launches; /* that the samples stand for */
	__u64 samples;  /* launches whose site was looked at, or waits, which all are */
	__u64 ns;       /* of waits */
};

#define CALL_SITES_MAX 8192 /* rows of one program */
#define LAUNCH_GAPS    256  /* a power of two */

#define LAUNCH_SLOTS 4096 /* a power of two */

struct launch_slot {
	struct launch_row row;
} __attribute__((aligned(64))); /* on separate cache lines */

/*
 * The map's value for a row: the row is in here, or in a slot. What was counted here before there
 * was a slot is added to the slot's.
 */
struct launch_home {
	struct launch_row row;
	__u32 slot; /* 0: none */
	__u32 pad;
};

enum copy_mode { COPY_SYNC, COPY_ASYNC };

struct copy_key {
	__u32 program;
	__u16 call;
	__u8 direction; /* enum copy_direction */
	__u8 mode;      /* enum copy_mode */
	__s32 device;
	__u32 pad;
};

/*
 * Copies from host to device of this size or less return before they are done: CUDA programming
 * guide, "64 KB or less".
 */
#define CUTOP_COPY_EARLY_BYTES 65536

/*
 * Whether the duration of a successful copy counts for the throughput of calls, which is what the
 * program got, not the speed of the bus (API synchronization behavior, cuda_runtime_api.h of CUDA
 * 13.0). A copy to the host has waited for what precedes it in its stream; one from pageable memory
 * has, too, and returns when the data are staged. Copies within or between devices (cudaMemcpyPeer)
 * do not count, since the host does not wait for them; nor do small copies to a device.
 */
#define CUTOP_COPY_IS_TIMED(direction, bytes) \
	((direction) < DIR_D2D && !((direction) == DIR_H2D && (bytes) <= CUTOP_COPY_EARLY_BYTES))

struct copy_row {
	__u64 calls;
	__u64 failures;
	__u64 bytes; /* of successful ones */
	__u64 ns;
	__u64 max_ns;
	__u64 timed_bytes; /* bytes of copies that count for the throughput */
	__u64 timed_ns;
	__u64 sizes[CUTOP_SIZE_BUCKETS];
	__u64 hist[CUTOP_HIST_BUCKETS];
	__u64 hosts; /* host pages that were reported to user space */
};

/*
 * Calls without a row in another map (launches, copies) or a record each (allocations, frees), from
 * which those are counted.
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
	__u64 first; /* time */
	__u64 last;
};

/* Successful launches of an executable graph since its contents last changed. */
struct graph_key {
	__u64 exec;
	__u32 program;
	__u32 pad;
};

struct graph_row {
	__u64 launches;
	__u64 epoch;    /* 0: its creation was not seen */
	__u64 instance; /* the epoch since which only single nodes may have changed */
	__u64 last;     /* as for a launch */
	__u64 stream;   /* of the last launch, like the following */
	__u32 last_tid;
	__s32 device;
	__u16 call;
	__u16 pad[3];
};

/*
 * The last synchronization of a whole device. Devices beyond the slots have none: figures for them
 * err on the safe side.
 */
struct sync_slot {
	__u64 done;  /* when the last one that has returned successfully was entered */
	__u64 clock; /* of its thread's launches, then */
	__u32 tid;
	__u32 pad;
};

/*
 * How a program launches kernels. Where every launch is followed to its return, `certain` and
 * `drawn` say less than the rows of launches do.
 */
struct program_times {
	__u64 threads; /* that made a hooked call, ever */
	/*
	 * Launches that were timed because something about them was new, and those that stand for
	 * others, because they were taken at regular or random distances
	 */
	__u64 certain, certain_ns;
	__u64 drawn, drawn_ns;
	/* From the return of a launch to the entry of the thread's next one: */
	__u64 gaps;       /* how many were measured */
	__u64 gap_max_ns; /* the longest of them */
	/* As latencies have; each gap counts as often as launches it stands for */
	__u64 gap_hist[CUTOP_HIST_BUCKETS];
	/*
	 * In calls that have not returned, by enum time_part, but for waits, which program_sync has.
	 * BPF counts those of threads that ended inside them; user space adds those under way. Not
	 * in recordings made before 0.3.
	 */
	__u64 open_ns[TIME_NONE];
};

/*
 * A thread of a watched process, and the call that it is inside of: bpf/process_events.bpf.h. Not in
 * recordings.
 */
struct open_call {
	__u64 ns;     /* since its entry */
	__u64 cpu_ns; /* the thread's processor time; the leader's with that of those that ended */
	__u32 tgid;
	__u32 program; /* 0: it has made no call */
	__u32 part;    /* enum time_part; TIME_NONE: it is in none */
	__u32 pad;
};

/* A program's synchronizing calls; and its times, so that they are found without a look-up. */
struct program_sync {
	__u64 since; /* when the first of the waiting threads began */
	__u64 ns;    /* total time with a thread waiting, up to then */
	__s32 depth; /* number of waiting threads */
	__u32 pad;
	/* By device; the last slot is for unknown devices */
	struct sync_slot slots[CUTOP_SYNC_SLOTS];
	struct program_times times;
};

/*
 * `watchful` has a word for each program, at its number modulo this: the state of its launches. The
 * marks are cleared for a new program.
 */
#define WATCHFUL_COUNT 4096 /* a power of two */
/* A sticky error was returned: launches no longer store their times */
#define WATCHFUL_FAULT   0x80000000
#define WATCHFUL_LAYERED 0x40000000 /* two libraries handle the same call: see is_same_act() */
#define WATCHFUL_MARKS   (WATCHFUL_FAULT | WATCHFUL_LAYERED)

/*
 * What was missed of a program that had a library mapped before that had its probes. Each includes
 * those before it.
 */
enum late {
	LATE_NOT,
	LATE_NAMES, /* what the library registered as it was loaded: kernels' names, variables */
	/* Calls of the runtime. What they did is known from the driver, which had its probes. */
	LATE_CALLS,
	LATE_ALL, /* calls of the driver */
};

/*
 * The row of the map `programs`: what is known of a program even if its records were lost. BPF
 * creates it at the first hooked call and marks its end; user space reads it once more and then
 * deletes it, with the program's other rows.
 */
struct program_row {
	__u64 start_time;         /* the thread group leader's, CLOCK_BOOTTIME ns */
	__u64 first_time;         /* of the first hooked call */
	__u64 end_time;           /* 0: it is running */
	struct program_sync sync; /* unused if it has a place in the row cache */
	__u32 tgid;
	__u32 parent_tgid;
	__u32 uid;
	__u32 end_reason; /* enum end_reason */
	__u32 exit_code;  /* as wait(2) gives it */
	__u32 late;       /* enum late: ran before its library was probed */
	__u32 inexact;    /* something about it was lost */
	/*
	 * when a record of it was last lost, 0: none was. What was live then may have been freed
	 * unseen
	 */
	__u64 lost_time;
	char comm[CUTOP_COMM_LEN];
	__u32 faulted;    /* a sticky error was returned */
	__u32 unreturned; /* enum unreturned */
	/*
	 * the program that it was forked from, of which it is still a copy; 0: none. It has that
	 * program's kernel names
	 */
	__u32 origin;
	__u32 origin_late; /* the program that it was forked from is late */
};

/*
 * Rows that are found without a search: bpf/state.bpf.h. `owner` is the key in one word, 0:
 * free. Counts from before it had the place, or from a thread that missed it, are in the map.
 */
#define NEAR_SYNCS  256 /* powers of two */
#define NEAR_CALLS  1024
#define NEAR_COPIES 256

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

#define NEAR_DEVICES 1024 /* as in the model: a larger number is invalid */

/* 0: a copy without a place. */
static inline __u64 near_copy_owner(const struct copy_key *key)
{
	__u32 device = (__u32)(key->device + 1); /* CUTOP_DEVICE_UNKNOWN is -1 */

	if (device > NEAR_DEVICES)
		return 0;
	return key->program | (__u64)key->call << 32 | (__u64)key->direction << 48 |
	       (__u64)key->mode << 52 | (__u64)device << 53;
}

/* The index of the row of @owner, if it has one: its hash modulo the number of places. */
static inline __u32 near_place(__u64 owner)
{
	/* 2^64 divided by the golden ratio */
	return (__u32)(owner * 0x9e3779b97f4a7c15ull >> 40);
}

/*
 * Maps whose rows user space reads at each refresh: rows_made[] of the BPF side counts added rows.
 */
enum row_map {
	ROWS_PROGRAMS,
	ROWS_LAUNCHES,
	ROWS_COPIES,
	ROWS_CALLS,
	ROWS_GRAPHS,
	ROWS_FAILURES,
	ROWS_CALL_SITES,
	ROWS_COUNT,
};

#endif
