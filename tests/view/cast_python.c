/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sites of a Python program that calls a library: frames of both, and places without any. */
#include "cast.h"

#define MIB 1048576ull

static const struct snap_frame frames[] = {
	{ FRAME_NATIVE, NULL, NULL, "libffi.so.8.1.2", 0, 0x6f7a, false },
	{ FRAME_PYTHON, "alloc", "/home/ana/app/cuda.py", NULL, 5, 0, false },
	{ FRAME_PYTHON, "Attention.__init__", "/home/ana/app/models/attention.py", NULL, 5, 0,
	  false },
	{ FRAME_PYTHON, "Attention.grow", "/home/ana/app/models/attention.py", NULL, 13, 0, false },
	{ FRAME_PYTHON, "main", "/home/ana/app/train.py", NULL, 7, 0, false },
	{ FRAME_PYTHON, "Attention.grow", "/home/ana/old/attention.py", NULL, 20, 0, false },
	{ FRAME_NATIVE, "pool::grow(unsigned long, int)", "/src/pool.cc", "libpool.so", 118, 0x13,
	  false },
};
static const char *const texts[] = {
	"libffi.so.8.1.2+0x6f7a",
	"alloc at cuda.py:5 (python)",
	"Attention.__init__ at attention.py:5 (python)",
	"Attention.grow at attention.py:13 (python)",
	"main at train.py:7 (python)",
	"Attention.grow at attention.py:20 (python)",
	"pool::grow+0x13 at pool.cc:118 (libpool.so)",
};

/*
 * A site whose stack is @numbers of the above, -1 the last; the one at @shown is what it is called.
 */
static struct snap_site python_site(struct snapshot *snapshot, const int *numbers, size_t shown,
				    uint64_t leaked, uint64_t allocations)
{
	const char **stack_texts = cast_memory(snapshot, 8, sizeof(*stack_texts));
	const struct snap_frame **stack_frames = cast_memory(snapshot, 8, sizeof(*stack_frames));
	struct snap_site site = {
		.address = 0x6f7a, .leaked = leaked, .allocations = allocations, .shown = shown
	};

	for (; numbers[site.stack_count] >= 0; site.stack_count++) {
		stack_texts[site.stack_count] = texts[numbers[site.stack_count]];
		stack_frames[site.stack_count] = &frames[numbers[site.stack_count]];
		site.stack_id = site.stack_id * 10 + (uint64_t)numbers[site.stack_count] + 1;
	}
	site.site = stack_texts[shown];
	site.stack = stack_texts;
	site.frames = stack_frames;
	site.frame_count = site.stack_count;
	return site;
}

struct snap_process *cast_python(struct snapshot *snapshot)
{
	struct snap_process *process = &snapshot->processes[1];
	const struct snap_frame **native = cast_memory(snapshot, 1, sizeof(*native));
	struct snap_site *sites = cast_memory(snapshot, 8, sizeof(*sites));

	ck_assert_uint_eq(process->program, CAST_TRAINER);
	native[0] = &frames[6];
	sites[0] = python_site(snapshot, (const int[]){ 0, 1, 2, 4, -1 }, 2, 256 * MIB, 4);
	sites[1] = python_site(snapshot, (const int[]){ 0, 1, 3, 4, -1 }, 2, 136 * MIB, 68);
	sites[1].suspect = 40 * MIB;
	sites[2] = (struct snap_site){
		.site = texts[6],
		.address = 0x7000,
		.live = 50 * MIB,
		.held = 10 * MIB,
		.allocations = 9,
		.frames = native,
		.frame_count = 1,
	};
	sites[3] = (struct snap_site){ .site = "pool::grow+0x44 at pool.cc:130 (libpool.so)",
				       .address = 0x7031,
				       .live = 30 * MIB,
				       .allocations = 3 };
	sites[4] = python_site(snapshot, (const int[]){ 0, 5, 4, -1 }, 1, 20 * MIB, 150);
	sites[5] = (struct snap_site){
		.site = "libpool.so+0x99", .address = 0x7099, .live = 2 * MIB, .allocations = 1
	};
	sites[6] =
		(struct snap_site){ .site = "other call sites", .live = MIB, .allocations = 1000 };
	sites[7] = (struct snap_site){ .site = "0x7f0012345678",
				       .address = 0x7f0012345678,
				       .allocations = 5 };
	process->sites = sites;
	process->site_count = 8;
	return process;
}
