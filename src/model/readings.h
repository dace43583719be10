/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the driver says about devices and their parts, and about the memory that processes use on
 * them. Figures hold until it is asked again.
 */
#ifndef MODEL_READINGS_H
#define MODEL_READINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/stream.h"

struct readings {
	struct rec_device_reading *devices;
	struct rec_instance_reading *instances;
	struct rec_process_reading *processes;
	size_t device_count, instance_count, process_count;
	bool is_new; /* there are processes that device_numbers_listed() has not seen */
};

/* The driver was asked again: drops its earlier figures. */
void readings_clear(struct readings *readings);
/* Return 0 or -ENOMEM. Readings for which there is no room are left out. */
int readings_device(struct readings *readings, const struct rec_device_reading *reading);
int readings_instance(struct readings *readings, const struct rec_instance_reading *reading);
int readings_process(struct readings *readings, const struct rec_process_reading *reading);
void readings_free(struct readings *readings);

#endif
