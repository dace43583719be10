/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/build.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_state.h"
#include "util/saturated.h"

int build_begin(struct build *build)
{
	build->arena = arena_new();
	build->sums = calloc(CALL_SUMS, sizeof(*build->sums));
	return build->arena && build->sums ? 0 : -ENOMEM;
}

void build_end(struct build *build)
{
	free(build->sums);
}

#define RATE_SECONDS_MIN 0.010

void build_interval_set(struct build *build, double seconds)
{
	/* A life is whole, however short; a piece of one may say little of the rest. */
	build->interval = seconds > (build->is_whole ? 0 : RATE_SECONDS_MIN) ? seconds : NAN;
}

double build_rate(const struct build *build, uint64_t now, uint64_t before)
{
	return (double)subtract_saturated(now, build->is_whole ? 0 : before) / build->interval;
}

/* The sum of @call, which gets @calls more calls, and so on. */
static struct call_sum *sum_add(struct build *build, unsigned int call, uint64_t calls,
				uint64_t failures, uint64_t ns, uint64_t max_ns,
				const __u64 hist[CUTOP_HIST_BUCKETS])
{
	unsigned int i, index = call_index(call);
	struct call_sum *sum = &build->sums[index];

	build->used_sums[index / 64] |= 1ull << index % 64;
	sum->call.call = (uint16_t)call;
	sum->call.calls += calls;
	sum->call.failures += failures;
	sum->ns = add_saturated(sum->ns, ns);
	if (max_ns > sum->max_ns)
		sum->max_ns = max_ns;
	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		sum->call.hist[i] += hist[i];
	return sum;
}

void build_add_call(struct build *build, unsigned int call, const struct call_row *row,
		    bool sampled)
{
	sum_add(build, call, row->calls, row->failures, row->ns, row->max_ns, row->hist)
		->call.sampled |= sampled;
}

void build_add_launches(struct build *build, unsigned int call, const struct launch_row *row)
{
	sum_add(build, call, row->launches, row->failures, row->ns, row->max_ns, row->hist)
		->call.sampled |= row->sampled != 0;
}

unsigned int build_next_sum(const struct build *build, unsigned int index)
{
	for (; index < CALL_SUMS; index = (index / 64 + 1) * 64) {
		uint64_t used = build->used_sums[index / 64] >> index % 64;

		if (used)
			return index + (unsigned int)__builtin_ctzll(used);
	}
	return CALL_SUMS;
}

int build_extra(const struct build *build, unsigned int call, struct snap_extra *names)
{
	const struct extra_name *extra = extra_names_find(&build->model->extras, call);
	char unknown[16];

	/* In a recording, their names may be missing: they are different functions all the same. */
	snprintf(unknown, sizeof(unknown), "?#%u", call - CUTOP_EXTRA);
	names->symbol = arena_string(build->arena, extra->symbol ? extra->symbol : unknown);
	names->brief = extra->brief ? arena_string(build->arena, extra->brief) : names->symbol;
	names->signature = extra->full ? arena_string(build->arena, extra->full) : NULL;
	return names->symbol && names->brief && !names->signature == !extra->full ? 0 : -ENOMEM;
}
