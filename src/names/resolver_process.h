/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answering end of the resolver, and what the two ends say to each other. */
#ifndef NAMES_RESOLVER_PROCESS_H
#define NAMES_RESOLVER_PROCESS_H

#include <stdint.h>

#include "names/resolver.h"

enum resolver_type { RESOLVER_ADD, RESOLVER_ASK, RESOLVER_DROP };

struct resolver_question {
	uint32_t type;		/* enum resolver_type; RESOLVER_ADD comes with one or two descriptors */
	uint32_t file;
	uint64_t offset;
	uint64_t cookie;
};

/* One for each RESOLVER_ASK. */
struct resolver_answer {
	uint64_t cookie;
	uint32_t line;		/* 0: not known */
	uint32_t pad;
	char path[RESOLVER_PATH_LEN];
};

/* Runs in a forked child until @socket ends. */
_Noreturn void resolver_process(int socket);

#endif
