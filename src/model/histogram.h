/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Log2 histograms: cutop_rows.h says what the buckets of times and sizes hold. */
#ifndef MODEL_HISTOGRAM_H
#define MODEL_HISTOGRAM_H

#include <stdint.h>

#include "model/snapshot.h"

unsigned int histogram_bucket(uint64_t value, unsigned int shift, unsigned int buckets);
struct snap_latency histogram_latency(const uint64_t hist[CUTOP_HIST_BUCKETS], uint64_t max_ns);

#endif
