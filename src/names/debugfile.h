/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Separate files with a program's symbols and line numbers, found by build id or by .gnu_debuglink,
 * below given roots. Nothing is ever downloaded.
 */
#ifndef NAMES_DEBUGFILE_H
#define NAMES_DEBUGFILE_H

#include <stddef.h>
#include <stdint.h>

#include "names/sections.h"

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
