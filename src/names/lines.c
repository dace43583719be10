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
#include <stdlib.h>

#include "names/address_ranges.h"
#include "names/inlined.h"
#include "names/segments.h"

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
