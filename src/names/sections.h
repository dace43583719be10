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
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sections {
	int fd;        /* borrowed */
	uint64_t size; /* bytes that the file had when it was opened */
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

/* Where the code of an ELF file lies: its file offsets, and its addresses before relocation. */

#define CODE_SEGMENTS_MAX 64 /* of code; one is usual */

struct segments {
	struct {
		uint64_t address, offset, size;
	} list[CODE_SEGMENTS_MAX];
	size_t count;
};

/* Fills @segments from the program headers. */
void segments_read(const struct sections *file, struct segments *segments);

/* Converts an address to a file offset, and back. Returns 0, or -ENOENT if it is not code. */
int segments_offset(const struct segments *segments, uint64_t address, uint64_t *offset);
int segments_address(const struct segments *segments, uint64_t offset, uint64_t *address);

/*
 * An ELF file's symbol table and its symbols' names. Both may be larger than the memory that we want
 * to use, so they are read in pieces, and of the names only those that are asked for.
 */

/* memory that a function of this file uses at most */
#define SYMTAB_MEMORY (1u << 20)

struct symtab {
	const struct sections *file;
	uint64_t at, count; /* offset and number of the symbols */
	uint64_t names, names_size;
};

/*
 * Finds the first table of @type. Returns 0, -ENOENT if there is none, or -EBADMSG if it is not
 * sound.
 */
int symtab_find(const struct sections *file, uint32_t type, struct symtab *table);

/*
 * True if @file is a shared library: then .dynsym has all that it offers to others, and .symtab, which
 * may be large, need not be read for that.
 */
bool symtab_is_of_library(const struct sections *file);

/*
 * Calls @each for each symbol, with its place in the table, but for those in holes, which are zero.
 * Returns 0 at the end, what @each returned if that is not 0, -EBADMSG if the table cannot be read,
 * or -ENOMEM.
 */
int symtab_each(const struct symtab *table,
		int (*each)(void *context, const Elf64_Sym *symbol, uint64_t index), void *context);

enum symtab_want {
	SYMTAB_LEAVE,
	SYMTAB_NAMED,   /* visit it with its name */
	SYMTAB_UNNAMED, /* visit it without */
};

struct symtab_search {
	/*
	 * The names that are searched for (NULL: any), each of 6 to 128 bytes: nearly all others are
	 * not read, and their symbols not visited.
	 */
	const char *const *names;
	size_t name_count;
	/* What to do with the symbol, as far as can be told without its name. */
	enum symtab_want (*want)(void *context, const Elf64_Sym *symbol);
	/*
	 * @name has @len bytes without a NUL, is borrowed, and is at most name_max bytes long: a
	 * longer one is cut. NULL: it has none, or none was wanted. If it returns nonzero, the visit
	 * ends and returns that.
	 */
	int (*visit)(void *context, const Elf64_Sym *symbol, const char *name, size_t len);
	void *context;
	size_t name_max; /* up to 64 KiB */
};

/*
 * Calls @search->visit for symbols, in the table's order. Returns 0 at the end, what visit()
 * returned, -EBADMSG if the table cannot be read, -E2BIG if it takes too long to go through, or
 * -ENOMEM.
 */
int symtab_visit(const struct symtab *table, const struct symtab_search *search);

/* The same for the first table of @type in @file; 0 if there is none. */
int sections_symbols(const struct sections *file, uint32_t type,
		     const struct symtab_search *search);

/*
 * Calls @visit for each symbol of the first table of @type in @file that is defined and has one of
 * the @count @names, which are as those of a symtab_search: @name is the name's number. Returns as
 * sections_symbols().
 */
int sections_find(const struct sections *file, uint32_t type, const char *const *names,
		  size_t count, int (*visit)(void *context, const Elf64_Sym *symbol, size_t name),
		  void *context);

/* The build id that an ELF file's notes have. */

#define BUILD_ID_MAX 64 /* bytes */

/*
 * Finds the first build id in @file's notes, those in segments before those in sections. Returns its
 * length, of 2 bytes at least, or 0 if there is none.
 */
size_t build_id_find(const struct sections *file, unsigned char id[BUILD_ID_MAX]);

#endif
