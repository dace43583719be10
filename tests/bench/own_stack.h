/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BENCH_OWN_STACK_H
#define BENCH_OWN_STACK_H

#include <stdbool.h>

/*
 * True if programs with a tail call, as all of ours are, use the stack of the task that they run in
 * (bpf/cutop.bpf.c). @differs: without one they would not, on this kernel.
 */
bool own_stack_is_kept(bool *differs);

#endif
