/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event format: the data that the BPF programs send to user space.
 *
 * There are two ways. Records go through the ring buffer one by one, in the order in which they
 * were reserved: for changes of state (allocations, frees, resets, ends) and for things seen for
 * the first time (processes, kernels). Rows are in hash maps, keyed by program, and count frequent
 * events: launches, copies, calls, failures. User space reads whole rows, once per refresh: see
 * cutop_rows.h.
 *
 * Some records are made by the collector, not by BPF (REC_IDENTITY, REC_SITE, most of REC_NAME):
 * they contain what was read from /proc and ELF files. On their way from the collector to the model
 * rows also become records (model/stream.h): so everything is one stream, and a recording of it is
 * complete. Since recordings contain the numbers of record types, these never change: new types get
 * new numbers.
 *
 * A *program* is what one process runs until it calls exec: it gets a number at its first hooked
 * call, and a new one after an exec. Unlike pids, these numbers are never reused while cutop runs.
 *
 * Times are CLOCK_MONOTONIC nanoseconds, sizes are bytes, addresses are those of the watched
 * process. All structs are naturally aligned, without hidden padding, and a multiple of 8 bytes
 * long; record sizes say how long a trailing string is. Include <linux/types.h> or vmlinux.h first.
 */
#ifndef CUTOP_EVENT_H
#define CUTOP_EVENT_H

#include "cutop_calls.h"
#include "cutop_rows.h"

/* Of a command line, for processes that end before /proc is read */
#define CUTOP_ARGS_LEN       256
#define CUTOP_FILE_LEN       64   /* of a mapped file's last path component */
#define CUTOP_NAME_SHORT     256  /* enough for most mangled kernel names */
#define CUTOP_NAME_MAX       4096 /* longer ones are cut, and marked so */
#define CUTOP_DEVICE_UNKNOWN (-1)

/*
 * Functions named with --probe have ids after the table's: CUTOP_EXTRA and up, in the order in
 * which they were found. REC_EXTRA gives their names.
 */
#define CUTOP_EXTRA          0x8000
#define CUTOP_EXTRA_MAX      256
#define CUTOP_IS_EXTRA(call) ((call) >= CUTOP_EXTRA && (call) < CUTOP_EXTRA + CUTOP_EXTRA_MAX)

/*
 * A probe's cookie: the call's number, and above it the number of the library that contains the
 * probe, which distinguishes two libraries with functions of the same name. 0: unknown.
 */
#define CUTOP_COOKIE(call, library)  ((__u32)(call) | (__u32)(library) << 16)
#define CUTOP_COOKIE_CALL(cookie)    ((__u32)(cookie)&0xffff)
#define CUTOP_COOKIE_LIBRARY(cookie) ((__u32)(cookie) >> 16)

#define CUTOP_LAUNCH_CLOCK_TICK 20 /* bits of the launch clock that count within a tick */

/*
 * Errors after which every call fails until the program is restarted: codes that are the same in
 * both layers. driver_types.h says so for most; after an ECC or NVLink error that could not be
 * corrected, or was contained, nothing else helps either.
 */
#define CUTOP_IS_STICKY(code) \
	((code) == 214 || (code) == 220 || (code) == 226 || (code) == 700 || (code) == 702 || \
	 (code) == 710 || ((code) >= 714 && (code) <= 719) || (code) == 721 || (code) == 810 || \
	 (code) == 911)

#define RECORD_ACT    1
#define RECORD_TRACED 2

enum rec_type {
#define RECORD(name, number, type, least, call, flags) REC_##name = (number),
#define RING_RECORD(name, number, type)                REC_##name = (number),
#include "cutop_records.def"
#undef RECORD
#undef RING_RECORD
};

/* Why returns of a program's calls are not probed. Names in unreturned_names[], cuda/calls.c. */
enum unreturned {
	UNRETURNED_NOT,          /* they are probed */
	UNRETURNED_ASKED,        /* --returns=never */
	UNRETURNED_SECCOMP,      /* a seccomp filter would kill the process at a return probe */
	UNRETURNED_SHADOW_STACK, /* so would the processor, if shadow stacks are used */
	UNRETURNED_COUNT,
};

/*
 * Why allocations or frees may be unseen, in processes that may have no program. Recordings contain
 * these numbers: none is reused.
 */
