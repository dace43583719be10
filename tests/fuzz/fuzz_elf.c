/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that calls itself ELF, given to everything that reads such files of others. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "names/debugfile.h"
#include "names/handles.h"
#include "names/symbols.h"
#include "probe/elffile.h"
#include "probe/elfinfo.h"
#include "probe/extra_functions.h"
#include "probe/points.h"

/* Whatever the file says: no probe is anywhere but at the entry or a little behind it. */
static void points_try(int fd, struct elf_functions *found)
{
	struct forms forms;
	size_t i;

	forms_default(&forms);
	points_choose(fd, found, &forms, false);
	for (i = 0; i < found->count; i++) {
		const struct elf_function *function = &found->list[i];

		if (function->point >= POINT_COUNT || (function->past != 0) != (function->point == POINT_PAST))
			abort();
		if (function->past && (function->past > 48 || function->past >= function->size))
			abort();
	}
	/* And on a kernel that emulates nothing. */
	memset(&forms, 0, sizeof(forms));
	points_choose(fd, found, &forms, true);
}

static void functions_read(int fd)
{
	const char *request = "file:*[a-m]*";
	struct elf_functions found;
	struct reason why = { "" };
	struct extras *extras;
	enum start *starts;
	size_t offset;

	if (elffile_functions(fd, &found, &why))
		return;
	starts = calloc(found.count + 1, sizeof(*starts));
	if (starts)
		elfinfo_starts(fd, found.list, found.count, starts);
	free(starts);
	points_try(fd, &found);
	elfinfo_runtime_version(fd, &found);
	if (!extras_new(&extras, &request, 1, &why)) {
		if (extras_want(extras, fd, "/lib/file") && extras_find(extras, fd, "/lib/file", &found, &why) > 0)
			for (offset = 0; offset < found.count; offset++)
				if (!found.list[offset].offset && !found.list[offset].call)
					abort();
		extras_free(extras);
	}
	free(found.list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct handle_variables variables = { .list = NULL };
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct reason why = { "" };
	struct symbols *symbols;
	struct debug_link link;
	struct elf_needs needs;
	struct elf_info info;
	uint64_t distance;

	if (fd < 0)
		return 0;
	if (write(fd, data, size) == (ssize_t)size) {
		functions_read(fd);
		if (!elffile_needs(fd, &needs, &why))
			elffile_needs_free(&needs);
		elfinfo_read(fd, &info, &why);
		elfinfo_carries_runtime(fd);
		debug_link_read(fd, &link);
		symbols = symbols_read(fd, fd);
		if (symbols) {
			symbols_find(symbols, 0x1000, &distance);
			symbols_find(symbols, size, &distance);
			symbols_free(symbols);
		}
		handles_read(fd, fd, 0x400000, 0x1000, &variables);
		handles_free(&variables);
	}
	close(fd);
	return 0;
}
