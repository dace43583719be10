/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See libfat.c. */
#include <stddef.h>

int fat_again(int (*allocate)(void **, size_t))
{
	void *memory;

	return allocate(&memory, 8192) ? 1 : 0; /* the second call */
}
