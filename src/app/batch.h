/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batch mode: snapshots to a stream, with or without a COMMAND to watch. */
#ifndef APP_BATCH_H
#define APP_BATCH_H

#include "cli/options.h"

/* Runs until its end and returns the exit status. */
int batch_run(const struct options *options);

#endif
