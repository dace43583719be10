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
#include <stdlib.h>

#include "cuda/wrappers.h"
#include "names/segments.h"

#define RANGES_MAX (4u << 20)
#define LOOK_BACK  16 /* ranges to look back over: in broken files they overlap */

struct range {
	Dwarf_Addr start, end;
	Dwarf_Off unit;
};

struct lines {
	Elf *elf, *debug_elf;
	Dwarf *dwarf;
	struct segments segments;
	struct range *ranges;
	size_t count, room;
};

static int range_add(struct lines *lines, Dwarf_Addr start, Dwarf_Addr end, Dwarf_Off unit)
{
	struct range *more;

	if (start >= end)
		return 0;
	if (lines->count == lines->room) {
		lines->room = lines->room ? 2 * lines->room : 1024;
		more = lines->room <= RANGES_MAX ?
			       realloc(lines->ranges, lines->room * sizeof(*more)) :
			       NULL;
		if (!more)
			return -1;
		lines->ranges = more;
	}
	lines->ranges[lines->count++] = (struct range){ start, end, unit };
	return 0;
}

static int range_compare(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	return a->start != b->start ? (a->start > b->start ? 1 : -1) :
				      (a->end > b->end) - (a->end < b->end);
}

static void ranges_read(struct lines *lines)
{
	Dwarf_Addr base, start, end;
	Dwarf_CU *unit = NULL;
	uint8_t type;
	Dwarf_Die die;
	ptrdiff_t at;

	while (!dwarf_get_units(lines->dwarf, unit, &unit, NULL, &type, &die, NULL)) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		for (at = 0; (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0;)
			if (range_add(lines, start, end, dwarf_dieoffset(&die)))
				break;
	}
	if (lines->count)
		qsort(lines->ranges, lines->count, sizeof(*lines->ranges), range_compare);
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
		ranges_read(lines);
	if (!lines->count) {
		dwarf_end(lines->dwarf);
		lines->dwarf = dwarf_open(debug_fd, &lines->debug_elf);
		if (!lines->dwarf)
			goto none;
		ranges_read(lines);
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
	free(lines->ranges);
	free(lines);
}

static const struct range *range_find(const struct lines *lines, Dwarf_Addr address)
{
	size_t low = 0, high = lines->count, back;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (lines->ranges[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	for (back = 0; back < LOOK_BACK && low > back; back++)
		if (address < lines->ranges[low - 1 - back].end)
			return &lines->ranges[low - 1 - back];
	return NULL;
}

/*
 * The line that @call, an inlined function, was called from. Returns 0 if it stands in a wrapper's
 * file, too, or is not known: then @is_wrapper says which.
 */
static unsigned int call_line(Dwarf_Die *call, Dwarf_Files *files, size_t file_count,
			      const char **path, bool *is_wrapper)
{
	Dwarf_Word file, number;
	Dwarf_Attribute attribute;
	const char *from = NULL;

	if (!dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &file) &&
	    file < file_count)
		from = dwarf_filesrc(files, file, NULL, NULL);
	*is_wrapper = from && wrapper_is_file(from);
	if (!from || *is_wrapper ||
	    dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attribute), &number) ||
	    number > INT_MAX)
		return 0;
	*path = from;
	return (unsigned int)number;
}

/*
 * The line from which the code at @address in @unit was inlined, where its own stands in a
 * wrapper's file: of functions that were inlined into each other, the first that was called from
 * another file. Returns 0 if there is none.
 */
static unsigned int caller_find(Dwarf_Die *unit, Dwarf_Addr address, const char **path)
{
	Dwarf_Die *scopes = NULL, *calls = NULL;
	unsigned int number = 0;
	bool is_wrapper = true;
	Dwarf_Files *files;
	size_t file_count;
	int count, i;

	if (dwarf_getsrcfiles(unit, &files, &file_count))
		return 0;
	count = dwarf_getscopes(unit, address, &scopes);
	for (i = 0; i < count && dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine; i++)
		;
	/*
	 * What dwarf_getscopes() has behind an inlined function is where that is defined, not where
	 * it was put.
	 */
	count = i < count ? dwarf_getscopes_die(&scopes[i], &calls) : 0;
	for (i = 0; i < count && !number && is_wrapper; i++)
		if (dwarf_tag(&calls[i]) == DW_TAG_inlined_subroutine)
			number = call_line(&calls[i], files, file_count, path, &is_wrapper);
	free(calls);
	free(scopes);
	return number;
}

unsigned int lines_find(struct lines *lines, uint64_t offset, const char **path)
{
	const struct range *range;
	Dwarf_Line *line;
	uint64_t address;
	Dwarf_Die unit;
	unsigned int caller;
	int number = 0;

	if (segments_address(&lines->segments, offset, &address))
		return 0;
	range = range_find(lines, address);
	if (!range || !dwarf_offdie(lines->dwarf, range->unit, &unit))
		return 0;
	line = dwarf_getsrc_die(&unit, address);
	if (!line || dwarf_lineno(line, &number) || number <= 0)
		return 0;
	*path = dwarf_linesrc(line, NULL, NULL);
	if (!*path)
		return 0;
	caller = wrapper_is_file(*path) ? caller_find(&unit, address, path) : 0;
	return caller ? caller : (unsigned int)number;
}
