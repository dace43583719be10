/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Choosing call sites of tensors: those that rise most first, then those that hold most. */
#include "metrics/tensor_sites.h"

#include <stdlib.h>

size_t tensor_sites_count(const struct snap_process *process)
{
	size_t count = 0;

	for (size_t i = 0; i < process->allocator_count; i++)
		count += process->allocators[i].site_count;
	return count;
}

size_t tensor_sites_collect(const struct snap_process *process, struct named *list)
{
	size_t count = 0;

	for (size_t i = 0; i < process->allocator_count; i++) {
		const struct snap_allocator *allocator = &process->allocators[i];

		for (size_t j = 0; j < allocator->site_count; j++)
			named_set(&list[count++], allocator->sites[j].site, 0,
				  allocator->sites[j].suspect, allocator->sites[j].live);
	}
	return named_merge(list, count);
}

/* By bytes that rise, then by live bytes. */
static int bytes_order(const uint64_t a[2], const uint64_t b[2])
{
	if (a[TENSOR_RISING] != b[TENSOR_RISING])
		return a[TENSOR_RISING] < b[TENSOR_RISING] ? -1 : 1;
	return (a[TENSOR_LIVE] > b[TENSOR_LIVE]) - (a[TENSOR_LIVE] < b[TENSOR_LIVE]);
}

static void place_set(struct site_place *place, const struct named *site)
{
	place->site = *site;
	for (size_t i = 0; i < 2; i++)
		if (place->most[i] < site->values[i])
			place->most[i] = site->values[i];
}

/* A site that has a place is no candidate for another. */
static void site_settle(struct named *site)
{
	site->values[TENSOR_RISING] = site->values[TENSOR_LIVE] = 0;
}

/* A site with another name now loses its place: under that name it is a candidate. */
static size_t places_refresh(struct site_place *places, size_t count, struct named *list,
			     size_t collected)
{
	size_t i = 0;

	while (i < count) {
		struct named *site = named_find(&places[i].site, list, collected);

		if (site) {
			place_set(&places[i++], site);
			site_settle(site);
		} else {
			places[i] = places[--count];
		}
	}
	return count;
}

/* The candidate with most, or NULL. */
static struct named *site_most(struct named *list, size_t collected)
{
	struct named *most = NULL;

	for (size_t i = 0; i < collected; i++)
		if ((list[i].values[TENSOR_RISING] || list[i].values[TENSOR_LIVE]) &&
		    (!most || bytes_order(list[i].values, most->values) > 0))
			most = &list[i];
	return most;
}

static struct site_place *place_least(struct site_place *places, size_t count)
{
	struct site_place *least = &places[0];

	for (size_t i = 1; i < count; i++)
		if (bytes_order(places[i].most, least->most) < 0)
			least = &places[i];
	return least;
}

static bool may_take(const struct named *site, const struct site_place *place)
{
	if (place->most[TENSOR_RISING])
		return site->values[TENSOR_RISING] / 2 > place->most[TENSOR_RISING];
	return site->values[TENSOR_RISING] ||
	       site->values[TENSOR_LIVE] / 2 > place->most[TENSOR_LIVE];
}

size_t tensor_sites_choose(struct site_place *places, size_t count, size_t max, struct named *list,
			   size_t collected)
{
	struct named *site;

	count = places_refresh(places, count, list, collected);
	while (max && (site = site_most(list, collected)) != NULL) {
		struct site_place *place = &places[count];

		if (count == max) {
			place = place_least(places, count);
			if (!may_take(site, place))
				break;
		} else {
			count++;
		}
		*place = (struct site_place){ { { 0 }, 0, { 0 } }, { 0 } };
		place_set(place, site);
		site_settle(site);
	}
	return count;
}
