/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code objects, for python.bpf.h: their marks, their copies, and the stacks that contain them. The
 * names of a frame come from the code's file, name, first line and table of lines. A mark is the
 * code's first line together with the version number that each code object has. Before Python 3.12
 * there is no such number: then the names, and the beginning of the table, are used instead.
 */
#ifndef PYTHON_CODE_BPF_H
#define PYTHON_CODE_BPF_H

#include "python_state.bpf.h"

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

#endif
