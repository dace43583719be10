/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fixture of suites whose tests feed one process and then look at it. Each
 * file that includes this has a feed of its own; `process` and `snapshot` are
 * what the last look() saw.
 */
#ifndef UNIT_ONE_PROCESS_H
#define UNIT_ONE_PROCESS_H

#include "feed.h"

static struct feed feed;
static struct snapshot *snapshot;
static const struct snap_process *process;

/* Without a process so far, for tests of how one begins. */
static inline void setup_empty(void)
{
	feed_begin(&feed);
	snapshot = NULL;
}

static inline void setup(void)
{
	setup_empty();
	feed_process(&feed);
}

static void teardown(void)
{
	snapshot_free(snapshot);
	feed_end(&feed);
}

static void look(void)
{
	snapshot_free(snapshot);
	snapshot = feed_snapshot(&feed);
	process = feed_find(&feed, snapshot);
}

#endif
