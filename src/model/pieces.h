/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The device memory of a program in order of addresses. */
#ifndef MODEL_PIECES_H
#define MODEL_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/program.h"

/* An allocation with an address, or physical memory where it is mapped. */
struct piece {
	uint64_t address, bytes;
	const struct alloc_node *node; /* NULL: mapped memory that is unknown */
	bool is_mapped;
};

/* Both kinds together. */
struct pieces {
	struct program *program;
	struct alloc_node *node;
	const struct mapping *mapping;
};

void pieces_begin(struct pieces *pieces, struct program *program);
/* False at the end. */
bool pieces_next(struct pieces *pieces, struct piece *piece);

#endif
