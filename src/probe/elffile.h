/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What cutop reads from ELF files: which hooked functions a file defines and
 * where, which libraries it needs. The files belong to others and may be
 * broken or hostile; they are read, never mapped.
 */
#ifndef PROBE_ELFFILE_H
#define PROBE_ELFFILE_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cutop_event.h"
#include "names/sections.h"
#include "util/util.h"

/*
 * Opens @fd as an ELF file of this machine's kind, for functions that read more of it. Returns 0
 * with @file to be closed with sections_close(), or a negative errno as elffile_functions() does.
 */
int elffile_open(int fd, struct sections *file, struct reason *why);

/* Where the probe of a function goes: points_choose(). */
enum point {
	POINT_ENTRY,   /* on its first instruction */
	POINT_PAST,    /* on a later one, which the kernel emulates */
	POINT_STEPPED, /* on its first instruction, which the kernel single-steps */
	POINT_NONE,    /* nowhere: it is left out */
	POINT_COUNT,
};

struct elf_function {
	uint64_t offset;    /* of its entry, in the file */
	uint32_t size;      /* bytes, as its symbols say; 0: they do not */
	uint32_t name_hash; /* elf_name_hash() */
	uint16_t call;      /* enum call_id */
	uint8_t past;       /* bytes from its entry to its probe */
	uint8_t point;      /* enum point */
	bool entry_only;    /* its return gets no probe */
};

/* Where in the file the probe goes. */
static inline uint64_t function_probe_offset(const struct elf_function *function)
{
	return function->offset + function->past;
}

struct elf_functions {
	struct elf_function *list; /* by offset; one per offset; the aliases after them */
	size_t count;
	size_t aliases;    /* further names at offsets already in the list */
	size_t forwarders; /* functions that forwarders_drop() has taken out */
	uint16_t library;  /* the file's number: CUTOP_COOKIE; 0: it has none */
};

/*
 * Finds the functions of the table that the file open at @fd defines, in
 * .dynsym or .symtab. Returns 0 with *@found filled (perhaps empty; the caller
 * frees found->list), -ENOEXEC with @why set if it is no ELF file of this
 * machine's kind, -EBADMSG if it is a broken one, -ENOMEM.
 */
int elffile_functions(int fd, struct elf_functions *found, struct reason *why);

/* Adds the @count functions at @more to @functions, before the aliases. Returns 0 or -ENOMEM. */
int elf_functions_append(struct elf_functions *functions, const struct elf_function *more,
			 size_t count);

struct elf_symbol {
	const char *name; /* borrowed; NULL: not wanted, or too long to be of interest */
	uint64_t offset;  /* in the file */
	uint64_t size;    /* bytes; 0: not said */
	bool is_function, is_local;
};

/*
 * Calls @visit with each function that the file's symbol tables define, some twice. If @visit
 * returns nonzero, stops and returns that; otherwise returns 0 or a negative errno as above.
 */
int elffile_symbols(int fd, int (*visit)(void *context, const struct elf_symbol *symbol),
		    void *context, struct reason *why);

/*
 * The same for every symbol in code, of whatever type: for example a label in the middle of a
 * function. Reading a name takes longer than all the rest: only those have one that @wants_name
 * says, which is asked without.
 */
int elffile_labels(int fd, bool (*wants_name)(void *context, const struct elf_symbol *symbol),
		   int (*visit)(void *context, const struct elf_symbol *symbol), void *context,
		   struct reason *why);

/* A hash of the @len first bytes of @name. */
uint32_t elf_name_hash(const char *name, size_t len);

struct elf_needs {
	char **needed; /* DT_NEEDED, in order */
	size_t count;
	char *rpath;       /* DT_RPATH, NULL if none */
	char *runpath;     /* DT_RUNPATH, NULL if none */
	char *interpreter; /* PT_INTERP, NULL if none */
};

/*
 * Reads which files the loader will look for. Returns 0 or a negative errno as above. Free with
 * elffile_needs_free().
 */
int elffile_needs(int fd, struct elf_needs *needs, struct reason *why);

void elffile_needs_free(struct elf_needs *needs);

#define BUILD_ID_SIZE 65 /* hex digits of up to 32 bytes, and NUL */

struct elf_info {
	char soname[256];             /* DT_SONAME; empty if it has none */
	char build_id[BUILD_ID_SIZE]; /* hex; empty if it has none */
	bool is_program;              /* it has an interpreter, or is linked to a fixed address */
	/* .symtab is there: names of local functions, kernels' stubs among them */
	bool has_symtab;
};

/*
 * Fills @info from the file open at @fd. Returns 0 or a negative errno as elffile_functions() does.
 */
int elfinfo_read(int fd, struct elf_info *info, struct reason *why);

/*
 * The version of the CUDA runtime that defines @functions in the file open at @fd, as its
 * cudaRuntimeGetVersion() returns it (13000): read from the code, which is not run. 0 if it is not
 * found.
 */
unsigned int elfinfo_runtime_version(int fd, const struct elf_functions *functions);

/*
 * The version in "libcudart.so.12.4.127" (12040; @major_only false) or "libcudart.so.12" (12000;
 * true); 0: none.
 */
unsigned int version_of_name(const char *name, bool *major_only);

/*
 * Finds that code in the file open at @fd, which has the functions @found: the whole file if it
 * calls itself libcudart, else the piece around these functions that contains only the runtime's
 * symbols. False if there is none.
 */
bool runtime_code_find(int fd, const struct elf_functions *found, struct code_span *span);

#endif
