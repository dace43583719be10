/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits how much time the files of each user may take. A hostile file costs its own user, not
 * others: once a user's allowance is used up, their files are left alone until some has come back,
 * which happens continuously.
 */
#ifndef NAMES_ALLOWANCE_H
#define NAMES_ALLOWANCE_H

#include <stdbool.h>
#include <stdint.h>

struct allowance;

/*
 * @most: what a user has at first and at most, in ns; one @share-th of the time that passes comes
 * back. NULL without memory.
 */
struct allowance *allowance_new(uint64_t most, unsigned int share);
void allowance_free(struct allowance *allowance);

/* True if the user @uid has @ns left at @now (ns of a monotonic clock). */
bool allowance_has(struct allowance *allowance, uint32_t uid, uint64_t now, uint64_t ns);

/*
 * Takes @ns from @uid's allowance. What was spent beyond it has to come back, too, before there is
 * any again, up to as much as there is at first: what a file costs is known afterwards only.
 */
void allowance_spend(struct allowance *allowance, uint32_t uid, uint64_t now, uint64_t ns);

#endif
