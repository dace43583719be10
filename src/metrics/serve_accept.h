/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which format a client of the metrics wants: its Accept header. */
#ifndef METRICS_SERVE_ACCEPT_H
#define METRICS_SERVE_ACCEPT_H

#include <stdbool.h>

/*
 * True if @accept (RFC 9110, 12.5.1; NULL: there is none) gives OpenMetrics at least the weight of
 * plain text. A client that names neither gets plain text.
 */
bool accepts_openmetrics(const char *accept);

#endif
