/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the BPF programs read a call's arguments, for both machines that cutop
 * knows, on whichever this runs. What is expected is written down from the ABIs:
 * System V ABI, AMD64 supplement, 3.2.3; Procedure Call Standard for the Arm 64-bit
 * Architecture (AAPCS64), 6.8.2.
 */
#include <stdlib.h>
#include <string.h>

#include "abi.h"
#include "run_tests.h"

#define REGISTER(n) (0x1111000000000000ull + (n))
#define WORD(n)     (0x2222000000000000ull + (n))

/* The program's stack: a return address, where the machine has one there, and arguments. */
static unsigned long long stack[ABI_ARGUMENTS + 1];

static struct abi_registers registers_make(void)
{
	struct abi_registers registers = { .stack = (unsigned long)stack,
					   .instruction = 0x400123,
					   .link = 0x400456,
					   .result = 77 };
	int i;

	for (i = 0; i < 8; i++)
		registers.integer[i] = REGISTER(i);
	for (i = 0; i <= ABI_ARGUMENTS; i++)
		stack[i] = WORD(i);
	return registers;
}

/*
 * The first @in_registers arguments are in registers, the others on the stack from its word
 * @first_word on.
 */
static void check_arguments(const struct abi_call *call, int in_registers, int first_word)
{
	int i;

	for (i = 0; i < in_registers; i++)
		ck_assert_uint_eq(call->arguments[i], REGISTER(i));
	for (; i < ABI_ARGUMENTS; i++)
		ck_assert_uint_eq(call->arguments[i], WORD(i - in_registers + first_word));
	for (i = 0; i < ABI_ARGUMENTS; i++)
		ck_assert_uint_eq(call->narrow[i], (unsigned int)call->arguments[i]);
}

TEST(test_x86_arguments)
{
	struct abi_registers registers = registers_make();
	struct abi_call call;

	abi_x86_read(&registers, &call);
	check_arguments(&call, 6, 1); /* the first word is the return address */
}

TEST(test_arm64_arguments)
{
	struct abi_registers registers = registers_make();
	struct abi_call call;

	abi_arm64_read(&registers, &call);
	check_arguments(&call, 8, 0);
}

/*
 * cudaLaunchKernel(func, dim3 grid, dim3 block, args, sharedMem, stream): a dim3
 * takes two registers on both, so that places 0 to 5 are the same registers; on
 * x86-64 that are all there are.
 */
TEST(test_launch)
{
	struct abi_registers registers = registers_make();
	struct abi_call call;

	abi_x86_read(&registers, &call);
	ck_assert_uint_eq(call.arguments[5], REGISTER(5)); /* args */
	ck_assert_uint_eq(call.arguments[6], WORD(1));     /* sharedMem */
	ck_assert_uint_eq(call.arguments[7], WORD(2));     /* stream */
	ck_assert_uint_eq(call.stack_entry, (unsigned long)&stack[1]);
	abi_arm64_read(&registers, &call);
	ck_assert_uint_eq(call.arguments[5], REGISTER(5));
	ck_assert_uint_eq(call.arguments[6], REGISTER(6));
	ck_assert_uint_eq(call.arguments[7], REGISTER(7));
	ck_assert_uint_eq(call.stack_entry, (unsigned long)&stack[0]);
}

/*
 * cudaMallocMipmappedArray(array, desc, struct cudaExtent, levels, flags): the extent is on the
 * stack, or pointed at.
 */
TEST(test_struct_by_value)
{
	struct abi_registers registers = registers_make();
	struct abi_call call;

	abi_x86_read(&registers, &call);
	ck_assert_uint_eq(call.structure, (unsigned long)&stack[1]);
	ck_assert_uint_eq(call.past_structure, REGISTER(2));
	abi_arm64_read(&registers, &call);
	ck_assert_uint_eq(call.structure, REGISTER(2));
	ck_assert_uint_eq(call.past_structure, REGISTER(3));
}

/* A frame is known again at the return, where x86-64 has taken the return address off the stack. */
TEST(test_return)
{
	struct abi_registers registers = registers_make();
	struct abi_call entry, back;

	abi_x86_read(&registers, &entry);
	ck_assert_uint_eq(entry.caller, WORD(0));
	registers.stack += 8;
	registers.returning = 1;
	abi_x86_read(&registers, &back);
	ck_assert_uint_eq(back.frame_return, entry.frame_entry);
	ck_assert_uint_eq(back.stack_return, entry.stack_entry);
	ck_assert_uint_eq(back.result, 77);
	ck_assert_uint_eq(back.site, 0x400123);

	registers = registers_make();
	abi_arm64_read(&registers, &entry);
	ck_assert_uint_eq(entry.caller, 0x400456);
	registers.returning = 1;
	abi_arm64_read(&registers, &back);
	ck_assert_uint_eq(back.frame_return, entry.frame_entry);
	ck_assert_uint_eq(back.stack_return, entry.stack_entry);
	ck_assert_uint_eq(back.result, 77);
	ck_assert_uint_eq(back.site, 0x400123);
}
