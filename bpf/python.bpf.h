/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Python's frames at a call; docs/python.md explains all of it. A thread's value under the
 * interpreter's pthread key is its thread state, which leads to its frames, innermost first. Each
 * frame names a code object and an instruction in it; if the stack, identified by a hash of both,
 * is known, nothing else is read. For a new stack each unknown code object is copied
 * (python.bpf.h): by the time user space looks, it may be gone, and its process, too.
 *
 * A code object is identified by its address and a mark, since addresses are reused. Reading the
 * marks at each call would cost as much as all the rest, so it is done for frames whose code is
 * likely to be replaced, and for all frames at one call in MARKS_ONCE_IN.
 *
 * All this is memory of the watched program, and may contain anything. The number of steps is
 * limited, only code objects are copied, and the thread state must name this thread. If something
 * cannot be read, that is counted, and the call has its native site. Nothing here may sleep.
 */
#ifndef PYTHON_BPF_H
#define PYTHON_BPF_H

#include "names.bpf.h"
#include "python_call.bpf.h"

#include "cutop_python.h"

/* ---- python state ---- */

/*
 * What python.bpf.h and python.bpf.h share: the maps, and the scratch space in which a
 * thread's frames and code objects are read.
 *
 * Their functions are not static, although no other file calls them: the verifier then verifies
 * each once in a program, and not at each call. With static ones cutop took twice as long to start.
 */

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
	__u32 is_cut, is_gapped;
	__u32 calls, retries;
	__u32 unknown;    /* frames of a new stack whose code is unknown */
	__u32 code_flags; /* enum python_code_flag of the code that was copied last */
	__u32 pad;
	__u64 hash; /* of the frames and the call */
	__u64 last; /* the hash of the previous stack, which is `known` */
	struct python_stack_known known;
	struct address_key stack_key;
	struct python_code_key code_key;
	struct python_parts parts;
	__u64 chunk_start;
	__u32 chunk_bytes, walked; /* bytes; frames, until `count` of them are kept */
	struct python_frame frames[PYTHON_FRAMES];
	/* The walk's last frames, the outermost, by their number modulo PYTHON_OUTER */
	struct python_frame outer[PYTHON_OUTER];
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

/* ---- python code ---- */

/*
 * Code objects, for python.bpf.h: their marks, their copies, and the stacks that contain them. The
 * names of a frame come from the code's file, name, first line and table of lines. A mark is the
 * code's first line together with the version number that each code object has. Before Python 3.12
 * there is no such number: then the names, and the beginning of the table, are used instead.
 */

#define PYTHON_TYPE       8  /* PyObject.ob_type */
#define PYTHON_SIZE       16 /* PyVarObject.ob_size, and a str's length */
#define PYTHON_BYTES_DATA 32 /* of a bytes object */
/* Bits 2 to 4: bytes of a character; 5: they follow the head; 6: they are ASCII */
#define PYTHON_STRING_STATE 32
#define PYTHON_SANE_CHARS   (1 << 20) /* no path and no name is longer */

/*
 * Reads the code object of @frame into the scratch space. Returns 0, or -1 if it is not one, or
 * could not be read.
 */
static __always_inline int python_code_read(struct python_scratch *scratch,
					    const struct python_frame *frame)
{
	__u32 bytes = scratch->row.layout.code_bytes;

	asm volatile("" : "+r"(bytes));
	if (bpf_probe_read_user(scratch->code, bytes & 255, (void *)frame->code))
		return -1;
	return *(__u64 *)(scratch->code + PYTHON_TYPE) == scratch->row.code_type ? 0 : -1;
}

/* Bytes of a str that count in a mark, including its head */
#define PYTHON_TEXT_MARKED 128

/*
 * Mixes the characters of the str at @address into @mark, but not the bytes behind them, which
 * change.
 */
