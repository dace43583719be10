/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF file's symbol table and its symbols' names, gone through in windows of bounded size. */
#ifndef NAMES_SYMTAB_H
#define NAMES_SYMTAB_H

#include <stdbool.h>

#include "names/sections.h"

#define SYMTAB_WINDOW (16u << 20) /* bytes of names in memory at a time */
/* memory that symtab_visit() and symtab_mentions() use at most */
#define SYMTAB_MEMORY (SYMTAB_WINDOW + (1u << 20))

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
 * True if one of @words (NULL-ended, each shorter than 32 bytes) occurs in the names. Returns
 * -ENOMEM without memory.
 */
int symtab_mentions(const struct symtab *table, const char *const *words);

struct symtab_search {
	/* Whether the symbol is of interest, as far as can be told without its name. */
	bool (*want)(void *context, const Elf64_Sym *symbol);
	/*
	 * Called for each of them. @name has @len bytes without a NUL, is borrowed, and is at most
	 * name_max bytes long: a longer one is cut. NULL: it has no name. If it returns nonzero,
	 * the visit ends and returns that.
	 */
	int (*visit)(void *context, const Elf64_Sym *symbol, const char *name, size_t len);
	void *context;
	size_t name_max; /* up to 64 KiB */
};

/*
 * Calls @search->visit for symbols: in the table's order, if the names fit into one window;
 * otherwise window by window. Returns 0 at the end, what visit() returned, -EBADMSG if the table
 * cannot be read, -E2BIG if it takes too long to go through, or -ENOMEM.
 */
int symtab_visit(const struct symtab *table, const struct symtab_search *search);

#endif
