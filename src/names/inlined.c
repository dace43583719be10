/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A unit may have tens of thousands of functions, and is asked about again and again: so where each
 * of them lies is remembered. Below a function, blocks and inlined functions are nested as they are
 * in the source; libdw's dwarf_getscopes() would walk the whole unit for each address.
 *
 * The entries are hostile. Read in their order they stand one behind the other in the file; a
 * reference to the next one that leads back ends the walk, so no walk is longer than the file.
 */
#include "names/inlined.h"

#include <dwarf.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#define DEPTH_MAX 64 /* of namespaces and types in each other; of inlined functions in each other */

/* ---- the functions of a unit ---- */

struct walk {
	struct address_ranges *functions;
	Dwarf_Off last; /* the entry that was come to last */
	bool is_over;
};

/* True if @die is behind all that were seen. */
static bool walk_goes_on(struct walk *walk, Dwarf_Die *die)
{
	Dwarf_Off offset = dwarf_dieoffset(die);

	if (offset <= walk->last)
		walk->is_over = true;
	walk->last = offset;
	return !walk->is_over;
}

static void functions_add(struct walk *walk, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		if (!walk_goes_on(walk, &die))
			return;
		switch (dwarf_tag(&die)) {
		case DW_TAG_subprogram:
			walk->is_over = address_ranges_add(walk->functions, &die) != 0;
			break;
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type: functions_add(walk, &die, depth + 1); break;
		default: break;
		}
	} while (!walk->is_over && !dwarf_siblingof(&die, &die));
}

static const struct address_ranges *functions_of(struct inlined *inlined, Dwarf_Die *unit)
{
	struct inlined_unit *place = &inlined->units[0], *at;
	Dwarf_Off offset = dwarf_dieoffset(unit);
	struct walk walk = { .last = offset };

	for (at = inlined->units; at < inlined->units + INLINED_UNITS; at++) {
		if (at->used && at->unit == offset) {
			at->used = ++inlined->clock;
			return &at->functions;
		}
		if (at->used < place->used)
			place = at;
	}
	address_ranges_free(&place->functions);
	place->unit = offset;
	place->used = ++inlined->clock;
	walk.functions = &place->functions;
	functions_add(&walk, unit, 0);
	address_ranges_sort(&place->functions);
	return &place->functions;
}

void inlined_free(struct inlined *inlined)
{
	size_t i;

	for (i = 0; i < INLINED_UNITS; i++)
		address_ranges_free(&inlined->units[i].functions);
}

/* ---- what was inlined at an address ---- */

/* Makes @die the block or function directly below it that contains @address, if there is one. */
static bool scope_enter(Dwarf_Die *die, Dwarf_Addr address)
{
	struct walk walk = { .last = dwarf_dieoffset(die) };
	Dwarf_Die child;

	if (dwarf_child(die, &child))
		return false;
	do {
		if (!walk_goes_on(&walk, &child))
			return false;
		switch (dwarf_tag(&child)) {
		case DW_TAG_inlined_subroutine:
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			if (dwarf_haspc(&child, address) > 0) {
				*die = child;
				return true;
			}
			break;
		default: break;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static const char *string_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));
}

static void names_read(Dwarf_Die *call, struct source_inlined *function)
{
	function->symbol = string_of(call, DW_AT_linkage_name);
	if (!function->symbol)
		function->symbol = string_of(call, DW_AT_MIPS_linkage_name);
	function->name = string_of(call, DW_AT_name);
}

/* The line from which @call, an inlined function, is called. */
static void call_line(Dwarf_Die *call, Dwarf_Files *files, size_t file_count, const char **path,
		      unsigned int *line)
{
	Dwarf_Word file, number;
	Dwarf_Attribute attribute;

	*path = NULL;
	*line = 0;
	if (dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &file) ||
	    file >= file_count ||
	    dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attribute), &number) || !number ||
	    number > INT_MAX)
		return;
	*path = dwarf_filesrc(files, file, NULL, NULL);
	/* What libdw calls file 0 before DWARF 5. */
	if (*path && !strcmp(*path, "???"))
		*path = NULL;
	*line = *path ? (unsigned int)number : 0;
}

void inlined_find(struct inlined *inlined, Dwarf *dwarf, Dwarf_Die *unit, Dwarf_Addr address,
		  struct source *source)
{
	const struct address_range *function =
		address_ranges_find(functions_of(inlined, unit), address);
	Dwarf_Die calls[DEPTH_MAX], die;
	size_t count = 0, file_count, i;
	Dwarf_Files *files;

	if (!function || !dwarf_offdie(dwarf, function->die, &die) ||
	    dwarf_getsrcfiles(unit, &files, &file_count))
		return;
	while (scope_enter(&die, address)) {
		if (dwarf_tag(&die) != DW_TAG_inlined_subroutine)
			continue;
		if (count == DEPTH_MAX)
			return;
		calls[count++] = die;
	}
	/* The innermost contains the line; each is called from a line of the one around it. */
	for (i = 0; i < count; i++) {
		Dwarf_Die *call = &calls[count - 1 - i];

		if (i < SOURCE_INLINED_MAX) {
			struct source_inlined *level = &source->inlined[i];

			level->path = source->path;
			level->line = source->line;
			names_read(call, level);
			source->inlined_count = i + 1;
		}
		call_line(call, files, file_count, &source->path, &source->line);
	}
}