enum unseen_cause {
	UNSEEN_DRIVER, /* made by driver calls, while only the runtime's are watched */
	UNSEEN_LATE,   /* by a library that a process ran or mapped before it was probed */
	UNSEEN_ALLOC,  /* a function that allocates could not be probed, or was left out */
	/* The same for a function that frees: leaked memory may have been freed */
	UNSEEN_FREE,
	/* The driver's calls are not watched, and its allocations are not noticed */
	UNSEEN_LAYER,
	UNSEEN_COUNT,
};

/* How the result of a function that is not in the table shows a failure. */
enum extra_result {
	EXTRA_RESULT_NONE,     /* it does not */
	EXTRA_RESULT_STATUS,   /* a 32-bit number other than 0 */
	EXTRA_RESULT_NEGATIVE, /* a 32-bit number below 0 */
	EXTRA_RESULT_NULL,     /* a pointer that is NULL */
	EXTRA_RESULT_UNSEEN,   /* its returns are not probed: no times either */
	EXTRA_RESULT_COUNT,
};

/*
 * What is given up of a program that pays too much for being watched, one after the other
 * (--budget). Recordings contain these numbers, as bits. Names in spare_names[], cuda/calls.c.
 */
enum spare {
	SPARE_BLOCKS, /* that a framework's allocator hands out and takes back */
	/* that have no meaning beyond being calls: CLASS_PLAIN */
	SPARE_CALLS,
	SPARE_LAUNCHES, /* but for a part of the time */
	SPARE_COUNT,
};

/* Identifies a file, and distinguishes it from a later file with the same inode number. */
struct file_id {
	__u64 inode;
	__u64 size;
	__u32 device; /* the kernel's dev_t: major << 20 | minor */
	__u32 generation;
};

/* A file that calls the driver, and the program that it does so in. */
struct caller_key {
	struct file_id file;
	__u32 program;
	__u32 pad;
};

/* A piece of a file, in bytes from its start. */
struct code_span {
	__u64 start, end;
};

/*
 * The result of the program `identify` for a mapped file, in pieces of 16 bits with IDENTIFY_FOUND
 * beside each: its file_id, and the magic number of its file system.
 */
#define IDENTIFY_PIECES 14
#define IDENTIFY_FOUND  0x80000000u

/* Values in the map `files`; any other value is the process that reported the file. */
#define FILE_KNOWN  0
#define FILE_PROBED 0xffffffffu /* known, and there are probes on it */

enum notice {
	NOTICE_LOST, /* for a while, what programs did was not seen */
	/* A program that runs under a translator has breakpoints in its code */
	NOTICE_TRANSLATED,
	NOTICE_COUNT,
};

struct rec_hdr {
	__u16 type;    /* enum rec_type */
	__u16 size;    /* of the whole record, this header included */
	__u32 program; /* 0 if it belongs to no program (REC_EXEC, REC_MMAP) */
	__u64 time;    /* when it was made */
	__u32 tgid;    /* process, as the root pid namespace counts */
	__u32 tid;
};

struct rec_process {
	struct rec_hdr hdr;
	__u64 start_time; /* of the thread group leader, CLOCK_BOOTTIME ns */
	__u32 parent_tgid;
	__u32 uid;
	char comm[CUTOP_COMM_LEN];
	__u32 args_len;
	__u32 ns_tgid;             /* the pid in its own pid namespace; 0: unknown */
	char args[CUTOP_ARGS_LEN]; /* NUL-ended words, cut if there is no room */
};

enum end_reason { END_EXIT, END_EXEC };

struct rec_end {
	struct rec_hdr hdr;
	__u64 sync_ns;   /* final total of time inside synchronizing calls */
	__u32 reason;    /* enum end_reason */
	__u32 exit_code; /* as wait(2) gives it */
};

enum alloc_flag {
	ALLOC_CAPTURED = 1, /* into a stream that is captured: nothing was allocated */
};

struct rec_alloc {
	struct rec_hdr hdr; /* time: at return */
	__u64 entry;        /* time at entry */
	__u64 address;      /* 0 when the call failed */
	__u64 bytes;
	__u64 site; /* the caller's return address */
	__s32 result;
	__s32 device;        /* CUTOP_DEVICE_UNKNOWN: unknown */
	__u16 call;          /* enum call_id */
	__u8 kind;           /* enum alloc_kind */
	__u8 how;            /* enum alloc_flag */
	__u32 element_bytes; /* of an array's element, else 0 */
	/* The CUcontext that it belongs to; 0: the device's primary one, or none */
	__u64 context;
	/* rec_stack.stack of the same program; 0: none, or stacks are off */
	__u64 stack;
};

