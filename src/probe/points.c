/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe behind the entry must see the same registers and stack as one on the entry, so it may
 * only move past instructions that change neither (probe/points.h). It must be hit once per call:
 * the whole function is decoded, and its .cold part if it has one, and nothing there may jump to
 * between the entry and the probe. And the place must belong to the function alone: no other symbol
 * may lie there.
 * The code belongs to others and may be broken or hostile. Each function is decoded up to BODY_MAX
 * bytes, a file up to BUDGET in all; beyond that, probes stay at the entry. A symbol that lies
 * inside an instruction of the function around it gets no probe at all: a probe there would change
 * that instruction.
 */
#include "probe/points.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/calls.h"
#include "probe/elffile.h"

/* ---- decode ---- */

/*
 * Decodes machine code of other programs, instruction by instruction, with Capstone. The code may
 * be anything: nothing beyond the given bytes is read.
 * A probe may move past only a short list of instructions, each checked by its operands. Capstone
 * says for every instruction what it reads and writes, but makes mistakes; for the instructions in
 * this list it is right.
 */

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

/*
 * Continues with the @len bytes at @code, whose address is @address. They are borrowed until the
 * next begin.
 */
static void decoder_begin(struct decoder *decoder, const unsigned char *code, size_t len,
			  uint64_t address)
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

/* Decodes the next instruction. False at the end, or where the bytes are no instruction. */
static bool decoder_next(struct decoder *decoder, struct instruction *instruction)
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

/* ---- points ---- */

#define PAST_MAX 48 /* bytes from the entry to a probe */
/* Bytes searched for a place: PAST_MAX and an instruction of 15 */
#define WINDOW   64
#define BODY_MAX 65536 /* bytes of one function that are decoded */
/* Bytes of one file that are decoded: a quarter of a second */
#define BUDGET (2u << 20)
/* limit of pairs (a symbol and an entry that it covers or is a part of) that are looked at */
#define LOOKS_MAX       (1u << 20)
#define INSTRUCTION_MAX 15 /* bytes, on x86-64 */
#define NOWHERE         UINT64_MAX

const char *const point_names[POINT_COUNT] = {
	[POINT_ENTRY] = "entry",
	[POINT_PAST] = "past_entry",
	[POINT_STEPPED] = "single_stepped",
	[POINT_NONE] = "left_out",
};

/* What else the file's symbols say about the place of an entry. */
struct around {
	uint64_t entry;
	uint64_t next;  /* the nearest symbol after it */
	uint64_t outer; /* where the innermost function begins that contains it */
	/* The part of the function that the compiler has put elsewhere */
	uint64_t cold, cold_size;
	uint32_t name_hash;
};

struct points {
	int fd;
	const struct forms *forms;
	struct decoder *decoder;
	struct around *around;         /* by entry */
	const struct around **by_name; /* by name_hash */
	size_t count;
	size_t looks;        /* such pairs so far */
	size_t budget;       /* bytes that may still be decoded */
	unsigned char *body; /* BODY_MAX bytes */
};

/* ---- what lies around the entries ---- */

