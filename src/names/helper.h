/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process of resolver_process.c, as the asking end sees it: started, ended, and started again, no
 * more than once each second.
 */
#ifndef NAMES_HELPER_H
#define NAMES_HELPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "names/resolver.h"
#include "util/allowance.h"
#include "util/util.h"

/* killed processes that the kernel keeps asleep and does not let die */
#define HELPER_GONE_MAX 16
/* Starts at a stretch; then one each: */
#define HELPER_STARTS_MAX     32
#define HELPER_START_INTERVAL NSEC_PER_SEC

struct helper {
	int socket; /* to ask it by; -1: none runs */
	pid_t pid;
	pid_t gone[HELPER_GONE_MAX]; /* killed, but still there; 0: none */
	struct allowance starts;     /* a start costs HELPER_START_INTERVAL */
};

#define HELPER_NONE \
	{ \
		.socket = -1, .starts = { \
			.most = HELPER_STARTS_MAX * HELPER_START_INTERVAL, \
			.share = 1 \
		} \
	}

/*
 * @memory: bytes that it may use. Returns false if none runs: too many were started, or the kernel
 * cannot start one.
 */
bool helper_start(struct helper *helper, enum resolver_use use, uint64_t memory);

/* Ends the process, if one runs, whatever it is at. */
void helper_end(struct helper *helper);

/* The same at the end of cutop: waits a moment for those that can end. */
void helper_free(struct helper *helper);

#endif
