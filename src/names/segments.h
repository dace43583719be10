/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the code of an ELF file lies: its file offsets, and its addresses before relocation. */
#ifndef NAMES_SEGMENTS_H
#define NAMES_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "names/sections.h"

#define SEGMENTS_MAX 64 /* of code; one is usual */

struct segments {
	struct {
		uint64_t address, offset, size;
	} list[SEGMENTS_MAX];
	size_t count;
};

/* Fills @segments from the program headers. */
void segments_read(const struct sections *file, struct segments *segments);

/* Converts an address to a file offset, and back. Returns 0, or -ENOENT if it is not code. */
int segments_offset(const struct segments *segments, uint64_t address, uint64_t *offset);
int segments_address(const struct segments *segments, uint64_t offset, uint64_t *address);

#endif
