/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In files that are not broken no two ranges overlap. */
#include "names/address_ranges.h"

#include <stdlib.h>

#define RANGES_MAX (4u << 20)
#define LOOK_BACK  16 /* ranges to look back over: in broken files they overlap */

static int range_add(struct address_ranges *ranges, Dwarf_Addr start, Dwarf_Addr end, Dwarf_Off die)
{
	struct address_range *more;
	size_t room;

	if (start >= end)
		return 0;
	if (ranges->count == ranges->room) {
		room = ranges->room ? 2 * ranges->room : 64;
		more = room <= RANGES_MAX ? realloc(ranges->list, room * sizeof(*more)) : NULL;
		if (!more)
			return -1;
		ranges->list = more;
		ranges->room = room;
	}
	ranges->list[ranges->count++] = (struct address_range){ start, end, die };
	return 0;
}

int address_ranges_add(struct address_ranges *ranges, Dwarf_Die *die)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at;

	for (at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;)
		if (range_add(ranges, start, end, dwarf_dieoffset(die)))
			return -1;
	return 0;
}

static int range_compare(const void *left, const void *right)
{
	const struct address_range *a = left, *b = right;

	return a->start != b->start ? (a->start > b->start ? 1 : -1) :
				      (a->end > b->end) - (a->end < b->end);
}

void address_ranges_sort(struct address_ranges *ranges)
{
	if (ranges->count)
		qsort(ranges->list, ranges->count, sizeof(*ranges->list), range_compare);
}

const struct address_range *address_ranges_find(const struct address_ranges *ranges,
						Dwarf_Addr address)
{
	size_t low = 0, high = ranges->count, back;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (ranges->list[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (back = 0; back < LOOK_BACK && low > back; back++)
		if (address < ranges->list[low - 1 - back].end)
			return &ranges->list[low - 1 - back];
	return NULL;
}

void address_ranges_free(struct address_ranges *ranges)
{
	free(ranges->list);
	*ranges = (struct address_ranges){ .list = NULL };
}
