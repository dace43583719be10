/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A Python place is identified by a hash of its function, file and line, so that the same line is
 * one place, whichever code object it was found in. Its text is sent once per program. The call
 * site shown is the innermost frame of the program itself; if all files are installed packages, the
 * innermost frame outside the known frameworks; else the innermost that no library has generated.
 */
#include "collect/python_stacks.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "collect/record_sink.h"
#include "util/util.h"

/* ---- lines ---- */

/*
 * Three forms of tables, each a list of steps over the bytecode and over the lines:
 *
 *   3.8, 3.9   co_lnotab: pairs of bytes, unsigned and signed; a line begins where its step is
 *   3.10       co_linetable: the same pairs, in which the first is the length; -128: no line
 *   3.11 on    co_linetable: entries of several bytes, of which the first alone has its highest bit set. It holds a
 *              kind and how many units of bytecode (two bytes each) the entry is for; columns are
 *              passed over
 *
 * CPython: Objects/lnotab_notes.txt and Objects/locations.md (InternalDocs/code_objects.md)
 * describe them.
 */

#define NO_LINE (-128)

/*
 * How far the line number moves by entries of a kind; others say it themselves, or do not move it.
 */
enum entry_kind { ENTRY_ONE_LINE = 10, ENTRY_NO_COLUMNS = 13, ENTRY_LONG = 14, ENTRY_NONE = 15 };

static unsigned int in_lnotab(const unsigned char *table, size_t bytes, long line, long at)
{
	long here = 0;
	size_t i;

	for (i = 0; i + 1 < bytes; i += 2) {
		here += table[i];
		if (here > at)
			break;
		line += (signed char)table[i + 1];
	}
	return line > 0 ? (unsigned int)line : 0;
}

static unsigned int in_linetable(const unsigned char *table, size_t bytes, long line, long at)
{
	long end = 0, shown = 0;
	size_t i;

	for (i = 0; end <= at; i += 2) {
		if (i + 1 >= bytes)
			return 0;
		end += table[i];
		if ((signed char)table[i + 1] == NO_LINE) {
			shown = 0;
		} else {
			line += (signed char)table[i + 1];
			shown = line;
		}
	}
	return shown > 0 ? (unsigned int)shown : 0;
}

/* A signed number in pieces of 6 bits, the lowest first; its sign is the lowest bit. */
static long signed_at(const unsigned char *table, size_t bytes, size_t at)
{
	unsigned long value = 0;
	unsigned int shift;

	for (shift = 0; at < bytes && shift < 36; shift += 6) {
		value |= (unsigned long)(table[at] & 0x3f) << shift;
		if (!(table[at++] & 0x40))
			break;
	}
	return value & 1 ? -(long)(value >> 1) : (long)(value >> 1);
}

static unsigned int in_locations(const unsigned char *table, size_t bytes, long line, long at)
{
	long end = 0;
	size_t i = 0;

	while (i < bytes) {
		unsigned int kind = table[i] >> 3 & 15;

		end += 2 * ((table[i] & 7) + 1);
		if (kind == ENTRY_LONG || kind == ENTRY_NO_COLUMNS)
			line += signed_at(table, bytes, i + 1);
		else if (kind >= ENTRY_ONE_LINE && kind < ENTRY_NO_COLUMNS)
			line += kind - ENTRY_ONE_LINE;
		if (end > at)
			return kind == ENTRY_NONE || line <= 0 || line > 0x7fffffff ?
				       0 :
				       (unsigned int)line;
		do
			i++;
		while (i < bytes && !(table[i] & 0x80));
	}
	return 0;
}

unsigned int python_line(unsigned int version, const unsigned char *table, size_t bytes,
			 unsigned int first_line, long at)
{
	if (at < 0)
		return first_line;
	if (version < 0x030a)
		return in_lnotab(table, bytes, first_line, at);
	return version == 0x030a ? in_linetable(table, bytes, first_line, at) :
				   in_locations(table, bytes, first_line, at);
}

/* ---- whose a file is ---- */

/*
 * Installed packages are in site-packages or dist-packages, Python's own library in lib/pythonX.Y.
 * Programs may be installed, too, so frameworks that CUDA programs build on are listed by name.
 */

