/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that the BPF side finds without a search, in arrays that are mapped here:
 * bpf/row_cache.bpf.h.
 */
#ifndef PROBE_ROW_CACHE_H
#define PROBE_ROW_CACHE_H

#include "probe/bpf.h"

/*
 * Adds what was counted in the cached row of @key, if it has one, to @row, a copy of the map's row.
 */
void near_call_add(const struct cutop_bpf *skeleton, const struct call_key *key,
		   struct call_row *row);
void near_copy_add(const struct cutop_bpf *skeleton, const struct copy_key *key,
		   struct copy_row *row);

/* The synchronizing calls of @program, whose row is @row. */
struct program_sync near_sync_read(const struct cutop_bpf *skeleton, uint32_t program,
				   const struct program_row *row);

/* Takes the place of @program, which is new, if that is free. */
void near_sync_claim(struct cutop_bpf *skeleton, uint32_t program);

/* Frees the place. Nothing may count in it any more: its program has ended. */
void near_call_release(struct cutop_bpf *skeleton, const struct call_key *key);
void near_copy_release(struct cutop_bpf *skeleton, const struct copy_key *key);
void near_sync_release(struct cutop_bpf *skeleton, uint32_t program);

#endif
