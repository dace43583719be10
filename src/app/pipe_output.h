/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output to something that another process may have to read: a pipe, a terminal. Signals are
 * blocked and read from a descriptor, so a write(2) that blocks would miss them. This waits for
 * both.
 */
#ifndef APP_PIPE_OUTPUT_H
#define APP_PIPE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "app/session.h"

struct pipe_output {
	struct session *session;
	int fd;
	bool is_file;     /* a regular file: writing never waits for a reader */
	int error;        /* the first */
	uint64_t written; /* bytes */
	bool in_hurry;
	/* The collector stops when the session is over, also while the reader takes nothing */
	bool stops;
};

/* @fd and @session are borrowed. */
void pipe_output_begin(struct pipe_output *pipe, struct session *session, int fd);

/*
 * Writes all of @data, however long its reader takes, and handles signals meanwhile. After a signal
 * that ends cutop (except a first SIGINT), it gives up once the reader has read nothing for a
 * second. Returns 0 or a negative errno, which all later calls return as well; -ETIMEDOUT: the rest
 * was not read.
 */
int pipe_output_write(struct pipe_output *pipe, const void *data, size_t size);

/* Tells the user about @err, a negative errno of writing to @path, NULL for standard output. */
void pipe_output_tell(const struct session *session, const char *path, int err);

/*
 * A stream that writes this way; close it before @pipe goes. It has no descriptor of its own. NULL
 * without memory.
 */
FILE *pipe_output_stream(struct pipe_output *pipe);

#endif