static const char *const frameworks[] = {
	"accelerate", "apex",       "bitsandbytes", "cuda",       "cudf",
	"cugraph",    "cuml",       "cupy",         "cupyx",      "cupy_backends",
	"cuvs",       "deepspeed",  "fastrlock",    "flash_attn", "flax",
	"jax",        "jaxlib",     "keras",        "lightning",  "lightning_fabric",
	"numba",      "numba_cuda", "numpy",        "nvidia",     "optax",
	"pandas",     "pycuda",     "pylibraft",    "pytools",    "pytorch_lightning",
	"raft_dask",  "rmm",        "scipy",        "skcuda",     "tensorflow",
	"tensorrt",   "tinygrad",   "torch",        "torchaudio", "torchvision",
	"triton",     "xformers",   NULL,
};

/* The part of @path after a component named @name; NULL: it has none. */
static const char *behind(const char *path, const char *name)
{
	size_t len = strlen(name);
	const char *at;

	for (at = path; (at = strstr(at, name)); at += len)
		if ((at == path || at[-1] == '/') && at[len] == '/')
			return at + len + 1;
	return NULL;
}

/* True if @path contains "lib/python3.11/" or "lib64/python3.11/". */
static bool in_own_library(const char *path)
{
	const char *at, *rest;

	for (at = path; (at = strstr(at, "/python")); at++) {
		rest = at + strlen("/python");
		rest += strspn(rest, "0123456789.");
		if (rest > at + strlen("/python") && *rest == '/' &&
		    ((at - path >= 4 && !strncmp(at - 4, "/lib", 4)) ||
		     (at - path >= 6 && !strncmp(at - 6, "/lib64", 6))))
			return true;
	}
	return false;
}

static bool is_framework(const char *package)
{
	size_t len = strcspn(package, "/"), i;

	/* A module of one file. */
	if (!package[len] && len > 3 && !strcmp(package + len - 3, ".py"))
		len -= 3;
	for (i = 0; frameworks[i]; i++)
		if (strlen(frameworks[i]) == len && !strncmp(frameworks[i], package, len))
			return true;
	return false;
}

/*
 * Modules that torch.compile() writes: cache/qy/cqy2n...py, 51 digits of a hash, of which the first two
 * are the folder's name.
 */
static bool is_inductor(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && name - path >= 3 && name[-3] == '/' && name[1] == 'c' &&
	       !strncmp(name + 2, name - 2, 2) &&
	       strspn(name + 2, "abcdefghijklmnopqrstuvwxyz234567") == 51 &&
	       !strcmp(name + 53, ".py");
}

/* Code that a library made and ran, which no one has written. */
static bool is_generated(const char *path, const char *function)
{
	static const char *const globs[] = {
		"*/torchinductor_*/[!/][!/]/*.py", /* torch.compile()'s usual cache */
		"<eval_with_key>*",                /* torch.fx */
		"fx_generated_*",
		"<attrs generated *",
		"<*-gen-[0-9]*>",       /* decorator, makefun */
		"<lambdifygenerated-*", /* sympy */
		"<@beartype(*",
		"<__array_function__ internals>",
		NULL,
	};
	const char *const *glob;

	for (glob = globs; *glob; glob++)
		if (!fnmatch(*glob, path, 0))
			return true;
	/* Methods of dataclasses; that does not tell before Python 3.11, which has plain names. */
	return is_inductor(path) ||
	       (!strcmp(path, "<string>") &&
		!strncmp(function, "__create_fn__.", strlen("__create_fn__.")));
}

enum python_owner python_owner(const char *path, const char *function, const char *const *skip)
{
	const char *package;

	if (is_generated(path, function))
		return PYTHON_GENERATED;
	for (; skip && *skip; skip++)
		if (!fnmatch(*skip, path, 0))
			return PYTHON_FRAMEWORK;
	/* A module of Python's own library, built in. */
	if (!strncmp(path, "<frozen ", strlen("<frozen ")))
		return PYTHON_FRAMEWORK;
	package = behind(path, "site-packages");
	if (!package)
		package = behind(path, "dist-packages");
	if (package)
		return is_framework(package) ? PYTHON_FRAMEWORK : PYTHON_PACKAGE;
	return in_own_library(path) ? PYTHON_FRAMEWORK : PYTHON_PROGRAM;
}

/* ---- code objects ---- */

/*
 * One hash table for all programs, in the order of use (uthash keeps entries in the order in which
 * they were added; a used entry is removed and added again). The BPF side, which remembers a
 * quarter as many at most, sends each code object once.
 */

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

/* ---- native and Python frames ---- */

/*
 * Python code is run by one function of the interpreter, called its loop: each native frame of that
 * function stands for the Python frames since it was entered. So these replace the interpreter's
 * native frames, if both stacks contain the loop equally often. If they do not, the native stack
 * beyond the interpreter cannot be trusted, as most interpreters are compiled without frame
 * pointers: then the native frames up to the interpreter are kept, and all Python frames follow
 * them.
 */

