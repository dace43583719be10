/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * If cutop's file gives it capabilities (setcap), files named by the starting user are opened with
 * that user's own rights: without the right to read everything. Root, and a user with capabilities
 * of their own, has that right anyway.
 */
#ifndef UTIL_STARTER_H
#define UTIL_STARTER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * True if the file that is run gives rights that the starting user lacks: by capabilities, or by
 * setuid.
 */
bool starter_has_less(void);

/*
 * From here to starter_end() the calling thread can open only files that the starting user may
 * open; its other rights stay. @kept is for starter_end(). Returns 0, or a negative errno: then do
 * not open anything, and do not call starter_end().
 */
int starter_begin(uint32_t *kept);
void starter_end(uint32_t kept);

#endif
