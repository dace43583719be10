/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This program as a file. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "self_file.h"

char *self;
size_t self_size;

int file_of(const void *data, size_t size)
{
	int fd = memfd_create("elf", 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	return fd;
}

void self_read(void)
{
	struct stat st;
	int fd;

	if (self)
		return;
	fd = open("/proc/self/exe", O_RDONLY);
	ck_assert(fd >= 0 && !fstat(fd, &st));
	self_size = (size_t)st.st_size;
	self = malloc(self_size);
	ck_assert_int_eq(read(fd, self, self_size), (ssize_t)self_size);
	close(fd);
}

uint64_t offset_of(const void *address)
{
	unsigned long start, end, offset;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	uint64_t found = 0;

	ck_assert_ptr_nonnull(maps);
	while (!found && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    (unsigned long)address >= start && (unsigned long)address < end)
			found = (unsigned long)address - start + offset;
	fclose(maps);
	ck_assert_uint_ne(found, 0);
	return found;
}
