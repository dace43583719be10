/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The headers of an ELF file of a watched program, and its contents by pieces. Sizes in such a file are claims: a file of a few
 * blocks on the disk may say that its tables have gigabytes. So nothing is read whole because a header says how large it is,
 * and nothing is mapped: a file that shrinks under a mapping would end cutop with SIGBUS.
 */
#ifndef NAMES_SECTIONS_H
#define NAMES_SECTIONS_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct sections {
	int fd;				/* borrowed; -1: the file lies in memory */
	const char *memory;		/* borrowed */
	uint64_t size;			/* bytes that the file had when it was opened */
	Elf64_Ehdr ehdr;
	Elf64_Shdr *list;
	Elf64_Phdr *segments;
	size_t count, segment_count;
	uint64_t names, names_size;	/* where the sections' names lie; size 0: they have none */
};

/*
 * Reads the headers of the file open at @fd, which stays the caller's and open until sections_close(). Returns 0, -ENOEXEC for
 * what is no 64-bit ELF file of this machine's byte order, -EBADMSG for a broken one, or one with more headers than any linker
 * makes, or -ENOMEM. After an error there is nothing to close; @file->ehdr is what was read.
 */
int sections_open(struct sections *file, int fd);

/* The same of the @size bytes at @memory, which stay the caller's. */
int sections_open_memory(struct sections *file, const char *memory, size_t size);

void sections_close(struct sections *file);

/* Reads up to @len bytes at @offset. Returns how many there were: fewer at the file's end, and where it cannot be read. */
size_t sections_read(const struct sections *file, uint64_t offset, void *out, size_t len);

/*
 * Where data begins that is not a hole, from @offset on: @end if there is none before. A hole reads as zeros, and a file may
 * have gigabytes of it. Where the file system does not tell, all is data.
 */
uint64_t sections_data(const struct sections *file, uint64_t offset, uint64_t end);

/* True if @size bytes at @offset lie in the file. */
int sections_hold(const struct sections *file, uint64_t offset, uint64_t size);

/*
 * Reads the text at @at of the table of strings at @names, @names_size bytes, into @out, @size bytes. Returns its length, or
 * -1 if there is none, or it is longer than @out.
 */
long sections_text(const struct sections *file, uint64_t names, uint64_t names_size, uint64_t at, char *out, size_t size);

/* The name of @section, in @out; empty if it has none. Returns @out. */
const char *sections_name(const struct sections *file, const Elf64_Shdr *section, char *out, size_t size);

/* The first section of @type, the first called @name, or NULL. */
const Elf64_Shdr *sections_of_type(const struct sections *file, uint32_t type);
const Elf64_Shdr *sections_of_name(const struct sections *file, const char *name);

/* The section that @section is linked to, if it is one that has bytes in the file, or NULL. */
const Elf64_Shdr *sections_link(const struct sections *file, const Elf64_Shdr *section);

#endif
