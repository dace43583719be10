/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table by which the BPF side walks native stacks (cutop_unwind.h), written through memory that
 * both share: no system call is needed. For one thread.
 */
#ifndef PROBE_UNWIND_ROWS_H
#define PROBE_UNWIND_ROWS_H

#include <linux/types.h>
#include <stdint.h>

#include "cutop_unwind.h"

struct probe;
struct unwind_rows;

/* NULL if @probe walks no stacks by rows, or without memory. unwind_rows_free() frees it. */
struct unwind_rows *unwind_rows_new(struct probe *probe);
void unwind_rows_free(struct unwind_rows *rows);

/*
 * Adds the row of @address (a return address, or UNWIND_INTERRUPTED and another one) of a program
 * with the mark @mark (UNWIND_MARK()), or changes it. Where there is no room, an older row goes.
 */
void unwind_rows_set(struct unwind_rows *rows, uint64_t mark, uint64_t address,
		     const struct unwind_rule *rule);

/* Deletes the rows with @mark for addresses from @start up to, but not including, @end. */
void unwind_rows_clear(struct unwind_rows *rows, uint64_t mark, uint64_t start, uint64_t end);

#endif
