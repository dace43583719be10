/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is written to the terminal. A terminal may take nothing for a long time (Ctrl-S, a
 * connection that stalls), and all signals that end cutop are blocked and read from a descriptor: a
 * write(2) that waits would make it impossible to end. So writes do not wait; the program decides
 * how long to.
 */
#ifndef VIEW_OUTPUT_H
#define VIEW_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct output {
	int fd;
	/* Waits until it takes more; false: something else comes first. NULL: it waits for ever. */
	bool (*wait)(void *context);
	void *context;
};

/* True if it takes something within @ms. */
bool output_takes(const struct output *output, int ms);

/* The same, with the program's own wait */
bool output_wait(const struct output *output);

/* Returns 0, -EAGAIN if something else came first, or another negative errno. */
int output_write(const struct output *output, const char *data, size_t len);

#endif
