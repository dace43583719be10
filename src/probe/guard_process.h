/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages from cutop to its guard process, over a socket that preserves message boundaries
 * (SOCK_SEQPACKET). Each is answered by a number: how many links came, or 0.
 */
#ifndef PROBE_GUARD_PROCESS_H
#define PROBE_GUARD_PROCESS_H

#include <stdint.h>

#include "probe/guard.h"

enum guard_order {
	GUARD_WATCH, /* with the file, if it is leased */
	GUARD_HOLD,  /* with links */
	GUARD_DROP,  /* answered when the links are closed */
	GUARD_END,   /* the same for all, and the process ends */
};

struct guard_message {
	uint32_t order;
	uint32_t count; /* of links, or of numbers */
	/* WATCH: the file's; HOLD: that of the links, and the file's; DROP: those to drop */
	uint32_t numbers[GUARD_DROP_MAX];
};

/* Runs the process at its end of the socket. */
_Noreturn void guard_process(int socket);

#endif
