/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that calls itself ELF, given to everything that reads such files of others. */
#include <sys/mman.h>

#include "elf_readers.h"
#include "fuzz.h"
#include "probe/elfcopy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC), copy;

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size) {
		elf_read_all(fd, size);
		copy = elf_copy(fd, size, COPY_IF_HOOKED);
		if (copy >= 0) {
			functions_read(copy);
			close(copy);
		}
	}
	close(fd);
	return 0;
}
