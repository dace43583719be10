/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Percentiles of a log2 histogram of latencies: linear inside a bucket, never above the exact
 * maximum.
 */
#include "model/histogram.h"

#include <math.h>

#include "util/saturated.h"

static double percentile(const uint64_t *hist, uint64_t total, double max, double share)
{
	double rank = share * (double)total, below = 0;
	unsigned int i;

	for (i = 0; i < CUTOP_HIST_BUCKETS; i++) {
		double count = (double)hist[i];

		if (!hist[i])
			continue;
		if (below + count >= rank) {
			double low = i ? (double)(1ull << (i + CUTOP_HIST_SHIFT)) : 0;
			double high = (double)(1ull << (i + CUTOP_HIST_SHIFT + 1));

			/* The last bucket has no upper bound except the maximum. */
			if (i == CUTOP_HIST_BUCKETS - 1)
				high = fmax(max, low);
			return fmin(low + (rank - below) / count * (high - low), max);
		}
		below += count;
	}
	return max;
}

struct snap_latency histogram_latency(const uint64_t hist[CUTOP_HIST_BUCKETS], uint64_t max_ns)
{
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		total = add_saturated(total, hist[i]);
	if (!total)
		return (struct snap_latency){ NAN, NAN, NAN };
	return (struct snap_latency){
		.p50 = percentile(hist, total, (double)max_ns, 0.50) / 1e9,
		.p99 = percentile(hist, total, (double)max_ns, 0.99) / 1e9,
		.max = (double)max_ns / 1e9,
	};
}

unsigned int histogram_bucket(uint64_t value, unsigned int shift, unsigned int buckets)
{
	unsigned int log;

	value >>= shift;
	log = value ? 63 - (unsigned int)__builtin_clzll(value) : 0;
	return log < buckets ? log : buckets - 1;
}
