/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches the maps of the BPF side; keys and values are bytes. probe/bpf_rows.h gives them types.
 */
#ifndef PROBE_MAP_SEARCH_H
#define PROBE_MAP_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/bpf.h"

struct map_search;

/* @bpf is borrowed. Returns NULL without memory; map_search_free() frees it. */
struct map_search *map_search_new(struct bpf *bpf);
void map_search_free(struct map_search *search);

/*
 * Calls @visit for every key and value of @map. A key for which it returns true is deleted. Returns
 * 0 or a negative errno.
 */
int map_visit(struct map_search *search, const struct bpf_map *map,
	      bool (*visit)(void *context, const void *key, const void *value), void *context);

/*
 * The same for a map whose added rows BPF counts. While none was added and they are few, the cost
 * depends on the number of rows, not on the size of the map.
 */
int map_visit_known(struct map_search *search, enum row_map which,
		    bool (*visit)(void *context, const void *key, const void *value),
		    void *context);

#endif
