/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF has a row for each stack of instructions, the model for each stack of lines, so several rows
 * may be one site. And a row may be read before its stack. So the model is told what was added to a
 * row, once its stack is known. At the row's end it is told in any case: a call whose stack is not
 * known comes from its native site.
 */
#include "collect/call_site_rows.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct told_row {
	struct call_site_key key;
	struct call_site_row row;
	UT_hash_handle hh;
};

struct call_site_rows {
	const struct stacks *stacks;
	struct told_row *told;
};

struct call_site_rows *call_site_rows_new(const struct stacks *stacks)
{
	struct call_site_rows *rows = calloc(1, sizeof(*rows));

	if (rows)
		rows->stacks = stacks;
	return rows;
}

void call_site_rows_free(struct call_site_rows *rows)
{
	struct told_row *told, *next;

	if (!rows)
		return;
	HASH_ITER(hh, rows->told, told, next) {
		HASH_DEL(rows->told, told);
		free(told);
	}
	free(rows);
}

/*
 * Puts what the model is to know the stack @id by into *@own, 0 if it stands for none. False if it
 * is not known yet.
 */
static bool stack_find(const struct call_site_rows *rows, uint32_t program, uint64_t id, __u64 *own)
{
	*own = id ? stacks_id(rows->stacks, program, id) : 0;
	return !id || *own || stacks_shown(rows->stacks, program, id);
}

static struct told_row *told_get(struct call_site_rows *rows, const struct call_site_key *key)
{
	struct told_row *told;

	HASH_FIND(hh, rows->told, key, sizeof(*key), told);
	if (told)
		return told;
	told = calloc(1, sizeof(*told));
	if (!told)
		return NULL;
	told->key = *key;
	HASH_ADD(hh, rows->told, key, sizeof(told->key), told);
	return told;
}

bool call_site_rows_take(struct call_site_rows *rows, const struct call_site_key *key,
			 const struct call_site_row *row, bool last,
			 struct rec_call_site_row *record)
{
	struct told_row *told = told_get(rows, key);
	bool is_news = false;
	__u64 stack;

	if (!told)
		return false;
	if (memcmp(row, &told->row, sizeof(*row)) &&
	    (stack_find(rows, key->launch.program, key->stack, &stack) || last)) {
		*record = (struct rec_call_site_row){
			.hdr = { .type = REC_CALL_SITE, .size = sizeof(*record), .program = key->launch.program },
			.key = *key,
			.row = {
				.launches = row->launches - told->row.launches,
				.samples = row->samples - told->row.samples,
				.ns = row->ns - told->row.ns,
			},
		};
		record->key.stack = stack;
		told->row = *row;
		is_news = true;
	}
	if (last) {
		HASH_DEL(rows->told, told);
		free(told);
	}
	return is_news;
}
