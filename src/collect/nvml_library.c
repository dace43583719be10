/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks libnvidia-ml. Nothing of NVIDIA's is needed to build cutop: the few types and numbers below
 * are those of its header, nvml.h, as in the NVML API Reference Guide; they are the library's
 * binary interface and do not change. Functions come in versions, the newest first in the table; a
 * library that lacks one gives less information.
 * All devices are asked anew each time: a device that is lost has no figures from then on and keeps
 * its number. Devices are numbered by their address on the PCI bus, as nvidia-smi and
 * visible_devices.c do, whatever the library's order is. A divided device (MIG) has a handle for
 * each of its parts; they have memory, but no utilization, temperature and power of their own. The
 * device's list of processes says in which part each works.
 */
#include "collect/nvml_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MAX   1024 /* a larger count is an error */
#define PROCESSES_MAX 65536
#define PARTS_MAX     64 /* of one device */

/* nvmlReturn_t */
#define NVML_ERROR_INSUFFICIENT_SIZE 7

/* nvmlTemperatureSensors_t */
#define NVML_TEMPERATURE_GPU 0

/* NVML_DEVICE_MIG_ENABLE */
#define NVML_MIG_ENABLED 1

/* NVML_VALUE_NOT_AVAILABLE, as an unsigned long long */
#define NVML_VALUE_NOT_AVAILABLE (~0ull)

/* nvmlMemory_t */
struct nvml_memory {
	unsigned long long total, free, used;
};

/* nvmlUtilization_t: per cent of the last sample period */
struct nvml_utilization {
	unsigned int gpu, memory;
};

/* nvmlPciInfo_t: every version begins like this, and none is longer */
struct nvml_pci {
	char bus_id_short[16];
	unsigned int domain, bus, device;
	char rest[100];
};

/* nvmlProcessInfo_v1_t */
struct nvml_process_v1 {
	unsigned int pid;
	unsigned long long used;
};

/* nvmlProcessInfo_v2_t, which _v3 of the function fills, too; instances: ~0 where there are none */
struct nvml_process {
	unsigned int pid;
	unsigned long long used;
	unsigned int gpu_instance, compute_instance;
};

_Static_assert(sizeof(struct nvml_process_v1) == 16 && sizeof(struct nvml_process) == 24,
	       "NVML's own sizes");

#define FUNCTION(member) offsetof(struct nvml_functions, member)

static const struct {
	size_t offset;
	bool needed;
	const char *names[3]; /* the newest first */
} function_table[] = {
	{ FUNCTION(init), true, { "nvmlInit_v2", "nvmlInit" } },
	{ FUNCTION(shutdown), true, { "nvmlShutdown" } },
	{ FUNCTION(count), true, { "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount" } },
	{ FUNCTION(handle),
	  true,
	  { "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex" } },
	{ FUNCTION(name), false, { "nvmlDeviceGetName" } },
	{ FUNCTION(uuid), false, { "nvmlDeviceGetUUID" } },
	{ FUNCTION(pci),
	  false,
	  { "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", "nvmlDeviceGetPciInfo" } },
	{ FUNCTION(memory), false, { "nvmlDeviceGetMemoryInfo" } },
	{ FUNCTION(utilization), false, { "nvmlDeviceGetUtilizationRates" } },
	{ FUNCTION(temperature), false, { "nvmlDeviceGetTemperature" } },
	{ FUNCTION(power), false, { "nvmlDeviceGetPowerUsage" } },
	{ FUNCTION(power_limit), false, { "nvmlDeviceGetEnforcedPowerLimit" } },
	{ FUNCTION(mig_mode), false, { "nvmlDeviceGetMigMode" } },
	{ FUNCTION(mig_count), false, { "nvmlDeviceGetMaxMigDeviceCount" } },
	{ FUNCTION(mig_handle), false, { "nvmlDeviceGetMigDeviceHandleByIndex" } },
	{ FUNCTION(gpu_instance), false, { "nvmlDeviceGetGpuInstanceId" } },
	{ FUNCTION(compute_instance), false, { "nvmlDeviceGetComputeInstanceId" } },
	{ FUNCTION(processes),
	  false,
	  { "nvmlDeviceGetComputeRunningProcesses_v3",
	    "nvmlDeviceGetComputeRunningProcesses_v2" } },
	{ FUNCTION(processes_v1), false, { "nvmlDeviceGetComputeRunningProcesses" } },
	{ FUNCTION(error), false, { "nvmlErrorString" } },
};

