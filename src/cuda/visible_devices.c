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
#define NAME "CUDA_VISIBLE_DEVICES="

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

/* The number of the only device whose UUID begins with @word; else NOT_A_DEVICE. */
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
	if (count >= 0)
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

size_t visible_find(const char *environment, size_t len, int *devices)
{
	size_t at;

	for (at = 0; at < len; at += strlen(environment + at) + 1)
		if (!strncmp(environment + at, NAME, sizeof(NAME) - 1))
			return visible_parse(environment + at + sizeof(NAME) - 1, GPUS, devices);
	return 0;
}
