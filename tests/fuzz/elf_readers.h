/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything that reads ELF files of others, let loose on one. */
#ifndef FUZZ_ELF_READERS_H
#define FUZZ_ELF_READERS_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names/symbols.h"
#include "collect/late_kernels.h"
#include "names/sections.h"
#include "probe/elffile.h"
#include "probe/extra_functions.h"
#include "probe/points.h"

/* Whatever the file says: no probe is anywhere but at the entry or a little behind it. */
static inline void points_try(int fd, struct elf_functions *found)
{
	struct forms forms;
	size_t i;

	forms_default(&forms);
	points_choose(fd, found, &forms, false);
	for (i = 0; i < found->count; i++) {
		const struct elf_function *function = &found->list[i];

		if (function->point >= POINT_COUNT ||
		    (function->past != 0) != (function->point == POINT_PAST))
			abort();
		if (function->past && (function->past > 48 || function->past >= function->size))
			abort();
	}
	/* And on a kernel that emulates nothing. */
	memset(&forms, 0, sizeof(forms));
	points_choose(fd, found, &forms, true);
}

static inline void functions_read(int fd)
{
	const char *request = "file:*[a-m]*";
	struct elf_functions found;
	struct reason why = { "" };
	struct code_span span;
	struct extra_functions *extras;
	size_t offset;

	if (elffile_functions(fd, &found, &why))
		return;
	points_try(fd, &found);
	elfinfo_runtime_version(fd, &found);
	if (runtime_code_find(fd, &found, &span) && span.start >= span.end)
		abort();
	if (!extra_functions_new(&extras, &request, 1, NULL, &why)) {
		if (extra_functions_want(extras, NULL, "/lib/file") &&
		    extra_functions_find(extras, fd, NULL, "/lib/file", &found, &why) > 0)
			for (offset = 0; offset < found.count; offset++)
				if (!found.list[offset].offset && !found.list[offset].call)
					abort();
		extra_functions_free(extras);
	}
	free(found.list);
}

#define SYMBOLS_BYTES (64ull << 20)

/* @end: where to look for a function besides the beginning. */
static inline void symbols_try(int fd, uint64_t end)
{
	struct symbols *symbols;
	uint64_t distance;
	int err = symbols_read(fd, fd, SYMBOLS_BYTES, &symbols);

	if (!err != !!symbols || (err && err != -ENOENT && err != -ENOSPC && err != -ENOMEM))
		abort();
	if (symbols) {
		if (symbols_bytes(symbols) > SYMBOLS_BYTES)
			abort();
		symbols_find(symbols, 0x1000, &distance);
		symbols_find(symbols, end, &distance);
		symbols_free(symbols);
	}
}

/* Everything, on the file open at @fd, which has @size bytes. */
static inline void elf_read_all(int fd, uint64_t size)
{
	struct handle_variables variables = { .list = NULL };
	struct reason why = { "" };
	struct debug_link link;
	struct elf_needs needs;
	struct elf_info info;

	functions_read(fd);
	if (!elffile_needs(fd, &needs, &why))
		elffile_needs_free(&needs);
	elfinfo_read(fd, &info, &why);
	debug_link_read(fd, &link);
	symbols_try(fd, size);
	handles_read(fd, fd, 0x400000, 0x1000, &variables);
	handles_free(&variables);
}

#endif
