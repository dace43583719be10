/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the driver says of devices, and of the memory that processes use on
 * them, beside what the books hold. The difference is memory that nobody asked
 * CUDA for with a call of the table: contexts, code, what libraries reserve,
 * and what was allocated before watching began.
 *
 * What was said last holds until the driver is asked anew. It may be a second
 * older than the books, so that a difference can be off by what was
 * allocated since.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/arena.h"
#include "model/snapshot_lists.h"
#include "model/stream.h"
#include "util/utf8.h"

#define PROCESS_READINGS_MAX	65536

/* ---- keeping ---- */

void readings_clear(struct model *model)
{
	model->device_reading_count = model->process_reading_count = 0;
}

/* Makes room for one more of @count entries of @size bytes. Returns the list, or NULL without memory. */
static void *list_grow(void *list, size_t count, size_t size)
{
	/* at each power of two, so that a list of many is not copied as often as it grows */
	return count & (count - 1) ? list : realloc(list, (count ? 2 * count : 1) * size);
}

int readings_device(struct model *model, const struct rec_device_reading *reading)
{
	size_t count = model->device_reading_count;
	struct rec_device_reading *list;

	if (count >= DEVICES_MAX || reading->device < 0 || reading->device >= DEVICES_MAX)
		return 0;
	list = list_grow(model->device_readings, count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	model->device_readings = list;
	list[count] = *reading;
	list[count].name[READING_TEXT - 1] = list[count].uuid[READING_TEXT - 1] = 0;
	model->device_reading_count++;
	return 0;
}

int readings_process(struct model *model, const struct rec_process_reading *reading)
{
	size_t count = model->process_reading_count;
	struct rec_process_reading *list;

	if (count >= PROCESS_READINGS_MAX)
		return 0;
	list = list_grow(model->process_readings, count, sizeof(*list));
	if (!list)
		return -ENOMEM;
	model->process_readings = list;
	list[count] = *reading;
	model->process_reading_count++;
	return 0;
}

void readings_free(struct model *model)
{
	free(model->device_readings);
	free(model->process_readings);
}

/* ---- devices of a snapshot ---- */

static int device_order(const void *left, const void *right)
{
	const struct snap_device *a = left, *b = right;

	return (a->device > b->device) - (a->device < b->device);
}

/* The entry of @device, made if there is none. */
static struct snap_device *device_entry(struct snapshot *snapshot, int device)
{
	struct snap_device *entry;

	for (size_t i = 0; i < snapshot->device_count; i++)
		if (snapshot->devices[i].device == device)
			return &snapshot->devices[i];
	entry = &snapshot->devices[snapshot->device_count++];
	*entry = (struct snap_device){ .device = device, .utilization = NAN, .temperature = NAN, .power = NAN };
	return entry;
}

/* Returns 0 with *@copy set, NULL if @text is empty, or -ENOMEM. */
static int text_copy(struct arena *arena, const char *text, const char **copy)
{
	char clean[READING_TEXT];

	utf8_clean(text, clean, sizeof(clean));
	*copy = clean[0] ? arena_string(arena, clean) : NULL;
	return clean[0] && !*copy ? -ENOMEM : 0;
}

static double known_number(const struct rec_device_reading *reading, unsigned int bit, double number)
{
	return reading->known & bit ? number : NAN;
}

static int device_read(struct build *build, const struct rec_device_reading *reading)
{
	struct snap_device *device = device_entry(build->snapshot, reading->device);

	device->has_used = reading->known & READING_MEMORY;
	if (device->has_used) {
		device->used = reading->used;
		device->total = reading->total;
	}
	device->utilization = known_number(reading, READING_UTILIZATION, reading->utilization / 100.0);
	device->temperature = known_number(reading, READING_TEMPERATURE, reading->temperature);
	device->power = known_number(reading, READING_POWER, reading->power / 1000.0);
	return text_copy(build->arena, reading->name, &device->name) ?: text_copy(build->arena, reading->uuid, &device->uuid);
}

/* The running process with @pid, or NULL. Processes stand by pid. */
static struct snap_process *process_find(struct snapshot *snapshot, uint32_t pid)
{
	size_t low = 0, high = snapshot->process_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (snapshot->processes[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < snapshot->process_count && snapshot->processes[low].pid == pid; low++)
		if (!snapshot->processes[low].exited)
			return &snapshot->processes[low];
	return NULL;
}

static void processes_read(const struct model *model, struct snapshot *snapshot)
{
	struct snap_process *process;
	size_t i;

	for (i = 0; i < model->process_reading_count; i++) {
		process = process_find(snapshot, model->process_readings[i].pid);
		if (!process)
			continue;
		process->has_used = true;
		process->used = add_saturated(process->used, model->process_readings[i].used);
	}
	for (i = 0; i < model->process_reading_count; i++) {
		process = process_find(snapshot, model->process_readings[i].pid);
		if (!process)
			continue;
		/* A sum over devices of which one is not known is not known. */
		if (!model->process_readings[i].is_known)
			process->has_used = false;
		process->untracked = subtract_saturated(process->used, process->live);
	}
}

int build_device_list(struct build *build)
{
	const struct model *model = build->model;
	struct snapshot *snapshot = build->snapshot;
	size_t i;

	snapshot->devices = arena_alloc(build->arena, model->held_on.count + model->device_reading_count, sizeof(*snapshot->devices));
	if (!snapshot->devices)
		return -ENOMEM;
	for (i = 0; i < model->held_on.count; i++) {
		const struct device_use *use = &model->held_on.list[i];
		struct snap_device *device;

		if (use->device < 0)
			continue;
		device = device_entry(snapshot, use->device);
		device->tracked = use->live;
		/* Told different sizes, processes mean different devices by one number. */
		device->total = use->mixed ? 0 : use->total;
	}
	for (i = 0; i < model->device_reading_count; i++)
		if (device_read(build, &model->device_readings[i]))
			return -ENOMEM;
	if (snapshot->device_count)
		qsort(snapshot->devices, snapshot->device_count, sizeof(snapshot->devices[0]), device_order);
	processes_read(model, snapshot);
	return 0;
}
