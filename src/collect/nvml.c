/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread that asks libnvidia-ml, and what others take from it. */
#include "collect/nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/process_identity.h"
#include "cuda/visible_devices.h"
#include "model/stream.h"
#include "util/util.h"

#define NVML_LIBRARY "libnvidia-ml.so.1"
#define NVML_SUCCESS 0 /* nvmlReturn_t */

typedef void *nvml_device;

struct nvml_memory;
struct nvml_utilization;
struct nvml_pci;
struct nvml_process;

typedef int nvml_list(nvml_device device, unsigned int *count, struct nvml_process *list);

struct nvml_functions {
	int (*init)(void);
	int (*shutdown)(void);
	int (*count)(unsigned int *count);
	int (*handle)(unsigned int index, nvml_device *device);
	/* The following functions may be missing. */
	int (*name)(nvml_device device, char *name, unsigned int size);
	int (*uuid)(nvml_device device, char *uuid, unsigned int size);
	int (*minor)(nvml_device device, unsigned int *minor);
	int (*pci)(nvml_device device, struct nvml_pci *pci);
	int (*memory)(nvml_device device, struct nvml_memory *memory);
	int (*utilization)(nvml_device device, struct nvml_utilization *utilization);
	int (*temperature)(nvml_device device, int sensor, unsigned int *celsius);
	int (*power)(nvml_device device, unsigned int *milliwatts);
	int (*power_limit)(nvml_device device, unsigned int *milliwatts);
	int (*mig_mode)(nvml_device device, unsigned int *current, unsigned int *pending);
	int (*mig_count)(nvml_device device, unsigned int *most);
	int (*mig_handle)(nvml_device device, unsigned int index, nvml_device *part);
	int (*gpu_instance)(nvml_device part, unsigned int *id);
	int (*compute_instance)(nvml_device part, unsigned int *id);
	nvml_list *processes[USE_TYPES]; /* by bit of enum device_use_type */
	const char *(*error)(int code);
};

/* The machine's numbers of devices, by the library's index. */
struct nvml_numbers {
	int *list;
	unsigned int count;
};

/* One set of answers. */
struct nvml_readings {
	struct rec_device_reading *devices;
	struct rec_instance_reading *instances;
	struct rec_process_reading *processes;
	size_t device_count, instance_count, process_count;
	struct visible_gpus gpus; /* the same devices and instances */
};

/* ---- the library ---- */

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

/* nvmlProcessInfo_v2_t, which _v3 of the function fills, too; instances: ~0 where there are none */
struct nvml_process {
	unsigned int pid;
	unsigned long long used;
	unsigned int gpu_instance, compute_instance;
};

_Static_assert(sizeof(struct nvml_process) == 24, "NVML's own size");

#define FUNCTION(member) offsetof(struct nvml_functions, member)

static const struct {
	size_t offset;
	bool needed;
	const char *names[2]; /* the newest first */
} function_table[] = {
	{ FUNCTION(init), true, { "nvmlInit_v2" } },
	{ FUNCTION(shutdown), true, { "nvmlShutdown" } },
	{ FUNCTION(count), true, { "nvmlDeviceGetCount_v2" } },
	{ FUNCTION(handle), true, { "nvmlDeviceGetHandleByIndex_v2" } },
	{ FUNCTION(name), false, { "nvmlDeviceGetName" } },
	{ FUNCTION(uuid), false, { "nvmlDeviceGetUUID" } },
	{ FUNCTION(minor), false, { "nvmlDeviceGetMinorNumber" } },
	{ FUNCTION(pci), false, { "nvmlDeviceGetPciInfo_v3" } },
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
	{ FUNCTION(processes[0]),
	  false,
	  { "nvmlDeviceGetComputeRunningProcesses_v3",
	    "nvmlDeviceGetComputeRunningProcesses_v2" } },
	{ FUNCTION(processes[1]),
	  false,
	  { "nvmlDeviceGetGraphicsRunningProcesses_v3",
	    "nvmlDeviceGetGraphicsRunningProcesses_v2" } },
	{ FUNCTION(processes[2]),
	  false,
	  { "nvmlDeviceGetMPSComputeRunningProcesses_v3",
	    "nvmlDeviceGetMPSComputeRunningProcesses_v2" } },
	{ FUNCTION(error), false, { "nvmlErrorString" } },
};

