/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/batch_metrics.h"

#include <errno.h>

#include "config.h"

int batch_metrics_open(struct batch_metrics *metrics, const struct options *options, const char *output)
{
	int result;

	metrics->form = options->format == FORMAT_PROMETHEUS ? EXPOSITION_PROMETHEUS : EXPOSITION_OPENMETRICS;
	metrics->metrics = openmetrics_new(options->kernels_shown);
	if (!metrics->metrics)
		return -ENOMEM;
	if (!output)
		return 0;
	result = replaced_open(&metrics->file, output);
	metrics->replaces = !result;
	return result < 0 ? result : 0;
}

int batch_metrics_print(struct batch_metrics *metrics, FILE *stream, const struct snapshot *snapshot)
{
	int err;

	if (metrics->replaces && !(stream = replaced_begin(&metrics->file)))
		return -errno;
	err = openmetrics_write(metrics->metrics, stream, snapshot, PACKAGE_VERSION, metrics->form);
	return metrics->replaces ? replaced_end(&metrics->file, err) : err;
}

void batch_metrics_close(struct batch_metrics *metrics)
{
	openmetrics_free(metrics->metrics);
}
