/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What return probes do to programs on this kernel, tried on a child of ours.
 *
 * Linux 6.11 to early 6.13 make a system call of a return, which a seccomp
 * filter does not know and kills the program for. Linux 6.6 to 6.10 know shadow
 * stacks, but not that a return probe changes where a function returns to: the
 * processor ends the program. Versions say little, since fixes are carried back:
 * a child with such a filter, or such a stack, runs through a return probe.
 */
#ifndef PROBE_SELFTEST_H
#define PROBE_SELFTEST_H

#include <stdbool.h>

#include "probe/formtest.h"
#include "probe/kernel.h"

enum verdict {
	VERDICT_UNKNOWN,	/* could not be tried */
	VERDICT_FINE,
	VERDICT_KILLS,		/* the probed program is killed */
};

struct selftest {
	enum verdict seccomp;		/* programs under a seccomp filter */
	enum verdict shadow_stack;	/* programs with a shadow stack */
};

/*
 * Tries both, where they exist, on functions that begin with each of @forms that the kernel emulates, since probes
 * are placed on these. A form on which a program is killed, and on another not, becomes FORM_HARMS there. Needs the rights to probe, and a process without threads: it forks.
 * The links that are @left are to be closed as those of forms_try().
 * The environment's CUTOP_TEST_KILLS (seccomp, shadow_stack) has a verdict be VERDICT_KILLS: for tests.
 */
struct selftest selftest_run(const struct kernel_features *features, struct forms *forms, struct sample_links *left);

/* True if the processor has shadow stacks for programs. */
bool shadow_stacks_exist(void);

/*
 * True if some process runs with a shadow stack, or would: GLIBC_TUNABLES in our
 * environment, which COMMAND inherits, asks for them.
 */
bool shadow_stacks_used(void);

#endif