/* Accepts NULL. */
static void nvml_readings_free(struct nvml_readings *readings)
{
	if (!readings)
		return;
	free(readings->devices);
	free(readings->instances);
	free(readings->processes);
	visible_gpus_free(&readings->gpus);
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

/* Notes the device @number, or a part of it, by its UUID; @device: the device itself, or NULL. */
static void gpu_note(const struct nvml_functions *call, nvml_device device, int number,
		     const char *uuid, struct visible_gpus *gpus)
{
	struct visible_gpu gpu = { .number = number, .minor = -1 };
	unsigned int minor;

	if (device && call->minor && !call->minor(device, &minor))
		gpu.minor = (int)minor;
	snprintf(gpu.uuid, sizeof(gpu.uuid), "%s", uuid);
	visible_gpus_add(gpus, &gpu);
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
		gpu_note(call, NULL, number, reading->uuid, &readings->gpus);
		if (call->memory && !call->memory(part, &memory)) {
			reading->known = READING_MEMORY;
			reading->used = memory.used;
			reading->total = memory.total;
		}
		readings->instance_count++;
	}
}

/* The entry of @readings, from number @from on, for the process and part that @process is about. */
static struct rec_process_reading *process_of(struct nvml_readings *readings, size_t from,
					      const struct nvml_process *process, int number)
{
	struct rec_process_reading *reading;
	struct container container;
	size_t i;

	for (i = from; i < readings->process_count; i++) {
		reading = &readings->processes[i];
		if (reading->pid == process->pid &&
		    reading->gpu_instance == process->gpu_instance &&
		    reading->compute_instance == process->compute_instance)
			return reading;
	}
	reading = &readings->processes[readings->process_count++];
	*reading = (struct rec_process_reading){
		.hdr = { .type = REC_PROCESS_READING, .size = sizeof(*reading) },
		.pid = process->pid,
		.has_device = true,
		.device = number,
		.gpu_instance = process->gpu_instance,
		.compute_instance = process->compute_instance,
	};
	process_brief(process->pid, reading->comm, reading->user, sizeof(reading->user),
		      &container);
	snprintf(reading->container, sizeof(reading->container), "%s", container.id);
	return reading;
}

/* Adds those of one of the driver's lists. A process may be in several of them. */
static void processes_read(nvml_list *call, enum device_use_type type, size_t from,
			   nvml_device device, int number, struct nvml_readings *readings)
{
	struct rec_process_reading *grown;
	struct nvml_process *list = NULL;
	unsigned int room = 0, next = 64, count = 0, i;
	int result = 0;

	if (!call)
		return;
	do {
		free(list);
		room = next;
		list = calloc(room, sizeof(*list));
		count = room;
		result = list ? call(device, &count, list) : -ENOMEM;
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
		struct rec_process_reading *reading = process_of(readings, from, &list[i], number);

		reading->types |= type;
		if (list[i].used == NVML_VALUE_NOT_AVAILABLE)
			continue;
		/* Each list has what the process uses in all. */
		reading->is_known = true;
		if (reading->used < list[i].used)
			reading->used = list[i].used;
	}
out:
	free(list);
}

/*
 * Returns the present figures, or NULL if the library does not answer any more: then it has to be
 * initialized anew. *@numbers begins as zeros and is kept between the calls; the caller frees its list.
 */
static struct nvml_readings *nvml_readings_take(const struct nvml_functions *call,
						struct nvml_numbers *numbers)
{
	struct nvml_readings *readings;
	unsigned int count, i, type;
	size_t from;

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
		gpu_note(call, device, reading->device, reading->uuid, &readings->gpus);
		instances_read(call, device, reading->device, readings);
		from = readings->process_count;
		for (type = 0; type < USE_TYPES; type++)
			processes_read(call->processes[type], 1u << type, from, device,
				       reading->device, readings);
	}
	return readings;
}

/* Returns the handle of the library with *@call filled, or NULL with @why set. */
static void *nvml_library_load(struct nvml_functions *call, struct reason *why)
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

/* ---- the thread ---- */

