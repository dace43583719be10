/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NVIDIA's management library, loaded and asked; nvml.c does so in a thread of its own. */
#ifndef COLLECT_NVML_LIBRARY_H
#define COLLECT_NVML_LIBRARY_H

#include <stddef.h>

#include "model/stream.h"
#include "util/util.h"

#define NVML_LIBRARY "libnvidia-ml.so.1"
#define NVML_SUCCESS 0 /* nvmlReturn_t */

typedef void *nvml_device;

struct nvml_memory;
struct nvml_utilization;
struct nvml_pci;
struct nvml_process;
struct nvml_process_v1;

struct nvml_functions {
	int (*init)(void);
	int (*shutdown)(void);
	int (*count)(unsigned int *count);
	int (*handle)(unsigned int index, nvml_device *device);
	/* The following functions may be missing. */
	int (*name)(nvml_device device, char *name, unsigned int size);
	int (*uuid)(nvml_device device, char *uuid, unsigned int size);
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
	int (*processes)(nvml_device device, unsigned int *count, struct nvml_process *list);
	int (*processes_v1)(nvml_device device, unsigned int *count, struct nvml_process_v1 *list);
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
};

/* Returns the handle of the library with *@call filled, or NULL with @why set. */
void *nvml_library_load(struct nvml_functions *call, struct reason *why);

/*
 * Returns the present figures, or NULL if the library does not answer any more: then it has to be
 * initialized anew. *@numbers begins as zeros and is kept between the calls; the caller frees its list.
 */
struct nvml_readings *nvml_readings_take(const struct nvml_functions *call,
					 struct nvml_numbers *numbers);
/* Accepts NULL. */
void nvml_readings_free(struct nvml_readings *readings);

#endif
