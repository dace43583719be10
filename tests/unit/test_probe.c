/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What reads files of others, and the command line: ELF files whole, cut at
 * every byte and with every byte changed; lines of maps; what a program needs;
 * options; the matching of commands.
 */
#include <check.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/identity.h"
#include "model/calls.h"
#include "names/symbols.h"
#include "options.h"
#include "probe/closure.h"
#include "probe/elffile.h"
#include "probe/maps.h"

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

static int file_of(const void *data, size_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	return fd;
}

/* Whatever the file holds, readers return, and with what they promise. Returns what elffile_functions() did. */
static int read_all(const void *data, size_t size)
{
	int fd = file_of(data, size), result, err;
	struct elf_functions found;
	struct symbols *symbols;
	struct elf_needs needs;
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
	free(found.list);
	err = elffile_needs(fd, &needs, NULL);
	ck_assert(err == 0 || err == -ENOEXEC || err == -EBADMSG);
	if (!err)
		elffile_needs_free(&needs);
	symbols = symbols_read(fd, -1);
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
	free(found.list);
	ck_assert_int_eq(elffile_needs(fd, &needs, &why), 0);
	ck_assert_uint_eq(needs.count, 2);
	ck_assert_str_eq(needs.needed[0], "libneeded.so.1");
	ck_assert_str_eq(needs.needed[1], "libgone.so");
	ck_assert_str_eq(needs.runpath, "$ORIGIN/sub:/nowhere");
	ck_assert_ptr_null(needs.rpath);
	ck_assert_str_eq(needs.interpreter, "/lib/ld.so");
	elffile_needs_free(&needs);
	symbols = symbols_read(fd, -1);
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

/* ---- /proc/PID/maps ---- */

START_TEST(test_maps_parse)
{
	static const struct {
		const char *line;
		int result, executable;
		uint64_t start, end, offset, inode;
		const char *path;
	} cases[] = {
		{ "7f00-7f01 r-xp 00001000 fd:01 42   /lib/a b.so\n", 0, 1, 0x7f00, 0x7f01, 0x1000, 42, "/lib/a b.so" },
		{ "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n", 0, 1, 0xffffffffff600000,
		  0xffffffffff601000, 0, 0, "[vsyscall]" },
		{ "1000-2000 rw-p 00000000 00:00 0 \n", 0, 0, 0x1000, 0x2000, 0, 0, "" },
		{ "1000-2000 rw-p 00000000 00:00 0", 0, 0, 0x1000, 0x2000, 0, 0, "" },
		{ "1000-2000 r-xs 0 0:0 7 /x (deleted)\n", 0, 1, 0x1000, 0x2000, 0, 7, "/x (deleted)" },
		{ "1000-2000 r-xp 0 0:0 7 /a\\012b\n", 0, 1, 0x1000, 0x2000, 0, 7, "/a\\012b" },
		{ "1000-2000 x 0 0:0 7 /x\n", 0, 0, 0x1000, 0x2000, 0, 7, "/x" },
		{ "", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "1000\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "1000-2000\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "1000-2000 r-xp\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "1000-2000 r-xp 0 00:zz 1 /x\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "zzzz-2000 r-xp 0 00:00 1 /x\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
		{ "1000-2000 r-xpr-xpr-xp 0 00:00 1 /x\n", -EINVAL, 0, 0, 0, 0, 0, NULL },
	};
	struct maps_entry entry;
	int executable;
	char line[256];
	size_t i;

	for (i = 0; i < ARRAY_LEN(cases); i++) {
		snprintf(line, sizeof(line), "%s", cases[i].line);
		executable = 0;
		ck_assert_msg(maps_parse(line, &entry, &executable) == cases[i].result, "%s", cases[i].line);
		if (cases[i].result)
			continue;
		ck_assert_uint_eq(entry.start, cases[i].start);
		ck_assert_uint_eq(entry.end, cases[i].end);
		ck_assert_uint_eq(entry.offset, cases[i].offset);
		ck_assert_uint_eq(entry.inode, cases[i].inode);
		ck_assert_str_eq(entry.path, cases[i].path);
		ck_assert_int_eq(executable, cases[i].executable);
	}
}
END_TEST

START_TEST(test_maps_random)
{
	static const char alphabet[] = "0123456789abcdef-: rwxp/\n[]%s\\\t~";
	struct maps_entry entry;
	int round, executable;
	char line[96];
	size_t i, len;

	srand48(7);
	for (round = 0; round < 20000; round++) {
		len = (size_t)lrand48() % (sizeof(line) - 1);
		for (i = 0; i < len; i++)
			line[i] = alphabet[(size_t)lrand48() % (sizeof(alphabet) - 1)];
		line[len] = 0;
		if (!maps_parse(line, &entry, &executable))
			ck_assert(entry.path >= line && entry.path <= line + len);
	}
}
END_TEST

static int own_mapping(void *context, const struct maps_entry *entry)
{
	uint64_t here = (uint64_t)(uintptr_t)own_mapping;
	int fd;

	if (here < entry->start || here >= entry->end)
		return 0;
	fd = maps_open(getpid(), entry);
	ck_assert_int_ge(fd, 0);
	close(fd);
	*(int *)context += 1;
	return 1;
}

START_TEST(test_maps_visit)
{
	int found = 0;

	ck_assert_int_eq(maps_visit(getpid(), own_mapping, &found), 1);
	ck_assert_int_eq(found, 1);
	ck_assert_int_lt(maps_visit(0x7fffffff, own_mapping, &found), 0);
}
END_TEST

/* ---- what a program needs ---- */

static char directory[64];

static void path_write(const char *name, const void *data, size_t size)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, size), (ssize_t)size);
	close(fd);
}

