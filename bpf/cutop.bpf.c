/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs: an entry, a return and a session program each for launches, for calls of all
 * other classes, and for functions that are not in the table. User space decides which of them are
 * loaded, and as what:
 *
 *   Linux 6.13 and newer   session programs: one link probes entry and
 *                          return, and the entry decides whether it wants
 *                          the return
 *   Linux 6.6              entry and return programs, one multi link each
 *   before                 the same programs, one perf link per function
 */
#include "allocator.bpf.h"
#include "context.bpf.h"
#include "copy.bpf.h"
#include "extra.bpf.h"
#include "graph.bpf.h"
#include "launch.bpf.h"
#include "loading.bpf.h"
#include "memory.bpf.h"
#include "names.bpf.h"
#include "no_returns.bpf.h"
#include "plain.bpf.h"
#include "python.bpf.h"
#include "caller.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/*
 * Since Linux 6.13, programs on x86-64 may get a stack per processor instead of the task's. A
 * program that may call another one by bpf_tail_call() never does: so each of ours contains such a
 * call, which is never reached, and which the verifier removes. Otherwise a task that is preempted in
 * the middle of a program would find its stack changed. tests/bench/own_stack.c checks that it works.
 */
#define FUNC_TAIL_CALL 12 /* BPF_FUNC_tail_call, linux/bpf.h */

static __always_inline void stack_keep(void)
{
	if (never)
		asm volatile("call %[number]"
			     :
			     : [number] "i"(FUNC_TAIL_CALL)
			     : "r0", "r1", "r2", "r3", "r4", "r5");
}

/*
 * The programs are of the sleepable kind, which the kernel enters by a shorter path: 10 ns less.
 * None of them sleeps: no helper that waits for a page is called, and memory for a thread's storage
 * is not waited for (state.bpf.h, storage_new()).
 */

/*
 * Entry programs of multi links must return 0: Linux 6.6 to 6.11 take 1 as a request to remove the
 * probe. In session programs 1 means that the return is not wanted. @begin and @end check whether
 * the call concerns us (frames.bpf.h). @quick is called first in session programs, and returns true
 * if it did everything.
 */
#define PROGRAMS_WITH(class, begin, end, quick) \
	static __always_inline int class##_run(struct pt_regs *ctx, struct task_struct *task, \
					       bool session, bool is_return) \
	{ \
		struct call_run run; \
\
		if (!is_return) \
			return begin(&run, ctx, task, session) ? class##_entry(&run) : 1; \
		if (end(&run, ctx, task, session)) \
			class##_return(&run); \
		return 0; \
	} \
\
	SEC("uprobe.s") \
	int class##_enter(struct pt_regs *ctx) \
	{ \
		stack_keep(); \
		class##_run(ctx, bpf_get_current_task_btf(), false, false); \
		return 0; \
	} \
\
	SEC("uprobe.s") \
	int class##_exit(struct pt_regs *ctx) \
	{ \
		stack_keep(); \
		class##_run(ctx, bpf_get_current_task_btf(), false, true); \
		return 0; \
	} \
\
	SEC("uprobe.s") \
	int class##_session(struct pt_regs *ctx) \
	{ \
		struct task_struct *task = bpf_get_current_task_btf(); \
		bool is_return = is_session_return(task); \
\
		stack_keep(); \
		if (!is_return && (quick)) \
			return 1; \
		return class##_run(ctx, task, true, is_return) & 1; \
	}

/*
 * What most calls share is much more than what they differ in: so one program serves all classes
 * but those below. The verifier, which is most of the time that cutop takes to start, would
 * otherwise go through what they share once for each class.
 */
