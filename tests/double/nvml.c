// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A double of libnvidia-ml.so.1: the calls that cutop makes, answered from the
 * file that CUDA_DOUBLE_NVML names, which is read anew at each call, so that a
 * test can change what is said. Without it there is no device. Lines:
 *
 *   device UUID=GPU-1 NAME=H100 BUS=0:17:0 TOTAL=1000 USED=10 UTIL=97 TEMP=64 POWER=412300 LIMIT=700000 MINOR=3
 *   mig INDEX GI=3 CI=0 NAME=H100_MIG_1g.10gb UUID=MIG-1 TOTAL=100 USED=5
 *				a part of the device INDEX, which is divided
 *   process INDEX PID BYTES [GI [CI]]	BYTES may be -: not available; also graphics and mps, for
 *				these lists
 *   fail FUNCTION CODE [INDEX]	the call fails, with INDEX of that device only
 *   hang FUNCTION		the call never returns
 *
 * Fields may be left out: the call then says that it is not supported. Names
 * have _ for a blank. Built with NVML_OLD it is a library of long ago, without
 * most of its functions.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_SUPPORTED     3
#define INSUFFICIENT_SIZE 7
#define INVALID           2
#define DEVICES           64
#define NOT_FOUND         6
#define PROCESSES         1024
#define NONE              (~0u)
#define PARTS             7 /* of a device */

struct answer {
	char uuid[96], name[96];
	unsigned int domain, bus, slot;
	unsigned long long total, used;
	int util, temp, power, limit, minor;
	bool has_bus, has_memory;
	/* Of a part: whose it is, and its numbers; of a device: NONE */
	unsigned int parent, gpu_instance, compute_instance;
};

struct process {
	unsigned int index, pid, gpu_instance, compute_instance;
	unsigned long long used;
	char list; /* the first letter of the line */
};

struct script {
	struct answer devices[2 * DEVICES]; /* parts are behind the devices */
	struct process processes[PROCESSES];
	unsigned int device_count, part_count, process_count;
	int failure; /* of the call that is made */
};

static char handles[2 * DEVICES];

static void field_take(struct answer *answer, char *word)
{
	char *value = strchr(word, '='), *at;

	if (!value)
		return;
	*value++ = 0;
	for (at = value; *at; at++)
		*at = *at == '_' ? ' ' : *at;
	if (!strcmp(word, "UUID"))
		snprintf(answer->uuid, sizeof(answer->uuid), "%s", value);
	else if (!strcmp(word, "NAME"))
		snprintf(answer->name, sizeof(answer->name), "%s", value);
	else if (!strcmp(word, "BUS"))
		answer->has_bus = sscanf(value, "%x:%x:%x", &answer->domain, &answer->bus,
					 &answer->slot) == 3;
	else if (!strcmp(word, "TOTAL"))
		answer->total = strtoull(value, NULL, 10);
	else if (!strcmp(word, "USED"))
		answer->has_memory = sscanf(value, "%llu", &answer->used) == 1;
	else if (!strcmp(word, "UTIL"))
		answer->util = atoi(value);
	else if (!strcmp(word, "TEMP"))
		answer->temp = atoi(value);
	else if (!strcmp(word, "POWER"))
		answer->power = atoi(value);
	else if (!strcmp(word, "LIMIT"))
		answer->limit = atoi(value);
	else if (!strcmp(word, "MINOR"))
		answer->minor = atoi(value);
	else if (!strcmp(word, "GI"))
		answer->gpu_instance = (unsigned int)atoi(value);
	else if (!strcmp(word, "CI"))
		answer->compute_instance = (unsigned int)atoi(value);
}

static void fields_take(struct answer *answer, unsigned int parent, char *rest)
{
	char *word;

	answer->util = answer->temp = answer->power = answer->limit = answer->minor = -1;
	answer->parent = parent;
	while ((word = strtok_r(NULL, " \n", &rest)) != NULL)
		field_take(answer, word);
}

