/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instruction forms. What a probe costs depends on whether the kernel emulates the instruction
 * under it or runs a copy of it with a trap after it (single-stepping, some ten microseconds in a
 * virtual machine). A form is a set of encodings that a kernel treats alike. Which forms a kernel
 * emulates is not read from its version but tried at start (probe/kernel.h).
 */
#ifndef PROBE_FORMS_H
#define PROBE_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Forms that some kernel emulates, or may emulate one day. FORM_OTHER stands for every other
 * instruction.
 */
enum form {
	FORM_OTHER,
#if defined(__x86_64__)
	FORM_PUSH,     /* push %rax to push %rdi */
	FORM_PUSH_REX, /* push %r8 to push %r15 */
	FORM_JUMP,     /* jmp rel8, jmp rel32 */
	FORM_BRANCH,   /* jcc rel8, jcc rel32 */
	FORM_CALL,     /* call rel32 */
	FORM_NOP,      /* the kernel's own choice of nop for each length */
	FORM_NOP2,
	FORM_NOP3,
	FORM_NOP4,
	FORM_NOP5,
	FORM_NOP6,
	FORM_NOP7,
	FORM_NOP8,
	FORM_NOP9,
	FORM_ENDBR, /* endbr64 */
	FORM_FRAME, /* mov %rsp,%rbp */
	FORM_SUB8,  /* sub $imm8,%rsp */
	FORM_SUB32, /* sub $imm32,%rsp */
#else
	FORM_NOP,
	FORM_BTI,     /* bti, bti c, bti j, bti jc */
	FORM_PAC,     /* paciasp, pacibsp */
	FORM_JUMP,    /* b */
	FORM_CALL,    /* bl */
	FORM_BRANCH,  /* b.cond, cbz, cbnz, tbz, tbnz */
	FORM_ADR,     /* adr, adrp */
	FORM_LITERAL, /* ldr, ldrsw of a literal */
	FORM_STP,     /* stp x29, x30, [sp, #-imm]! */
	FORM_SUB,     /* sub sp, sp, #imm */
#endif
	FORM_COUNT,
};

extern const char *const form_names[FORM_COUNT];

/* The form of the instruction that @code (@len bytes) begins with. */
enum form form_of(const unsigned char *code, size_t len);

/* Bytes of the longest encoding that form_of() looks at. */
#define FORM_BYTES 9

enum form_verdict {
	/* The kernel single-steps it, or it is not known what the kernel does */
	FORM_STEPPED,
	FORM_EMULATED,
	FORM_REFUSED, /* the kernel places no probe on it */
	FORM_HARMS,   /* a program with a probe on it is killed */
};

struct forms {
	enum form_verdict verdicts[FORM_COUNT];
	bool tried; /* found by probes on this kernel; if not, what every kernel does */
};

/*
 * What every supported kernel emulates: arch/x86/kernel/uprobes.c and
 * arch/arm64/kernel/probes/decode-insn.c since Linux 5.15.
 */
void forms_default(struct forms *forms);

/*
 * A function made for the form, int (*)(void); the instruction of the form is @at bytes from its
 * start.
 */
struct form_sample {
	const char *code;
	size_t size, at; /* bytes */
};

extern const struct form_sample form_samples[FORM_COUNT];

#endif
