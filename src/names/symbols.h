/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function symbols of ELF files: which function is at an offset of a file. Files are hostile; they
 * are read, never mapped. What is kept is a number for each symbol; names are read when they are asked
 * for.
 */
#ifndef NAMES_SYMBOLS_H
#define NAMES_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "names/sections.h"

struct symbols;

/*
 * Finds the function symbols of the file open at @fd: its .symtab, or that of its debug file at
 * @debug_fd (-1: none), or .dynsym. The descriptors may be closed afterwards; the file that has the
 * symbols stays open until symbols_free(). Returns 0 with *@symbols, freed with symbols_free().
 * Otherwise *@symbols is NULL: -ENOENT if there are none, or the file is broken; -ENOSPC if they take
 * more than @most bytes; -EMFILE; -ENOMEM.
 */
int symbols_read(int fd, int debug_fd, uint64_t most, struct symbols **symbols);

/* The memory that they take: also that of a file that lies in memory. */
uint64_t symbols_bytes(const struct symbols *symbols);
void symbols_free(struct symbols *symbols);

/*
 * Finds the function that contains file offset @offset. Returns its name (mangled, borrowed until
 * the next call) and stores the distance from its start in *@distance, or returns NULL.
 */
const char *symbols_find(struct symbols *symbols, uint64_t offset, uint64_t *distance);

/*
 * Separate files with a program's symbols and line numbers, found by build id or by .gnu_debuglink,
 * below given roots. Nothing is ever downloaded.
 */

struct debug_link {
	uint8_t build_id[BUILD_ID_MAX];
	size_t build_id_len; /* 0: has none */
	char name[256];      /* from .gnu_debuglink, without folders; empty: has none */
	uint32_t crc;        /* of that file */
};

/* Reads which debug file the ELF file open at @fd names. Returns 0, or -ENOENT if it names none. */
int debug_link_read(int fd, struct debug_link *link);

/*
 * Opens the debug file of the file @of, which names it in @link and has the path @path (below its
 * root), or NULL. @roots: folders that are searched in this order, as if each were "/"; NULL-ended.
 * The result has the requested build id or checksum, and the starting user may read it
 * (util/starter.h). May sleep. Returns a descriptor, or -ENOENT.
 */
struct stat;
int debug_file_open(const struct stat *of, const struct debug_link *link, const char *const *roots,
		    const char *path);

#endif