void nvml_readings_free(struct nvml_readings *readings)
{
	if (!readings)
		return;
	free(readings->devices);
	free(readings->instances);
	free(readings->processes);
	free(readings);
}

/* The PCI address of @device, as a number to sort by. Returns false if it is unknown. */
static bool bus_place(const struct nvml_functions *call, nvml_device device, uint64_t *place)
{
	struct nvml_pci pci = { .domain = 0 };

	if (!call->pci || call->pci(device, &pci))
		return false;
	*place = (uint64_t)pci.domain << 32 | (uint64_t)(pci.bus & 0xffff) << 16 |
		 (pci.device & 0xffff);
	return true;
}

/*
 * Numbers @count devices. If an address is unknown, the library's order is used. Returns 0 or
 * -ENOMEM.
 */
static int numbers_make(const struct nvml_functions *call, struct nvml_numbers *known_numbers,
			unsigned int count)
{
	uint64_t *places = calloc(count + 1, sizeof(*places));
	int *numbers = calloc(count + 1, sizeof(*numbers));
	bool known = true;
	unsigned int i, j;

	if (!places || !numbers) {
		free(places);
		free(numbers);
		return -ENOMEM;
	}
	for (i = 0; i < count; i++) {
		nvml_device device;

		numbers[i] = (int)i;
		known = known && !call->handle(i, &device) && bus_place(call, device, &places[i]);
	}
	for (i = 0; known && i < count; i++)
		for (j = 0, numbers[i] = 0; j < count; j++)
			numbers[i] += places[j] < places[i] || (j < i && places[j] == places[i]);
	free(places);
	free(known_numbers->list);
	known_numbers->list = numbers;
	known_numbers->count = count;
	return 0;
}

static void names_read(const struct nvml_functions *call, nvml_device device,
		       char name[READING_TEXT], char uuid[READING_TEXT])
{
	if (!call->name || call->name(device, name, READING_TEXT))
		name[0] = 0;
	if (!call->uuid || call->uuid(device, uuid, READING_TEXT))
		uuid[0] = 0;
	name[READING_TEXT - 1] = uuid[READING_TEXT - 1] = 0;
}

static void device_read(const struct nvml_functions *call, nvml_device device,
			struct rec_device_reading *reading)
{
	struct nvml_utilization utilization = { 0 };
	struct nvml_memory memory = { 0 };

	names_read(call, device, reading->name, reading->uuid);
	if (call->memory && !call->memory(device, &memory)) {
		reading->known |= READING_MEMORY;
		reading->used = memory.used;
		reading->total = memory.total;
	}
	if (call->utilization && !call->utilization(device, &utilization)) {
		reading->known |= READING_UTILIZATION;
		reading->utilization = utilization.gpu;
	}
	if (call->temperature &&
	    !call->temperature(device, NVML_TEMPERATURE_GPU, &reading->temperature))
		reading->known |= READING_TEMPERATURE;
	if (call->power && !call->power(device, &reading->power))
		reading->known |= READING_POWER;
	if (call->power_limit && !call->power_limit(device, &reading->power_limit))
		reading->known |= READING_POWER_LIMIT;
}

/*
 * The parts of @device, if it is divided (MIG). Those that end while they are asked for are left
 * out.
 */
static void instances_read(const struct nvml_functions *call, nvml_device device, int number,
			   struct nvml_readings *readings)
{
	unsigned int current = 0, pending, most = 0, i;
	struct rec_instance_reading *grown;

	if (!call->mig_mode || !call->mig_count || !call->mig_handle || !call->gpu_instance ||
	    !call->compute_instance || call->mig_mode(device, &current, &pending) ||
	    current != NVML_MIG_ENABLED || call->mig_count(device, &most) || most > PARTS_MAX)
		return;
	grown = realloc(readings->instances,
			(readings->instance_count + most + 1) * sizeof(*grown));
	if (!grown)
		return;
	readings->instances = grown;
	for (i = 0; i < most; i++) {
		struct rec_instance_reading *reading = &grown[readings->instance_count];
		struct nvml_memory memory = { 0 };
		nvml_device part;

		*reading = (struct rec_instance_reading){
			.hdr = { .type = REC_INSTANCE_READING, .size = sizeof(*reading) },
			.device = number,
		};
		/* Numbers are not given out without gaps. */
		if (call->mig_handle(device, i, &part) ||
		    call->gpu_instance(part, &reading->gpu_instance) ||
		    call->compute_instance(part, &reading->compute_instance))
			continue;
		names_read(call, part, reading->name, reading->uuid);
		if (call->memory && !call->memory(part, &memory)) {
			reading->known = READING_MEMORY;
			reading->used = memory.used;
			reading->total = memory.total;
		}
		readings->instance_count++;
	}
}

