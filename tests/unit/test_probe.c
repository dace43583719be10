/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reads ELF files of others: whole ones, cut at every byte and with every
 * byte changed. Runs the tests of its kin as well, see probe_tests.h.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "names/symbols.h"
#include "probe/elffile.h"
#include "probe_tests.h"
#include "run_tests.h"

/* ---- a small ELF file ---- */

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

enum {
	SECTION_NULL,
	SECTION_DYNSYM,
	SECTION_STRINGS,
	SECTION_DYNAMIC,
	SECTION_SYMTAB,
	SECTION_COUNT
};

static const char strings[] =
	"\0cudaMalloc\0cudaFree\0cudaFreeHost\0cudaMemcpy\0helper\0libneeded.so.1\0$ORIGIN/sub:/nowhere\0libgone.so\0/bin/odd.so";

struct program {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdrs[2];
	Elf64_Sym dynsym[6];
	Elf64_Sym symtab[3];
	Elf64_Dyn dynamic[5];
	char strings[sizeof(strings)];
	char interpreter[16];
	Elf64_Shdr sections[SECTION_COUNT];
};

static uint32_t string_of(const char *text)
{
	const char *at = memmem(strings, sizeof(strings), text, strlen(text) + 1);

	ck_assert_ptr_nonnull(at);
	return (uint32_t)(at - strings);
}

static Elf64_Sym symbol(const char *name, uint64_t value, uint64_t size, uint16_t section)
{
	return (Elf64_Sym){ .st_name = string_of(name),
			    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			    .st_shndx = section,
			    .st_value = value,
			    .st_size = size };
}

static Elf64_Shdr section(uint32_t type, size_t offset, size_t size, uint64_t entry)
{
	return (Elf64_Shdr){ .sh_type = type,
			     .sh_offset = offset,
			     .sh_size = size,
			     .sh_link = SECTION_STRINGS,
			     .sh_entsize = entry };
}

/* Code at address 0x11000 is said to lie at offset 0x1000. Needs libneeded.so.1 and libgone.so. */
static void program_make(struct program *program, bool runpath)
{
	memset(program, 0, sizeof(*program));
	memcpy(program->ehdr.e_ident, ELFMAG "\2\1\1", 7);
	program->ehdr.e_type = ET_DYN;
	program->ehdr.e_machine = MACHINE;
	program->ehdr.e_version = EV_CURRENT;
	program->ehdr.e_phoff = offsetof(struct program, phdrs);
	program->ehdr.e_shoff = offsetof(struct program, sections);
	program->ehdr.e_ehsize = sizeof(Elf64_Ehdr);
	program->ehdr.e_phentsize = sizeof(Elf64_Phdr);
	program->ehdr.e_phnum = 2;
	program->ehdr.e_shentsize = sizeof(Elf64_Shdr);
	program->ehdr.e_shnum = SECTION_COUNT;
	program->phdrs[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
					  .p_flags = PF_R | PF_X,
					  .p_offset = 0x1000,
					  .p_vaddr = 0x11000,
					  .p_filesz = 0x1000,
					  .p_memsz = 0x1000 };
	strcpy(program->interpreter, "/lib/ld.so");
	program->phdrs[1] = (Elf64_Phdr){ .p_type = PT_INTERP,
					  .p_offset = offsetof(struct program, interpreter),
					  .p_filesz = strlen(program->interpreter) + 1 };
	program->dynsym[1] = symbol("cudaMalloc", 0x11010, 16, 7);
	program->dynsym[2] = symbol("cudaFree", 0x11020, 16, 7);
	program->dynsym[3] = symbol("cudaFreeHost", 0x11020, 16, 7);
	program->dynsym[4] = symbol("cudaMemcpy", 0, 0, SHN_UNDEF);
	program->dynsym[5] = symbol("helper", 0x11040, 8, 7);
	program->symtab[1] = symbol("cudaMalloc", 0x11010, 16, 7);
	program->symtab[2] = symbol("helper", 0x11040, 8, 7);
	program->dynamic[0] =
		(Elf64_Dyn){ .d_tag = DT_NEEDED, .d_un.d_val = string_of("libneeded.so.1") };
	program->dynamic[1] = (Elf64_Dyn){ .d_tag = runpath ? DT_RUNPATH : DT_RPATH,
					   .d_un.d_val = string_of("$ORIGIN/sub:/nowhere") };
	program->dynamic[2] =
		(Elf64_Dyn){ .d_tag = DT_NEEDED, .d_un.d_val = string_of("libgone.so") };
	memcpy(program->strings, strings, sizeof(strings));
	program->sections[SECTION_DYNSYM] = section(SHT_DYNSYM, offsetof(struct program, dynsym),
						    sizeof(program->dynsym), sizeof(Elf64_Sym));
	program->sections[SECTION_STRINGS] =
		section(SHT_STRTAB, offsetof(struct program, strings), sizeof(strings), 0);
	program->sections[SECTION_DYNAMIC] = section(SHT_DYNAMIC, offsetof(struct program, dynamic),
						     sizeof(program->dynamic), sizeof(Elf64_Dyn));
	program->sections[SECTION_SYMTAB] = section(SHT_SYMTAB, offsetof(struct program, symtab),
						    sizeof(program->symtab), sizeof(Elf64_Sym));
}

