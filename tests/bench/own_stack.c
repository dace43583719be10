/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel does not say which stack a program uses, but the length of its machine code does: of
 * two programs that differ only in how far down their stack they write, one is longer if only it
 * has to be given a separate stack.
 */
#include "own_stack.h"

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <unistd.h>

/*
 * From 64 bytes on, rounded up, a program may have a stack of its processor
 * (BPF_PRIV_STACK_MIN_SIZE, kernel/bpf/verifier.c).
 */
#define STACK_SMALL 32
#define STACK_LARGE 256

/*
 * A program that writes @depth bytes down its stack; with @tail_call it contains a tail call that
 * is never reached.
 */
static int program_load(int depth, bool tail_call)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = -depth },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_2 },
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 1 },
		tail_call ?
			(struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_tail_call } :
			(struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K,
					   .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_KPROBE, "cutop_stack", "GPL", code,
			     sizeof(code) / sizeof(code[0]), NULL);
}

/* The size of its machine code in bytes; 0: unknown. */
static uint32_t code_bytes(int depth, bool tail_call)
{
	int program = program_load(depth, tail_call);
	struct bpf_prog_info info = { 0 };
	uint32_t size = sizeof(info);

	if (program < 0)
		return 0;
	if (bpf_obj_get_info_by_fd(program, &info, &size))
		info.jited_prog_len = 0;
	close(program);
	return info.jited_prog_len;
}

bool own_stack_is_kept(bool *differs)
{
	uint32_t small = code_bytes(STACK_SMALL, true), large = code_bytes(STACK_LARGE, true);

	*differs = code_bytes(STACK_SMALL, false) != code_bytes(STACK_LARGE, false);
	return small && small == large;
}
