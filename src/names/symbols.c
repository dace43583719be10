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
#include <stdlib.h>
#include <string.h>

#define SYMBOLS_MAX	(4u << 20)
#define NAMES_MAX	(256u << 20)
#define SEGMENTS_MAX	64

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

struct segment {
	uint64_t address, offset, size;
};

static size_t segments_read(Elf *elf, struct segment *segments)
{
	size_t count, i, kept = 0;
	GElf_Phdr phdr;

	if (elf_getphdrnum(elf, &count))
		return 0;
	for (i = 0; i < count && kept < SEGMENTS_MAX; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr))
			break;
		if (phdr.p_type == PT_LOAD && phdr.p_flags & PF_X)
			segments[kept++] = (struct segment){ phdr.p_vaddr, phdr.p_offset, phdr.p_filesz };
	}
	return kept;
}

static int symbol_compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	/* The one with a size last: symbols_find() takes the last at an offset. */
	return (x->size > 0) - (y->size > 0);
}

static int section_read(Elf *elf, Elf_Scn *section, const struct segment *segments, size_t segment_count,
			struct symbols *symbols)
{
	Elf_Data *data, *names;
	GElf_Shdr shdr, str_shdr;
	Elf_Scn *strings;
	size_t count, i, j;
	GElf_Sym sym;

	if (!gelf_getshdr(section, &shdr) || shdr.sh_entsize != sizeof(Elf64_Sym))
		return -EBADMSG;
	strings = elf_getscn(elf, shdr.sh_link);
	if (!strings || !gelf_getshdr(strings, &str_shdr) || str_shdr.sh_size > NAMES_MAX ||
	    shdr.sh_size / sizeof(Elf64_Sym) > SYMBOLS_MAX)
		return -EBADMSG;
	names = elf_getdata(strings, NULL);
	data = elf_getdata(section, NULL);
	if (!names || !names->d_buf || !names->d_size || !data || !data->d_buf)
		return -EBADMSG;
	count = data->d_size / sizeof(Elf64_Sym);
	symbols->list = calloc(count ? count : 1, sizeof(*symbols->list));
	symbols->names = malloc(names->d_size);
	if (!symbols->list || !symbols->names)
		return -ENOMEM;
	memcpy(symbols->names, names->d_buf, names->d_size);
	symbols->names[names->d_size - 1] = 0;
	symbols->names_len = names->d_size;
	for (i = 0; i < count; i++) {
		if (!gelf_getsym(data, (int)i, &sym))
			break;
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF ||
		    sym.st_name >= names->d_size || !symbols->names[sym.st_name])
			continue;
		for (j = 0; j < segment_count; j++) {
			if (sym.st_value < segments[j].address || sym.st_value - segments[j].address >= segments[j].size)
				continue;
			symbols->list[symbols->count++] = (struct symbol){
				.offset = sym.st_value - segments[j].address + segments[j].offset,
				.size = sym.st_size > UINT32_MAX ? UINT32_MAX : (uint32_t)sym.st_size,
				.name = sym.st_name,
			};
			break;
		}
	}
	qsort(symbols->list, symbols->count, sizeof(symbols->list[0]), symbol_compare);
	return 0;
}

struct symbols *symbols_read(int fd)
{
	Elf_Scn *section = NULL, *table = NULL;
	struct segment segments[SEGMENTS_MAX];
	struct symbols *symbols = NULL;
	size_t segment_count;
	GElf_Shdr shdr;
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return NULL;
	if (elf_kind(elf) != ELF_K_ELF || gelf_getclass(elf) != ELFCLASS64)
		goto out;
	segment_count = segments_read(elf, segments);
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &shdr))
			break;
		if (shdr.sh_type == SHT_SYMTAB || (shdr.sh_type == SHT_DYNSYM && !table))
			table = section;
		if (shdr.sh_type == SHT_SYMTAB)
			break;
	}
	if (!table)
		goto out;
	symbols = calloc(1, sizeof(*symbols));
	if (symbols && section_read(elf, table, segments, segment_count, symbols)) {
		symbols_free(symbols);
		symbols = NULL;
	}
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
