/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of a snapshot: what cutop has tracked on each, and beside it what the driver says.
 * The difference is memory that was not allocated by a call of the table: contexts, code, what
 * libraries reserve, and what was allocated before watching began. The driver's figures may be a
 * second older, so the difference can be off by what was allocated since.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/build.h"
#include "model/model_state.h"
#include "util/saturated.h"
#include "util/utf8.h"
#include "util/util.h"

#define MIG " MIG "

static int device_order(const void *left, const void *right)
{
	const struct snap_device *a = left, *b = right;

	return (a->device > b->device) - (a->device < b->device);
}

/* The entry of @device, created if need be. */
static struct snap_device *device_entry(struct snapshot *snapshot, int device)
{
	struct snap_device *entry;

	for (size_t i = 0; i < snapshot->device_count; i++)
		if (snapshot->devices[i].device == device)
			return &snapshot->devices[i];
	entry = &snapshot->devices[snapshot->device_count++];
	*entry = (struct snap_device){
		.device = device,
		.utilization = NAN,
		.temperature = NAN,
		.power = NAN,
		.power_limit = NAN,
	};
	return entry;
}

/* A copy of @text (@size bytes), cleaned; NULL if it is empty. */
static int text_keep(struct build *build, const char *text, size_t size, const char **kept)
{
	char raw[129], clean[129];

	snprintf(raw, sizeof(raw), "%.*s", (int)size, text);
	*kept = raw[0] ? arena_string(build->arena, utf8_clean(raw, clean, sizeof(clean))) : NULL;
	return raw[0] && !*kept ? -ENOMEM : 0;
}

static double known_number(const struct rec_device_reading *reading, unsigned int bit,
			   double number)
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
	device->utilization =
		known_number(reading, READING_UTILIZATION, reading->utilization / 100.0);
	device->temperature = known_number(reading, READING_TEMPERATURE, reading->temperature);
	device->power = known_number(reading, READING_POWER, reading->power / 1000.0);
	device->power_limit =
		known_number(reading, READING_POWER_LIMIT, reading->power_limit / 1000.0);
	return text_keep(build, reading->name, sizeof(reading->name), &device->name) ?:
		       text_keep(build, reading->uuid, sizeof(reading->uuid), &device->uuid);
}

static int instance_order(const void *left, const void *right)
{
	const struct snap_instance *a = left, *b = right;
	int order = ORDER(a->gpu_instance, b->gpu_instance);

	return order ? order : ORDER(a->compute_instance, b->compute_instance);
}

/* The parts of @device. */
static int instances_read(struct build *build, struct snap_device *device)
{
	const struct readings *readings = &build->model->readings;
	size_t count = 0, i;

	for (i = 0; i < readings->instance_count; i++)
		count += readings->instances[i].device == device->device;
	if (!count)
		return 0;
	device->instances = arena_alloc(build->arena, count, sizeof(*device->instances));
	if (!device->instances)
		return -ENOMEM;
	for (i = 0; i < readings->instance_count; i++) {
		const struct rec_instance_reading *reading = &readings->instances[i];
		struct snap_instance *instance;
		const char *profile;

		if (reading->device != device->device)
			continue;
		/* "NVIDIA H100 80GB HBM3 MIG 1g.10gb" */
		profile = strstr(reading->name, MIG);
		profile = profile ? profile + strlen(MIG) : reading->name;
		instance = &device->instances[device->instance_count++];
		instance->gpu_instance = reading->gpu_instance;
		instance->compute_instance = reading->compute_instance;
		instance->has_used = reading->known & READING_MEMORY;
		instance->used = instance->has_used ? reading->used : 0;
		instance->total = instance->has_used ? reading->total : 0;
		if (text_keep(build, profile, READING_TEXT, &instance->name) ||
		    text_keep(build, reading->uuid, sizeof(reading->uuid), &instance->uuid))
			return -ENOMEM;
	}
	qsort(device->instances, count, sizeof(*device->instances), instance_order);
	return 0;
}

