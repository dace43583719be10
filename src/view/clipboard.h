/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for the clipboard of the terminal. */
#ifndef VIEW_CLIPBOARD_H
#define VIEW_CLIPBOARD_H

#include <stddef.h>

/*
 * The bytes that ask a terminal to put @text on its clipboard, *@len of them and a NUL; the caller
 * frees them. NULL with errno: E2BIG, ENOMEM.
 */
char *clipboard_sequence(const char *text, size_t *len);

/* Writes them to the terminal at @fd. Returns 0 or a negative errno; there is no answer. */
int clipboard_send(int fd, const char *text);

#endif
