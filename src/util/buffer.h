/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing run of bytes, and functions that append numbers to it without printf: for text that is
 * printed hundreds of thousands of times a second. A buffer remembers that memory ran out and
 * ignores what is appended after that; the caller need only check at the end.
 */
#ifndef UTIL_BUFFER_H
#define UTIL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
	char *data;
	size_t len, room;
	bool failed;
};

void buffer_free(struct buffer *buffer);

void buffer_bytes(struct buffer *buffer, const void *bytes, size_t len);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_char(struct buffer *buffer, char c);
void buffer_count(struct buffer *buffer, uint64_t number);
void buffer_signed(struct buffer *buffer, int64_t number);
/* With zeros in front */
void buffer_padded(struct buffer *buffer, uint64_t number, unsigned int digits);
void buffer_hex(struct buffer *buffer, uint64_t number); /* 0x... */
void buffer_format(struct buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Nanoseconds as seconds, or as microseconds, with all their decimals. */
void buffer_seconds(struct buffer *buffer, uint64_t ns);
void buffer_micros(struct buffer *buffer, uint64_t ns);

/* @text, which is valid UTF-8, as a JSON string. */
void buffer_quoted(struct buffer *buffer, const char *text);

#endif