static int around_compare(const void *a, const void *b)
{
	const struct around *x = a, *y = b;

	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static int name_compare(const void *a, const void *b)
{
	const struct around *const *x = a, *const *y = b;

	return (*x)->name_hash < (*y)->name_hash ? -1 : (*x)->name_hash > (*y)->name_hash;
}

/* How many entries lie at or before @offset. */
static size_t entries_up_to(const struct points *points, uint64_t offset)
{
	size_t low = 0, high = points->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (points->around[middle].entry <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct around *around_find(const struct points *points, uint64_t entry)
{
	size_t upto = entries_up_to(points, entry);

	return upto && points->around[upto - 1].entry == entry ? &points->around[upto - 1] : NULL;
}

static void cold_note(struct points *points, const struct elf_symbol *symbol, size_t len)
{
	uint32_t hash = elf_name_hash(symbol->name, len);
	size_t low = 0, high = points->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (points->by_name[middle]->name_hash < hash)
			low = middle + 1;
		else
			high = middle;
	}
	/* If several functions have this name, the part may belong to any of them. */
	for (; low < points->count && points->by_name[low]->name_hash == hash; low++) {
		struct around *around = around_find(points, points->by_name[low]->entry);

		if (++points->looks > LOOKS_MAX)
			break;
		around->cold = symbol->offset;
		/*
		 * If there is a second part, or its size is unknown, make it too large to decode.
		 */
		around->cold_size = around->cold_size ? BODY_MAX + 1 :
				    symbol->size      ? symbol->size :
							BODY_MAX + 1;
	}
}

/* Compilers export no such part. */
static bool may_be_cold(void *context, const struct elf_symbol *symbol)
{
	(void)context;
	return symbol->is_function && symbol->is_local;
}

static int label_visit(void *context, const struct elf_symbol *symbol)
{
	struct points *points = context;
	size_t upto = entries_up_to(points, symbol->offset), before = upto;
	const char *cold;

	/* This symbol is the next one after the last entry before it. */
	if (before && points->around[before - 1].entry == symbol->offset)
		before--;
	if (before && points->around[before - 1].next > symbol->offset)
		points->around[before - 1].next = symbol->offset;
	if (!symbol->is_function)
		return 0;
	for (; upto < points->count && points->around[upto].entry - symbol->offset < symbol->size;
	     upto++) {
		struct around *inner = &points->around[upto];

		if (++points->looks > LOOKS_MAX)
			break;
		if (inner->outer == NOWHERE || inner->outer < symbol->offset)
			inner->outer = symbol->offset;
	}
	cold = symbol->name ? strstr(symbol->name, ".cold") : NULL;
	if (cold)
		cold_note(points, symbol, (size_t)(cold - symbol->name));
	return 0;
}

/* Returns false if there is no memory, or the file's symbols cannot be read. */
static bool around_read(struct points *points, const struct elf_functions *functions)
{
	size_t i;

	points->around = calloc(functions->count, sizeof(*points->around));
	points->by_name = calloc(functions->count, sizeof(*points->by_name));
	if (!points->around || !points->by_name)
		return false;
	for (i = 0; i < functions->count; i++)
		points->around[i] = (struct around){
			.entry = functions->list[i].offset,
			.next = NOWHERE,
			.outer = NOWHERE,
			.cold = NOWHERE,
			.name_hash = functions->list[i].name_hash,
		};
	qsort(points->around, functions->count, sizeof(*points->around), around_compare);
	/* A function of the table may be one that the user named as well. */
	for (i = 0; i < functions->count; i++)
		if (!points->count ||
		    points->around[points->count - 1].entry != points->around[i].entry)
			points->around[points->count++] = points->around[i];
	for (i = 0; i < points->count; i++)
		points->by_name[i] = &points->around[i];
	qsort(points->by_name, points->count, sizeof(*points->by_name), name_compare);
	/* Beyond the limit some neighbours are unknown: then all probes stay at the entries. */
	return !elffile_labels(points->fd, may_be_cold, label_visit, points, NULL) &&
	       points->looks <= LOOKS_MAX;
}

/* ---- code ---- */

/*
 * Reads @size bytes at @offset for decoding. False if that exceeds the budget, or they cannot be
 * read.
 */
static bool body_begin(struct points *points, uint64_t offset, uint64_t size)
{
	if (!size || size > BODY_MAX || size > points->budget)
		return false;
	if (pread(points->fd, points->body, (size_t)size, (off_t)offset) != (ssize_t)size)
		return false;
	points->budget -= (size_t)size;
	decoder_begin(points->decoder, points->body, (size_t)size, offset);
	return true;
}

/*
 * True if all of the code decodes and nothing in it jumps to a place behind @entry, up to @probe.
 */
static bool body_keeps_off(struct points *points, uint64_t offset, uint64_t size, uint64_t entry,
			   uint64_t probe)
{
	struct instruction instruction;
	uint64_t decoded = 0;
	size_t i;

	if (!body_begin(points, offset, size))
		return false;
	while (decoder_next(points->decoder, &instruction)) {
		for (i = 0; i < instruction.target_count; i++)
			if (instruction.targets[i] > entry && instruction.targets[i] <= probe)
				return false;
		decoded += instruction.size;
	}
	return decoded == size;
}

/*
 * True if the entry lies inside an instruction of the function around it. False if the code up to
 * there cannot be decoded.
 */
static bool is_inside_instruction(struct points *points, const struct around *around)
{
	struct instruction instruction;
	uint64_t size;
	ssize_t n;

	if (around->outer == NOWHERE)
		return false;
	/* An instruction that begins before the entry may extend beyond it. */
	size = around->entry - around->outer + INSTRUCTION_MAX;
	if (size > BODY_MAX || size > points->budget)
		return false;
	n = pread(points->fd, points->body, (size_t)size, (off_t)around->outer);
	if (n <= 0)
		return false;
	points->budget -= (size_t)n;
	decoder_begin(points->decoder, points->body, (size_t)n, around->outer);
	while (decoder_next(points->decoder, &instruction) && instruction.at < around->entry)
		if (instruction.at + instruction.size > around->entry)
			return true;
	return false;
}

/*
 * Bytes from the entry to the first emulated instruction that a probe may move to; 0: there is
 * none.
 */
static size_t past_find(struct points *points, const unsigned char *code, size_t len,
			uint64_t entry)
{
	struct instruction instruction;
	size_t past;

	decoder_begin(points->decoder, code, len, entry);
	while (decoder_next(points->decoder, &instruction)) {
		past = (size_t)(instruction.at - entry);
		if (past > PAST_MAX)
			break;
		if (past &&
		    points->forms->verdicts[form_of(code + past, len - past)] == FORM_EMULATED)
			return past;
		if (!instruction.may_pass)
			break;
	}
	return 0;
}

static size_t past_choose(struct points *points, const struct around *around,
			  const struct elf_function *function, const unsigned char *code,
			  size_t len)
{
	uint64_t entry = function->offset, probe;
	size_t past;

	if (!function->size)
		return 0;
	past = past_find(points, code, len < function->size ? len : function->size, entry);
	probe = entry + past;
	if (!past || around->next <= probe)
		return 0;
	if (!body_keeps_off(points, entry, function->size, entry, probe))
		return 0;
	if (around->cold != NOWHERE &&
	    !body_keeps_off(points, around->cold, around->cold_size, entry, probe))
		return 0;
	return past;
}

static void point_choose(struct points *points, struct elf_function *function, bool able)
{
	const struct around *around = able ? around_find(points, function->offset) : NULL;
	unsigned char code[WINDOW];
	ssize_t n = pread(points->fd, code, sizeof(code), (off_t)function->offset);
	size_t len = n > 0 ? (size_t)n : 0, past = 0;
	enum form_verdict verdict = points->forms->verdicts[form_of(code, len)];

	if (around && is_inside_instruction(points, around)) {
		function->point = POINT_NONE;
		return;
	}
	if (verdict == FORM_EMULATED) {
		function->point = POINT_ENTRY;
		return;
	}
	if (around)
		past = past_choose(points, around, function, code, len);
	function->past = (uint8_t)past;
	function->point = past ? POINT_PAST : verdict == FORM_HARMS ? POINT_NONE : POINT_STEPPED;
}

void points_choose(int fd, struct elf_functions *functions, const struct forms *forms,
		   bool leave_stepped)
{
	struct points points = { .fd = fd, .forms = forms, .budget = BUDGET };
	bool able;
	size_t i;

	if (!functions->count)
		return;
	points.decoder = decoder_new();
	points.body = malloc(BODY_MAX);
	able = points.decoder && points.body && around_read(&points, functions);
	for (i = 0; i < functions->count; i++) {
		struct elf_function *function = &functions->list[i];

		point_choose(&points, function, able);
		if (leave_stepped && function->point == POINT_STEPPED)
			function->point = POINT_NONE;
	}
	free(points.around);
	free(points.by_name);
	free(points.body);
	decoder_free(points.decoder);
}

/* ---- names ---- */

/* Programs call functions of these groups by the thousand. */
static const enum call_group hot_first[] = { GROUP_LAUNCH, GROUP_COPY, GROUP_MEMORY, GROUP_SYNC };

/* Smaller is hotter. */
static size_t hotness(const struct elf_function *function)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(hot_first); i++)
		if (call_descs[function->call].group == hot_first[i])
			return i;
	return i;
}

