/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a driver says of the devices that the cast uses, and of others. */
#include "cast.h"

#include <math.h>

#define MIB 1048576ull
#define GIB 1073741824ull

/*
 * Three processes that use a device, of the cast or, if @first, @second or @third is not in it, not
 * watched; 0 bytes: the driver does not know.
 */
static struct snap_device_use *uses_of(struct snapshot *snapshot, size_t *count, uint32_t first,
				       uint64_t first_used, uint32_t second, uint64_t second_used,
				       uint32_t third, uint64_t third_used)
{
	const uint32_t programs[] = { first, second, third };
	const uint64_t used[] = { first_used, second_used, third_used };
	struct snap_device_use *uses = cast_memory(snapshot, 3, sizeof(*uses));

	for (size_t i = 0; i < 3; i++) {
		const struct snap_process *process = cast_member(snapshot, programs[i]);

		uses[i] = (struct snap_device_use){
			.pid = process ? process->pid : programs[i],
			.program = process ? process->program : 0,
			.command = process ? process->command : "",
			.has_used = used[i],
			.used = used[i],
			.live = process ? process->live : 0,
			.instance = -1,
		};
	}
	*count = 3;
	return uses;
}

void cast_devices(struct snapshot *snapshot)
{
	struct snap_device *devices = cast_memory(snapshot, 5, sizeof(*devices));

	devices[0] = (struct snap_device){
		.tracked = 12 * GIB,
		.total = 80 * GIB,
		.name = "NVIDIA H100 80GB HBM3",
		.uuid = "GPU-1",
		.has_used = true,
		.used = 14 * GIB,
		.utilization = 0.97,
		.temperature = 64,
		.power = 412.3,
		.power_limit = 700,
	};
	devices[1] = (struct snap_device){
		.device = 1,
		.total = 80 * GIB,
		.name = "NVIDIA H100 80GB HBM3",
		.uuid = "GPU-2",
		.has_used = true,
		.used = 80 * GIB,
		.utilization = 1,
		.temperature = 101,
		.power = 700,
		.power_limit = 700,
	};
	devices[2] = (struct snap_device){
		.device = 2,
		.tracked = 7 * MIB,
		.utilization = NAN,
		.temperature = NAN,
		.power = NAN,
		.power_limit = NAN,
	};
	devices[3] = (struct snap_device){
		.device = 3,
		.tracked = 4 * GIB,
		.total = 16 * GIB,
		.name = "odd\033[2J \xe6\x8e\xa8\xe8\xab\x96",
		.uuid = "GPU-4",
		.has_used = true,
		.used = 3 * GIB,
		.utilization = NAN,
		.temperature = 5,
		.power = 9.6,
		.power_limit = NAN,
	};
	devices[4] = (struct snap_device){
		.device = 4,
		.name = "lost",
		.utilization = NAN,
		.temperature = NAN,
		.power = NAN,
		.power_limit = NAN,
	};
	devices[0].uses = uses_of(snapshot, &devices[0].use_count, CAST_TRAINER, 11 * GIB,
				  CAST_LEAKER, 2 * GIB, 999, 900 * MIB);
	devices[1].uses =
		uses_of(snapshot, &devices[1].use_count, 999, 79 * GIB, CAST_COPIER, 0, 998, 0);
	snapshot->devices = devices;
	snapshot->device_count = 5;
	for (size_t i = 0; i < snapshot->process_count; i++) {
		struct snap_process *process = &snapshot->processes[i];

		process->has_used = process->program == CAST_TRAINER ||
				    process->program == CAST_LEAKER;
		process->used = process->live + 512 * MIB;
		process->untracked = 512 * MIB;
	}
}

void cast_many_devices(struct snapshot *snapshot, int count, int divided)
{
	static const char *const profiles[] = { "3g.40gb", "1g.10gb", "1g.10gb" };
	struct snap_device *devices = cast_memory(snapshot, (size_t)count, sizeof(*devices));
	struct snap_process *trainer = cast_member(snapshot, CAST_TRAINER);

	/* what the trainer holds of the first two, and on one that is not known */
	trainer->uses = cast_memory(snapshot, 3, sizeof(*trainer->uses));
	trainer->use_count = 3;
	for (int i = 0; i < 3; i++)
		trainer->uses[i] =
			(struct snap_use){ .device = i - 1, .live = (uint64_t)(1 + i * 4) * GIB };
	for (int i = 0; i < count; i++) {
		struct snap_device *device = &devices[i];

		*device = (struct snap_device){
			.device = i,
			.tracked = (uint64_t)(i % 4) * 13 * GIB,
			.total = 80 * GIB,
			.name = "NVIDIA H100 80GB HBM3",
			.uuid = "GPU-1",
			.has_used = true,
			.used = (uint64_t)(i % 8) * 11 * GIB + GIB / 2,
			.utilization = i < divided ? NAN : (i * 37 % 101) / 100.0,
			.temperature = 30 + i * 7 % 50,
			.power = 70 + i * 90,
			.power_limit = 700,
		};
		device->uses = uses_of(snapshot, &device->use_count, CAST_TRAINER, device->used / 2,
				       CAST_COPIER, device->used / 4, 999, device->used / 8);
		for (int j = 0; i < divided && j < 3; j++) {
			struct snap_instance *instance;

			if (!j)
				device->instances =
					cast_memory(snapshot, 3, sizeof(*device->instances));
			instance = &device->instances[device->instance_count++];
			*instance = (struct snap_instance){
				.gpu_instance = j ? 6u + (unsigned int)j : 1,
				.compute_instance = j == 2,
				.name = profiles[j],
				.has_used = j < 2,
				.used = j ? GIB : 30 * GIB,
				.total = j ? 10 * GIB : 40 * GIB,
				.tracked = j ? 0 : 20 * GIB,
			};
			device->uses[j].instance = j;
		}
	}
	snapshot->devices = devices;
	snapshot->device_count = (size_t)count;
}

void cast_device_change(struct snap_device *device, int step)
{
	double share = 1 - 0.07 * (step > 9 ? 18 - step : step);

	device->used = (uint64_t)((double)device->used * share);
	device->utilization *= share;
	device->temperature *= 1 - step / 40.0;
	device->power *= share;
}
