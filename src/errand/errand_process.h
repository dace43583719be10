/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages between errand.c and the processes that do its work, over sockets that preserve message
 * boundaries.
 */
#ifndef ERRAND_ERRAND_PROCESS_H
#define ERRAND_ERRAND_PROCESS_H

#include <stdint.h>

#include "errand/errand.h"

/* To the process that forks workers. FORK comes with the worker's socket. There is no reply. */
struct errand_order {
	enum { ERRAND_FORK, ERRAND_KILL } what;
	int32_t pid; /* KILL: the process to kill */
};

/* A worker's first message. */
struct errand_hello {
	int32_t pid;
};

/* Before the question itself. */
struct errand_asked {
	uint32_t job;
	/* What the job holds is kept until the socket is closed; then the worker exits */
	uint32_t holds;
};

/* Longer answers come in a memory file, the last descriptor */
#define ERRAND_INLINE (16u << 10)

struct errand_told {
	int32_t result;
	uint32_t fd_mask; /* which of the answer's descriptors are attached */
	uint64_t len;
	uint32_t has_data;
	uint32_t in_file;
};

#define ERRAND_MESSAGE_FDS (ERRAND_FDS + 1)

/*
 * Sends @head and then @body as one message, with @count descriptors. Returns 0 or a negative
 * errno; -EAGAIN if there is no room and @flags has MSG_DONTWAIT.
 */
int errand_send(int socket, const void *head, size_t head_len, const void *body, size_t body_len,
		const int *fds, int count, int flags);

/*
 * Receives one message. Returns its length, 0 at the end, or a negative errno. Unused places in
 * @fds become -1.
 */
long errand_receive(int socket, void *head, size_t head_len, void *body, size_t body_max,
		    int fds[ERRAND_MESSAGE_FDS], int flags);

/* In a new child: forks workers as told through @socket, until that is closed. */
_Noreturn void errand_process(int socket, const struct errands_settings *settings);

#endif
