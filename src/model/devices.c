/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices are numbered as the machine does, as far as those numbers are known. If two processes
 * were told different sizes of one number, they mean different devices by it: then each process is
 * compared only with its own holdings.
 */
#include "model/devices.h"

#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "model/limits.h"
#include "model/own_devices.h"
#include "util/saturated.h"

#define FULL_SHARE 5 /* nearly full: less than one part in this is free */
/* Tenths: it is reported again only after less than this was in use */
#define CALM_TENTHS 7

static struct device_use *find(const struct device_list *devices, int device)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (devices->list[i].device == device)
			return &devices->list[i];
	return NULL;
}

const struct device_use *devices_find(const struct device_list *devices, int device)
{
	return find(devices, device);
}

static struct device_use *find_or_add(struct device_list *devices, int device)
{
	struct device_use *use = find(devices, device), *list;

	if (use || device < CUTOP_DEVICE_UNKNOWN || device >= DEVICES_MAX)
		return use;
	list = realloc(devices->list, (devices->count + 1) * sizeof(*list));
	if (!list)
		return NULL;
	devices->list = list;
	use = &list[devices->count++];
	*use = (struct device_use){ .device = device };
	return use;
}

/* True once per crossing: more than 80 % of the device is in use, after it was under 70 %. */
static bool crosses(struct device_use *use)
{
	if (use->live >= use->total - use->total / FULL_SHARE) {
		if (use->told)
			return false;
		use->told = true;
		return true;
	}
	if (use->live <= use->total / 10 * CALM_TENTHS)
		use->told = false;
	return false;
}

/*
 * Returns what is held on @device, by this process or by all, if it has just come near the device's
 * size.
 */
static const struct device_use *look(struct device_use *own, struct device_use *all)
{
	struct device_use *use = all->mixed ? own : all;

	return use->total && use->device >= 0 && crosses(use) ? use : NULL;
}

const struct device_use *devices_add(struct device_list *all_devices,
				     struct device_list *own_devices, int device, uint64_t bytes)
{
	struct device_use *own = find_or_add(own_devices, device),
			  *all = find_or_add(all_devices, device);

	if (!own || !all)
		return NULL; /* no memory, or an unknown device: nothing is reported about it */
	own->live = add_saturated(own->live, bytes);
	if (own->live > own->peak)
		own->peak = own->live;
	all->live = add_saturated(all->live, bytes);
	return look(own, all);
}

void devices_remove(struct device_list *all_devices, struct device_list *own_devices, int device,
		    uint64_t bytes)
{
	struct device_use *own = find(own_devices, device), *all = find(all_devices, device);

	if (!own || !all)
		return;
	own->live = subtract_saturated(own->live, bytes);
	all->live = subtract_saturated(all->live, bytes);
	if (all->total)
		crosses(all);
	if (own->total)
		crosses(own);
}

void devices_note(struct device_list *devices, int device)
{
	find_or_add(devices, device);
}

void devices_ended(struct device_list *devices, int device, int64_t bytes, enum verdict verdict)
{
	struct device_use *own = find(devices, device);
	uint64_t *sum;

	if (!own || verdict == VERDICT_UNKNOWN)
		return;
	sum = verdict == VERDICT_HELD ? &own->held : &own->leaked;
	*sum = bytes < 0 ? subtract_saturated(*sum, (uint64_t)-bytes) :
			   add_saturated(*sum, (uint64_t)bytes);
}

/* Returns what is held on @device; NULL without memory, or for an unknown device. */
static struct device_use *size_add(struct device_list *all_devices, int device, uint64_t total)
{
	struct device_use *all = find_or_add(all_devices, device);

	if (!all)
		return NULL;
	if (all->total && all->total != total)
		all->mixed = true;
	all->total = total;
	return all;
}

const struct device_use *devices_size(struct device_list *all_devices,
				      struct device_list *own_devices, int device, uint64_t total)
{
	struct device_use *own, *all;

	if (device < 0 || !total || total > BYTES_MAX)
		return NULL;
	own = find_or_add(own_devices, device);
	all = own ? size_add(all_devices, device, total) : NULL;
	if (!own || !all)
		return NULL;
	own->total = total;
	return look(own, all);
}

/* Takes @from, which turned out to be the same device, into @use. */
static void use_merge(struct device_use *use, const struct device_use *from)
{
	use->live = add_saturated(use->live, from->live);
	use->peak = add_saturated(use->peak, from->peak);
	use->leaked = add_saturated(use->leaked, from->leaked);
	use->held = add_saturated(use->held, from->held);
}

void devices_renumber(struct device_list *all_devices, struct device_list *own_devices,
		      const struct own_devices *numbers)
{
	size_t i, count = own_devices->count;
	struct device_use *use, *same, *all;

	own_devices->count = 0;
	for (i = 0; i < count; i++) {
		use = &own_devices->list[i];
		all = find(all_devices, use->device);
		if (all) {
			all->live = subtract_saturated(all->live, use->live);
			if (use->total) {
				all->total = 0;
				all->mixed = false;
			} else if (all->total) {
				crosses(all);
			}
		}
		use->device = own_devices_machine(numbers, use->device);
		if (use->device < 0)
			use->total = 0; /* of which one it is, is not known */
		same = find(own_devices, use->device);
		if (same)
			use_merge(same, use);
		else
			own_devices->list[own_devices->count++] = *use;
	}
	for (i = 0; i < own_devices->count; i++) {
		all = find_or_add(all_devices, own_devices->list[i].device);
		if (all)
			all->live = add_saturated(all->live, own_devices->list[i].live);
	}
}

void devices_sizes(struct device_list *all_devices, const struct device_list *own_devices)
{
	size_t i;

	for (i = 0; i < own_devices->count; i++)
		if (own_devices->list[i].total)
			size_add(all_devices, own_devices->list[i].device,
				 own_devices->list[i].total);
}

void devices_free(struct device_list *devices)
{
	free(devices->list);
	memset(devices, 0, sizeof(*devices));
}