__noinline __u64 python_text_mark(struct python_scratch *scratch, __u64 address, __u64 mark)
{
	__u64 end, word;
	__u32 i, width;

	if (!scratch || bpf_probe_read_user(scratch->chunk, PYTHON_TEXT_MARKED,
					    (void *)(address + PYTHON_SIZE)))
		return mark;
	end = *(__u64 *)scratch->chunk;
	width = scratch->chunk[PYTHON_STRING_STATE - PYTHON_SIZE];
	mark = python_mix(mark, end);
	if (end > PYTHON_TEXT_MARKED)
		end = PYTHON_TEXT_MARKED;
	end *= width >> 2 & 7;
	/* The offset of the characters in what was read. */
	i = (width & 1 << 6 ? scratch->row.layout.string_ascii : scratch->row.layout.string_wide) -
	    PYTHON_SIZE;
	end += i;
	for (i &= PYTHON_TEXT_MARKED - 8; i < PYTHON_TEXT_MARKED; i += 8) {
		if (i >= end)
			break;
		word = *(__u64 *)(scratch->chunk + (i & (PYTHON_TEXT_MARKED - 8)));
		if (end - i < 8)
			word &= (1ull << (end - i) * 8) - 1;
		mark = python_mix(mark, word);
	}
	return mark;
}

/* The mark of the code object in the scratch space, never 0. */
__noinline __u64 python_mark(struct python_scratch *scratch)
{
	__u64 table[2] = {}, mark;

	if (!scratch)
		return 1;
	mark = CODE_NUMBER(scratch, code_first);
	if (scratch->row.layout.code_version != PYTHON_NONE)
		return mark << 32 | CODE_NUMBER(scratch, code_version) | 1ull << 63;
	bpf_probe_read_user(table, sizeof(table),
			    (void *)(CODE_WORD(scratch, code_table) + PYTHON_BYTES_DATA));
	mark = python_mix(python_mix(python_mix(mark, CODE_WORD(scratch, code_table)), table[0]),
			  table[1]);
	mark = python_text_mark(scratch, CODE_WORD(scratch, code_file), mark);
	return python_text_mark(scratch, CODE_WORD(scratch, code_name), mark) | 1;
}

struct python_marking {
	struct python_scratch *scratch;
	__u64 frames; /* bits */
	__u64 marks;
};

static long python_mark_one(__u32 i, struct python_marking *marking)
{
	struct python_scratch *scratch = marking->scratch;
	struct python_frame *frame = &scratch->frames[i & (PYTHON_FRAMES - 1)];

	if (i >= scratch->count)
		return 1;
	if (marking->frames >> (i & (PYTHON_FRAMES - 1)) & 1)
		marking->marks = python_mix(marking->marks, python_code_read(scratch, frame) ?
								    0 :
								    python_mark(scratch));
	return 0;
}

/* The marks of those frames of the stack whose bits are set in @frames. */
__noinline __u64 python_marks(struct python_scratch *scratch, __u64 frames)
{
	struct python_marking marking = { .scratch = scratch, .frames = frames };

	if (!scratch)
		return 0;
	bpf_loop(PYTHON_FRAMES, python_mark_one, &marking, 0);
	return marking.marks;
}

/* ---- copies ---- */

/*
 * Reads the head of the str at @address. Returns the address of its characters; if it is not a str,
 * text->width is 0.
 */
__noinline __u64 python_text_look(struct python_scratch *scratch, __u64 address, bool is_name)
{
	struct {
		__u64 length, hash;
		__u32 state, pad;
	} head = {};
	struct python_text text = {};
	__u32 data;

	if (!scratch)
		return 0;
	data = scratch->row.layout.string_wide;
	if (!bpf_probe_read_user(&head, sizeof(head), (void *)(address + PYTHON_SIZE)) &&
	    head.length < PYTHON_SANE_CHARS && head.state & 1 << 5) {
		text.width = head.state >> 2 & 7;
		text.chars = head.length;
		if (head.state & 1 << 6)
			data = scratch->row.layout.string_ascii;
		if (text.width != 1 && text.width != 2 && text.width != 4)
			text.width = 0;
	}
	if (is_name)
		scratch->parts.name = text;
	else
		scratch->parts.file = text;
	return address + data;
}

/*
 * Reads the heads of the parts of the code object in the scratch space. True if they fit into the
 * small rooms.
 */
