/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF file's symbol table and its symbols' names. Both may be larger than the memory that we want
 * to use, so they are read in pieces, and of the names only those that are asked for.
 */
#ifndef NAMES_SYMTAB_H
#define NAMES_SYMTAB_H

#include <stdbool.h>

#include "names/sections.h"

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
 * True if one of @words (NULL-ended, each shorter than 32 bytes) occurs in the names. Returns
 * -ENOMEM without memory.
 */
int symtab_mentions(const struct symtab *table, const char *const *words);

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

#endif
