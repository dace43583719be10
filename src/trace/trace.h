/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cutop trace: a line per call. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include "cli/options.h"

/* Returns the exit status. */
int trace_run(const struct options *options);

/* The same from a recording that holds every call. */
int trace_replay(const struct options *options);

#endif
