/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What bounds the memory and the time that files of others take: an allowance of time, how much is
 * read of symbol tables, and kept of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "names/symbols.h"
#include "names/sections.h"
#include "util/allowance.h"
#include "run_tests.h"

#define MIB (1ull << 20)

/* ---- allowances ---- */

TEST(time_comes_back)
{
	struct allowance allowance = { .most = 1000, .share = 10 };

	ck_assert_uint_eq(allowance_left(&allowance, 0), 1000);
	allowance_spend(&allowance, 900);
	ck_assert_uint_eq(allowance_left(&allowance, 0), 100);
	/* A tenth of the time comes back, */
	ck_assert_uint_eq(allowance_left(&allowance, 1000), 200);
	/* what is spent beyond it is a debt, of no more than there is at first, */
	allowance_spend(&allowance, 5000);
	ck_assert_uint_eq(allowance_left(&allowance, 1000), 0);
	ck_assert_uint_eq(allowance_left(&allowance, 1010), 0);
	ck_assert_uint_eq(allowance_left(&allowance, 11000), 0);
	ck_assert_uint_eq(allowance_left(&allowance, 11010), 1);
	/* and there is never more than at first. */
	ck_assert_uint_eq(allowance_left(&allowance, 1000000), 1000);
	ck_assert_uint_eq(allowance_left(&allowance, 2000000), 1000);
}

/* Pieces of work that follow each other, whenever there is something left. */
TEST(long_work_keeps_to_its_share)
{
	struct allowance allowance = { .most = 3000, .share = 5 };
	uint64_t now = 0, worked = 0;

	while (now < 1000000) {
		if (allowance_left(&allowance, now)) {
			now += 500;
			worked += 500;
			allowance_spend(&allowance, 500);
		} else {
			now += 10;
		}
	}
	ck_assert_uint_ge(worked, 1000000 / 5);
	ck_assert_uint_le(worked, 1000000 / 5 + 2 * 3000);
}

/* ---- symbol tables ---- */

#define SYMBOL_COUNT 6

/*
 * A file with one table of symbols, whose names lie in a hole of 48 MB, and code at offset
 * 0x1000.
 */
struct program {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[SYMBOL_COUNT];
};

#define NAMES_AT   4096
#define APART      (16u << 20)
#define NAMES_SIZE (3 * APART)

static const struct {
	uint32_t at;
	const char *name;
} places[SYMBOL_COUNT] = {
	{ 0, "" },
	{ 2 * APART + 5, "in_the_last" },
	{ 1, "in_the_first" },
	{ APART - 4, "across_two" },
	{ NAMES_SIZE - 8, "the_end" },
	{ APART + 77777, "in_the_middle" },
};

static int program_make(struct program *program)
{
	int fd = memfd_create("names", MFD_CLOEXEC), i;

	memset(program, 0, sizeof(*program));
	memcpy(program->ehdr.e_ident, ELFMAG "\2\1\1", 7);
	program->ehdr.e_type = ET_DYN;
	program->ehdr.e_version = EV_CURRENT;
	program->ehdr.e_phoff = offsetof(struct program, phdr);
	program->ehdr.e_shoff = offsetof(struct program, sections);
	program->ehdr.e_phentsize = sizeof(Elf64_Phdr);
	program->ehdr.e_shentsize = sizeof(Elf64_Shdr);
	program->ehdr.e_phnum = 1;
	program->ehdr.e_shnum = 3;
	program->phdr = (Elf64_Phdr){ .p_type = PT_LOAD,
				      .p_flags = PF_R | PF_X,
				      .p_offset = 0x1000,
				      .p_vaddr = 0x1000,
				      .p_filesz = 0x1000 };
	program->sections[1] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
					     .sh_link = 2,
					     .sh_offset = offsetof(struct program, symbols),
					     .sh_size = sizeof(program->symbols),
					     .sh_entsize = sizeof(Elf64_Sym) };
	program->sections[2] =
		(Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = NAMES_AT, .sh_size = NAMES_SIZE };
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, NAMES_AT + NAMES_SIZE), 0);
	for (i = 1; i < SYMBOL_COUNT; i++) {
		program->symbols[i] = (Elf64_Sym){ .st_name = places[i].at,
						   .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
						   .st_shndx = 7,
						   .st_value = 0x1000 + 0x10 * (uint64_t)i,
						   .st_size = 0x10 };
		ck_assert_int_eq(pwrite(fd, places[i].name, strlen(places[i].name) + 1,
					NAMES_AT + places[i].at),
				 (ssize_t)strlen(places[i].name) + 1);
	}
	ck_assert_int_eq(pwrite(fd, program, sizeof(*program), 0), (ssize_t)sizeof(*program));
	return fd;
}

