/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The record of a traced call, and what is known of each call's arguments: its stream, and what
 * points at its result. A part of cutop_event.h, which includes it.
 */
#ifndef CUTOP_EVENT_CALLS_H
#define CUTOP_EVENT_CALLS_H

#include "cutop_event.h"

/*
 * Which part of a call a REC_CALL reports. Normally one record at the return contains everything; a
 * call whose return is not probed has only CALL_ENTERED.
 */
enum call_moment { CALL_WHOLE, CALL_ENTERED, CALL_LEFT };

enum traced_flag {
	TRACED_CAPTURED = 1, /* into a stream that is captured: it became a node of a graph */
	TRACED_OUT = 2,      /* `out` was read */
};

/*
 * What is traced of a call, and which of its arguments points at its result: call_traced[], by
 * call.
 */
#define CUTOP_TRACED          0x80
#define CUTOP_TRACED_OUT      0x40 /* it has such an argument */
#define CUTOP_TRACED_SHORT    0x20 /* the result has 4 bytes, not 8 */
#define CUTOP_TRACED_ARGUMENT 0x1f

/* Which argument of a call is its stream: call_streams, by call. */
/* Stream 0 means the thread's default stream, not the device's */
#define CUTOP_STREAM_PER_THREAD 0x80
#define CUTOP_STREAM_MOVED      0x40 /* before CUDA 13 it may be the next argument */
#define CUTOP_STREAM_ARGUMENT   0x1f
#define CUTOP_STREAM_NONE       0x1f /* there is none: the default stream is used */

#define CUTOP_CALL_WORDS   6  /* integer registers of the x86-64 ABI */
#define CUTOP_KERNEL_WORDS 16 /* kernel arguments that are read */

/*
 * A hooked call that no other one encloses, with tracing. Its arguments are stored by meaning if
 * the call's class gives them one (roles in the call table), else as the first words in its
 * registers.
 */
struct rec_call {
	struct rec_hdr hdr; /* time: at return; for CALL_ENTERED at entry */
	__u64 entry;        /* time at entry */
	__u64 site;         /* the caller's return address, 0 if it was not read */
	__u64 stack;        /* rec_stack.stack of the same program; 0: none */
	__u64 out;          /* what the call wrote through its out argument (TRACED_OUT), raw */
	__s32 result;       /* at return */
	__s32 device;       /* the thread's at entry; CUTOP_DEVICE_UNKNOWN */
	__u16 call;         /* enum call_id */
	__u8 moment;        /* enum call_moment */
	__u8 flags;         /* enum traced_flag */
	__u32 kernel_words; /* how many of rec_call_kernel.kernel could be read; 0: not tried */
	union {
		struct {               /* CLASS_ALLOC, CLASS_FREE */
			__u64 address; /* for an allocation: set at return, 0 if it failed */
			__u64 bytes;   /* requested; 0: the call does not say, or not at entry */
			__u64 stream;
			__u32 kind; /* enum alloc_kind, of an allocation */
			__u32 pad;
		} memory;
		struct { /* CLASS_COPY */
			__u64 destination, source, bytes, stream;
			__u8 direction;  /* if known, else DIR_DEFAULT */
			__u8 copy_flags; /* enum copy_flag */
			__u8 pad[6];
		} copy;
		struct {                /* CLASS_LAUNCH */
			__u64 function; /* launch_key.function */
			__u64 stream;
			__u32 grid[3], block[3];
			__u32 shared_bytes;
			__u32 launches; /* 1, except for launches on several devices */
		} launch;
		__u64 words[CUTOP_CALL_WORDS]; /* every other class */
	};
};

/* The same where kernel_words is not 0. */
struct rec_call_kernel {
	struct rec_call call;
	/* 8 bytes from each of the launch's pointers to arguments */
	__u64 kernel[CUTOP_KERNEL_WORDS];
};

#endif
