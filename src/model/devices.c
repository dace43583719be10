/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices are numbered as the machine does, as far as those numbers are known. If two processes
 * were told different sizes of one number, they mean different devices by it: then each process is
 * compared only with its own holdings.
 */
#include "model/devices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <linux/types.h>

#include "cutop_event.h"
#include "util/saturated.h"
#include "util/utf8.h"

bool own_devices_are_unknown(const struct own_devices *devices)
{
	size_t i;

	for (i = 0; i < devices->visible_count && devices->visible[i] == CUTOP_DEVICE_UNKNOWN; i++)
		;
	return devices->visible_count && i == devices->visible_count;
}

int own_devices_learn(struct own_devices *devices, const char *list, size_t len)
{
	char *text, *at, *end;
	int16_t *visible;

	/*
	 * A process finds its devices once. If its environment could not be read now, they are
	 * those that were read before.
	 */
	if (devices->visible_count && !own_devices_are_unknown(devices))
		return 0;
	text = utf8_clean_copy(list, len);
	if (!text)
		return -ENOMEM;
	own_devices_free(devices);
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

void own_devices_use(struct own_devices *devices, int device)
{
	if (device < 0 || device >= DEVICES_MAX || devices->used_count > 1 ||
	    (devices->used_count && devices->used == device))
		return;
	devices->used = (int16_t)device;
	devices->used_count++;
}

int own_devices_set(struct own_devices *devices, int device, int machine)
{
	size_t count = (size_t)device + 1, i;
	int16_t *visible = calloc(count, sizeof(*visible));

	if (!visible)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		visible[i] = (int16_t)(i + 1 < count ? CUTOP_DEVICE_UNKNOWN : machine);
	own_devices_free(devices);
	devices->visible = visible;
	devices->visible_count = count;
	return 0;
}

void own_devices_free(struct own_devices *devices)
{
	free(devices->visible);
	devices->visible = NULL;
	devices->visible_count = 0;
}

int own_devices_machine(const struct own_devices *devices, int device)
{
	bool is_only = devices->is_listed && (device < 0 || devices->used_count < 2);

	if (device < 0 || device >= DEVICES_MAX)
		device = CUTOP_DEVICE_UNKNOWN;
	else if (devices->visible_count)
		device = (size_t)device < devices->visible_count ? devices->visible[device] :
								   CUTOP_DEVICE_UNKNOWN;
	if (device == CUTOP_DEVICE_UNKNOWN && is_only && own_devices_count(devices) == 1)
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

void readings_clear(struct readings *readings)
{
	readings->device_count = readings->instance_count = readings->process_count = 0;
}

/*
 * Adds @reading, of @size bytes, to the list at @list of *@count; without room for it, it is left
 * out. Returns 0 or -ENOMEM.
 */
static int reading_add(void *list, size_t *count, size_t most, const void *reading, size_t size)
{
	char **entries = list, *grown = *entries;

	if (*count >= most)
		return 0;
	/* only at each power of two, so that a growing list is not copied each time */
	if (!(*count & (*count - 1)))
		grown = realloc(*entries, (*count ? 2 * *count : 1) * size);
	if (!grown)
		return -ENOMEM;
	*entries = grown;
	memcpy(grown + *count * size, reading, size);
	++*count;
	return 0;
}

int readings_device(struct readings *readings, const struct rec_device_reading *reading)
{
	struct rec_device_reading kept = *reading;

	kept.name[READING_TEXT - 1] = kept.uuid[READING_TEXT - 1] = 0;
	return reading->device < 0 || reading->device >= DEVICES_MAX ?
		       0 :
		       reading_add(&readings->devices, &readings->device_count, DEVICES_MAX, &kept,
				   sizeof(kept));
}

int readings_instance(struct readings *readings, const struct rec_instance_reading *reading)
{
	struct rec_instance_reading kept = *reading;

	kept.name[READING_TEXT - 1] = kept.uuid[READING_TEXT - 1] = 0;
	return reading->device < 0 || reading->device >= DEVICES_MAX ?
		       0 :
		       reading_add(&readings->instances, &readings->instance_count, INSTANCES_MAX,
				   &kept, sizeof(kept));
}

int readings_process(struct readings *readings, const struct rec_process_reading *reading)
{
	readings->is_new = true;
	return reading_add(&readings->processes, &readings->process_count, PROCESS_READINGS_MAX,
			   reading, sizeof(*reading));
}

void readings_free(struct readings *readings)
{
	free(readings->devices);
	free(readings->instances);
	free(readings->processes);
}
