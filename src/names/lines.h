/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines from DWARF: which line of which source file the code at an offset of an ELF file
 * came from. libdw does the reading. It maps the files, which are hostile, and may take long, or
 * crash: so only resolver_process.c calls this, in a separate process.
 */
#ifndef NAMES_LINES_H
#define NAMES_LINES_H

#include <stdint.h>

struct lines;

/*
 * Reads the line numbers of the file open at @fd, from there or from its debug file at @debug_fd
 * (-1: none). Both descriptors stay the caller's, and must stay open until lines_close(). Returns
 * NULL if there are none.
 */
struct lines *lines_open(int fd, int debug_fd);
void lines_close(struct lines *lines);

/*
 * Finds the line at file offset @offset; of code that was inlined from a wrapper's file
 * (cuda/wrappers.h), the line that called it. Returns its number and stores the borrowed path in
 * *@path, or returns 0.
 */
unsigned int lines_find(struct lines *lines, uint64_t offset, const char **path);

#endif
