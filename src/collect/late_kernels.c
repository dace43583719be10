/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image's variables are looked for when the first handle of it is not known,
 * and their values read again for each further one: a program fills them
 * one by one. Both are bounded, since a program may launch what it likes.
 */
#include "collect/late_kernels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <uthash.h>

#include "names/handles.h"
#include "util/util.h"

#define LOOKS_MAX	256	/* at the values of an image's variables */
#define FILES_MAX	1024	/* looked at, of an image */
#define SEARCH_TIME	NSEC_PER_SEC	/* after that no further file is looked at */
#define SEARCHES_MAX	8	/* for an image's variables, which may have to go when memory is short */

struct late_image {
	uint32_t image;
	unsigned int looks;
	unsigned int searches;
	bool later;		/* some of its files take long: they are tried again when there is news */
	unsigned int news;	/* errands_news() then */
	struct handle_variables variables;
	uint64_t *values;		/* NULL: the variables are not here */
	struct budget_item item;
	UT_hash_handle hh;
};

struct late_kernels {
	const struct outside *outside;
	struct late_image *images;
	struct budget *budget;
};

struct late_kernels *late_kernels_new(const struct outside *outside, struct budget *budget)
{
	struct late_kernels *late = calloc(1, sizeof(*late));

	if (!late)
		return NULL;
	late->outside = outside;
	late->budget = budget;
	return late;
}

static void variables_free(struct late_image *image)
{
	handles_free(&image->variables);
	free(image->values);
	image->values = NULL;
}

static void variables_drop(void *context, struct budget_item *item)
{
	(void)item;
	variables_free(context);
}

static void image_free(struct late_kernels *late, struct late_image *image)
{
	HASH_DEL(late->images, image);
	budget_hold(late->budget, &image->item);
	variables_free(image);
	free(image);
}

void late_kernels_forget(struct late_kernels *late, uint32_t id)
{
	struct late_image *image;

	HASH_FIND(hh, late->images, &id, sizeof(id), image);
	if (image)
		image_free(late, image);
}

void late_kernels_free(struct late_kernels *late)
{
	struct late_image *image, *next;

	if (!late)
		return;
	HASH_ITER(hh, late->images, image, next)
		image_free(late, image);
	free(late);
}

/* ---- finding the variables ---- */

struct file_search {
	const struct outside *outside;
	struct late_image *image;
	pid_t pid;
	unsigned int files;
	bool later;		/* some take long */
	uint64_t inode;		/* of the mapping before: a file's mappings follow one another */
	uint64_t end;		/* CLOCK_MONOTONIC */
};

static int file_visit(void *context, const struct maps_entry *entry)
{
	struct file_search *search = context;
	struct seen_file seen, debug;
	int err;

	if (entry->inode == search->inode)
		return 0;
	search->inode = entry->inode;
	if (++search->files > FILES_MAX || clock_ns(CLOCK_MONOTONIC) > search->end)
		return 1;
	err = outside_open_mapped(search->outside, search->pid, entry, COPY_TABLES, &seen);
	search->later |= outside_is_later(err);
	if (err)
		return 0;
	search->later |= outside_is_later(outside_open_debug(search->outside, &seen, search->pid, entry->path, &debug));
	handles_read(seen.fd, debug.fd, entry->start, entry->offset, &search->image->variables);
	seen_close(&debug);
	seen_close(&seen);
	return 0;
}

static struct late_image *image_new(struct late_kernels *late, uint32_t id)
{
	struct late_image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->image = id;
	image->variables.budget = late->budget;
	image->item.drop = variables_drop;
	image->item.context = image;
	HASH_ADD(hh, late->images, image, sizeof(image->image), image);
	return image;
}

static void variables_find(struct late_kernels *late, struct late_image *image, pid_t pid)
{
	struct file_search search = {
		.outside = late->outside, .image = image, .pid = pid, .end = clock_ns(CLOCK_MONOTONIC) + SEARCH_TIME,
	};
	unsigned int news = errands_news(late->outside->errands);
	int err;

	if (image->values ? image->later && image->news != news && image->looks++ < LOOKS_MAX : image->searches++ < SEARCHES_MAX) {
		budget_hold(late->budget, &image->item);
		variables_free(image);
		err = outside_maps(late->outside, pid, file_visit, &search);
		image->later = search.later || outside_is_later(err);
		image->news = news;
		image->values = calloc(image->variables.count + 1, sizeof(*image->values));
	}
	if (image->values)
		budget_use(late->budget, &image->item);
}

/* ---- reading them ---- */

static void values_read(const struct late_kernels *late, struct late_image *image, pid_t pid)
{
	uint64_t *addresses = calloc(image->variables.count + 1, sizeof(*addresses));
	size_t i;

	for (i = 0; addresses && i < image->variables.count; i++)
		addresses[i] = image->variables.list[i].address;
	if (addresses)
		outside_words(late->outside, pid, addresses, image->variables.count, image->values);
	free(addresses);
}

static const char *name_find(const struct late_image *image, uint64_t handle)
{
	size_t i;

	for (i = 0; i < image->variables.count; i++)
		if (image->values[i] == handle)
			return image->variables.list[i].kernel;
	return NULL;
}

const char *late_kernels_name(struct late_kernels *late, uint32_t id, pid_t pid, uint64_t handle)
{
	struct late_image *image;
	const char *name;

	if (!handle)
		return NULL;
	HASH_FIND(hh, late->images, &id, sizeof(id), image);
	if (!image)
		image = image_new(late, id);
	if (image)
		variables_find(late, image, pid);
	if (!image || !image->values || !image->variables.count)
		return NULL;
	name = name_find(image, handle);
	if (name || image->looks >= LOOKS_MAX)
		return name;
	image->looks++;
	values_read(late, image, pid);
	return name_find(image, handle);
}