size_t elf_image(void *program, size_t room, bool runpath)
{
	ck_assert_uint_ge(room, sizeof(struct program));
	program_make(program, runpath);
	return sizeof(struct program);
}

int file_of(const void *data, size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	return fd;
}

static struct symbols *symbols_of(int fd, int debug_fd)
{
	struct symbols *symbols;
	int err = symbols_read(fd, debug_fd, UINT64_MAX, &symbols);

	ck_assert(err ? !symbols && err == -ENOENT : symbols != NULL);
	return symbols;
}

/*
 * Whatever the file holds, readers return, and with what they promise. Returns what
 * elffile_functions() did.
 */
static int read_all(const void *data, size_t size)
{
	int fd = file_of(data, size), result, err;
	struct elf_functions found;
	struct symbols *symbols;
	struct elf_needs needs;
	struct elf_info info;
	struct reason why;
	size_t i;

	why.text[0] = 0;
	result = elffile_functions(fd, &found, &why);
	ck_assert(result == 0 || result == -ENOEXEC || result == -EBADMSG);
	ck_assert_msg(!result == !why.text[0], "%d, '%s'", result, why.text);
	for (i = 0; i < found.count; i++) {
		ck_assert_uint_lt(found.list[i].call, CALL_COUNT);
		ck_assert(!i || found.list[i - 1].offset < found.list[i].offset);
	}
	ck_assert(!elfinfo_runtime_version(fd, &found));
	free(found.list);
	if (!elfinfo_read(fd, &info, NULL)) {
		ck_assert_uint_lt(strlen(info.soname), sizeof(info.soname));
		ck_assert_uint_lt(strlen(info.build_id), sizeof(info.build_id));
	}
	err = elffile_needs(fd, &needs, NULL);
	ck_assert(err == 0 || err == -ENOEXEC || err == -EBADMSG);
	if (!err)
		elffile_needs_free(&needs);
	symbols = symbols_of(fd, -1);
	if (symbols) {
		uint64_t distance, offset;

		for (offset = 0; offset < 0x1100; offset += 0x10)
			if (symbols_find(symbols, offset, &distance))
				ck_assert_uint_le(distance, offset);
		symbols_free(symbols);
	}
	close(fd);
	return result;
}

