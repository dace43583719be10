/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An interpreter is recognized by its symbol _PyRuntime, whatever the file's name: it is exported
 * for extension modules, even in stripped and static programs. From 3.11 on the version is the word
 * Py_Version; before, the size of _PyRuntime tells, or, if that size is of no known version, the
 * file's name.
 */
#include "probe/python_elf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "names/sections.h"
#include "probe/elffile.h"
#include "probe/python_layouts.h"

#define NAME_MAX_LEN 64 /* longer than any name that is searched for */

static const char *const names[] = {
	"_PyRuntime",
	"PyCode_Type",
	"Py_Version",
	"_PyEval_EvalFrameDefault",
#define FIRST_FUNCTION 4
	"Py_InitializeFromConfig",
	"PyModuleDef_Init",
	"PyModule_Create2",
};

_Static_assert(ARRAY_LEN(names) - FIRST_FUNCTION <= PYTHON_FUNCTIONS,
	       "more than there is room for");

static const struct {
	uint64_t size;
	unsigned int version;
} runtime_sizes[] = { { 1464, 0x0308 }, { 656, 0x0309 }, { 672, 0x030a } };

struct found_symbols {
	struct python_elf *elf;
	uint64_t runtime_size, version_address;
};

static void symbol_take(struct found_symbols *symbols, const char *name, const Elf64_Sym *symbol)
{
	struct python_elf *elf = symbols->elf;
	size_t i;

	if (!strcmp(name, "_PyRuntime")) {
		elf->runtime = symbol->st_value;
		symbols->runtime_size = symbol->st_size;
	} else if (!strcmp(name, "PyCode_Type")) {
		elf->code_type = symbol->st_value;
	} else if (!strcmp(name, "Py_Version")) {
		symbols->version_address = symbol->st_value;
	} else if (!strcmp(name, "_PyEval_EvalFrameDefault")) {
		elf->loop.address = symbol->st_value;
		elf->loop.size = (uint32_t)symbol->st_size;
	}
	for (i = FIRST_FUNCTION; i < ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i])) {
			elf->functions[i - FIRST_FUNCTION].address = symbol->st_value;
			elf->functions[i - FIRST_FUNCTION].size = (uint32_t)symbol->st_size;
		}
}

static enum symtab_want symbol_want(void *context, const Elf64_Sym *symbol)
{
	(void)context;
	return symbol->st_shndx != SHN_UNDEF && symbol->st_value ? SYMTAB_NAMED : SYMTAB_LEAVE;
}

static int symbol_visit(void *context, const Elf64_Sym *symbol, const char *name, size_t len)
{
	(void)len;
	symbol_take(context, name, symbol);
	return 0;
}

/* Looks through the symbol table of @type. Returns 0 or a negative errno. */
static int table_read(const struct sections *file, uint32_t type, struct found_symbols *symbols)
{
	const struct symtab_search search = {
		.names = names,
		.name_count = ARRAY_LEN(names),
		.want = symbol_want,
		.visit = symbol_visit,
		.context = symbols,
		.name_max = NAME_MAX_LEN,
	};
	struct symtab table;
	int err = symtab_find(file, type, &table);

	if (err)
		return err == -ENOENT ? 0 : err;
	return symtab_visit(&table, &search);
}

/* The file offset of @address, in a segment with @flags; 0: it is in none. */
static uint64_t offset_of(const struct sections *file, uint64_t address, uint32_t flags)
{
	const Elf64_Phdr *phdr;
	size_t i;

	for (i = 0; i < file->segment_count; i++) {
		phdr = &file->segments[i];
		if (phdr->p_type == PT_LOAD && (phdr->p_flags & flags) == flags &&
		    address - phdr->p_vaddr < phdr->p_filesz)
			return address - phdr->p_vaddr + phdr->p_offset;
	}
	return 0;
}

static bool code_find(const struct sections *file, struct python_elf *found)
{
	size_t i;

	for (i = 0; i < file->segment_count; i++)
		if (file->segments[i].p_type == PT_LOAD && file->segments[i].p_flags & PF_X) {
			found->code_address = file->segments[i].p_vaddr;
			found->code_offset = file->segments[i].p_offset;
			found->code_bytes = file->segments[i].p_memsz;
			return true;
		}
	return false;
}

static unsigned int version_of_size(uint64_t size)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(runtime_sizes); i++)
		if (runtime_sizes[i].size == size)
			return runtime_sizes[i].version;
	return 0;
}

/* "python3.9", "libpython3.10.so.1.0". */
static unsigned int version_in_path(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = strstr(slash ? slash : path, "python");
	unsigned int major, minor;

	return name && sscanf(name, "python%u.%u", &major, &minor) == 2 && major < 256 &&
			       minor < 256 ?
		       major << 8 | minor :
		       0;
}

static void version_find(const struct sections *file, const char *path,
			 const struct found_symbols *symbols)
{
	struct python_elf *found = symbols->elf;
	uint64_t word;

	found->version_offset =
		symbols->version_address ? offset_of(file, symbols->version_address, PF_R) : 0;
	if (found->version_offset &&
	    sections_read(file, found->version_offset, &word, sizeof(word)) == sizeof(word))
		found->version = word >> 16 & 0xffff;
	else
		found->version = version_of_size(symbols->runtime_size);
	if (!found->version)
		found->version = version_in_path(path);
}

static void layout_find(const struct sections *file, struct python_elf *found, struct reason *why)
{
	unsigned char offsets[PYTHON_OFFSETS_BYTES];
	size_t bytes, i;

	found->runtime_offset = offset_of(file, found->runtime, PF_R);
	bytes = found->runtime_offset ?
			sections_read(file, found->runtime_offset, offsets, sizeof(offsets)) :
			0;
	if (!found->version)
		reason_set(why, -ENOTSUP, "it does not say which version it is");
	else if (!found->code_type)
		reason_set(why, -ENOTSUP, "it does not export PyCode_Type");
	else if (python_layout_find(found->version, offsets, bytes, &found->layout, why))
		memset(&found->layout, 0, sizeof(found->layout));
	for (i = 0; i < PYTHON_FUNCTIONS; i++)
		if (found->functions[i].address)
			found->functions[i].offset =
				offset_of(file, found->functions[i].address, PF_X);
}

int python_elf_read(int fd, const char *path, struct python_elf *found, struct reason *why)
{
	struct found_symbols symbols = { .elf = found };
	struct sections file;
	int err = elffile_open(fd, &file, why);

	memset(found, 0, sizeof(*found));
	if (err)
		return err;
	/* All symbols are in .dynsym, or, for a program without dynamic linking, in .symtab. */
	err = table_read(&file, SHT_DYNSYM, &symbols);
	if (!err && !found->runtime && !symtab_is_of_library(&file))
		err = table_read(&file, SHT_SYMTAB, &symbols);
	if (!err && found->runtime && code_find(&file, found)) {
		version_find(&file, path, &symbols);
		layout_find(&file, found, why);
		err = 1;
	}
	sections_close(&file);
	return err;
}
