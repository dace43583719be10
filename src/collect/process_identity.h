/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identifies a program: what /proc says of its process, as a REC_IDENTITY record. */
#ifndef COLLECT_PROCESS_IDENTITY_H
#define COLLECT_PROCESS_IDENTITY_H

#include <stdbool.h>

#include <linux/types.h>

#include "cutop_event.h"
#include "probe/outside.h"

/*
 * Makes the identity record of @process. If the process is gone, what the record itself says is
 * used. *@error: 0; -EAGAIN and the like if what is in its memory may be had later
 * (probe/outside.h); or -ETIMEDOUT. Returns NULL without memory. The caller frees it.
 */
struct rec_identity *identity_read(const struct outside *outside, const struct rec_process *process,
				   enum late late, int *error);

/* Removes the list of devices that it sees, which turned out to belong to another program. */
void identity_drop_devices(struct rec_identity *identity);

#endif
