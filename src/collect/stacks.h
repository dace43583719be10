/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User stacks on their way from the BPF side to the model: cut where they become garbage, and
 * numbered anew.
 */
#ifndef COLLECT_STACKS_H
#define COLLECT_STACKS_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/host_functions.h"
#include "collect/modules.h"
#include "cutop_event.h"
#include "model/stream.h"

struct stacks;

/*
 * All are borrowed. @hosts, or NULL: functions that no call site is named by; so are those that the
 * NULL-ended globs @skip, or NULL, match or whose files they match, and those in cuda/wrappers.h.
 */
struct stacks *stacks_new(struct modules *modules, struct host_functions *hosts,
			  const char *const *skip);
void stacks_free(struct stacks *stacks);
void stacks_forget(struct stacks *stacks, uint32_t program);

/*
 * Takes in the record @record of @size bytes. @is_copy: it was copied and walked here, and perhaps
 * so is each one like it, under a number of its own: of these only the newest are kept. Returns the
 * record for the model, which the caller frees, or NULL if it is invalid or memory ran out.
 */
struct rec_stack *stacks_add(struct stacks *stacks, const struct rec_stack *record, size_t size,
			     bool is_copy);
/* How many records asked for one that was dropped since there were too many. */
uint64_t stacks_lost(const struct stacks *stacks);

/*
 * The native stack that BPF calls @id, as it was kept: up to CUTOP_STACK_FRAMES frames, @count of
 * them. NULL if unknown. Borrowed.
 */
const uint64_t *stacks_frames(const struct stacks *stacks, uint32_t program, uint64_t id,
			      uint32_t *count);

/*
 * Remembers that the BPF side's @id stands for the stack of these @frames, which was made
 * otherwise, and whose site is named by the frame @shown. Returns the model's number of it, or 0
 * without memory.
 */
uint64_t stacks_keep(struct stacks *stacks, uint32_t program, uint64_t id, const __u64 *frames,
		     uint32_t count, uint32_t shown);

/* Remembers that @id stands for no stack, only for a call at @site. */
void stacks_note(struct stacks *stacks, uint32_t program, uint64_t id, uint64_t site);

/* What names such a call: that frame, or @site; 0 if @id is unknown. */
uint64_t stacks_shown(const struct stacks *stacks, uint32_t program, uint64_t id);

/* The model's number of the stack @id of @program; 0 if the model was not told of it. */
uint64_t stacks_id(const struct stacks *stacks, uint32_t program, uint64_t id);
/* The same for a record, which has lost its stack if that was dropped. */
uint64_t stacks_record_id(struct stacks *stacks, uint32_t program, uint64_t id);

/*
 * Rows of call sites on their way to the model: what they counted since the last time, under the
 * stack that the model knows.
 */

struct call_site_rows;

/* @stacks is borrowed. Returns NULL without memory. */
struct call_site_rows *call_site_rows_new(const struct stacks *stacks);
void call_site_rows_free(struct call_site_rows *rows);

/*
 * Takes the row as it is now; @last: it is read for the last time. Returns true, and the record for
 * the model in *@record, if there is something to tell.
 */
bool call_site_rows_take(struct call_site_rows *rows, const struct call_site_key *key,
			 const struct call_site_row *row, bool last,
			 struct rec_call_site_row *record);

#endif
