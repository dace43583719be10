/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was lost, by cause: in the kernel and by the collector, which say totals, and here. */
#ifndef MODEL_LOSSES_H
#define MODEL_LOSSES_H

#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"

struct losses {
	uint64_t fed[LOST_FED_COUNT];	/* found by the kernel's side and by the collector */
	uint64_t own[LOST_COUNT];	/* found here */
	uint64_t told[LOST_COUNT];	/* when the log last said so */
};

uint64_t losses_total(const struct losses *losses, enum lost_cause cause);

/*
 * Counts @count more, or takes @total for what others lost to a cause below LOST_FED_COUNT. Returns what the log should say
 * was lost in all: it does the first time, and again whenever that has doubled. 0: nothing is to be said.
 */
uint64_t losses_add(struct losses *losses, enum lost_cause cause, uint64_t count);
uint64_t losses_set(struct losses *losses, enum lost_cause cause, uint64_t total);

/* What was lost to @cause, in words that follow a number. */
const char *losses_words(enum lost_cause cause);

#endif
