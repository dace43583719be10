/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run of a session program is for: the entry of which call, or its return. The kernel has
 * functions that tell. Each costs some ten nanoseconds, and twice that on processors that protect
 * every return, which is much of what a probe may cost. What they return can be read through the
 * task at next to no cost. Where the kernel's types do not have it, sessions are not used
 * (probe/kernel_table.c).
 */
#ifndef SESSION_CTX_BPF_H
#define SESSION_CTX_BPF_H

#include "base.bpf.h"

static __always_inline struct bpf_uprobe_multi_run_ctx *run_of(struct task_struct *task)
{
	return bpf_rdonly_cast(task->bpf_ctx,
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

#endif
