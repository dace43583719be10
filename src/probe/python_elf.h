/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file says of the Python interpreter that it has, if it has one. */
#ifndef PROBE_PYTHON_ELF_H
#define PROBE_PYTHON_ELF_H

#include <stdint.h>

#include <linux/types.h>

#include "cutop_python.h"
#include "util/util.h"

struct python_elf {
	unsigned int version;		/* 0x030b; 0: not known */
	uint64_t runtime, code_type;	/* addresses of _PyRuntime and PyCode_Type, as the file has them */
	uint64_t version_offset, runtime_offset;	/* where Py_Version and _PyRuntime stand in the file; 0: nowhere */
	uint64_t code_address, code_offset, code_bytes;	/* of its first executable segment, in memory and in the file */
	struct {
		uint64_t address, offset;	/* 0: it has no such function */
		uint32_t size;
	} functions[PYTHON_FUNCTIONS], loop;	/* those that say that it runs, and _PyEval_EvalFrameDefault() */
	struct python_layout layout;	/* version 0: its frames cannot be read, as `why` of python_elf_read() says */
};

/*
 * Reads the file open at @fd, found as @path. Returns 1 with @elf filled, whose layout has a version, or @why says why it has none; 0 if
 * the file has no interpreter; or a negative errno.
 */
int python_elf_read(int fd, const char *path, struct python_elf *elf, struct reason *why);

#endif
