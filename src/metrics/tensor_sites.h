/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which call sites of tensors get series of their own. What a program holds at a site changes with
 * every step of it, so a site that has a place keeps it: another takes it only when it rises and
 * the first does not, or with twice the most that was seen at the first. So places change hands
 * ever more rarely, and series stay few over time, too.
 */
#ifndef METRICS_TENSOR_SITES_H
#define METRICS_TENSOR_SITES_H

#include "metrics/openmetrics_choice.h"

/* How many sites @process has: over all allocators and devices, by stack. */
size_t tensor_sites_count(const struct snap_process *process);

/* Stores the sites by name at @list, which has room for all. Returns how many those are. */
size_t tensor_sites_collect(const struct snap_process *process, struct named *list);

/*
 * Brings @places, @count of at most @max, up to date with the @collected sites at @list, which are
 * of no use afterwards. Returns how many places are taken.
 */
size_t tensor_sites_choose(struct site_place *places, size_t count, size_t max, struct named *list,
			   size_t collected);

#endif
