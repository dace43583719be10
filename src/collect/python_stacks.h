/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns Python stacks, as the BPF side reports them, into stacks and places of the stream, like
 * native ones: each frame is a place with a text, "make_buffer at train.py:12 (python)", and the
 * stack says which of them is shown as the call site.
 */
#ifndef COLLECT_PYTHON_STACKS_H
#define COLLECT_PYTHON_STACKS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/stacks.h"
#include "cutop_python.h"

struct python_stacks;

/*
 * @skip: globs of files that must not be call sites, NULL-ended, or NULL. Both are borrowed.
 * Returns NULL without memory.
 */
struct python_stacks *python_stacks_new(struct stacks *stacks, const char *const *skip);
void python_stacks_free(struct python_stacks *python);
void python_stacks_forget(struct python_stacks *python, uint32_t program);

/*
 * Takes a Python record (REC_PYTHON_CODE, _TABLE, _STACK) of @size bytes. Records for the model are
 * passed to @put one by one, valid during the call; afterwards stacks_id() knows the stack.
 */
void python_stacks_record(struct python_stacks *python, const struct rec_hdr *record, size_t size,
			  void (*put)(void *context, const struct rec_hdr *record), void *context);

/*
 * Python's code objects, as copied by the BPF side: they give names to frames. Their number is
 * limited: those used longest ago are dropped first.
 */

struct python_codes;

struct python_codes *python_codes_new(void);
void python_codes_free(struct python_codes *codes);

/* Copies the contents of the record, of @size bytes. Invalid records are ignored. */
void python_codes_add(struct python_codes *codes, const struct rec_python_code *record,
		      size_t size);
void python_codes_add_table(struct python_codes *codes, const struct rec_python_table *record,
			    size_t size);

/* @program has ended: its code is not needed any more. */
void python_codes_forget(struct python_codes *codes, uint32_t program);

/* The names of a frame; the strings are borrowed until the next call of this module. */
struct python_name {
	/* Qualified from Python 3.11 on; NULL: nothing is known about the frame */
	const char *function;
	const char *file;  /* as stored in the code object; empty if it could not be read */
	unsigned int line; /* 0: none */
	/* a frame of the interpreter itself, or one that has not begun: it must not be shown */
	bool is_hidden;
	bool is_mark; /* no frame: its function says what is missing */
};

struct python_name python_codes_name(struct python_codes *codes, uint32_t program,
				     const struct python_frame *frame);

/* Merges a thread's native frames and its Python frames into one stack. */

#define MERGED_MAX (CUTOP_STACK_FRAMES + PYTHON_FRAMES)

struct merged_frame {
	uint64_t native;                   /* return address; 0: a Python frame */
	const struct python_frame *python; /* in the record */
};

/*
 * Fills @merged, MERGED_MAX frames, innermost first, from @record and the @count (at least one)
 * return addresses at @native, of which the first is the call site. Returns how many there are.
 */
uint32_t python_merge(const struct rec_python_stack *record, const uint64_t *native, uint32_t count,
		      struct merged_frame *merged);

/* Lines of Python code, from a code object's table. */

/*
 * The line of the instruction at offset @at (in bytes; below 0: the frame has not begun) of code
 * that begins at @first_line, according to its @table of @bytes bytes in the format of CPython
 * @version (0x030b). 0: it has none, or the table does not tell.
 */
unsigned int python_line(unsigned int version, const unsigned char *table, size_t bytes,
			 unsigned int first_line, long at);

/* Who a Python file belongs to: the program itself, or something that it builds on. */

enum python_owner {
	PYTHON_PROGRAM, /* not in a folder of installed packages: the program's own */
	PYTHON_PACKAGE, /* installed, and not a known framework */
	/* A known framework, Python's own library, or a file that the user named */
	PYTHON_FRAMEWORK,
	PYTHON_GENERATED, /* made by a library while the program runs: never a call site */
};

/*
 * Who @path and @function, of a code object, belong to. @skip: globs that the user gave, NULL-ended, or
 * NULL.
 */
enum python_owner python_owner(const char *path, const char *function, const char *const *skip);

#endif
