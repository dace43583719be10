/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where printers write: a stream that remembers its first error, under a
 * locale in which numbers have a point.
 */
#ifndef UTIL_SINK_H
#define UTIL_SINK_H

#include <locale.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sink {
	FILE *stream;
	int error; /* the first error, a negative errno; later writes do nothing */
	locale_t ours, previous;
};

/*
 * cutop's own locale, for text that goes to no sink; restore with freelocale(). Returns 0 without
 * memory.
 */
locale_t sink_locale(void);

/*
 * Between sink_open() and sink_close() the calling thread prints in cutop's locale. sink_close()
 * flushes and returns the first error.
 */
int sink_open(struct sink *sink, FILE *stream);
int sink_close(struct sink *sink);

void sink_write(struct sink *sink, const char *data, size_t size);
void sink_puts(struct sink *sink, const char *text);

#define RFC3339_SIZE 32

/* Writes @time (ns, CLOCK_REALTIME) as 2025-11-21T14:03:22.123456Z. Returns @out. */
const char *format_rfc3339(uint64_t time, char out[RFC3339_SIZE]);

#endif
