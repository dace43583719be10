/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file and its debug file, given to what looks for the one by the other, and reads symbols and
 * source lines of both.
 *
 * The input: how many bytes the first has (4, little-endian), and both. cutop has the reader of
 * lines, libdw, in a process of its own, since it is not ours and large; here it is in this one. It
 * stood a million inputs: should one end it, that is for the authors of elfutils, and no harm to
 * cutop (tests/unit/test_lines.c).
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "names/symbols.h"
#include "names/lines.h"

static int file_of(const uint8_t *data, size_t size)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

static char root[] = "/tmp/cutop-fuzz.XXXXXX";

static void root_remove(void)
{
	rmdir(root);
}

/* Below a root in which the debug file lies beside the program. */
static void debug_file_try(int fd, const uint8_t *debug, size_t size)
{
	const char *const roots[] = { root, NULL };
	static bool made;
	struct debug_link link;
	struct stat st;
	char path[512];
	int found, out;

	if (!made && (!mkdtemp(root) || atexit(root_remove)))
		abort();
	made = true;
	if (fstat(fd, &st) || debug_link_read(fd, &link) || !link.name[0])
		return;
	if (strchr(link.name, '/') || !strcmp(link.name, "..") ||
	    !memchr(link.name, 0, sizeof(link.name)) || link.build_id_len > BUILD_ID_MAX)
		abort();
	snprintf(path, sizeof(path), "%s/%s", root, link.name);
	out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (out < 0)
		return; /* a name that is too long for the file system, say */
	if (write(out, debug, size) != (ssize_t)size)
		abort();
	close(out);
	found = debug_file_open(&st, &link, roots, "/program");
	if (found >= 0)
		close(found);
	unlink(path);
}

static void symbols_try(int fd, int debug_fd)
{
	struct symbols *symbols;
	uint64_t offset, distance;

	if (symbols_read(fd, debug_fd, UINT64_MAX, &symbols))
		return;
	for (offset = 0; offset < 0x3000; offset += 0x35)
		if (symbols_find(symbols, offset, &distance) && distance > offset)
			abort();
	symbols_free(symbols);
}

static void source_check(const struct source *source)
{
	size_t i;

	if (!source->path != !source->line || source->inlined_count > SOURCE_INLINED_MAX)
		abort();
	for (i = 0; i < source->inlined_count; i++) {
		const struct source_inlined *inlined = &source->inlined[i];

		if (!inlined->path != !inlined->line ||
		    (inlined->symbol && strlen(inlined->symbol) > SIZE_MAX / 2) ||
		    (inlined->name && strlen(inlined->name) > SIZE_MAX / 2))
			abort();
	}
}

static void lines_try(int fd, int debug_fd)
{
	struct lines *lines = lines_open(fd, debug_fd);
	struct source source;
	uint64_t offset;

	if (!lines)
		return;
	for (offset = 0; offset < 0x3000; offset += 0x35)
		if (lines_find(lines, offset, &source))
			source_check(&source);
	if (lines_find(lines, UINT64_MAX, &source))
		abort();
	lines_close(lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t first;
	int fd, debug_fd;

	if (size < sizeof(first))
		return 0;
	memcpy(&first, data, sizeof(first));
	data += sizeof(first);
	size -= sizeof(first);
	if (first > size)
		first = (uint32_t)size;
	fd = file_of(data, first);
	debug_fd = file_of(data + first, size - first);
	debug_file_try(fd, data + first, size - first);
	symbols_try(fd, debug_fd);
	lines_try(fd, debug_fd);
	close(fd);
	close(debug_fd);
	return 0;
}
