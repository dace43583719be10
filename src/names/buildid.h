/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The build id that an ELF file's notes have. */
#ifndef NAMES_BUILDID_H
#define NAMES_BUILDID_H

#include <stdbool.h>

#include "names/sections.h"

#define BUILD_ID_MAX 64 /* bytes */

/*
 * Calls @take with each build id in @file's notes (2 to BUILD_ID_MAX bytes, borrowed) until it
 * returns true: first those in segments, then those in sections. Returns whether it did.
 */
bool build_id_find(const struct sections *file,
		   bool (*take)(void *context, const unsigned char *id, size_t len), void *context);

#endif
