/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function's code, given to what chooses where its probe goes. The first
 * bytes say how large the symbol calls it and where another symbol lies:
 * size (2 bytes, little-endian), place of the other symbol, its size, then code.
 */
#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fuzz.h"
#include "probe/points.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

#define CODE_AT  1024
#define BEFORE   4 /* bytes that are no code */
#define CODE_MAX 8192

static const char names[] = "\0cudaMalloc\0cudaMalloc.cold";

struct head {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Sym symbols[3];
	char names[sizeof(names)];
	Elf64_Shdr sections[3];
};

_Static_assert(sizeof(struct head) <= CODE_AT, "the code begins behind the head");

static void head_make(struct head *head, const uint8_t *data, size_t code_size)
{
	*head = (struct head){
		.ehdr = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN, .e_machine = MACHINE, .e_version = EV_CURRENT, .e_ehsize = sizeof(Elf64_Ehdr),
			.e_phoff = offsetof(struct head, phdr), .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 1,
			.e_shoff = offsetof(struct head, sections), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3,
		},
		.phdr = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = CODE_AT + code_size, .p_memsz = CODE_AT + code_size },
		.symbols = {
			[1] = { .st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1, .st_value = CODE_AT + 16,
				.st_size = data[0] | (Elf64_Xword)data[1] << 8 },
			[2] = { .st_name = 12, .st_info = ELF64_ST_INFO(STB_GLOBAL, data[2] & 1 ? STT_FUNC : STT_NOTYPE), .st_shndx = 1,
				.st_value = CODE_AT + data[2] / 2, .st_size = data[3] },
		},
		.sections = {
			[1] = { .sh_type = SHT_SYMTAB, .sh_offset = offsetof(struct head, symbols), .sh_size = sizeof(head->symbols),
				.sh_entsize = sizeof(Elf64_Sym), .sh_link = 2 },
			[2] = { .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct head, names), .sh_size = sizeof(names) },
		},
	};
	memcpy(head->names, names, sizeof(names));
}

static void points_check(int fd, const struct forms *forms)
{
	struct elf_functions found;
	struct reason why = { "" };
	size_t i;

	if (elffile_functions(fd, &found, &why))
		abort(); /* it is a proper file, whatever its code */
	points_choose(fd, &found, forms, false);
	for (i = 0; i < found.count; i++) {
		const struct elf_function *function = &found.list[i];

		if (function->point >= POINT_COUNT ||
		    (function->past != 0) != (function->point == POINT_PAST))
			abort();
		if (function->past && (function->past > 48 || function->past >= function->size))
			abort();
	}
	free(found.list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char zeros[CODE_AT - sizeof(struct head)];
	struct head head;
	struct forms forms;
	struct iovec parts[3];
	int fd;

	if (size < BEFORE || size > CODE_MAX)
		return 0;
	fd = memfd_create("code", MFD_CLOEXEC);
	if (fd < 0)
		return 0;
	head_make(&head, data, size - BEFORE);
	parts[0] = (struct iovec){ &head, sizeof(head) };
	parts[1] = (struct iovec){ zeros, sizeof(zeros) };
	parts[2] = (struct iovec){ (void *)(data + BEFORE), size - BEFORE };
	if (writev(fd, parts, 3) == (ssize_t)(CODE_AT + size - BEFORE)) {
		forms_default(&forms);
		points_check(fd, &forms);
		memset(&forms, 0, sizeof(forms));
		forms.verdicts[FORM_NOP] = FORM_EMULATED;
		points_check(fd, &forms);
	}
	close(fd);
	return 0;
}