static __always_inline bool python_parts_look(struct python_scratch *scratch)
{
	struct python_parts *parts = &scratch->parts;
	__u64 bytes = 0, table = CODE_WORD(scratch, code_table);

	parts->file_data = python_text_look(scratch, CODE_WORD(scratch, code_file), false);
	parts->name_data = python_text_look(scratch, CODE_WORD(scratch, code_name), true);
	parts->table_data = table + PYTHON_BYTES_DATA;
	parts->unread = !parts->file.width || !parts->name.width;
	if (bpf_probe_read_user(&bytes, sizeof(bytes), (void *)(table + PYTHON_SIZE)) ||
	    bytes >= 1u << 31) {
		bytes = 0;
		parts->unread = 1;
	}
	parts->table_bytes = bytes;
	return parts->file.chars * parts->file.width <= PYTHON_ROOM(PYTHON_FILE_SMALL) &&
	       parts->name.chars * parts->name.width <= PYTHON_ROOM(PYTHON_NAME_SMALL) &&
	       bytes <= PYTHON_ROOM(PYTHON_TABLE_SMALL);
}

/*
 * Reads a text's characters, from @data on, to @bytes, as many as there is @room for: of a path the
 * last ones, so that the file's name remains. It reads no further than the text, since nothing may
 * be mapped behind it.
 */
static __always_inline void python_text_copy(struct python_text *text, __u64 data, char *bytes,
					     const __u32 room, bool is_path)
{
	__u32 whole = text->chars * text->width, here = whole;

	if (here > PYTHON_ROOM(room))
		here = PYTHON_ROOM(room);
	if (is_path)
		data += whole - here; /* both are multiples of 8, or all that is left */
	text->bytes = here;
	asm volatile("" : "+r"(here));
	if (bpf_probe_read_user(bytes, here & (room - 1), (void *)data))
		text->bytes = text->width = 0;
}

/*
 * Copies the code object of @frame, which is in the scratch space with its parts, into a record
 * with rooms of these sizes. Returns 0 or -1.
 */
static __always_inline int python_copy(struct thread_state *thread, struct python_scratch *scratch,
				       const struct python_frame *frame, const __u32 file_room,
				       const __u32 name_room, const __u32 table_room)
{
	const __u32 size = sizeof(struct rec_python_code) + file_room + name_room + table_room;
	struct rec_python_code *rec = bpf_ringbuf_reserve(&events, size, 0);
	struct python_parts *parts = &scratch->parts;
	__u64 start;
	__u32 here;

	if (!rec)
		return -1;
	header_of(thread, &rec->hdr, REC_PYTHON_CODE, size, bpf_ktime_get_ns());
	rec->code = frame->code;
	rec->mark = frame->mark;
	rec->first_line = CODE_NUMBER(scratch, code_first);
	rec->first_instruction = scratch->row.layout.code_traceable != PYTHON_NONE ?
					 CODE_NUMBER(scratch, code_traceable) :
					 0;
	rec->version = scratch->row.layout.version;
	rec->file_room = file_room;
	rec->name_room = name_room;
	rec->table_room = table_room;
	rec->pad = 0;
	python_text_copy(&parts->file, parts->file_data, rec->bytes, file_room, true);
	python_text_copy(&parts->name, parts->name_data, rec->bytes + file_room, name_room, false);
	rec->file = parts->file;
	rec->name = parts->name;
	here = parts->table_bytes;
	if (here > PYTHON_ROOM(table_room))
		here = PYTHON_ROOM(table_room);
	rec->table_here = here;
	rec->table_bytes = parts->table_bytes;
	asm volatile("" : "+r"(here));
	if (bpf_probe_read_user(rec->bytes + file_room + name_room, here & (table_room - 1),
				(void *)parts->table_data)) {
		rec->table_here = rec->table_bytes = 0;
		parts->unread = 1;
	}
	scratch->unknown += parts->unread || !rec->file.width || !rec->name.width;
	/*
	 * Code that exec() runs, and a notebook's cells, are soon gone. "<frozen
	 * importlib._bootstrap>" and the like stay. So does the main program's <module>, the
	 * outermost frame.
	 */
	scratch->code_flags = PYTHON_CODE_COPIED;
	start = *(__u64 *)rec->bytes;
	if (rec->file.width == 1 && rec->file.bytes >= 8 &&
	    ((start & 0xff) == '<' ? (start >> 8 & 0xff) != 'f' : start == 0x7970692f706d742full))
		scratch->code_flags |= PYTHON_CODE_LIKELY;
	start = *(__u64 *)(rec->bytes + file_room);
	if (rec->name.width == 1 && rec->name.bytes >= 8 && (start & 0xffff) == ('<' | 'm' << 8))
		scratch->code_flags |= PYTHON_CODE_MODULE;
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return 0;
}

