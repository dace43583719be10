/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A made-up feed, for `cutop demo` when probes cannot be placed: records and rows of processes that
 * do not exist, as the BPF side would have sent them.
 */
#ifndef COLLECT_SYNTHETIC_H
#define COLLECT_SYNTHETIC_H

#include "collect/record_sink.h"

struct synthetic;

/* Begins at @now (ns, CLOCK_MONOTONIC). Returns NULL without memory. Free with synthetic_free(). */
struct synthetic *synthetic_new(uint64_t now);
void synthetic_free(struct synthetic *synthetic);

/* Passes everything that happened until @now to @sink. */
void synthetic_feed(struct synthetic *synthetic, const struct record_sink *sink, uint64_t now);

#endif