static void line_take(struct script *script, char *line, const char *function, int index)
{
	struct process *process = &script->processes[script->process_count];
	char *rest, *word = strtok_r(line, " \n", &rest), name[80], bytes[32];
	int code, device = -1;

	if (word && !strcmp(word, "device") && script->device_count < DEVICES) {
		fields_take(&script->devices[script->device_count++], NONE, rest);
	} else if (word && !strcmp(word, "mig") && script->part_count < DEVICES &&
		   (word = strtok_r(NULL, " \n", &rest)) != NULL) {
		fields_take(&script->devices[DEVICES + script->part_count++],
			    (unsigned int)atoi(word), rest);
	} else if (word &&
		   (!strcmp(word, "process") || !strcmp(word, "graphics") ||
		    !strcmp(word, "mps")) &&
		   script->process_count < PROCESSES) {
		process->list = word[0];
		process->gpu_instance = process->compute_instance = NONE;
		if (sscanf(rest, "%u %u %31s %u %u", &process->index, &process->pid, bytes,
			   &process->gpu_instance, &process->compute_instance) >= 3) {
			process->used = bytes[0] == '-' ? ~0ull : strtoull(bytes, NULL, 10);
			script->process_count++;
		}
	} else if (word && !strcmp(word, "fail")) {
		if (sscanf(rest, "%79s %d %d", name, &code, &device) >= 2 &&
		    !strcmp(name, function) && (device < 0 || device == index))
			script->failure = code;
	} else if (word && !strcmp(word, "hang")) {
		while (sscanf(rest, "%79s", name) == 1 && !strcmp(name, function))
			pause();
	}
}

/* Reads the script for a call of @function on @device (NULL: on none). */
static struct script *script_read(const char *function, const void *device)
{
	static struct script script; /* one thread asks */
	const char *path = getenv("CUDA_DOUBLE_NVML");
	FILE *file = path ? fopen(path, "r") : NULL;
	char line[1024];

	memset(&script, 0, sizeof(script));
	while (file && fgets(line, sizeof(line), file))
		line_take(&script, line, function,
			  device ? (int)((const char *)device - handles) : -1);
	if (file)
		fclose(file);
	return &script;
}

static const struct answer *answer_of(const struct script *script, const void *device)
{
	size_t index = (size_t)((const char *)device - handles);

	return index < script->device_count ||
			       (index >= DEVICES && index < DEVICES + script->part_count) ?
		       &script->devices[index] :
		       NULL;
}

#define CALL(name, ...) \
	int name(__VA_ARGS__); \
	int name(__VA_ARGS__)

/* What a call on a device begins with. */
#define ANSWER \
	struct script *script = script_read(__func__, device); \
	const struct answer *answer = answer_of(script, device); \
	if (script->failure || !answer) \
	return script->failure ? script->failure : INVALID

static int text_give(const char *text, char *out, unsigned int size)
{
	if (!text[0])
		return NOT_SUPPORTED;
	if (strlen(text) >= size)
		return INSUFFICIENT_SIZE;
	strcpy(out, text);
	return 0;
}

#ifndef NVML_OLD
static int number_give(int number, unsigned int *out)
{
	if (number < 0)
		return NOT_SUPPORTED;
	*out = (unsigned int)number;
	return 0;
}
#endif

struct pci {
	char short_id[16];
	unsigned int domain, bus, slot, id;
#ifndef NVML_OLD
	unsigned int subsystem;
	char long_id[32];
#endif
};

struct info {
	unsigned int pid;
	unsigned long long used;
	unsigned int gpu_instance, compute_instance;
};

#ifdef NVML_OLD
#define PROCESSES_VERSION nvmlDeviceGetComputeRunningProcesses_v2
#else
#define PROCESSES_VERSION nvmlDeviceGetComputeRunningProcesses_v3
#endif

CALL(nvmlInit_v2, void)
{
	return script_read(__func__, NULL)->failure;
}

CALL(nvmlShutdown, void)
{
	return 0;
}

CALL(nvmlDeviceGetCount_v2, unsigned int *count)
{
	struct script *script = script_read(__func__, NULL);

	*count = script->device_count;
	return script->failure;
}

CALL(nvmlDeviceGetHandleByIndex_v2, unsigned int index, void **device)
{
	struct script *script = script_read(__func__, &handles[index]);

	if (index >= script->device_count)
		return INVALID;
	*device = &handles[index];
	return script->failure;
}

CALL(nvmlDeviceGetName, void *device, char *name, unsigned int size)
{
	ANSWER;
	return text_give(answer->name, name, size);
}

CALL(nvmlDeviceGetMemoryInfo, void *device, unsigned long long memory[3])
{
	ANSWER;
	if (!answer->has_memory)
		return NOT_SUPPORTED;
	memory[0] = answer->total;
	memory[1] = answer->total - answer->used;
	memory[2] = answer->used;
	return 0;
}

