/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/image.h"

#include <stdlib.h>

#include "model/limits.h"

struct image *image_new(uint32_t number, struct device_list *machine, uint64_t leak_age)
{
	static const struct name_limits limits = { KERNELS_MAX, PLACES_MAX, STACKS_MAX, NAME_BYTES_MAX };
	struct image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->number = number;
	names_init(&image->names, &limits);
	ledger_init(&image->ledger, &image->devices, &image->names, machine, leak_age);
	return image;
}

void image_free(struct image *image)
{
	graphs_free(&image->graphs);
	pending_free(&image->pending);
	counters_free(&image->counters);
	statics_free(&image->statics);
	globals_free(&image->globals);
	levels_free(&image->levels);
	mappings_free(&image->mappings);
	ledger_clear(&image->ledger);
	names_free(&image->names);
	own_devices_free(&image->devices);
	identity_free(&image->identity);
	free(image);
}

bool image_is_inexact(const struct image *image)
{
	return image->inexact || image->ledger.inexact || image->counters.is_full || image->names.misses_kernels ||
	       image->graphs.inexact || image->statics.is_full;
}

size_t image_weight(const struct image *image)
{
	return image->counters.launch_count * sizeof(struct launch_entry) +
	       image->counters.fail_count * sizeof(struct fail_entry) + image->ledger.sites.count * sizeof(struct site) +
	       image->names.place_count * 2 * sizeof(struct place) + image->names.kernel_count * sizeof(struct kernel_name) +
	       image->names.bytes;
}