static void all_are_found(int fd, uint64_t most)
{
	struct symbols *symbols;
	uint64_t distance;
	int i;

	ck_assert_int_eq(symbols_read(fd, -1, most, &symbols), 0);
	for (i = 1; i < SYMBOL_COUNT; i++)
		ck_assert_str_eq(symbols_find(symbols, 0x1005 + 0x10 * (uint64_t)i, &distance),
				 places[i].name);
	symbols_free(symbols);
}

TEST(names_lie_far_apart)
{
	struct program program;
	int fd = program_make(&program);

	all_are_found(fd, UINT64_MAX);
	all_are_found(fd, 65536);
	close(fd);
}

static enum symtab_want want_all(void *context, const Elf64_Sym *symbol)
{
	(void)symbol;
	(*(uint64_t *)context)++;
	return SYMTAB_NAMED;
}

static int visit_none(void *context, const Elf64_Sym *symbol, const char *name, size_t len)
{
	(void)context;
	(void)symbol;
	ck_assert(name && len < 16);
	return 0;
}

/* A file of @count symbols, whose names are @apart bytes from each other in a hole of 512 MB. */
static int large_make(uint32_t count, uint32_t apart, unsigned int flags)
{
	const uint64_t symbols_at = 4096, names_at = symbols_at + count * sizeof(Elf64_Sym);
	Elf64_Sym *symbols = calloc(count, sizeof(*symbols));
	struct program program;
	int template = program_make(&program), fd = memfd_create("large", MFD_CLOEXEC | flags);
	uint32_t i;

	close(template);
	for (i = 0; i < count; i++)
		symbols[i] = (Elf64_Sym){ .st_name = 1 + i * apart % (512u << 20),
					  .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					  .st_shndx = 7,
					  .st_value = 0x1000 + i % 0x1000 };
	ck_assert_int_eq(pwrite(fd, symbols, count * sizeof(*symbols), (off_t)symbols_at),
			 (ssize_t)(count * sizeof(*symbols)));
	ck_assert_int_eq(ftruncate(fd, (off_t)names_at + (512 << 20)), 0);
	program.sections[1].sh_offset = symbols_at;
	program.sections[1].sh_size = count * sizeof(*symbols);
	program.sections[2].sh_offset = names_at;
	program.sections[2].sh_size = 512 << 20;
	ck_assert_int_eq(pwrite(fd, &program, sizeof(program), 0), (ssize_t)sizeof(program));
	free(symbols);
	return fd;
}

/*
 * Four million names, each far from the last: many seconds of reading, unless that has an end. Where
 * the search says which it is for, no other is read.
 */
TEST(reading_has_an_end)
{
	enum { COUNT = 4000000 };
	static const char *const names[] = { "cudaMalloc", "cudaFree" };
	uint64_t wanted = 0;
	struct symtab_search search = {
		.want = want_all, .visit = visit_none, .context = &wanted, .name_max = 256
	};
	struct sections file;
	struct symtab table;
	int fd = large_make(COUNT, 1u << 20, 0);

	ck_assert_int_eq(sections_open(&file, fd), 0);
	ck_assert_int_eq(symtab_find(&file, SHT_SYMTAB, &table), 0);
	ck_assert_int_eq(symtab_visit(&table, &search), -E2BIG);
	ck_assert_uint_lt(wanted, COUNT);
	wanted = 0;
	search.names = names;
	search.name_count = 2;
	ck_assert_int_eq(symtab_visit(&table, &search), 0);
	ck_assert_uint_eq(wanted, 0);
	/* All symbols are looked at, and no name but this one is read. */
	ck_assert_int_eq(pwrite(fd, "cudaMalloc", 11, (off_t)table.names + 1 + (3 << 20)), 11);
	ck_assert_int_eq(symtab_visit(&table, &search), 0);
	ck_assert_uint_eq(wanted, COUNT);
	sections_close(&file);
	close(fd);
}

