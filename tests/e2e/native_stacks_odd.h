/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What native_stacks.c and native_stacks_odd.c have of each other. */
#ifndef NATIVE_STACKS_ODD_H
#define NATIVE_STACKS_ODD_H

#include "native_stacks.h"

/* Of native_stacks.c: each calls the one before it, link_0() allocates. */
long link_2(long a, long b, long c, long d);
long link_3(long a, long b, long c, long d);
long link_4(long a, long b, long c, long d);
long link_5(long a, long b, long c, long d);
long link_6(long a, long b, long c, long d);
long link_7(long a, long b, long c, long d);

/* Scenarios of native_stacks_odd.c */
void signal_raised(void);
void signal_fault(void);
void signal_stack(void);
void coroutine(void);
void generated(void);

#endif
