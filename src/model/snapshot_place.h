/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places in the code, as snapshots have them (snapshot.h). */
#ifndef MODEL_SNAPSHOT_PLACE_H
#define MODEL_SNAPSHOT_PLACE_H

#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_event.h"

/* What a place in the code is. */
struct snap_frame {
	enum frame_language language;
	const char *function, *file, *module; /* NULL: not known; file: of the source */
	unsigned int line;                    /* 0: not known */
	/* Of a native one: from the function's start, or, without function, the file's */
	uint64_t offset;
	bool is_inlined; /* it is a function that was inlined into the next frame's */
};

/* Where a call was made, and by which way. */
struct snap_place {
	const char *site;                       /* name or hex address; NULL: not known */
	const char *const *stack;               /* names or hex addresses, innermost first */
	size_t stack_count;                     /* 0: no stack is known */
	const struct snap_frame *const *frames; /* as snap_site has them */
	size_t frame_count;
	size_t shown; /* which of it `site` is */
};

#endif