/* A million symbols take 8 MB, whatever their names. Where that is too much, there are none. */
TEST(symbols_without_room)
{
	enum { COUNT = 1 << 20, TAKEN = 8 * COUNT };
	int fd = large_make(COUNT, 300, 0), copy = large_make(COUNT, 300, MFD_ALLOW_SEALING);
	struct symbols *symbols;

	ck_assert_int_eq(symbols_read(fd, -1, 2 * TAKEN + MIB, &symbols), 0);
	ck_assert_uint_ge(symbols_bytes(symbols), TAKEN);
	ck_assert_uint_lt(symbols_bytes(symbols), TAKEN + 65536);
	symbols_free(symbols);
	/* One that may be a copy that we have in memory counts itself, too: 24 MB. */
	ck_assert_int_eq(symbols_read(copy, -1, 2 * TAKEN + MIB, &symbols), -ENOSPC);
	ck_assert_ptr_null(symbols);
	ck_assert_int_eq(symbols_read(fd, -1, TAKEN - MIB, &symbols), -ENOSPC);
	ck_assert_ptr_null(symbols);
	close(fd);
	close(copy);
}

struct noted {
	char names[4][64];
	size_t count;
};

static enum symtab_want want_any(void *context, const Elf64_Sym *symbol)
{
	(void)context;
	return symbol->st_name ? SYMTAB_NAMED : SYMTAB_LEAVE;
}

static int name_note(void *context, const Elf64_Sym *symbol, const char *name, size_t len)
{
	struct noted *noted = context;

	(void)symbol;
	ck_assert_uint_lt(noted->count, 4);
	snprintf(noted->names[noted->count++], 64, "%.*s", (int)len, name);
	return 0;
}

/*
 * Names that are searched for, wherever pieces end: by themselves, as the end of another name, which
 * linkers share, and of one that is longer than a piece; not the beginning of one.
 */
TEST(names_are_found)
{
	enum { LONG = 2 << 20 };
	static const char *const names[] = { "cudaMalloc", "cuInit" };
	struct noted noted;
	const struct symtab_search search = { .names = names,
					      .name_count = 2,
					      .want = want_any,
					      .visit = name_note,
					      .context = &noted,
					      .name_max = 63 };
	char *text = malloc(LONG);
	struct sections file;
	struct symtab table;
	struct program program;
	int fd = program_make(&program), at;

	for (at = (1 << 18) - 24; at <= (1 << 18) + 2; at++) {
		const uint32_t places_at[] = { 0,
					       (uint32_t)at,
					       (uint32_t)at + 4,
					       (uint32_t)at + 15,
					       (uint32_t)at + 40,
					       LONG - 7 };
		int i;

		memset(text, 'x', LONG);
		memcpy(text + at - 1, "\0wrapcudaMalloc\0cudaMallocHost\0", 32);
		memcpy(text + LONG - 7, "cuInit", 7);
		for (i = 0; i < SYMBOL_COUNT; i++)
			program.symbols[i].st_name = places_at[i];
		ck_assert_int_eq(pwrite(fd, text, LONG, NAMES_AT), LONG);
		ck_assert_int_eq(pwrite(fd, &program, sizeof(program), 0),
				 (ssize_t)sizeof(program));
		ck_assert_int_eq(sections_open(&file, fd), 0);
		ck_assert_int_eq(symtab_find(&file, SHT_SYMTAB, &table), 0);
		noted.count = 0;
		ck_assert_int_eq(symtab_visit(&table, &search), 0);
		ck_assert_uint_eq(noted.count, 3);
		ck_assert_str_eq(noted.names[0], "wrapcudaMalloc");
		ck_assert_str_eq(noted.names[1], "cudaMalloc");
		ck_assert_str_eq(noted.names[2], "cuInit");
		sections_close(&file);
	}
	free(text);
	close(fd);
}

/* What a symbol is called is read when it is asked for: the file may be another by then. */
TEST(files_change_meanwhile)
{
	struct symbols *symbols;
	struct program program;
	int fd = program_make(&program);
	uint64_t distance;

	ck_assert_int_eq(symbols_read(fd, -1, UINT64_MAX, &symbols), 0);
	ck_assert_int_eq(pwrite(fd, "changed", 8, NAMES_AT + places[1].at), 8);
	ck_assert_str_eq(symbols_find(symbols, 0x1015, &distance), "changed");
	/* A name that never ends, one behind the end of the names, no name, no file. */
	memset(program.symbols, 0xff, sizeof(program.symbols));
	ck_assert_int_eq(pwrite(fd, program.symbols, sizeof(program.symbols),
				offsetof(struct program, symbols)),
			 sizeof(program.symbols));
	ck_assert_ptr_null(symbols_find(symbols, 0x1015, &distance));
	ck_assert_int_eq(ftruncate(fd, NAMES_AT), 0);
	ck_assert_ptr_null(symbols_find(symbols, 0x1015, &distance));
	ck_assert_int_eq(ftruncate(fd, 0), 0);
	ck_assert_ptr_null(symbols_find(symbols, 0x1015, &distance));
	symbols_free(symbols);
	close(fd);
}
