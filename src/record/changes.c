/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the latest version of each row, by its key. A row that repeats the latest version changes
 * nothing, with two exceptions that come from the model's graphs.c:
 * - model_graph_last() writes into its program's launch rows: after it, the next rows of that
 *   program's launches matter, even if they repeat.
 * - A graph's row is believed the second time it is seen, even if no record told of the graph: so
 *   two rows with the same count matter, and any record about graphs starts this again.
 */
#include "record/changes.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "model/stream.h"

#define KEY_MAX 32

struct row_key {
	uint16_t type;
	uint16_t len;
	uint32_t program;
	char bytes[KEY_MAX];
};

struct kept {
	struct row_key key;
	uint64_t generation; /* graph records, or last launches, at that time */
	unsigned int repeats;
	UT_hash_handle hh;
	size_t size;
	char bytes[]; /* the whole record */
};

struct changes {
	struct kept *kept;
	uint64_t graphs; /* graph records so far */
	uint64_t lasts;  /* REC_GRAPH_LAST records so far */
};

struct changes *changes_new(void)
{
	return calloc(1, sizeof(struct changes));
}

void changes_free(struct changes *changes)
{
	struct kept *kept, *next;

	if (!changes)
		return;
	HASH_ITER(hh, changes->kept, kept, next) {
		HASH_DEL(changes->kept, kept);
		free(kept);
	}
	free(changes);
}

/* Drops the rows of @program, which has ended. */
static void forget(struct changes *changes, uint32_t program)
{
	struct kept *kept, *next;

	HASH_ITER(hh, changes->kept, kept, next) {
		if (kept->key.program != program)
			continue;
		HASH_DEL(changes->kept, kept);
		free(kept);
	}
}

/* The size of the key after a row's header; 0: the program alone is the key; -1: not a row. */
static int key_size(unsigned int type)
{
	switch (type) {
	case REC_LAUNCH_ROW: return sizeof(struct launch_key);
	case REC_COPY_ROW: return sizeof(struct copy_key);
	case REC_CALL_ROW: return sizeof(struct call_key);
	case REC_GRAPH_ROW: return sizeof(struct graph_key);
	case REC_FAIL_ROW: return sizeof(struct fail_key);
	case REC_SYNC:
	case REC_TIMES:
	case REC_COST:
	case REC_UNRETURNED:
	case REC_INEXACT: return 0;
	default: return -1;
	}
}

_Static_assert(sizeof(struct launch_key) <= KEY_MAX && sizeof(struct copy_key) <= KEY_MAX &&
		       sizeof(struct call_key) <= KEY_MAX && sizeof(struct graph_key) <= KEY_MAX &&
		       sizeof(struct fail_key) <= KEY_MAX,
	       "keys have to fit");

static struct kept *keep(struct changes *changes, const struct row_key *key, size_t size)
{
	struct kept *kept;

	HASH_FIND(hh, changes->kept, key, sizeof(*key), kept);
	if (kept)
		return kept;
	kept = calloc(1, sizeof(*kept) + size);
	if (!kept)
		return NULL;
	kept->key = *key;
	kept->size = size;
	HASH_ADD(hh, changes->kept, key, sizeof(kept->key), kept);
	return kept;
}

static bool row_changes(struct changes *changes, const struct rec_hdr *record,
			const struct row_key *key)
{
	struct kept *kept = keep(changes, key, record->size);
	uint64_t generation = record->type == REC_GRAPH_ROW  ? changes->graphs :
			      record->type == REC_LAUNCH_ROW ? changes->lasts :
							       0;
	unsigned int enough = record->type == REC_GRAPH_ROW ? 2 : 1;

	if (!kept || kept->size != record->size)
		return true;
	if (memcmp(kept->bytes, record, record->size) || kept->generation != generation) {
		memcpy(kept->bytes, record, record->size);
		kept->generation = generation;
		kept->repeats = 0;
	}
	if (kept->repeats == enough)
		return false;
	kept->repeats++;
	return true;
}

bool changes_any(struct changes *changes, const struct rec_hdr *record)
{
	struct row_key key = { .type = record->type, .program = record->program };
	int size = key_size(record->type);

	switch (record->type) {
	case REC_GRAPH: changes->graphs++; return true;
	case REC_GRAPH_LAST: changes->lasts++; return true;
	case REC_GRAPHS_DONE:
		changes->graphs++;
		forget(changes, record->program);
		return true;
	case REC_LOST:
		key.program = ((const struct rec_lost *)record)->cause;
		size = 0;
		break;
	}
	if (size < 0)
		return true;
	key.len = (uint16_t)size;
	memcpy(key.bytes, record + 1, (size_t)size);
	return row_changes(changes, record, &key);
}
