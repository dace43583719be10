/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hostile program in which the runtime is looked for: thousands of calls to a function that has
 * to be looked up in a thousand sections each time. Without bounds it takes minutes, which is
 * longer than a test may run.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cuda/runtime_mark.h"
#include "names/runtime_range.h"

#define SECTIONS  1000 /* of code, without any of it */
#define CALLS     180000
#define ADDRESS   0x1000 /* of the code, in memory and in the file */
#define TEXT      0x200000
#define FRAMES    0x201000
#define HEADERS   0x210000
#define CHAIN     60 /* functions */
#define CHAINED   16 /* bytes of each */
#define FORWARDER 48 /* bytes: the longest that is looked at */

enum { NOTHING, CODE, DATA, DYNAMIC, FIRST };

static void put32(unsigned char *at, int64_t value)
{
	int32_t word = (int32_t)value;

	memcpy(at, &word, sizeof(word));
}

/*
 * A function that may be a jump out of the file's code, one that calls it all the time, and some of
 * which each calls the next, so that the search has many rounds.
 */
static uint32_t code_make(unsigned char *code, uint64_t last_section)
{
	unsigned char *at = code + FORWARDER;
	size_t i;

	memset(code, 0xe9, FORWARDER);
	put32(code + FORWARDER - 4, (int64_t)last_section - (ADDRESS + FORWARDER));
	memcpy(at, "\x48\x8d\x05", 3);
	put32(at + 3, TEXT - (ADDRESS + FORWARDER + 7));
	at += 7;
	for (i = 0; i < CALLS; i++, at += 5) {
		at[0] = 0xe8;
		put32(at + 1, code - (at + 5));
	}
	for (i = 0; i < CHAIN; i++, at += CHAINED) {
		/* The function before calls this one. */
		unsigned char *call = i ? at - CHAINED : at - 5;

		call[0] = 0xe8;
		put32(call + 1, at - (call + 5));
	}
	return (uint32_t)(at - code);
}

static void frames_make(unsigned char *frames)
{
	memcpy(frames, (const unsigned char[]){ 1, 0x1b, 0x03, 0x3b }, 4);
	put32(frames + 8, 2 + CHAIN);
	put32(frames + 12, ADDRESS - FRAMES);
	put32(frames + 20, ADDRESS + FORWARDER - FRAMES);
	for (size_t i = 0; i < CHAIN; i++)
		put32(frames + 28 + i * 8,
		      (int64_t)(ADDRESS + FORWARDER + 7 + CALLS * 5 + i * CHAINED) - FRAMES);
}

/* Returns the descriptor of a file in memory. */
static int hostile_make(void)
{
	size_t i, count = FIRST + SECTIONS, size = HEADERS + count * sizeof(Elf64_Shdr);
	uint64_t far = 0x40000000;
	unsigned char *file = calloc(1, size);
	Elf64_Shdr *sections = (Elf64_Shdr *)(file + HEADERS);
	Elf64_Phdr frames = {
		.p_type = PT_GNU_EH_FRAME, .p_offset = FRAMES, .p_vaddr = FRAMES, .p_filesz = 28
	};
	Elf64_Dyn needed[2] = { { .d_tag = DT_NEEDED } };
	Elf64_Ehdr head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(head),
			    .e_phoff = sizeof(head),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1,
			    .e_shoff = HEADERS,
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = (Elf64_Half)count };
	int fd = memfd_create("hostile", MFD_CLOEXEC);

	ck_assert(file != NULL && fd >= 0);
	memcpy(file, &head, sizeof(head));
	memcpy(file + sizeof(head), &frames, sizeof(frames));
	memcpy(file + 0x200, needed, sizeof(needed));
	sections[CODE] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
				       .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				       .sh_addr = ADDRESS,
				       .sh_offset = ADDRESS };
	sections[CODE].sh_size = code_make(file + ADDRESS, far + SECTIONS * 32 - 16);
	sections[DATA] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
				       .sh_flags = SHF_ALLOC,
				       .sh_addr = TEXT,
				       .sh_offset = TEXT,
				       .sh_size = 64 };
	sections[DYNAMIC] = (Elf64_Shdr){ .sh_type = SHT_DYNAMIC,
					  .sh_offset = 0x200,
					  .sh_size = sizeof(needed) };
	for (i = FIRST; i < count; i++)
		sections[i] = (Elf64_Shdr){ .sh_type = SHT_PROGBITS,
					    .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
					    .sh_addr = far + (i - FIRST) * 32,
					    .sh_size = 16 };
	/* The last one holds what the last jump leads to. */
	sections[count - 1].sh_size = 32;
	strcpy((char *)file + TEXT, RUNTIME_MARK "1");
	frames_make(file + FRAMES);
	ck_assert_int_eq(write(fd, file, size), (ssize_t)size);
	free(file);
	return fd;
}

static void function_count(void *context, size_t function)
{
	(void)function;
	++*(size_t *)context;
}

/* It is as meant: what is looked up is found in the last section, and the text is used once. */
START_TEST(a_window_of_it)
{
	struct code_window window;
	struct sections file;
	size_t users = 0;
	int fd = hostile_make();

	ck_assert_int_eq(sections_open(&file, fd), 0);
	ck_assert_int_eq(code_window_read(&file, ADDRESS, 2 << 20, &window), 0);
	ck_assert_uint_eq(window.count, 2 + CHAIN);
	ck_assert_uint_eq(window.call_count, CALLS + CHAIN - 1);
	ck_assert(code_window_forwards(&window, 0));
	ck_assert(!code_window_forwards(&window, 1));
	code_window_users(&window, RUNTIME_MARK, function_count, &users);
	ck_assert_uint_eq(users, 1);
	code_window_free(&window);
	sections_close(&file);
	close(fd);
}
END_TEST

START_TEST(the_search_ends)
{
	struct runtime_range range = { .start = 0 };
	int fd = hostile_make();

	runtime_range_find(&range, fd, ADDRESS + 100);
	ck_assert(!runtime_range_has(&range, ADDRESS + 100));
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("code window");
	TCase *tests = tcase_create("code window");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, a_window_of_it);
	tcase_add_test(tests, the_search_ends);
	suite_add_tcase(suite, tests);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
