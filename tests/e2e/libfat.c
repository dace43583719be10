/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library that fat.c makes others of, in two files, so that it has two tables of lines: it has
 * no name of CUDA's.
 */
#include <stddef.h>

/*
 * A long comment in the file, so that debug information, which lies behind it, begins pages behind
 * what is loaded.
 */
#define TIMES_16(text) \
	text text text text text text text text text text text text text text text text
__asm__(".ident \"" TIMES_16(TIMES_16(TIMES_16("sixteen letters "))) "\"");

int fat_allocate(int (*allocate)(void **, size_t))
{
	void *memory;

	return allocate(&memory, 4096) ? 1 : 0; /* the first call */
}
