/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An interpreter is recognized by its symbol _PyRuntime, whatever the file's name: it is exported
 * for extension modules, even in stripped and static programs. From 3.11 on the version is the word
 * Py_Version; before, the size of _PyRuntime tells, or, if that size is of no known version, the
 * file's name.
 */
#include "probe/python_elf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "names/sections.h"
#include "probe/elffile.h"

/* ---- python layouts ---- */

/*
 * Where the fields are that lead to Python's frames, by version.
 * The table comes from CPython's headers for x86-64; so far no two builds of a minor version have
 * differed there. From 3.13 on _PyRuntime begins with struct _Py_DebugOffsets, which says most of
 * it, at offsets that differ by version; what it says takes precedence. A build with an impossible
 * value in there counts as unknown.
 * Where a thread keeps its values by key is glibc's affair (struct pthread, nptl/descr.h). Whether
 * those offsets are right is checked at each walk: the thread state found there must name this
 * thread.
 */

#define NONE         PYTHON_NONE
#define GLIBC_SLOTS  0x310 /* specific_1stblock */
#define GLIBC_TABLES 0x510 /* specific */

/* clang-format off */
/* 3.8 to 3.10: each frame is a separate object, and is run by a C function call of its own. */
#define OF_OBJECTS \
	.cframe_frame = NONE, .state_frame = 24, .state_thread = 176, .frame_bytes = 112, .frame_back = 24, .frame_code = 32, \
	.frame_owner = NONE, .frame_entry = NONE, .code_file = 104, .code_name = 112, .code_table = 120, .code_first = 40, \
	.code_traceable = NONE, .code_version = NONE, .code_bytes = 128, .string_ascii = 48, .string_wide = 72

/* From 3.11 on frames are stored one behind the other. */
#define STACKED \
	.is_stacked = 1, .at_is_pointer = 1, .frame_bytes = 80, .frame_at = 56, .code_file = 112, .code_name = 128

static const struct python_layout layouts[] = {
	{ .version = 0x0308, .runtime_key = 1392, .frame_at = 104, .at_scale = 1, OF_OBJECTS },
	{ .version = 0x0309, .runtime_key = 584, .frame_at = 104, .at_scale = 1, OF_OBJECTS },
	{ .version = 0x030a, .runtime_key = 584, .frame_at = 96, .at_scale = 2, OF_OBJECTS },
	{ .version = 0x030b, .runtime_key = 592, .state_frame = 56, .cframe_frame = 8, .state_thread = 152, .frame_back = 48,
	  .frame_code = 32, .frame_owner = NONE, .frame_entry = 68, .code_table = 136, .code_first = 72, .code_traceable = 168,
	  .code_version = NONE, .code_bytecode = 184, .code_bytes = 176, .string_ascii = 48, .string_wide = 72, STACKED },
	{ .version = 0x030c, .runtime_key = 1544, .state_frame = 56, .cframe_frame = 0, .state_thread = 136, .frame_back = 8,
	  .frame_code = 0, .frame_owner = 70, .owner_c = 3, .frame_entry = NONE, .code_table = 136, .code_first = 68,
	  .code_traceable = 176, .code_version = 92, .code_bytecode = 192, .code_bytes = 184, .string_ascii = 40,
	  .string_wide = 56, STACKED },
	{ .version = 0x030d, .runtime_key = 2160, .state_frame = 72, .cframe_frame = NONE, .state_thread = 152, .frame_back = 8,
	  .frame_code = 0, .frame_owner = 70, .owner_c = 3, .frame_entry = NONE, .code_table = 136, .code_first = 68,
	  .code_traceable = 184, .code_version = 92, .code_bytecode = 200, .code_bytes = 192, .string_ascii = 40,
	  .string_wide = 56, STACKED },
	{ .version = 0x030e, .runtime_key = 2336, .state_frame = 72, .cframe_frame = NONE, .state_thread = 152, .frame_back = 8,
	  .frame_code = 0, .tag = 3, .frame_owner = 74, .owner_c = 3, .frame_entry = NONE, .code_table = 136, .code_first = 68,
	  .code_traceable = 192, .code_version = 92, .code_bytecode = 208, .code_bytes = 200, .string_ascii = 40,
	  .string_wide = 56, STACKED },
};
/* clang-format on */

/* Offsets within a version's struct _Py_DebugOffsets, in bytes. */
struct said {
	uint16_t version, bytes; /* bytes: of the whole */
	uint16_t state_frame, state_thread, frame_back, frame_code, frame_at, frame_owner;
	uint16_t code_file, code_name, code_table, code_first, code_bytecode, string_ascii;
};

