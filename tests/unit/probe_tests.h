/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests of what reads files of others and the command line: a program, a file per idea. */
#ifndef UNIT_PROBE_TESTS_H
#define UNIT_PROBE_TESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "run_tests.h"

/* Opens a new file that holds @data. */
int file_of(const void *data, size_t size);

/*
 * Makes a small ELF file at @program, which has room for @room bytes: it defines
 * cudaMalloc and cudaFree, and needs libneeded.so.1, in $ORIGIN/sub by DT_RUNPATH
 * or DT_RPATH, and libgone.so. Returns its size.
 */
#define ELF_IMAGE_ROOM 4096
size_t elf_image(void *program, size_t room, bool runpath);

#endif
