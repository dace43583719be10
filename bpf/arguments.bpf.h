/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a call finds its arguments, on x86-64 (System V ABI) and on arm64
 * (AAPCS64). Nothing but this file and the libbpf macros that it uses knows a
 * register by its name; tests/unit/test_abi.c holds it to both.
 *
 *                              x86-64                      arm64
 *   integer arguments          6 registers                 8 registers
 *   the others                 above the return address    at the stack pointer
 *   a dim3 by value            two registers, z in the second one, on both
 *   a struct over 16 bytes     on the stack                a pointer in a register
 *   the return address         at the stack pointer        register 30
 *   the stack pointer, return  8 higher than at entry      the same
 */
#ifndef ARGUMENTS_BPF_H
#define ARGUMENTS_BPF_H

#include "base.bpf.h"

/* ---- session ctx ---- */

/*
 * What a run of a session program is for: the entry of which call, or its return. The kernel has
 * functions that tell. Each costs some ten nanoseconds, and twice that on processors that protect
 * every return, which is much of what a probe may cost. What they return can be read through the
 * task at next to no cost. Where the kernel's types do not have it, sessions are not used
 * (probe/kernel.c).
 */

static __always_inline struct bpf_uprobe_multi_run_ctx *run_of(struct task_struct *task)
{
	return bpf_rdonly_cast(untrusted(task)->bpf_ctx,
			       bpf_core_type_id_kernel(struct bpf_uprobe_multi_run_ctx));
}

/* In a session program: true at the return of a call. @task: the current one, here and below. */
static __always_inline bool is_session_return(struct task_struct *task)
{
	return run_of(task)->session_ctx.is_return;
}

/* Which call it is, and in which library: CUTOP_COOKIE. */
static __always_inline __u32 call_cookie(void *ctx, struct task_struct *task, bool session)
{
	return session ? run_of(task)->uprobe->cookie : bpf_get_attach_cookie(ctx);
}

/* Which call it is: its number in the table, or an extra one. */
static __always_inline __u32 call_number(void *ctx, struct task_struct *task, bool session)
{
	return CUTOP_COOKIE_CALL(call_cookie(ctx, task, session));
}

/* ---- arguments ---- */

/*
 * Reads a register of the context by one instruction. Of a register that is read in many places the
 * compiler would compute the address once, and the verifier refuses to read from such a pointer.
 */
#ifdef __bpf__
#define context_read(ctx, macro) \
	({ \
		__u64 value_; \
		asm("%0 = *(u64 *)(%1 + %2)" \
		    : "=r"(value_) \
		    : "r"(ctx), "i"(&macro((struct pt_regs *)0))); \
		value_; \
	})
#else
#define context_read(ctx, macro) macro(ctx)
#endif

static __always_inline __u64 call_sp(struct pt_regs *ctx)
{
	return context_read(ctx, PT_REGS_SP);
}

/*
 * At return: the stack pointer as it was at entry. On x86-64 the return address has been popped
 * since; on arm64 it is unchanged.
 */
static __always_inline __u64 return_sp(struct pt_regs *ctx)
{
#if defined(__TARGET_ARCH_x86)
	return call_sp(ctx) - 8;
#else
	return call_sp(ctx);
#endif
}

/*
 * The call site, at return: by then the kernel has restored the caller's return address, also after
 * a chain of tail calls. At entry it would have to be read from the stack, and reading 8 bytes of
 * user memory costs more than counting the call.
 */
static __always_inline __u64 call_site(struct pt_regs *ctx)
{
	return PT_REGS_IP(ctx);
}

#if defined(__TARGET_ARCH_x86)
#define STACK_ARGUMENTS 8 /* above the return address: System V ABI, 3.2.3 */
#else
#define STACK_ARGUMENTS 0
#endif

/*
 * Reads a register of the context. The barrier keeps the compiler from merging the branches of a
 * switch into one load through a computed pointer, which the verifier refuses.
 */
#define context_register(expression) \
	({ \
		__u64 value_ = (expression); \
		asm volatile("" : "+r"(value_)); \
		value_; \
	})

#define SMALL_NUMBER 65536 /* every pointer is larger */

/* Integer argument @n, counted from 0. */
static __always_inline __u64 call_arg(struct pt_regs *ctx, __u32 n)
{
	__u64 value = 0;

	switch (n) {
	case 0: return context_register(PT_REGS_PARM1(ctx));
	case 1: return context_register(PT_REGS_PARM2(ctx));
	case 2: return context_register(PT_REGS_PARM3(ctx));
	case 3: return context_register(PT_REGS_PARM4(ctx));
	case 4: return context_register(PT_REGS_PARM5(ctx));
#if defined(__TARGET_ARCH_x86)
	case 5: return context_register(ctx->r9);
	default: /* above the return address, 8 bytes each: System V ABI, 3.2.3 */
		bpf_probe_read_user(&value, sizeof(value),
				    (void *)(call_sp(ctx) + 8 * (__u64)(n - 5)));
		return value;
#else
	case 5: return context_register(ctx->user_regs.regs[5]);
	case 6: return context_register(ctx->user_regs.regs[6]);
	case 7: return context_register(ctx->user_regs.regs[7]);
	default:
		bpf_probe_read_user(&value, sizeof(value),
				    (void *)(call_sp(ctx) + 8 * (__u64)(n - 8)));
		return value;
#endif
	}
}

/*
 * The same for functions of the oldest interface whose argument has 32 bits: the upper bits are
 * undefined.
 */
static __always_inline __u64 call_arg_of(struct pt_regs *ctx, const volatile struct call_desc *desc,
					 __u32 n)
{
	__u64 value = call_arg(ctx, n);

	return desc->flags & CALL_NARROW ? (__u32)value : value;
}

/* The address of a struct that is passed by value as argument @n and too large for registers. */
static __always_inline const void *call_struct(struct pt_regs *ctx, __u32 n)
{
#if defined(__TARGET_ARCH_x86)
	return (const void *)(call_sp(ctx) + 8);
#else
	return (const void *)call_arg(ctx, n);
#endif
}

/* The integer argument after that struct. */
static __always_inline __u64 call_arg_past_struct(struct pt_regs *ctx, __u32 n)
{
#if defined(__TARGET_ARCH_x86)
	return call_arg(ctx, n);
#else
	return call_arg(ctx, n + 1);
#endif
}

/* The caller's return address, at entry; 0 if it cannot be read. */
static __always_inline __u64 call_caller(struct pt_regs *ctx)
{
#if defined(__TARGET_ARCH_x86)
	__u64 caller = 0;

	bpf_probe_read_user(&caller, sizeof(caller), (void *)call_sp(ctx));
	return caller;
#else
	return PT_REGS_RET(ctx);
#endif
}

/* The address of the arguments beyond the registers, at entry and at return. */
static __always_inline const void *call_stack(struct pt_regs *ctx)
{
	return (const void *)(call_sp(ctx) + STACK_ARGUMENTS);
}

static __always_inline const void *return_stack(struct pt_regs *ctx)
{
	return (const void *)(return_sp(ctx) + STACK_ARGUMENTS);
}

#endif