static bool lies_in(uint64_t address, uint64_t start, uint32_t bytes)
{
	/* A return address is the address after the call. */
	return address - 1 - start < bytes;
}

static bool is_interpreter(const struct rec_python_stack *record, uint64_t address)
{
	return lies_in(address, record->code, record->code_bytes);
}

static bool is_loop(const struct rec_python_stack *record, uint64_t address)
{
	return lies_in(address, record->loop, record->loop_bytes);
}

/* True if both stacks contain each run of the interpreter's loop. */
static bool agree(const struct rec_python_stack *record, const uint64_t *native, uint32_t count)
{
	uint32_t loops = 0, entered = 0, i;

	for (i = 0; i < count; i++)
		loops += is_loop(record, native[i]);
	for (i = 0; i < record->count; i++)
		entered += record->frames[i].flags & PYTHON_ENTERED;
	return !record->is_cut && !record->is_gapped && loops == entered;
}

uint32_t python_merge(const struct rec_python_stack *record, const uint64_t *native, uint32_t count,
		      struct merged_frame *merged)
{
	bool agrees = agree(record, native, count), is_entered;
	uint32_t made = 0, next = 0, i;

	merged[made++] = (struct merged_frame){ .native = native[0] };
	for (i = 1; i < count && (agrees || !is_interpreter(record, native[i])); i++) {
		if (!is_interpreter(record, native[i]))
			merged[made++] = (struct merged_frame){ .native = native[i] };
		if (!is_loop(record, native[i]))
			continue;
		for (is_entered = false; next < record->count && !is_entered; next++) {
			merged[made++] = (struct merged_frame){ .python = &record->frames[next] };
			is_entered = record->frames[next].flags & PYTHON_ENTERED;
		}
	}
	while (next < record->count)
		merged[made++] = (struct merged_frame){ .python = &record->frames[next++] };
	return made;
}

/* ---- stacks ---- */

struct python_stacks {
	struct stacks *stacks;
	const char *const *skip;
	struct python_codes *codes;
	struct told_places told;
};

struct python_stacks *python_stacks_new(struct stacks *stacks, const char *const *skip)
{
	struct python_stacks *python = calloc(1, sizeof(*python));

	if (!python)
		return NULL;
	python->stacks = stacks;
	python->skip = skip;
	python->codes = python_codes_new();
	if (python->codes)
		return python;
	free(python);
	return NULL;
}

void python_stacks_forget(struct python_stacks *python, uint32_t id)
{
	/* Most programs have no Python frames. */
	if (told_forget(&python->told, id))
		python_codes_forget(python->codes, id);
}

void python_stacks_free(struct python_stacks *python)
{
	if (!python)
		return;
	told_free(&python->told);
	python_codes_free(python->codes);
	free(python);
}

/* ---- places ---- */

static uint64_t text_hash(uint64_t hash, const char *text)
{
	do
		/* FNV-1a, 64 bits, with the NUL */
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
	while (*text++);
	return hash;
}