TEST(test_elf_whole)
{
	struct elf_functions found;
	struct symbols *symbols;
	struct elf_needs needs;
	struct reason why;
	struct program program;
	uint64_t distance;
	int fd;

	program_make(&program, true);
	fd = file_of(&program, sizeof(program));
	ck_assert_int_eq(elffile_functions(fd, &found, &why), 0);
	ck_assert_uint_eq(found.count, 2);
	ck_assert_uint_eq(found.aliases, 1);
	ck_assert_uint_eq(found.list[0].offset, 0x1010);
	ck_assert_str_eq(call_name(found.list[0].call), "cudaMalloc");
	ck_assert_uint_eq(found.list[1].offset, 0x1020);
	/* the further name follows */
	ck_assert_uint_eq(found.list[2].offset, 0x1020);
	ck_assert_uint_ne(found.list[2].call, found.list[1].call);
	free(found.list);
	ck_assert_int_eq(elffile_needs(fd, &needs, &why), 0);
	ck_assert_uint_eq(needs.count, 2);
	ck_assert_str_eq(needs.needed[0], "libneeded.so.1");
	ck_assert_str_eq(needs.needed[1], "libgone.so");
	ck_assert_str_eq(needs.runpath, "$ORIGIN/sub:/nowhere");
	ck_assert_ptr_null(needs.rpath);
	ck_assert_str_eq(needs.interpreter, "/lib/ld.so");
	elffile_needs_free(&needs);
	symbols = symbols_of(fd, -1);
	ck_assert_ptr_nonnull(symbols);
	ck_assert_str_eq(symbols_find(symbols, 0x1045, &distance), "helper");
	ck_assert_uint_eq(distance, 5);
	ck_assert_str_eq(symbols_find(symbols, 0x1010, &distance), "cudaMalloc");
	ck_assert_ptr_null(symbols_find(symbols, 0x1048, &distance));
	ck_assert_ptr_null(symbols_find(symbols, 0x100f, &distance));
	symbols_free(symbols);
	close(fd);
}

TEST(test_elf_truncated)
{
	struct program program;
	size_t size;

	program_make(&program, false);
	for (size = 0; size < sizeof(program); size++)
		read_all(&program, size);
	ck_assert_int_eq(read_all(&program, 0), -ENOEXEC);
	ck_assert_int_eq(read_all("#!/bin/sh\n", 10), -ENOEXEC);
	ck_assert_int_eq(read_all(&program, sizeof(program)), 0);
}

TEST(test_elf_absurd)
{
	static const uint64_t absurd[] = { 0,          1,          7,         0x7fffffff,
					   0xffffffff, 1ull << 40, INT64_MAX, UINT64_MAX - 63,
					   UINT64_MAX };
	struct program program;
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(absurd); i++) {
		program_make(&program, false);
		program.ehdr.e_shoff = absurd[i];
		read_all(&program, sizeof(program));
		program_make(&program, false);
		program.ehdr.e_phoff = absurd[i];
		read_all(&program, sizeof(program));
		program_make(&program, false);
		program.ehdr.e_shnum = (uint16_t)absurd[i];
		read_all(&program, sizeof(program));
		program_make(&program, false);
		program.ehdr.e_phnum = (uint16_t)absurd[i];
		read_all(&program, sizeof(program));
		program_make(&program, false);
		program.ehdr.e_shentsize = (uint16_t)absurd[i];
		read_all(&program, sizeof(program));
		program_make(&program, false);
		program.phdrs[0].p_filesz = program.phdrs[1].p_filesz = absurd[i];
		read_all(&program, sizeof(program));
		program_make(&program, false);
		program.phdrs[0].p_vaddr = program.phdrs[1].p_offset = absurd[i];
		read_all(&program, sizeof(program));
		for (j = 0; j < SECTION_COUNT; j++) {
			program_make(&program, false);
			program.sections[j].sh_offset = absurd[i];
			read_all(&program, sizeof(program));
			program_make(&program, false);
			program.sections[j].sh_size = absurd[i];
			read_all(&program, sizeof(program));
			program_make(&program, false);
			program.sections[j].sh_entsize = absurd[i];
			read_all(&program, sizeof(program));
			program_make(&program, false);
			program.sections[j].sh_link = (uint32_t)absurd[i];
			read_all(&program, sizeof(program));
			program_make(&program, false);
			program.sections[j].sh_type = (uint32_t)absurd[i];
			read_all(&program, sizeof(program));
			program_make(&program, false);
			program.sections[j].sh_flags = absurd[i];
			read_all(&program, sizeof(program));
		}
	}
	/* strings without an end */
	program_make(&program, false);
	memset(program.strings, 'c', sizeof(program.strings));
	memcpy(program.strings, "\0cuda", 5);
	program.sections[SECTION_STRINGS].sh_size = sizeof(strings);
	read_all(&program, sizeof(program));
}

#define TABLES 60000

/*
 * As many tables of symbols as fit, all the same large one: an hour's work, unless only one of a
 * kind is read.
 */
