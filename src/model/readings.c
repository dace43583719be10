/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/readings.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/limits.h"

void readings_clear(struct readings *readings)
{
	readings->device_count = readings->instance_count = readings->process_count = 0;
}

/*
 * Makes room for one more of @count entries of @size bytes. Returns the list, or NULL without
 * memory.
 */
static void *list_grow(void *list, size_t count, size_t size)
{
	/* only at each power of two, so that a growing list is not copied each time */
	return count & (count - 1) ? list : realloc(list, (count ? 2 * count : 1) * size);
}

int readings_device(struct readings *readings, const struct rec_device_reading *reading)
{
	size_t count = readings->device_count;
	struct rec_device_reading *list;

	if (count >= DEVICES_MAX || reading->device < 0 || reading->device >= DEVICES_MAX)
		return 0;
	list = list_grow(readings->devices, count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	readings->devices = list;
	list[count] = *reading;
	list[count].name[READING_TEXT - 1] = list[count].uuid[READING_TEXT - 1] = 0;
	readings->device_count++;
	return 0;
}

int readings_instance(struct readings *readings, const struct rec_instance_reading *reading)
{
	size_t count = readings->instance_count;
	struct rec_instance_reading *list;

	if (count >= INSTANCES_MAX || reading->device < 0 || reading->device >= DEVICES_MAX)
		return 0;
	list = list_grow(readings->instances, count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	readings->instances = list;
	list[count] = *reading;
	list[count].name[READING_TEXT - 1] = list[count].uuid[READING_TEXT - 1] = 0;
	readings->instance_count++;
	return 0;
}

int readings_process(struct readings *readings, const struct rec_process_reading *reading)
{
	size_t count = readings->process_count;
	struct rec_process_reading *list;

	if (count >= PROCESS_READINGS_MAX)
		return 0;
	list = list_grow(readings->processes, count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	readings->processes = list;
	list[count] = *reading;
	readings->process_count++;
	readings->is_new = true;
	return 0;
}

void readings_free(struct readings *readings)
{
	free(readings->devices);
	free(readings->instances);
	free(readings->processes);
}
