/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a program without symbols has the code of NVIDIA's static runtime: calls that come from
 * there are the program's own, one or more frames further out.
 */
#ifndef NAMES_RUNTIME_RANGE_H
#define NAMES_RUNTIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* Places that are looked at in one file until it is given up: the rest of its code is not. */
#define RUNTIME_TRIES 32

/* What is known about a file; zeros at first. */
struct runtime_range {
	uint64_t start, end; /* file offsets; 0, 0: not found */
	bool is_final;       /* nothing more can be found in this file */
	unsigned int tried;
	uint64_t tries[RUNTIME_TRIES]; /* file offsets around which there is no runtime */
};

/* True if runtime_range_find() has to look at the file to say what is at @offset. */
bool runtime_range_is_open(const struct runtime_range *range, uint64_t offset);

/*
 * Looks for the runtime around file offset @offset of the file open at @fd, which takes some
 * milliseconds, and fills @range. The file may be of any kind.
 */
void runtime_range_find(struct runtime_range *range, int fd, uint64_t offset);

/* True if file offset @offset is known to be in the runtime. */
bool runtime_range_has(const struct runtime_range *range, uint64_t offset);

#endif
