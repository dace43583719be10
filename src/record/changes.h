/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which records a recording needs: rows are read whole at each refresh, and
 * mostly say again what they said before.
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
 * True if @record does something to a model that was given all before it for
 * which this was true. Without memory, all do.
 */
bool changes_any(struct changes *changes, const struct rec_hdr *record);

#endif
