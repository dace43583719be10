/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which code is a forwarder's. */
#include <string.h>

#include "probe/points.h"
#include "probe_tests.h"

/* Whether a function of this code is taken for a forwarder, and its size up to its jump. */
static void expect_forwards_of(const char *code, size_t len, size_t size)
{
	struct decoder *decoder = decoder_new();

	ck_assert_ptr_nonnull(decoder);
	ck_assert_uint_eq(decoder_forwards(decoder, (const unsigned char *)code, len, 0x1000),
			  size);
	/* Cut off before the end of its jump it is none. */
	if (size)
		ck_assert_uint_eq(decoder_forwards(decoder, (const unsigned char *)code, size - 1,
						   0x1000),
				  0);
	decoder_free(decoder);
}

#define expect_forwards(code, size) expect_forwards_of(code, sizeof(code) - 1, size)

#if defined(__x86_64__)

#define ENDBR "\xf3\x0f\x1e\xfa"
/* cmpl $imm32,flag(%rip); je 1f; jmp *pointer(%rip), as drivers 470 and 535 begin their functions */
#define DRIVER_FORM \
	"\x81\x3d\x7e\x34\x93\x01\x00\xba\x1c\x32\x74\x0c\xff\x25\x06\xb8\x83\x01\x66\x0f\x1f\x44\x00\x00"
/* cmpq $0,slot(%rip); je 1f; jmp *slot(%rip); 1: push $7; call fill; add $8,%rsp; jmp *slot(%rip) */
#define TEST_SLOT "\x48\x83\x3d\x38\x10\x00\x00\x00"
#define JUMP_SLOT "\xff\x25\x30\x10\x00\x00" /* right behind TEST_SLOT and a short branch */
#define FILL_SLOT "\x6a\x07\xe8\x00\x20\x00\x00\x48\x83\xc4\x08"
#define FORWARDER TEST_SLOT "\x74\x06" JUMP_SLOT FILL_SLOT "\xff\x25\x1f\x10\x00\x00"

TEST(test_forwarders)
{
	expect_forwards(FORWARDER, 16);
	expect_forwards(ENDBR FORWARDER, 20);
	/* jmp *slot(%rip), with nothing before it, and with bnd */
	expect_forwards("\xff\x25\x00\x10\x00\x00", 6);
	expect_forwards(ENDBR "\xf2\xff\x25\x00\x10\x00\x00", 11);
	/* cmpq $0,slot; jne 1f; push, call, add; 1: jmp *slot */
	expect_forwards("\x48\x83\x3d\x38\x10\x00\x00\x00\x75\x0b" FILL_SLOT
			"\xff\x25\x25\x10\x00\x00",
			27);
	/* mov slot,%rax; test %rax,%rax; je 1f; jmp *%rax; the same with %r11 */
	expect_forwards("\x48\x8b\x05\x00\x10\x00\x00\x48\x85\xc0\x74\x02\xff\xe0" FILL_SLOT, 14);
	expect_forwards("\x4c\x8b\x1d\x00\x10\x00\x00\x4d\x85\xdb\x74\x03\x41\xff\xe3" FILL_SLOT,
			15);
	/* through another pointer than the one that was tested; a flag of four bytes was tested */
	expect_forwards(TEST_SLOT "\x74\x06\xff\x25\x31\x10\x00\x00", 0);
	expect_forwards(DRIVER_FORM, 0);
	expect_forwards("\x83\x3d\x38\x10\x00\x00\x00\x74\x06\xff\x25\x32\x10\x00\x00", 0);
	/* it compares with 1; it loads an argument's register; it calls before it jumps */
	expect_forwards("\x48\x83\x3d\x38\x10\x00\x00\x01\x74\x06" JUMP_SLOT, 0);
	expect_forwards("\x48\x8b\x3d\x00\x10\x00\x00\xff\xe7", 0);
	expect_forwards("\xe8\x00\x20\x00\x00" JUMP_SLOT, 0);
	/* jmp elsewhere, through a register that was not loaded, backward to itself, a whole function */
	expect_forwards("\xe9\x00\x10\x00\x00", 0);
	expect_forwards("\xff\xe0", 0);
	expect_forwards(TEST_SLOT "\x75\xf6" JUMP_SLOT, 0);
	expect_forwards("\x55\x5d\xc3", 0);
	expect_forwards("", 0);
}

#else

#define STP "\xfd\x7b\xbf\xa9" /* stp x29, x30, [sp, #-16]! */
#define RET "\xc0\x03\x5f\xd6"

TEST(test_forwarders)
{
	/* adrp x16, 1f; ldr x16, [x16, #8]; cbz x16, 2f; br x16 */
	expect_forwards("\x10\x00\x00\xb0\x10\x06\x40\xf9\x50\x00\x00\xb4\x00\x02\x1f\xd6" RET, 16);
	/* the same with bti c, without the test */
	expect_forwards("\x5f\x24\x03\xd5\x10\x00\x00\xb0\x11\x06\x40\xf9\x20\x02\x1f\xd6", 16);
	/* through another register; into an argument's register */
	expect_forwards("\x10\x00\x00\xb0\x11\x06\x40\xf9\x00\x02\x1f\xd6", 0);
	expect_forwards("\x00\x00\x00\xb0\x00\x04\x40\xf9\x00\x00\x1f\xd6", 0);
	expect_forwards(STP RET, 0);
}

#endif