static const struct said sayings[] = {
	{ 0x030d, 584, 184, 192, 232, 240, 248, 264, 280, 296, 304, 312, 344, 560 },
	{ 0x030e, 760, 208, 216, 256, 264, 272, 288, 320, 336, 344, 352, 384, 640 },
};

#define COOKIE      "xdebugpy"
#define VERSION_AT  8
#define THREADED_AT 16

static uint64_t word_at(const unsigned char *offsets, size_t at)
{
	uint64_t word;

	memcpy(&word, offsets + at, sizeof(word));
	return word;
}

/* Stores the value at @at in *@field, unless it lies beyond what is read of such an object. */
static bool take(const unsigned char *offsets, size_t at, unsigned int limit, __u16 *field)
{
	uint64_t value = word_at(offsets, at);

	if (value >= limit)
		return false;
	*field = (__u16)value;
	return true;
}

static int say(const struct said *said, const unsigned char *offsets, size_t bytes,
	       struct python_layout *layout, struct reason *why)
{
	if (bytes < said->bytes || memcmp(offsets, COOKIE, strlen(COOKIE)) ||
	    word_at(offsets, VERSION_AT) >> 16 != said->version)
		return reason_set(why, -ENOTSUP,
				  "its _PyRuntime does not begin as that of its version");
	if (word_at(offsets, THREADED_AT))
		return reason_set(why, -ENOTSUP,
				  "it is built without the global lock (free-threaded)");
	if (!take(offsets, said->state_frame, 120, &layout->state_frame) ||
	    !take(offsets, said->state_thread, PYTHON_STATE_BYTES - 7, &layout->state_thread) ||
	    !take(offsets, said->frame_back, 73, &layout->frame_back) ||
	    !take(offsets, said->frame_code, 73, &layout->frame_code) ||
	    !take(offsets, said->frame_at, 73, &layout->frame_at) ||
	    !take(offsets, said->frame_owner, 80, &layout->frame_owner) ||
	    !take(offsets, said->code_file, 193, &layout->code_file) ||
	    !take(offsets, said->code_name, 193, &layout->code_name) ||
	    !take(offsets, said->code_table, 193, &layout->code_table) ||
	    !take(offsets, said->code_first, 193, &layout->code_first) ||
	    !take(offsets, said->code_bytecode, 1024, &layout->code_bytecode) ||
	    !take(offsets, said->string_ascii, 64, &layout->string_ascii))
		return reason_set(why, -ENOTSUP,
				  "its _PyRuntime says that its objects are other than known");
	return 0;
}

int python_layout_find(unsigned int version, const unsigned char *offsets, size_t bytes,
		       struct python_layout *layout, struct reason *why)
{
	size_t i;

#if !defined(__x86_64__)
	return reason_set(why, -ENOTSUP, "Python's frames are read on x86-64 only");
#endif
	for (i = 0; i < ARRAY_LEN(layouts); i++)
		if (layouts[i].version == version)
			break;
	if (i == ARRAY_LEN(layouts))
		return reason_set(why, -ENOTSUP, "CPython %u.%u is not known: 3.8 to 3.14 are",
				  version >> 8, version & 0xff);
	*layout = layouts[i];
	layout->slots = GLIBC_SLOTS;
	layout->slot_tables = GLIBC_TABLES;
	for (i = 0; i < ARRAY_LEN(sayings); i++)
		if (sayings[i].version == version)
			return say(&sayings[i], offsets, bytes, layout, why);
	return 0;
}

/* ---- python elf ---- */

static const char *const names[] = {
	"_PyRuntime",
	"PyCode_Type",
	"Py_Version",
	"_PyEval_EvalFrameDefault",
#define FIRST_FUNCTION 4
	"Py_InitializeFromConfig",
	"PyModuleDef_Init",
	"PyModule_Create2",
};

_Static_assert(ARRAY_LEN(names) - FIRST_FUNCTION <= PYTHON_FUNCTIONS,
	       "more than there is room for");

static const struct {
	uint64_t size;
	unsigned int version;
} runtime_sizes[] = { { 1464, 0x0308 }, { 656, 0x0309 }, { 672, 0x030a } };

struct found_symbols {
	struct python_elf *elf;
	uint64_t runtime_size, version_address;
};

