/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether programs with a tail call use the stack of the task that they run in. Since Linux 6.13
 * other programs on x86-64 may get a stack per processor, which the next program overwrites
 * (bpf/cutop.bpf.c).
 */
#ifndef PROBE_STACKTEST_H
#define PROBE_STACKTEST_H

#include <stdbool.h>

/*
 * True if that was shown: without a tail call, the machine code for a large stack differed from
 * that for a small one; with one, it did not. Needs the right to load programs. For tests:
 * CUTOP_TEST_STACKS=shared in the environment makes this false.
 */
bool stacktest_run(void);

#endif
