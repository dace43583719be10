/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of forms. Encodings are compared as strictly as the strictest kernel does: an
 * instruction with a prefix that the form does not name is FORM_OTHER.
 */
#include "probe/forms.h"

#include <string.h>

#define SAMPLE(text, offset) \
	{ \
		.code = text, .size = sizeof(text) - 1, .at = offset \
	}

#if defined(__x86_64__)

const char *const form_names[FORM_COUNT] = {
	[FORM_OTHER] = "other",   [FORM_PUSH] = "push",     [FORM_PUSH_REX] = "push_rex",
	[FORM_JUMP] = "jump",     [FORM_BRANCH] = "branch", [FORM_CALL] = "call",
	[FORM_NOP] = "nop",       [FORM_NOP2] = "nop2",     [FORM_NOP3] = "nop3",
	[FORM_NOP4] = "nop4",     [FORM_NOP5] = "nop5",     [FORM_NOP6] = "nop6",
	[FORM_NOP7] = "nop7",     [FORM_NOP8] = "nop8",     [FORM_NOP9] = "nop9",
	[FORM_ENDBR] = "endbr64", [FORM_FRAME] = "frame",   [FORM_SUB8] = "sub8",
	[FORM_SUB32] = "sub32",
};

/* Each sample returns 0 and preserves the registers that a function must preserve. */
const struct form_sample form_samples[FORM_COUNT] = {
	[FORM_OTHER] = SAMPLE("\x31\xc0\xc3", 0), /* xor %eax,%eax; ret */
	/* Push %rbp; pop %rbp; ... */
	[FORM_PUSH] = SAMPLE("\x55\x5d\x31\xc0\xc3", 0),
	/* Push %r12; pop %r12; ... */
	[FORM_PUSH_REX] = SAMPLE("\x41\x54\x41\x5c\x31\xc0\xc3", 0),
	/* Jmp to the next instruction; ... */
	[FORM_JUMP] = SAMPLE("\xe9\x00\x00\x00\x00\x31\xc0\xc3", 0),
	/* Je to the next instruction; ... */
	[FORM_BRANCH] = SAMPLE("\x74\x00\x31\xc0\xc3", 0),
	/* Call 1f; ret; 1: xor %eax,%eax; ret */
	[FORM_CALL] = SAMPLE("\xe8\x01\x00\x00\x00\xc3\x31\xc0\xc3", 0),
	[FORM_NOP] = SAMPLE("\x90\x31\xc0\xc3", 0),
	[FORM_NOP2] = SAMPLE("\x66\x90\x31\xc0\xc3", 0),
	[FORM_NOP3] = SAMPLE("\x0f\x1f\x00\x31\xc0\xc3", 0),
	[FORM_NOP4] = SAMPLE("\x0f\x1f\x40\x00\x31\xc0\xc3", 0),
	[FORM_NOP5] = SAMPLE("\x0f\x1f\x44\x00\x00\x31\xc0\xc3", 0),
	[FORM_NOP6] = SAMPLE("\x66\x0f\x1f\x44\x00\x00\x31\xc0\xc3", 0),
	[FORM_NOP7] = SAMPLE("\x0f\x1f\x80\x00\x00\x00\x00\x31\xc0\xc3", 0),
	[FORM_NOP8] = SAMPLE("\x0f\x1f\x84\x00\x00\x00\x00\x00\x31\xc0\xc3", 0),
	[FORM_NOP9] = SAMPLE("\x66\x0f\x1f\x84\x00\x00\x00\x00\x00\x31\xc0\xc3", 0),
	[FORM_ENDBR] = SAMPLE("\xf3\x0f\x1e\xfa\x31\xc0\xc3", 0),
	/* mov %rbp,%rcx; mov %rsp,%rbp; mov %rcx,%rbp; ... */
	[FORM_FRAME] = SAMPLE("\x48\x89\xe9\x48\x89\xe5\x48\x89\xcd\x31\xc0\xc3", 3),
	[FORM_SUB8] = SAMPLE("\x48\x83\xec\x08\x48\x83\xc4\x08\x31\xc0\xc3", 0),
	[FORM_SUB32] =
		SAMPLE("\x48\x81\xec\x00\x01\x00\x00\x48\x81\xc4\x00\x01\x00\x00\x31\xc0\xc3", 0),
};

