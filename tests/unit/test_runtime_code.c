/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which piece of a file is the runtime's code: symbols of its own, symbols of others, and where
 * each lies.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "probe/elffile.h"
#include "probe_tests.h"

#define CODE  0x1000 /* where the code begins, in the file and in memory */
#define NAMES 1024

struct symbol {
	const char *name;
	unsigned int at, size; /* at: in the code */
};

struct coded_image {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Shdr sections[5];
	Elf64_Sym symbols[16];
	Elf64_Dyn dynamic[2];
	char names[NAMES];
	char code[0x2000];
};

static uint64_t name_add(struct coded_image *program, size_t *used, const char *name)
{
	size_t at = *used;

	*used += (size_t)snprintf(program->names + at, NAMES - at, "%s", name) + 1;
	return at;
}

static Elf64_Shdr section(uint32_t type, size_t offset, size_t size, size_t entry)
{
	return (Elf64_Shdr){ .sh_type = type,
			     .sh_offset = offset,
			     .sh_size = size,
			     .sh_entsize = entry,
			     .sh_link = 2 };
}

/*
 * A file with @symbols, the last of which has no name, that calls itself @soname (NULL: nothing).
 * Returns what is found there.
 */
static bool found_in(const struct symbol *symbols, const char *soname, struct code_span *span)
{
	struct coded_image *program = calloc(1, sizeof(*program));
	struct elf_functions found;
	size_t used = 1, i;
	bool result;
	int fd;

	ck_assert_ptr_nonnull(program);
	memcpy(program->ehdr.e_ident, ELFMAG "\2\1\1", 7);
	program->ehdr.e_type = ET_DYN;
#if defined(__x86_64__)
	program->ehdr.e_machine = EM_X86_64;
#else
	program->ehdr.e_machine = EM_AARCH64;
#endif
	program->ehdr.e_version = EV_CURRENT;
	program->ehdr.e_ehsize = sizeof(Elf64_Ehdr);
	program->ehdr.e_phoff = offsetof(struct coded_image, phdr);
	program->ehdr.e_phentsize = sizeof(Elf64_Phdr);
	program->ehdr.e_phnum = 1;
	program->ehdr.e_shoff = offsetof(struct coded_image, sections);
	program->ehdr.e_shentsize = sizeof(Elf64_Shdr);
	program->ehdr.e_shnum = 4;
	program->phdr = (Elf64_Phdr){ .p_type = PT_LOAD,
				      .p_flags = PF_R | PF_X,
				      .p_offset = CODE,
				      .p_vaddr = CODE,
				      .p_filesz = 0x2000,
				      .p_memsz = 0x2000 };
	for (i = 0; symbols[i].name; i++)
		program->symbols[i + 1] =
			(Elf64_Sym){ .st_name = (uint32_t)name_add(program, &used, symbols[i].name),
				     .st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
				     .st_shndx = 1,
				     .st_value = CODE + symbols[i].at,
				     .st_size = symbols[i].size };
	program->sections[1] = section(SHT_SYMTAB, offsetof(struct coded_image, symbols),
				       sizeof(program->symbols), sizeof(Elf64_Sym));
	program->sections[2] = section(SHT_STRTAB, offsetof(struct coded_image, names), NAMES, 0);
	program->sections[3] = section(SHT_DYNAMIC, offsetof(struct coded_image, dynamic),
				       sizeof(program->dynamic), sizeof(Elf64_Dyn));
	if (soname)
		program->dynamic[0] = (Elf64_Dyn){ .d_tag = DT_SONAME,
						   .d_un.d_val = name_add(program, &used, soname) };
	fd = file_of(program, sizeof(*program));
	ck_assert_int_eq(elffile_functions(fd, &found, NULL), 0);
	result = runtime_code_find(fd, &found, span);
	free(found.list);
	close(fd);
	free(program);
	return result;
}

TEST(test_piece)
{
	static const struct symbol program[] = {
		/* a piece of the runtime's that does not lie with the rest of it */
		{ "libcudart_static_start", 0x10, 0x10 },
		{ "main", 0x20, 0x40 },
		{ "libcudart_static_a", 0x100, 0x80 },
		{ "cudaMalloc", 0x200, 0x20 },
		{ "cudaSomethingNew", 0x220, 0x20 },
		{ "cudaFree", 0x240, 0x20 },
		{ "__cudaRegisterFunction", 0x260, 0x20 },
		{ "libcudart_static_b", 0x300, 0x80 },
		{ "atexit", 0x380, 0x10 },
		{ "libcudart_static_c", 0x400, 0x10 },
		{ NULL, 0, 0 },
	};
	struct code_span span;

	ck_assert(found_in(program, NULL, &span));
	ck_assert_uint_eq(span.start, CODE + 0x100);
	ck_assert_uint_eq(span.end, CODE + 0x380);
}

/* No function of another is ever in the piece, be it between the runtime's or around them. */
TEST(test_strangers)
{
	static const struct symbol between[] = {
		{ "cudaMalloc", 0x100, 0x20 },
		{ "work", 0x120, 0x20 },
		{ "cudaFree", 0x140, 0x20 },
		{ "cudaMemcpy", 0x160, 0x20 },
		{ "more", 0x180, 0x20 },
		{ "cudaMemset", 0x1a0, 0x20 },
		{ NULL, 0, 0 },
	};
	static const struct symbol long_ago[] = {
		{ "work", 0x100, 0x40 },
		{ "libcudart_static_a", 0x120, 0x10 },
		{ "cudaFree", 0x140, 0x200 },
		{ "end", 0x150, 0x10 },
		{ NULL, 0, 0 },
	};
	struct code_span span;

	ck_assert(found_in(between, NULL, &span));
	ck_assert_uint_eq(span.start, CODE + 0x140);
	ck_assert_uint_eq(span.end, CODE + 0x180);
	/* A size may say more than there is. */
	ck_assert(found_in(long_ago, NULL, &span));
	ck_assert_uint_eq(span.start, CODE + 0x140);
	ck_assert_uint_eq(span.end, CODE + 0x150);
}

TEST(test_library)
{
	static const struct symbol exported[] = { { "cudaMalloc", 0x100, 0x20 },
						  { "cudaFree", 0x800, 0x20 },
						  { NULL, 0, 0 } };
	static const struct symbol driver[] = { { "cuMemAlloc_v2", 0x100, 0x20 }, { NULL, 0, 0 } };
	struct code_span span;

	/* What lies between the exported functions has no symbols. */
	ck_assert(found_in(exported, "libcudart.so.13", &span));
	ck_assert_uint_eq(span.start, 0);
	ck_assert_uint_gt(span.end, 1ull << 40);
	/* PyTorch's own copy */
	ck_assert(found_in(exported, "libcudart-d0da41ae.so.11.0", &span));
	ck_assert_uint_eq(span.start, 0);
	ck_assert(found_in(exported, "libtorch_cuda.so", &span));
	ck_assert_uint_eq(span.start, CODE + 0x100);
	ck_assert(!found_in(driver, "libcudart.so.13", &span));
}
