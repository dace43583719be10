# SPDX-License-Identifier: GPL-2.0-or-later
# Metrics for Prometheus: what is exposed, and the server of it, which needs MICROHTTPD_LIBS.
metrics_sources = \
	src/metrics/exposition.c src/metrics/exposition.h \
	src/metrics/openmetrics.c src/metrics/openmetrics.h \
	src/metrics/openmetrics_choice.c src/metrics/openmetrics_choice.h \
	src/metrics/openmetrics_allocators.c \
	src/metrics/openmetrics_parts.h \
	src/metrics/openmetrics_process.c
metrics_server_sources = \
	src/metrics/serve.c src/metrics/serve.h
