/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics in batch mode: an exposition per snapshot, one after the other on a
 * stream, or each in place of the one before it in a file, which is what
 * node_exporter's textfile collector wants.
 */
#ifndef APP_BATCH_METRICS_H
#define APP_BATCH_METRICS_H

#include "cli/options.h"
#include "metrics/openmetrics.h"
#include "util/replaced_file.h"

struct batch_metrics {
	struct openmetrics *metrics;
	enum exposition_form form;
	bool replaces;			/* the file is ours, and no stream is written to */
	struct replaced file;
};

/* @output: a file, or NULL. Returns 0 or a negative errno. batch_metrics_close() is due either way. */
int batch_metrics_open(struct batch_metrics *metrics, const struct options *options, const char *output);

/* @stream: where to, unless the file is replaced. Returns 0 or a negative errno. */
int batch_metrics_print(struct batch_metrics *metrics, FILE *stream, const struct snapshot *snapshot);

void batch_metrics_close(struct batch_metrics *metrics);

#endif
