/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether programs with a tail call use the stack of the task that they run in. Since Linux 6.13 others on x86-64
 * may have one for each processor, which the next program writes over (bpf/cutop.bpf.c).
 */
#ifndef PROBE_STACKTEST_H
#define PROBE_STACKTEST_H

#include <stdbool.h>

/*
 * True if that is known: a program without one got other code for a large stack than for a small one, a program with one did
 * not. Needs the right to load programs.
 * CUTOP_TEST_STACKS=shared in the environment has it be false: for tests.
 */
bool stacktest_run(void);

#endif
