/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call sites that fail to allocate again and again: each gets one event per interval, which counts
 * the other failures.
 */
#ifndef MODEL_STORMS_H
#define MODEL_STORMS_H

#include <stdbool.h>
#include <stdint.h>

#define STORMS_MAX 16

/* A call site that found no memory, and its latest event. */
struct storm {
	uint64_t site, since;
	uint64_t event; /* number of the event, 0: none */
	uint16_t call;
};

struct storms {
	struct storm list[STORMS_MAX];
};

/*
 * The storm that a failure at @time belongs to. *@is_new: it needs an event of its own; otherwise
 * the present event is repeated.
 */
struct storm *storms_find(struct storms *storms, unsigned int call, uint64_t site, uint64_t time,
			  bool *is_new);

#endif
