/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output that another process may have to read: a pipe, a terminal. A write(2) that waits for a reader would be deaf to
 * signals, which are blocked and read from a descriptor. Here both are waited for.
 */
#ifndef APP_PIPE_OUTPUT_H
#define APP_PIPE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "app/session.h"

struct pipe_output {
	struct session *session;
	int fd;
	bool is_file;		/* it never keeps anybody waiting for a reader */
	int error;		/* the first */
	bool in_hurry;
};

/* @fd and @session are borrowed. */
void pipe_output_begin(struct pipe_output *pipe, struct session *session, int fd);

/*
 * Writes all of @data, however long its reader takes, and hears signals meanwhile. After one that ends us, but for a
 * first SIGINT, a reader that reads nothing for a second is not waited for any more. Returns 0 or a negative errno,
 * which all later calls return as well; -ETIMEDOUT: it was not read.
 */
int pipe_output_write(struct pipe_output *pipe, const void *data, size_t size);

/* Tells the user of @err, a negative errno of writing to @path, NULL for standard output. */
void pipe_output_tell(const struct session *session, const char *path, int err);

/* A stream that writes this way, to be closed before @pipe goes; its descriptor is none. NULL without memory. */
FILE *pipe_output_stream(struct pipe_output *pipe);

#endif
