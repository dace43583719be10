/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a list whose items are followed by places: kernels by those that launch them, calls by
 * those that wait in them.
 */
#ifndef VIEW_PLACE_ROWS_H
#define VIEW_PLACE_ROWS_H

#include "view/list.h"

/* A place of an item. */
struct item_place {
	size_t item;
	const char *site; /* one text for all that refer to one place */
	double amount;    /* what places are ordered by */
	double calls;
	bool sampled;
};

struct place_row {
	size_t item;
	size_t first;  /* the row of the item itself */
	bool is_place; /* it is another one: of a place, or */
	size_t more;   /* of so many more */
	struct item_place place;
};

/*
 * The rows of @item_count items with their @count places, which are put in order: the same site
 * once, most first, and of each item @most at most. Returns NULL without memory; else the caller
 * frees them.
 */
struct place_row *place_rows_make(size_t item_count, struct item_place *places, size_t count,
				  size_t most, size_t *row_count);

/* As a pane's descriptor has them, of a list whose items are such rows. */
const struct place_row *place_row_of(const struct list *list, size_t row);
/* The key of @row of an item with the key @key. */
uint64_t place_row_key(uint64_t key, const struct place_row *row);
size_t place_row_owner(const struct list *list, size_t row);

#endif
