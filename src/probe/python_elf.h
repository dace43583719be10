/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file tells about the Python interpreter in it, if it has one. */
#ifndef PROBE_PYTHON_ELF_H
#define PROBE_PYTHON_ELF_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "cutop_python.h"
#include "util/util.h"

struct python_elf {
	unsigned int version; /* 0x030b; 0: not known */
	/* Addresses of _PyRuntime and PyCode_Type, before relocation */
	uint64_t runtime, code_type;
	/* file offsets of Py_Version and _PyRuntime; 0: unknown */
	uint64_t version_offset, runtime_offset;
	/* of its first executable segment: address before relocation, file offset, size */
	uint64_t code_address, code_offset, code_bytes;
	struct {
		uint64_t address, offset; /* 0: it has no such function */
		uint32_t size;
		/* functions that show that it runs, and _PyEval_EvalFrameDefault() */
	} functions[PYTHON_FUNCTIONS], loop;
	/* Version 0: its frames cannot be read, as `why` of python_elf_read() says */
	struct python_layout layout;
};

/*
 * Reads the file open at @fd, found as @path. Returns 1 with @elf filled: its layout has a version,
 * or @why says why it has none; 0 if the file has no interpreter; or a negative errno.
 */
int python_elf_read(int fd, const char *path, struct python_elf *elf, struct reason *why);

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
