// SPDX-License-Identifier: GPL-2.0-or-later
/* A stand-in for PyTorch's caching allocator: c10_allocator.c. */
#ifndef C10_ALLOCATOR_H
#define C10_ALLOCATOR_H

#include <stddef.h>

#define C10_DEVICES 8

/* A block of @bytes on @device (0 to 7), rounded up; NULL if there is no memory. */
void *tensor_new(int device, size_t bytes);
void tensor_free(int device, void *tensor);

/* Gives segments without blocks back to the driver. */
void tensor_empty_cache(int device);

/* Segments are grown in place from now on (expandable_segments:True). */
void tensor_expand(void);

/*
 * Writes what the allocator has, a JSON object on a line, by file descriptor @fd. Only
 * largest_gap_bytes is not exact while another thread allocates.
 */
void tensor_figures(int fd);

#endif
