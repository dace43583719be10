/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row for each user who has spent something. A row that is full again carries no information,
 * and is dropped when there are many: a user may own files as thousands of other users (subuid(5)).
 */
#include "names/allowance.h"

#include <stdlib.h>
#include <uthash.h>

#define ROWS_MAX 4096

struct row {
	uint32_t uid;
	int64_t left; /* ns left at `time`; below 0: spent in advance */
	uint64_t time;
	UT_hash_handle hh;
};

struct allowance {
	int64_t most;
	unsigned int share;
	struct row *rows;
};

struct allowance *allowance_new(uint64_t most, unsigned int share)
{
	struct allowance *allowance = calloc(1, sizeof(*allowance));

	if (allowance) {
		allowance->most = (int64_t)most;
		allowance->share = share;
	}
	return allowance;
}

static void row_free(struct allowance *allowance, struct row *row)
{
	HASH_DEL(allowance->rows, row);
	free(row);
}

void allowance_free(struct allowance *allowance)
{
	struct row *row, *next;

	if (!allowance)
		return;
	HASH_ITER(hh, allowance->rows, row, next)
		row_free(allowance, row);
	free(allowance);
}

static void row_refill(const struct allowance *allowance, struct row *row, uint64_t now)
{
	uint64_t back = now > row->time ? (now - row->time) / allowance->share : 0;

	if (back < (uint64_t)(allowance->most - row->left)) {
		row->left += (int64_t)back;
		row->time += back * allowance->share;
	} else {
		row->left = allowance->most;
		row->time = now > row->time ? now : row->time;
	}
}

static struct row *row_find(struct allowance *allowance, uint32_t uid, uint64_t now)
{
	struct row *row;

	HASH_FIND(hh, allowance->rows, &uid, sizeof(uid), row);
	if (row)
		row_refill(allowance, row, now);
	return row;
}

/* Makes room: drops rows that are full again; if there are none, the row with most left. */
static void rows_bound(struct allowance *allowance, uint64_t now)
{
	struct row *row, *next, *fullest = NULL;

	if (HASH_COUNT(allowance->rows) < ROWS_MAX)
		return;
	HASH_ITER(hh, allowance->rows, row, next) {
		row_refill(allowance, row, now);
		if (row->left == allowance->most)
			row_free(allowance, row);
		else if (!fullest || row->left > fullest->left)
			fullest = row;
	}
	if (HASH_COUNT(allowance->rows) >= ROWS_MAX)
		row_free(allowance, fullest);
}

bool allowance_has(struct allowance *allowance, uint32_t uid, uint64_t now, uint64_t ns)
{
	const struct row *row = row_find(allowance, uid, now);

	return (row ? row->left : allowance->most) >= (int64_t)ns;
}

void allowance_spend(struct allowance *allowance, uint32_t uid, uint64_t now, uint64_t ns)
{
	struct row *row = row_find(allowance, uid, now);

	if (!ns)
		return;
	if (!row) {
		rows_bound(allowance, now);
		row = calloc(1, sizeof(*row));
		if (!row)
			return;
		*row = (struct row){ .uid = uid, .left = allowance->most, .time = now };
		HASH_ADD(hh, allowance->rows, uid, sizeof(row->uid), row);
	}
	if (ns < (uint64_t)(row->left + allowance->most))
		row->left -= (int64_t)ns;
	else
		row->left = -allowance->most;
}
