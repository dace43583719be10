/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages between cutop and its guard process, over a socket that preserves message boundaries
 * (SOCK_SEQPACKET).
 */
#ifndef PROBE_KEEPER_PROCESS_H
#define PROBE_KEEPER_PROCESS_H

#include <stdint.h>

#include "probe/lease.h"
#include "util/message.h"

#define KEEPER_LINKS_MAX MESSAGE_FDS_MAX /* descriptors in a message */

enum keeper_type {
	/* to the process */
	KEEPER_WATCH, /* with the file and its state */
	KEEPER_KEEP,  /* with links; answered */
	KEEPER_DROP,  /* begins to close */
	KEEPER_WAIT,  /* answered when all that was dropped is closed */
	KEEPER_END,   /* closes everything; answered, and the process ends */
	/* from the process */
	KEEPER_ANSWER, /* value: how many links came, or 0 */
	/* The links of the shelf are closed: its file is about to be written to, or was */
	KEEPER_LIFTED,
};

struct keeper_message {
	uint32_t type, shelf, value, pad;
	struct guard_state state;
};

/* Runs the process at its end of the socket. */
_Noreturn void keeper_process(int socket);

#endif