__noinline int python_copy_small(struct thread_state *thread, struct python_scratch *scratch,
				 struct python_frame *frame)
{
	return thread && scratch && frame ? python_copy(thread, scratch, frame, PYTHON_FILE_SMALL,
							PYTHON_NAME_SMALL, PYTHON_TABLE_SMALL) :
					    -1;
}

__noinline int python_copy_large(struct thread_state *thread, struct python_scratch *scratch,
				 struct python_frame *frame)
{
	return thread && scratch && frame ? python_copy(thread, scratch, frame, PYTHON_FILE_LARGE,
							PYTHON_NAME_LARGE, PYTHON_TABLE_LARGE) :
					    -1;
}

struct python_announcing {
	struct thread_state *thread;
	struct python_scratch *scratch;
	struct python_frame *frame;
	__u64 marks, likely, likely_marks;
	__u32 lost, pad;
};

/* Sends part @i of a table, which continues the part in its code's record. */
static long python_table_part(__u32 i, struct python_announcing *announcing)
{
	struct python_parts *parts = &announcing->scratch->parts;
	__u32 offset = (i + 1) * PYTHON_ROOM(PYTHON_TABLE_LARGE), bytes;
	struct rec_python_table *rec;

	if (offset >= parts->table_bytes)
		return 1;
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec)
		return 1;
	header_of(announcing->thread, &rec->hdr, REC_PYTHON_TABLE, sizeof(*rec),
		  bpf_ktime_get_ns());
	rec->code = announcing->frame->code;
	rec->mark = announcing->frame->mark;
	bytes = parts->table_bytes - offset;
	if (bytes > PYTHON_ROOM(PYTHON_TABLE_LARGE))
		bytes = PYTHON_ROOM(PYTHON_TABLE_LARGE);
	rec->offset = offset;
	rec->bytes = bytes;
	asm volatile("" : "+r"(bytes));
	if (bpf_probe_read_user(rec->table, bytes & (PYTHON_TABLE_LARGE - 1),
				(void *)(parts->table_data + offset))) {
		bpf_ringbuf_discard(rec, 0);
		return 1;
	}
	bpf_ringbuf_submit(rec, quiet_flags(announcing->thread));
	return 0;
}

/* Sends the code object in the scratch space. Returns 0 or -1. */
static __always_inline int python_code_send(struct python_announcing *announcing)
{
	struct python_scratch *scratch = announcing->scratch;

	if (python_parts_look(scratch))
		return python_copy_small(announcing->thread, scratch, announcing->frame);
	if (python_copy_large(announcing->thread, scratch, announcing->frame))
		return -1;
	if (scratch->parts.table_bytes > PYTHON_ROOM(PYTHON_TABLE_LARGE))
		bpf_loop(PYTHON_TABLE_PARTS, python_table_part, announcing, 0);
	return 0;
}

