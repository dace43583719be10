/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe may move past only a short list of instructions, each checked by its operands. Capstone
 * says for every instruction what it reads and writes, but makes mistakes; for the instructions in
 * this list it is right.
 */
#include "probe/decode.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

struct decoder {
	csh handle;
	cs_insn *insn;
	const uint8_t *code;
	size_t len;
	uint64_t address;
};

struct decoder *decoder_new(void)
{
	struct decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder)
		return NULL;
#if defined(__x86_64__)
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->handle) != CS_ERR_OK)
#else
	if (cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &decoder->handle) != CS_ERR_OK)
#endif
		goto fail;
	if (cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON) == CS_ERR_OK)
		decoder->insn = cs_malloc(decoder->handle);
	if (decoder->insn)
		return decoder;
	cs_close(&decoder->handle);
fail:
	free(decoder);
	return NULL;
}

void decoder_free(struct decoder *decoder)
{
	if (!decoder)
		return;
	cs_free(decoder->insn, 1);
	cs_close(&decoder->handle);
	free(decoder);
}

void decoder_begin(struct decoder *decoder, const unsigned char *code, size_t len, uint64_t address)
{
	decoder->code = code;
	decoder->len = len;
	decoder->address = address;
}

#if defined(__x86_64__)

/*
 * %r11 carries no argument and no result, and no caller relies on it (System V ABI for x86-64,
 * 3.2.1).
 */
static bool is_scratch(const cs_x86_op *op)
{
	return op->type == X86_OP_REG && (op->reg == X86_REG_R11 || op->reg == X86_REG_R11D ||
					  op->reg == X86_REG_R11W || op->reg == X86_REG_R11B);
}

static bool may_pass(const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;

	switch (insn->id) {
	case X86_INS_ENDBR64:
	case X86_INS_NOP: return true;
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_BT: return !x86->prefix[0]; /* lock, rep */
	case X86_INS_MOV:
	case X86_INS_MOVABS:
	case X86_INS_MOVZX:
	case X86_INS_MOVSX:
	case X86_INS_MOVSXD:
	case X86_INS_LEA:
	case X86_INS_ADD:
	case X86_INS_SUB:
	case X86_INS_AND:
	case X86_INS_OR:
	case X86_INS_XOR: return !x86->prefix[0] && x86->op_count && is_scratch(&x86->operands[0]);
	default: return false;
	}
}

static void targets_read(const cs_insn *insn, struct instruction *instruction)
{
	const cs_x86 *x86 = &insn->detail->x86;

	for (size_t i = 0; i < x86->op_count && instruction->target_count < TARGETS_MAX; i++)
		if (x86->operands[i].type == X86_OP_IMM)
			instruction->targets[instruction->target_count++] =
				(uint64_t)x86->operands[i].imm;
}

static bool is_jump(csh handle, const cs_insn *insn)
{
	return insn->id == X86_INS_XBEGIN || cs_insn_group(handle, insn, CS_GRP_JUMP) ||
	       cs_insn_group(handle, insn, CS_GRP_CALL) ||
	       cs_insn_group(handle, insn, CS_GRP_BRANCH_RELATIVE);
}

#else

/*
 * x9 to x17 are the caller's to save and carry nothing (AAPCS64, 6.1.1); w9 to w17 are their lower
 * halves.
 */
static bool is_scratch(const cs_arm64_op *op)
{
	return op->type == ARM64_OP_REG && ((op->reg >= ARM64_REG_X9 && op->reg <= ARM64_REG_X17) ||
					    (op->reg >= ARM64_REG_W9 && op->reg <= ARM64_REG_W17));
}

static bool is_marker(const cs_insn *insn)
{
	uint32_t word;

	memcpy(&word, insn->bytes, sizeof(word));
	return word == 0xd503201f || (word & 0xffffff3f) == 0xd503241f; /* nop, bti */
}

static bool may_pass(const cs_insn *insn)
{
	const cs_arm64 *arm64 = &insn->detail->arm64;

	if (is_marker(insn))
		return true;
	switch (insn->id) {
	case ARM64_INS_CMP:
	case ARM64_INS_CMN:
	case ARM64_INS_TST:
	case ARM64_INS_CCMP:
	case ARM64_INS_CCMN: return true;
	case ARM64_INS_ADR:
	case ARM64_INS_ADRP:
	case ARM64_INS_MOV:
	case ARM64_INS_MOVZ:
	case ARM64_INS_MOVN:
	case ARM64_INS_MOVK:
	case ARM64_INS_ADD:
	case ARM64_INS_SUB:
	case ARM64_INS_LDR:
		return !arm64->writeback && arm64->op_count && is_scratch(&arm64->operands[0]);
	default: return false;
	}
}

static void targets_read(const cs_insn *insn, struct instruction *instruction)
{
	const cs_arm64 *arm64 = &insn->detail->arm64;

	for (size_t i = 0; i < arm64->op_count && instruction->target_count < TARGETS_MAX; i++)
		if (arm64->operands[i].type == ARM64_OP_IMM)
			instruction->targets[instruction->target_count++] =
				(uint64_t)arm64->operands[i].imm;
}

/* Jumps and calls through a register have no such operand. */
static bool is_jump(csh handle, const cs_insn *insn)
{
	return insn->id == ARM64_INS_BL || cs_insn_group(handle, insn, CS_GRP_JUMP) ||
	       cs_insn_group(handle, insn, CS_GRP_CALL) ||
	       cs_insn_group(handle, insn, CS_GRP_BRANCH_RELATIVE);
}

#endif

bool decoder_next(struct decoder *decoder, struct instruction *instruction)
{
	const cs_insn *insn = decoder->insn;

	memset(instruction, 0, sizeof(*instruction));
	if (!cs_disasm_iter(decoder->handle, &decoder->code, &decoder->len, &decoder->address,
			    decoder->insn))
		return false;
	instruction->at = insn->address;
	instruction->size = insn->size;
	instruction->may_pass = may_pass(insn);
	if (is_jump(decoder->handle, insn))
		targets_read(insn, instruction);
	return true;
}
