/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call sites that do the same wrong again and again: each gets one event, which counts the others
 * as long as they come one soon after the other.
 */
#ifndef MODEL_STORMS_H
#define MODEL_STORMS_H

#include <stdbool.h>
#include <stdint.h>

#define STORMS_MAX 16

/* A call site, what goes wrong there, and its event. */
struct storm {
	uint64_t site, latest;
	uint64_t event; /* number of the event, 0: none */
	uint16_t call;
	uint8_t kind; /* enum event_kind */
};

struct storms {
	struct storm list[STORMS_MAX];
};

/*
 * The storm that a failure like @like, which has no event yet, belongs to. *@is_new: it needs one;
 * otherwise the present event is repeated.
 */
struct storm *storms_find(struct storms *storms, const struct storm *like, bool *is_new);

#endif
