/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the driver says of devices, and of the memory that processes use on them. What it said last holds until it is
 * asked anew.
 */
#ifndef MODEL_READINGS_H
#define MODEL_READINGS_H

#include <stddef.h>

#include "model/stream.h"

struct readings {
	struct rec_device_reading *devices;
	struct rec_process_reading *processes;
	size_t device_count, process_count;
};

/* The driver was asked anew: what it said before is over. */
void readings_clear(struct readings *readings);
/* Return 0 or -ENOMEM. Readings past what there is room for are left out. */
int readings_device(struct readings *readings, const struct rec_device_reading *reading);
int readings_process(struct readings *readings, const struct rec_process_reading *reading);
void readings_free(struct readings *readings);

#endif
