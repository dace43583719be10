/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * entries LIBRARY: how the functions begin that a library exports under names
 * with cu. Prints for each two first bytes the number of functions, one of
 * them, and its first 24 bytes. A probe on an instruction that the kernel
 * cannot emulate costs many times what another one does.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN 24

static const unsigned char *file;
static size_t file_size;

static struct {
	unsigned long count;
	const char *example;
	const unsigned char *code;
} forms[65536];

/* The bytes of the function at @address, or NULL. */
static const unsigned char *code_at(uint64_t address)
{
	const Elf64_Ehdr *header = (const void *)file;
	const Elf64_Phdr *segments = (const void *)(file + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++) {
		uint64_t in = address - segments[i].p_vaddr;

		if (segments[i].p_type == PT_LOAD && address >= segments[i].p_vaddr &&
		    in < segments[i].p_filesz && segments[i].p_offset + in + SHOWN <= file_size)
			return file + segments[i].p_offset + in;
	}
	return NULL;
}

static void functions_sort(const Elf64_Shdr *symbols, const Elf64_Shdr *strings)
{
	const Elf64_Sym *symbol = (const void *)(file + symbols->sh_offset),
			*end = symbol + symbols->sh_size / sizeof(*symbol);

	for (; symbol < end; symbol++) {
		const char *name = (const char *)file + strings->sh_offset + symbol->st_name;
		const unsigned char *code;
		size_t form;

		if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !symbol->st_shndx ||
		    symbol->st_name >= strings->sh_size || strncmp(name, "cu", 2))
			continue;
		code = code_at(symbol->st_value);
		if (!code)
			continue;
		form = (size_t)code[0] << 8 | code[1];
		if (!forms[form].count++) {
			forms[form].example = name;
			forms[form].code = code;
		}
	}
}

static int forms_print(void)
{
	size_t i, most, shown;

	for (shown = 0; shown < 20; shown++) {
		for (i = 0, most = 0; i < 65536; i++)
			if (forms[i].count > forms[most].count)
				most = i;
		if (!forms[most].count)
			break;
		printf("%6lu begin with %02zx %02zx, as %s:", forms[most].count, most >> 8,
		       most & 255, forms[most].example);
		for (i = 0; i < SHOWN; i++)
			printf(" %02x", forms[most].code[i]);
		putchar('\n');
		forms[most].count = 0;
	}
	return shown ? 0 : 1;
}

int main(int argc, char **argv)
{
	const Elf64_Ehdr *header;
	const Elf64_Shdr *sections;
	struct stat st;
	int fd;

	fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	if (fd < 0 || fstat(fd, &st) || (size_t)st.st_size < sizeof(*header)) {
		fprintf(stderr, "usage: entries LIBRARY\n");
		return 2;
	}
	file_size = (size_t)st.st_size;
	file = mmap(NULL, file_size, PROT_READ, MAP_PRIVATE, fd, 0);
	header = (const void *)file;
	if (file == MAP_FAILED || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_shoff + header->e_shnum * sizeof(*sections) > file_size ||
	    header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr) > file_size) {
		fprintf(stderr, "%s: not a 64-bit library\n", argv[1]);
		return 2;
	}
	sections = (const void *)(file + header->e_shoff);
	for (int i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_DYNSYM && sections[i].sh_link < header->e_shnum &&
		    sections[i].sh_offset + sections[i].sh_size <= file_size)
			functions_sort(&sections[i], &sections[sections[i].sh_link]);
	return forms_print();
}
