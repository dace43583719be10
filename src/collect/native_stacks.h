/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finishes the walks of native stacks that the BPF side had to break off (bpf/unwind.bpf.h), and
 * adds the rows that it lacked, so that the next walk through the same code needs no help.
 */
#ifndef COLLECT_NATIVE_STACKS_H
#define COLLECT_NATIVE_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "collect/modules.h"
#include "cutop_unwind.h"
#include "probe/unwind_rows.h"

struct native_stacks;

/* All arguments are borrowed. Returns NULL without memory. */
struct native_stacks *native_stacks_new(struct modules *modules, struct unwind_rows *rows,
					const struct notes *notes);
void native_stacks_free(struct native_stacks *native);

/* @program has ended: its rows go. */
void native_stacks_forget(struct native_stacks *native, uint32_t program);

/* What is mapped from @start to @end in @program has changed: rows for addresses there go. */
void native_stacks_mapped(struct native_stacks *native, uint32_t program, uint64_t start,
			  uint64_t end);

/* Keeps a part of a long stack, whose struct rec_stack_copy is to follow. */
void native_stacks_part(struct native_stacks *native, const struct rec_stack_part *record,
			size_t size);

/*
 * Finishes the walk of @record, which has @size bytes. May wait for the process that reads the
 * files' unwind tables, but not for long. Returns the whole stack, as if BPF had sent it, which the
 * caller frees; or NULL if the record is invalid or memory ran out.
 */
struct rec_stack *native_stacks_walk(struct native_stacks *native,
				     const struct rec_stack_copy *record, size_t size);

#endif
