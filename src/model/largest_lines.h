/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which lines of a program hold most of a device's memory. */
#ifndef MODEL_LARGEST_LINES_H
#define MODEL_LARGEST_LINES_H

#include "model/program.h"
#include "model/snapshot.h"

/*
 * Fills in the lines of @detail: those of @program that hold most of @device (CUTOP_DEVICE_UNKNOWN:
 * of all). Walks through its allocations. Without memory there are none.
 */
void largest_lines(const struct program *program, int device, struct snap_detail *detail);

/* The same of blocks: of the allocator whose @sites these are. */
void largest_lines_of(const struct program *program, const struct site_table *sites,
		      struct snap_detail *detail);

#endif
