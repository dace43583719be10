/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The copy is made of our own vdso, which is a whole ELF file in memory, section headers included.
 * The kernel has one for all 64-bit programs.
 */
#include "names/vdso.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/util.h"

/* Where the file ends: after its section headers, or after its last segment. */
static size_t size_of(const Elf64_Ehdr *header)
{
	const Elf64_Phdr *segments = (const void *)((const char *)header + header->e_phoff);
	size_t end = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	unsigned int i;

	for (i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD &&
		    end < segments[i].p_offset + segments[i].p_filesz)
			end = segments[i].p_offset + segments[i].p_filesz;
	return end;
}

int vdso_open(void)
{
	const Elf64_Ehdr *header = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	size_t done, size;
	ssize_t n;
	int fd;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64)
		return -ENOENT;
	fd = file_in_memory("cutop-vdso");
	if (fd < 0)
		return fd;
	size = size_of(header);
	for (done = 0; done < size; done += (size_t)n) {
		n = write(fd, (const char *)header + done, size - done);
		if (n <= 0) {
			close(fd);
			return n ? -errno : -EIO;
		}
	}
	/* Several processes get it, each of which also reads files of others: none may change it. */
	fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	return fd;
}