/* Makes sure that user space has the code of the stack's frame @i. */
static long python_announce(__u32 i, struct python_announcing *announcing)
{
	struct python_scratch *scratch = announcing->scratch;
	struct python_frame *frame = &scratch->frames[i & (PYTHON_FRAMES - 1)];
	__u32 *known, flags = 0;

	if (i >= scratch->count)
		return 1;
	frame->mark = 0;
	if (python_code_read(scratch, frame)) {
		frame->flags |= PYTHON_UNKNOWN;
		scratch->unknown++;
		announcing->marks = python_mix(announcing->marks, 0);
		return 0;
	}
	frame->mark = python_mark(scratch);
	announcing->marks = python_mix(announcing->marks, frame->mark);
	scratch->code_key.code = frame->code;
	scratch->code_key.mark = frame->mark;
	known = bpf_map_lookup_elem(&python_codes, &scratch->code_key);
	if (known) {
		flags = *known;
	} else {
		announcing->frame = frame;
		if (python_code_send(announcing)) {
			announcing->lost = 1;
			return 1;
		}
		flags = scratch->code_flags;
		/* If something could not be read, the next stack may show more. */
		if (!scratch->unknown)
			bpf_map_update_elem(&python_codes, &scratch->code_key, &scratch->code_flags,
					    BPF_ANY);
	}
	if (flags & PYTHON_CODE_LIKELY ||
	    (flags & PYTHON_CODE_MODULE && (i + 1 < scratch->count || scratch->is_cut))) {
		announcing->likely |= 1ull << (i & (PYTHON_FRAMES - 1));
		announcing->likely_marks = python_mix(announcing->likely_marks, frame->mark);
	}
	return 0;
}

/* Sends the stack in the scratch space, whose code user space knows. Returns 0 or -1. */
__noinline int python_stack_send(struct thread_state *thread, struct python_scratch *scratch,
				 __u64 site, __u64 native)
{
	struct rec_python_stack *rec;

	if (!thread || !scratch)
		return -1;
	rec = bpf_ringbuf_reserve(&events, sizeof(*rec), 0);
	if (!rec)
		return -1;
	header_of(thread, &rec->hdr, REC_PYTHON_STACK, sizeof(*rec), bpf_ktime_get_ns());
	rec->stack = scratch->known.stack;
	rec->native = native;
	rec->site = site;
	rec->count = scratch->count;
	rec->is_cut = scratch->is_cut;
	rec->is_gapped = scratch->is_gapped;
	rec->pad = 0;
	rec->code = scratch->row.runtime + scratch->row.machine.code;
	rec->loop = scratch->row.runtime + scratch->row.machine.loop;
	rec->code_bytes = scratch->row.machine.code_bytes;
	rec->loop_bytes = scratch->row.machine.loop_bytes;
	bpf_probe_read_kernel(rec->frames, sizeof(rec->frames), scratch->frames);
	bpf_ringbuf_submit(rec, quiet_flags(thread));
	return 0;
}

/*
 * The stack in the scratch space is new, or one of its code objects is. Returns its id, or @native
 * if it was lost.
 */
static __noinline __u64 python_send(struct thread_state *thread, struct python_scratch *scratch,
				    __u64 site, __u64 native)
{
	struct python_announcing announcing = { .thread = thread, .scratch = scratch };

	if (!thread || !scratch)
		return native;
	scratch->last = 0;
	scratch->unknown = 0;
	scratch->code_key.program = thread->program;
	bpf_loop(PYTHON_FRAMES, python_announce, &announcing, 0);
	scratch->known.stack = python_mix(scratch->hash, announcing.marks) | PYTHON_STACK;
	scratch->known.marks = announcing.marks;
	scratch->known.likely = announcing.likely;
	scratch->known.likely_marks = announcing.likely_marks;
	if (announcing.lost || python_stack_send(thread, scratch, site, native)) {
		count_lost(LOST_PYTHON);
		return native;
	}
	if (scratch->unknown) {
		count_lost(LOST_PYTHON);
		if (scratch->retries++ < PYTHON_RETRIES)
			return scratch->known.stack;
	}
	scratch->stack_key.address = scratch->hash;
	scratch->stack_key.program = thread->program;
	if (bpf_map_update_elem(&python_stacks, &scratch->stack_key, &scratch->known, BPF_ANY)) {
		python_full = bpf_ktime_get_ns();
		count_lost(LOST_PYTHON);
		return scratch->known.stack;
	}
	scratch->last = scratch->hash;
	return scratch->known.stack;
}

/* ---- python ---- */

#define MARKS_ONCE_IN 64 /* calls of known stacks; a power of two */

/* ---- the walk ---- */

