/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader in the kernel takes no lock: it reads a row's tag, its rule, and its tag again. So a row
 * that changes has no tag meanwhile.
 */
#include "probe/unwind_rows.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "probe/probe_internal.h"

struct unwind_rows {
	struct unwind_set *sets;
	uint32_t turn; /* which row of a full set goes next */
};

struct unwind_rows *unwind_rows_new(struct probe *probe)
{
	const struct bpf_map *map = probe_bpf(probe)->skeleton->maps.unwind_rows;
	struct unwind_rows *rows;
	void *sets;

	if (bpf_map__max_entries(map) != UNWIND_SETS)
		return NULL;
	rows = calloc(1, sizeof(*rows));
	if (!rows)
		return NULL;
	sets = mmap(NULL, UNWIND_SETS * sizeof(struct unwind_set), PROT_READ | PROT_WRITE,
		    MAP_SHARED, bpf_map__fd(map), 0);
	if (sets != MAP_FAILED) {
		rows->sets = sets;
		return rows;
	}
	free(rows);
	return NULL;
}

void unwind_rows_free(struct unwind_rows *rows)
{
	if (rows)
		munmap(rows->sets, UNWIND_SETS * sizeof(struct unwind_set));
	free(rows);
}

static void tag_set(struct unwind_row *row, uint64_t tag)
{
	__atomic_store_n(&row->tag, tag, __ATOMIC_SEQ_CST);
}

static struct unwind_row *row_find(struct unwind_set *set, uint64_t tag)
{
	int i;

	for (i = 0; i < UNWIND_WAYS; i++)
		if (set->rows[i].tag == tag)
			return &set->rows[i];
	return NULL;
}

void unwind_rows_set(struct unwind_rows *rows, uint64_t mark, uint64_t address,
		     const struct unwind_rule *rule)
{
	uint64_t tag = UNWIND_TAG(mark, address);
	struct unwind_set *set = &rows->sets[UNWIND_SET_OF(tag)];
	struct unwind_row *row = row_find(set, tag);

	if (!row)
		row = row_find(set, 0);
	if (!row)
		row = &set->rows[rows->turn++ % UNWIND_WAYS];
	tag_set(row, 0);
	row->rule = *rule;
	tag_set(row, tag);
}

void unwind_rows_clear(struct unwind_rows *rows, uint64_t mark, uint64_t start, uint64_t end)
{
	struct unwind_row *row = rows->sets[0].rows;
	const struct unwind_row *last = rows->sets[UNWIND_SETS - 1].rows + UNWIND_WAYS;

	for (; row < last; row++) {
		uint64_t address = row->tag & (UNWIND_INTERRUPTED - 1);

		if (row->tag >> 48 == mark && address >= start && address < end)
			tag_set(row, 0);
	}
}
