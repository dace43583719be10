/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Libraries that are small on the disk and say that they are large, or that shrink, and a program
 * that has them looked at.
 *
 *   fat sparse TEMPLATE OUT BYTES	copies the library TEMPLATE to OUT, with the names of both its symbol tables
 * 					in a hole of BYTES each at its end
 *   fat names TEMPLATE OUT COUNT NAMES	the same with COUNT functions more in .symtab, with NAMES different names of 200 bytes each
 *
 *   fat call LIBRARY...	loads each and has it allocate; at each line of input, has each allocate from elsewhere
 *   fat map FILE...		maps each as code, and allocates by itself
 *   fat cut LIBRARY...		for each: loads it, has it allocate, waits for a line; then truncates it behind what is loaded, has it
 * 				allocate from elsewhere, and waits for another line
 *
 * They say "ready" when they have allocated and wait. All end with their input.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cuda_double.h"

#define NAME_SIZE 200

/* ---- files ---- */

struct file {
	char *bytes;
	size_t size;
	Elf64_Ehdr *ehdr;
	Elf64_Shdr *sections;
};

static bool file_load(struct file *file, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return false;
	file->size = (size_t)st.st_size;
	file->bytes = malloc(file->size);
	if (!file->bytes || read(fd, file->bytes, file->size) != (ssize_t)file->size)
		return false;
	file->ehdr = (Elf64_Ehdr *)(void *)file->bytes;
	file->sections = (Elf64_Shdr *)(void *)(file->bytes + file->ehdr->e_shoff);
	close(fd);
	return true;
}

static int file_create(const char *path)
{
	return open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
}

static bool put(int fd, const void *bytes, size_t size, uint64_t at)
{
	return pwrite(fd, bytes, size, (off_t)at) == (ssize_t)size;
}

static Elf64_Shdr *section_of(struct file *file, uint32_t type)
{
	size_t i;

	for (i = 0; i < file->ehdr->e_shnum; i++)
		if (file->sections[i].sh_type == type)
			return &file->sections[i];
	exit(1);
}

static int sparse_make(const char *template, const char *path, uint64_t bytes)
{
	static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
	int fd = file_create(path);
	struct file file;
	uint64_t end;
	size_t i;

	if (fd < 0 || !file_load(&file, template))
		return 1;
	end = (file.size + 4095) & ~4095ull;
	for (i = 0; i < 2; i++) {
		Elf64_Shdr *names = &file.sections[section_of(&file, types[i])->sh_link];

		if (!put(fd, file.bytes + names->sh_offset, names->sh_size, end))
			return 1;
		names->sh_offset = end;
		names->sh_size = bytes;
		end += bytes;
	}
	return !put(fd, file.bytes, file.size, 0) || ftruncate(fd, (off_t)end) || close(fd);
}

static int names_make(const char *template, const char *path, size_t count, size_t different)
{
	Elf64_Shdr *table, *names;
	int fd = file_create(path);
	Elf64_Sym *symbols;
	struct file file;
	size_t old, base, i;
	char *text;

	if (fd < 0 || !file_load(&file, template))
		return 1;
	table = section_of(&file, SHT_SYMTAB);
	names = &file.sections[table->sh_link];
	old = table->sh_size / sizeof(Elf64_Sym);
	base = names->sh_size;
	symbols = calloc(old + count, sizeof(*symbols));
	text = calloc(base + different * NAME_SIZE, 1);
	if (!symbols || !text)
		return 1;
	memcpy(symbols, file.bytes + table->sh_offset, table->sh_size);
	memcpy(text, file.bytes + names->sh_offset, base);
	for (i = 0; i < count; i++)
		symbols[old + i] =
			(Elf64_Sym){ .st_name = (uint32_t)(base + i % different * NAME_SIZE),
				     .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
				     .st_shndx = 1,
				     .st_value = file.ehdr->e_entry ? file.ehdr->e_entry : 0x1000,
				     .st_size = 1 };
	for (i = 0; i < different; i++)
		snprintf(text + base + i * NAME_SIZE, NAME_SIZE, "_ZN4cuda%0*zuEv", NAME_SIZE - 11,
			 i);
	table->sh_offset = (file.size + 4095) & ~4095ull;
	table->sh_size = (old + count) * sizeof(*symbols);
	names->sh_offset = table->sh_offset + table->sh_size;
	names->sh_size = base + different * NAME_SIZE;
	return !put(fd, file.bytes, file.size, 0) ||
	       !put(fd, symbols, table->sh_size, table->sh_offset) ||
	       !put(fd, text, names->sh_size, names->sh_offset) || close(fd);
}

