/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nothing in the headers is trusted: whatever they say, only
 * ranges inside the file are copied, up to a limit in all. A reader of the copy finds the file's
 * bytes, or zeros, and has to cope with both.
 */
#include "probe/elfcopy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names/sections.h"
#include "probe/extra_functions.h"
#include "probe/elffile.h"
#include "probe/python_elf.h"
#include "util/util.h"

#define COPY_MAX (256ull << 20)
/* bytes of code; of larger code, only what surrounds the functions is copied */
#define CODE_MAX    (64ull << 20)
#define CODE_AROUND (64u << 10)
#define HEAD        4096
#define NAMES_MAX   (1u << 20) /* bytes of the names of sections */
#define HINT_MAX    4096       /* of what leads to a debug file: a name, a hash */
#define CHUNK       (1u << 20)

struct copy {
	int from, to;
	uint64_t size; /* of the file */
	uint64_t left; /* bytes that may still be copied */
	unsigned int want;
	char *chunk;
	int error;
};

static bool is_zero(const char *bytes, size_t len)
{
	return !len || (!bytes[0] && !memcmp(bytes, bytes + 1, len - 1));
}

static void range_copy(struct copy *copy, uint64_t offset, uint64_t len)
{
	ssize_t n;

	if (copy->error || offset >= copy->size)
		return;
	if (len > copy->size - offset)
		len = copy->size - offset;
	for (; len && copy->left; offset += (uint64_t)n, len -= (uint64_t)n) {
		size_t want = len < CHUNK ? (size_t)len : CHUNK;

		if (want > copy->left)
			want = (size_t)copy->left;
		n = pread(copy->from, copy->chunk, want, (off_t)offset);
		if (n <= 0) { /* the file became shorter, or is unreadable here: leave a hole */
			copy->error = n < 0 && errno != EIO ? -errno : 0;
			return;
		}
		copy->left -= (uint64_t)n;
		if (!is_zero(copy->chunk, (size_t)n) &&
		    pwrite(copy->to, copy->chunk, (size_t)n, (off_t)offset) != n) {
			copy->error = -ENOMEM;
			return;
		}
	}
}

static void segments_copy(struct copy *copy, const struct sections *file)
{
	const Elf64_Phdr *list = file->segments;
	size_t i;

	range_copy(copy, file->ehdr.e_phoff, file->segment_count * sizeof(*list));
	for (i = 0; i < file->segment_count; i++)
		if (list[i].p_type == PT_INTERP || list[i].p_type == PT_DYNAMIC ||
		    list[i].p_type == PT_NOTE)
			range_copy(copy, list[i].p_offset,
				   list[i].p_filesz < CHUNK ? list[i].p_filesz : CHUNK);
}

static bool is_code(const Elf64_Shdr *section)
{
	return section->sh_type == SHT_PROGBITS && section->sh_flags & SHF_EXECINSTR;
}

/*
 * Symbols and strings; and, since they lead to a debug file, what is small and not loaded. Without
 * COPY_TABLES, only what says which libraries a file needs.
 */
static bool is_wanted(const struct copy *copy, const Elf64_Shdr *list, size_t count, size_t at)
{
	const Elf64_Shdr *section = &list[at];
	size_t i;

	switch (section->sh_type) {
	case SHT_DYNAMIC:
	case SHT_NOTE: return true;
	case SHT_STRTAB:
		for (i = 0; i < count; i++)
			if (list[i].sh_type == SHT_DYNAMIC && list[i].sh_link == at)
				return true;
		return copy->want & COPY_TABLES;
	case SHT_SYMTAB:
	case SHT_DYNSYM: return copy->want & COPY_TABLES;
	case SHT_PROGBITS:
		return copy->want & COPY_TABLES && !(section->sh_flags & SHF_ALLOC) &&
		       section->sh_size <= HINT_MAX;
	default: return false;
	}
}

static void functions_copy(struct copy *copy)
{
	struct elf_functions found;
	size_t i;

	if (elffile_functions(copy->from, &found, NULL))
		return;
	for (i = 0; i < found.count; i++) {
		uint64_t start =
			found.list[i].offset < CODE_AROUND ? 0 : found.list[i].offset - CODE_AROUND;

		range_copy(copy, start,
			   found.list[i].offset - start + CODE_AROUND + found.list[i].size);
	}
	free(found.list);
}

static void code_copy(struct copy *copy, const Elf64_Shdr *list, size_t count)
{
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < count; i++)
		if (is_code(&list[i]))
			all += list[i].sh_size <= CODE_MAX ? list[i].sh_size : CODE_MAX + 1;
	for (i = 0; i < count && all <= CODE_MAX; i++)
		if (is_code(&list[i]))
			range_copy(copy, list[i].sh_offset, list[i].sh_size);
	if (all > CODE_MAX)
		functions_copy(copy);
}

static void sections_copy(struct copy *copy, const struct sections *file)
{
	size_t i;

	range_copy(copy, file->ehdr.e_shoff, file->count * sizeof(*file->list));
	if (file->names_size <= NAMES_MAX)
		range_copy(copy, file->names, file->names_size);
	for (i = 0; i < file->count; i++)
		if (is_wanted(copy, file->list, file->count, i))
			range_copy(copy, file->list[i].sh_offset, file->list[i].sh_size);
	if (copy->want & COPY_CODE)
		code_copy(copy, file->list, file->count);
}

static bool has_hooked(int fd)
{
	struct elf_function allocator[ALLOCATOR_FUNCTIONS_MAX];
	struct elf_functions found;

	if (elffile_functions(fd, &found, NULL))
		return false;
	free(found.list);
	return found.count || allocators_find(fd, NULL, allocator);
}

/*
 * Copies what identifies the version of a Python interpreter, besides symbols and code. Returns
 * false if the file has none.
 */
static bool python_copy(struct copy *copy)
{
	struct python_elf elf;

	if (python_elf_read(copy->from, "", &elf, NULL) <= 0)
		return false;
	range_copy(copy, elf.version_offset, sizeof(uint64_t));
	range_copy(copy, elf.runtime_offset, PYTHON_OFFSETS_BYTES);
	return true;
}

int elf_copy(int fd, uint64_t size, unsigned int want)
{
	struct copy copy = { .from = fd, .size = size, .left = COPY_MAX, .want = want };
	struct sections file;

	copy.to = file_in_memory("cutop-copy");
	if (copy.to < 0)
		return copy.to;
	copy.chunk = malloc(CHUNK);
	if (!copy.chunk || ftruncate(copy.to, (off_t)size))
		copy.error = -ENOMEM;
	if (want & (COPY_IF_HOOKED | COPY_TABLES) && !copy.error && python_copy(&copy))
		copy.want |= COPY_TABLES | COPY_CODE;
	if (want & COPY_IF_HOOKED && has_hooked(fd))
		copy.want |= COPY_TABLES | COPY_CODE;
	range_copy(&copy, 0, HEAD);
	if (!sections_open(&file, fd)) {
		segments_copy(&copy, &file);
		sections_copy(&copy, &file);
		sections_close(&file);
	}
	free(copy.chunk);
	if (!copy.error)
		return copy.to;
	close(copy.to);
	return copy.error;
}
