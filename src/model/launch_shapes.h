/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shapes of a kernel's launches: grid, block and dynamic shared memory. A row has only those of the
 * last launch, so these are the ones that were seen when the row was read, once an interval: kernels
 * that are launched with many may have had others, too.
 */
#ifndef MODEL_LAUNCH_SHAPES_H
#define MODEL_LAUNCH_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

#include "cutop_rows.h"
#include "model/snapshot.h"

struct launch_shapes;

/*
 * Notes the shape of @row in *@shapes, which is allocated for the second one: most kernels have only
 * one. Returns 0 or -ENOMEM.
 */
int launch_shapes_note(struct launch_shapes **shapes, const struct launch_row *before,
		       const struct launch_row *row);

/*
 * The shapes in @shapes (may be NULL), the last one first; NULL if there are not two. *@more: there
 * were others before.
 */
const struct snap_shape *launch_shapes_list(const struct launch_shapes *shapes, size_t *count,
					    bool *more);

void launch_shapes_free(struct launch_shapes *shapes);

#endif
