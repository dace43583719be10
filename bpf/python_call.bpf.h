/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hook of Python's frames at a call (python.bpf.h): as cheap as can be where no Python is. */
#ifndef PYTHON_CALL_BPF_H
#define PYTHON_CALL_BPF_H

#include "state.bpf.h"

/* Set by user space before loading: Python's frames are wanted. */
const volatile bool with_python;

/* How often a process was put into `pythons`, but for those forked: a process that is not in there need not look again. 0: none ever. */
__u32 python_changes;

__noinline __u64 python_take(struct thread_state *thread, __u64 site, __u64 native);

/* What the thread's Python stack, with the call's return address @site and its native stack @native, is called; else @native. */
static __always_inline __u64 python_of(struct thread_state *thread, __u64 site, __u64 native)
{
	__u32 changes = *(volatile __u32 *)&python_changes;

	if (!with_python || !changes || (thread->python_changes == changes && !thread->has_python))
		return native;
	return python_take(thread, site, native);
}

/* What a record of a call that failed has for its site: a Python stack stands for it. */
static __always_inline __u64 python_site(struct thread_state *thread, __u64 site)
{
	__u64 stack = python_of(thread, site, 0);

	return stack ? stack : site;
}

#endif
