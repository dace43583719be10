/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reads ELF files of others: whole ones, cut at every byte and with every
 * byte changed. Runs the tests of its kin as well, see probe_tests.h.
 */
#include <check.h>
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
#include "probe/elfinfo.h"
#include "probe_tests.h"

/* ---- a small ELF file ---- */

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

enum { SECTION_NULL, SECTION_DYNSYM, SECTION_STRINGS, SECTION_DYNAMIC, SECTION_SYMTAB, SECTION_COUNT };

static const char strings[] =
	"\0cudaMalloc\0cudaFree\0cudaFreeHost\0cudaMemcpy\0helper\0libneeded.so.1\0$ORIGIN/sub:/nowhere\0libgone.so\0/bin/odd.so";

struct image {
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
	return (Elf64_Sym){ .st_name = string_of(name), .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			    .st_shndx = section, .st_value = value, .st_size = size };
}

static Elf64_Shdr section(uint32_t type, size_t offset, size_t size, uint64_t entry)
{
	return (Elf64_Shdr){ .sh_type = type, .sh_offset = offset, .sh_size = size, .sh_link = SECTION_STRINGS,
			     .sh_entsize = entry };
}

/* Code at address 0x11000 is said to lie at offset 0x1000. Needs libneeded.so.1 and libgone.so. */
static void image_make(struct image *image, bool runpath)
{
	memset(image, 0, sizeof(*image));
	memcpy(image->ehdr.e_ident, ELFMAG "\2\1\1", 7);
	image->ehdr.e_type = ET_DYN;
	image->ehdr.e_machine = MACHINE;
	image->ehdr.e_version = EV_CURRENT;
	image->ehdr.e_phoff = offsetof(struct image, phdrs);
	image->ehdr.e_shoff = offsetof(struct image, sections);
	image->ehdr.e_ehsize = sizeof(Elf64_Ehdr);
	image->ehdr.e_phentsize = sizeof(Elf64_Phdr);
	image->ehdr.e_phnum = 2;
	image->ehdr.e_shentsize = sizeof(Elf64_Shdr);
	image->ehdr.e_shnum = SECTION_COUNT;
	image->phdrs[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_offset = 0x1000,
					.p_vaddr = 0x11000, .p_filesz = 0x1000, .p_memsz = 0x1000 };
	strcpy(image->interpreter, "/lib/ld.so");
	image->phdrs[1] = (Elf64_Phdr){ .p_type = PT_INTERP, .p_offset = offsetof(struct image, interpreter),
					.p_filesz = strlen(image->interpreter) + 1 };
	image->dynsym[1] = symbol("cudaMalloc", 0x11010, 16, 7);
	image->dynsym[2] = symbol("cudaFree", 0x11020, 16, 7);
	image->dynsym[3] = symbol("cudaFreeHost", 0x11020, 16, 7);
	image->dynsym[4] = symbol("cudaMemcpy", 0, 0, SHN_UNDEF);
	image->dynsym[5] = symbol("helper", 0x11040, 8, 7);
	image->symtab[1] = symbol("cudaMalloc", 0x11010, 16, 7);
	image->symtab[2] = symbol("helper", 0x11040, 8, 7);
	image->dynamic[0] = (Elf64_Dyn){ .d_tag = DT_NEEDED, .d_un.d_val = string_of("libneeded.so.1") };
	image->dynamic[1] = (Elf64_Dyn){ .d_tag = runpath ? DT_RUNPATH : DT_RPATH,
					 .d_un.d_val = string_of("$ORIGIN/sub:/nowhere") };
	image->dynamic[2] = (Elf64_Dyn){ .d_tag = DT_NEEDED, .d_un.d_val = string_of("libgone.so") };
	memcpy(image->strings, strings, sizeof(strings));
	image->sections[SECTION_DYNSYM] = section(SHT_DYNSYM, offsetof(struct image, dynsym), sizeof(image->dynsym),
						  sizeof(Elf64_Sym));
	image->sections[SECTION_STRINGS] = section(SHT_STRTAB, offsetof(struct image, strings), sizeof(strings), 0);
	image->sections[SECTION_DYNAMIC] = section(SHT_DYNAMIC, offsetof(struct image, dynamic),
						   sizeof(image->dynamic), sizeof(Elf64_Dyn));
	image->sections[SECTION_SYMTAB] = section(SHT_SYMTAB, offsetof(struct image, symtab), sizeof(image->symtab),
						  sizeof(Elf64_Sym));
}

size_t elf_image(void *image, size_t room, bool runpath)
{
	ck_assert_uint_ge(room, sizeof(struct image));
	image_make(image, runpath);
	return sizeof(struct image);
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
	int err = symbols_read(fd, debug_fd, NULL, &symbols);

	ck_assert(err ? !symbols && err == -ENOENT : symbols != NULL);
	return symbols;
}

