/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cast of processes built by hand, and a view fed with them. */
#ifndef TESTS_CAST_H
#define TESTS_CAST_H

#include <check.h>

#include "view/view_internal.h"

/* Images of the cast. */
enum {
	CAST_TRAINER = 1,
	CAST_LEAKER,
	CAST_COPIER,
	CAST_FAILING,
	CAST_SHORT,
	CAST_WIDE,
	CAST_COUNT = 6
};

#define CAST_NOW 1763042602000000000ull /* 14:03:22 UTC */

/* The snapshot @step seconds after the start, in new memory: a view may take it over. */
struct snapshot *cast_snapshot(int step);

/* Zeroed memory for @count things of @size bytes, which lives as long as the snapshot. */
void *cast_memory(struct snapshot *snapshot, size_t count, size_t size);

/* The process of the cast, which is the snapshot's, or NULL: they are sorted by pid. */
struct snap_process *cast_member(struct snapshot *snapshot, uint32_t program);

/* Adds what a driver says: four devices, one of them silent, and what the trainer uses. */
void cast_devices(struct snapshot *snapshot);

/* @count devices, of which the first @divided have three parts each (MIG). */
void cast_many_devices(struct snapshot *snapshot, int count, int divided);
/* The device's figures as they were @step snapshots before those that the two above say. */
void cast_device_change(struct snap_device *device, int step);

/*
 * Gives the trainer the sites of a Python program that calls a library, too: two functions of one
 * file, one of another file of the same name, and native ones, of some of which little is known.
 * Returns the trainer.
 */
struct snap_process *cast_python(struct snapshot *snapshot);

/* Gives the trainer PyTorch's allocator, on 1 or 2 devices. Returns the trainer. */
struct snap_process *cast_tensors(struct snapshot *snapshot, int devices);

/* A view that has seen @steps of them. */
void cast_view(struct view *view, int steps);

/* Types keys; "\t" is Tab, "\r" Enter, "\033" Escape. */
void cast_keys(struct view *view, const char *keys);

Suite *suite_canvas(void);
Suite *suite_cells(void);
Suite *suite_fold(void);
Suite *suite_golden(void);
Suite *suite_golden_devices(void);
Suite *suite_details(void);
Suite *suite_help(void);
Suite *suite_history(void);
Suite *suite_input(void);
Suite *suite_layout(void);
Suite *suite_map(void);
Suite *suite_modes(void);
Suite *suite_mouse(void);
Suite *suite_narrow(void);
Suite *suite_no_memory(void);
Suite *suite_places(void);
Suite *suite_log(void);
Suite *suite_plot(void);
Suite *suite_rows(void);
Suite *suite_settings(void);
Suite *suite_sites(void);
Suite *suite_tags(void);
Suite *suite_sizes(void);
Suite *suite_tensors(void);
Suite *suite_users(void);
Suite *suite_themes(void);

#endif
