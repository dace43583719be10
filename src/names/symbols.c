/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sorted array of functions by file offset and one copy of their names.
 * Offsets in the file, not addresses, are what a mapping gives us, and they
 * need no knowledge of where the file was loaded.
 */
#include "names/symbols.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "names/debugfile.h"
#include "names/elfopen.h"
#include "names/segments.h"

#define SYMBOLS_MAX	(4u << 20)
#define NAMES_MAX	(256u << 20)

struct symbol {
	uint64_t offset;
	uint32_t size;
	uint32_t name;
};

struct symbols {
	struct symbol *list;
	size_t count;
	char *names;
	size_t names_len;
};

static int symbol_compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	/* The one with a size last: symbols_find() takes the last at an offset. */
	return (x->size > 0) - (y->size > 0);
}

/* Takes over the names of a string table. Returns where they begin in symbols->names, or a negative errno. */
static int64_t names_append(struct symbols *symbols, const Elf_Data *names)
{
	size_t base = symbols->names_len;
	char *more;

	if (names->d_size > NAMES_MAX - base)
		return -EBADMSG;
	more = realloc(symbols->names, base + names->d_size);
	if (!more)
		return -ENOMEM;
	memcpy(more + base, names->d_buf, names->d_size);
	more[base + names->d_size - 1] = 0;
	symbols->names = more;
	symbols->names_len = base + names->d_size;
	return (int64_t)base;
}

static int section_read(Elf *elf, Elf_Scn *section, const struct segments *segments, struct symbols *symbols)
{
	Elf_Data *data, *names;
	GElf_Shdr shdr, str_shdr;
	struct symbol *list;
	Elf_Scn *strings;
	size_t count, i;
	int64_t base;
	GElf_Sym sym;

	if (!gelf_getshdr(section, &shdr) || shdr.sh_entsize != sizeof(Elf64_Sym))
		return -EBADMSG;
	strings = elf_getscn(elf, shdr.sh_link);
	if (!strings || !gelf_getshdr(strings, &str_shdr) || str_shdr.sh_size > NAMES_MAX ||
	    shdr.sh_size / sizeof(Elf64_Sym) > SYMBOLS_MAX - symbols->count)
		return -EBADMSG;
	names = elf_getdata(strings, NULL);
	data = elf_getdata(section, NULL);
	if (!names || !names->d_buf || !names->d_size || !data || !data->d_buf)
		return -EBADMSG;
	count = data->d_size / sizeof(Elf64_Sym);
	list = realloc(symbols->list, (symbols->count + count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	symbols->list = list;
	base = names_append(symbols, names);
	if (base < 0)
		return (int)base;
	for (i = 0; i < count; i++) {
		uint64_t offset;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF ||
		    sym.st_name >= names->d_size || !symbols->names[(size_t)base + sym.st_name] ||
		    segments_offset(segments, sym.st_value, &offset))
			continue;
		symbols->list[symbols->count++] = (struct symbol){
			.offset = offset,
			.size = sym.st_size > UINT32_MAX ? UINT32_MAX : (uint32_t)sym.st_size,
			.name = (uint32_t)((size_t)base + sym.st_name),
		};
	}
	return 0;
}

/* Reads the first table of @type, if there is one and it is sound. Returns true if anything was found. */
static bool table_read(Elf *elf, unsigned int type, const struct segments *segments, struct symbols *symbols)
{
	size_t before = symbols->count;
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	while ((section = elf_nextscn(elf, section)) && gelf_getshdr(section, &shdr)) {
		if (shdr.sh_type != type)
			continue;
		if (section_read(elf, section, segments, symbols))
			symbols->count = before;
		break;
	}
	return symbols->count > before;
}

/* The debug file's own program headers may say nothing of where the code lies: those of the main file count. */
static bool debug_file_read(int fd, const struct segments *segments, struct symbols *symbols)
{
	bool found = false;
	Elf *elf = elf_open(fd);

	if (elf)
		found = table_read(elf, SHT_SYMTAB, segments, symbols);
	elf_end(elf);
	return found;
}

/* The small compressed table that some distributions leave in stripped files: what .dynsym has not. */
static void mini_read(Elf *elf, const struct segments *segments, struct symbols *symbols)
{
	size_t size;
	char *bytes = debug_data_read(elf, &size);
	Elf *inner;

	if (!bytes)
		return;
	inner = elf_memory(bytes, size);
	if (inner && elf_kind(inner) == ELF_K_ELF && gelf_getclass(inner) == ELFCLASS64 && elf_is_sane(inner))
		table_read(inner, SHT_SYMTAB, segments, symbols);
	elf_end(inner);
	free(bytes);
}

struct symbols *symbols_read(int fd, int debug_fd)
{
	struct symbols *symbols = NULL;
	struct segments segments;
	Elf *elf;

	elf = elf_open(fd);
	if (!elf)
		return NULL;
	segments_read(elf, &segments);
	symbols = calloc(1, sizeof(*symbols));
	if (!symbols)
		goto out;
	if (!table_read(elf, SHT_SYMTAB, &segments, symbols) &&
	    (debug_fd < 0 || !debug_file_read(debug_fd, &segments, symbols))) {
		mini_read(elf, &segments, symbols);
		table_read(elf, SHT_DYNSYM, &segments, symbols);
	}
	if (!symbols->count) {
		symbols_free(symbols);
		symbols = NULL;
		goto out;
	}
	qsort(symbols->list, symbols->count, sizeof(symbols->list[0]), symbol_compare);
out:
	elf_end(elf);
	return symbols;
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->list);
	free(symbols->names);
	free(symbols);
}

const char *symbols_find(const struct symbols *symbols, uint64_t offset, uint64_t *distance)
{
	size_t low = 0, high = symbols->count;
	const struct symbol *symbol;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (symbols->list[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return NULL;
	symbol = &symbols->list[low - 1];
	if (symbol->size && offset - symbol->offset >= symbol->size)
		return NULL;
	*distance = offset - symbol->offset;
	return symbols->names + symbol->name;
}
