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
