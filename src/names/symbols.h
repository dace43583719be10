/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function symbols of ELF files: which function is at an offset of a file. Files are hostile; they
 * are read, never mapped. What is kept is a number for each symbol, which counts against a budget;
 * names are read when they are asked for.
 */
#ifndef NAMES_SYMBOLS_H
#define NAMES_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "names/budget.h"

struct symbols;

/*
 * Finds the function symbols of the file open at @fd: its .symtab, or that of its debug file at
 * @debug_fd (-1: none), or .dynsym. The descriptors may be closed afterwards;
 * the files that have the symbols stay open until symbols_free(). @budget has to outlive the
 * symbols. Returns 0 with *@symbols, freed with symbols_free(). Otherwise *@symbols is NULL:
 * -ENOENT if there are none, or the file is broken; -ENOSPC if the budget has no room for them;
 * -EMFILE; -ENOMEM.
 */
int symbols_read(int fd, int debug_fd, struct budget *budget, struct symbols **symbols);
void symbols_free(struct symbols *symbols);

/*
 * Finds the function that contains file offset @offset. Returns its name (mangled, borrowed until
 * the next call) and stores the distance from its start in *@distance, or returns NULL.
 */
const char *symbols_find(struct symbols *symbols, uint64_t offset, uint64_t *distance);

#endif
