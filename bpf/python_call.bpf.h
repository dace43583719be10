/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hook for Python's frames at a call (python.bpf.h): as cheap as possible for programs without
 * Python.
 */
#ifndef PYTHON_CALL_BPF_H
#define PYTHON_CALL_BPF_H

#include "state.bpf.h"

/* Set by user space before loading: Python's frames are wanted. */
const volatile bool with_python;
/* The same: Python's frames alone are enough where there are some. */
const volatile bool python_alone;

/*
 * How often a process was added to `pythons`, except by fork: a process that was not in there has
 * to look again only when this changes. 0: never.
 */
__u32 python_changes;

__noinline __u64 python_take(struct thread_state *thread, __u64 site, __u64 native);

/*
 * The id of the thread's Python stack, with the call's return address @site and its native stack
 * @native; if there is none, @native.
 */
static __always_inline __u64 python_of(struct thread_state *thread, __u64 site, __u64 native)
{
	__u32 changes = *(volatile __u32 *)&python_changes;

	if (!with_python || !changes || (thread->python_changes == changes && !thread->has_python))
		return native;
	return python_take(thread, site, native);
}

__noinline __u64 stack_by_rows(struct thread_state *thread); /* stacks.bpf.h */

/* The site in the record of a failed call: a stack, if there is one, takes its place. */
static __always_inline __u64 python_site(struct thread_state *thread, __u64 site)
{
	__u64 stack = python_alone ? python_of(thread, site, 0) : 0;

	if (!stack)
		stack = stack_by_rows(thread);
	if (!python_alone)
		stack = python_of(thread, site, stack);
	return stack ? stack : site;
}

#endif