static bool is_listed(const struct elf_function *function, const struct attach_choice *choice,
		      enum point point)
{
	return function->point == point && function->call < CALL_COUNT &&
	       choice_wants(choice, &call_descs[function->call]);
}

void points_visit(const struct elf_functions *functions, const struct attach_choice *choice,
		  enum point point, void (*visit)(void *context, const char *name), void *context)
{
	size_t i, heat;

	for (heat = 0; heat <= ARRAY_LEN(hot_first); heat++)
		for (i = 0; i < functions->count; i++) {
			const struct elf_function *function = &functions->list[i];

			if (is_listed(function, choice, point) && hotness(function) == heat)
				visit(context, call_name(function->call));
		}
}

/* ---- forwarders ---- */

/*
 * Forwarders: functions with a name of CUDA's that only jump to the function of that name in
 * another library, through a table that is filled by dlsym(). Generators of such stubs are used by
 * XLA, TensorFlow and others, so that their libraries load without CUDA. The function that one
 * leads to has a probe, and the return address there is that of the forwarder's caller: a second
 * probe would only cost time.
 * What a forwarder looks like is in points.c; here, which functions of a file are ones.
 */

#define FORWARD_WINDOW 64 /* bytes; the longest known form takes 36 up to its jump */

/*
 * The driver and the runtime themselves, whose functions may jump through tables of their own; so
 * does what is put in their place under their names.
 */
