/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The variable's name as the C++ ABI mangles it, for the kernel _Z5plainPi:
 *
 *   _ZZ 24__device_stub__Z5plainPi Pi E 8__handle
 *       the stub, its length first     the variable
 *
 * with an L before the length if the stub is static. After "__device_stub_"
 * the rest of the stub's own name is the kernel's, mangled.
 */
#include "names/handles.h"

#include <ctype.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "names/elfopen.h"
#include "names/segments.h"

#define VARIABLES_MAX	65536
#define NAME_LEN_MAX	4096u
#define TABLE_MAX	(256u << 20)	/* bytes of a symbol or string table looked at */

char *handles_kernel(const char *symbol)
{
	static const char stub[] = "__device_stub_", tail[] = "E8__handle";
	size_t len = strlen(symbol), name_len = 0;
	const char *name = symbol + 3;

	if (len > NAME_LEN_MAX || len < sizeof(tail) + 3 || strncmp(symbol, "_ZZ", 3) ||
	    strcmp(symbol + len - (sizeof(tail) - 1), tail))
		return NULL;
	name += *name == 'L';
	for (; isdigit((unsigned char)*name) && name_len <= len; name++)	/* a longer one cannot be */
		name_len = 10 * name_len + (size_t)(*name - '0');
	if (name_len > len - (size_t)(name - symbol) || name_len < sizeof(stub) + 1 ||
	    strncmp(name, stub, sizeof(stub) - 1))
		return NULL;
	return strndup(name + sizeof(stub) - 1, name_len - (sizeof(stub) - 1));
}

static int variable_add(struct handle_variables *variables, uint64_t address, char *kernel)
{
	struct handle_variable *more;

	if (variables->count == variables->room) {
		size_t room = variables->room ? 2 * variables->room : 64;

		more = room <= VARIABLES_MAX ? realloc(variables->list, room * sizeof(*more)) : NULL;
		if (!more) {
			free(kernel);
			return -ENOMEM;
		}
		variables->list = more;
		variables->room = room;
	}
	variables->list[variables->count++] = (struct handle_variable){ address, kernel };
	return 0;
}

/* @bias: what to add to an address of the file's own view. */
static int table_read(Elf *elf, Elf_Scn *section, uint64_t bias, struct handle_variables *variables)
{
	GElf_Shdr shdr, names_shdr;
	Elf_Data *data, *names;
	Elf_Scn *strings;
	GElf_Sym sym;
	size_t i;

	if (!gelf_getshdr(section, &shdr) || shdr.sh_entsize != sizeof(Elf64_Sym) || shdr.sh_size > TABLE_MAX)
		return -EBADMSG;
	strings = elf_getscn(elf, shdr.sh_link);
	if (!strings || !gelf_getshdr(strings, &names_shdr) || names_shdr.sh_size > TABLE_MAX)
		return -EBADMSG;
	names = elf_getdata(strings, NULL);
	if (!names || !names->d_buf || !names->d_size)
		return -EBADMSG;
	if (!memmem(names->d_buf, names->d_size, "E8__handle", 10))
		return 0;
	data = elf_getdata(section, NULL);
	if (!data || !data->d_buf)
		return -EBADMSG;
	for (i = 0; i < data->d_size / sizeof(Elf64_Sym); i++) {
		const char *name;
		char *kernel;

		if (!gelf_getsym(data, (int)i, &sym))
			break;
		if (GELF_ST_TYPE(sym.st_info) != STT_OBJECT || sym.st_size != sizeof(uint64_t) ||
		    sym.st_shndx == SHN_UNDEF || sym.st_name >= names->d_size)
			continue;
		name = (const char *)names->d_buf + sym.st_name;
		if (strncmp(name, "_ZZ", 3) || !memchr(name, 0, names->d_size - sym.st_name))
			continue;
		kernel = handles_kernel(name);
		if (kernel && variable_add(variables, sym.st_value + bias, kernel))
			return -ENOMEM;
	}
	return 0;
}

static int symbols_visit(int fd, uint64_t bias, struct handle_variables *variables)
{
	Elf *elf = elf_open(fd);
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;
	int err = 0;

	while (elf && (section = elf_nextscn(elf, section)) && gelf_getshdr(section, &shdr))
		if (shdr.sh_type == SHT_SYMTAB) {
			err = table_read(elf, section, bias, variables);
			break;
		}
	elf_end(elf);
	return err;
}

int handles_read(int fd, int debug_fd, uint64_t start, uint64_t offset, struct handle_variables *variables)
{
	size_t before = variables->count;
	struct segments segments = { .count = 0 };
	uint64_t address;
	Elf *elf;
	int err;

	elf = elf_open(fd);
	if (elf)
		segments_read(elf, &segments);
	elf_end(elf);
	/* A mapping begins at a page; the segment may begin within it. */
	if (segments_address(&segments, offset, &address)) {
		if (!segments.count || segments.list[0].offset < offset || segments.list[0].offset - offset >= 65536)
			return -EBADMSG;
		address = segments.list[0].address - (segments.list[0].offset - offset);
	}
	err = symbols_visit(fd, start - address, variables);
	if (!err && variables->count == before && debug_fd >= 0)
		err = symbols_visit(debug_fd, start - address, variables);
	return err;
}

void handles_free(struct handle_variables *variables)
{
	size_t i;

	for (i = 0; i < variables->count; i++)
		free(variables->list[i].kernel);
	free(variables->list);
	*variables = (struct handle_variables){ .list = NULL };
}
