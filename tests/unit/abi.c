/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bpf/arguments.bpf.h as user space: built once for each machine (ABI names it),
 * whatever machine the tests run on. Memory of the watched program is our own.
 */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#ifdef __clang__ /* BPF's attributes are none of this machine's */
#pragma GCC diagnostic ignored "-Wunknown-attributes"
#endif
#include "vmlinux_min.h"

#define __always_inline inline __attribute__((always_inline))
#include <bpf/bpf_tracing.h>

#include "cutop_calls.h"
#include "cutop_event.h"
#include "abi.h"

#define bpf_probe_read_user own_memory_read
static long bpf_probe_read_user(void *to, __u32 size, const void *from)
{
	__builtin_memcpy(to, from, size);
	return 0;
}

#include "arguments.bpf.h"

#define NAME_(abi, what) abi_##abi##_##what
#define NAME(abi, what)  NAME_(abi, what)

/* The file gives its own numbers to the registers: */
static struct pt_regs registers_of(const struct abi_registers *from)
{
	struct pt_regs regs;

	__builtin_memset(&regs, 0xee, sizeof(regs));
#if defined(__TARGET_ARCH_x86)
	regs.di = from->integer[0];
	regs.si = from->integer[1];
	regs.dx = from->integer[2];
	regs.cx = from->integer[3];
	regs.r8 = from->integer[4];
	regs.r9 = from->integer[5];
	regs.ax = from->result;
	regs.sp = from->stack;
	regs.ip = from->instruction;
#else
	__builtin_memcpy(regs.user_regs.regs, from->integer, sizeof(from->integer));
	regs.user_regs.regs[30] = from->link;
	regs.user_regs.sp = from->stack;
	regs.user_regs.pc = from->instruction;
	if (from->returning)
		regs.user_regs.regs[0] = from->result;
#endif
	return regs;
}

void NAME(ABI, read)(const struct abi_registers *from, struct abi_call *call)
{
	struct call_desc narrow = { .flags = CALL_NARROW };
	struct pt_regs regs = registers_of(from);
	unsigned int i;

	for (i = 0; i < ABI_ARGUMENTS; i++) {
		call->arguments[i] = call_arg(&regs, i);
		call->narrow[i] = call_arg_of(&regs, &narrow, i);
	}
	call->structure = (unsigned long)call_struct(&regs, 2);
	call->past_structure = call_arg_past_struct(&regs, 2);
	call->stack_entry = (unsigned long)call_stack(&regs);
	call->stack_return = (unsigned long)return_stack(&regs);
	call->frame_entry = call_sp(&regs);
	call->frame_return = return_sp(&regs);
	call->caller = call_caller(&regs);
	call->site = call_site(&regs);
	call->result = PT_REGS_RC(&regs);
}
