/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call sites that fail to allocate again and again: of each one event is made per interval, the rest is counted in it. */
#ifndef MODEL_STORMS_H
#define MODEL_STORMS_H

#include <stdbool.h>
#include <stdint.h>

#define STORMS_MAX	16

/* A call site that found no memory, and the event that says so. */
struct storm {
	uint64_t site, since;
	uint64_t event;			/* number of the event, 0: none */
	uint16_t call;
};

struct storms {
	struct storm list[STORMS_MAX];
};

/* The storm that a failure at @time belongs to. *@is_new: its event is to be told now, and not just repeated. */
struct storm *storms_find(struct storms *storms, unsigned int call, uint64_t site, uint64_t time, bool *is_new);

#endif
