/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/storms.h"

#include <stddef.h>

#include "util/saturated.h"

#define STORM_NS 10000000000ull /* what comes later is told again */

struct storm *storms_find(struct storms *storms, const struct storm *like, bool *is_new)
{
	struct storm *oldest = &storms->list[0];
	size_t i;

	*is_new = true;
	for (i = 0; i < STORMS_MAX; i++) {
		struct storm *storm = &storms->list[i];

		if (storm->event && storm->kind == like->kind && storm->call == like->call &&
		    storm->site == like->site) {
			*is_new = subtract_saturated(like->latest, storm->latest) >= STORM_NS;
			storm->latest = like->latest;
			return storm;
		}
		if (storm->latest < oldest->latest)
			oldest = storm;
	}
	return oldest;
}
