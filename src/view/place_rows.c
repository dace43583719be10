/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/place_rows.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "view/cells.h"

static int compare_sites(const void *left, const void *right)
{
	const struct item_place *a = left, *b = right;
	int order = ORDER(a->item, b->item);

	return order ? order : ORDER((uintptr_t)a->site, (uintptr_t)b->site);
}

static int compare_amounts(const void *left, const void *right)
{
	const struct item_place *a = left, *b = right;
	int order = ORDER(a->item, b->item);

	if (!order)
		order = ORDER(b->amount, a->amount);
	return order ? order : ORDER(b->calls, a->calls);
}

/* One for each site of an item, by whichever way; most first. Returns how many. */
static size_t places_merge(struct item_place *places, size_t count)
{
	size_t i, kept = 0;

	qsort(places, count, sizeof(*places), compare_sites);
	for (i = 0; i < count; i++) {
		if (!kept || compare_sites(&places[kept - 1], &places[i])) {
			places[kept++] = places[i];
			continue;
		}
		places[kept - 1].amount += places[i].amount;
		places[kept - 1].calls += places[i].calls;
		places[kept - 1].sampled |= places[i].sampled;
	}
	qsort(places, kept, sizeof(*places), compare_amounts);
	return kept;
}

struct place_row *place_rows_make(size_t item_count, struct item_place *places, size_t count,
				  size_t most, size_t *row_count)
{
	struct place_row *rows = calloc(item_count + count + 1, sizeof(*rows));
	size_t item, place = 0, at = 0, first, shown;

	*row_count = 0;
	if (!rows)
		return NULL;
	if (count)
		count = places_merge(places, count);
	for (item = 0; item < item_count; item++) {
		first = at;
		rows[at++] = (struct place_row){ .item = item, .first = first };
		for (shown = 0; place < count && places[place].item == item; place++, shown++)
			if (shown < most)
				rows[at++] = (struct place_row){ .item = item,
								 .first = first,
								 .is_place = true,
								 .place = places[place] };
			else if (shown == most)
				rows[at++] = (struct place_row){
					.item = item, .first = first, .is_place = true, .more = 1
				};
			else
				rows[at - 1].more++;
	}
	*row_count = at;
	return rows;
}

const struct place_row *place_row_of(const struct list *list, size_t row)
{
	return (const struct place_row *)list->items + row;
}

size_t place_row_owner(const struct list *list, size_t row)
{
	return place_row_of(list, row)->first;
}

uint64_t place_row_key(uint64_t key, const struct place_row *row)
{
	if (!row->is_place)
		return key;
	key = key_add(key, "place", 5);
	return row->more ? key : key_text(key, row->place.site);
}
