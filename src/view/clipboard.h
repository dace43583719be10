/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for the clipboard of the terminal. */
#ifndef VIEW_CLIPBOARD_H
#define VIEW_CLIPBOARD_H

#include <stddef.h>

#include "view/output.h"

/*
 * The bytes that ask a terminal to put @text on its clipboard, *@len of them and a NUL; the caller
 * frees them. NULL with errno: E2BIG, ENOMEM.
 */
char *clipboard_sequence(const char *text, size_t *len);

/* Writes them to the terminal. Returns 0 or a negative errno; there is no answer. */
int clipboard_send(const struct output *output, const char *text);

#endif
