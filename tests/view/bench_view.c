/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a refresh costs: 200 processes at 200×60, without the terminal. Prints
 * one line for each pane: CPU time to take a snapshot in and draw it, and to
 * answer a key.
 */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/arena.h"
#include "util/util.h"
#include "view/view.h"

#define PROCESSES 200
#define KERNELS 200
#define ALLOCATIONS 1000
#define ROUNDS 100

static struct snapshot *make(int step)
{
	struct arena *arena = arena_new();
	struct snapshot *snapshot = arena_alloc(arena, 1, sizeof(*snapshot));
	size_t i, j;

	snapshot->arena = arena;
	snapshot->time = (1763042602ull + (uint64_t)step) * NSEC_PER_SEC;
	snapshot->interval_seconds = 1;
	snapshot->process_count = PROCESSES;
	snapshot->processes = arena_alloc(arena, PROCESSES, sizeof(*snapshot->processes));
	for (i = 0; i < PROCESSES; i++) {
		struct snap_process *process = &snapshot->processes[i];

		process->image = (uint32_t)i + 1;
		process->pid = (uint32_t)i + 1000;
		process->user = "ana";
		process->command = process->arguments = process->command_line = "python train.py --with --many --arguments";
		process->device_list = "0";
		process->live = (i * 7919 + (size_t)step * 104729) % 1000003;
		process->launches = 100000;
		process->launches_per_second = (double)((i * 31 + (size_t)step) % 997);
		process->copy_rate[DIR_H2D] = (double)(i * 1000);
		process->copy_bytes[DIR_H2D] = 1;
		process->kernels = arena_alloc(arena, KERNELS, sizeof(*process->kernels));
		process->kernel_count = KERNELS;
		for (j = 0; j < KERNELS; j++)
			process->kernels[j] = (struct snap_kernel){ .name = "kernel", .signature = "void kernel<int>(int)", .launches = 1000 - j };
		process->map = arena_alloc(arena, ALLOCATIONS, sizeof(*process->map));
		process->map_count = ALLOCATIONS;
		for (j = 0; j < ALLOCATIONS; j++)
			process->map[j] = (struct snap_alloc){ .address = j << 20, .bytes = 4096, .site = "site+0x10 (library.so)" };
		process->spans = arena_alloc(arena, SPANS_MAX, sizeof(*process->spans));
		process->span_count = SPANS_MAX;
		for (j = 0; j < SPANS_MAX; j++)
			process->spans[j] = (struct snap_span){ j << 20, (j << 20) + 4096, { 4096, 0, 0, 0 } };
	}
	return snapshot;
}

static double cpu_ms(void)
{
	return (double)clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e6;
}

int main(void)
{
	struct snapshot *snapshots[ROUNDS];
	struct canvas canvas = { .cells = NULL };
	struct view view;
	int pane, i;

	setlocale(LC_CTYPE, "C.UTF-8");
	canvas_resize(&canvas, 60, 200);
	view_init(&view);
	for (pane = 0; pane < PANE_COUNT; pane++) {
		double refresh = 0, key = 0, start;

		for (i = 0; i < ROUNDS; i++)
			snapshots[i] = make(pane * ROUNDS + i);
		view_key(&view, '1' + pane);
		for (i = 0; i < ROUNDS; i++) {
			start = cpu_ms();
			view_feed(&view, snapshots[i]);
			view_draw(&view, &canvas);
			refresh += cpu_ms() - start;
			start = cpu_ms();
			view_key(&view, i & 1 ? 'L' : 'M');
			view_key(&view, 'j');
			view_draw(&view, &canvas);
			key += cpu_ms() - start;
		}
		printf("%-9s refresh %.2f ms, key %.2f ms (200 processes, 200x60)\n", pane_names[pane], refresh / ROUNDS, key / ROUNDS);
	}
	view_free(&view);
	canvas_free(&canvas);
	return 0;
}
