/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which records a recording needs: all rows are read at each refresh, and most repeat what they
 * said before.
 */
#ifndef RECORD_CHANGES_H
#define RECORD_CHANGES_H

#include <stdbool.h>
#include <linux/types.h>

#include "cutop_event.h"

struct changes;

struct changes *changes_new(void);
void changes_free(struct changes *changes);

/*
 * True if @record changes a model that was given all earlier records for which this returned true.
 * Without memory, it is true for all.
 */
bool changes_any(struct changes *changes, const struct rec_hdr *record);

#endif
