/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Python frames: what the BPF side needs to know about an interpreter, and how it reports code and
 * stacks (bpf/python.bpf.h). These records only go through the ring; the collector turns them into
 * places and stacks like native ones, so recordings do not contain them. Include <linux/types.h> or
 * vmlinux.h first.
 */
#ifndef CUTOP_PYTHON_H
#define CUTOP_PYTHON_H

#include "cutop_event.h"

#define PYTHON_FRAMES 64 /* frames kept of a stack; a power of two */
/* Of these the innermost; the others are the outermost, where the program's own lines are */
#define PYTHON_INNER     48
#define PYTHON_OUTER     (PYTHON_FRAMES - PYTHON_INNER)
#define PYTHON_STEPS     1024   /* frames that are looked at to find these */
#define PYTHON_NONE      0xffff /* this version has no such field */
#define PYTHON_FRAME_MAX 120    /* layout.frame_bytes */
/* bytes of a thread state that are read: up to its thread_id, in all versions */
#define PYTHON_STATE_BYTES 184

/* Offsets of the fields of one version, in bytes from their object's start (x86-64). */
struct python_layout {
	__u16 version; /* 0x030b */
	/*
	 * in _PyRuntime: int, whether the key of the thread states was created; after it, unsigned,
	 * the key
	 */
	__u16 runtime_key;
	/* In a thread state: the innermost frame, or a _PyCFrame that points to it */
	__u16 state_frame;
	__u16 cframe_frame; /* in _PyCFrame; PYTHON_NONE: this version has none in between */
	__u16 state_thread; /* the value of pthread_self() in that thread */
	__u16 frame_bytes;  /* bytes of a frame that are read; a multiple of 8 */
	__u16 frame_back;   /* the next outer frame */
	__u16 frame_code;
	__u16 frame_at;    /* int, the instruction's index, or a pointer to it */
	__u16 frame_owner; /* byte: the owner of the frame */
	__u16 frame_entry; /* byte, 3.11: the frame was entered from C */
	__u16 code_file, code_name, code_table, code_first;
	__u16 code_traceable; /* instructions before this one are not the program's */
	__u16 code_version;   /* a version number that each code object has */
	__u16 code_bytecode;
	__u16 code_bytes;                /* of a code object, up to the last of these fields */
	__u16 string_ascii, string_wide; /* offset of the characters */
	/*
	 * a thread's values by key, relative to the thread pointer: the first 32, and pointers to
	 * the others
	 */
	__u16 slots, slot_tables;
	/* Frames with this owner or above belong to the interpreter itself */
	__u8 owner_c;
	__u8 tag;        /* low bits of frame_code that are not part of the address */
	__u8 is_stacked; /* frames are adjacent: many are read at once */
	__u8 at_is_pointer;
	__u8 at_scale; /* bytes per unit of the instruction index, if frame_at is one */
	__u8 pad[3];
};

/*
 * Where the interpreter's machine code is, relative to _PyRuntime: that of its file, and that of
 * the function whose frames run Python frames.
 */
struct python_machine {
	__s64 code, loop;
	__u32 code_bytes, loop_bytes;
};

/* A process with an interpreter. */
struct python_row {
	__u64 runtime;   /* address of _PyRuntime */
	__u64 code_type; /* of PyCode_Type */
	struct python_machine machine;
	struct python_layout layout;
};

/*
 * A probed function of a file with an interpreter: from the probe's address follow the addresses in
 * python_row of a process that calls it.
 */
struct python_function {
	__s64 runtime;   /* distance from the probe to _PyRuntime */
	__s64 code_type; /* distance from there to PyCode_Type */
	struct python_machine machine;
	struct python_layout layout;
};

/*
 * The functions have numbers after those of --probe. Each file has room for PYTHON_FUNCTIONS of
 * them.
 */
#define CUTOP_PYTHON     0x9000
#define PYTHON_FILES_MAX 64
#define PYTHON_FUNCTIONS 4
#define CUTOP_IS_PYTHON(call) \
	((call) >= CUTOP_PYTHON && (call) < CUTOP_PYTHON + PYTHON_FILES_MAX * PYTHON_FUNCTIONS)

enum python_frame_flag {
	/*
	 * entered from C, not by a call of another frame: the next outer frame belongs to another
	 * run of the interpreter's loop
	 */
	PYTHON_ENTERED = 1,
	PYTHON_UNKNOWN = 2, /* its code is not a code object, or could not be read */
};

struct python_frame {
	__u64 code;
	/* The instruction, in bytes from the first one; below 0: not begun */
	__s32 at;
	__u32 flags; /* enum python_frame_flag */
	__u64 mark;  /* distinguishes this code from later code at its address */
};

/*
 * This bit is set in the id of each Python stack. No user space address, which may be in the same
 * place of a record, has it.
 */
#define PYTHON_STACK (1ull << 63)

/* A new stack. The code of its frames was sent before, or with it. */
struct rec_python_stack {
	struct rec_hdr hdr;
	__u64 stack;  /* its id in later records, never 0 */
	__u64 native; /* rec_stack.stack of the same call; 0: none */
	__u64 site;   /* the call's return address */
	__u32 count;
	__u32 is_cut;    /* there are outer frames that were not read */
	__u32 is_gapped; /* there are frames that were left out behind the first PYTHON_INNER */
	__u32 pad;
	__u64 code, loop; /* addresses of struct python_machine */
	__u32 code_bytes, loop_bytes;
	struct python_frame frames[PYTHON_FRAMES]; /* innermost first */
};

/*
 * Room for the parts of a code object: powers of two, of which the last 8 bytes stay unused. Most
 * code fits into the small ones.
 */
#define PYTHON_FILE_SMALL  128
#define PYTHON_NAME_SMALL  128
#define PYTHON_TABLE_SMALL 512
#define PYTHON_FILE_LARGE  1024
#define PYTHON_NAME_LARGE  1024
#define PYTHON_TABLE_LARGE 4096
#define PYTHON_ROOM(room)  ((room)-8)
/* Records for the rest of a table that does not fit even there */
#define PYTHON_TABLE_PARTS 15

/*
 * A str: its characters, or as many as there is room for: the last ones of a path, the first ones
 * of a name.
 */
struct python_text {
	__u32 chars; /* of the whole str */
	__u16 bytes; /* bytes that are here */
	__u16 width; /* bytes of a character: 1, 2, 4; 0: it could not be read */
};

/* A new code object. */
struct rec_python_code {
	struct rec_hdr hdr;
	__u64 code, mark;
	__u32 first_line;
	/* Instructions (of two bytes) before it are not the program's */
	__u32 first_instruction;
	struct python_text file, name;
	__u32 table_bytes; /* of the whole table; 0: it could not be read */
	__u16 table_here;
	__u16 version;
	__u16 file_room, name_room, table_room;
	__u16 pad;
	char bytes[]; /* the file's, the name's, the table's, each in its room */
};

/* Continues a table, in the order of `offset`. */
struct rec_python_table {
	struct rec_hdr hdr;
	__u64 code, mark;
	__u32 offset, bytes;
	char table[PYTHON_TABLE_LARGE];
};

#endif
