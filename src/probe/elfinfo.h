/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What there is to know about a library or program before it is probed: its name and build id, its
 * version, how its functions begin, and whether it has a CUDA runtime linked in that no symbol
 * leads to.
 */
#ifndef PROBE_ELFINFO_H
#define PROBE_ELFINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/elffile.h"
#include "util/util.h"

#define BUILD_ID_SIZE 65 /* hex digits of up to 32 bytes, and NUL */

struct elf_info {
	char soname[256];             /* DT_SONAME; empty if it has none */
	char build_id[BUILD_ID_SIZE]; /* hex; empty if it has none */
	bool is_program;              /* it has an interpreter, or is linked to a fixed address */
	/* .symtab is there: names of local functions, kernels' stubs among them */
	bool has_symtab;
};

/*
 * Fills @info from the file open at @fd. Returns 0 or a negative errno as elffile_functions() does.
 */
int elfinfo_read(int fd, struct elf_info *info, struct reason *why);

/*
 * True if the file open at @fd contains a CUDA runtime's own messages. Reads all of the file's
 * data.
 */
bool elfinfo_carries_runtime(int fd);

/*
 * The version of the CUDA runtime that defines @functions in the file open at @fd, as its
 * cudaRuntimeGetVersion() returns it (13000): read from the code, which is not run. 0 if it is not
 * found.
 */
unsigned int elfinfo_runtime_version(int fd, const struct elf_functions *functions);

/*
 * The version in "libcudart.so.12.4.127" (12040; @major_only false) or "libcudart.so.12" (12000;
 * true); 0: none.
 */
unsigned int version_of_name(const char *name, bool *major_only);

#endif
