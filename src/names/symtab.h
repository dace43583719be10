/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A symbol table of an ELF file and the names of its symbols, gone through in windows of bounded size. */
#ifndef NAMES_SYMTAB_H
#define NAMES_SYMTAB_H

#include <stdbool.h>

#include "names/sections.h"

#define SYMTAB_WINDOW	(16u << 20)	/* bytes of names in memory at a time */
#define SYMTAB_MEMORY	(SYMTAB_WINDOW + (1u << 20))	/* what symtab_visit() and symtab_mentions() take at most */

struct symtab {
	const struct sections *file;
	uint64_t at, count;		/* of the symbols */
	uint64_t names, names_size;
};

/* Finds the first table of @type. Returns 0, -ENOENT if there is none, or -EBADMSG for one that is not sound. */
int symtab_find(const struct sections *file, uint32_t type, struct symtab *table);

/* True if one of @words, NULL-ended, each shorter than 32 bytes, is anywhere in the names. Returns -ENOMEM without memory. */
int symtab_mentions(const struct symtab *table, const char *const *words);

struct symtab_search {
	/* Whether the symbol is of interest, as far as that can be told without its name. */
	bool (*want)(void *context, const Elf64_Sym *symbol);
	/*
	 * Called with each of them. @name has @len bytes and no NUL in them: it is borrowed, and not longer than name_max; one
	 * that is longer is cut. NULL: there is none. A value other than 0 ends the visit, and is returned.
	 */
	int (*visit)(void *context, const Elf64_Sym *symbol, const char *name, size_t len);
	void *context;
	size_t name_max;		/* up to 64 KiB */
};

/*
 * Calls @search->visit as said: in the table's order, if the names fit into one window; else window by window. Returns 0 at
 * the end, what visit() returned, -EBADMSG if the table cannot be read, -E2BIG if it takes too long to go through, or -ENOMEM.
 */
int symtab_visit(const struct symtab *table, const struct symtab_search *search);

#endif
