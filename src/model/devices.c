/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is held on each device, by one process and by all of them, kept as
 * allocations come and go; and how large each device is, as far as a program
 * asked CUDA and the answer was seen.
 *
 * Devices go by the machine's numbers, as far as those are known. Where two
 * processes were told different sizes of one number, it means different devices
 * to them: each is then measured by its own holdings alone.
 */
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"

#define FULL_SHARE	5	/* nearly full: less than one part in this is free */
#define CALM_TENTHS	7	/* it may be said again once no more than this was held */

struct device_use *devices_find(struct device_list *devices, int device)
{
	size_t i;

	for (i = 0; i < devices->count; i++)
		if (devices->list[i].device == device)
			return &devices->list[i];
	return NULL;
}

static struct device_use *find_or_add(struct device_list *devices, int device)
{
	struct device_use *use = devices_find(devices, device), *list;

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

/* True once per crossing: what is held has passed 80 % of the device, and had not since it was under 70 %. */
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

static void look(struct model *model, struct image *image, int device, uint64_t time)
{
	struct device_use *own = devices_find(&image->held_on, device), *all = devices_find(&model->held_on, device);
	struct device_use *use = all && all->mixed ? own : all;

	if (use && use->total && device >= 0 && crosses(use))
		mortem_nearly_full(model, image, use, time);
}

void devices_add(struct model *model, struct image *image, int device, uint64_t bytes, uint64_t time)
{
	struct device_use *own = find_or_add(&image->held_on, device), *all = find_or_add(&model->held_on, device);

	if (!own || !all)
		return;		/* no memory, or no such device: nothing is said of it */
	own->live = add_saturated(own->live, bytes);
	if (own->live > own->peak)
		own->peak = own->live;
	all->live = add_saturated(all->live, bytes);
	look(model, image, device, time);
}

void devices_remove(struct model *model, struct image *image, int device, uint64_t bytes)
{
	struct device_use *own = devices_find(&image->held_on, device), *all = devices_find(&model->held_on, device);

	if (!own || !all)
		return;
	own->live = subtract_saturated(own->live, bytes);
	all->live = subtract_saturated(all->live, bytes);
	if (all->total)
		crosses(all);
	if (own->total)
		crosses(own);
}

void devices_ended(struct image *image, int device, int64_t bytes, bool held)
{
	struct device_use *own = devices_find(&image->held_on, device);
	uint64_t *sum;

	if (!own)
		return;
	sum = held ? &own->held : &own->leaked;
	*sum = bytes < 0 ? subtract_saturated(*sum, (uint64_t)-bytes) : add_saturated(*sum, (uint64_t)bytes);
}

void devices_size(struct model *model, struct image *image, int device, uint64_t total, uint64_t time)
{
	struct device_use *own, *all;

	if (device < 0 || !total || total > BYTES_MAX)
		return;
	own = find_or_add(&image->held_on, device);
	all = find_or_add(&model->held_on, device);
	if (!own || !all)
		return;
	own->total = total;
	if (all->total && all->total != total)
		all->mixed = true;
	all->total = total;
	look(model, image, device, time);
}

void devices_free(struct device_list *devices)
{
	free(devices->list);
	memset(devices, 0, sizeof(*devices));
}
