/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf_begin() is told to read, not to map: a file that shrinks under a mapping would kill us with SIGBUS. */
#include "names/elfopen.h"

#include <gelf.h>
#include <stddef.h>

#define HEADERS_MAX	65536u		/* sections, or segments: ELF's own numbers go to 65,279 before they need a way around */
#define NAMES_MAX	(16u << 20)	/* bytes of the names of sections */

bool elf_is_sane(Elf *elf)
{
	size_t sections, segments, names;
	Elf_Scn *strings;
	GElf_Shdr shdr;

	/* In this order: the number of segments may stand in the first section's header, which is read with all others. */
	if (elf_getshdrnum(elf, &sections) || sections > HEADERS_MAX || elf_getphdrnum(elf, &segments) || segments > HEADERS_MAX)
		return false;
	if (elf_getshdrstrndx(elf, &names))
		return true;	/* it has none */
	strings = elf_getscn(elf, names);
	return !strings || !gelf_getshdr(strings, &shdr) || shdr.sh_size <= NAMES_MAX;
}

Elf *elf_open(int fd)
{
	Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getclass(elf) == ELFCLASS64 && elf_is_sane(elf))
		return elf;
	elf_end(elf);
	return NULL;
}
