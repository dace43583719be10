/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What bounds the memory and the time that files of others take: the budget of what is kept of
 * them, the allowance of each user, and the windows in which symbol tables are read.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "names/allowance.h"
#include "names/budget.h"
#include "names/symbols.h"
#include "names/symtab.h"

#define MIB (1ull << 20)

/* ---- the budget ---- */

struct thing {
	struct budget_item item;
	struct budget *budget;
	uint64_t bytes;
	bool here;
};

static void thing_drop(void *context, struct budget_item *item)
{
	struct thing *thing = context;

	ck_assert_ptr_eq(item, &thing->item);
	ck_assert(thing->here);
	thing->here = false;
	budget_give(thing->budget, thing->bytes);
}

static bool thing_keep(struct budget *budget, struct thing *thing, uint64_t bytes)
{
	*thing = (struct thing){ .item = { .drop = thing_drop, .context = thing },
				 .budget = budget,
				 .bytes = bytes };
	thing->here = budget_take(budget, bytes);
	if (thing->here)
		budget_use(budget, &thing->item);
	return thing->here;
}

START_TEST(what_was_used_least_recently_goes)
{
	struct budget *budget = budget_new(100, 20);
	struct thing things[5];
	int i;

	for (i = 0; i < 4; i++)
		ck_assert(thing_keep(budget, &things[i], 20));
	ck_assert_uint_eq(budget_counts(budget).used, 100);
	ck_assert_uint_eq(budget_counts(budget).dropped, 0);
	budget_use(budget, &things[0].item);
	budget_hold(budget, &things[1].item);
	/* The second is in use, so the third is the oldest. */
	ck_assert(thing_keep(budget, &things[4], 25));
	ck_assert(things[0].here && things[1].here && !things[2].here && !things[3].here &&
		  things[4].here);
	ck_assert_uint_eq(budget_counts(budget).dropped, 2);
	ck_assert_uint_eq(budget_counts(budget).used, 85);
	/*
	 * What can never fit pushes nothing out; what does not fit beside what is held, all the
	 * rest.
	 */
	ck_assert(!budget_take(budget, 101));
	ck_assert(things[0].here && things[4].here);
	ck_assert(!budget_take(budget, 61));
	ck_assert(!things[0].here && things[1].here && !things[4].here);
	ck_assert_uint_eq(budget_counts(budget).refused, 2);
	ck_assert(budget_take(budget, 60));
	ck_assert_uint_eq(budget_counts(budget).used, 100);
	ck_assert_uint_eq(budget_counts(budget).peak, 100);
	budget_free(budget);
}
END_TEST

START_TEST(tables_grow_within_the_budget)
{
	struct budget *budget = budget_new(4 * MIB, MIB);
	struct budget_table table = { .budget = budget };
	size_t i;

	for (i = 0; i < 3 * MIB / 100; i++) {
		ck_assert_int_eq(budget_table_grow(&table, (i + 1) * 100), 0);
		ck_assert_uint_ge(table.size, (i + 1) * 100);
		ck_assert_uint_le(budget_counts(budget).used, 4 * MIB);
		memset(table.data + i * 100, (int)(i % 251), 100);
	}
	ck_assert_int_eq(budget_table_grow(&table, 3 * MIB), 0);
	ck_assert_int_eq(budget_table_grow(&table, 3 * MIB + 1), -ENOSPC);
	ck_assert_uint_eq(budget_counts(budget).used, 4 * MIB);
	for (i = 0; i < 3 * MIB / 100; i++)
		ck_assert_int_eq((unsigned char)table.data[i * 100], i % 251);
	budget_table_trim(&table, MIB);
	ck_assert_uint_eq(budget_counts(budget).used, 2 * MIB);
	budget_table_free(&table);
	ck_assert_uint_eq(budget_counts(budget).used, MIB);
	budget_free(budget);
}
END_TEST

/*
 * A helper that a hostile file takes over, or that is large for what it was forked from, has
 * nothing of the tables.
 */
