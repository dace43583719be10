/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A copy in memory of the parts of an ELF file that cutop reads, for files whose readers may be
 * kept waiting.
 */
#ifndef PROBE_ELFCOPY_H
#define PROBE_ELFCOPY_H

#include <stdint.h>

/* Besides headers, notes and what the loader reads: */
enum {
	COPY_TABLES = 1, /* symbols, and what leads to a debug file */
	COPY_CODE = 2,
	/*
	 * Both of these, if the file defines functions of the call table, or a Python interpreter
	 */
	COPY_IF_HOOKED = 4,
};

/*
 * Copies what @want says (at most 256 MB) of the file open at @fd, of @size bytes, to the same
 * offsets; the rest is a hole. May sleep. Returns the copy's descriptor or a negative errno.
 */
int elf_copy(int fd, uint64_t size, unsigned int want);

#endif
