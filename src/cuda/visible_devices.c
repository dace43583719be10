/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CUDA_VISIBLE_DEVICES lists devices by number, or by the beginning of their UUID; the first entry
 * that is no device ends the list (CUDA C++ Programming Guide, environment variables). The driver
 * has a directory per device, named by its address on the PCI bus; nvidia-smi numbers devices in
 * the order of these addresses. An instance of a divided device (MIG) is a device of its own there:
 * its older name, MIG-GPU-UUID/GI/CI, has the device's UUID in it; which device the newer one, MIG-UUID,
 * is a part of only NVIDIA's management library tells. A program works with one instance only.
 */
#include "cuda/visible_devices.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/job_rank.h"
#include "util/util.h"

#define NOT_A_DEVICE (-2)

int visible_gpus_add(struct visible_gpus *gpus, const struct visible_gpu *gpu)
{
	struct visible_gpu *list = realloc(gpus->list, (gpus->count + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	gpus->list = list;
	list[gpus->count++] = *gpu;
	return 0;
}

void visible_gpus_free(struct visible_gpus *gpus)
{
	free(gpus->list);
	*gpus = (struct visible_gpus){ .list = NULL };
}

void visible_gpus_read(const char *directory, struct visible_gpus *gpus)
{
	struct dirent **names;
	int count = scandir(directory, &names, NULL, alphasort), i;
	struct visible_gpu gpu = { .number = 0 };
	char *path, *text, *at;

	*gpus = (struct visible_gpus){ .list = NULL };
	for (i = 0; i < count; i++) {
		path = format_new("%s/%s/information", directory, names[i]->d_name);
		text = path && names[i]->d_name[0] != '.' ? file_read(path, 4096, NULL) : NULL;
		at = text ? strstr(text, "Device Minor:") : NULL;
		if (!at || sscanf(at, "Device Minor: %d", &gpu.minor) != 1)
			gpu.minor = -1;
		at = text ? strstr(text, "GPU-") : NULL;
		snprintf(gpu.uuid, sizeof(gpu.uuid), "%.*s", at ? (int)strcspn(at, " \t\n") : 0,
			 at ? at : "");
		if (names[i]->d_name[0] != '.' && !visible_gpus_add(gpus, &gpu))
			gpu.number++;
		free(text);
		free(path);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
}

/*
 * The number of the only device whose UUID begins with @word; else NOT_A_DEVICE, or VISIBLE_UNKNOWN
 * if no device is known.
 */
static int uuid_device(const struct visible_gpus *gpus, const char *word, size_t len)
{
	int found = -1, matches = 0;
	size_t i;

	for (i = 0; i < gpus->count; i++)
		if (!strncmp(gpus->list[i].uuid, word, len)) {
			found = gpus->list[i].number;
			matches++;
		}
	if (!gpus->count)
		return VISIBLE_UNKNOWN;
	return matches == 1 ? found : NOT_A_DEVICE;
}

static int word_device(const struct visible_gpus *gpus, const char *word, size_t len)
{
	char *end;
	long number;

	if (len > 4 && !strncmp(word, "MIG-", 4)) {
		if (len > 8 && !strncmp(word + 4, "GPU-", 4))
			return uuid_device(gpus, word + 4, strcspn(word + 4, "/"));
		number = uuid_device(gpus, word, len);
		return number == NOT_A_DEVICE ? VISIBLE_UNKNOWN : (int)number;
	}
	if (len > 4 && !strncmp(word, "GPU-", 4))
		return uuid_device(gpus, word, len);
	if (!len || *word < '0' || *word > '9')
		return NOT_A_DEVICE;
	number = strtol(word, &end, 10);
	return end == word + len && number < 1024 ? (int)number : NOT_A_DEVICE;
}

size_t visible_parse(const char *list, const struct visible_gpus *gpus, int *devices)
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

static const char *const variables[] = { "CUDA_VISIBLE_DEVICES=", "NVIDIA_VISIBLE_DEVICES=" };

/* False if a title was written over it, as setproctitle() does: it does not begin with NAME=. */
static bool is_variable(const char *text)
{
	size_t name = strcspn(text, "= /:()[]");

	return name && text[name] == '=';
}

int visible_is_clue(const char *variable)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(variables); i++)
		if (!strncmp(variable, variables[i], strlen(variables[i])))
			return 1;
	if (job_rank_variable(variable))
		return 1;
	return is_variable(variable) ? 0 : -1;
}

void visible_clues_print(FILE *out, char mark, const char *environment, size_t len)
{
	size_t at;

	if (len && !is_variable(environment))
		return;
	fprintf(out, "%c%c", mark, 0);
	for (at = 0; at < len; at += strlen(environment + at) + 1)
		if (visible_is_clue(environment + at) > 0)
			fprintf(out, "%c%s%c", mark, environment + at, 0);
}

const char *visible_clue(const char *clues, size_t len, char mark, const char *name)
{
	size_t at, name_len = strlen(name);

	for (at = 0; at < len; at += strlen(clues + at) + 1)
		if (clues[at] == mark && !strncmp(clues + at + 1, name, name_len))
			return clues + at + 1 + name_len;
	return NULL;
}

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/*
 * The devices that a container's runtime gave it by @list: they are numbered anew in there, in the order
 * of the machine's numbers. Returns how many; 0: all, or that is not said.
 */
static size_t given_find(const char *list, const struct visible_gpus *gpus, int *devices)
{
	static const char *const words[] = { "all", "void", "none" };
	size_t count, i;

	for (i = 0; list && i < ARRAY_LEN(words); i++)
		if (!strcmp(list, words[i]))
			return 0;
	count = list ? visible_parse(list, gpus, devices) : 0;
	qsort(devices, count, sizeof(*devices), compare);
	/* One that is unknown may be before any other. */
	for (i = 0; count && devices[0] == VISIBLE_UNKNOWN && i < count; i++)
		devices[i] = VISIBLE_UNKNOWN;
	return count;
}

/* What its variables say, as those with @mark are. */
static size_t variables_find(const char *clues, size_t len, char mark,
			     const struct visible_gpus *gpus, int *devices)
{
	const char *list = visible_clue(clues, len, mark, variables[0]);
	int given[VISIBLE_MAX];
	size_t given_count, count, i;

	given_count = given_find(visible_clue(clues, len, mark, variables[1]), gpus, given);
	if (!list) {
		memcpy(devices, given, given_count * sizeof(*given));
		return given_count;
	}
	count = visible_parse(list, gpus, devices);
	for (i = 0; given_count && i < count && *list != 'G' && *list != 'M'; i++)
		devices[i] = devices[i] >= 0 && (size_t)devices[i] < given_count ?
				     given[devices[i]] :
				     VISIBLE_UNKNOWN;
	/* With no device it would not call CUDA: it has chosen one itself since. */
	if (!count)
		devices[count++] = VISIBLE_UNKNOWN;
	return count;
}

bool visible_has_node(const char *clues, size_t len)
{
	return visible_clue(clues, len, VISIBLE_NODE, "");
}

/* True if it has another list than it was started with: when it set that, is not known. */
static bool has_other_list(const char *clues, size_t len)
{
	const char *now = visible_clue(clues, len, VISIBLE_NOW, variables[0]),
		   *start = visible_clue(clues, len, VISIBLE_START, variables[0]);

	return visible_clue(clues, len, VISIBLE_START, "") &&
	       strcmp(now ? now : "", start ? start : "");
}

size_t visible_find(const char *clues, size_t len, bool is_late, const struct visible_gpus *gpus,
		    int *devices)
{
	const char *node = visible_clue(clues, len, VISIBLE_NODE, "");
	size_t count = 1, i, j;

	devices[0] = VISIBLE_UNKNOWN;
	if (visible_clue(clues, len, VISIBLE_NOW, "")) {
		if (!is_late || !has_other_list(clues, len))
			count = variables_find(clues, len, VISIBLE_NOW, gpus, devices);
	} else if (visible_clue(clues, len, VISIBLE_START, "")) {
		count = variables_find(clues, len, VISIBLE_START, gpus, devices);
	}
	for (i = 0; node && i < gpus->count; i++) {
		if (gpus->list[i].minor != atoi(node))
			continue;
		for (j = 0; j < count && devices[j] != gpus->list[i].number; j++)
			;
		if (j == count) {
			devices[0] = gpus->list[i].number;
			count = 1;
		}
	}
	return count;
}
