/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The build id that an ELF file's notes have. */
#ifndef NAMES_BUILDID_H
#define NAMES_BUILDID_H

#include <stdbool.h>

#include "names/sections.h"

#define BUILD_ID_MAX	64	/* bytes */

/*
 * Calls @take with each build id in @file's notes, of 2 to BUILD_ID_MAX bytes, until it returns true: those of the segments, then
 * those of the sections. The id is borrowed. Returns whether it did.
 */
bool build_id_find(const struct sections *file, bool (*take)(void *context, const unsigned char *id, size_t len), void *context);

#endif
