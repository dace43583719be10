/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CUDA_VISIBLE_DEVICES lists devices by number, or by the beginning of their UUID; the first entry
 * that is no device ends the list (CUDA C++ Programming Guide, environment variables). The driver
 * has a directory per device, named by its address on the PCI bus; nvidia-smi numbers devices in
 * the order of these addresses. An instance of a divided device (MIG) is a device of its own there:
 * its older name, MIG-GPU-UUID/GI/CI, has the device's UUID in it, its newer one, MIG-UUID, does
 * not tell which device it is a part of. A program works with one instance only.
 */
#include "cuda/visible_devices.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

#define GPUS "/proc/driver/nvidia/gpus"

#define NOT_A_DEVICE (-2)

/*
 * True if the device described in @directory/@name/information has a UUID that begins with @word.
 */
static bool has_uuid(const char *directory, const char *name, const char *word, size_t len)
{
	char path[4096], *text, *uuid;
	bool same = false;

	if (snprintf(path, sizeof(path), "%s/%s/information", directory, name) >= (int)sizeof(path))
		return false;
	text = file_read(path, 4096, NULL);
	uuid = text ? strstr(text, "GPU-") : NULL;
	if (uuid)
		same = !strncmp(uuid, word, len);
	free(text);
	return same;
}

/*
 * The number of the only device whose UUID begins with @word; else NOT_A_DEVICE, or VISIBLE_UNKNOWN
 * if the driver's directory is not there.
 */
static int uuid_device(const char *gpus, const char *word, size_t len)
{
	struct dirent **names;
	int count = scandir(gpus, &names, NULL, alphasort), device = 0, found = -1, matches = 0, i;

	for (i = 0; i < count; i++) {
		if (names[i]->d_name[0] != '.') {
			if (has_uuid(gpus, names[i]->d_name, word, len)) {
				found = device;
				matches++;
			}
			device++;
		}
		free(names[i]);
	}
	if (count < 0)
		return VISIBLE_UNKNOWN;
	free(names);
	return matches == 1 ? found : NOT_A_DEVICE;
}

static int word_device(const char *gpus, const char *word, size_t len)
{
	char *end;
	long number;

	if (len > 4 && !strncmp(word, "MIG-", 4)) {
		if (len > 8 && !strncmp(word + 4, "GPU-", 4))
			return uuid_device(gpus, word + 4, strcspn(word + 4, "/"));
		return VISIBLE_UNKNOWN;
	}
	if (len > 4 && !strncmp(word, "GPU-", 4))
		return uuid_device(gpus, word, len);
	if (!len || *word < '0' || *word > '9')
		return NOT_A_DEVICE;
	number = strtol(word, &end, 10);
	return end == word + len && number < 1024 ? (int)number : NOT_A_DEVICE;
}

size_t visible_parse(const char *list, const char *gpus, int *devices)
{
	size_t count = 0, len, i;
	int device;

	for (; *list && count < VISIBLE_MAX; list += len + (list[len] == ',')) {
		list += strspn(list, " ");
		len = strcspn(list, ",");
		for (i = len; i && list[i - 1] == ' '; i--)
			;
		device = word_device(gpus, list, i);
		if (device == NOT_A_DEVICE)
			break;
		for (i = 0; i < count; i++)
			if (devices[i] == device)
				/* A device listed twice: CUDA then shows no device at all */
				return 0;
		devices[count++] = device;
		if (!strncmp(list, "MIG-", 4))
			break;
	}
	return count;
}

/* The value of the variable @name ("NAME="), or NULL. */
static const char *value_find(const char *environment, size_t len, const char *name)
{
	size_t at, name_len = strlen(name);

	for (at = 0; at < len; at += strlen(environment + at) + 1)
		if (!strncmp(environment + at, name, name_len))
			return environment + at + name_len;
	return NULL;
}

/* False if a title was written over it, as setproctitle() does: it does not begin with NAME=. */
static bool is_whole(const char *environment, size_t len)
{
	size_t name = strcspn(environment, "= /:()[]");

	return !len || (name && environment[name] == '=');
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * The devices that a container's runtime gave it: they are numbered anew in there, in the order of the
 * machine's numbers. Returns how many; 0: all, or that is not said.
 */
static size_t given_find(const char *environment, size_t len, int *devices)
{
	static const char *const words[] = { "all", "void", "none" };
	const char *list = value_find(environment, len, "NVIDIA_VISIBLE_DEVICES=");
	size_t count, i;

	for (i = 0; list && i < ARRAY_LEN(words); i++)
		if (!strcmp(list, words[i]))
			return 0;
	count = list ? visible_parse(list, GPUS, devices) : 0;
	qsort(devices, count, sizeof(*devices), compare);
	/* One that is unknown may be before any other. */
	for (i = 0; count && devices[0] == VISIBLE_UNKNOWN && i < count; i++)
		devices[i] = VISIBLE_UNKNOWN;
	return count;
}

size_t visible_find(const char *environment, size_t len, int *devices)
{
	int given[VISIBLE_MAX];
	size_t given_count, count, i;
	const char *list;

	devices[0] = VISIBLE_UNKNOWN;
	if (!is_whole(environment, len))
		return 1;
	list = value_find(environment, len, "CUDA_VISIBLE_DEVICES=");
	given_count = given_find(environment, len, given);
	if (!list) {
		memcpy(devices, given, given_count * sizeof(*given));
		return given_count;
	}
	count = visible_parse(list, GPUS, devices);
	for (i = 0; given_count && i < count && *list != 'G' && *list != 'M'; i++)
		devices[i] = devices[i] >= 0 && (size_t)devices[i] < given_count ?
				     given[devices[i]] :
				     VISIBLE_UNKNOWN;
	/* With no device it would not call CUDA: it has chosen one itself since. */
	if (!count)
		devices[count++] = VISIBLE_UNKNOWN;
	return count;
}