static uint64_t place_of(const struct python_name *name)
{
	uint64_t hash = text_hash(text_hash(0xcbf29ce484222325ull, name->function), name->file);

	hash = (hash ^ name->line) * 0x9e3779b97f4a7c15ull;
	hash ^= hash >> 32;
	return PLACE_PYTHON | hash >> 8;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

struct telling {
	void (*put)(void *context, const struct rec_hdr *record);
	void *context;
	uint32_t tgid;
};

static void place_tell(const struct telling *telling, uint32_t program, uint64_t place,
		       const struct python_name *name)
{
	struct rec_frame *frame = frame_record_new(program, telling->tgid, place, FRAME_PYTHON,
						   name->function, name->file, "", name->line, 0);
	const char *file = *name->file ? base_of(name->file) : "?";
	char *text =
		name->is_mark ? format_new("%s", name->function) :
		name->line ? format_new("%s at %s:%u (python)", name->function, file, name->line) :
			     format_new("%s at %s (python)", name->function, file);
	struct rec_text *record =
		text ? text_record_new(REC_SITE, program, telling->tgid, place, 0, text) : NULL;

	if (record)
		telling->put(telling->context, &record->hdr);
	if (frame)
		telling->put(telling->context, &frame->hdr);
	free(record);
	free(frame);
	free(text);
}

/* ---- stacks ---- */

/* A stack of the stream under construction. */
struct making {
	uint64_t frames[CUTOP_STACK_FRAMES];
	uint32_t count;
	/* for each owner of files, the innermost frame in such a file; 0: none */
	uint32_t shown[PYTHON_GENERATED + 1];
	bool is_known; /* a Python frame in it is known */
};

static void frame_add(struct making *making, uint64_t place)
{
	if (making->count < CUTOP_STACK_FRAMES)
		making->frames[making->count++] = place;
}

static void place_add(struct python_stacks *python, struct making *making, uint32_t program,
		      const struct python_name *name, const struct telling *telling)
{
	uint64_t place = place_of(name);

	if (told_is_first(&python->told, program, place))
		place_tell(telling, program, place, name);
	frame_add(making, place);
}

static void python_add(struct python_stacks *python, struct making *making, uint32_t program,
		       const struct python_frame *frame, const struct telling *telling)
{
	static const struct python_name unknown = { .function = "?", .file = "?" };
	struct python_name name = python_codes_name(python->codes, program, frame);
	enum python_owner owner;

	if (name.is_hidden)
		return;
	if (name.function) {
		making->is_known = true;
		owner = python_owner(name.file, name.function, python->skip);
		if (!making->shown[owner])
			making->shown[owner] = making->count;
	} else {
		name = unknown;
	}
	place_add(python, making, program, &name, telling);
}

static uint32_t shown_of(const struct making *making)
{
	enum python_owner owner;

	for (owner = PYTHON_PROGRAM; owner <= PYTHON_FRAMEWORK; owner++)
		if (making->shown[owner])
			return making->shown[owner];
	return 0;
}

/* Frames from the innermost on, if not all fit beside the outermost and three marks */
#define STACK_INNER (CUTOP_STACK_FRAMES - PYTHON_OUTER - 3)

static void stack_add(struct python_stacks *python, const struct rec_python_stack *record,
		      const struct telling *telling)
{
	static const struct python_name gap = { .function = "(frames are left out)",
						.file = "",
						.is_mark = true },
					cut = { .function = "(the stack ends early)",
						.file = "",
						.is_mark = true };
	size_t size = sizeof(struct rec_stack);
	uint32_t program = record->hdr.program, count, i;
	struct merged_frame merged[MERGED_MAX];
	struct making making = { .count = 0 };
	const uint64_t site = record->site, *native;
	struct rec_stack *stack;

	native = record->native ? stacks_frames(python->stacks, program, record->native, &count) :
				  NULL;
	/* The call site comes first, as in each stack. */
	count = native ? python_merge(record, native, count, merged) :
			 python_merge(record, &site, 1, merged);
	for (i = 0; i < count; i++) {
		if (i == STACK_INNER && count > STACK_INNER + PYTHON_OUTER) {
			i = count - PYTHON_OUTER;
			place_add(python, &making, program, &gap, telling);
		} else if (record->is_gapped && merged[i].python == record->frames + PYTHON_INNER) {
			place_add(python, &making, program, &gap, telling);
		}
		if (merged[i].python)
			python_add(python, &making, program, merged[i].python, telling);
		else
			frame_add(&making, merged[i].native);
	}
	if (record->is_cut)
		place_add(python, &making, program, &cut, telling);
	if (!making.is_known) {
		stacks_note(python->stacks, program, record->stack, record->site);
		return;
	}
	size += making.count * sizeof(making.frames[0]);
	stack = calloc(1, size);
	if (!stack)
		return;
	stack->hdr = record->hdr;
	stack->hdr.type = REC_STACK;
	stack->hdr.size = (__u16)size;
	stack->count = making.count;
	stack->shown = shown_of(&making);
	memcpy(stack->frames, making.frames, making.count * sizeof(making.frames[0]));
	stack->stack = stacks_keep(python->stacks, program, record->stack, stack->frames,
				   stack->count, stack->shown);
	if (stack->stack)
		telling->put(telling->context, &stack->hdr);
	free(stack);
}

void python_stacks_record(struct python_stacks *python, const struct rec_hdr *record, size_t size,
			  void (*put)(void *context, const struct rec_hdr *record), void *context)
{
	const struct telling telling = { .put = put, .context = context, .tgid = record->tgid };
	const struct rec_python_stack *stack = (const struct rec_python_stack *)record;

	switch (record->type) {
	case REC_PYTHON_CODE:
		python_codes_add(python->codes, (const struct rec_python_code *)record, size);
		break;
	case REC_PYTHON_TABLE:
		python_codes_add_table(python->codes, (const struct rec_python_table *)record,
				       size);
		break;
	case REC_PYTHON_STACK:
		if (size >= sizeof(*stack) && stack->stack && stack->count <= PYTHON_FRAMES)
			stack_add(python, stack, &telling);
		break;
	}
}
