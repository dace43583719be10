/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a program without symbols has the code of NVIDIA's static runtime: calls that come from
 * there are the program's own, one or more frames further out.
 */
#ifndef NAMES_RUNTIME_RANGE_H
#define NAMES_RUNTIME_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/sections.h"

/* Places that are looked at in one file until it is given up: the rest of its code is not. */
#define RUNTIME_TRIES 32

/* What is known about a file; zeros at first. */
struct runtime_range {
	uint64_t start, end; /* file offsets; 0, 0: not found */
	bool is_final;       /* nothing more can be found in this file */
	unsigned int tried;
	uint64_t tries[RUNTIME_TRIES]; /* file offsets around which there is no runtime */
};

/* True if runtime_range_find() has to look at the file to say what is at @offset. */
bool runtime_range_is_open(const struct runtime_range *range, uint64_t offset);

/*
 * Looks for the runtime around file offset @offset of the file open at @fd, which takes some
 * milliseconds, and fills @range. The file may be of any kind.
 */
void runtime_range_find(struct runtime_range *range, int fd, uint64_t offset);

/* True if file offset @offset is known to be in the runtime. */
bool runtime_range_has(const struct runtime_range *range, uint64_t offset);

/*
 * A piece of a program's code, in which functions call which: also of a stripped program, since
 * its unwind table (.eh_frame_hdr) lists where functions begin. The code is not disassembled:
 * four bytes behind that of a call which lead exactly to the start of a function are a call, but
 * for one in millions. The file is hostile; it is read, never mapped, within bounds.
 */

struct code_call {
	uint32_t from, to; /* places in the list of functions */
};

struct code_place {
	uint64_t start, end; /* addresses before relocation */
};

struct code_window {
	const struct sections *file; /* borrowed */
	uint64_t address, offset;    /* of the first byte, before relocation and in the file */
	uint32_t size;
	/* Where the file has code, in order, without overlaps */
	struct code_place *places;
	size_t place_count;
	bool goes_on_before, goes_on_behind; /* the section does */
	unsigned char *code;
	/* Where functions begin, from @address on, sorted */
	uint32_t *functions;
	size_t count;
	/* Calls and jumps from one function to the start of another */
	struct code_call *calls;
	size_t call_count;
};

/*
 * Reads the code at most @reach bytes (up to 16 MiB) before and behind file offset @offset, as far
 * as the section goes. Returns 0, with @window to be freed by code_window_free(), -ENOENT if there
 * is no code with functions, -ENODATA if the file has no list of them, -EBADMSG if it is broken, or
 * -ENOMEM.
 */
int code_window_read(const struct sections *file, uint64_t offset, uint32_t reach,
		     struct code_window *window);
void code_window_free(struct code_window *window);

/* The function that contains the byte @at of the window; SIZE_MAX: none. */
size_t code_window_function(const struct code_window *window, uint32_t at);

/* Where the function @index ends, at most: the next one begins there, or the window ends. */
uint32_t code_window_end(const struct code_window *window, size_t index);

/*
 * Calls @visit for each function, in their order, that uses the address of a text that begins with
 * @prefix (up to 32 bytes).
 */
void code_window_users(const struct code_window *window, const char *prefix,
		       void (*visit)(void *context, size_t function), void *context);

/*
 * True if the function @index is short and ends in a jump out of the section, into the table of
 * other libraries' functions: it is never on a stack.
 */
bool code_window_forwards(const struct code_window *window, size_t index);

#endif
