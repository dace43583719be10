/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was lost, by cause: in the kernel and in the collector, which report totals, and here. */
#ifndef MODEL_LOSSES_H
#define MODEL_LOSSES_H

#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"

struct losses {
	uint64_t fed[LOST_FED_COUNT]; /* lost by the BPF side and by the collector */
	uint64_t own[LOST_COUNT];     /* lost here */
	uint64_t told[LOST_COUNT];    /* when the log last reported it */
};

uint64_t losses_total(const struct losses *losses, enum lost_cause cause);

/*
 * Counts @count more losses, or takes over @total for a cause below LOST_FED_COUNT. Returns the
 * total that the log should report: the first time, and whenever it has doubled; 0: nothing to
 * report.
 */
uint64_t losses_add(struct losses *losses, enum lost_cause cause, uint64_t count);
uint64_t losses_set(struct losses *losses, enum lost_cause cause, uint64_t total);

/* What was lost to @cause, in words that follow a number. */
const char *losses_words(enum lost_cause cause);

#endif