static __always_inline int calls_entry(struct call_run *run)
{
	if (!run->desc) /* an allocator's function */
		return 0;
	switch (run->desc->class) {
	case CLASS_ALLOC: return alloc_entry(run);
	case CLASS_FREE: return free_entry(run);
	case CLASS_COPY: return copy_entry(run);
	case CLASS_GRAPH: return graph_entry(run);
	case CLASS_HANDLE:
	case CLASS_NAMED: return handle_entry(run);
	case CLASS_CONTEXT: return context_entry(run);
	case CLASS_MAP: return map_entry(run);
	case CLASS_SIZE: return size_entry(run);
	default: return plain_entry(run);
	}
}

static __always_inline void calls_return(struct call_run *run)
{
	__u8 class = run->desc->class;

	switch (class) {
	case CLASS_ALLOC: alloc_return(run); return;
	case CLASS_FREE: free_return(run); return;
	case CLASS_COPY: copy_return(run); return;
	}
	call_returned(run);
	switch (class) {
	case CLASS_GRAPH: graph_return(run); break;
	case CLASS_HANDLE: handle_return(run); break;
	case CLASS_NAMED: named_return(run); break;
	case CLASS_CONTEXT: context_return(run); break;
	case CLASS_MAP: map_return(run); break;
	case CLASS_SIZE: size_return(run); break;
	default: plain_return(run);
	}
	object_tell(run);
}

static __always_inline bool calls_begin(struct call_run *run, struct pt_regs *ctx,
					struct task_struct *task, bool session)
{
	__u32 number = call_number(ctx, task, session);

	if (CUTOP_IS_ALLOCATOR(number)) {
		run->desc = NULL;
		return allocator_tell(ctx, number);
	}
	if (!table_begin(run, ctx, task, session))
		return false;
	if (run->desc->class == CLASS_REGISTER) {
		register_entry(run);
		return false;
	}
	return call_begin(run);
}

static __always_inline bool calls_end(struct call_run *run, struct pt_regs *ctx,
				      struct task_struct *task, bool session)
{
	__u32 number = call_number(ctx, task, session);

	if (CUTOP_IS_ALLOCATOR(number)) {
		allocator_done(ctx, number);
		return false;
	}
	return call_end(run, ctx, task, session);
}

PROGRAMS_WITH(calls, calls_begin, calls_end, inside_quick(ctx, task))
/* The most frequent calls, by far. */
PROGRAMS_WITH(launch, table_begin, counted_end, launch_quick(ctx, task))
PROGRAMS_WITH(extra, extra_begin, extra_end, false)

/* Where the program above is not loaded: the same for what has no returns anyway. */
SEC("uprobe.s")
int register_enter(struct pt_regs *ctx)
{
	struct call_run run;

	stack_keep();
	if (table_begin(&run, ctx, bpf_get_current_task_btf(), false))
		register_entry(&run);
	return 0;
}

/*
 * Where no return may be probed (no_returns.bpf.h): the only program, for all classes but one. The
 * trace record is made afterwards, not inside: functions can be nested eight deep at most.
 */
SEC("uprobe.s")
int blind_enter(struct pt_regs *ctx)
{
	stack_keep();
	if (blind_entry(ctx) & BLIND_TRACED && tracing)
		blind_trace(ctx);
	return 0;
}

/* The driver's allocating functions, when its calls are not watched. */
SEC("uprobe.s")
int unwatched_enter(struct pt_regs *ctx)
{
	stack_keep();
	unwatched_entry(ctx);
	return 0;
}

/* With trace_entries: for all classes except those that teach names. */
SEC("uprobe.s")
int traced_enter(struct pt_regs *ctx)
{
	stack_keep();
	traced_entry(ctx);
	return 0;
}

/* At functions of Python's interpreter. */
SEC("uprobe")
int python_begins(struct pt_regs *ctx)
{
	stack_keep();
	python_begin(ctx);
	return 0;
}

/* The same: at functions by which an allocator tells what it does. */
SEC("uprobe.s")
int allocator_tells(struct pt_regs *ctx)
{
	stack_keep();
	allocator_tell(ctx, CUTOP_COOKIE_CALL(bpf_get_attach_cookie(ctx)));
	return 0;
}