START_TEST(no_child_gets_a_table)
{
	struct budget_table table = { .budget = NULL };
	unsigned char present;
	int status;
	pid_t pid;

	ck_assert_int_eq(budget_table_grow(&table, 1), 0);
	ck_assert_int_eq(budget_table_grow(&table, 3 * MIB), 0); /* mremap(2) keeps that */
	ck_assert_int_eq(mincore(table.data, 1, &present), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid)
		_exit(mincore(table.data, 1, &present) && errno == ENOMEM ? 0 : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	budget_table_free(&table);
}
END_TEST

/* ---- allowances ---- */

START_TEST(time_comes_back)
{
	struct allowance *allowance = allowance_new(1000, 10);

	ck_assert(allowance_has(allowance, 1, 0, 1000));
	ck_assert(!allowance_has(allowance, 1, 0, 1001));
	allowance_spend(allowance, 1, 50, 900);
	ck_assert(allowance_has(allowance, 1, 50, 100));
	ck_assert(!allowance_has(allowance, 1, 50, 101));
	/* Others have what they had. */
	ck_assert(allowance_has(allowance, 2, 50, 1000));
	/* A tenth of what passes. */
	ck_assert(!allowance_has(allowance, 1, 1049, 200));
	ck_assert(allowance_has(allowance, 1, 1050, 200));
	/* More is spent than there is: it does not go below nothing. */
	allowance_spend(allowance, 1, 1050, 5000);
	ck_assert(!allowance_has(allowance, 1, 1050, 1));
	/* Of what was spent beyond what there was, 1,000 come back first. */
	ck_assert(!allowance_has(allowance, 1, 1050 + 10000, 1));
	ck_assert(allowance_has(allowance, 1, 1060 + 10000, 1));
	/* And not above what there was at first. */
	ck_assert(allowance_has(allowance, 1, 1000000, 1000));
	ck_assert(!allowance_has(allowance, 1, 2000000, 1001));
	/* A clock that was read a little earlier gives nothing, and takes nothing. */
	allowance_spend(allowance, 1, 2000000, 1000);
	ck_assert(!allowance_has(allowance, 1, 1999990, 1));
	allowance_free(allowance);
}
END_TEST

/* One user may own files as thousands of others, and so have as many rows. */
START_TEST(rows_are_bounded)
{
	struct allowance *allowance = allowance_new(1000, 10);
	uint32_t uid;

	allowance_spend(allowance, 0, 0, 1000);
	for (uid = 1; uid < 100000; uid++)
		allowance_spend(allowance, uid, 1, 10);
	/* Those with most left went first. */
	ck_assert(!allowance_has(allowance, 0, 1, 1));
	allowance_free(allowance);
}
END_TEST

/* ---- windows ---- */

#define SYMBOL_COUNT 6

/*
 * A file with one table of symbols, whose names lie in a hole of three windows, and code at offset
 * 0x1000.
 */
struct program {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Shdr sections[3];
	Elf64_Sym symbols[SYMBOL_COUNT];
};

#define NAMES_AT   4096
#define NAMES_SIZE (3 * SYMTAB_WINDOW)

static const struct {
	uint32_t at;
	const char *name;
} places[SYMBOL_COUNT] = {
	{ 0, "" },
	{ 2 * SYMTAB_WINDOW + 5, "in_the_last" },
	{ 1, "in_the_first" },
	{ SYMTAB_WINDOW - 4, "across_two" },
	{ NAMES_SIZE - 8, "the_end" },
	{ SYMTAB_WINDOW + 77777, "in_the_middle" },
};

static int program_make(struct program *program)
{
	int fd = memfd_create("windows", MFD_CLOEXEC), i;

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

static void all_are_found(int fd, struct budget *budget)
{
	struct symbols *symbols;
	uint64_t distance;
	int i;

	ck_assert_int_eq(symbols_read(fd, -1, budget, &symbols), 0);
	for (i = 1; i < SYMBOL_COUNT; i++)
		ck_assert_str_eq(symbols_find(symbols, 0x1005 + 0x10 * (uint64_t)i, &distance),
				 places[i].name);
	symbols_free(symbols);
}

START_TEST(names_lie_in_windows)
{
	struct budget *budget = budget_new(SYMTAB_MEMORY + MIB, SYMTAB_MEMORY);
	const char *const there[] = { "in_the_middle", NULL }, *const not_there[] = {
		"in_the_muddle", "nowhere", NULL
	};
	struct sections file;
	struct symtab table;
	struct program program;
	int fd = program_make(&program);

	all_are_found(fd, NULL);
	all_are_found(fd, budget);
	ck_assert_uint_eq(budget_counts(budget).used, SYMTAB_MEMORY);
	ck_assert_uint_lt(budget_counts(budget).peak, SYMTAB_MEMORY + 65536);
	budget_free(budget);
	ck_assert_int_eq(sections_open(&file, fd), 0);
	ck_assert_int_eq(symtab_find(&file, SHT_SYMTAB, &table), 0);
	ck_assert_int_eq(symtab_mentions(&table, there), 1);
	ck_assert_int_eq(symtab_mentions(&table, not_there), 0);
	sections_close(&file);
	close(fd);
}
END_TEST

/* A word that lies across the pieces in which names are read is found as well. */
START_TEST(words_lie_across_pieces)
{
	const char *const words[] = { "cudaMalloc", NULL };
	struct sections file;
	struct symtab table;
	struct program program;
	int fd = program_make(&program), at;
	char *filler = malloc(2 * MIB);

	memset(filler, 'x', 2 * MIB);
	for (at = MIB - 12; at <= (int)MIB + 2; at++) {
		memcpy(filler + at, words[0], strlen(words[0]));
		ck_assert_int_eq(pwrite(fd, filler, 2 * MIB, NAMES_AT), 2 * MIB);
		ck_assert_int_eq(sections_open(&file, fd), 0);
		ck_assert_int_eq(symtab_find(&file, SHT_SYMTAB, &table), 0);
		ck_assert_msg(symtab_mentions(&table, words) == 1, "at %d", at);
		sections_close(&file);
		memset(filler + at, 'x', strlen(words[0]));
	}
	free(filler);
	close(fd);
}
END_TEST

/*
 * Symbols that refer to each of many windows, over and over: minutes of reading, unless that has an
 * end.
 */
START_TEST(reading_has_an_end)
{
	enum { COUNT = 4000000 };
	const uint64_t symbols_at = 4096, names_at = symbols_at + COUNT * sizeof(Elf64_Sym);
	Elf64_Sym *chunk = calloc(COUNT, sizeof(*chunk));
	struct symbols *symbols;
	struct program program;
	int fd = program_make(&program);
	uint32_t i;

	for (i = 0; i < COUNT; i++)
		chunk[i] = (Elf64_Sym){ .st_name = i % 32 * SYMTAB_WINDOW + 1,
					.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					.st_shndx = 7,
					.st_value = 0x1000 };
	ck_assert_int_eq(pwrite(fd, chunk, COUNT * sizeof(*chunk), (off_t)symbols_at),
			 (ssize_t)(COUNT * sizeof(*chunk)));
	ck_assert_int_eq(ftruncate(fd, (off_t)names_at + (512 << 20)), 0);
	program.sections[1].sh_offset = symbols_at;
	program.sections[1].sh_size = COUNT * sizeof(*chunk);
	program.sections[2].sh_offset = names_at;
	program.sections[2].sh_size = 512 << 20;
	ck_assert_int_eq(pwrite(fd, &program, sizeof(program), 0), (ssize_t)sizeof(program));
	ck_assert_int_eq(symbols_read(fd, -1, NULL, &symbols), -ENOSPC);
	ck_assert_ptr_null(symbols);
	free(chunk);
	close(fd);
}
END_TEST

/* Names that take more than the budget leaves: there are none, and nothing stays taken. */
START_TEST(names_without_room)
{
	enum { COUNT = 4096, LEN = 15000 };
	const uint64_t symbols_at = 4096, names_at = symbols_at + COUNT * sizeof(Elf64_Sym);
	struct budget *budget = budget_new(SYMTAB_MEMORY + 32 * MIB, SYMTAB_MEMORY);
	char *name = malloc(LEN + 1);
	struct symbols *symbols;
	struct thing other;
	struct program program;
	Elf64_Sym symbol;
	int fd = program_make(&program);
	uint32_t i;

	/* All have the same long name: a file of 120 KB asks for 60 MB. */
	memset(name, 'n', LEN);
	name[LEN] = 0;
	for (i = 0; i < COUNT; i++) {
		symbol = (Elf64_Sym){ .st_name = 1,
				      .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				      .st_shndx = 7,
				      .st_value = 0x1000 + i % 0x1000 };
		ck_assert_int_eq(pwrite(fd, &symbol, sizeof(symbol),
					(off_t)(symbols_at + i * sizeof(symbol))),
				 (ssize_t)sizeof(symbol));
	}
	ck_assert_int_eq(pwrite(fd, name, LEN + 1, (off_t)names_at + 1), LEN + 1);
	program.sections[1].sh_offset = symbols_at;
	program.sections[1].sh_size = COUNT * sizeof(symbol);
	program.sections[2].sh_offset = names_at;
	program.sections[2].sh_size = LEN + 2;
	ck_assert_int_eq(pwrite(fd, &program, sizeof(program), 0), (ssize_t)sizeof(program));
	ck_assert(thing_keep(budget, &other, MIB));
	ck_assert_int_eq(symbols_read(fd, -1, budget, &symbols), -ENOSPC);
	ck_assert_uint_eq(budget_counts(budget).used, SYMTAB_MEMORY);
	ck_assert(!other.here);
	ck_assert_int_eq(symbols_read(fd, -1, NULL, &symbols), 0);
	symbols_free(symbols);
	free(name);
	close(fd);
	budget_free(budget);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("budget");
	TCase *tests = tcase_create("budget");
	SRunner *runner;
	int failed;

	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, what_was_used_least_recently_goes);
	tcase_add_test(tests, tables_grow_within_the_budget);
	tcase_add_test(tests, no_child_gets_a_table);
	tcase_add_test(tests, time_comes_back);
	tcase_add_test(tests, rows_are_bounded);
	tcase_add_test(tests, names_lie_in_windows);
	tcase_add_test(tests, words_lie_across_pieces);
	tcase_add_test(tests, reading_has_an_end);
	tcase_add_test(tests, names_without_room);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
