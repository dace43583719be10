/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a program is: what /proc says of its process, as a REC_IDENTITY record. */
#ifndef COLLECT_PROCESS_IDENTITY_H
#define COLLECT_PROCESS_IDENTITY_H

#include <stdbool.h>

#include <linux/types.h>

#include "cutop_event.h"
#include "probe/outside.h"

/*
 * Makes the identity record of @process. A process that is gone already is
 * known by what the record itself says. *@error: 0, or -EAGAIN and the like where what is in its memory may be had
 * later (probe/outside.h), or -ETIMEDOUT. Returns NULL without memory. The caller frees it.
 */
struct rec_identity *identity_read(const struct outside *outside, const struct rec_process *process, bool late, int *error);

/* Takes out which devices it sees: they turned out to be those of another program. */
void identity_drop_devices(struct rec_identity *identity);

#endif
