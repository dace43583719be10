/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/own_devices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "util/utf8.h"

int own_devices_learn(struct own_devices *devices, const char *list, size_t len)
{
	char *text, *at, *end;
	int16_t *visible;

	/*
	 * A process finds its devices once. If its environment could not be read now, they are
	 * those that were read before.
	 */
	if (devices->visible_count)
		return 0;
	text = utf8_clean_copy(list, len);
	if (!text)
		return -ENOMEM;
	for (at = text; *at; at = end + (*end == ',')) {
		long device = strtol(at, &end, 10);

		if (end == at || device < CUTOP_DEVICE_UNKNOWN || device >= DEVICES_MAX ||
		    devices->visible_count == DEVICES_MAX)
			break;
		visible =
			realloc(devices->visible, (devices->visible_count + 1) * sizeof(*visible));
		if (!visible) {
			own_devices_free(devices);
			free(text);
			return -ENOMEM;
		}
		devices->visible = visible;
		visible[devices->visible_count++] = (int16_t)device;
	}
	free(text);
	return devices->visible_count != 0;
}

void own_devices_free(struct own_devices *devices)
{
	free(devices->visible);
	devices->visible = NULL;
	devices->visible_count = 0;
}

int own_devices_machine(const struct own_devices *devices, int device)
{
	if (device < 0 || device >= DEVICES_MAX)
		device = CUTOP_DEVICE_UNKNOWN;
	else if (devices->visible_count)
		device = (size_t)device < devices->visible_count ? devices->visible[device] :
								   CUTOP_DEVICE_UNKNOWN;
	if (device == CUTOP_DEVICE_UNKNOWN && devices->is_listed && own_devices_count(devices) == 1)
		return own_devices_next(devices, 0);
	return device;
}

int own_devices_number(const struct own_devices *devices, int device)
{
	size_t i;

	if (!devices->visible_count || device < 0)
		return device;
	for (i = 0; i < devices->visible_count; i++)
		if (devices->visible[i] == device)
			return (int)i;
	return CUTOP_DEVICE_UNKNOWN;
}

static void set_add(uint64_t *set, int device)
{
	if (device >= 0 && device < DEVICES_MAX)
		set[device / 64] |= 1ull << device % 64;
}

static bool set_has(const uint64_t *set, int device)
{
	return device >= 0 && device < DEVICES_MAX && set[device / 64] >> device % 64 & 1;
}

static unsigned int set_count(const uint64_t *set)
{
	unsigned int count = 0;
	size_t i;

	for (i = 0; i < DEVICES_MAX / 64; i++)
		count += (unsigned int)__builtin_popcountll(set[i]);
	return count;
}

static void set_renumber(const struct own_devices *devices, uint64_t *set)
{
	uint64_t was[DEVICES_MAX / 64];
	int device;

	memcpy(was, set, sizeof(was));
	memset(set, 0, sizeof(was));
	for (device = 0; device < DEVICES_MAX; device++)
		if (set_has(was, device))
			set_add(set, own_devices_machine(devices, device));
}

void own_devices_renumber(struct own_devices *devices)
{
	set_renumber(devices, devices->seen);
	set_renumber(devices, devices->runtime);
}

void own_devices_note(struct own_devices *devices, int device)
{
	set_add(devices->seen, device);
}

int own_devices_next(const struct own_devices *devices, int device)
{
	for (; device < DEVICES_MAX; device = device / 64 * 64 + 64) {
		uint64_t rest = devices->seen[device / 64] >> device % 64;

		if (rest)
			return device + __builtin_ctzll(rest);
	}
	return -1;
}

unsigned int own_devices_count(const struct own_devices *devices)
{
	return set_count(devices->seen);
}

void own_devices_note_runtime(struct own_devices *devices, int device)
{
	set_add(devices->runtime, device);
}

void own_devices_forget_runtime(struct own_devices *devices, int device)
{
	if (device >= 0 && device < DEVICES_MAX)
		devices->runtime[device / 64] &= ~(1ull << device % 64);
	else
		memset(devices->runtime, 0, sizeof(devices->runtime));
	devices->runtime_launched = false;
}

bool own_devices_runtime_uses(const struct own_devices *devices, int device)
{
	if (set_has(devices->runtime, device))
		return true;
	return set_count(devices->runtime) ? device == CUTOP_DEVICE_UNKNOWN :
					     devices->runtime_launched;
}