#define INTERVAL NSEC_PER_SEC
/* Wait, after the library could not be initialized */
#define RETRY    (10 * NSEC_PER_SEC)
#define CLOSE_MS 200

struct nvml {
	pthread_t thread;
	const struct notes *notes;  /* not used once `stop` is set */
	struct nvml_functions call; /* used by the thread only, like the following */
	struct nvml_numbers numbers;
	bool told; /* the user was told why nothing is known */

	pthread_mutex_t lock; /* guards the following */
	pthread_cond_t changed;
	bool stop, ended, abandoned, answered;
	struct nvml_readings *latest; /* NULL: nothing is known */
	bool is_new;                  /* it was not passed on yet */
};

/* ---- the thread ---- */

static void tell(struct nvml *nvml, const char *text)
{
	pthread_mutex_lock(&nvml->lock);
	if (!nvml->stop && !nvml->told)
		note(nvml->notes, "nothing is known of devices: %s", text);
	nvml->told = true;
	pthread_mutex_unlock(&nvml->lock);
}

static void publish(struct nvml *nvml, struct nvml_readings *readings)
{
	struct nvml_readings *old;

	pthread_mutex_lock(&nvml->lock);
	old = nvml->latest;
	nvml->latest = readings;
	nvml->answered = nvml->is_new = true;
	pthread_cond_broadcast(&nvml->changed);
	pthread_mutex_unlock(&nvml->lock);
	nvml_readings_free(old);
}

/*
 * Waits until *@what, which the lock guards, is true, for at most @ns. Called with the lock held.
 */
static void wait_until(struct nvml *nvml, const bool *what, uint64_t ns)
{
	uint64_t until = clock_own_ns(CLOCK_MONOTONIC) + ns;
	struct timespec deadline = { (time_t)(until / NSEC_PER_SEC), (long)(until % NSEC_PER_SEC) };

	while (!*what &&
	       pthread_cond_timedwait(&nvml->changed, &nvml->lock, &deadline) != ETIMEDOUT)
		;
}

/* Waits @ns, or until the thread is to stop. Returns true if it is. */
static bool rest(struct nvml *nvml, uint64_t ns)
{
	bool stop;

	pthread_mutex_lock(&nvml->lock);
	wait_until(nvml, &nvml->stop, ns);
	stop = nvml->stop;
	pthread_mutex_unlock(&nvml->lock);
	return stop;
}

/*
 * True if a device of NVIDIA's driver is suspended: the library would wake it, which in a laptop takes
 * seconds each time, and its battery.
 */
static bool devices_sleep(void)
{
	const char *folder = getenv("CUTOP_TEST_PCI");
	char *path = format_new("%s/*/power/runtime_status",
				folder ? folder : "/sys/bus/pci/drivers/nvidia");
	bool sleeps = false;
	glob_t found = { 0 };
	size_t i;

	if (path && !glob(path, GLOB_NOSORT, NULL, &found))
		for (i = 0; i < found.gl_pathc && !sleeps; i++) {
			char *status = file_read(found.gl_pathv[i], 64, NULL);

			sleeps = status && !strncmp(status, "suspend", strlen("suspend"));
			free(status);
		}
	globfree(&found);
	free(path);
	return sleeps;
}

/* Asks until the library does not answer, or the thread is to stop. Returns true if it is. */
static bool ask(struct nvml *nvml)
{
	struct nvml_readings *readings;

	while (!devices_sleep()) {
		readings = nvml_readings_take(&nvml->call, &nvml->numbers);
		publish(nvml, readings);
		if (!readings)
			return rest(nvml, RETRY);
		if (rest(nvml, INTERVAL))
			return true;
	}
	return false;
}

static void nvml_free(struct nvml *nvml)
{
	nvml_readings_free(nvml->latest);
	free(nvml->numbers.list);
	pthread_cond_destroy(&nvml->changed);
	pthread_mutex_destroy(&nvml->lock);
	free(nvml);
}

