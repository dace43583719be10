/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot as metrics, for Prometheus and others that read its formats. What each
 * metric means: docs/metrics.md.
 *
 * Counters never go down, and series are few: of each process the kernels launched most by name, and
 * the call sites that leak, or whose tensors rise or hold, most; processes that ended for some minutes
 * more; of all processes but so many.
 */
#ifndef METRICS_OPENMETRICS_H
#define METRICS_OPENMETRICS_H

#include <stdio.h>

#include "print/print.h"

enum exposition_form {
	EXPOSITION_OPENMETRICS, /* application/openmetrics-text; version=1.0.0 */
	EXPOSITION_PROMETHEUS,  /* text/plain; version=0.0.4 */
};

/*
 * Writes @snapshot (made by a model with totals) to @stream. @version is cutop's. Returns 0 or a
 * negative errno.
 */
int openmetrics_write(FILE *stream, const struct snapshot *snapshot,
		      const struct metrics_limits *limits, const char *version,
		      enum exposition_form form);

#endif
