/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where cutop's file gives it capabilities (setcap), files that its starter names are opened as the starter could do: without
 * the right to read everything. Root, and a starter who has capabilities of his own, has that right himself.
 */
#ifndef UTIL_STARTER_H
#define UTIL_STARTER_H

#include <stdbool.h>
#include <stdint.h>

/* True if the file that is run gives rights which its starter has not: by capabilities, or by its owner. */
bool starter_has_less(void);

/*
 * From here to starter_end() the calling thread opens only files that the starter may open; its other rights stay. @kept is
 * for starter_end(). Returns 0, or a negative errno: then nothing may be opened, and nothing is to be ended.
 */
int starter_begin(uint32_t *kept);
void starter_end(uint32_t kept);

#endif