/* Cuts off what no segment loads: debug information among it. */
static int file_cut(const char *path)
{
	struct file file;
	uint64_t end = 0;
	size_t i;

	if (!file_load(&file, path))
		return 1;
	for (i = 0; i < file.ehdr->e_phnum; i++) {
		const Elf64_Phdr *phdr =
			(Elf64_Phdr *)(void *)(file.bytes + file.ehdr->e_phoff) + i;

		if (phdr->p_type == PT_LOAD && phdr->p_offset + phdr->p_filesz > end)
			end = phdr->p_offset + phdr->p_filesz;
	}
	return truncate(path, (off_t)end);
}

/* ---- the program ---- */

/* Waits for a line of input. Returns false at its end. */
static bool wait_line(const char *say)
{
	int c;

	puts(say);
	fflush(stdout);
	while ((c = getchar()) != '\n')
		if (c == EOF)
			return false;
	return true;
}

static int library_call(void *library, const char *function)
{
	int (*allocate)(int (*)(void **, size_t));

	*(void **)&allocate = library ? dlsym(library, function) : NULL;
	return allocate ? allocate((int (*)(void **, size_t))cudaMalloc) : 1;
}

static int call_all(char **paths, int count)
{
	void *libraries[256];
	int i, failed = 0;

	for (i = 0; i < count && i < 256; i++) {
		libraries[i] = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
		failed |= library_call(libraries[i], "fat_allocate");
	}
	while (wait_line(failed ? "failed" : "ready"))
		for (i = 0; i < count && i < 256; i++)
			failed |= library_call(libraries[i], "fat_again");
	return failed;
}

static int map_all(char **paths, int count)
{
	int i, failed = 0;
	void *memory;

	for (i = 0; i < count; i++) {
		int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
		void *code = fd < 0 ? MAP_FAILED :
				      mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		/* Where the kernel's mmap() cannot be watched, a file is met when it is touched. */
		failed |= code == MAP_FAILED || *(volatile char *)code != ELFMAG0;
		if (fd >= 0)
			close(fd);
	}
	failed |= cudaMalloc(&memory, 100) != 0;
	while (wait_line(failed ? "failed" : "ready"))
		;
	return failed;
}

static int cut_all(char **paths, int count)
{
	void *library;
	int i;

	for (i = 0; i < count; i++) {
		library = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
		if (library_call(library, "fat_allocate") || !wait_line("ready"))
			return 1;
		if (file_cut(paths[i]) || library_call(library, "fat_again") || !wait_line("ready"))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *word;
		int (*run)(char **paths, int count);
	} acts[] = { { "call", call_all }, { "map", map_all }, { "cut", cut_all } };
	size_t i;

	if (argc == 5 && !strcmp(argv[1], "sparse"))
		return sparse_make(argv[2], argv[3], strtoull(argv[4], NULL, 10));
	if (argc == 6 && !strcmp(argv[1], "names"))
		return names_make(argv[2], argv[3], strtoul(argv[4], NULL, 10),
				  strtoul(argv[5], NULL, 10));
	for (i = 0; argc > 2 && i < 3; i++)
		if (!strcmp(argv[1], acts[i].word))
			return acts[i].run(argv + 2, argc - 2);
	return 2;
}