static void directory_make(void)
{
	char path[256];

	strcpy(directory, "/tmp/cutop-unit.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/sub", directory);
	ck_assert_int_eq(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/other", directory);
	ck_assert_int_eq(mkdir(path, 0755), 0);
}

static void directory_remove(void)
{
	char command[128];

	snprintf(command, sizeof(command), "/bin/rm -rf '%s'", directory);
	ck_assert_int_eq(system(command), 0);
}

static char visited[4096];

static void visit_note(void *context, const char *path)
{
	(void)context;
	if (!strncmp(path, directory, strlen(directory)))
		path += strlen(directory);
	snprintf(visited + strlen(visited), sizeof(visited) - strlen(visited), "%s ", path);
}

static const char *closure_of(const char *name, const char *library_path)
{
	char path[256];

	visited[0] = 0;
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	closure_visit(path, library_path, visit_note, NULL);
	return visited;
}

START_TEST(test_closure)
{
	char line[600], other[128];
	struct image image;

	directory_make();
	snprintf(other, sizeof(other), "/nowhere::%s/other", directory);
	image_make(&image, false);
	path_write("rpath", &image, sizeof(image));
	path_write("sub/libneeded.so.1", &image, sizeof(image));
	image_make(&image, true);
	path_write("runpath", &image, sizeof(image));
	path_write("other/libneeded.so.1", &image, sizeof(image));
	/* DT_RPATH comes before LD_LIBRARY_PATH, DT_RUNPATH after it; nothing is visited twice */
	ck_assert_str_eq(closure_of("rpath", NULL), "/rpath /sub/libneeded.so.1 ");
	ck_assert_str_eq(closure_of("rpath", other), "/rpath /sub/libneeded.so.1 /other/libneeded.so.1 ");
	ck_assert_str_eq(closure_of("runpath", NULL), "/runpath /sub/libneeded.so.1 ");
	ck_assert_str_eq(closure_of("runpath", other), "/runpath /other/libneeded.so.1 ");
	ck_assert_str_eq(closure_of("absent", NULL), "");
	/* scripts */
	snprintf(line, sizeof(line), "#! %s/rpath  -x\n", directory);
	path_write("script", line, strlen(line));
	ck_assert_str_eq(closure_of("script", NULL), "/script /rpath /sub/libneeded.so.1 ");
	snprintf(line, sizeof(line), "#!/usr/bin/env runpath\nrest");
	path_write("env-script", line, strlen(line));
	setenv("PATH", directory, 1);
	ck_assert_ptr_nonnull(strstr(closure_of("env-script", NULL), "/runpath "));
	ck_assert_ptr_nonnull(strstr(visited, "/sub/libneeded.so.1 "));
	snprintf(line, sizeof(line), "#!/usr/bin/env -S runpath -u\n");
	path_write("split-script", line, strlen(line));
	ck_assert_ptr_nonnull(strstr(closure_of("split-script", NULL), "/runpath "));
	snprintf(line, sizeof(line), "#!%s/endless\n", directory);
	path_write("endless", line, strlen(line));
	ck_assert_str_eq(closure_of("endless", NULL), "/endless ");
	path_write("bang", "#!", 2);
	ck_assert_str_eq(closure_of("bang", NULL), "/bang ");
	path_write("blank", "#! \t\n", 5);
	ck_assert_str_eq(closure_of("blank", NULL), "/blank ");
	memset(line, 'x', sizeof(line));
	memcpy(line, "#!", 2);
	path_write("long", line, sizeof(line));
	ck_assert_str_eq(closure_of("long", NULL), "/long ");
	path_write("empty", "", 0);
	ck_assert_str_eq(closure_of("empty", NULL), "/empty ");
	/* cut files are visited themselves, and that is all */
	image_make(&image, false);
	path_write("cut", &image, sizeof(image) / 2);
	ck_assert_str_eq(closure_of("cut", NULL), "/cut ");
	directory_remove();
}
END_TEST

static int cache_check(void *context, const char *name, const char *path)
{
	ck_assert_int_eq(path[0], '/');
	ck_assert_ptr_null(strchr(name, '/'));
	*(int *)context += 1;
	return 0;
}

static int cache_stop(void *context, const char *name, const char *path)
{
	(void)path;
	ck_assert_int_eq(strncmp(name, "libc.so", 7), 0);
	*(int *)context += 1;
	return 1;
}

START_TEST(test_ld_cache)
{
	int all = 0, none = 0, one = 0;

	if (access("/etc/ld.so.cache", R_OK))
		return;
	ld_cache_visit("", cache_check, &all);
	ck_assert_int_gt(all, 0);
	ld_cache_visit("libc.so", cache_stop, &one);
	ck_assert_int_eq(one, 1);
	ld_cache_visit("no such library", cache_check, &none);
	ck_assert_int_eq(none, 0);
}
END_TEST

/* ---- the command line ---- */

static struct options options;
static int status;

/* @line is split at blanks. */
static bool parse(const char *line)
{
	static char copy[1024], *argv[64];
	char *word, *rest = NULL;
	int argc = 0;

	snprintf(copy, sizeof(copy), "cutop %s", line);
	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	argv[argc] = NULL;
	optind = 0;	/* getopt(3): begin anew */
	status = -1;
	return options_parse(&options, argc, argv, &status) == OPTIONS_RUN;
}

START_TEST(test_options)
{
	ck_assert(parse("-b"));
	ck_assert(options.batch);
	ck_assert_uint_eq(options.delay, NSEC_PER_SEC);
	ck_assert_uint_eq(options.leak_age, 10 * NSEC_PER_SEC);
	ck_assert_uint_eq(options.map_max, 1000);
	ck_assert_uint_eq(options.ring_bytes, 16 << 20);
	ck_assert_uint_eq(options.iterations, 0);
	ck_assert_uint_eq(options.uid, (uint32_t)-1);
	ck_assert(!(options.groups & 1u << GROUP_QUERY));
	ck_assert_ptr_null(options.command);
	ck_assert_str_eq(options.sort.keys[0]->name, "live");

	ck_assert(parse("-bvr -n3 -d0.25 --duration=2.5 -fcsv -o x -p1,22 -p 333 -u root -c *py* -s leaked,pid -lruntime"));
	ck_assert(options.verbose && options.sort.reverse);
	ck_assert_uint_eq(options.iterations, 3);
	ck_assert_uint_eq(options.delay, NSEC_PER_SEC / 4);
	ck_assert_uint_eq(options.duration, 5 * NSEC_PER_SEC / 2);
	ck_assert_int_eq(options.format, FORMAT_CSV);
	ck_assert_str_eq(options.output, "x");
	ck_assert_uint_eq(options.pid_count, 3);
	ck_assert_uint_eq(options.pids[2], 333);
	ck_assert_uint_eq(options.uid, 0);
	ck_assert_str_eq(options.command_glob, "*py*");
	ck_assert_uint_eq(options.sort.count, 2);

	ck_assert(parse("-b --fail-on-leak=2K --allow-no-cuda --run-as root --map all --ring-size 1M --exact -- a -b --"));
	ck_assert(options.fail_on_leak && options.allow_no_cuda && options.exact_launches);
	ck_assert_uint_eq(options.leak_bytes, 2048);
	ck_assert_uint_eq(options.map_max, UINT32_MAX);
	ck_assert_uint_eq(options.ring_bytes, 1 << 20);
	ck_assert_str_eq(options.command[0], "a");
	ck_assert_str_eq(options.command[1], "-b");
	ck_assert_str_eq(options.command[2], "--");
	ck_assert_ptr_null(options.command[3]);

	ck_assert(parse("-b --map none --calls all --library a --library b --leak-ignore c --leak-age 0.5"));
	ck_assert_uint_eq(options.map_max, 0);
	ck_assert(options.groups & 1u << GROUP_QUERY);
	ck_assert_uint_eq(options.library_count, 2);
	ck_assert_str_eq(options.leak_ignore[0], "c");
	ck_assert_ptr_null(options.leak_ignore[1]);
	ck_assert_uint_eq(options.leak_age, NSEC_PER_SEC / 2);
	/* what the books need is always probed */
	ck_assert(parse("-b --calls memory"));
	ck_assert(options.groups & 1u << GROUP_DEVICE);
	ck_assert(options.groups & 1u << GROUP_NAME);
}
END_TEST

START_TEST(test_options_wrong)
{
	static const char *const wrong[] = {
		"--nope", "-b -n 0", "-b -n x", "-b -n 1 2", "-b -d 0", "-b -d inf", "-b -d 1e99", "-b -p 0", "-b -p 1,a",
		"-b -p ,", "-b -f", "-b -f xml", "-b -s nope", "-b --calls nope", "-b --map -1", "-b --ring-size 5M",
		"-b --ring-size 1", "-b --ring-size 99999999999T", "-b --fail-on-leak", "-b --fail-on-leak=9x -- a",
		"-b -l gpu", "-b --", "-b a", "-b -p 1 -- a", "-b -C x", "-b --le 1", "-b --batch=1", "-Zb",
	};
	char line[8192] = "-b";
	size_t i;

	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		ck_assert_msg(!parse(wrong[i]), "%s", wrong[i]);
		ck_assert_msg(status == EXIT_USAGE, "%s: %d", wrong[i], status);
	}
	/* lists have an end */
	for (i = 0; i < 300; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%zu", i ? "," : " -p", i + 1);
	{
		char *argv[] = { "cutop", "-b", line + 3, NULL };

		optind = 0;
		ck_assert_int_eq(options_parse(&options, 3, argv, &status), OPTIONS_EXIT);
		ck_assert_int_eq(status, EXIT_USAGE);
	}
}
END_TEST

START_TEST(test_options_many)
{
	static char *argv[2 * 300 + 3];
	int i, argc = 0;

	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	argv[argc++] = "cutop";
	argv[argc++] = "-b";
	for (i = 0; i < 300; i++) {
		argv[argc++] = "--leak-ignore";
		argv[argc++] = "x";
	}
	optind = 0;
	ck_assert_int_eq(options_parse(&options, argc, argv, &status), OPTIONS_EXIT);
	ck_assert_int_eq(status, EXIT_USAGE);
	for (i = 2; i < argc; i += 2)
		argv[i] = "--library";
	optind = 0;
	ck_assert_int_eq(options_parse(&options, argc, argv, &status), OPTIONS_EXIT);
	ck_assert_int_eq(status, EXIT_USAGE);
}
END_TEST

/* ---- who a process is ---- */

static bool matches(const char *command, const char *arguments, const char *comm, const char *glob)
{
	union {
		struct rec_identity identity;
		char bytes[512];
	} record = { 0 };
	char *at = record.identity.strings;

	at = stpcpy(at, "user") + 1;
	at = stpcpy(at, command) + 1;
	stpcpy(at, arguments);
	return identity_matches(&record.identity, comm, glob);
}

START_TEST(test_identity)
{
	struct rec_process process = { 0 };
	struct rec_identity *identity;

	ck_assert(matches("/usr/bin/python3", "train.py --fast", "pt_main", "python3"));
	ck_assert(matches("/usr/bin/python3", "train.py --fast", "pt_main", "/usr/bin/*"));
	ck_assert(matches("/usr/bin/python3", "train.py --fast", "pt_main", "pt_*"));
	ck_assert(matches("/usr/bin/python3", "train.py --fast", "pt_main", "*train.py*"));
	ck_assert(!matches("/usr/bin/python3", "train.py --fast", "pt_main", "python"));
	ck_assert(!matches("/usr/bin/python3", "train.py --fast", "pt_main", "train.py"));
	ck_assert(!matches("/usr/bin/python3", "train.py --fast", "pt_main", ""));
	ck_assert(!matches("", "", "", "x"));
	ck_assert(!matches("a\377b", "", "a", "[\377"));

	process.hdr.tgid = (uint32_t)getpid();
	process.uid = getuid();
	snprintf(process.comm, sizeof(process.comm), "unit");
	identity = identity_read(&process, true);
	ck_assert_ptr_nonnull(identity);
	ck_assert_int_eq(identity->watched_from, WATCHED_FROM_ATTACH);
	ck_assert(identity_matches(identity, "x", "*test_probe*"));
	free(identity);
	/* gone already: what the record says */
	process.hdr.tgid = 0x7fffffff;
	memset(process.comm, 'y', sizeof(process.comm));
	identity = identity_read(&process, false);
	ck_assert_ptr_nonnull(identity);
	ck_assert(identity_matches(identity, "x", "yyyyyy*"));
	free(identity);
}
END_TEST

int main(void)
{
	const struct {
		const char *name;
		const TTest *test;
	} tests[] = {
		{ "elf whole", test_elf_whole },
		{ "elf truncated", test_elf_truncated },
		{ "elf absurd", test_elf_absurd },
		{ "elf tables", test_elf_tables },
		{ "elf flipped", test_elf_flipped },
		{ "elf random", test_elf_random },
		{ "maps parse", test_maps_parse },
		{ "maps random", test_maps_random },
		{ "maps visit", test_maps_visit },
		{ "closure", test_closure },
		{ "ld cache", test_ld_cache },
		{ "options", test_options },
		{ "options wrong", test_options_wrong },
		{ "options many", test_options_many },
		{ "identity", test_identity },
	};
	Suite *suite = suite_create("probe");
	SRunner *runner;
	int failed;
	size_t i;

	for (i = 0; i < ARRAY_LEN(tests); i++) {
		TCase *tcase = tcase_create(tests[i].name);

		tcase_set_timeout(tcase, 60);
		tcase_add_test(tcase, tests[i].test);
		suite_add_tcase(suite, tcase);
	}
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
