/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A few shapes, the last one first; one more takes the place of the one not seen for longest. */
#include "model/launch_shapes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct launch_shapes {
	struct snap_shape list[SHAPES_MAX];
	size_t count;
	bool more;
};

static struct snap_shape shape_of(const struct launch_row *row)
{
	struct snap_shape shape = { .shared_bytes = row->shared_bytes };

	memcpy(shape.grid, row->grid, sizeof(shape.grid));
	memcpy(shape.block, row->block, sizeof(shape.block));
	return shape;
}

static bool is_same(const struct snap_shape *a, const struct snap_shape *b)
{
	return !memcmp(a->grid, b->grid, sizeof(a->grid)) &&
	       !memcmp(a->block, b->block, sizeof(a->block)) && a->shared_bytes == b->shared_bytes;
}

static void put_first(struct launch_shapes *shapes, const struct snap_shape *shape)
{
	size_t at;

	for (at = 0; at < shapes->count; at++)
		if (is_same(&shapes->list[at], shape))
			break;
	if (at == SHAPES_MAX) {
		shapes->more = true;
		at--;
	} else if (at == shapes->count) {
		shapes->count++;
	}
	memmove(shapes->list + 1, shapes->list, at * sizeof(shapes->list[0]));
	shapes->list[0] = *shape;
}

int launch_shapes_note(struct launch_shapes **shapes, const struct launch_row *before,
		       const struct launch_row *row)
{
	struct snap_shape last = shape_of(before), shape = shape_of(row);

	/* A row without a grid is of calls that were captured into a graph, or failed. */
	if (!last.grid[0] || !shape.grid[0] || is_same(&last, &shape))
		return 0;
	if (!*shapes) {
		*shapes = calloc(1, sizeof(**shapes));
		if (!*shapes)
			return -ENOMEM;
		put_first(*shapes, &last);
	}
	put_first(*shapes, &shape);
	return 0;
}

const struct snap_shape *launch_shapes_list(const struct launch_shapes *shapes, size_t *count,
					    bool *more)
{
	*count = shapes ? shapes->count : 0;
	*more = shapes && shapes->more;
	return shapes ? shapes->list : NULL;
}

void launch_shapes_free(struct launch_shapes *shapes)
{
	free(shapes);
}
