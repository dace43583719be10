// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * absent_names FILE PREFIX: registers kernels whose names are in a file that is
 * mapped and not in memory, as those of large libraries are, and launches number
 * 0 once, number 1 twice and so on. Kernel number 7 is called PREFIX_07 and many
 * times x, each with one more; all names but the first run over the end of a page.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cuda_double.h"

#define COUNT 20
#define PAGE  4096
#define APART (16 * PAGE) /* further than the kernel reads ahead of one fault at a time */

static char stubs[64 * COUNT];

/* Writes name number @i to the file, so that its 12th byte is the first of a page. */
static int name_write(int fd, const char *prefix, int i)
{
	char name[PAGE];
	int len = snprintf(name, sizeof(name), "%s_%02d", prefix, i), more = i * 150;

	memset(name + len, 'x', (size_t)more);
	len += more;
	name[len] = '\0';
	return pwrite(fd, name, (size_t)len + 1, (off_t)(APART * (i + 1) - (i ? 12 : 0))) ==
			       len + 1 ?
		       0 :
		       -1;
}

int main(int argc, char **argv)
{
	static const struct {
		int magic, version;
		const void *data, *more;
	} wrapper = { 0x466243b1, 1, stubs, NULL };
	size_t size = APART * (COUNT + 2);
	dim3 one = { 1, 1, 1 };
	void **fatbin, *memory = NULL, *args[1] = { &memory };
	char *names;
	int fd, i, j;

	if (argc != 3)
		return 2;
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)size))
		return 1;
	for (i = 0; i < COUNT; i++)
		if (name_write(fd, argv[2], i))
			return 1;
	names = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (names == MAP_FAILED || madvise(names, size, MADV_RANDOM))
		return 1;
	fatbin = __cudaRegisterFatBinary((void *)&wrapper);
	for (i = 0; i < COUNT; i++) {
		char *name = names + APART * (i + 1) - (i ? 12 : 0);

		__cudaRegisterFunction(fatbin, stubs + 64 * i, name, name, -1, NULL, NULL, NULL,
				       NULL, NULL);
	}
	__cudaRegisterFatBinaryEnd(fatbin);
	if (fsync(fd) || madvise(names, size, MADV_DONTNEED) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		return 1;
	for (i = 0; i < COUNT; i++)
		for (j = 0; j <= i; j++)
			if (cudaLaunchKernel(stubs + 64 * i, one, one, args, 0, NULL))
				return 1;
	return cudaDeviceSynchronize();
}
