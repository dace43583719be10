/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a hit of a probe costs a program on this machine. */
#ifndef PROBE_HIT_COST_H
#define PROBE_HIT_COST_H

#include <stdint.h>

struct bpf;

/*
 * Nanoseconds that a call of a watched program takes longer for a probe at its entry, if its caches
 * hold other things. Takes some 20 ms. Where it cannot be measured: HIT_COST_USUAL.
 */
uint64_t hit_cost_measure(const struct bpf *bpf);

/* As measured in a virtual machine on an AMD EPYC (docs/cost.md) */
#define HIT_COST_USUAL 2700

#endif
