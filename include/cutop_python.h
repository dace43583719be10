/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Python frames: what the BPF side needs to know of an interpreter, and what it tells of code and stacks
 * (bpf/python.bpf.h). These records go through the ring only; the collector makes places and stacks of them,
 * as of native ones, so recordings know none of this. Include <linux/types.h> or vmlinux.h first.
 */
#ifndef CUTOP_PYTHON_H
#define CUTOP_PYTHON_H

#include "cutop_event.h"

#define PYTHON_FRAMES		64	/* of a stack, the innermost; a power of two */
#define PYTHON_STEPS		96	/* frames that are looked at for that */
#define PYTHON_NONE		0xffff	/* this version has no such field */
#define PYTHON_FRAME_MAX	120	/* layout.frame_bytes */
#define PYTHON_STATE_BYTES	184	/* of a thread's state: up to its thread_id, in all versions */

/* Where the fields of one version lie, in bytes from their object's start (x86-64). */
struct python_layout {
	__u16 version;		/* 0x030b */
	__u16 runtime_key;	/* in _PyRuntime: int, whether the key of the threads' states was made; behind it, unsigned, the key */
	__u16 state_frame;	/* in a thread's state: the innermost frame, or a _PyCFrame that has it */
	__u16 cframe_frame;	/* in _PyCFrame; PYTHON_NONE: there is none in between */
	__u16 state_thread;	/* what pthread_self() is in that thread */
	__u16 frame_bytes;	/* of a frame, as far as it is read; a multiple of 8 */
	__u16 frame_back;	/* the next outer frame */
	__u16 frame_code;
	__u16 frame_at;		/* int, the instruction's index, or a pointer to it */
	__u16 frame_owner;	/* byte: who owns the frame */
	__u16 frame_entry;	/* byte, 3.11: the frame was entered from C */
	__u16 code_file, code_name, code_table, code_first;
	__u16 code_traceable;	/* instructions before this one are none of the program's */
	__u16 code_version;	/* a number that each code object has for itself */
	__u16 code_bytecode;
	__u16 code_bytes;	/* of a code object, up to the last of these fields */
	__u16 string_ascii, string_wide;	/* where the characters begin */
	__u16 slots, slot_tables;	/* of a thread's values by key, from the thread's pointer: the first 32, pointers to the others */
	__u8 owner_c;		/* frames of this owner and above are the interpreter's own */
	__u8 tag;		/* low bits of frame_code that are no part of the address */
	__u8 is_stacked;	/* frames lie one behind the other: many are read at once */
	__u8 at_is_pointer;
	__u8 at_scale;		/* bytes of an instruction's index, where frame_at is one */
	__u8 pad[3];
};

/* Where the interpreter's machine code lies, from _PyRuntime on: of its file, and of the function whose frames run Python frames. */
struct python_machine {
	__s64 code, loop;
	__u32 code_bytes, loop_bytes;
};

/* A process with an interpreter. */
struct python_row {
	__u64 runtime;		/* address of _PyRuntime */
	__u64 code_type;	/* of PyCode_Type */
	struct python_machine machine;
	struct python_layout layout;
};

/* A probed function of a file with an interpreter: what python_row says of a process that is in there. */
struct python_function {
	__s64 runtime;		/* how far from the probe _PyRuntime lies */
	__s64 code_type;	/* how far from that PyCode_Type lies */
	struct python_machine machine;
	struct python_layout layout;
};

/*
 * The functions have numbers past those of --probe. Each file has room for PYTHON_FUNCTIONS of them.
 */
#define CUTOP_PYTHON		0x9000
#define PYTHON_FILES_MAX	64
#define PYTHON_FUNCTIONS	4
#define CUTOP_IS_PYTHON(call)	((call) >= CUTOP_PYTHON && (call) < CUTOP_PYTHON + PYTHON_FILES_MAX * PYTHON_FUNCTIONS)

enum python_frame_flag {
	PYTHON_ENTERED = 1,	/* from C, not by another frame's call: the next outer frame is another run of the interpreter's loop */
	PYTHON_UNKNOWN = 2,	/* what should be its code is none, or could not be read */
};

struct python_frame {
	__u64 code;
	__s32 at;		/* the instruction, in bytes from the first; below 0: not begun */
	__u32 flags;		/* enum python_frame_flag */
	__u64 mark;		/* tells this code from later code at its address */
};

/* Set in what each stack is called: no address of user space, for which it may stand in the ring, has it. */
#define PYTHON_STACK		(1ull << 63)

/* A stack not seen before. The code of its frames was told of earlier, or with it. */
struct rec_python_stack {
	struct rec_hdr hdr;
	__u64 stack;		/* what later records call it, never 0 */
	__u64 native;		/* rec_stack.stack of the same call; 0: none */
	__u64 site;		/* the call's return address */
	__u32 count;
	__u32 is_cut;		/* there are outer frames that were not looked at */
	__u64 code, loop;	/* addresses of struct python_machine */
	__u32 code_bytes, loop_bytes;
	struct python_frame frames[PYTHON_FRAMES];	/* innermost first */
};

/* Rooms for the parts of a code object, powers of two of which the last 8 bytes stay free. Most code fits into the small ones. */
#define PYTHON_FILE_SMALL	128
#define PYTHON_NAME_SMALL	128
#define PYTHON_TABLE_SMALL	512
#define PYTHON_FILE_LARGE	1024
#define PYTHON_NAME_LARGE	1024
#define PYTHON_TABLE_LARGE	4096
#define PYTHON_ROOM(room)	((room) - 8)
#define PYTHON_TABLE_PARTS	15	/* of what does not fit even there */

/* A str: its characters, or as many as there is room for: the last ones of a path, the first ones of a name. */
struct python_text {
	__u32 chars;		/* of the whole */
	__u16 bytes;		/* that are here */
	__u16 width;		/* bytes of a character: 1, 2, 4; 0: it could not be read */
};

/* A code object not seen before. */
struct rec_python_code {
	struct rec_hdr hdr;
	__u64 code, mark;
	__u32 first_line;
	__u32 first_instruction;	/* instructions (of two bytes) before it are none of the program's */
	struct python_text file, name;
	__u32 table_bytes;	/* of the whole; 0: it could not be read */
	__u16 table_here;
	__u16 version;
	__u16 file_room, name_room, table_room;
	__u16 pad;
	char bytes[];		/* the file's, the name's, the table's, each in its room */
};

/* More of a table, in the order of `offset`. */
struct rec_python_table {
	struct rec_hdr hdr;
	__u64 code, mark;
	__u32 offset, bytes;
	char table[PYTHON_TABLE_LARGE];
};

#endif
