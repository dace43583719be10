/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the screen costs as what it shows grows, up to 200 processes, one of which
 * has 1,000,000 live allocations. A row has the CPU time of a snapshot, of one that
 * holds the address space of the process with the allocations, too (it is
 * looked at), of a refresh (snapshot taken over, drawn at 200x60) over all panes,
 * and of the worst key with the redraw that answers it.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/rows.h"
#include "model/model.h"
#include "util/util.h"
#include "view/view_internal.h"

#define ROUNDS 20

static uint64_t cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static struct rec_hdr header(uint32_t program, uint16_t type, size_t size, uint64_t time)
{
	return (struct rec_hdr){ .type = type,
				 .size = (__u16)size,
				 .program = program,
				 .time = time,
				 .tgid = 1000 + program,
				 .tid = 1000 + program };
}

static void feed(struct model *model, uint32_t program, uint64_t allocations, uint64_t now)
{
	struct rec_process process = { .hdr = header(program, REC_PROCESS, sizeof(process), now) };
	unsigned int i;
	uint64_t n;

	snprintf(process.comm, sizeof(process.comm), "worker-%u", program);
	model_record(model, &process.hdr, sizeof(process));
	for (n = 0; n < allocations; n++) {
		struct rec_alloc alloc = {
			.hdr = header(program, REC_ALLOC, sizeof(alloc), now),
			.entry = now - 1000,
			.address = 0x7f0000000000 + n * 4096,
			.bytes = 256 + n % 3840,
			.site = 0x1000 + n % 500 * 16,
			.call = CALL_cudaMalloc,
			.kind = KIND_DEVICE,
		};

		model_record(model, &alloc.hdr, sizeof(alloc));
	}
	for (i = 0; i < 40; i++) {
		struct launch_key key = { .program = program,
					  .call = CALL_cudaLaunchKernel,
					  .function = 0x5000 + i };
		struct launch_row row = {
			.launches = now / 1000000 + i, .samples = 100, .ns = 400000, .max_ns = 9000
		};

		row.hist[6] = 100;
		model_launch_row(model, &key, &row);
	}
	for (i = 0; i < 4; i++) {
		struct copy_key key = { .program = program,
					.call = CALL_cudaMemcpy,
					.direction = (__u8)i };
		struct copy_row row = {
			.calls = 10, .bytes = now / 100, .ns = 10000, .max_ns = 2000
		};

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

static double per_round(uint64_t ns)
{
	return (double)ns / (PANE_COUNT * ROUNDS) / 1e6;
}

static int measure(unsigned int processes, uint64_t allocations)
{
	struct model_config config = { .start_mono = 1,
				       .start_real = 1,
				       .leak_age = 10 * NSEC_PER_SEC };
	uint64_t now = NSEC_PER_SEC, plain = 0, focused = 0, refreshes = 0, keys = 0, begin = 0,
		 key;
	struct model *model = model_new(&config);
	struct canvas canvas = { 0 };
	struct view *view = calloc(1, sizeof(*view));
	unsigned int i, pane;

	if (!model || !view || canvas_resize(&canvas, 60, 200))
		return 1;
	for (i = 1; i <= processes; i++)
		feed(model, i, i == 1 ? allocations : 50, now);
	view_init(view);
	for (i = 0; i < PANE_COUNT * ROUNDS; i++)
		snapshot_free(snapshot_at(model, &now, &plain));
	model_focus(model, 1);
	view_feed(view, snapshot_at(model, &now, &begin));
	view_draw(view, &canvas);
	for (pane = 0; pane < PANE_COUNT; pane++) {
		view_key(view, (int32_t)('1' + pane));
		for (i = 0; i < ROUNDS; i++) {
			struct snapshot *snapshot = snapshot_at(model, &now, &focused);

			begin = cpu_ns();
			view_feed(view, snapshot);
			view_draw(view, &canvas);
			refreshes += cpu_ns() - begin;
			begin = cpu_ns();
			view_key(view, i % 2 ? 'j' : 'L');
			view_draw(view, &canvas);
			key = cpu_ns() - begin;
			keys = key > keys ? key : keys;
		}
	}
	printf("%9u %9" PRIu64 " %9.2f %9.2f %9.2f %9.2f\n", processes, allocations,
	       per_round(plain), per_round(focused), per_round(refreshes), (double)keys / 1e6);
	view_clear(view);
	canvas_free(&canvas);
	model_free(model);
	free(view);
	return 0;
}

int main(void)
{
	static const unsigned int processes[] = { 10, 50, 200 };
	uint64_t allocations;
	size_t i;

	printf("ms of CPU (to reach: a refresh under 10, a key under 50)\n");
	printf("%9s %9s %9s %9s %9s %9s\n", "processes", "live", "snapshot", "focused", "refresh",
	       "key");
	for (allocations = 100; allocations <= 1000000; allocations *= 10)
		if (measure(1, allocations))
			return 1;
	for (i = 0; i < sizeof(processes) / sizeof(processes[0]); i++)
		if (measure(processes[i], 1000))
			return 1;
	return measure(200, 1000000);
}
