/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each running process uses of each device. The driver lists processes with the memory that
 * they use, and with the part of the device (MIG) that they work in; watched ones have their
 * tracked bytes beside it. CUDA gives a process one such part only: its memory on the device is
 * there, if the driver does not list it in several.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/build.h"
#include "model/model_state.h"
#include "util/saturated.h"

static struct snap_device *device_find(struct snapshot *snapshot, int device)
{
	size_t low = 0, high = snapshot->device_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (snapshot->devices[middle].device < device)
			low = middle + 1;
		else
			high = middle;
	}
	return low < snapshot->device_count && snapshot->devices[low].device == device ?
		       &snapshot->devices[low] :
		       NULL;
}

static int pid_order(const void *left, const void *right)
{
	const struct snap_device_use *a = left, *b = right;

	return a->pid != b->pid ? (a->pid > b->pid) - (a->pid < b->pid) :
				  (a->instance > b->instance) - (a->instance < b->instance);
}

static int bytes_order(const void *left, const void *right)
{
	uint64_t a = device_use_bytes(left), b = device_use_bytes(right);

	return a != b ? (a < b) - (a > b) : pid_order(left, right);
}

static int instance_find(const struct snap_device *device,
			 const struct rec_process_reading *reading)
{
	for (size_t i = 0; i < device->instance_count; i++)
		if (device->instances[i].gpu_instance == reading->gpu_instance &&
		    device->instances[i].compute_instance == reading->compute_instance)
			return (int)i;
	return -1;
}

/* Makes room in each device for @known entries of the driver, and one per use of a process. */
static int room_make(struct build *build, const struct readings *readings)
{
	struct snapshot *snapshot = build->snapshot;
	struct snap_device *device;

	for (size_t i = 0; i < readings->process_count; i++) {
		device = readings->processes[i].has_device ?
				 device_find(snapshot, readings->processes[i].device) :
				 NULL;
		if (device)
			device->use_count++;
	}
	for (size_t i = 0; i < snapshot->process_count; i++)
		for (size_t j = 0; j < snapshot->processes[i].use_count; j++) {
			device = device_find(snapshot, snapshot->processes[i].uses[j].device);
			if (device)
				device->use_count++;
		}
	for (size_t i = 0; i < snapshot->device_count; i++) {
		device = &snapshot->devices[i];
		if (!device->use_count)
			continue;
		device->uses = arena_alloc(build->arena, device->use_count, sizeof(*device->uses));
		if (!device->uses)
			return -ENOMEM;
		device->use_count = 0;
	}
	return 0;
}

/* The entry of @pid among the first @count, which are sorted by pid; NULL if there is none. */
static struct snap_device_use *use_find(struct snap_device *device, size_t count, uint32_t pid)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (device->uses[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && device->uses[low].pid == pid ? &device->uses[low] : NULL;
}

static void use_count(struct snapshot *snapshot, const size_t *known,
		      const struct snap_process *process, const struct snap_use *held)
{
	struct snap_device *device = device_find(snapshot, held->device);
	struct snap_device_use *use, *end;

	if (process->exited || !held->live || !device)
		return;
	end = device->uses + known[device - snapshot->devices];
	use = use_find(device, known[device - snapshot->devices], process->pid);
	if (!use) {
		use = &device->uses[device->use_count++];
		*use = (struct snap_device_use){ .pid = process->pid, .instance = -1 };
	}
	use->live = add_saturated(use->live, held->live);
	if (use->instance >= 0 && (use + 1 == end || use[1].pid != process->pid))
		device->instances[use->instance].tracked =
			add_saturated(device->instances[use->instance].tracked, held->live);
}

static void names_fill(struct snapshot *snapshot, struct snap_device_use *use)
{
	const struct snap_process *process = build_running(snapshot, use->pid);

	use->program = process ? process->program : 0;
	use->command = process ? process->command : "";
}

int build_device_uses(struct build *build)
{
	const struct readings *readings = &build->model->readings;
	struct snapshot *snapshot = build->snapshot;
	/* How many entries each device has from the driver: the others are behind them */
	size_t *known = arena_alloc(build->arena, snapshot->device_count + 1, sizeof(*known));

	if (!known || room_make(build, readings))
		return -ENOMEM;
	for (size_t i = 0; i < readings->process_count; i++) {
		const struct rec_process_reading *reading = &readings->processes[i];
		struct snap_device *device =
			reading->has_device ? device_find(snapshot, reading->device) : NULL;

		if (device)
			device->uses[device->use_count++] =
				(struct snap_device_use){ .pid = reading->pid,
							  .has_used = reading->is_known,
							  .used = reading->used,
							  .instance =
								  instance_find(device, reading) };
	}
	for (size_t i = 0; i < snapshot->device_count; i++) {
		known[i] = snapshot->devices[i].use_count;
		if (known[i])
			qsort(snapshot->devices[i].uses, known[i],
			      sizeof(snapshot->devices[i].uses[0]), pid_order);
	}
	for (size_t i = 0; i < snapshot->process_count; i++)
		for (size_t j = 0; j < snapshot->processes[i].use_count; j++)
			use_count(snapshot, known, &snapshot->processes[i],
				  &snapshot->processes[i].uses[j]);
	for (size_t i = 0; i < snapshot->device_count; i++) {
		struct snap_device *device = &snapshot->devices[i];

		for (size_t j = 0; j < device->use_count; j++)
			names_fill(snapshot, &device->uses[j]);
		if (device->use_count)
			qsort(device->uses, device->use_count, sizeof(device->uses[0]),
			      bytes_order);
	}
	return 0;
}
