/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who a library is, of which version, how its functions begin, and whether it carries a runtime
 * without symbols.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "probe/elffile.h"
#include "probe_tests.h"

TEST(test_names)
{
	bool major_only = false;

	ck_assert_uint_eq(version_of_name("/usr/lib/libcudart.so.12.4.127", &major_only), 12040);
	ck_assert(!major_only);
	/* the SONAME of all of 11, and a file of 11.0 */
	ck_assert_uint_eq(version_of_name("libcudart.so.11.0", &major_only), 11000);
	ck_assert(major_only);
	ck_assert_uint_eq(version_of_name("libcudart.so.11.0.194", &major_only), 11000);
	ck_assert(!major_only);
	ck_assert_uint_eq(version_of_name("libcudart.so.10.2", &major_only), 10020);
	ck_assert(!major_only);
	ck_assert_uint_eq(version_of_name("/libcudart.so.1/libcudart.so.13", &major_only), 13000);
	ck_assert(major_only);
	/* PyTorch's own copy */
	ck_assert_uint_eq(version_of_name("libcudart-d0da41ae.so.11.0", &major_only), 11000);
	ck_assert_uint_eq(version_of_name("libcudart.so", &major_only), 0);
	ck_assert_uint_eq(version_of_name("libcudart.so.99999999999999", &major_only), 0);
	ck_assert_uint_eq(version_of_name("libcudart.so.12.99", &major_only), 0);
	ck_assert_uint_eq(version_of_name("libcublas.so.13", &major_only), 0);
	ck_assert_uint_eq(version_of_name("", &major_only), 0);
}

#if defined(__x86_64__)
/* cudaRuntimeGetVersion stands at 0x40 of @code. */
static unsigned int version_in(const unsigned char *code, size_t size)
{
	struct elf_function function = { .offset = 0x40, .call = CALL_cudaRuntimeGetVersion };
	struct elf_functions functions = { .list = &function, .count = 1 };
	int fd = file_of(code, size);
	unsigned int version = elfinfo_runtime_version(fd, &functions);

	close(fd);
	return version;
}

TEST(test_version_in_code)
{
	unsigned char code[0x200] = { 0 };
	int32_t jump = 0x180 - 0x55;
	struct elf_function function = { .offset = UINT64_MAX - 3,
					 .call = CALL_cudaRuntimeGetVersion };
	struct elf_functions functions = { .list = &function, .count = 1 };
	int fd;

	ck_assert_uint_eq(version_in(code, sizeof(code)), 0);
	/* movl $12040,(%rbx) in the function itself */
	memcpy(code + 0x48, "\xc7\x03\x08\x2f\0\0", 6);
	ck_assert_uint_eq(version_in(code, sizeof(code)), 12040);
	ck_assert_uint_eq(version_in(code, 0x4d), 0);
	/* no version: movl $12041,(%rbx); movl $12040,0(%rip) */
	memcpy(code + 0x48, "\xc7\x03\x09\x2f\0\0", 6);
	ck_assert_uint_eq(version_in(code, sizeof(code)), 0);
	memcpy(code + 0x48, "\xc7\x05\x08\x2f\0\0", 6);
	ck_assert_uint_eq(version_in(code, sizeof(code)), 0);
	/* in what it calls */
	code[0x50] = 0xe8;
	memcpy(code + 0x51, &jump, sizeof(jump));
	memcpy(code + 0x180, "\x48\x85\xff\x74\x0b\xc7\x07\xc8\x32\0\0", 11);
	ck_assert_uint_eq(version_in(code, sizeof(code)), 13000);
	/* calls to nowhere */
	jump = INT32_MIN;
	memcpy(code + 0x51, &jump, sizeof(jump));
	ck_assert_uint_eq(version_in(code, sizeof(code)), 0);
	fd = file_of(code, sizeof(code));
	ck_assert_uint_eq(elfinfo_runtime_version(fd, &functions), 0);
	functions.count = 0;
	ck_assert_uint_eq(elfinfo_runtime_version(fd, &functions), 0);
	close(fd);
}
#endif

