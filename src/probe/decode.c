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

/* What is known of a forwarder on the way to its jump. */
struct forward {
	uint64_t slot;    /* address of the pointer that was tested or loaded; 0: none was yet */
	unsigned int reg; /* holds the pointer; 0: none does */
	uint64_t go_on;   /* where it goes on if the pointer is filled; 0: behind the instruction */
	bool is_end;      /* this is the jump through the pointer */
};

/* The address of a pointer that is named relative to the instruction; 0: none is. */
static uint64_t slot_of(const cs_insn *insn, const cs_x86_op *op)
{
	if (op->type != X86_OP_MEM || op->size != 8 || op->mem.base != X86_REG_RIP ||
	    op->mem.index != X86_REG_INVALID)
		return 0;
	return insn->address + insn->size + (uint64_t)op->mem.disp;
}

/* They carry no argument of a function with a fixed number of them. */
static bool is_free(const cs_x86_op *op)
{
	return op->type == X86_OP_REG &&
	       (op->reg == X86_REG_RAX || op->reg == X86_REG_R10 || op->reg == X86_REG_R11);
}

static bool is_reg(const cs_x86_op *op, unsigned int reg)
{
	return reg && op->type == X86_OP_REG && op->reg == reg;
}

/* False if no forwarder has this instruction here. */
static bool forward_step(struct forward *forward, const cs_insn *insn)
{
	const cs_x86_op *ops = insn->detail->x86.operands;
	uint64_t slot = slot_of(insn, &ops[insn->id == X86_INS_MOV]);
	bool is_same = slot && (!forward->slot || forward->slot == slot);

	switch (insn->id) {
	case X86_INS_ENDBR64:
	case X86_INS_NOP: return true;
	case X86_INS_CMP:
		forward->slot = slot;
		return is_same && ops[1].type == X86_OP_IMM && !ops[1].imm;
	case X86_INS_MOV:
		forward->slot = slot;
		forward->reg = ops[0].reg;
		return is_same && is_free(&ops[0]);
	case X86_INS_TEST: return is_reg(&ops[0], forward->reg) && is_reg(&ops[1], forward->reg);
	case X86_INS_JE: return forward->slot;
	case X86_INS_JNE: forward->go_on = (uint64_t)ops[0].imm; return forward->slot;
	case X86_INS_JMP:
		forward->is_end = is_same || is_reg(&ops[0], forward->reg);
		return forward->is_end;
	default: return false;
	}
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

/* What is known of a forwarder on the way to its jump. */
struct forward {
	unsigned int base, reg; /* hold a page's address, and the pointer; 0: no register does */
	uint64_t go_on; /* where it goes on if the pointer is filled; 0: behind the instruction */
	bool is_end;    /* this is the jump through the pointer */
};

/* False if no forwarder has this instruction here. */
static bool forward_step(struct forward *forward, const cs_insn *insn)
{
	const cs_arm64_op *ops = insn->detail->arm64.operands;

	if (is_marker(insn))
		return true;
	switch (insn->id) {
	case ARM64_INS_ADRP: forward->base = ops[0].reg; return is_scratch(&ops[0]);
	case ARM64_INS_ADD:
		return forward->base && ops[0].reg == forward->base &&
		       ops[1].type == ARM64_OP_REG && ops[1].reg == forward->base &&
		       ops[2].type == ARM64_OP_IMM;
	case ARM64_INS_LDR:
		forward->reg = ops[0].reg;
		return forward->base && is_scratch(&ops[0]) && ops[1].type == ARM64_OP_MEM &&
		       ops[1].mem.base == forward->base && ops[1].mem.index == ARM64_REG_INVALID &&
		       !insn->detail->arm64.writeback;
	case ARM64_INS_CBZ: return forward->reg && ops[0].reg == forward->reg;
	case ARM64_INS_CBNZ:
		forward->go_on = (uint64_t)ops[1].imm;
		return forward->reg && ops[0].reg == forward->reg;
	case ARM64_INS_BR:
		forward->is_end = forward->reg && ops[0].reg == forward->reg;
		return forward->is_end;
	default: return false;
	}
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

#define FORWARD_STEPS 8 /* instructions; the longest known form has five up to its jump */

size_t decoder_forwards(struct decoder *decoder, const unsigned char *code, size_t len,
			uint64_t address)
{
	struct forward forward = { 0 };
	size_t at = 0, next;
	unsigned int i;

	for (i = 0; i < FORWARD_STEPS && at < len; i++) {
		decoder_begin(decoder, code + at, len - at, address + at);
		if (!cs_disasm_iter(decoder->handle, &decoder->code, &decoder->len,
				    &decoder->address, decoder->insn) ||
		    !forward_step(&forward, decoder->insn))
			return 0;
		next = (size_t)(decoder->address - address);
		if (forward.is_end)
			return next;
		/* Forward only: it ends. */
		at = forward.go_on ? (size_t)(forward.go_on - address) : next;
		forward.go_on = 0;
		if (at < next)
			return 0;
	}
	return 0;
}
