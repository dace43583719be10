/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How resets, destroyed contexts and the end of a process change its ledger. */
#ifndef MODEL_LEDGER_END_H
#define MODEL_LEDGER_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/ledger.h"

/* The effects of a reset. */
struct reset_news {
	bool is_end;     /* false: something else holds the context, and nothing ended */
	bool is_told;    /* what it ended is worth reporting: */
	uint64_t count;  /* allocations that it ended */
	uint64_t leaked; /* bytes of them that leaked, */
	bool is_held;    /* and whether caches held some of them */
};

void ledger_reset(struct ledger *ledger, const struct rec_reset *record, struct reset_news *news);

/* The effects of a process's end. */
struct end_news {
	size_t lost_frees;       /* frees that were missed */
	uint64_t leaked, count;  /* bytes and allocations that leaked, */
	const struct site *most; /* and the site with most of them; NULL: nothing leaked */
	uint64_t unsure;         /* bytes that leaked, unless their frees are among lost records, */
	uint64_t unknown;        /* or of which it is not known who asked for them */
};

void ledger_end(struct ledger *ledger, uint64_t time, struct end_news *news);

#endif
