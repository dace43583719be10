/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time that files of each user may take. A hostile file costs its owner's, not that of others: when it is used up, that user's
 * files are left alone until some has come back, which it does all the time.
 */
#ifndef NAMES_ALLOWANCE_H
#define NAMES_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

struct allowance;

/* @most: what a user has at first and at most, in ns; a @share-th part of the time that passes comes back. NULL without memory. */
struct allowance *allowance_new(uint64_t most, unsigned int share);
void allowance_free(struct allowance *allowance);

/* True if the user @uid has @ns left at @now (ns of a clock that does not go back). */
bool allowance_has(struct allowance *allowance, uint32_t uid, uint64_t now, uint64_t ns);

/* Takes @ns of what @uid has, or what is left of it. */
void allowance_spend(struct allowance *allowance, uint32_t uid, uint64_t now, uint64_t ns);

#endif