CALL(nvmlDeviceGetPciInfo_v3, void *device, struct pci *pci)
{
	ANSWER;
	if (!answer->has_bus)
		return NOT_SUPPORTED;
	memset(pci, 0xff, sizeof(*pci));
	pci->domain = answer->domain;
	pci->bus = answer->bus;
	pci->slot = answer->slot;
	return 0;
}

static int processes_give(const struct script *script, const struct answer *answer, char which,
			  unsigned int *count, struct info *list)
{
	unsigned int room = *count, i;

	for (i = 0, *count = 0; i < script->process_count; i++) {
		const struct process *process = &script->processes[i];

		if (&script->devices[process->index] != answer || process->list != which)
			continue;
		if (*count < room)
			list[*count] =
				(struct info){ .pid = process->pid,
					       .used = process->used,
					       .gpu_instance = process->gpu_instance,
					       .compute_instance = process->compute_instance };
		(*count)++;
	}
	return *count > room ? INSUFFICIENT_SIZE : 0;
}

CALL(PROCESSES_VERSION, void *device, unsigned int *count, struct info *list)
{
	ANSWER;
	return processes_give(script, answer, 'p', count, list);
}

#ifndef NVML_OLD
CALL(nvmlDeviceGetGraphicsRunningProcesses_v3, void *device, unsigned int *count, struct info *list)
{
	ANSWER;
	return processes_give(script, answer, 'g', count, list);
}

CALL(nvmlDeviceGetMPSComputeRunningProcesses_v3, void *device, unsigned int *count,
     struct info *list)
{
	ANSWER;
	return processes_give(script, answer, 'm', count, list);
}

CALL(nvmlDeviceGetUUID, void *device, char *uuid, unsigned int size)
{
	ANSWER;
	return text_give(answer->uuid, uuid, size);
}

CALL(nvmlDeviceGetMinorNumber, void *device, unsigned int *minor)
{
	ANSWER;
	return number_give(answer->minor, minor);
}

CALL(nvmlDeviceGetUtilizationRates, void *device, unsigned int rates[2])
{
	ANSWER;
	rates[1] = 0;
	return number_give(answer->util, &rates[0]);
}

CALL(nvmlDeviceGetTemperature, void *device, int sensor, unsigned int *celsius)
{
	ANSWER;
	return sensor ? INVALID : number_give(answer->temp, celsius);
}

CALL(nvmlDeviceGetPowerUsage, void *device, unsigned int *milliwatts)
{
	ANSWER;
	return number_give(answer->power, milliwatts);
}

CALL(nvmlDeviceGetEnforcedPowerLimit, void *device, unsigned int *milliwatts)
{
	ANSWER;
	return number_give(answer->limit, milliwatts);
}

/* The part of @device with @index, as numbers are given out: from 1 on, for there is no first. */
static int part_index(const struct script *script, const void *device, unsigned int index)
{
	unsigned int parent = (unsigned int)((const char *)device - handles);

	for (unsigned int i = 0; i < script->part_count; i++)
		if (script->devices[DEVICES + i].parent == parent && index-- == 1)
			return (int)(DEVICES + i);
	return -1;
}

CALL(nvmlDeviceGetMigMode, void *device, unsigned int *current, unsigned int *pending)
{
	ANSWER;
	if (answer->parent != NONE)
		return INVALID;
	*current = *pending = part_index(script, device, 1) >= 0;
	return 0;
}

CALL(nvmlDeviceGetMaxMigDeviceCount, void *device, unsigned int *count)
{
	ANSWER;
	*count = PARTS + 1;
	return 0;
}

CALL(nvmlDeviceGetMigDeviceHandleByIndex, void *device, unsigned int index, void **part)
{
	int found;
	ANSWER;

	found = part_index(script, device, index);
	if (found < 0)
		return NOT_FOUND;
	*part = &handles[found];
	return 0;
}

CALL(nvmlDeviceGetGpuInstanceId, void *device, unsigned int *id)
{
	ANSWER;
	if (answer->parent == NONE)
		return NOT_SUPPORTED;
	*id = answer->gpu_instance;
	return 0;
}

CALL(nvmlDeviceGetComputeInstanceId, void *device, unsigned int *id)
{
	ANSWER;
	if (answer->parent == NONE)
		return NOT_SUPPORTED;
	*id = answer->compute_instance;
	return 0;
}

const char *nvmlErrorString(int code);
const char *nvmlErrorString(int code)
{
	return code == 9 ? "Driver Not Loaded" : "Some Error";
}
#endif
