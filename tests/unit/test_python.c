/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Python frames on their way to the model: lines from the tables of three generations of CPython
 * (made by the interpreters themselves, as were the lines expected), whose a file is, layouts, the
 * code objects and stacks of records, whole and broken.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/modules.h"
#include "collect/python_stacks.h"
#include "probe/python_elf.h"
#include "probe_tests.h"

struct line_at {
	long at;
	unsigned int line;
};

/*
 * def f(x):                    # 1
 *     a = 1
 *     b = (x +
 *          a)
 *     ... 300 empty lines
 *     for i in range(3):       # 305
 *         a += i
 *     try:
 *         g(a,
 *           b)
 *     finally:
 *         a = 2
 *     return [y
 *             for y in b]
 */
static const unsigned char table_38[] = {
	0x00, 0x01, 0x04, 0x01, 0x02, 0x01, 0x02, 0xff, 0x04, 0x7f, 0x00,
	0x7f, 0x00, 0x30, 0x0c, 0x01, 0x0a, 0x01, 0x02, 0x01, 0x04, 0x01,
	0x02, 0xff, 0x08, 0x03, 0x06, 0x01, 0x06, 0x01, 0x02, 0xff,
};
static const struct line_at lines_38[] = {
	{ 0, 2 },    { 4, 3 },    { 6, 4 },    { 8, 3 },    { 12, 305 },
	{ 24, 306 }, { 34, 307 }, { 36, 308 }, { 40, 309 }, { 42, 308 },
	{ 50, 311 }, { 56, 312 }, { 62, 313 }, { 64, 312 }, { 70, 0 },
};
static const unsigned char table_310[] = {
	0x04, 0x01, 0x02, 0x01, 0x02, 0x01, 0x04, 0xff, 0x00, 0x7f, 0x00,
	0x7f, 0x0c, 0x30, 0x0a, 0x01, 0x02, 0x01, 0x04, 0x01, 0x02, 0x01,
	0x06, 0xff, 0x0c, 0x03, 0x06, 0x01, 0x02, 0x01, 0x06, 0xff,
};
static const struct line_at lines_310[] = {
	{ 0, 2 },    { 4, 3 },    { 6, 4 },    { 8, 3 },    { 12, 305 },
	{ 24, 306 }, { 34, 307 }, { 36, 308 }, { 40, 309 }, { 42, 308 },
	{ 48, 311 }, { 60, 312 }, { 66, 313 }, { 68, 312 }, { 74, 0 },
};
static const unsigned char table_312[] = {
	0x80, 0x00, 0xd8, 0x08, 0x09, 0x80, 0x41, 0xd8, 0x09, 0x0a, 0xd8, 0x09, 0x0a, 0xf1, 0x03,
	0x01, 0x0a, 0x0b, 0x80, 0x41, 0xf4, 0x5c, 0x09, 0x00, 0x0e, 0x13, 0x90, 0x31, 0x8b, 0x58,
	0xf2, 0x00, 0x01, 0x05, 0x0f, 0x88, 0x01, 0xd8, 0x08, 0x09, 0x88, 0x51, 0x89, 0x06, 0x89,
	0x01, 0xf0, 0x03, 0x01, 0x05, 0x0f, 0xf0, 0x04, 0x04, 0x05, 0x0e, 0xdc, 0x08, 0x09, 0x88,
	0x21, 0xd8, 0x0a, 0x0b, 0xf4, 0x03, 0x01, 0x09, 0x0d, 0xf0, 0x06, 0x00, 0x0d, 0x0e, 0x88,
	0x01, 0xe0, 0x15, 0x16, 0xf6, 0x03, 0x01, 0x0c, 0x18, 0xd8, 0x10, 0x11, 0xf2, 0x03, 0x00,
	0x0d, 0x0e, 0xf2, 0x00, 0x01, 0x0c, 0x18, 0xf0, 0x00, 0x01, 0x05, 0x18, 0xf8, 0xf0, 0x03,
	0x00, 0x0d, 0x0e, 0x89, 0x01, 0xfc, 0xf2, 0x02, 0x01, 0x0c, 0x18,
};
static const struct line_at lines_312[] = {
	{ 0, 1 },     { 2, 2 },    { 6, 3 },     { 8, 4 },     { 10, 3 },    { 16, 305 },
	{ 44, 306 },  { 56, 305 }, { 58, 307 },  { 60, 308 },  { 72, 309 },  { 74, 308 },
	{ 84, 311 },  { 88, 313 }, { 90, 312 },  { 104, 313 }, { 106, 312 }, { 120, 0 },
	{ 122, 311 }, { 128, 0 },  { 138, 312 }, { 144, 0 },
};