/* Whatever the file holds, readers return, and with what they promise. Returns what elffile_functions() did. */
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
	ck_assert(!elfinfo_carries_runtime(fd));
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

START_TEST(test_elf_whole)
{
	struct elf_functions found;
	struct symbols *symbols;
	struct elf_needs needs;
	struct reason why;
	struct image image;
	uint64_t distance;
	int fd;

	image_make(&image, true);
	fd = file_of(&image, sizeof(image));
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
END_TEST

START_TEST(test_elf_truncated)
{
	struct image image;
	size_t size;

	image_make(&image, false);
	for (size = 0; size < sizeof(image); size++)
		read_all(&image, size);
	ck_assert_int_eq(read_all(&image, 0), -ENOEXEC);
	ck_assert_int_eq(read_all("#!/bin/sh\n", 10), -ENOEXEC);
	ck_assert_int_eq(read_all(&image, sizeof(image)), 0);
}
END_TEST

START_TEST(test_elf_absurd)
{
	static const uint64_t absurd[] = { 0, 1, 7, 0x7fffffff, 0xffffffff, 1ull << 40, INT64_MAX, UINT64_MAX - 63,
					   UINT64_MAX };
	struct image image;
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(absurd); i++) {
		image_make(&image, false);
		image.ehdr.e_shoff = absurd[i];
		read_all(&image, sizeof(image));
		image_make(&image, false);
		image.ehdr.e_phoff = absurd[i];
		read_all(&image, sizeof(image));
		image_make(&image, false);
		image.ehdr.e_shnum = (uint16_t)absurd[i];
		read_all(&image, sizeof(image));
		image_make(&image, false);
		image.ehdr.e_phnum = (uint16_t)absurd[i];
		read_all(&image, sizeof(image));
		image_make(&image, false);
		image.ehdr.e_shentsize = (uint16_t)absurd[i];
		read_all(&image, sizeof(image));
		image_make(&image, false);
		image.phdrs[0].p_filesz = image.phdrs[1].p_filesz = absurd[i];
		read_all(&image, sizeof(image));
		image_make(&image, false);
		image.phdrs[0].p_vaddr = image.phdrs[1].p_offset = absurd[i];
		read_all(&image, sizeof(image));
		for (j = 0; j < SECTION_COUNT; j++) {
			image_make(&image, false);
			image.sections[j].sh_offset = absurd[i];
			read_all(&image, sizeof(image));
			image_make(&image, false);
			image.sections[j].sh_size = absurd[i];
			read_all(&image, sizeof(image));
			image_make(&image, false);
			image.sections[j].sh_entsize = absurd[i];
			read_all(&image, sizeof(image));
			image_make(&image, false);
			image.sections[j].sh_link = (uint32_t)absurd[i];
			read_all(&image, sizeof(image));
			image_make(&image, false);
			image.sections[j].sh_type = (uint32_t)absurd[i];
			read_all(&image, sizeof(image));
			image_make(&image, false);
			image.sections[j].sh_flags = absurd[i];
			read_all(&image, sizeof(image));
		}
	}
	/* strings without an end */
	image_make(&image, false);
	memset(image.strings, 'c', sizeof(image.strings));
	memcpy(image.strings, "\0cuda", 5);
	image.sections[SECTION_STRINGS].sh_size = sizeof(strings);
	read_all(&image, sizeof(image));
}
END_TEST

#define TABLES 60000

/* As many tables of symbols as fit, all the same large one: an hour's work, unless only one of a kind is read. */
START_TEST(test_elf_tables)
{
	size_t symbols = 100000, size = sizeof(struct image) + symbols * sizeof(Elf64_Sym) + TABLES * sizeof(Elf64_Shdr), i;
	struct elf_functions found;
	struct image *image = calloc(1, size);
	struct reason why;
	Elf64_Shdr *headers;
	Elf64_Sym *list;
	int fd;

	ck_assert_ptr_nonnull(image);
	image_make(image, false);
	list = (void *)(image + 1);
	headers = (void *)(list + symbols);
	for (i = 0; i < symbols; i++)
		list[i] = symbol("cudaMalloc", 0x11000 + i % 0x1000, 1, 7);
	memcpy(headers, image->sections, sizeof(image->sections));
	for (i = SECTION_COUNT; i < TABLES; i++)
		headers[i] = section(i & 1 ? SHT_SYMTAB : SHT_DYNSYM, sizeof(*image), symbols * sizeof(Elf64_Sym),
				     sizeof(Elf64_Sym));
	headers[SECTION_DYNSYM] = headers[SECTION_COUNT];
	image->ehdr.e_shoff = (size_t)((char *)headers - (char *)image);
	image->ehdr.e_shnum = TABLES;
	fd = file_of(image, size);
	ck_assert_int_eq(elffile_functions(fd, &found, &why), 0);
	/* one per offset, and what the other table says */
	ck_assert_uint_le(found.count, 0x1000);
	ck_assert_uint_gt(found.count, 0);
	free(found.list);
	close(fd);
	free(image);
}
END_TEST

