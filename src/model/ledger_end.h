/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What resets, destroyed contexts and the end of a process do to its ledger. */
#ifndef MODEL_LEDGER_END_H
#define MODEL_LEDGER_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ledger.h"

/* What a reset came to. */
struct reset_news {
	bool is_end;		/* false: something else holds the context, nothing ended */
	bool is_told;		/* what was ended is of interest: */
	uint64_t count;		/* allocations that it ended */
	uint64_t leaked;	/* bytes of them that leaked, */
	bool is_held;		/* and whether caches held others */
};

void ledger_reset(struct ledger *ledger, const struct rec_reset *record, struct reset_news *news);

/* What the end of a process came to. */
struct end_news {
	size_t lost_frees;	/* they were not seen */
	uint64_t leaked, count;	/* bytes and allocations that leaked, */
	const struct site *most;	/* and where most of them are from; NULL: nothing leaked */
	uint64_t unsure;	/* bytes that leaked, unless their frees are among what was lost */
};

void ledger_end(struct ledger *ledger, uint64_t time, struct end_news *news);

#endif
