// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * absent_memory file FILE | absent_memory userfaultfd [COUNT]
 *
 * Registers COUNT kernels (default: 2), whose names lie in FILE, mapped, or in memory of its own.
 * Then takes the pages of the names out of memory, has further touches of its own memory wait for a
 * userfaultfd that it never serves, says "ready", and launches each kernel for every line on its
 * standard input: "launched". Ends when that does.
 *
 * FILE has the names "in_file_0" and so on, each at the beginning of a page.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "cuda_double.h"

#define COUNT_MAX 64
#define PAGE      4096

static char stubs[64 * COUNT_MAX];

static void *names_map(const char *path, size_t size)
{
	int fd = open(path, O_RDONLY);
	void *names = fd < 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (names == MAP_FAILED || madvise(names, size, MADV_RANDOM)) {
		perror(path);
		exit(1);
	}
	return names;
}

static void *names_make(int count)
{
	char *names = mmap(NULL, (size_t)count * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	for (i = 0; names != MAP_FAILED && i < count; i++)
		snprintf(names + i * PAGE, PAGE, "absent_%d", i);
	return names;
}

/* Whoever touches it from now on waits. */
static int wait_for_ever(void *memory, size_t size)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { (uintptr_t)memory, size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	return fd < 0 || ioctl(fd, UFFDIO_API, &api) || madvise(memory, size, MADV_DONTNEED) ||
	       ioctl(fd, UFFDIO_REGISTER, &range);
}

int main(int argc, char **argv)
{
	static const struct {
		int magic, version;
		const void *data, *more;
	} wrapper = { 0x466243b1, 1, stubs, NULL };
	int is_file = argc > 2 && !strcmp(argv[1], "file"),
	    count = !is_file && argc > 2 ? atoi(argv[2]) : 2, i;
	dim3 one = { 1, 1, 1 };
	void **fatbin, *memory = NULL, *args[1] = { &memory };
	char *names, line[64];
	size_t size;

	if (argc < 2 || count < 1 || count > COUNT_MAX)
		return 2;
	size = (size_t)count * PAGE;
	names = is_file ? names_map(argv[2], size) : names_make(count);
	fatbin = __cudaRegisterFatBinary((void *)&wrapper);
	for (i = 0; i < count; i++)
		__cudaRegisterFunction(fatbin, stubs + 64 * i, names + i * PAGE, names + i * PAGE,
				       -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(fatbin);
	if (is_file) {
		int fd = open(argv[2], O_RDONLY);

		if (madvise(names, size, MADV_DONTNEED) ||
		    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
			return 1;
		close(fd);
	} else if (wait_for_ever(names, size)) {
		perror("userfaultfd");
		return 77;
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		for (i = 0; i < count; i++)
			if (cudaLaunchKernel(stubs + 64 * i, one, one, args, 0, NULL))
				return 1;
		puts("launched");
		fflush(stdout);
	}
	/* Its own ends, too, would touch what it registered. */
	_exit(0);
}
