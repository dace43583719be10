/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The headers of an ELF file of a watched program, and its contents in pieces. Sizes in such a file
 * are only claims: a file with a few blocks on disk may claim tables of gigabytes. So nothing is
 * read whole because a header says how large it is, and nothing is mapped: a mapped file that
 * shrinks would end cutop with SIGBUS.
 */
#ifndef NAMES_SECTIONS_H
#define NAMES_SECTIONS_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct sections {
	int fd;             /* borrowed; -1: the file lies in memory */
	const char *memory; /* borrowed */
	uint64_t size;      /* bytes that the file had when it was opened */
	Elf64_Ehdr ehdr;
	Elf64_Shdr *list;
	Elf64_Phdr *segments;
	size_t count, segment_count;
	uint64_t names, names_size; /* where the sections' names lie; size 0: they have none */
};

/*
 * Reads the headers of the file open at @fd, which stays the caller's and must stay open until
 * sections_close(). Returns 0, -ENOEXEC if it is not a 64-bit ELF file in this machine's byte
 * order, -EBADMSG if it is broken, or has more headers than any linker makes, or -ENOMEM. After an
 * error there is nothing to close; @file->ehdr is what was read.
 */
int sections_open(struct sections *file, int fd);

/* The same for the @size bytes at @memory, which stay the caller's. */
int sections_open_memory(struct sections *file, const char *memory, size_t size);

void sections_close(struct sections *file);

/*
 * Reads up to @len bytes at @offset. Returns how many it got: fewer at the end of the file, or if
 * it cannot be read.
 */
size_t sections_read(const struct sections *file, uint64_t offset, void *out, size_t len);

/*
 * The next offset at or after @offset that is not in a hole; @end if there is none before it. A
 * hole reads as zeros, and a file may have gigabytes of it. If the file system does not report
 * holes, everything is data.
 */
uint64_t sections_data(const struct sections *file, uint64_t offset, uint64_t end);

/* True if @size bytes at @offset lie in the file. */
int sections_hold(const struct sections *file, uint64_t offset, uint64_t size);

/*
 * Reads the string at offset @at of the string table at @names (@names_size bytes) into @out (@size
 * bytes). Returns its length, or -1 if there is none, or it is longer than @out.
 */
long sections_text(const struct sections *file, uint64_t names, uint64_t names_size, uint64_t at,
		   char *out, size_t size);

/* The name of @section, in @out; empty if it has none. Returns @out. */
const char *sections_name(const struct sections *file, const Elf64_Shdr *section, char *out,
			  size_t size);

/* The first section of type @type, the first with the name @name; or NULL. */
const Elf64_Shdr *sections_of_type(const struct sections *file, uint32_t type);
const Elf64_Shdr *sections_of_name(const struct sections *file, const char *name);

/* The section that @section is linked to, if it has bytes in the file; or NULL. */
const Elf64_Shdr *sections_link(const struct sections *file, const Elf64_Shdr *section);

#endif