static int symbol_take(void *context, const Elf64_Sym *symbol, size_t name)
{
	struct found_symbols *symbols = context;
	struct python_elf *elf = symbols->elf;

	switch (name) {
	case 0:
		elf->runtime = symbol->st_value;
		symbols->runtime_size = symbol->st_size;
		break;
	case 1: elf->code_type = symbol->st_value; break;
	case 2: symbols->version_address = symbol->st_value; break;
	case 3:
		elf->loop.address = symbol->st_value;
		elf->loop.size = (uint32_t)symbol->st_size;
		break;
	default:
		elf->functions[name - FIRST_FUNCTION].address = symbol->st_value;
		elf->functions[name - FIRST_FUNCTION].size = (uint32_t)symbol->st_size;
	}
	return 0;
}

/* Looks through the symbol table of @type. Returns 0 or a negative errno. */
static int table_read(const struct sections *file, uint32_t type, struct found_symbols *symbols)
{
	return sections_find(file, type, names, ARRAY_LEN(names), symbol_take, symbols);
}

/* The file offset of @address, in a segment with @flags; 0: it is in none. */
static uint64_t offset_of(const struct sections *file, uint64_t address, uint32_t flags)
{
	const Elf64_Phdr *phdr;
	size_t i;

	for (i = 0; i < file->segment_count; i++) {
		phdr = &file->segments[i];
		if (phdr->p_type == PT_LOAD && (phdr->p_flags & flags) == flags &&
		    address - phdr->p_vaddr < phdr->p_filesz)
			return address - phdr->p_vaddr + phdr->p_offset;
	}
	return 0;
}

static bool code_find(const struct sections *file, struct python_elf *found)
{
	size_t i;

	for (i = 0; i < file->segment_count; i++)
		if (file->segments[i].p_type == PT_LOAD && file->segments[i].p_flags & PF_X) {
			found->code_address = file->segments[i].p_vaddr;
			found->code_offset = file->segments[i].p_offset;
			found->code_bytes = file->segments[i].p_memsz;
			return true;
		}
	return false;
}

static unsigned int version_of_size(uint64_t size)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(runtime_sizes); i++)
		if (runtime_sizes[i].size == size)
			return runtime_sizes[i].version;
	return 0;
}

/* "python3.9", "libpython3.10.so.1.0". */
static unsigned int version_in_path(const char *path)
{
	const char *name = strstr(path_base(path), "python");
	unsigned int major, minor;

	return name && sscanf(name, "python%u.%u", &major, &minor) == 2 && major < 256 &&
			       minor < 256 ?
		       major << 8 | minor :
		       0;
}

static void version_find(const struct sections *file, const char *path,
			 const struct found_symbols *symbols)
{
	struct python_elf *found = symbols->elf;
	uint64_t word;

	found->version_offset =
		symbols->version_address ? offset_of(file, symbols->version_address, PF_R) : 0;
	if (found->version_offset &&
	    sections_read(file, found->version_offset, &word, sizeof(word)) == sizeof(word))
		found->version = word >> 16 & 0xffff;
	else
		found->version = version_of_size(symbols->runtime_size);
	if (!found->version)
		found->version = version_in_path(path);
}

static void layout_find(const struct sections *file, struct python_elf *found, struct reason *why)
{
	unsigned char offsets[PYTHON_OFFSETS_BYTES];
	size_t bytes, i;

	found->runtime_offset = offset_of(file, found->runtime, PF_R);
	bytes = found->runtime_offset ?
			sections_read(file, found->runtime_offset, offsets, sizeof(offsets)) :
			0;
	if (!found->version)
		reason_set(why, -ENOTSUP, "it does not say which version it is");
	else if (!found->code_type)
		reason_set(why, -ENOTSUP, "it does not export PyCode_Type");
	else if (python_layout_find(found->version, offsets, bytes, &found->layout, why))
		memset(&found->layout, 0, sizeof(found->layout));
	for (i = 0; i < PYTHON_FUNCTIONS; i++)
		if (found->functions[i].address)
			found->functions[i].offset =
				offset_of(file, found->functions[i].address, PF_X);
}

int python_elf_read(int fd, const char *path, struct python_elf *found, struct reason *why)
{
	struct found_symbols symbols = { .elf = found };
	struct sections file;
	int err = elffile_open(fd, &file, why);

	memset(found, 0, sizeof(*found));
	if (err)
		return err;
	/* All symbols are in .dynsym, or, for a program without dynamic linking, in .symtab. */
	err = table_read(&file, SHT_DYNSYM, &symbols);
	if (!err && !found->runtime && !symtab_is_of_library(&file))
		err = table_read(&file, SHT_SYMTAB, &symbols);
	if (!err && found->runtime && code_find(&file, found)) {
		version_find(&file, path, &symbols);
		layout_find(&file, found, why);
		err = 1;
	}
	sections_close(&file);
	return err;
}
