/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ELF files that are larger than what was written to them: holes, and sizes that are patched to
 * reach into them. What reads such files has to stay small; fuzz.sh limits it to 200 MB resident.
 *
 * The input: how many patches (1 byte); how long the file is (8 bytes); of each patch the place (2
 * bytes) and the value (8 bytes); then the beginning of the file. Numbers are little-endian, and
 * what is beyond the largest file is cut.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "elf_readers.h"
#include "fuzz.h"

#define FILE_MAX     (1ull << 40)
#define HEAD         9
#define PATCH        10
#define RESIDENT_MAX (200l << 10) /* KiB */

/* Without the sanitizers, whose memory is their own, libFuzzer is not there to look. */
static void resident_check(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
	struct rusage usage;

	if (!getrusage(RUSAGE_SELF, &usage) && usage.ru_maxrss > RESIDENT_MAX)
		abort();
#endif
}

static uint64_t number(const uint8_t *data, size_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, data, bytes);
	return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t patches = size ? data[0] % 16 : 0, begin = HEAD + patches * PATCH, i, at;
	uint64_t length;
	uint8_t *file;
	int fd;

	if (size <= begin)
		return 0;
	fd = memfd_create("large", MFD_CLOEXEC);
	file = malloc(size - begin);
	if (fd < 0 || !file)
		abort();
	memcpy(file, data + begin, size - begin);
	for (i = 0; i < patches; i++) {
		at = (size_t)number(data + HEAD + i * PATCH, 2);
		if (at < size - begin && size - begin - at >= 8)
			memcpy(file + at, data + HEAD + i * PATCH + 2, 8);
	}
	length = number(data + 1, 8) % FILE_MAX;
	if (length < size - begin)
		length = size - begin;
	if (write(fd, file, size - begin) == (ssize_t)(size - begin) &&
	    !ftruncate(fd, (off_t)length))
		elf_read_all(fd, length);
	free(file);
	close(fd);
	resident_check();
	return 0;
}
