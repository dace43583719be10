/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table comes from CPython's headers for x86-64; so far no two builds of a minor version have
 * differed there. From 3.13 on _PyRuntime begins with struct _Py_DebugOffsets, which says most of
 * it, at offsets that differ by version; what it says takes precedence. A build with an impossible
 * value in there counts as unknown.
 * Where a thread keeps its values by key is glibc's affair (struct pthread, nptl/descr.h). Whether
 * those offsets are right is checked at each walk: the thread state found there must name this
 * thread.
 */
#include "probe/python_layouts.h"

#include <errno.h>
#include <string.h>

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