TEST(test_elf_tables)
{
	size_t symbols = 100000,
	       size = sizeof(struct program) + symbols * sizeof(Elf64_Sym) +
		      TABLES * sizeof(Elf64_Shdr),
	       i;
	struct elf_functions found;
	struct program *program = calloc(1, size);
	struct reason why;
	Elf64_Shdr *headers;
	Elf64_Sym *list;
	int fd;

	ck_assert_ptr_nonnull(program);
	program_make(program, false);
	list = (void *)(program + 1);
	headers = (void *)(list + symbols);
	for (i = 0; i < symbols; i++)
		list[i] = symbol("cudaMalloc", 0x11000 + i % 0x1000, 1, 7);
	memcpy(headers, program->sections, sizeof(program->sections));
	for (i = SECTION_COUNT; i < TABLES; i++)
		headers[i] = section(i & 1 ? SHT_SYMTAB : SHT_DYNSYM, sizeof(*program),
				     symbols * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
	headers[SECTION_DYNSYM] = headers[SECTION_COUNT];
	program->ehdr.e_shoff = (size_t)((char *)headers - (char *)program);
	program->ehdr.e_shnum = TABLES;
	fd = file_of(program, size);
	ck_assert_int_eq(elffile_functions(fd, &found, &why), 0);
	/* one per offset, and what the other table says */
	ck_assert_uint_le(found.count, 0x1000);
	ck_assert_uint_gt(found.count, 0);
	free(found.list);
	close(fd);
	free(program);
}

/*
 * A file that holds next to nothing and says that it has tables of a size that would fill the
 * memory.
 */
TEST(test_elf_sparse)
{
	const uint64_t huge = 1ull << 30;
	struct elf_functions found;
	struct elf_needs needs;
	struct program program;
	struct reason why;
	int fd;

	/* A million sections: the first one's header says how many. */
	program_make(&program, false);
	program.ehdr.e_shnum = 0;
	program.sections[0].sh_size = 1 << 20;
	fd = file_of(&program, sizeof(program));
	ck_assert_int_eq(ftruncate(fd, (off_t)huge), 0);
	ck_assert_int_eq(elffile_functions(fd, &found, &why), -EBADMSG);
	ck_assert_int_eq(elffile_needs(fd, &needs, NULL), -EBADMSG);
	ck_assert_ptr_null(symbols_of(fd, -1));
	close(fd);
	/* A million segments: the same header says so. */
	program_make(&program, false);
	program.ehdr.e_phnum = PN_XNUM;
	program.sections[0].sh_info = 1 << 20;
	fd = file_of(&program, sizeof(program));
	ck_assert_int_eq(ftruncate(fd, (off_t)huge), 0);
	ck_assert_int_eq(elffile_functions(fd, &found, &why), -EBADMSG);
	close(fd);
	/* A gigabyte of strings. */
	program_make(&program, false);
	program.sections[SECTION_STRINGS].sh_size = huge;
	fd = file_of(&program, sizeof(program));
	ck_assert_int_eq(ftruncate(fd, (off_t)(2 * huge)), 0);
	ck_assert_int_eq(elffile_needs(fd, &needs, NULL), -EBADMSG);
	close(fd);
	/* As many names of sections. */
	program_make(&program, false);
	program.sections[SECTION_STRINGS].sh_size = 32 << 20;
	program.ehdr.e_shstrndx = SECTION_STRINGS;
	fd = file_of(&program, sizeof(program));
	ck_assert_int_eq(ftruncate(fd, (off_t)huge), 0);
	ck_assert_int_eq(elffile_functions(fd, &found, &why), -EBADMSG);
	close(fd);
}

TEST(test_elf_flipped)
{
	static const uint8_t flips[] = { 0x01, 0x80, 0xff };
	struct program program;
	size_t i, j;

	program_make(&program, true);
	for (i = 0; i < sizeof(program); i++)
		for (j = 0; j < ARRAY_LEN(flips); j++) {
			((uint8_t *)&program)[i] ^= flips[j];
			read_all(&program, sizeof(program));
			((uint8_t *)&program)[i] ^= flips[j];
		}
}

TEST(test_elf_random)
{
	struct program program;
	int round, i;

	srand48(20);
	for (round = 0; round < 5000; round++) {
		program_make(&program, round & 1);
		for (i = 0; i < 1 + round % 12; i++)
			((uint8_t *)&program)[(size_t)lrand48() % sizeof(program)] =
				(uint8_t)lrand48();
		read_all(&program, sizeof(program));
	}
}