static const struct {
	enum form form;
	unsigned char size, bytes[FORM_BYTES];
} exact[] = {
	{ FORM_NOP, 1, { 0x90 } },
	{ FORM_NOP2, 2, { 0x66, 0x90 } },
	{ FORM_NOP3, 3, { 0x0f, 0x1f, 0x00 } },
	{ FORM_NOP4, 4, { 0x0f, 0x1f, 0x40, 0x00 } },
	{ FORM_NOP5, 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
	{ FORM_NOP6, 6, { 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 } },
	{ FORM_NOP7, 7, { 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00 } },
	{ FORM_NOP8, 8, { 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 } },
	{ FORM_NOP9, 9, { 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 } },
	{ FORM_ENDBR, 4, { 0xf3, 0x0f, 0x1e, 0xfa } },
	{ FORM_FRAME, 3, { 0x48, 0x89, 0xe5 } },
};

enum form form_of(const unsigned char *code, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
		if (len >= exact[i].size && !memcmp(code, exact[i].bytes, exact[i].size))
			return exact[i].form;
	/* An instruction that the code does not hold in full has no form. */
	if (len >= 1 && code[0] >= 0x50 && code[0] <= 0x57)
		return FORM_PUSH;
	if (len >= 2 && code[0] == 0x41 && code[1] >= 0x50 && code[1] <= 0x57)
		return FORM_PUSH_REX;
	if ((len >= 2 && code[0] == 0xeb) || (len >= 5 && code[0] == 0xe9))
		return FORM_JUMP;
	if ((len >= 2 && (code[0] & 0xf0) == 0x70) ||
	    (len >= 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80))
		return FORM_BRANCH;
	if (len >= 5 && code[0] == 0xe8)
		return FORM_CALL;
	if (len >= 4 && code[0] == 0x48 && code[1] == 0x83 && code[2] == 0xec)
		return FORM_SUB8;
	if (len >= 7 && code[0] == 0x48 && code[1] == 0x81 && code[2] == 0xec)
		return FORM_SUB32;
	return FORM_OTHER;
}

void forms_default(struct forms *forms)
{
	static const enum form always[] = { FORM_PUSH,   FORM_PUSH_REX, FORM_JUMP,
					    FORM_BRANCH, FORM_CALL,     FORM_NOP };
	size_t i;

	memset(forms, 0, sizeof(*forms));
	for (i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		forms->verdicts[always[i]] = FORM_EMULATED;
}

#else

const char *const form_names[FORM_COUNT] = {
	[FORM_OTHER] = "other",   [FORM_NOP] = "nop",   [FORM_BTI] = "bti",
	[FORM_PAC] = "paciasp",   [FORM_JUMP] = "jump", [FORM_CALL] = "call",
	[FORM_BRANCH] = "branch", [FORM_ADR] = "adr",   [FORM_LITERAL] = "literal",
	[FORM_STP] = "stp",       [FORM_SUB] = "sub",
};

#define RETURN_0 "\x00\x00\x80\x52\xc0\x03\x5f\xd6" /* mov w0, #0; ret */

const struct form_sample form_samples[FORM_COUNT] = {
	[FORM_OTHER] = SAMPLE(RETURN_0, 0),
	[FORM_NOP] = SAMPLE("\x1f\x20\x03\xd5" RETURN_0, 0),
	[FORM_BTI] = SAMPLE("\x5f\x24\x03\xd5" RETURN_0, 0), /* bti c */
	/* Paciasp; autiasp */
	[FORM_PAC] = SAMPLE("\x3f\x23\x03\xd5\xbf\x23\x03\xd5" RETURN_0, 0),
	/* B to the next instruction */
	[FORM_JUMP] = SAMPLE("\x01\x00\x00\x14" RETURN_0, 0),
	/* mov x9, x30; bl to the next instruction; mov x30, x9 */
	[FORM_CALL] = SAMPLE("\xe9\x03\x1e\xaa\x01\x00\x00\x94\xfe\x03\x09\xaa" RETURN_0, 4),
	/* Cbz x9, the next instruction */
	[FORM_BRANCH] = SAMPLE("\x29\x00\x00\xb4" RETURN_0, 0),
	/* Adr x9, itself */
	[FORM_ADR] = SAMPLE("\x09\x00\x00\x10" RETURN_0, 0),
	/* Ldr w9, itself */
	[FORM_LITERAL] = SAMPLE("\x09\x00\x00\x18" RETURN_0, 0),
	/* And ldp x29, x30, [sp], #16 */
	[FORM_STP] = SAMPLE("\xfd\x7b\xbf\xa9\xfd\x7b\xc1\xa8" RETURN_0, 0),
	/* And add sp, sp, #16 */
	[FORM_SUB] = SAMPLE("\xff\x43\x00\xd1\xff\x43\x00\x91" RETURN_0, 0),
};

/* Arm Architecture Reference Manual for A-profile, C4.1: A64 instruction set encoding */
static const struct {
	enum form form;
	uint32_t mask, value;
} masked[] = {
	{ FORM_NOP, 0xffffffff, 0xd503201f },
	{ FORM_BTI, 0xffffff3f, 0xd503241f },
	{ FORM_PAC, 0xffffffbf, 0xd503233f },
	{ FORM_JUMP, 0xfc000000, 0x14000000 },
	{ FORM_CALL, 0xfc000000, 0x94000000 },
	{ FORM_BRANCH, 0xff000010, 0x54000000 }, /* b.cond */
	{ FORM_BRANCH, 0x7e000000, 0x34000000 }, /* cbz, cbnz */
	{ FORM_BRANCH, 0x7e000000, 0x36000000 }, /* tbz, tbnz */
	{ FORM_ADR, 0x1f000000, 0x10000000 },
	{ FORM_LITERAL, 0xbf000000, 0x18000000 }, /* ldr w, ldr x */
	{ FORM_LITERAL, 0xff000000, 0x98000000 }, /* ldrsw */
	{ FORM_STP, 0xffe07fff, 0xa9a07bfd },     /* a negative offset */
	{ FORM_SUB, 0xff8003ff, 0xd10003ff },
};

enum form form_of(const unsigned char *code, size_t len)
{
	uint32_t word;
	size_t i;

	if (len < sizeof(word))
		return FORM_OTHER;
	memcpy(&word, code, sizeof(word));
	for (i = 0; i < sizeof(masked) / sizeof(masked[0]); i++)
		if ((word & masked[i].mask) == masked[i].value)
			return masked[i].form;
	return FORM_OTHER;
}

void forms_default(struct forms *forms)
{
	static const enum form always[] = { FORM_JUMP, FORM_CALL, FORM_BRANCH, FORM_ADR,
					    FORM_LITERAL };
	size_t i;

	memset(forms, 0, sizeof(*forms));
	for (i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		forms->verdicts[always[i]] = FORM_EMULATED;
}

#endif
