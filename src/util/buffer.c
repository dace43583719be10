/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 20 /* of 2^64 - 1 */

void buffer_free(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){ 0 };
}

static bool reserve(struct buffer *buffer, size_t more)
{
	size_t room = buffer->room ? buffer->room : 4096;
	char *data;

	if (buffer->failed)
		return false;
	if (buffer->len + more <= buffer->room)
		return true;
	while (room < buffer->len + more)
		room *= 2;
	data = realloc(buffer->data, room);
	if (!data) {
		buffer->failed = true;
		return false;
	}
	buffer->data = data;
	buffer->room = room;
	return true;
}

void buffer_bytes(struct buffer *buffer, const void *bytes, size_t len)
{
	if (!len || !reserve(buffer, len))
		return;
	memcpy(buffer->data + buffer->len, bytes, len);
	buffer->len += len;
}

void buffer_text(struct buffer *buffer, const char *text)
{
	buffer_bytes(buffer, text, strlen(text));
}

void buffer_char(struct buffer *buffer, char c)
{
	if (reserve(buffer, 1))
		buffer->data[buffer->len++] = c;
}

/* Writes @number so that it ends before @end. Returns where it begins. */
static char *digits_before(char *end, uint64_t number)
{
	do {
		*--end = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return end;
}

void buffer_count(struct buffer *buffer, uint64_t number)
{
	char text[DIGITS_MAX], *end = text + sizeof(text), *at = digits_before(end, number);

	buffer_bytes(buffer, at, (size_t)(end - at));
}

void buffer_signed(struct buffer *buffer, int64_t number)
{
	if (number < 0)
		buffer_char(buffer, '-');
	buffer_count(buffer, number < 0 ? -(uint64_t)number : (uint64_t)number);
}

void buffer_padded(struct buffer *buffer, uint64_t number, unsigned int digits)
{
	char text[DIGITS_MAX], *end = text + sizeof(text), *at = digits_before(end, number);

	while ((unsigned int)(end - at) < digits && at > text)
		*--at = '0';
	buffer_bytes(buffer, at, (size_t)(end - at));
}

void buffer_hex(struct buffer *buffer, uint64_t number)
{
	char text[18], *end = text + sizeof(text), *at = end;

	do {
		*--at = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number);
	*--at = 'x';
	*--at = '0';
	buffer_bytes(buffer, at, (size_t)(end - at));
}

void buffer_format(struct buffer *buffer, const char *format, ...)
{
	va_list args, again;
	int len;

	va_start(args, format);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	if (len > 0 && reserve(buffer, (size_t)len + 1)) {
		vsnprintf(buffer->data + buffer->len, (size_t)len + 1, format, again);
		buffer->len += (size_t)len;
	}
	va_end(again);
	va_end(args);
}

void buffer_seconds(struct buffer *buffer, uint64_t ns)
{
	buffer_count(buffer, ns / 1000000000);
	buffer_char(buffer, '.');
	buffer_padded(buffer, ns % 1000000000, 9);
}

void buffer_micros(struct buffer *buffer, uint64_t ns)
{
	buffer_count(buffer, ns / 1000);
	buffer_char(buffer, '.');
	buffer_padded(buffer, ns % 1000, 3);
}

void buffer_quoted(struct buffer *buffer, const char *text)
{
	const char *plain = text;

	buffer_char(buffer, '"');
	for (; *text; text++) {
		if (*text != '"' && *text != '\\' && (unsigned char)*text >= ' ')
			continue;
		buffer_bytes(buffer, plain, (size_t)(text - plain));
		plain = text + 1;
		if ((unsigned char)*text >= ' ') {
			buffer_char(buffer, '\\');
			buffer_char(buffer, *text);
		} else {
			buffer_format(buffer, "\\u%04x", *text);
		}
	}
	buffer_bytes(buffer, plain, (size_t)(text - plain));
	buffer_char(buffer, '"');
}
