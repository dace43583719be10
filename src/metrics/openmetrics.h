/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot as metrics, for Prometheus and others that read its formats. What each
 * metric means: docs/metrics.md.
 *
 * Counters never go down, and series are few: of each process the kernels launched most by name,
 * the rest as one, and the call sites that leak, or whose tensors rise or hold, most; processes that ended for some minutes more;
 * of all processes but so many. What has to be remembered from one exposition to the next for that
 * is in struct openmetrics.
 */
#ifndef METRICS_OPENMETRICS_H
#define METRICS_OPENMETRICS_H

#include <stdio.h>

#include "model/snapshot.h"

#define KERNELS_SHOWN_DEFAULT 20 /* per process, by name */
#define KERNELS_SHOWN_MAX     200
#define SITES_SHOWN_DEFAULT   10 /* likewise: call sites */
#define SITES_SHOWN_MAX       200

/* How many series a process has at most. */
struct metrics_limits {
	unsigned int kernels; /* by name; all others are one */
	unsigned int sites;   /* of leaks, and as many of tensors; 0: none */
};

enum exposition_form {
	EXPOSITION_OPENMETRICS, /* application/openmetrics-text; version=1.0.0 */
	EXPOSITION_PROMETHEUS,  /* text/plain; version=0.0.4 */
};

struct openmetrics;

/* Returns NULL without memory; free it with openmetrics_free(). */
struct openmetrics *openmetrics_new(const struct metrics_limits *limits);
void openmetrics_free(struct openmetrics *metrics);

/*
 * Writes @snapshot (made by a model with totals) to @stream. @version is cutop's. Snapshots have to
 * come in order, each any number of times. Returns 0 or a negative errno.
 */
int openmetrics_write(struct openmetrics *metrics, FILE *stream, const struct snapshot *snapshot,
		      const char *version, enum exposition_form form);

#endif
