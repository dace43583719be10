/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/images.h"

static int image_compare(const struct image *a, const struct image *b)
{
	return (a->number > b->number) - (a->number < b->number);
}

TREE_GENERATE(image_tree, image, link, image_compare)

struct image *images_first(const struct images *images)
{
	return RB_MIN(image_tree, (struct image_tree *)&images->tree);
}

struct image *images_next(const struct image *image)
{
	return RB_NEXT(image_tree, NULL, (struct image *)image);
}

struct image *images_find(const struct images *images, uint32_t number)
{
	struct image_tree *tree = (struct image_tree *)&images->tree;
	struct image *image = TREE_AT_OR_BELOW(tree, link, number, number);

	return image && image->number == number ? image : NULL;
}

/* Only images never seen get here, and only until their rows are gone: a linear search will do. */
bool images_is_forgotten(const struct images *images, uint32_t number)
{
	size_t i, count = images->tombstone_count < TOMBSTONES ? images->tombstone_count : TOMBSTONES;

	for (i = 0; i < count; i++)
		if (images->tombstones[i] == number)
			return true;
	return false;
}

struct image *images_add(struct images *images, uint32_t number, struct device_list *machine, uint64_t leak_age)
{
	struct image *image = images->count < IMAGES_MAX ? image_new(number, machine, leak_age) : NULL;

	if (!image)
		return NULL;
	RB_INSERT(image_tree, &images->tree, image);
	images->count++;
	return image;
}

struct image *images_running(const struct images *images, const struct image *asker, uint32_t pid)
{
	struct image *image, *found = NULL;

	for (image = images_first(images); image; image = images_next(image)) {
		if (image->ended || !identity_is(&image->identity, &asker->identity, pid))
			continue;
		if (found)
			return NULL;
		found = image;
	}
	return found;
}

struct image *images_overtaken(const struct images *images, const struct image *image)
{
	struct image *other;

	for (other = images_first(images); other && other->number < image->number; other = images_next(other))
		if (other->known && !other->ended && other->identity.pid == image->identity.pid)
			return other;		/* there is but one */
	return NULL;
}

size_t images_nodes(const struct images *images)
{
	const struct image *image;
	size_t count = 0;

	for (image = images_first(images); image; image = images_next(image))
		count += image->ledger.book.count;
	return count;
}

void images_end(struct images *images, struct image *image)
{
	image->ended_before = images->ended_last;
	*(images->ended_last ? &images->ended_last->ended_after : &images->ended_first) = image;
	images->ended_last = image;
	images->ended_count++;
	images->ended_nodes += image->ledger.book.count;
}

void images_drop_maps(struct images *images)
{
	struct image *image;

	for (image = images->ended_first; image && images->ended_nodes > ENDED_NODES_MAX; image = image->ended_after) {
		images->ended_nodes -= image->ledger.book.count;
		ledger_drop_map(&image->ledger);
	}
}

void images_remove(struct images *images, struct image *image)
{
	if (image->ended) {
		*(image->ended_before ? &image->ended_before->ended_after : &images->ended_first) = image->ended_after;
		*(image->ended_after ? &image->ended_after->ended_before : &images->ended_last) = image->ended_before;
		images->ended_count--;
		images->ended_nodes -= image->ledger.book.count;
		images->tombstones[images->tombstone_count++ % TOMBSTONES] = image->number;
	}
	RB_REMOVE(image_tree, &images->tree, image);
	images->count--;
	image_free(image);
}

void images_free(struct images *images)
{
	struct image *image;

	while ((image = images_first(images)) != NULL) {
		RB_REMOVE(image_tree, &images->tree, image);
		image_free(image);
	}
}
