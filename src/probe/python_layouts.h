/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the fields are that lead to Python's frames, by version. */
#ifndef PROBE_PYTHON_LAYOUTS_H
#define PROBE_PYTHON_LAYOUTS_H

#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_python.h"
#include "util/util.h"

/* Of struct _Py_DebugOffsets that are read: all of 3.14's */
#define PYTHON_OFFSETS_BYTES 760

/*
 * Fills @layout for the minor @version (0x030b), and, from 3.13 on, from @offsets, the first @bytes
 * bytes at _PyRuntime in the file. Returns 0, or -ENOTSUP with @why set: the version is unknown, or
 * the build is.
 */
int python_layout_find(unsigned int version, const unsigned char *offsets, size_t bytes,
		       struct python_layout *layout, struct reason *why);

#endif
