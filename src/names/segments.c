/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Program headers: which parts of the file are loaded as code, and where. */
#include "names/segments.h"

#include <errno.h>

void segments_read(const struct sections *file, struct segments *segments)
{
	size_t i;

	segments->count = 0;
	for (i = 0; i < file->segment_count && segments->count < SEGMENTS_MAX; i++) {
		const Elf64_Phdr *phdr = &file->segments[i];

		if (phdr->p_type != PT_LOAD || !(phdr->p_flags & PF_X))
			continue;
		segments->list[segments->count].address = phdr->p_vaddr;
		segments->list[segments->count].offset = phdr->p_offset;
		segments->list[segments->count++].size = phdr->p_filesz;
	}
}

int segments_offset(const struct segments *segments, uint64_t address, uint64_t *offset)
{
	size_t i;

	for (i = 0; i < segments->count; i++) {
		if (address < segments->list[i].address ||
		    address - segments->list[i].address >= segments->list[i].size)
			continue;
		*offset = address - segments->list[i].address + segments->list[i].offset;
		return 0;
	}
	return -ENOENT;
}

int segments_address(const struct segments *segments, uint64_t offset, uint64_t *address)
{
	size_t i;

	for (i = 0; i < segments->count; i++) {
		if (offset < segments->list[i].offset ||
		    offset - segments->list[i].offset >= segments->list[i].size)
			continue;
		*address = offset - segments->list[i].offset + segments->list[i].address;
		return 0;
	}
	return -ENOENT;
}