#if defined(__TARGET_ARCH_x86)
/* pthread_self(), and the start of a thread's values. */
static __always_inline __u64 python_thread(struct task_struct *task)
{
	return task->thread.fsbase;
}
#else
static __always_inline __u64 python_thread(struct task_struct *task)
{
	return 0; /* how this libc keeps them is unknown */
}
#endif

/* The value of @thread, a pthread_self(), under the interpreter's key. Returns 0 if it has none. */
static __always_inline __u64 python_state(struct python_scratch *scratch, __u64 thread)
{
	const struct python_layout *layout = &scratch->row.layout;
	__u32 made[2] = {}, key;
	__u64 place, state = 0;

	if (!scratch->key) {
		if (bpf_probe_read_user(made, sizeof(made),
					(void *)(scratch->row.runtime + layout->runtime_key)) ||
		    !made[0] || made[1] >= 1024) /* PTHREAD_KEYS_MAX */
			return 0;
		scratch->key = made[1] + 1;
	}
	key = scratch->key - 1;
	place = thread + layout->slots + key * 16 + 8;
	if (key >= 32) {
		place = thread + layout->slot_tables + key / 32 * 8;
		if (bpf_probe_read_user(&place, sizeof(place), (void *)place) || !place)
			return 0;
		place += key % 32 * 16 + 8;
	}
	bpf_probe_read_user(&state, sizeof(state), (void *)place);
	return state;
}

struct python_walk {
	struct python_scratch *scratch;
	__u64 frame;
	__u32 failed, pad;
};

/*
 * Reads the frame at @frame, and, if frames are adjacent, those before it. No other page is read,
 * because nothing may be mapped below the first frame of a chunk. Returns 0 if it could be read.
 */
__noinline int python_read(struct python_scratch *scratch, __u64 frame)
{
	__u64 end, start = frame;
	__u32 bytes;

	if (!scratch)
		return -1;
	end = frame + (scratch->row.layout.frame_bytes & 127);
	if (scratch->row.layout.is_stacked) {
		start = frame & ~4095ull;
		if (start < end - PYTHON_CHUNK)
			start = end - PYTHON_CHUNK;
	}
	bytes = end - start;
	scratch->chunk_start = start;
	scratch->chunk_bytes = bytes;
	asm volatile("" : "+r"(bytes));
	if (!bpf_probe_read_user(scratch->chunk, bytes & 1023, (void *)start))
		return 0;
	scratch->chunk_start = frame;
	scratch->chunk_bytes = bytes = scratch->row.layout.frame_bytes;
	asm volatile("" : "+r"(bytes));
	if (!bpf_probe_read_user(scratch->chunk, bytes & 127, (void *)frame))
		return 0;
	scratch->chunk_bytes = 0;
	return -1;
}

/* Where the walk's frame @n is. */
static __always_inline struct python_frame *python_place(struct python_scratch *scratch, __u32 n)
{
	return n < PYTHON_INNER ? &scratch->frames[n & (PYTHON_FRAMES - 1)] :
				  &scratch->outer[n & (PYTHON_OUTER - 1)];
}

/*
 * A frame that was entered from C: the outer ones belong to another run of the interpreter's loop.
 */
static __always_inline void python_entered(struct python_scratch *scratch)
{
	if (scratch->walked)
		python_place(scratch, scratch->walked - 1)->flags |= PYTHON_ENTERED;
}

