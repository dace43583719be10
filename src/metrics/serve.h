/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Serves metrics over HTTP: /metrics, /healthz and a page that links to them. A thread of its own
 * answers from the latest snapshot; the collector only hands snapshots over, and waits for no
 * client.
 */
#ifndef METRICS_SERVE_H
#define METRICS_SERVE_H

#include <stdint.h>

#include "metrics/openmetrics.h"
#include "model/snapshot.h"
#include "util/util.h"

struct serve;

/*
 * Takes @port (0: any free one) at @host, a name or an address, so that no other
 * process can have it. Nothing is answered yet.
 * Returns 0 or a negative errno with @why set. The caller frees it with
 * serve_close().
 */
int serve_open(struct serve **serve, const char *host, uint16_t port,
	       const struct metrics_limits *limits, struct reason *why);

/* Starts answering. To be called after programs were forked, and with signals blocked. */
int serve_start(struct serve *serve, struct reason *why);

/*
 * A new snapshot to answer from, which is kept until there is a newer one. The next one is due at
 * @due (ns, CLOCK_MONOTONIC); if it is much later, /healthz says so. @snapshot NULL: only sets
 * @due.
 */
void serve_feed(struct serve *serve, struct snapshot *snapshot, uint64_t due);

/* The address to scrape: "http://127.0.0.1:9400/metrics". */
const char *serve_url(const struct serve *serve);

void serve_close(struct serve *serve);

#endif