#define CUTOP_STACK_FRAMES 127 /* the usual value of kernel.perf_event_max_stack */

/* User stack of an allocation, sent before the first record that refers to it. */
struct rec_stack {
	struct rec_hdr hdr;
	__u64 stack; /* its id within the program, never 0 */
	__u32 count; /* number of valid frames: there may be room for more */
	__u32 shown; /* index of the frame that names the call site */
	/* return addresses, innermost first: the call site; or Python places (PLACE_IS_PYTHON) */
	__u64 frames[];
};

/* A place in Python code has no address, but a number that no user space address can be. */
#define PLACE_PYTHON           0x7000000000000000ull
#define PLACE_IS_PYTHON(place) ((place) >> 56 == 0x70)
/* The last frame of a stack whose next frame could not be found. */
#define PLACE_CUT 0x7100000000000000ull

enum frame_language { FRAME_NATIVE, FRAME_PYTHON, FRAME_LANGUAGES };

/* Of one place there are the innermost so many. */
#define CUTOP_INLINED_MAX 32

/* The text in the place's REC_SITE is that of this frame. Without one it is the function's own. */
#define FRAME_IS_NAMED 1

/*
 * Facts about a place, beside the text in its REC_SITE: of the function that the code is in, and of
 * each that was inlined there. The latter come first, so that the last of a place is level 0.
 */
struct rec_frame {
	struct rec_hdr hdr;
	__u64 address; /* as REC_SITE has it */
	/* in native code: from the start of the function, or, if that is unknown, of the file */
	__u64 offset;
	__u32 line;    /* 0: unknown */
	__u8 language; /* enum frame_language */
	__u8 level;    /* 0: the function itself; 1: what was inlined, the innermost, and so on */
	__u8 flags;    /* FRAME_IS_NAMED */
	__u8 pad;
	/* Function, source file, module, each NUL-ended; empty if unknown */
	char strings[];
};

struct rec_free {
	struct rec_hdr hdr; /* time: at return */
	__u64 entry;
	__u64 address;
	__u64 site;
	__s32 result;
	__u16 call;
	__u16 captured; /* into a stream that is captured: nothing was freed */
};

/* The same of one that failed, where its stack is known. Not in the ring. */
struct rec_free_at {
	struct rec_free free;
	__u64 stack; /* rec_stack.stack of the same program */
};

enum copy_flag {
	COPY_IS_ASYNC = 1,
	COPY_IN_ELEMENTS = 2, /* bytes counts elements of the array at either end */
	/*
	 * The processor can read this end at the call's return. It cannot read memory of a device:
	 * managed memory apart, this end is the host's.
	 */
	COPY_TO_READABLE = 4,
	COPY_FROM_READABLE = 8,
};

struct rec_copy {
	struct rec_hdr hdr; /* time: at return */
	__u64 destination;
	__u64 source;
	__u64 bytes;
	__u64 ns; /* time inside the call */
	__s32 result;
	__s32 device;
	__u16 call;
	__u8 direction; /* DIR_DEFAULT: to be resolved; DIR_D2D: may be P2P */
	__u8 flags;     /* enum copy_flag */
	__u32 pad;
	__u64 unused;
	__u64 site;
	__u64 unused2;
};

struct rec_fail {
	struct rec_hdr hdr;
	__u64 site;
	__s32 result;
	__u16 call;
	__u16 pad;
};

/*
 * The same with what is known of it. In the ring @stack is 0, and @fail.site may be a stack's id.
 * Recordings may have it without what does not apply, at its end.
 */
struct rec_fail_at {
	struct rec_fail fail;
	__u64 stack;    /* rec_stack.stack of the same program; 0: none */
	__u64 function; /* of a launch: as in struct launch_key; 0: none */
};

struct rec_reset {
	struct rec_hdr hdr; /* time: at return */
	__s32 device;       /* CUTOP_DEVICE_UNKNOWN: the only one, or all */
	__u16 call;
	/* Time inside the call, in units of CUTOP_LASTED_NS, rounded up; 0: unknown */
	__u16 lasted;
	__u64 context; /* the CUcontext that was destroyed; 0: the device was reset */
};
#define CUTOP_LASTED_NS (1u << 14)

struct rec_map {
	struct rec_hdr hdr;
	__u64 address;
	__u64 bytes; /* 0 if unknown */
	/*
	 * of physical memory, of a part of the array at `address`, or of the module or fat binary
	 * that a variable belongs to; or 0
	 */
	__u64 handle;
	__u16 call;
	__u8 act; /* enum map_act */
	__u8 pad[5];
};

