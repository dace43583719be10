/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading and emptying the maps of the BPF side. */
#ifndef PROBE_MAP_ROWS_H
#define PROBE_MAP_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/bpf.h"

struct rows;

struct rows *rows_new(struct bpf *bpf);
void rows_free(struct rows *rows);

/*
 * Calls @visit for every key and value of @map. Keys for which it returns true
 * are deleted. Returns 0 or a negative errno.
 */
int rows_visit(struct rows *rows, const struct bpf_map *map,
	       bool (*visit)(void *context, const void *key, const void *value), void *context);

/*
 * The same for a map whose rows BPF counts as it makes them. While no new one was made and they are few, this costs
 * what the rows cost, not what the map has room for.
 */
int rows_visit_known(struct rows *rows, enum row_map which,
		     bool (*visit)(void *context, const void *key, const void *value), void *context);

#endif