/*
 * Lists processes, converting an older version's list. Returns the call's result; *@count: how many
 * there are.
 */
static int processes_ask(const struct nvml_functions *call, nvml_device device, unsigned int *count,
			 struct nvml_process *list)
{
	struct nvml_process_v1 *old;
	unsigned int i, room = *count;
	int result;

	if (call->processes)
		return call->processes(device, count, list);
	old = calloc(room, sizeof(*old));
	if (!old)
		return -ENOMEM;
	result = call->processes_v1(device, count, old);
	for (i = 0; !result && i < *count && i < room; i++)
		list[i] = (struct nvml_process){ .pid = old[i].pid,
						 .used = old[i].used,
						 .gpu_instance = INSTANCE_NONE,
						 .compute_instance = INSTANCE_NONE };
	free(old);
	return result;
}

static void processes_read(const struct nvml_functions *call, nvml_device device, int number,
			   struct nvml_readings *readings)
{
	struct rec_process_reading *grown;
	struct nvml_process *list = NULL;
	unsigned int room = 0, next = 64, count = 0, i;
	int result = 0;

	if (!call->processes && !call->processes_v1)
		return;
	do {
		free(list);
		room = next;
		list = calloc(room, sizeof(*list));
		count = room;
		result = list ? processes_ask(call, device, &count, list) : -ENOMEM;
		/* More processes may start before the next attempt. */
		next = (count > room ? count : room) * 2;
	} while (result == NVML_ERROR_INSUFFICIENT_SIZE && next > room && next <= PROCESSES_MAX);
	if (result || count > room)
		goto out;
	grown = realloc(readings->processes,
			(readings->process_count + count + 1) * sizeof(*grown));
	if (!grown)
		goto out;
	readings->processes = grown;
	for (i = 0; i < count; i++) {
		bool has = list[i].used != NVML_VALUE_NOT_AVAILABLE;

		grown[readings->process_count++] = (struct rec_process_reading){
			.hdr = { .type = REC_PROCESS_READING, .size = sizeof(*grown) },
			.pid = list[i].pid,
			.is_known = has,
			.used = has ? list[i].used : 0,
			.has_device = true,
			.device = number,
			.gpu_instance = list[i].gpu_instance,
			.compute_instance = list[i].compute_instance,
		};
	}
out:
	free(list);
}

struct nvml_readings *nvml_readings_take(const struct nvml_functions *call,
					 struct nvml_numbers *numbers)
{
	struct nvml_readings *readings;
	unsigned int count, i;

	if (call->count(&count) || count > DEVICES_MAX)
		return NULL;
	if ((count != numbers->count || !numbers->list) && numbers_make(call, numbers, count))
		return NULL;
	readings = calloc(1, sizeof(*readings));
	if (readings)
		readings->devices = calloc(count + 1, sizeof(*readings->devices));
	if (!readings || !readings->devices) {
		nvml_readings_free(readings);
		return NULL;
	}
	for (i = 0; i < count; i++) {
		struct rec_device_reading *reading = &readings->devices[readings->device_count];
		nvml_device device;

		*reading = (struct rec_device_reading){
			.hdr = { .type = REC_DEVICE_READING, .size = sizeof(*reading) },
			.device = numbers->list[i],
		};
		if (call->handle(i, &device))
			continue;
		readings->device_count++;
		device_read(call, device, reading);
		instances_read(call, device, reading->device, readings);
		processes_read(call, device, reading->device, readings);
	}
	return readings;
}

void *nvml_library_load(struct nvml_functions *call, struct reason *why)
{
	void *library = dlopen(NVML_LIBRARY, RTLD_NOW | RTLD_LOCAL), *found;
	size_t i, j;

	if (!library) {
		reason_set(why, -ENOENT, "%s", dlerror());
		return NULL;
	}
	for (i = 0; i < ARRAY_LEN(function_table); i++) {
		for (j = 0, found = NULL;
		     !found && j < ARRAY_LEN(function_table[i].names) && function_table[i].names[j];
		     j++)
			found = dlsym(library, function_table[i].names[j]);
		if (!found && function_table[i].needed) {
			reason_set(why, -ENOENT, "%s has no %s", NVML_LIBRARY,
				   function_table[i].names[j - 1]);
			dlclose(library);
			return NULL;
		}
		/* dlsym(3): a function's address as data */
		memcpy((char *)call + function_table[i].offset, &found, sizeof(found));
	}
	return library;
}