/* A file that holds next to nothing and says that it has tables of a size that would fill the memory. */
START_TEST(test_elf_sparse)
{
	const uint64_t huge = 1ull << 30;
	struct elf_functions found;
	struct elf_needs needs;
	struct image image;
	struct reason why;
	int fd;

	/* A million sections: the first one's header says how many. */
	image_make(&image, false);
	image.ehdr.e_shnum = 0;
	image.sections[0].sh_size = 1 << 20;
	fd = file_of(&image, sizeof(image));
	ck_assert_int_eq(ftruncate(fd, (off_t)huge), 0);
	ck_assert_int_eq(elffile_functions(fd, &found, &why), -EBADMSG);
	ck_assert_int_eq(elffile_needs(fd, &needs, NULL), -EBADMSG);
	ck_assert_ptr_null(symbols_of(fd, -1));
	close(fd);
	/* A million segments: the same header says so. */
	image_make(&image, false);
	image.ehdr.e_phnum = PN_XNUM;
	image.sections[0].sh_info = 1 << 20;
	fd = file_of(&image, sizeof(image));
	ck_assert_int_eq(ftruncate(fd, (off_t)huge), 0);
	ck_assert_int_eq(elffile_functions(fd, &found, &why), -EBADMSG);
	close(fd);
	/* A gigabyte of strings. */
	image_make(&image, false);
	image.sections[SECTION_STRINGS].sh_size = huge;
	fd = file_of(&image, sizeof(image));
	ck_assert_int_eq(ftruncate(fd, (off_t)(2 * huge)), 0);
	ck_assert_int_eq(elffile_needs(fd, &needs, NULL), -EBADMSG);
	close(fd);
	/* As many names of sections. */
	image_make(&image, false);
	image.sections[SECTION_STRINGS].sh_size = 32 << 20;
	image.ehdr.e_shstrndx = SECTION_STRINGS;
	fd = file_of(&image, sizeof(image));
	ck_assert_int_eq(ftruncate(fd, (off_t)huge), 0);
	ck_assert_int_eq(elffile_functions(fd, &found, &why), -EBADMSG);
	close(fd);
}
END_TEST

START_TEST(test_elf_flipped)
{
	static const uint8_t flips[] = { 0x01, 0x80, 0xff };
	struct image image;
	size_t i, j;

	image_make(&image, true);
	for (i = 0; i < sizeof(image); i++)
		for (j = 0; j < ARRAY_LEN(flips); j++) {
			((uint8_t *)&image)[i] ^= flips[j];
			read_all(&image, sizeof(image));
			((uint8_t *)&image)[i] ^= flips[j];
		}
}
END_TEST

START_TEST(test_elf_random)
{
	struct image image;
	int round, i;

	srand48(20);
	for (round = 0; round < 5000; round++) {
		image_make(&image, round & 1);
		for (i = 0; i < 1 + round % 12; i++)
			((uint8_t *)&image)[(size_t)lrand48() % sizeof(image)] = (uint8_t)lrand48();
		read_all(&image, sizeof(image));
	}
}
END_TEST

/* ---- all of them ---- */

void probe_test_add(Suite *suite, const char *name, const TTest *test)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test);
	suite_add_tcase(suite, tcase);
}

int main(void)
{
	Suite *suite = suite_create("probe");
	SRunner *runner;
	int failed;

	probe_test_add(suite, "elf whole", test_elf_whole);
	probe_test_add(suite, "elf truncated", test_elf_truncated);
	probe_test_add(suite, "elf absurd", test_elf_absurd);
	probe_test_add(suite, "elf tables", test_elf_tables);
	probe_test_add(suite, "elf sparse", test_elf_sparse);
	probe_test_add(suite, "elf flipped", test_elf_flipped);
	probe_test_add(suite, "elf random", test_elf_random);
	elfinfo_tests(suite);
	extras_tests(suite);
	arrivals_tests(suite);
	maps_tests(suite);
	near_tests(suite);
	closure_tests(suite);
	container_tests(suite);
	errand_tests(suite);
	options_tests(suite);
	outside_tests(suite);
	points_tests(suite);
	runtime_code_tests(suite);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