static long python_step(__u32 i, struct python_walk *walk)
{
	struct python_scratch *scratch = walk->scratch;
	const struct python_layout *layout = &scratch->row.layout;
	__u64 frame = walk->frame, at = frame - scratch->chunk_start, code, instruction;
	struct python_frame *found;
	__u32 flags = 0, n;
	__u8 *bytes;

	if (!frame)
		return 1;
	if (at > PYTHON_CHUNK || at + layout->frame_bytes > scratch->chunk_bytes) {
		if (python_read(scratch, frame)) {
			walk->failed = 1;
			return 1;
		}
		at = frame - scratch->chunk_start;
	}
	bytes = scratch->chunk + (at & 1016);
	walk->frame = FRAME_WORD(bytes, layout->frame_back);
	if (layout->frame_owner != PYTHON_NONE &&
	    bytes[layout->frame_owner & 127] >= layout->owner_c) {
		python_entered(scratch);
		return 0;
	}
	code = FRAME_WORD(bytes, layout->frame_code) & ~(__u64)layout->tag;
	instruction = FRAME_WORD(bytes, layout->frame_at);
	if (layout->at_is_pointer) {
		instruction -= code + layout->code_bytecode;
		/* An instruction so far from the code is not part of it. */
		if (instruction + (1 << 30) >= 1ull << 31)
			instruction = -1;
	} else {
		instruction = (__s64)(__s32)instruction * layout->at_scale;
		flags = PYTHON_ENTERED;
	}
	if (layout->frame_entry != PYTHON_NONE && bytes[layout->frame_entry & 127])
		flags = PYTHON_ENTERED;
	n = scratch->walked;
	found = python_place(scratch, n);
	found->code = code;
	found->at = (__s32)instruction;
	found->flags = flags;
	if (n < PYTHON_INNER)
		scratch->hash = python_mix(python_mix(scratch->hash, code), (__u32)instruction);
	scratch->walked = n + 1;
	return 0;
}

/* Moves the @i-th of the outermost frames to its place. */
static long python_keep(__u32 i, struct python_scratch **at)
{
	struct python_scratch *scratch = *at;
	__u32 n = PYTHON_INNER + i;
	struct python_frame *frame = &scratch->frames[n & (PYTHON_FRAMES - 1)];

	if (n >= scratch->count)
		return 1;
	*frame = scratch->outer[(n + scratch->walked - scratch->count) & (PYTHON_OUTER - 1)];
	scratch->hash = python_mix(python_mix(scratch->hash, frame->code), (__u32)frame->at);
	return 0;
}

/* Reads the frames of the current thread. Returns how many, or -1 if they could not be read. */
__noinline int python_frames(struct python_scratch *scratch)
{
	struct python_walk walk = { .scratch = scratch };
	const struct python_layout *layout;
	__u64 thread, state;

	if (!scratch)
		return -1;
	layout = &scratch->row.layout;
	thread = python_thread(bpf_get_current_task_btf());
	state = thread ? python_state(scratch, thread) : 0;
	if (!state) {
		scratch->key = 0; /* it may have been created anew */
		return 0;
	}
	if (bpf_probe_read_user(scratch->chunk, PYTHON_STATE_BYTES, (void *)state) ||
	    *(__u64 *)(scratch->chunk + (layout->state_thread & 248)) != thread) {
		scratch->key = 0;
		return -1;
	}
	walk.frame = FRAME_WORD(scratch->chunk, layout->state_frame);
	if (walk.frame && layout->cframe_frame != PYTHON_NONE &&
	    bpf_probe_read_user(&walk.frame, sizeof(walk.frame),
				(void *)(walk.frame + layout->cframe_frame)))
		return -1;
	scratch->walked = 0;
	scratch->chunk_bytes = 0;
	bpf_loop(PYTHON_STEPS, python_step, &walk, 0);
	if (walk.failed)
		return -1;
	scratch->is_cut = walk.frame != 0;
	scratch->is_gapped = scratch->walked > PYTHON_FRAMES;
	scratch->count = scratch->is_gapped ? PYTHON_FRAMES : scratch->walked;
	if (scratch->is_gapped)
		scratch->hash = python_mix(scratch->hash, 1);
	if (scratch->count > PYTHON_INNER)
		bpf_loop(PYTHON_OUTER, python_keep, &scratch, 0);
	return scratch->count;
}

/* ---- known stacks ---- */

/* Finds out whether the thread's process has an interpreter, and which one. */
__noinline int python_look(struct thread_state *thread, struct python_scratch *scratch,
			   __u32 changes)
{
	struct python_row *row;
	__u32 tgid;

	if (!thread || !scratch)
		return 0;
	tgid = thread->tgid;
	row = bpf_map_lookup_elem(&pythons, &tgid);
	thread->python_changes = changes;
	thread->has_python = row != NULL;
	if (!row)
		return 0;
	scratch->row = *row;
	scratch->changes = changes;
	scratch->program = thread->program;
	scratch->key = 0;
	scratch->last = 0;
	scratch->retries = 0;
	return 1;
}

