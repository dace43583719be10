/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Python code is run by one function of the interpreter, called its loop: each native frame of that
 * function stands for the Python frames since it was entered. So these replace the interpreter's
 * native frames, if both stacks contain the loop equally often. If they do not, the native stack
 * beyond the interpreter cannot be trusted, as most interpreters are compiled without frame
 * pointers: then the native frames up to the interpreter are kept, and all Python frames follow
 * them.
 */
#include "collect/python_merge.h"

#include <stdbool.h>

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
	return !record->is_cut && loops == entered;
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
