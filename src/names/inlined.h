/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which inlined functions the code at an address belongs to, from DWARF. Part of lines.c. */
#ifndef NAMES_INLINED_H
#define NAMES_INLINED_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "names/address_ranges.h"
#include "names/lines.h"

#define INLINED_UNITS 8 /* units whose functions are remembered */

/* The functions of the units that were asked about last. All zero at first. */
struct inlined {
	struct inlined_unit {
		Dwarf_Off unit;
		uint64_t used; /* 0: free */
		struct address_ranges functions;
	} units[INLINED_UNITS];
	uint64_t clock;
};

void inlined_free(struct inlined *inlined);

/*
 * Adds to @source, which has the line of the code at @address in @unit as the physical function's,
 * the inlined functions there are, and gives each its line, the physical one that of its call.
 */
void inlined_find(struct inlined *inlined, Dwarf *dwarf, Dwarf_Die *unit, Dwarf_Addr address,
		  struct source *source);

#endif
