/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Source lines from DWARF: which line of which source file the code at an offset of an ELF file
 * came from, and through which inlined functions. libdw does the reading. It maps the files, which are hostile, and may take long, or
 * crash: so only resolver_process.c calls this, in a separate process.
 */
#ifndef NAMES_LINES_H
#define NAMES_LINES_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cutop_event.h"

#define SOURCE_INLINED_MAX CUTOP_INLINED_MAX

struct lines;

/* A function that was inlined where the code is. Strings are borrowed; NULL if unknown. */
struct source_inlined {
	const char *symbol; /* mangled; C has none */
	const char *name;   /* without namespaces */
	const char *path;   /* where the code in it came from */
	unsigned int line;  /* 0: unknown, then there is no path, either */
};

/* Where code came from. */
struct source {
	/* Of the function that the code is in physically: where it calls what was inlined */
	const char *path;
	unsigned int line;
	/* The innermost first; of more than fit, the outer ones are missing */
	struct source_inlined inlined[SOURCE_INLINED_MAX];
	size_t inlined_count;
};

/*
 * Reads the line numbers of the file open at @fd, from there or from its debug file at @debug_fd
 * (-1: none). Both descriptors stay the caller's, and must stay open until lines_close(). Returns
 * NULL if there are none.
 */
struct lines *lines_open(int fd, int debug_fd);
void lines_close(struct lines *lines);

/* Finds where the code at file offset @offset came from. Returns false if that is unknown. */
bool lines_find(struct lines *lines, uint64_t offset, struct source *source);

#endif
