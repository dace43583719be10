/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clipboard of the terminal, by its escape sequence OSC 52, "Manipulate Selection Data" (XTerm
 * Control Sequences): base64 between "ESC ] 52 ; c ;" and BEL. Terminals that do not know it ignore
 * it, and so do multiplexers that were not told to let it through.
 */
#include "view/clipboard.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CLIPBOARD_MAX 49152 /* bytes; xterm takes at most 74,994 of base64 */

static const char begin[] = "\033]52;c;", end[] = "\a";

static size_t encode(char *out, const char *text, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t at = 0;

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t bits = (uint32_t)(unsigned char)text[i] << 16;

		if (left > 1)
			bits |= (uint32_t)(unsigned char)text[i + 1] << 8;
		if (left > 2)
			bits |= (unsigned char)text[i + 2];
		out[at++] = digits[bits >> 18 & 63];
		out[at++] = digits[bits >> 12 & 63];
		out[at++] = left > 1 ? digits[bits >> 6 & 63] : '=';
		out[at++] = left > 2 ? digits[bits & 63] : '=';
	}
	return at;
}

char *clipboard_sequence(const char *text, size_t *len)
{
	size_t size = strlen(text), at = strlen(begin);
	char *out;

	if (size > CLIPBOARD_MAX) {
		errno = E2BIG;
		return NULL;
	}
	out = malloc(size * 4 / 3 + 16 + sizeof(begin) + sizeof(end));
	if (!out)
		return NULL;
	memcpy(out, begin, at);
	at += encode(out + at, text, size);
	memcpy(out + at, end, sizeof(end));
	*len = at + strlen(end);
	return out;
}

int clipboard_send(const struct output *output, const char *text)
{
	size_t len;
	char *out = clipboard_sequence(text, &len);
	int err;

	if (!out)
		return -errno;
	err = output_write(output, out, len);
	free(out);
	return err;
}