struct rec_host {
	struct rec_hdr hdr;
	__u64 address;
	__u64 site;
	__s32 device;
	__u16 call;
	__u8 direction; /* DIR_H2D, DIR_D2H */
	__u8 pad;
};

/* Which launches may have caused a sticky error: those after these times. */
struct rec_fault {
	struct rec_hdr hdr;
	__u64 clock;                     /* the present time of this thread's launch clock */
	__u64 cleared[CUTOP_SYNC_SLOTS]; /* by device: sync_slot.clock and sync_slot.tid */
	__u32 cleared_tid[CUTOP_SYNC_SLOTS];
};

struct rec_device {
	struct rec_hdr hdr;
	__u64 total; /* bytes */
	__s32 device;
	__u32 pad;
};

enum watched_from {
	WATCHED_FROM_START,
	WATCHED_FROM_ATTACH,
	/* From the start but for calls of the runtime, some of which were missed */
	WATCHED_RUNTIME_LATER,
};

/*
 * NUL-ended strings follow: user, command, arguments, container, pod, and the machine's numbers of
 * the process's devices ("2,3"), empty if they are not known to differ.
 */
struct rec_identity {
	struct rec_hdr hdr;
	__u64 start_time; /* CLOCK_REALTIME, ns */
	__u32 parent_tgid;
	__u32 uid;
	__u32 ns_tgid;     /* pid in its own namespace, 0 if unknown */
	__u8 watched_from; /* enum watched_from */
	__u8 has_title;    /* the command is what it has called itself since */
	__u16 rank;        /* in its job, and 1; 0: unknown, or told before */
	char strings[];
};

enum site_flag {
	/* Kept on purpose: a library's workspaces, or files that the user named */
	SITE_IS_HELD = 1,
	/* In PyTorch's allocator, whose cache may be off: src/model/sites.c */
	SITE_IN_CACHE = 2,
	/* In the runtime's library, which allocates for the code that called it */
	SITE_IN_RUNTIME = 4,
};

/* REC_SITE: address is the call site. REC_NAME: address is the launched function. */
struct rec_text {
	struct rec_hdr hdr;
	__u64 address;
	__u32 flags;    /* enum site_flag, enum name_source */
	__u32 text_len; /* bytes, without the terminating NUL */
	char text[];
};

/* What could not be recorded, by cause. Names in lost_cause_names[], cuda/calls.c. */
enum lost_cause {
	LOST_RING_FULL,   /* a record did not fit into the ring buffer */
	LOST_RETURN,      /* a return without its entry, or an entry without its return */
	LOST_NESTING,     /* calls nested deeper than a thread's stack of frames */
	LOST_LAUNCH_ROWS, /* no room for one more kernel */
	LOST_COPY_ROWS,
	LOST_CALL_ROWS,
	LOST_FAIL_ROWS,
	LOST_PROCESSES, /* no room for one more process */
	LOST_NAMES,     /* no room for one more registered kernel or handle */
	LOST_ARGUMENT,  /* an argument in memory could not be read */
	LOST_THREADS,   /* no memory for a thread's state */
	LOST_GRAPHS,    /* no room for one more graph, node, capture or other object */
	LOST_STACKS,    /* a user stack that could not be taken or kept */
	LOST_TRACED,    /* a traced call found no room in the ring buffer */
	/* A file or memory that nothing delivered: user space counts it here */
	LOST_UNANSWERED,
	/*
	 * Python frames that could not be read or kept: the native call site stands in their place
	 */
	LOST_PYTHON,
	LOST_CALL_SITES, /* no room for one more call site of a kernel or of a wait */
	LOST_BPF_COUNT,
	/* found by the collector, which reports them in the same way */
	/*
	 * source lines: their file ended the process that reads them, or its user's allowance is
	 * used up
	 */
	LOST_LINES = LOST_BPF_COUNT,
	/* Names of functions for which there was no memory, or no time */
	LOST_SYMBOLS,
	LOST_FED_COUNT,
	/* found by the model */
	/* An address was handed out again although no free was seen */
	LOST_FREE = LOST_FED_COUNT,
	LOST_RECORD, /* an invalid record */
	LOST_MEMORY, /* user space had no memory for it */
	LOST_COUNT,
};

#include "cutop_event_calls.h"
#include "cutop_event_kernels.h"

#endif
