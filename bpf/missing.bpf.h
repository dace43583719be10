/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that are not in memory: most kernels' are in a part of the file that
 * nobody has read yet. Only a sleepable program can bring them in.
 *
 * While it sleeps, its stack may not be its own. Linux 6.13 to 7 at least give
 * each program on x86-64 that takes 64 bytes of stack or more one stack for each
 * processor ("private stack"), and another task on that processor may run the
 * same program meanwhile, over what the sleeper left there. Ours do without such a stack
 * where that can be had (cutop.bpf.c). Where it cannot, nothing may sleep
 * but small functions at the foot of a program (cutop.bpf.c), after the others
 * have returned: who finds a name missing puts down in the thread's state what
 * is to be done when it is there.
 */
#ifndef MISSING_BPF_H
#define MISSING_BPF_H

#define NAME_MISSING	2	/* what an entry or return says to its program, beside 0 or 1 */

/* Puts off telling the name at @name. False if it was put off once already, or nothing can bring it in. */
static __always_inline bool name_defer(struct thread_state *thread, __u64 name, __u64 function, __u64 stub, __u32 call)
{
	if (!can_sleep || thread->bringing)
		return false;
	thread->missing = name;
	thread->missing_function = function;
	thread->missing_stub = stub;
	thread->missing_call = call;
	return true;
}

static __always_inline int with_missing(const struct thread_state *thread, int value)
{
	return value | (thread->missing ? NAME_MISSING : 0);
}

__noinline int name_again(struct thread_state *thread);	/* launch.bpf.h */

#endif
