/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One hash table for all programs, in the order of use (uthash keeps entries in the order in which
 * they were added; a used entry is removed and added again). The BPF side, which remembers a
 * quarter as many at most, sends each code object once.
 */
#include "collect/python_codes.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "names/python_lines.h"

#define CODES_MAX 65536
#define BYTES_MAX (48u << 20)

struct code_key {
	uint64_t code, mark;
	uint32_t program, pad;
};

struct code {
	struct code_key key;
	size_t bytes; /* size of the whole entry */
	unsigned int version, first_line, first_instruction;
	/* bytes of the table that have come; its full size, which further records complete */
	uint32_t table_bytes, table_room;
	char *file, *function; /* NUL-ended, inside `text` */
	unsigned char *table;
	UT_hash_handle hh;
	char text[];
};

struct python_codes {
	struct code *codes;
	size_t bytes;
};

struct python_codes *python_codes_new(void)
{
	return calloc(1, sizeof(struct python_codes));
}

static void code_free(struct python_codes *codes, struct code *code)
{
	HASH_DEL(codes->codes, code);
	codes->bytes -= code->bytes;
	free(code);
}

void python_codes_free(struct python_codes *codes)
{
	struct code *code, *next;

	if (!codes)
		return;
	HASH_ITER(hh, codes->codes, code, next)
		code_free(codes, code);
	free(codes);
}

void python_codes_forget(struct python_codes *codes, uint32_t program)
{
	struct code *code, *next;

	HASH_ITER(hh, codes->codes, code, next)
		if (code->key.program == program)
			code_free(codes, code);
}

static struct code *code_find(struct python_codes *codes, uint32_t program, uint64_t address,
			      uint64_t mark)
{
	struct code_key key = { .code = address, .mark = mark, .program = program };
	struct code *code;

	HASH_FIND(hh, codes->codes, &key, sizeof(key), code);
	return code;
}

/* ---- text ---- */

static uint32_t point_at(const char *bytes, unsigned int width, size_t n)
{
	uint16_t two;
	uint32_t four;

	switch (width) {
	case 1: return (unsigned char)bytes[n];
	case 2: memcpy(&two, bytes + 2 * n, sizeof(two)); return two;
	default: memcpy(&four, bytes + 4 * n, sizeof(four)); return four;
	}
}

/*
 * Writes @point as UTF-8 to @out, which has room for 4 bytes. A lone surrogate from DC80 on stands
 * for a byte of a file name that is not UTF-8 (PEP 383), and becomes that byte. Returns the bytes
 * written.
 */
static size_t point_put(uint32_t point, char *out)
{
	if (point >= 0xdc80 && point <= 0xdcff) {
		out[0] = (char)(point & 0xff);
		return 1;
	}
	if ((point >= 0xd800 && point <= 0xdfff) || point > 0x10ffff || !point)
		point = 0xfffd;
	if (point < 0x80) {
		out[0] = (char)point;
		return 1;
	}
	if (point < 0x800) {
		out[0] = (char)(0xc0 | point >> 6);
		out[1] = (char)(0x80 | (point & 0x3f));
		return 2;
	}
	if (point < 0x10000) {
		out[0] = (char)(0xe0 | point >> 12);
		out[1] = (char)(0x80 | (point >> 6 & 0x3f));
		out[2] = (char)(0x80 | (point & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | point >> 18);
	out[1] = (char)(0x80 | (point >> 12 & 0x3f));
	out[2] = (char)(0x80 | (point >> 6 & 0x3f));
	out[3] = (char)(0x80 | (point & 0x3f));
	return 4;
}

/*
 * Writes @text, whose characters are at @bytes, to @out, which has room for 4 bytes of each, and a
 * NUL. Returns the bytes written.
 */
static size_t text_put(const struct python_text *text, const char *bytes, char *out)
{
	size_t count = text->width ? text->bytes / text->width : 0, i, len = 0;

	for (i = 0; i < count; i++)
		len += point_put(point_at(bytes, text->width, i), out + len);
	out[len++] = 0;
	return len;
}

/* ---- records ---- */

static bool text_fits(const struct python_text *text, uint16_t room)
{
	return text->bytes <= room &&
	       (!text->width || text->width == 1 || text->width == 2 || text->width == 4);
}

static void bound(struct python_codes *codes, size_t bytes)
{
	while (codes->codes &&
	       (codes->bytes + bytes > BYTES_MAX || HASH_COUNT(codes->codes) >= CODES_MAX))
		code_free(codes, codes->codes);
}

#define TABLE_MAX ((PYTHON_TABLE_PARTS + 1) * PYTHON_ROOM(PYTHON_TABLE_LARGE))

void python_codes_add(struct python_codes *codes, const struct rec_python_code *record, size_t size)
{
	size_t rooms, bytes, table_room;
	struct code *code;

	if (size < sizeof(*record))
		return;
	rooms = (size_t)record->file_room + record->name_room + record->table_room;
	if (size < sizeof(*record) + rooms || !text_fits(&record->file, record->file_room) ||
	    !text_fits(&record->name, record->name_room) || record->table_here > record->table_room)
		return;
	code = code_find(codes, record->hdr.program, record->code, record->mark);
	if (code)
		code_free(codes, code);
	table_room = record->table_bytes < TABLE_MAX ? record->table_bytes : TABLE_MAX;
	if (table_room < record->table_here)
		table_room = record->table_here;
	bytes = sizeof(*code) + 4u * (record->file.bytes + record->name.bytes) + 2 + table_room;
	bound(codes, bytes);
	code = calloc(1, bytes);
	if (!code)
		return;
	code->key = (struct code_key){ .code = record->code,
				       .mark = record->mark,
				       .program = record->hdr.program };
	code->bytes = bytes;
	code->version = record->version;
	code->first_line = record->first_line;
	code->first_instruction = record->first_instruction;
	code->file = code->text;
	code->function = code->file + text_put(&record->file, record->bytes, code->file);
	code->table = (unsigned char *)code->function +
		      text_put(&record->name, record->bytes + record->file_room, code->function);
	code->table_bytes = record->table_here;
	code->table_room = (uint32_t)table_room;
	memcpy(code->table, record->bytes + record->file_room + record->name_room,
	       record->table_here);
	HASH_ADD(hh, codes->codes, key, sizeof(code->key), code);
	codes->bytes += bytes;
}

void python_codes_add_table(struct python_codes *codes, const struct rec_python_table *record,
			    size_t size)
{
	struct code *code;

	if (size < sizeof(*record) || record->bytes > sizeof(record->table))
		return;
	code = code_find(codes, record->hdr.program, record->code, record->mark);
	/* Parts have to come in order, otherwise the rest is unknown. */
	if (!code || record->offset != code->table_bytes ||
	    record->bytes > code->table_room - code->table_bytes)
		return;
	memcpy(code->table + code->table_bytes, record->table, record->bytes);
	code->table_bytes += record->bytes;
}

struct python_name python_codes_name(struct python_codes *codes, uint32_t program,
				     const struct python_frame *frame)
{
	struct python_name name = { .function = NULL };
	struct code *code = code_find(codes, program, frame->code, frame->mark);

	if (!code || frame->flags & PYTHON_UNKNOWN)
		return name;
	HASH_DEL(codes->codes, code);
	HASH_ADD(hh, codes->codes, key, sizeof(code->key), code);
	name.function = *code->function ? code->function : "?";
	name.file = code->file;
	name.line = python_line(code->version, code->table, code->table_bytes, code->first_line,
				frame->at);
	name.is_hidden = frame->at < 2 * (long)code->first_instruction && code->version >= 0x030b;
	return name;
}
