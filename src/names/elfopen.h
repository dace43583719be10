/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files of others, opened so that libelf can be let loose on them. */
#ifndef NAMES_ELFOPEN_H
#define NAMES_ELFOPEN_H

#include <libelf.h>
#include <stdbool.h>

/*
 * False if the tables of headers, or the names of sections, are larger than any
 * linker makes them. libelf takes memory for the whole of them when the first is
 * asked for, and a sparse file can say that they are as large as it likes.
 */
bool elf_is_sane(Elf *elf);

/* Opens the 64-bit ELF file at @fd, if it is one and sane; else returns NULL. The caller calls elf_end(). */
Elf *elf_open(int fd);

#endif