static bool is_cuda_library(int fd)
{
	struct elf_info info;

	/* One that cannot be read keeps its probes. */
	return elfinfo_read(fd, &info, NULL) || !strncmp(info.soname, "libcudart", 9) ||
	       !strncmp(info.soname, "libcuda.so", 10);
}

/* Bytes up to the end of its jump; 0: it is none. */
static size_t forwarder_size(int fd, struct decoder *decoder, const struct elf_function *function)
{
	unsigned char code[FORWARD_WINDOW];
	ssize_t n = pread(fd, code, sizeof(code), (off_t)function->offset);

	return n > 0 ? decoder_forwards(decoder, code, (size_t)n, function->offset) : 0;
}

void forwarders_drop(int fd, struct elf_functions *functions, unsigned int layers)
{
	size_t count = functions->count, kept = 0, i, size;
	struct decoder *decoder;

	if (!count || is_cuda_library(fd))
		return;
	decoder = decoder_new();
	if (!decoder)
		return;
	for (i = 0; i < count; i++) {
		struct elf_function *function = &functions->list[i];

		size = function->call >= CALL_COUNT ? 0 : forwarder_size(fd, decoder, function);
		if (size && layers & 1u << call_layer(function->call)) {
			functions->forwarders++;
			continue;
		}
		/* Most have no size in their symbol; with one, the probe may move past the test. */
		if (size && !function->size)
			function->size = (uint32_t)size;
		functions->list[kept++] = *function;
	}
	/* The further names stand behind the functions. */
	memmove(functions->list + kept, functions->list + count,
		functions->aliases * sizeof(*functions->list));
	functions->count = kept;
	decoder_free(decoder);
}
