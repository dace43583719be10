# SPDX-License-Identifier: GPL-2.0-or-later
# Metrics for Prometheus: what is exposed, and the server of it, which needs MICROHTTPD_LIBS.
metrics_sources = src/metrics/openmetrics.c src/metrics/openmetrics.h
metrics_server_sources = src/metrics/serve.c src/metrics/serve.h
