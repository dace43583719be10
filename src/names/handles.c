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
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "names/segments.h"
#include "names/symtab.h"

#define VARIABLES_MAX 65536
#define NAME_LEN_MAX  4096u

char *handles_kernel(const char *symbol)
{
	static const char stub[] = "__device_stub_", tail[] = "E8__handle";
	size_t len = strlen(symbol), name_len = 0;
	const char *name = symbol + 3;

	if (len > NAME_LEN_MAX || len < sizeof(tail) + 3 || strncmp(symbol, "_ZZ", 3) ||
	    strcmp(symbol + len - (sizeof(tail) - 1), tail))
		return NULL;
	name += *name == 'L';
	/* a length that exceeds the name is invalid */
	for (; isdigit((unsigned char)*name) && name_len <= len; name++)
		name_len = 10 * name_len + (size_t)(*name - '0');
	if (name_len > len - (size_t)(name - symbol) || name_len < sizeof(stub) + 1 ||
	    strncmp(name, stub, sizeof(stub) - 1))
		return NULL;
	return strndup(name + sizeof(stub) - 1, name_len - (sizeof(stub) - 1));
}

static int variable_add(struct handle_variables *variables, uint64_t address, char *kernel)
{
	uint64_t bytes = sizeof(*variables->list) + strlen(kernel) + 1;
	struct handle_variable *more;

	if (!budget_take(variables->budget, bytes)) {
		free(kernel);
		return -ENOSPC;
	}
	variables->bytes += bytes;
	if (variables->count == variables->room) {
		size_t room = variables->room ? 2 * variables->room : 64;

		more = room <= VARIABLES_MAX ? realloc(variables->list, room * sizeof(*more)) :
					       NULL;
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

struct reading {
	struct handle_variables *variables;
	/* What to add to an address in the file to get that in the process */
	uint64_t bias;
};

static enum symtab_want handle_want(void *context, const Elf64_Sym *symbol)
{
	(void)context;
	return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
			       symbol->st_size == sizeof(uint64_t) &&
			       symbol->st_shndx != SHN_UNDEF ?
		       SYMTAB_NAMED :
		       SYMTAB_LEAVE;
}

static int handle_take(void *context, const Elf64_Sym *symbol, const char *name, size_t len)
{
	struct reading *reading = context;
	char *kernel;

	if (!name || len > NAME_LEN_MAX)
		return 0;
	kernel = handles_kernel(name);
	return kernel ? variable_add(reading->variables, symbol->st_value + reading->bias, kernel) :
			0;
}

static int symbols_visit(int fd, uint64_t bias, struct handle_variables *variables)
{
	static const char *const marks[] = { "E8__handle", NULL };
	struct reading reading = { variables, bias };
	const struct symtab_search search = {
		.want = handle_want,
		.visit = handle_take,
		.context = &reading,
		.name_max = NAME_LEN_MAX + 1,
	};
	struct sections file;
	struct symtab table;
	int err = sections_open(&file, fd);

	if (err)
		return err == -ENOMEM ? err : 0;
	err = symtab_find(&file, SHT_SYMTAB, &table);
	if (!err)
		err = symtab_mentions(&table, marks);
	if (err > 0)
		err = symtab_visit(&table, &search);
	sections_close(&file);
	return err == -ENOENT ? 0 : err == -E2BIG ? -EBADMSG : err;
}

int handles_read(int fd, int debug_fd, uint64_t start, uint64_t offset,
		 struct handle_variables *variables)
{
	size_t before = variables->count;
	struct segments segments = { .count = 0 };
	struct sections file;
	uint64_t address;
	int err;

	if (!sections_open(&file, fd)) {
		segments_read(&file, &segments);
		sections_close(&file);
	}
	/* A mapping begins at a page boundary; the segment may begin inside that page. */
	if (segments_address(&segments, offset, &address)) {
		if (!segments.count || segments.list[0].offset < offset ||
		    segments.list[0].offset - offset >= 65536)
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
	budget_give(variables->budget, variables->bytes);
	*variables = (struct handle_variables){ .budget = variables->budget };
}
