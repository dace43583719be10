/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The copy is made of our own vdso, which is a whole ELF file in memory, section headers included.
 * The kernel has one for all 64-bit programs.
 */
#include "names/vdso.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

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
	fd = memfd_create("cutop-vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	size = size_of(header);
	for (done = 0; done < size; done += (size_t)n) {
		n = write(fd, (const char *)header + done, size - done);
		if (n <= 0) {
			close(fd);
			return n ? -errno : -EIO;
		}
	}
	return fd;
}
