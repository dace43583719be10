/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns Python stacks, as the BPF side reports them, into stacks and places of the stream, like
 * native ones: each frame is a place with a text, "make_buffer at train.py:12 (python)", and the
 * stack says which of them is shown as the call site.
 */
#ifndef COLLECT_PYTHON_STACKS_H
#define COLLECT_PYTHON_STACKS_H

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

#endif
