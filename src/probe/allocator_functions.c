/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions are exported, so .dynsym has them, or, in a program without dynamic linking,
 * .symtab. Files that only call them mention their names, too.
 */
#include "probe/allocator_functions.h"

#include <linux/types.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/allocators.h"
#include "names/sections.h"
#include "probe/points.h"

#define NAME_MAX_LEN 96 /* longer than any of the symbols */

struct search {
	struct segments segments;
	struct elf_function *list;
	size_t count;
};

static enum symtab_want symbol_want(void *context, const Elf64_Sym *symbol)
{
	(void)context;
	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC ?
		       SYMTAB_NAMED :
		       SYMTAB_LEAVE;
}

static int symbol_visit(void *context, const Elf64_Sym *symbol, const char *name, size_t len)
{
	struct search *search = context;
	uint64_t offset;
	size_t i;

	(void)len;
	for (i = 0; i < allocator_form_count(); i++) {
		if (strcmp(name, allocator_symbol(i)))
			continue;
		if (!segments_offset(&search->segments, symbol->st_value, &offset) &&
		    search->count < ALLOCATOR_FUNCTIONS_MAX)
			search->list[search->count++] = (struct elf_function){
				.offset = offset,
				.size = (uint32_t)symbol->st_size,
				.call = (uint16_t)(CUTOP_ALLOCATOR + i),
			};
	}
	return search->count == ALLOCATOR_FUNCTIONS_MAX;
}

static void table_search(const struct sections *file, struct search *search, uint32_t type)
{
	const char *names[ALLOCATOR_FORMS_MAX];
	const struct symtab_search visit = {
		.names = names,
		.name_count = allocator_form_count(),
		.want = symbol_want,
		.visit = symbol_visit,
		.context = search,
		.name_max = NAME_MAX_LEN,
	};
	struct symtab table;
	size_t i;

	for (i = 0; i < allocator_form_count(); i++)
		names[i] = allocator_symbol(i);
	if (!symtab_find(file, type, &table))
		symtab_visit(&table, &visit);
}

size_t allocators_find(int fd, struct elf_function *list)
{
	struct reason why = { "" };
	struct sections file;
	struct search search = { .list = list };

	if (elffile_open(fd, &file, &why))
		return 0;
	segments_read(&file, &search.segments);
	table_search(&file, &search, SHT_DYNSYM);
	if (!search.count && !symtab_is_of_library(&file))
		table_search(&file, &search, SHT_SYMTAB);
	sections_close(&file);
	return search.count;
}

bool allocators_append(int fd, const struct forms *forms, bool leave_stepped,
		       struct elf_functions *functions)
{
	struct elf_function list[ALLOCATOR_FUNCTIONS_MAX], *more;
	struct elf_functions own = { .list = list };

	own.count = allocators_find(fd, list);
	if (!own.count)
		return false;
	points_choose(fd, &own, forms, leave_stepped);
	more = realloc(functions->list, (functions->count + own.count) * sizeof(*more));
	if (!more)
		return false;
	/* The further names behind the list are not needed any more. */
	memcpy(more + functions->count, own.list, own.count * sizeof(*more));
	functions->list = more;
	functions->count += own.count;
	return true;
}
