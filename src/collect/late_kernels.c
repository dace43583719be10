/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program's variables are searched for when its first handle is unknown, and their values are
 * read again for each further unknown handle: a program fills the variables one by one. Both are
 * limited, since a program may launch anything.
 */
#include "collect/late_kernels.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "names/sections.h"
#include "util/util.h"

/* ---- handles ---- */

/*
 * The variable's name as the C++ ABI mangles it, for the kernel _Z5plainPi:
 *
 *   _ZZ 24__device_stub__Z5plainPi Pi E 8__handle
 *       the stub, its length first     the variable
 *
 * with an L before the length if the stub is static. After "__device_stub_"
 * the rest of the stub's own name is the kernel's, mangled.
 */

#define VARIABLES_MAX 65536
#define BYTES_MAX     (8u << 20)  /* of a program, */
#define BYTES_ALL     (32u << 20) /* and of all, before another is searched */
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

	if (variables->bytes + bytes > BYTES_MAX) {
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
	struct reading reading = { variables, bias };
	const struct symtab_search search = {
		.want = handle_want,
		.visit = handle_take,
		.context = &reading,
		.name_max = NAME_LEN_MAX + 1,
	};
	struct sections file;
	int err = sections_open(&file, fd);

	if (err)
		return err == -ENOMEM ? err : 0;
	err = sections_symbols(&file, SHT_SYMTAB, &search);
	sections_close(&file);
	return err == -E2BIG ? -EBADMSG : err;
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
	*variables = (struct handle_variables){ .list = NULL };
}

/* ---- kernels ---- */

#define LOOKS_MAX   256          /* how often a program's variables are read */
#define FILES_MAX   1024         /* files of a program that are searched */
#define SEARCH_TIME NSEC_PER_SEC /* after that no further file is searched */

struct late_program {
	uint32_t program;
	unsigned int looks;
	/* Some of its files take long: they are tried again when there is news */
	bool later;
	unsigned int news; /* errands_news() then */
	struct handle_variables variables;
	uint64_t *values; /* NULL: the variables were not searched for yet */
	UT_hash_handle hh;
};

struct late_kernels {
	const struct outside *outside;
	struct late_program *programs;
	uint64_t bytes; /* that all variables take */
};

struct late_kernels *late_kernels_new(const struct outside *outside)
{
	struct late_kernels *late = calloc(1, sizeof(*late));

	if (!late)
		return NULL;
	late->outside = outside;
	return late;
}

static void variables_free(struct late_kernels *late, struct late_program *program)
{
	late->bytes -= program->variables.bytes;
	handles_free(&program->variables);
	free(program->values);
	program->values = NULL;
}

static void program_free(struct late_kernels *late, struct late_program *program)
{
	HASH_DEL(late->programs, program);
	variables_free(late, program);
	free(program);
}

void late_kernels_forget(struct late_kernels *late, uint32_t id)
{
	struct late_program *program;

	HASH_FIND(hh, late->programs, &id, sizeof(id), program);
	if (program)
		program_free(late, program);
}

void late_kernels_free(struct late_kernels *late)
{
	struct late_program *program, *next;

	if (!late)
		return;
	HASH_ITER(hh, late->programs, program, next)
		program_free(late, program);
	free(late);
}

/* ---- finding the variables ---- */

struct file_search {
	const struct outside *outside;
	struct late_program *program;
	pid_t pid;
	unsigned int files;
	bool later;     /* some take long */
	uint64_t inode; /* of the previous mapping: a file's mappings are adjacent */
	uint64_t end;   /* CLOCK_MONOTONIC */
};

static int file_visit(void *context, const struct maps_entry *entry)
{
	struct file_search *search = context;
	struct seen_file seen, debug;
	int err;

	if (entry->inode == search->inode)
		return 0;
	search->inode = entry->inode;
	if (++search->files > FILES_MAX || clock_ns(CLOCK_MONOTONIC) > search->end)
		return 1;
	err = outside_open_mapped(search->outside, search->pid, entry, COPY_TABLES, &seen);
	search->later |= outside_is_later(err);
	if (err)
		return 0;
	search->later |= outside_is_later(
		outside_open_debug(search->outside, &seen, search->pid, entry->path, &debug));
	handles_read(seen.fd, debug.fd, entry->start, entry->offset, &search->program->variables);
	seen_close(&debug);
	seen_close(&seen);
	return 0;
}

static struct late_program *program_new(struct late_kernels *late, uint32_t id)
{
	struct late_program *program = calloc(1, sizeof(*program));

	if (!program)
		return NULL;
	program->program = id;
	HASH_ADD(hh, late->programs, program, sizeof(program->program), program);
	return program;
}

static void variables_find(struct late_kernels *late, struct late_program *program, pid_t pid)
{
	struct file_search search = {
		.outside = late->outside,
		.program = program,
		.pid = pid,
		.end = clock_ns(CLOCK_MONOTONIC) + SEARCH_TIME,
	};
	unsigned int news = errands_news(late->outside->errands);
	int err;

	if (program->values &&
	    (!program->later || program->news == news || program->looks++ >= LOOKS_MAX))
		return;
	variables_free(late, program);
	if (late->bytes > BYTES_ALL)
		return;
	err = outside_maps(late->outside, pid, 0, file_visit, &search);
	late->bytes += program->variables.bytes;
	program->later = search.later || outside_is_later(err);
	program->news = news;
	program->values = calloc(program->variables.count + 1, sizeof(*program->values));
}

/* ---- reading them ---- */

static void values_read(const struct late_kernels *late, struct late_program *program, pid_t pid)
{
	uint64_t *addresses = calloc(program->variables.count + 1, sizeof(*addresses));
	size_t i;

	for (i = 0; addresses && i < program->variables.count; i++)
		addresses[i] = program->variables.list[i].address;
	if (addresses)
		outside_words(late->outside, pid, addresses, program->variables.count,
			      program->values);
	free(addresses);
}

static const char *name_find(const struct late_program *program, uint64_t handle)
{
	size_t i;

	for (i = 0; i < program->variables.count; i++)
		if (program->values[i] == handle)
			return program->variables.list[i].kernel;
	return NULL;
}

const char *late_kernels_name(struct late_kernels *late, uint32_t id, pid_t pid, uint64_t handle)
{
	struct late_program *program;
	const char *name;

	if (!handle)
		return NULL;
	HASH_FIND(hh, late->programs, &id, sizeof(id), program);
	if (!program)
		program = program_new(late, id);
	if (program)
		variables_find(late, program, pid);
	if (!program || !program->values || !program->variables.count)
		return NULL;
	name = name_find(program, handle);
	if (name || program->looks >= LOOKS_MAX)
		return name;
	program->looks++;
	values_read(late, program, pid);
	return name_find(program, handle);
}
