/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All images, by number; and the list of those that ended, in the order of their ends. */
#ifndef MODEL_IMAGES_H
#define MODEL_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/image.h"
#include "model/limits.h"
#include "model/tree.h"

RB_HEAD(image_tree, image);

struct images {
	struct image_tree tree;
	size_t count;
	struct image *ended_first, *ended_last;
	size_t ended_count;
	size_t ended_nodes;		/* in the books of ended images */
	uint32_t tombstones[TOMBSTONES];	/* ended images that were forgotten */
	size_t tombstone_count;
};

struct image *images_find(const struct images *images, uint32_t number);
/* Whether the image ended, and was removed. */
bool images_is_forgotten(const struct images *images, uint32_t number);
/* Adds a new image, as image_new(). NULL without memory or room. */
struct image *images_add(struct images *images, uint32_t number, struct device_list *machine, uint64_t leak_age);
/* Frees @image. */
void images_remove(struct images *images, struct image *image);
void images_free(struct images *images);

/* Walk all, by number; NULL at the end. */
struct image *images_first(const struct images *images);
struct image *images_next(const struct image *image);

/* The running image that @asker knows by @pid, which is in its own namespace; NULL if that is none, or may be several. */
struct image *images_running(const struct images *images, const struct image *asker, uint32_t pid);
/* The running image of @image's process that must have ended, as @image follows it; or NULL. */
struct image *images_overtaken(const struct images *images, const struct image *image);

/* Allocations in all books. */
size_t images_nodes(const struct images *images);

/* @image->ended was set: it joins the list. */
void images_end(struct images *images, struct image *image);
/* Forgets the allocations of those that ended first, if all that ended have too many. */
void images_drop_maps(struct images *images);

#endif
