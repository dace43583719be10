/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths as the BPF side walks them: name by name, from the file up to the root. */
#ifndef PROBE_PATH_NAMES_H
#define PROBE_PATH_NAMES_H

#include <linux/types.h>
#include <stdbool.h>

#include "cutop_event.h"

/* Joins the names of @record into a path. Returns false if they make none. */
bool path_of_names(const struct path_names *record, char path[CUTOP_PATH_MAX + 1]);

#endif
