/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the screen costs: 200 processes, one of which has 1,000,000 live
 * allocations. Prints the CPU time of a snapshot, of a refresh (snapshot taken
 * over, drawn at 200x60) for each pane, and of a key with the redraw that
 * answers it.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/model.h"
#include "util/util.h"
#include "view/view.h"

#define PROCESSES	200
#define ALLOCATIONS	1000000
#define ROUNDS		20

static uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static struct rec_hdr header(uint32_t image, uint16_t type, size_t size, uint64_t time)
{
	return (struct rec_hdr){ .type = type, .size = (__u16)size, .image = image, .time = time, .tgid = 1000 + image,
				 .tid = 1000 + image };
}

static void feed(struct model *model, uint32_t image, uint64_t allocations, uint64_t now)
{
	struct rec_process process = { .hdr = header(image, REC_PROCESS, sizeof(process), now) };
	unsigned int i;
	uint64_t n;

	snprintf(process.comm, sizeof(process.comm), "worker-%u", image);
	model_record(model, &process.hdr, sizeof(process));
	for (n = 0; n < allocations; n++) {
		struct rec_alloc alloc = {
			.hdr = header(image, REC_ALLOC, sizeof(alloc), now), .entry = now - 1000,
			.address = 0x7f0000000000 + n * 4096, .bytes = 256 + n % 3840, .site = 0x1000 + n % 500 * 16,
			.call = CALL_cudaMalloc, .kind = KIND_DEVICE,
		};

		model_record(model, &alloc.hdr, sizeof(alloc));
	}
	for (i = 0; i < 40; i++) {
		struct launch_key key = { .image = image, .call = CALL_cudaLaunchKernel, .function = 0x5000 + i };
		struct launch_row row = { .launches = now / 1000000 + i, .samples = 100, .ns = 400000, .max_ns = 9000 };

		row.hist[6] = 100;
		model_launch_row(model, &key, &row);
	}
	for (i = 0; i < 4; i++) {
		struct copy_key key = { .image = image, .call = CALL_cudaMemcpy, .direction = (__u8)i };
		struct copy_row row = { .calls = 10, .bytes = now / 100, .ns = 10000, .max_ns = 2000 };

		row.hist[5] = 10;
		row.sizes[20] = 10;
		model_copy_row(model, &key, &row);
	}
}

static struct snapshot *snapshot_at(struct model *model, uint64_t *now, uint64_t *spent)
{
	uint64_t begin = cpu_ns();
	struct snapshot *snapshot;

	*now += NSEC_PER_SEC;
	snapshot = model_snapshot(model, *now, 1000);
	*spent += cpu_ns() - begin;
	if (!snapshot)
		exit(1);
	return snapshot;
}

int main(void)
{
	struct model_config config = { .start_mono = 1, .start_real = 1, .leak_age = 10 * NSEC_PER_SEC };
	struct model *model = model_new(&config);
	uint64_t now = NSEC_PER_SEC, snapshots = 0, begin, refresh, most = 0, sum = 0, key, keys = 0;
	struct canvas canvas = { 0 };
	struct view *view = calloc(1, sizeof(*view));
	unsigned int i, pane;

	if (!model || !view)
		return 1;
	for (i = 1; i <= PROCESSES; i++)
		feed(model, i, i == 1 ? ALLOCATIONS : 50, now);
	view_init(view);
	if (canvas_resize(&canvas, 60, 200))
		return 1;
	view_feed(view, snapshot_at(model, &now, &snapshots));
	view_draw(view, &canvas);
	for (pane = 0; pane < PANE_COUNT; pane++) {
		view_key(view, (int32_t)('1' + pane));
		for (i = 0; i < ROUNDS; i++) {
			struct snapshot *snapshot = snapshot_at(model, &now, &snapshots);

			begin = cpu_ns();
			view_feed(view, snapshot);
			view_draw(view, &canvas);
			refresh = cpu_ns() - begin;
			sum += refresh;
			most = refresh > most ? refresh : most;
			begin = cpu_ns();
			view_key(view, i % 2 ? 'j' : 'L');
			view_draw(view, &canvas);
			key = cpu_ns() - begin;
			keys = key > keys ? key : keys;
		}
	}
	printf("%d processes, one of them with %d live allocations, drawn at 200x60:\n", PROCESSES, ALLOCATIONS);
	printf("  a snapshot            %6.2f ms of CPU (collector's thread)\n",
	       (double)snapshots / (PANE_COUNT * ROUNDS + 1) / 1e6);
	printf("  a refresh, mean       %6.2f ms of CPU (to reach: under 10)\n", (double)sum / (PANE_COUNT * ROUNDS) / 1e6);
	printf("  a refresh, the worst  %6.2f ms of CPU\n", (double)most / 1e6);
	printf("  a key, the worst      %6.2f ms of CPU (to reach: answered within 50)\n", (double)keys / 1e6);
	view_free(view);
	canvas_free(&canvas);
	model_free(model);
	free(view);
	return 0;
}
