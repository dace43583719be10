/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What python.bpf.h and python_code.bpf.h share: the maps, and the scratch space in which a
 * thread's frames and code objects are read.
 *
 * Their functions are not static, although no other file calls them: the verifier then verifies
 * each once in a program, and not at each call. With static ones cutop took twice as long to start.
 */
#ifndef PYTHON_STATE_BPF_H
#define PYTHON_STATE_BPF_H

#include "names.bpf.h"
#include "python_call.bpf.h"

#include "cutop_python.h"

#define PYTHON_CHUNK 1016 /* bytes of frames that are read at once: 6 to 10 of them */
/* Time without new stacks after the ring was full */
#define PYTHON_FULL_NS 1000000000ull
/* new stacks of a thread with unreadable code that are not remembered as known */
#define PYTHON_RETRIES 16

/* Processes with an interpreter, by thread group. */
HASH_MAP(pythons, __u32, struct python_row, 16384);

/* By number: filled in by user space before it places python_begins(). */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PYTHON_FILES_MAX *PYTHON_FUNCTIONS);
	__type(key, __u32);
	__type(value, struct python_function);
} python_functions SEC(".maps");

__u64 python_full; /* bpf_ktime_get_ns() when a new stack last found no room; 0: never */

struct python_stack_known {
	__u64 stack;        /* its id */
	__u64 marks;        /* of all its frames */
	__u64 likely;       /* bits: frames whose code is likely to be replaced */
	__u64 likely_marks; /* the marks of these */
};

struct python_code_key {
	__u64 code, mark;
	__u32 program, pad;
};

enum python_code_flag {
	PYTHON_CODE_COPIED = 1,
	PYTHON_CODE_LIKELY = 2, /* likely to be freed, and another created at its address */
	PYTHON_CODE_MODULE = 4, /* the same, unless it is the outermost frame */
};

/* The parts of a code object that is copied, and their addresses. */
struct python_parts {
	__u64 file_data, name_data, table_data;
	struct python_text file, name;
	__u32 table_bytes;
	__u32 unread; /* some part could not be read */
};

/* User space deletes them */
HASH_MAP(python_stacks, struct address_key, struct python_stack_known, 1 << 17);

struct {
	/*
	 * an entry that falls out of the LRU map is copied again, for the next new stack that
	 * contains it
	 */
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct python_code_key);
	__type(value, __u32);
} python_codes SEC(".maps");

struct python_scratch {
	struct python_row row;
	__u32 changes, program; /* of the row */
	__u32 key;              /* the key of the thread states, + 1; 0: unknown */
	__u32 count;            /* frames */
	__u32 is_cut;
	__u32 calls, retries;
	__u32 unknown;    /* frames of a new stack whose code is unknown */
	__u32 code_flags; /* enum python_code_flag of the code that was copied last */
	__u64 hash;       /* of the frames and the call */
	__u64 last;       /* the hash of the previous stack, which is `known` */
	struct python_stack_known known;
	struct address_key stack_key;
	struct python_code_key code_key;
	struct python_parts parts;
	__u64 chunk_start;
	__u32 chunk_bytes, pad;
	struct python_frame frames[PYTHON_FRAMES];
	__u8 chunk[PYTHON_CHUNK + 8 + PYTHON_FRAME_MAX + 8];
	__u8 code[256 + 8]; /* the relevant part of a code object */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct python_scratch);
} python_scratches SEC(".maps");

static __always_inline __u64 python_mix(__u64 hash, __u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ hash >> 29;
}

/* Reads words of the buffers. Offsets are limited at the place where the verifier needs it. */
#define FRAME_WORD(bytes_, offset_) (*(__u64 *)((bytes_) + ((offset_)&120)))
#define CODE_WORD(scratch_, field_) \
	(*(__u64 *)((scratch_)->code + ((scratch_)->row.layout.field_ & 248)))
#define CODE_NUMBER(scratch_, field_) \
	(*(__u32 *)((scratch_)->code + ((scratch_)->row.layout.field_ & 252)))

#endif
