/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the version options of the table's lines: which functions the public headers of CUDA 11.4
 * to 13.0 declare.
 */
#include "cuda/versions.h"

#include <stddef.h>
#include <stdint.h>

#include "cuda/calls.h"
#include "util/util.h"

#define OLDEST 11040
#define NEWEST 13000

static const struct {
	unsigned int first, last;
} majors[] = { { OLDEST, 11080 }, { 12000, 12090 }, { NEWEST, NEWEST } };

static enum declared declared_in(unsigned int call, unsigned int version)
{
	uint64_t options = call_options[call];
	unsigned int until = CUTOP_OPTION_UNTIL(options), gap = CUTOP_OPTION_NOT_IN(options);

	if (options & CALL_UNDECLARED)
		return DECLARED_UNKNOWN;
	if (version < CUTOP_OPTION_SINCE(options) || (until && version > until) ||
	    (gap && version / 1000 == gap))
		return DECLARED_NOT;
	return DECLARED;
}

enum declared call_declared(unsigned int call, unsigned int version, int major_only)
{
	enum declared first, last;
	size_t i;

	if (call >= CALL_COUNT || call_descs[call].layer != LAYER_RUNTIME)
		return DECLARED_UNKNOWN;
	if (!major_only) {
		/* Within a major version no function is ever removed. */
		if (version > NEWEST && version / 1000 == NEWEST / 1000)
			version = NEWEST;
		if (version < OLDEST || version > NEWEST)
			return DECLARED_UNKNOWN;
		return declared_in(call, version);
	}
	for (i = 0; i < ARRAY_LEN(majors); i++) {
		if (majors[i].first / 1000 != version / 1000)
			continue;
		first = declared_in(call, majors[i].first);
		last = declared_in(call, majors[i].last);
		return first == last ? first : DECLARED_UNKNOWN;
	}
	return DECLARED_UNKNOWN;
}
