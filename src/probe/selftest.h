/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What return probes do to programs on this kernel, tried on a child process.
 * Linux 6.11 to early 6.13 make a return probe issue a system call, which a seccomp filter does not
 * know, so it kills the program. Linux 6.6 to 6.10 support shadow stacks, but do not tell them that
 * a return probe changes where a function returns to: the processor ends the program. Versions
 * prove little, since fixes are backported: so a child with such a filter, or such a stack, runs
 * through a return probe.
 */
#ifndef PROBE_SELFTEST_H
#define PROBE_SELFTEST_H

#include <stdbool.h>

#include "probe/formtest.h"
#include "probe/kernel.h"

enum verdict {
	VERDICT_UNKNOWN, /* could not be tried */
	VERDICT_FINE,
	VERDICT_KILLS, /* the probed program is killed */
};

struct selftest {
	enum verdict seccomp;      /* programs under a seccomp filter */
	enum verdict shadow_stack; /* programs with a shadow stack */
};

/*
 * Tries both, where they exist, on functions that begin with each form that the kernel emulates,
 * since probes are placed on these. A form on which the child is killed while it survives on
 * another becomes FORM_HARMS in @forms. Needs the rights to probe, and a process without threads,
 * since it forks. Close the links in @left like those of forms_try(). For tests: CUTOP_TEST_KILLS
 * (seccomp, shadow_stack) in the environment forces VERDICT_KILLS.
 */
struct selftest selftest_run(const struct kernel_features *features, struct forms *forms,
			     struct sample_links *left);

/* True if the processor has shadow stacks for programs. */
bool shadow_stacks_exist(void);

/*
 * True if a process runs with a shadow stack, or would: GLIBC_TUNABLES in our environment, which
 * COMMAND inherits, asks for one.
 */
bool shadow_stacks_used(void);

#endif
