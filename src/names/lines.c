/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of address ranges tells which compilation unit contains an address. .debug_aranges would,
 * too, but clang does not write it. Units may be skeletons, with the rest in .dwo files: their line
 * tables are in the main file all the same, and .dwo files are not opened.
 */
#include "names/lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "names/sections.h"
#include "util/util.h"

struct address_range {
	Dwarf_Addr start, end;
	Dwarf_Off die;
};

struct address_ranges {
	struct address_range *list;
	size_t count, room;
};

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

/* ---- ranges of addresses ---- */

/* In files that are not broken no two ranges overlap. */

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

/* Adds those of @die. Returns 0, or -1 without memory or if there are too many. */
static int address_ranges_add(struct address_ranges *ranges, Dwarf_Die *die)
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

	return ORDER(a->start, b->start) ?: ORDER(a->end, b->end);
}

/* To be called between the last of them and the first search. */
static void address_ranges_sort(struct address_ranges *ranges)
{
	if (ranges->count)
		qsort(ranges->list, ranges->count, sizeof(*ranges->list), range_compare);
}

/* The range that contains @address, or NULL. */
static const struct address_range *address_ranges_find(const struct address_ranges *ranges,
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

static void address_ranges_free(struct address_ranges *ranges)
{
	free(ranges->list);
	*ranges = (struct address_ranges){ .list = NULL };
}

/* ---- inlined functions ---- */

/*
 * A unit may have tens of thousands of functions, and is asked about again and again: so where each
 * of them lies is remembered. Below a function, blocks and inlined functions are nested as they are
 * in the source; libdw's dwarf_getscopes() would walk the whole unit for each address.
 *
 * The entries are hostile. Read in their order they stand one behind the other in the file; a
 * reference to the next one that leads back ends the walk, so no walk is longer than the file.
 */

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

static void inlined_free(struct inlined *inlined)
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

/*
 * Adds to @source, which has the line of the code at @address in @unit as the physical function's,
 * the inlined functions there are, and gives each its line, the physical one that of its call.
 */
static void inlined_find(struct inlined *inlined, Dwarf *dwarf, Dwarf_Die *unit, Dwarf_Addr address,
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

/* ---- lines ---- */

struct lines {
	Elf *elf, *debug_elf;
	Dwarf *dwarf;
	struct segments segments;
	struct address_ranges units;
	struct inlined inlined;
};

static void units_read(struct lines *lines)
{
	Dwarf_CU *unit = NULL;
	uint8_t type;
	Dwarf_Die die;

	while (!dwarf_get_units(lines->dwarf, unit, &unit, NULL, &type, &die, NULL))
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			address_ranges_add(&lines->units, &die);
	address_ranges_sort(&lines->units);
}

static Dwarf *dwarf_open(int fd, Elf **elf)
{
	Dwarf *dwarf = NULL;

	*elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (*elf && elf_kind(*elf) == ELF_K_ELF)
		dwarf = dwarf_begin_elf(*elf, DWARF_C_READ, NULL);
	return dwarf;
}

struct lines *lines_open(int fd, int debug_fd)
{
	struct lines *lines = calloc(1, sizeof(*lines));
	struct sections file;

	if (!lines || elf_version(EV_CURRENT) == EV_NONE || sections_open(&file, fd))
		goto none;
	segments_read(&file, &lines->segments);
	sections_close(&file);
	lines->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!lines->elf || elf_kind(lines->elf) != ELF_K_ELF)
		goto none;
	lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
	if (lines->dwarf)
		units_read(lines);
	if (!lines->units.count) {
		dwarf_end(lines->dwarf);
		lines->dwarf = dwarf_open(debug_fd, &lines->debug_elf);
		if (!lines->dwarf)
			goto none;
		units_read(lines);
	}
	return lines;
none:
	lines_close(lines);
	return NULL;
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	dwarf_end(lines->dwarf);
	elf_end(lines->debug_elf);
	elf_end(lines->elf);
	address_ranges_free(&lines->units);
	inlined_free(&lines->inlined);
	free(lines);
}

bool lines_find(struct lines *lines, uint64_t offset, struct source *source)
{
	const struct address_range *range;
	Dwarf_Line *line;
	uint64_t address;
	Dwarf_Die unit;
	int number = 0;

	source->inlined_count = 0;
	if (segments_address(&lines->segments, offset, &address))
		return false;
	range = address_ranges_find(&lines->units, address);
	if (!range || !dwarf_offdie(lines->dwarf, range->die, &unit))
		return false;
	line = dwarf_getsrc_die(&unit, address);
	if (!line || dwarf_lineno(line, &number) || number <= 0)
		return false;
	source->path = dwarf_linesrc(line, NULL, NULL);
	if (!source->path)
		return false;
	source->line = (unsigned int)number;
	inlined_find(&lines->inlined, lines->dwarf, &unit, address, source);
	return true;
}