/* True if the code of the known stack is what it was: asked of some of it, and at times of all. */
static __always_inline bool python_is_same(struct python_scratch *scratch)
{
	if (scratch->known.likely &&
	    python_marks(scratch, scratch->known.likely) != scratch->known.likely_marks)
		return false;
	return ++scratch->calls & (MARKS_ONCE_IN - 1) ||
	       python_marks(scratch, ~0ull) == scratch->known.marks;
}

/* python_call.bpf.h */
__noinline __u64 python_take(struct thread_state *thread, __u64 site, __u64 native)
{
	__u32 changes = *(volatile __u32 *)&python_changes;
	struct python_scratch *scratch;
	struct python_stack_known *known;
	int count;

	if (!thread)
		return native;
	scratch = storage_new(python_scratches, bpf_get_current_task_btf());
	if (!scratch) {
		count_lost(LOST_PYTHON);
		return native;
	}
	if ((thread->python_changes != changes || scratch->program != thread->program ||
	     scratch->changes != changes) &&
	    !python_look(thread, scratch, changes))
		return native;
	scratch->hash = python_mix(site, native);
	count = python_frames(scratch);
	if (count < 0)
		count_lost(LOST_PYTHON);
	if (count <= 0)
		return native;
	if (!scratch->hash)
		scratch->hash = 1;
	if (scratch->last != scratch->hash) {
		scratch->stack_key.address = scratch->hash;
		scratch->stack_key.program = thread->program;
		scratch->last = 0;
		known = bpf_map_lookup_elem(&python_stacks, &scratch->stack_key);
		if (!known && python_full && bpf_ktime_get_ns() - python_full < PYTHON_FULL_NS) {
			count_lost(LOST_PYTHON);
			return native;
		}
		if (known) {
			scratch->known = *known;
			scratch->last = scratch->hash;
		}
	}
	/* Sent from one place only: python_send() is verified at each call of it. */
	if (scratch->last && python_is_same(scratch))
		return scratch->known.stack;
	return python_send(thread, scratch, site, native);
}

/* ---- processes ---- */

/*
 * At functions that an interpreter calls when it starts, or when it imports a module of machine
 * code, such as any module that calls CUDA.
 */
static __always_inline int python_begin(struct pt_regs *ctx)
{
	__u32 tgid = bpf_get_current_pid_tgid() >> 32,
	      number = CUTOP_COOKIE_CALL(bpf_get_attach_cookie(ctx)) - CUTOP_PYTHON;
	struct python_row row = {}, *before;
	struct python_function *function;

	if (tgid == own_tgid || (only_listed && !bpf_map_lookup_elem(&listed, &tgid)))
		return 0;
	function = bpf_map_lookup_elem(&python_functions, &number);
	if (!function || !function->layout.version)
		return 0;
	row.runtime = PT_REGS_IP(ctx) + function->runtime;
	row.code_type = row.runtime + function->code_type;
	row.machine = function->machine;
	row.layout = function->layout;
	before = bpf_map_lookup_elem(&pythons, &tgid);
	if (before && before->runtime == row.runtime)
		return 0;
	if (!bpf_map_update_elem(&pythons, &tgid, &row, BPF_ANY))
		__sync_fetch_and_add(&python_changes, 1);
	return 0;
}

static __always_inline void python_fork(__u32 parent, __u32 child)
{
	struct python_row *row;

	if (!with_python || !*(volatile __u32 *)&python_changes)
		return;
	row = bpf_map_lookup_elem(&pythons, &parent);
	if (row)
		bpf_map_update_elem(&pythons, &child, row, BPF_ANY);
}

/* The process ends, or runs another program. */
static __always_inline void python_end(__u32 tgid)
{
	if (with_python && *(volatile __u32 *)&python_changes)
		bpf_map_delete_elem(&pythons, &tgid);
}

#endif
