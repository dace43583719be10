/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs: for each class of calls an entry, a return and a session
 * program. Which of them are loaded, and as what, is decided by user space:
 *
 *   Linux 6.13 and newer   session programs: one link probes entry and
 *                          return, and the entry decides whether it wants
 *                          the return
 *   Linux 6.6              entry and return programs, one multi link each
 *   before                 the same programs, one perf link per function
 *
 * This object is built twice, because Linux 7.0 gives bpf_session_is_return()
 * an argument (SESSION_CONTEXT).
 */
#include "vmlinux_min.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "cutop_calls.h"
#include "cutop_event.h"

char LICENSE[] SEC("license") = "GPL";

#ifdef SESSION_CONTEXT
extern bool bpf_session_is_return(void *ctx) __ksym __weak;
#define is_session_return(ctx) bpf_session_is_return(ctx)
#else
extern bool bpf_session_is_return(void) __ksym __weak;
#define is_session_return(ctx) bpf_session_is_return()
#endif

#include "state.bpf.h"
#include "arguments.bpf.h"
#include "frames.bpf.h"
#include "trace.bpf.h"
#include "stubs.bpf.h"
#include "names.bpf.h"
#include "fault.bpf.h"
#include "stacks.bpf.h"
#include "context.bpf.h"
#include "capture.bpf.h"
#include "memory.bpf.h"
#include "pending.bpf.h"
#include "copy.bpf.h"
#include "shape.bpf.h"
#include "launch_rows.bpf.h"
#include "launch.bpf.h"
#include "graph.bpf.h"
#include "plain.bpf.h"
#include "extra.bpf.h"
#include "size.bpf.h"
#include "trace_calls.bpf.h"
#include "watch.bpf.h"

/*
 * Entry programs of multi links must return 0: Linux 6.6 to 6.11 took 1 as a
 * wish to remove the probe. In session programs 1 means: no return, please.
 */
#define PROGRAMS(class)							\
	SEC("uprobe.s")							\
	int class##_enter(struct pt_regs *ctx)				\
	{								\
		class##_entry(ctx, false);				\
		return 0;						\
	}								\
									\
	SEC("uprobe.s")							\
	int class##_exit(struct pt_regs *ctx)				\
	{								\
		return class##_return(ctx);				\
	}								\
									\
	SEC("uprobe.s")							\
	int class##_session(struct pt_regs *ctx)			\
	{								\
		if (is_session_return(ctx))				\
			return class##_return(ctx);			\
		return class##_entry(ctx, true);			\
	}

PROGRAMS(alloc)
PROGRAMS(free)
PROGRAMS(copy)
PROGRAMS(launch)
PROGRAMS(graph)
PROGRAMS(plain)
PROGRAMS(context)
PROGRAMS(map)
PROGRAMS(size)
PROGRAMS(extra)

#define handle_entry(ctx, session) (handle_entry)(ctx)
PROGRAMS(handle)
#define named_entry(ctx, session) (handle_entry)(ctx)
PROGRAMS(named)
#undef named_entry
#undef handle_entry

SEC("uprobe.s")
int register_enter(struct pt_regs *ctx)
{
	return register_entry(ctx);
}

/* With trace_entries, of all classes but those that teach names. */
SEC("uprobe.s")
int traced_enter(struct pt_regs *ctx)
{
	return traced_entry(ctx);
}
