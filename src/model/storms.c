/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/storms.h"

#include <stddef.h>

#include "util/saturated.h"

#define STORM_NS 10000000000ull /* interval in which a call site gets one event */

struct storm *storms_find(struct storms *storms, unsigned int call, uint64_t site, uint64_t time,
			  bool *is_new)
{
	struct storm *oldest = &storms->list[0];
	size_t i;

	*is_new = true;
	for (i = 0; i < STORMS_MAX; i++) {
		struct storm *storm = &storms->list[i];

		if (storm->event && storm->call == call && storm->site == site) {
			*is_new = subtract_saturated(time, storm->since) >= STORM_NS;
			return storm;
		}
		if (storm->since < oldest->since)
			oldest = storm;
	}
	return oldest;
}