#define CHECK_LINES(version, suffix) \
	for (size_t i = 0; i + 1 < ARRAY_LEN(lines_##suffix); i++) \
		for (long at = lines_##suffix[i].at; at < lines_##suffix[i + 1].at; at += 2) \
	ck_assert_msg(python_line(version, table_##suffix, sizeof(table_##suffix), 1, at) == \
			      lines_##suffix[i].line, \
		      "%#x at %ld: %u, not %u", version, at, \
		      python_line(version, table_##suffix, sizeof(table_##suffix), 1, at), \
		      lines_##suffix[i].line)

TEST(lines_are_pythons)
{
	CHECK_LINES(0x0308, 38);
	CHECK_LINES(0x0309, 38);
	CHECK_LINES(0x030a, 310);
	CHECK_LINES(0x030c, 312);
	CHECK_LINES(0x030e, 312);
	/* Not begun: where it is defined. */
	ck_assert_uint_eq(python_line(0x030b, table_312, sizeof(table_312), 7, -2), 7);
}

/*
 * Any bytes are a table: a line or none, and nothing beyond the table is read (the sanitizers would
 * say so).
 */
TEST(any_table_is_read_to_its_end)
{
	static const unsigned int versions[] = { 0x0308, 0x030a, 0x030b };
	unsigned int seed = 1;

	for (int round = 0; round < 3000; round++) {
		size_t bytes = (size_t)rand_r(&seed) % 40;
		unsigned char *table = malloc(bytes + 1);

		for (size_t i = 0; i < bytes; i++)
			table[i] = (unsigned char)rand_r(&seed);
		table = realloc(table, bytes ? bytes : 1);
		for (size_t i = 0; i < ARRAY_LEN(versions); i++)
			python_line(versions[i], table, bytes, (unsigned int)rand_r(&seed),
				    rand_r(&seed) % 5000 - 5);
		free(table);
	}
}

TEST(files_have_owners)
{
	static const char *const skip[] = { "*/vendored/*", "/opt/own.py", NULL };
	static const struct {
		const char *path;
		enum python_owner owner;
	} files[] = {
		{ "/home/ana/train.py", PYTHON_PROGRAM },
		{ "train.py", PYTHON_PROGRAM },
		{ "<string>", PYTHON_PROGRAM },
		{ "<ipython-input-3-0a1b>", PYTHON_PROGRAM },
		{ "/tmp/ipykernel_4242/1.py", PYTHON_PROGRAM },
		{ "<frozen runpy>", PYTHON_FRAMEWORK },
		{ "<frozen importlib._bootstrap>", PYTHON_FRAMEWORK },
		{ "/usr/lib/python3.11/threading.py", PYTHON_FRAMEWORK },
		{ "/usr/lib64/python3.9/asyncio/base.py", PYTHON_FRAMEWORK },
		{ "/root/.pyenv/versions/3.12.1/lib/python3.12/functools.py", PYTHON_FRAMEWORK },
		{ "/home/ana/mylib/python3/tool.py", PYTHON_PROGRAM },
		{ "/home/ana/lib/pythonic/tool.py", PYTHON_PROGRAM },
		{ "/usr/lib/python3/dist-packages/torch/nn/module.py", PYTHON_FRAMEWORK },
		{ "/v/lib/python3.11/site-packages/numba/core/x.py", PYTHON_FRAMEWORK },
		{ "/v/lib/python3.11/site-packages/numbat/core/x.py", PYTHON_PACKAGE },
		{ "/v/lib/python3.11/site-packages/own/model.py", PYTHON_PACKAGE },
		{ "/v/lib/python3.11/site-packages/six.py", PYTHON_PACKAGE },
		{ "/v/lib/python3.11/site-packages/rmm.py", PYTHON_FRAMEWORK },
		{ "/home/ana/vendored/x.py", PYTHON_FRAMEWORK },
		{ "/opt/own.py", PYTHON_FRAMEWORK },
		{ "<stdin>", PYTHON_PROGRAM },
		{ "<timed exec>", PYTHON_PROGRAM },
		{ "/tmp/torchinductor_ana/qy/cqy2n.py", PYTHON_GENERATED },
		{ "/cache/qy/cqy2nabcdefghijklmnopqrstuvwxyz234567abcdefghijklmno.py",
		  PYTHON_GENERATED },
		{ "/cache/qz/cqy2nabcdefghijklmnopqrstuvwxyz234567abcdefghijklmno.py",
		  PYTHON_PROGRAM },
		{ "/home/ana/qy/cqy.py", PYTHON_PROGRAM },
		{ "/home/ana/torchinductor_bench/train.py", PYTHON_PROGRAM },
		{ "<eval_with_key>.12", PYTHON_GENERATED },
		{ "<eval_with_key>.12 from /home/ana/train.py:3 in forward", PYTHON_GENERATED },
		{ "fx_generated_1.py", PYTHON_GENERATED },
		{ "<decorator-gen-7>", PYTHON_GENERATED },
		{ "<attrs generated init train.Batch>", PYTHON_GENERATED },
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		ck_assert_msg(python_owner(files[i].path, "f", skip) == files[i].owner, "%s",
			      files[i].path);
	ck_assert_int_eq(python_owner("/home/ana/vendored/x.py", "f", NULL), PYTHON_PROGRAM);
	ck_assert_int_eq(python_owner("<string>", "__create_fn__.<locals>.__init__", NULL),
			 PYTHON_GENERATED);
	ck_assert_int_eq(python_owner("x.py", "__create_fn__.<locals>.__init__", NULL),
			 PYTHON_PROGRAM);
}

/* ---- layouts ---- */

static void word_put(unsigned char *offsets, size_t at, uint64_t word)
{
	memcpy(offsets + at, &word, sizeof(word));
}

/* What _PyRuntime of 3.13.0 begins with, as far as it is looked at. */
static void offsets_313(unsigned char offsets[PYTHON_OFFSETS_BYTES])
{
	static const struct {
		uint16_t at, value;
	} words[] = {
		{ 184, 72 }, { 192, 152 }, { 232, 8 },   { 240, 0 },   { 248, 56 },
		{ 264, 70 }, { 280, 112 }, { 288, 120 }, { 296, 128 }, { 304, 136 },
		{ 312, 68 }, { 344, 200 }, { 560, 40 },
	};

	memset(offsets, 0, PYTHON_OFFSETS_BYTES);
	memcpy(offsets, "xdebugpy", 8);
	word_put(offsets, 8, 0x030d00f0);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		word_put(offsets, words[i].at, words[i].value);
}

TEST(layouts_are_checked)
{
	unsigned char offsets[PYTHON_OFFSETS_BYTES];
	struct python_layout layout;
	struct reason why = { "" };

	ck_assert_int_eq(python_layout_find(0x030b, NULL, 0, &layout, &why), 0);
	ck_assert_uint_eq(layout.version, 0x030b);
	ck_assert_int_eq(python_layout_find(0x0307, NULL, 0, &layout, &why), -ENOTSUP);
	ck_assert_int_eq(python_layout_find(0x030f, NULL, 0, &layout, &why), -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(why.text, "3.15 is not known"));
	/* From 3.13 on the file has to say so. */
	ck_assert_int_eq(python_layout_find(0x030d, NULL, 0, &layout, &why), -ENOTSUP);
	offsets_313(offsets);
	ck_assert_int_eq(python_layout_find(0x030d, offsets, sizeof(offsets), &layout, &why), 0);
	ck_assert_uint_eq(layout.code_bytecode, 200);
	ck_assert_int_eq(python_layout_find(0x030e, offsets, sizeof(offsets), &layout, &why),
			 -ENOTSUP);
	/* What it says counts. */
	word_put(offsets, 344, 208);
	ck_assert_int_eq(python_layout_find(0x030d, offsets, sizeof(offsets), &layout, &why), 0);
	ck_assert_uint_eq(layout.code_bytecode, 208);
	word_put(offsets, 248, 100000);
	ck_assert_int_eq(python_layout_find(0x030d, offsets, sizeof(offsets), &layout, &why),
			 -ENOTSUP);
	offsets_313(offsets);
	word_put(offsets, 16, 1);
	ck_assert_int_eq(python_layout_find(0x030d, offsets, sizeof(offsets), &layout, &why),
			 -ENOTSUP);
	ck_assert_ptr_nonnull(strstr(why.text, "free-threaded"));
}

/* ---- records ---- */

union code_record {
	struct rec_python_code code;
	char room[sizeof(struct rec_python_code) + PYTHON_FILE_SMALL + PYTHON_NAME_SMALL +
		  PYTHON_TABLE_SMALL];
};

static void code_make(union code_record *record, uint64_t code, const char *file, const char *name)
{
	memset(record, 0, sizeof(*record));
	record->code = (struct rec_python_code){
		.hdr = { .type = REC_PYTHON_CODE,
			 .size = sizeof(*record),
			 .program = 1,
			 .tgid = 7,
			 .tid = 7 },
		.code = code,
		.mark = 5,
		.first_line = 1,
		.version = 0x030c,
		.file_room = PYTHON_FILE_SMALL,
		.name_room = PYTHON_NAME_SMALL,
		.table_room = PYTHON_TABLE_SMALL,
		.table_bytes = sizeof(table_312),
		.table_here = sizeof(table_312),
		.file = { .chars = (__u32)strlen(file), .bytes = (__u16)strlen(file), .width = 1 },
		.name = { .chars = (__u32)strlen(name), .bytes = (__u16)strlen(name), .width = 1 },
	};
	memcpy(record->code.bytes, file, strlen(file));
	memcpy(record->code.bytes + PYTHON_FILE_SMALL, name, strlen(name));
	memcpy(record->code.bytes + PYTHON_FILE_SMALL + PYTHON_NAME_SMALL, table_312,
	       sizeof(table_312));
}

TEST(code_objects_name_frames)
{
	static const struct python_frame frame = { .code = 0x1000, .mark = 5, .at = 74 };
	const struct python_frame other = { .code = 0x1000, .mark = 6, .at = 74 };
	struct python_codes *codes = python_codes_new();
	union code_record record;
	struct python_name name;

	code_make(&record, 0x1000, "/home/ana/train.py", "Model.step");
	python_codes_add(codes, &record.code, sizeof(record));
	name = python_codes_name(codes, 1, &frame);
	ck_assert_str_eq(name.function, "Model.step");
	ck_assert_str_eq(name.file, "/home/ana/train.py");
	ck_assert_uint_eq(name.line, 308);
	ck_assert(!name.is_hidden);
	/* Other code at that address, another program. */
	ck_assert_ptr_null(python_codes_name(codes, 1, &other).function);
	ck_assert_ptr_null(python_codes_name(codes, 2, &frame).function);
	/* Instructions before the first of the program's own are not its. */
	record.code.first_instruction = 38;
	python_codes_add(codes, &record.code, sizeof(record));
	ck_assert(python_codes_name(codes, 1, &frame).is_hidden);
	python_codes_forget(codes, 1);
	ck_assert_ptr_null(python_codes_name(codes, 1, &frame).function);
	python_codes_free(codes);
}

TEST(characters_of_every_width)
{
	static const uint16_t two[] = { 0x438, 0x43c, 0x44f };
	static const uint32_t four[] = { '/', 0x1f600, 0xd800, 0xdcff, '/', 'x' };
	struct python_codes *codes = python_codes_new();
	const struct python_frame frame = { .code = 0x1000, .mark = 5, .at = 2 };
	union code_record record;
	struct python_name name;

	code_make(&record, 0x1000, "", "");
	record.code.name = (struct python_text){ .chars = 3, .bytes = sizeof(two), .width = 2 };
	memcpy(record.code.bytes + PYTHON_FILE_SMALL, two, sizeof(two));
	record.code.file = (struct python_text){ .chars = 6, .bytes = sizeof(four), .width = 4 };
	memcpy(record.code.bytes, four, sizeof(four));
	python_codes_add(codes, &record.code, sizeof(record));
	name = python_codes_name(codes, 1, &frame);
	ck_assert_str_eq(name.function, "имя");
	/* Half a surrogate pair is none; of PEP 383 it is a byte. */
	ck_assert_str_eq(name.file, "/😀\xef\xbf\xbd\xff/x");
	/* Latin-1 is not ASCII. */
	code_make(&record, 0x1000, "/tmp/gr\xfcn.py", "f");
	python_codes_add(codes, &record.code, sizeof(record));
	ck_assert_str_eq(python_codes_name(codes, 1, &frame).file, "/tmp/grün.py");
	python_codes_free(codes);
}

TEST(records_that_lie)
{
	const struct python_frame frame = { .code = 0x1000, .mark = 5, .at = 74 };
	struct python_codes *codes = python_codes_new();
	struct rec_python_table part = { .code = 0x1000, .mark = 5, .hdr = { .program = 1 } };
	union code_record record;
	int i;

	for (i = 0; i < 6; i++) {
		code_make(&record, 0x1000, "f.py", "f");
		if (i == 0)
			record.code.file.bytes = PYTHON_FILE_SMALL + 1;
		else if (i == 1)
			record.code.name.width = 3;
		else if (i == 2)
			record.code.table_here = PYTHON_TABLE_SMALL + 1;
		else if (i == 3)
			record.code.table_room = 60000;
		python_codes_add(codes, &record.code,
				 i == 4 ? sizeof(record.code) - 1 :
				 i == 5 ? sizeof(record) - 1 :
					  sizeof(record));
		ck_assert_ptr_null(python_codes_name(codes, 1, &frame).function);
	}
	/* Parts of a table: in order, and no more than it has. */
	code_make(&record, 0x1000, "f.py", "f");
	record.code.table_here = 10;
	record.code.table_bytes = sizeof(table_312);
	python_codes_add(codes, &record.code, sizeof(record));
	ck_assert_uint_eq(python_codes_name(codes, 1, &frame).line, 0);
	part.offset = 20;
	part.bytes = 10;
	python_codes_add_table(codes, &part, sizeof(part));
	part.offset = 10;
	part.bytes = sizeof(part.table) + 1;
	python_codes_add_table(codes, &part, sizeof(part));
	part.bytes = sizeof(table_312) - 9;
	python_codes_add_table(codes, &part, sizeof(part));
	ck_assert_uint_eq(python_codes_name(codes, 1, &frame).line, 0);
	part.bytes = sizeof(table_312) - 10;
	memcpy(part.table, table_312 + 10, part.bytes);
	python_codes_add_table(codes, &part, sizeof(part));
	ck_assert_uint_eq(python_codes_name(codes, 1, &frame).line, 308);
	python_codes_free(codes);
}

/* Programs may make code without end. */
TEST(code_is_bounded)
{
	struct python_frame frame = { .code = 70000, .mark = 5, .at = 74 };
	struct python_codes *codes = python_codes_new();
	union code_record record;

	code_make(&record, 1, "f.py", "f");
	for (uint64_t code = 1; code <= 70000; code++) {
		record.code.code = code;
		python_codes_add(codes, &record.code, sizeof(record));
		/* The first is used all the time. */
		frame.code = 1;
		ck_assert_ptr_nonnull(python_codes_name(codes, 1, &frame).function);
	}
	frame.code = 70000;
	ck_assert_ptr_nonnull(python_codes_name(codes, 1, &frame).function);
	frame.code = 2;
	ck_assert_ptr_null(python_codes_name(codes, 1, &frame).function);
	python_codes_free(codes);
}

/* ---- stacks ---- */

struct put_records {
	char texts[512];
	size_t sites, frames, stacks;
	uint64_t places[8];
	struct rec_stack stack;
};

static void put(void *context, const struct rec_hdr *record)
{
	struct put_records *put = context;
	const struct rec_text *text = (const struct rec_text *)record;
	const struct rec_stack *stack = (const struct rec_stack *)record;

	if (record->type == REC_SITE) {
		put->sites++;
		snprintf(put->texts + strlen(put->texts), sizeof(put->texts) - strlen(put->texts),
			 "%s|", text->text);
	} else if (record->type == REC_FRAME) {
		put->frames++;
	} else if (record->type == REC_STACK) {
		put->stacks++;
		put->stack = *stack;
		memcpy(put->places, stack->frames, stack->count * sizeof(stack->frames[0]));
	}
}

TEST(stacks_show_the_programs_line)
{
	struct rec_python_stack record = {
		.hdr = { .type = REC_PYTHON_STACK,
			 .size = sizeof(record),
			 .program = 1,
			 .tgid = 7,
			 .tid = 7 },
		.stack = 99,
		.site = 0x4000,
		.count = 3,
		.frames = { { .code = 0x1000, .mark = 5, .at = 2 },
			    { .code = 0x2000, .mark = 5, .at = 8 },
			    { .code = 0x3000, .mark = 5, .at = 74, .flags = PYTHON_UNKNOWN } },
	};
	struct stacks *stacks = stacks_new(NULL, NULL, NULL);
	struct python_stacks *python = python_stacks_new(stacks, NULL);
	struct put_records got = { .sites = 0 };
	union code_record code;

	code_make(&code, 0x1000, "/usr/lib/python3/dist-packages/torch/cuda/memory.py", "empty");
	python_stacks_record(python, &code.code.hdr, sizeof(code), put, &got);
	code_make(&code, 0x2000, "/home/ana/train.py", "step");
	python_stacks_record(python, &code.code.hdr, sizeof(code), put, &got);
	python_stacks_record(python, &record.hdr, sizeof(record), put, &got);
	ck_assert_str_eq(
		got.texts,
		"empty at memory.py:2 (python)|step at train.py:4 (python)|? at ? (python)|");
	ck_assert_uint_eq(got.frames, 3);
	ck_assert_uint_eq(got.stacks, 1);
	ck_assert_uint_eq(got.stack.count, 4);
	ck_assert_uint_eq(got.stack.shown, 2);
	ck_assert_uint_eq(got.places[0], 0x4000);
	ck_assert(PLACE_IS_PYTHON(got.places[1]) && PLACE_IS_PYTHON(got.places[2]) &&
		  got.places[1] != got.places[2]);
	ck_assert_uint_eq(stacks_id(stacks, 1, 99), got.stack.stack);
	ck_assert_uint_eq(stacks_shown(stacks, 1, 99), got.places[2]);
	/* Places are told of once; a stack with nothing known is none. */
	python_stacks_record(python, &record.hdr, sizeof(record), put, &got);
	ck_assert_uint_eq(got.sites, 3);
	record.stack = 100;
	record.frames[0].mark = record.frames[1].mark = 4;
	python_stacks_record(python, &record.hdr, sizeof(record), put, &got);
	ck_assert_uint_eq(got.stacks, 2);
	ck_assert_uint_eq(stacks_id(stacks, 1, 100), 0);
	ck_assert_uint_eq(stacks_shown(stacks, 1, 100), 0x4000);
	ck_assert_uint_eq(stacks_shown(stacks, 2, 99), 0);
	record.count = PYTHON_FRAMES + 1;
	python_stacks_record(python, &record.hdr, sizeof(record), put, &got);
	python_stacks_record(python, &record.hdr, sizeof(record) - 8, put, &got);
	ck_assert_uint_eq(got.stacks, 2);
	python_stacks_forget(python, 1);
	python_stacks_free(python);
	stacks_free(stacks);
}

/* ---- native and Python frames ---- */

#define CODE 0x500000 /* of the interpreter in these tests: */
#define LOOP 0x510000

/* What python_merge() makes: native addresses as they are, Python frames as their numbers. */
static void merge_check(struct rec_python_stack *record, const uint64_t *native, uint32_t count,
			const uint64_t *expected, uint32_t len)
{
	struct merged_frame merged[MERGED_MAX];
	uint32_t made, i;

	record->code = CODE;
	record->code_bytes = 0x100000;
	record->loop = LOOP;
	record->loop_bytes = 0x1000;
	made = python_merge(record, native, count, merged);
	ck_assert_uint_eq(made, len);
	for (i = 0; i < made; i++)
		ck_assert_uint_eq(merged[i].python ? (uint64_t)(merged[i].python - record->frames) :
						     merged[i].native,
				  expected[i]);
}

#define MERGE_CHECK(record, native, ...) \
	merge_check(record, native, ARRAY_LEN(native), (const uint64_t[]){ __VA_ARGS__ }, \
		    ARRAY_LEN(((const uint64_t[]){ __VA_ARGS__ })))

TEST(native_and_python_frames_are_one_stack)
{
	/* A call from a library, a callback from C into Python, main(). */
	const uint64_t native[] = { 0x1000, 0x1100,    CODE + 8,      LOOP + 8,  CODE + 16,
				    0x2000, CODE + 24, LOOP + 0x1000, CODE + 32, 0x3000 };
	struct rec_python_stack record = {
		.count = 4,
		.frames = { { .at = 0 },
			    { .flags = PYTHON_ENTERED },
			    { .at = 0 },
			    { .flags = PYTHON_ENTERED } },
	};
	uint64_t many[CUTOP_STACK_FRAMES];
	uint32_t i;

	MERGE_CHECK(&record, native, 0x1000, 0x1100, 0, 1, 0x2000, 2, 3, 0x3000);
	/*
	 * The native stack ends early, or Python's was cut: what lies before the interpreter
	 * remains.
	 */
	merge_check(&record, native, 5, (const uint64_t[]){ 0x1000, 0x1100, 0, 1, 2, 3 }, 6);
	merge_check(&record, native, 2, (const uint64_t[]){ 0x1000, 0x1100, 0, 1, 2, 3 }, 6);
	merge_check(&record, native, 1, (const uint64_t[]){ 0x1000, 0, 1, 2, 3 }, 5);
	record.is_cut = 1;
	MERGE_CHECK(&record, native, 0x1000, 0x1100, 0, 1, 2, 3);
	record.is_cut = 0;
	/* A frame that has not been entered from C, where a run ends: the counts differ. */
	record.frames[1].flags = 0;
	MERGE_CHECK(&record, native, 0x1000, 0x1100, 0, 1, 2, 3);
	/* An extension module in the interpreter's own file is the call site all the same. */
	merge_check(&record, (const uint64_t[]){ CODE + 8 }, 1,
		    (const uint64_t[]){ CODE + 8, 0, 1, 2, 3 }, 5);
	/* As many frames as can be. */
	for (i = 0; i < ARRAY_LEN(many); i++)
		many[i] = 0x1000 + i;
	record.count = PYTHON_FRAMES;
	memset(record.frames, 0, sizeof(record.frames));
	ck_assert_uint_eq(python_merge(&record, many, ARRAY_LEN(many),
				       (struct merged_frame[MERGED_MAX]){ 0 }),
			  MERGED_MAX);
	for (i = 0; i < PYTHON_FRAMES; i++)
		record.frames[i].flags = PYTHON_ENTERED;
	for (i = 1; i < ARRAY_LEN(many); i++)
		many[i] = i <= PYTHON_FRAMES ? LOOP + i : 0x1000 + i;
	ck_assert_uint_eq(python_merge(&record, many, ARRAY_LEN(many),
				       (struct merged_frame[MERGED_MAX]){ 0 }),
			  CUTOP_STACK_FRAMES);
}

TEST(stacks_made_anew_are_bounded)
{
	struct stacks *stacks = stacks_new(NULL, NULL, NULL);
	const __u64 frames[] = { 0x4000, PLACE_PYTHON | 1 };
	uint64_t i;

	/*
	 * As many as a program that makes and runs code for ever would have; and those of another
	 * program.
	 */
	ck_assert_uint_ne(stacks_keep(stacks, 2, PYTHON_STACK | 1, frames, 2, 1), 0);
	for (i = 1; i <= 200000; i++)
		ck_assert_uint_ne(stacks_keep(stacks, 1, PYTHON_STACK | i, frames, 2, 1), 0);
	ck_assert_uint_eq(stacks_shown(stacks, 2, PYTHON_STACK | 1), 0);
	ck_assert_uint_eq(stacks_shown(stacks, 1, PYTHON_STACK | 1), 0);
	ck_assert_uint_eq(stacks_shown(stacks, 1, PYTHON_STACK | 100000), PLACE_PYTHON | 1);
	ck_assert_uint_eq(stacks_shown(stacks, 1, PYTHON_STACK | 200000), PLACE_PYTHON | 1);
	stacks_note(stacks, 1, PYTHON_STACK | 300000, 0x4000);
	ck_assert_uint_eq(stacks_shown(stacks, 1, PYTHON_STACK | 300000), 0x4000);
	ck_assert_uint_eq(stacks_id(stacks, 1, PYTHON_STACK | 300000), 0);
	stacks_forget(stacks, 1);
	ck_assert_uint_eq(stacks_shown(stacks, 1, PYTHON_STACK | 200000), 0);
	stacks_free(stacks);
}
