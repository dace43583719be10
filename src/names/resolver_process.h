/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answering end of the resolver, and the messages between the two ends. */
#ifndef NAMES_RESOLVER_PROCESS_H
#define NAMES_RESOLVER_PROCESS_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cutop_unwind.h"
#include "names/resolver.h"

enum resolver_type {
	RESOLVER_ADD,
	RESOLVER_ADD_LENT,
	RESOLVER_ASK,
	RESOLVER_ASK_RULE,
	RESOLVER_DROP,
	RESOLVER_NAME /* demangle what follows; the answer is the full form and a NUL, or the NUL */
};

struct resolver_question {
	/*
	 * Enum resolver_type; ADD comes with one or two descriptors, ADD_LENT with a socket that
	 * brings them
	 */
	uint16_t type;
	uint16_t after_call; /* of ASK_RULE: as for cfi_find() */
	uint32_t file;
	uint64_t offset;
	uint64_t cookie;
};

/*
 * One answer for each RESOLVER_ASK and RESOLVER_ASK_RULE. As many bytes as resolver_answer_size()
 * says are sent.
 */
struct resolver_answer {
	uint64_t cookie;
	uint32_t line; /* 0: not known; with a rule, 1 */
	uint32_t inlined_count;
	union {
		char path[RESOLVER_PATH_LEN];
		struct unwind_rule rule;
	};
	struct resolver_inlined inlined[CUTOP_INLINED_MAX];
};

#define RESOLVER_ANSWER_SIZE_MIN offsetof(struct resolver_answer, inlined)

/* The size of @answer, whose inlined_count is not above CUTOP_INLINED_MAX. */
static inline size_t resolver_answer_size(const struct resolver_answer *answer)
{
	return RESOLVER_ANSWER_SIZE_MIN + answer->inlined_count * sizeof(answer->inlined[0]);
}

#define RESOLVER_SECONDS_MAX 10                    /* for one question; then the process ends */
#define RESOLVER_NAME_TIME   (200 * NSEC_PER_MSEC) /* the same for a name, of the processor */
/* Files that it is asked about at a time; as many more may be about to be dropped */
#define RESOLVER_FILES_MAX 128

/*
 * Starts an answering process, which may use @memory bytes. Returns the socket to ask it by, which
 * is the caller's, and stores its pid in *@pid; or a negative errno.
 */
int resolver_process_start(enum resolver_use use, uint64_t memory, pid_t *pid);

#endif