/* ---- a runtime without symbols ---- */

#define DATA (3u << 20)

struct data_image {
	Elf64_Ehdr ehdr;
	Elf64_Shdr sections[3];
	char names[32];
	char data[DATA];
};

static struct data_image *data_image_new(const char *section)
{
	struct data_image *program = calloc(1, sizeof(*program));

	ck_assert_ptr_nonnull(program);
	memcpy(program->ehdr.e_ident, ELFMAG "\2\1\1", 7);
	program->ehdr.e_type = ET_DYN;
#if defined(__x86_64__)
	program->ehdr.e_machine = EM_X86_64;
#else
	program->ehdr.e_machine = EM_AARCH64;
#endif
	program->ehdr.e_version = EV_CURRENT;
	program->ehdr.e_shoff = offsetof(struct data_image, sections);
	program->ehdr.e_ehsize = sizeof(Elf64_Ehdr);
	program->ehdr.e_shentsize = sizeof(Elf64_Shdr);
	program->ehdr.e_shnum = 3;
	program->ehdr.e_shstrndx = 2;
	snprintf(program->names + 1, sizeof(program->names) - 1, "%s", section);
	program->sections[1] = (Elf64_Shdr){ .sh_name = 1,
					     .sh_type = SHT_PROGBITS,
					     .sh_flags = SHF_ALLOC,
					     .sh_offset = offsetof(struct data_image, data),
					     .sh_size = DATA };
	program->sections[2] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
					     .sh_offset = offsetof(struct data_image, names),
					     .sh_size = sizeof(program->names) };
	return program;
}

static bool carries(const struct data_image *program)
{
	int fd = file_of(program, sizeof(*program));
	bool result = elfinfo_carries_runtime(fd);

	close(fd);
	return result;
}

TEST(test_carried)
{
	static const char text[] = "CUDA driver version is insufficient for CUDA runtime version";
	struct data_image *program = data_image_new(".rodata");
	size_t at;

	ck_assert(!carries(program));
	/* The name of the driver alone is in whatever loads the driver. */
	strcpy(program->data + DATA - 20, "libcuda.so.1");
	ck_assert(!carries(program));
	/* Wherever it lies: across the pieces in which the file is read, too. */
	for (at = (1u << 20) - sizeof(text) - 3; at <= (1u << 20) + 3; at += 7) {
		memcpy(program->data + at, text, sizeof(text));
		ck_assert_msg(carries(program), "at %zu", at);
		memset(program->data + at, 0, sizeof(text));
	}
	memcpy(program->data, text, sizeof(text));
	ck_assert(carries(program));
	/* another library's name */
	strcpy(program->data + DATA - 20, "libcuda.so.12");
	ck_assert(!carries(program));
	strcpy(program->data + DATA - 20, "libcuda.so.1");
	program->sections[1].sh_flags |= SHF_EXECINSTR;
	ck_assert(!carries(program));
	program->sections[1].sh_flags = SHF_ALLOC;
	program->sections[1].sh_size = UINT64_MAX - 64;
	carries(program);
	free(program);
	program = data_image_new(".data");
	memcpy(program->data, text, sizeof(text));
	strcpy(program->data + DATA - 20, "libcuda.so.1");
	ck_assert(!carries(program));
	free(program);
}

/* ---- files as compilers make them ---- */

TEST(test_own_program)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct elf_info info;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(elfinfo_read(fd, &info, NULL), 0);
	ck_assert(info.is_program);
	ck_assert(info.has_symtab);
	ck_assert_str_eq(info.soname, "");
	ck_assert_uint_eq(strlen(info.build_id) % 2, 0);
	ck_assert_uint_eq(strspn(info.build_id, "0123456789abcdef"), strlen(info.build_id));
	close(fd);
	fd = file_of("#!/bin/sh\n", 10);
	ck_assert_int_eq(elfinfo_read(fd, &info, NULL), -ENOEXEC);
	close(fd);
}