/* The first process with @pid or a higher one. They are sorted by pid. */
static size_t pid_place(const struct snapshot *snapshot, uint32_t pid)
{
	size_t low = 0, high = snapshot->process_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (snapshot->processes[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The running process with @pid, or NULL. */
static struct snap_process *build_running(struct snapshot *snapshot, uint32_t pid)
{
	size_t low = pid_place(snapshot, pid);

	for (; low < snapshot->process_count && snapshot->processes[low].pid == pid; low++)
		if (!snapshot->processes[low].exited)
			return &snapshot->processes[low];
	return NULL;
}

static void processes_read(const struct model *model, struct snapshot *snapshot)
{
	struct snap_process *process;
	size_t i;

	for (i = 0; i < model->readings.process_count; i++) {
		process = build_running(snapshot, model->readings.processes[i].pid);
		if (!process)
			continue;
		process->has_used = true;
		process->used = add_saturated(process->used, model->readings.processes[i].used);
	}
	for (i = 0; i < model->readings.process_count; i++) {
		process = build_running(snapshot, model->readings.processes[i].pid);
		if (!process)
			continue;
		/* If one device's figure is unknown, so is the sum. */
		if (!model->readings.processes[i].is_known)
			process->has_used = false;
		process->untracked = subtract_saturated(process->used, process->live);
	}
}

/*
 * What each running process uses of each device. The driver lists processes with the memory that
 * they use, and with the part of the device (MIG) that they work in; watched ones have their
 * tracked bytes beside it. CUDA gives a process one such part only: its memory on the device is
 * there, if the driver does not list it in several.
 */
static int bytes_order(const void *left, const void *right)
{
	const struct snap_device_use *a = left, *b = right;
	int order = ORDER(device_use_bytes(b), device_use_bytes(a));

	if (!order)
		order = ORDER(a->pid, b->pid);
	return order ? order : ORDER(a->instance, b->instance);
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

static bool is_on(const struct rec_process_reading *reading, const struct snap_device *device)
{
	return reading->has_device && reading->device == device->device;
}

/* Adds @bytes that the process @pid holds to its first entry of @device, made if need be. */
static void use_hold(struct snap_device *device, uint32_t pid, uint64_t bytes)
{
	struct snap_device_use *use = NULL;
	size_t entries = 0;

	for (size_t i = device->use_count; i-- > 0;) {
		if (device->uses[i].pid != pid)
			continue;
		if (!use || device->uses[i].instance < use->instance)
			use = &device->uses[i];
		entries++;
	}
	if (!use) {
		use = &device->uses[device->use_count++];
		*use = (struct snap_device_use){ .pid = pid, .instance = -1 };
	}
	use->live = add_saturated(use->live, bytes);
	if (use->instance >= 0 && entries == 1)
		device->instances[use->instance].tracked =
			add_saturated(device->instances[use->instance].tracked, bytes);
}

/* As nvidia-smi has it. */
static const char *type_name(unsigned int types)
{
	if (types & USE_MPS)
		return "M+C";
	return types == (USE_COMPUTE | USE_GRAPHICS) ? "C+G" :
	       types & USE_GRAPHICS                  ? "G" :
	       types & USE_COMPUTE                   ? "C" :
						       NULL;
}

/* What is known of a process that is not watched. */
static int build_unwatched(struct build *build, struct snap_device_use *use)
{
	const struct readings *readings = &build->model->readings;
	size_t i;

	for (i = 0; i < readings->process_count && readings->processes[i].pid != use->pid; i++)
		;
	if (i == readings->process_count)
		return 0;
	if (text_keep(build, readings->processes[i].comm, sizeof(readings->processes[i].comm),
		      &use->comm) ||
	    text_keep(build, readings->processes[i].user, sizeof(readings->processes[i].user),
		      &use->user) ||
	    text_keep(build, readings->processes[i].container,
		      sizeof(readings->processes[i].container), &use->container))
		return -ENOMEM;
	use->command = use->comm ? use->comm : "";
	return 0;
}

static int build_device_uses(struct build *build, struct snap_device *device)
{
	const struct readings *readings = &build->model->readings;
	struct snapshot *snapshot = build->snapshot;
	size_t i, j, room = 0;

	for (i = 0; i < readings->process_count; i++)
		room += is_on(&readings->processes[i], device);
	for (i = 0; i < snapshot->process_count; i++)
		room += !snapshot->processes[i].exited;
	device->uses = arena_alloc(build->arena, room, sizeof(*device->uses));
	if (!device->uses)
		return -ENOMEM;
	for (i = 0; i < readings->process_count; i++) {
		const struct rec_process_reading *reading = &readings->processes[i];

		if (is_on(reading, device))
			device->uses[device->use_count++] =
				(struct snap_device_use){ .pid = reading->pid,
							  .has_used = reading->is_known,
							  .used = reading->used,
							  .type = type_name(reading->types),
							  .instance =
								  instance_find(device, reading) };
	}
	for (i = 0; i < snapshot->process_count; i++) {
		const struct snap_process *process = &snapshot->processes[i];

		for (j = 0; j < process->use_count && !process->exited; j++)
			if (process->uses[j].device == device->device && process->uses[j].live)
				use_hold(device, process->pid, process->uses[j].live);
	}
	for (i = 0; i < device->use_count; i++) {
		const struct snap_process *process = build_running(snapshot, device->uses[i].pid);

		device->uses[i].program = process ? process->program : 0;
		device->uses[i].command = process ? process->command : "";
		if (!process && build_unwatched(build, &device->uses[i]))
			return -ENOMEM;
	}
	if (device->use_count)
		qsort(device->uses, device->use_count, sizeof(device->uses[0]), bytes_order);
	return 0;
}

static int reading_order(const void *left, const void *right)
{
	const struct rec_process_reading *a = *(const struct rec_process_reading *const *)left,
					 *b = *(const struct rec_process_reading *const *)right;

	return ORDER(a->pid, b->pid);
}

/* Adds a row of the process that all of the @count @readings are of, and only they. */
static int build_listed_row(struct build *build, const struct rec_process_reading *const *readings,
			    size_t count)
{
	struct snapshot *snapshot = build->snapshot;
	struct snap_process *process =
		&snapshot->processes[snapshot->process_count + snapshot->listed_count++];
	struct own_devices devices = { .visible = NULL };
	const char *command;
	size_t i;

	*process = (struct snap_process){
		/* No program has such a number. */
		.program = 1u << 31 | readings[0]->pid,
		.pid = readings[0]->pid,
		.arguments = "",
		.is_listed = true,
		.has_used = true,
		.cost = NAN,
		.launches_per_second = NAN,
		.graph_launches_per_second = NAN,
		.failures_per_second = NAN,
		.sync_share = NAN,
	};
	for (i = 0; i < DIR_COUNT; i++)
		process->copy_rate[i] = NAN;
	for (i = 0; i < count; i++) {
		if (readings[i]->has_device)
			own_devices_note(&devices, readings[i]->device);
		process->has_used &= readings[i]->is_known;
		process->used = add_saturated(process->used, readings[i]->used);
	}
	process->untracked = process->used;
	if (text_keep(build, readings[0]->comm, sizeof(readings[0]->comm), &command) ||
	    text_keep(build, readings[0]->user, sizeof(readings[0]->user), &process->user) ||
	    text_keep(build, readings[0]->container, sizeof(readings[0]->container),
		      &process->container))
		return -ENOMEM;
	process->command = command ? command : "";
	process->user = process->user ? process->user : "";
	return build_devices(build, &devices, process);
}

static int build_listed(struct build *build)
{
	const struct readings *known = &build->model->readings;
	struct snapshot *snapshot = build->snapshot;
	const struct rec_process_reading **list =
		calloc(known->process_count + 1, sizeof(const struct rec_process_reading *));
	size_t count = 0, i, same, place;
	int err = 0;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < known->process_count; i++) {
		place = pid_place(snapshot, known->processes[i].pid);
		/* The driver may list one for a moment longer that has just ended. */
		if (place == snapshot->process_count ||
		    snapshot->processes[place].pid != known->processes[i].pid)
			list[count++] = &known->processes[i];
	}
	qsort(list, count, sizeof(list[0]), reading_order);
	for (i = 0; !err && i < count; i += same) {
		for (same = 1; i + same < count && list[i + same]->pid == list[i]->pid; same++)
			;
		err = build_listed_row(build, list + i, same);
	}
	free(list);
	return err;
}

int build_device_list(struct build *build)
{
	const struct model *model = build->model;
	struct snapshot *snapshot = build->snapshot;
	size_t i;

	snapshot->devices = arena_alloc(build->arena,
					model->held_on.count + model->readings.device_count,
					sizeof(*snapshot->devices));
	if (!snapshot->devices)
		return -ENOMEM;
	for (i = 0; i < model->held_on.count; i++) {
		const struct device_use *use = &model->held_on.list[i];
		struct snap_device *device;

		if (use->device < 0)
			continue;
		device = device_entry(snapshot, use->device);
		device->tracked = use->live;
		/*
		 * Processes that were told different sizes mean different devices by the same
		 * number.
		 */
		device->total = use->mixed ? 0 : use->total;
	}
	for (i = 0; i < model->readings.device_count; i++)
		if (device_read(build, &model->readings.devices[i]))
			return -ENOMEM;
	if (snapshot->device_count)
		qsort(snapshot->devices, snapshot->device_count, sizeof(snapshot->devices[0]),
		      device_order);
	for (i = 0; i < snapshot->device_count && model->readings.instance_count; i++)
		if (instances_read(build, &snapshot->devices[i]))
			return -ENOMEM;
	processes_read(model, snapshot);
	for (i = 0; i < snapshot->device_count; i++)
		if (build_device_uses(build, &snapshot->devices[i]))
			return -ENOMEM;
	return build_listed(build);
}