static void *nvml_run(void *argument)
{
	struct nvml *nvml = argument;
	struct reason why = { "" };
	void *library = nvml_library_load(&nvml->call, &why);
	bool over = !library, abandoned;
	int result;

	if (!library)
		tell(nvml, why.text);
	while (!over) {
		if (devices_sleep()) {
			tell(nvml, "a device sleeps, and is not woken");
			publish(nvml, NULL);
			over = rest(nvml, INTERVAL);
			continue;
		}
		result = nvml->call.init();
		if (result == NVML_SUCCESS) {
			over = ask(nvml);
			nvml->call.shutdown();
			continue;
		}
		reason_set(&why, -EIO, "%s cannot be set up: %s (%d)", NVML_LIBRARY,
			   nvml->call.error ? nvml->call.error(result) : "error", result);
		tell(nvml, why.text);
		publish(nvml, NULL);
		over = rest(nvml, RETRY);
	}
	/* The library stays loaded: it may have started threads. */
	pthread_mutex_lock(&nvml->lock);
	nvml->ended = nvml->answered = true;
	abandoned = nvml->abandoned;
	pthread_cond_broadcast(&nvml->changed);
	pthread_mutex_unlock(&nvml->lock);
	if (abandoned)
		nvml_free(nvml);
	return NULL;
}

/* ---- called by other threads ---- */

struct nvml *nvml_open(const struct notes *notes)
{
	struct nvml *nvml = calloc(1, sizeof(*nvml));
	pthread_condattr_t attributes;

	if (!nvml)
		return NULL;
	nvml->notes = notes;
	pthread_mutex_init(&nvml->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&nvml->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	if (!pthread_create(&nvml->thread, NULL, nvml_run, nvml))
		return nvml;
	nvml_free(nvml);
	return NULL;
}

void nvml_close(struct nvml *nvml)
{
	bool ended;

	if (!nvml)
		return;
	pthread_mutex_lock(&nvml->lock);
	nvml->stop = true;
	pthread_cond_broadcast(&nvml->changed);
	wait_until(nvml, &nvml->ended, CLOSE_MS * NSEC_PER_MSEC);
	ended = nvml->ended;
	nvml->abandoned = !ended;
	if (!ended)
		pthread_detach(nvml->thread);
	pthread_mutex_unlock(&nvml->lock);
	if (!ended)
		return;
	pthread_join(nvml->thread, NULL);
	nvml_free(nvml);
}

void nvml_wait(struct nvml *nvml, unsigned int ms)
{
	if (!nvml)
		return;
	pthread_mutex_lock(&nvml->lock);
	wait_until(nvml, &nvml->answered, ms * NSEC_PER_MSEC);
	pthread_mutex_unlock(&nvml->lock);
}

void nvml_gpus(struct nvml *nvml, struct visible_gpus *gpus)
{
	const struct nvml_readings *readings;
	size_t i;

	*gpus = (struct visible_gpus){ .list = NULL };
	if (!nvml)
		return;
	pthread_mutex_lock(&nvml->lock);
	readings = nvml->is_new ? nvml->latest : NULL;
	for (i = 0; readings && i < readings->gpus.count; i++)
		visible_gpus_add(gpus, &readings->gpus.list[i]);
	pthread_mutex_unlock(&nvml->lock);
}

void nvml_tell(struct nvml *nvml, const struct record_sink *sink)
{
	struct rec_hdr begin = { .type = REC_READINGS,
				 .size = sizeof(begin),
				 .time = clock_ns(CLOCK_MONOTONIC) };
	const struct nvml_readings *readings;
	size_t i;

	if (!nvml)
		return;
	pthread_mutex_lock(&nvml->lock);
	readings = nvml->latest;
	if (nvml->is_new)
		record_sink_put(sink, &begin, sizeof(begin));
	for (i = 0; nvml->is_new && readings && i < readings->device_count; i++)
		record_sink_put(sink, &readings->devices[i].hdr, sizeof(readings->devices[i]));
	for (i = 0; nvml->is_new && readings && i < readings->instance_count; i++)
		record_sink_put(sink, &readings->instances[i].hdr, sizeof(readings->instances[i]));
	for (i = 0; nvml->is_new && readings && i < readings->process_count; i++)
		record_sink_put(sink, &readings->processes[i].hdr, sizeof(readings->processes[i]));
	nvml->is_new = false;
	pthread_mutex_unlock(&nvml->lock);
}
