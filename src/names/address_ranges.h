/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which entry of debug information contains an address: a sorted list of ranges. */
#ifndef NAMES_ADDRESS_RANGES_H
#define NAMES_ADDRESS_RANGES_H

#include <elfutils/libdw.h>
#include <stddef.h>

struct address_range {
	Dwarf_Addr start, end;
	Dwarf_Off die;
};

struct address_ranges {
	struct address_range *list;
	size_t count, room;
};

/* Adds those of @die. Returns 0, or -1 without memory or if there are too many. */
int address_ranges_add(struct address_ranges *ranges, Dwarf_Die *die);
/* To be called between the last of them and the first search. */
void address_ranges_sort(struct address_ranges *ranges);
/* The range that contains @address, or NULL. */
const struct address_range *address_ranges_find(const struct address_ranges *ranges,
						Dwarf_Addr address);
void address_ranges_free(struct address_ranges *ranges);

#endif
