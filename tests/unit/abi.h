/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A call as the registers have it, and as bpf/arguments.bpf.h reads them (abi.c). */
#ifndef ABI_H
#define ABI_H

#define ABI_ARGUMENTS 12

struct abi_registers {
	unsigned long long integer[8]; /* in the order of arguments */
	unsigned long long stack, instruction, link, result;
	int returning; /* at the return: the result stands where the ABI says */
};

struct abi_call {
	unsigned long long arguments[ABI_ARGUMENTS], narrow[ABI_ARGUMENTS];
	/* A struct over 16 bytes as argument 2, and what follows it */
	unsigned long long structure, past_structure;
	/* Where arguments lie that found no register */
	unsigned long long stack_entry, stack_return;
	unsigned long long frame_entry, frame_return;
	unsigned long long caller, site, result;
};

void abi_x86_read(const struct abi_registers *from, struct abi_call *call);
void abi_arm64_read(const struct abi_registers *from, struct abi_call *call);

#endif
