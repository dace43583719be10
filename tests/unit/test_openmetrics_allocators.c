/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metrics of frameworks' allocators: every figure that is known, and none that is not; sites that
 * keep their places.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/openmetrics.h"
#include "metrics_text.h"
#include "out_sample.h"

#define TRAIN \
	"pid=\"4242\",command=\"python train.py\",user=\"ana\",container=\"0123456789ab\",pod=\"train-0\""
#define FIGURE(name, device) \
	"cutop_process_allocator_" name "{" TRAIN ",allocator=\"pytorch\",device=\"" device "\"}"
#define SITES  "cutop_process_site_tensors_bytes{" TRAIN
#define RISING "cutop_process_site_tensors_rising_bytes{" TRAIN

static struct metrics_limits limits;
static struct snapshot *snapshot;
static struct snap_process *train;
static char *text;

static void setup(void)
{
	limits = (struct metrics_limits){ 2, 10 };
	snapshot = sample_snapshot();
	train = &snapshot->processes[1];
	text = NULL;
}

static void teardown(void)
{
	free(text);
}

FIXTURE(setup, teardown);

static void print(void)
{
	size_t size = 0;
	FILE *stream;

	free(text);
	text = NULL;
	stream = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(stream);
	ck_assert_int_eq(openmetrics_write(stream, snapshot, &limits, "1", EXPOSITION_OPENMETRICS),
			 0);
	fclose(stream);
}

static double value(const char *series)
{
	return metrics_text_value(text, series);
}

/* What the site @name holds; -1: it is not shown. */
static double held(const char *name)
{
	char series[512];

	snprintf(series, sizeof(series), SITES ",site=\"%s\"}", name);
	return value(series);
}

TEST(figures)
{
	print();
	ck_assert(value("cutop_process_tensors_bytes{" TRAIN "}") == 6982467584);
	ck_assert(value("cutop_process_cache_bytes{" TRAIN "}") == 537919488);
	ck_assert(value(FIGURE("allocated_bytes", "0")) == 6979321856);
	ck_assert(value(FIGURE("reserved_bytes", "0")) == 7516192768);
	ck_assert(value(FIGURE("free_in_segments_bytes", "0")) == 536870912);
	ck_assert(value(FIGURE("largest_gap_bytes", "0")) == 201326592);
	ck_assert(value(FIGURE("fragmentation_ratio", "0")) == 0.03125);
	ck_assert(value(FIGURE("blocks", "0")) == 100);
	ck_assert(value(FIGURE("rising_bytes", "0")) == 268435456);
	ck_assert(value(FIGURE("out_of_memory_total", "0")) == 2);
	ck_assert(value(FIGURE("handed_out_total", "0")) == 9604);
	ck_assert(
		metrics_text_has(text, "# UNIT cutop_process_allocator_fragmentation_ratio ratio"));
	ck_assert(metrics_text_has(text, "# TYPE cutop_process_allocator_out_of_memory counter"));
	/* The other was watched late. */
	ck_assert(value(FIGURE("allocated_bytes", "1")) == 3145728);
	ck_assert(value(FIGURE("reserved_bytes", "1")) == 4194304);
	ck_assert(value(FIGURE("blocks", "1")) == 1);
	ck_assert(value(FIGURE("out_of_memory_total", "1")) == 0);
	ck_assert(value(FIGURE("handed_out_total", "1")) == 1);
	/* No process else has an allocator. */
	ck_assert_uint_eq(metrics_text_lines(text, "cutop_process_allocator_"), 9 + 5);
	ck_assert_uint_eq(metrics_text_lines(text, "cutop_process_tensors_bytes"), 1);
}

TEST(what_is_not_known)
{
	print();
	ck_assert(value(FIGURE("free_in_segments_bytes", "1")) == -1);
	ck_assert(value(FIGURE("largest_gap_bytes", "1")) == -1);
	ck_assert(value(FIGURE("fragmentation_ratio", "1")) == -1);
	ck_assert(value(FIGURE("rising_bytes", "1")) == -1);
	train->allocators[0].has_totals = false;
	train->allocators[0].fragmentation = NAN;
	train->has_suspect = false;
	print();
	ck_assert(value(FIGURE("reserved_bytes", "0")) == -1);
	ck_assert(value(FIGURE("fragmentation_ratio", "0")) == -1);
	ck_assert(value(FIGURE("largest_gap_bytes", "0")) == 201326592);
	ck_assert(value(FIGURE("rising_bytes", "0")) == -1);
}

/* A line is one site, on whatever device it allocates. */
TEST(sites)
{
	print();
	ck_assert(held("forward at model.py:88 (python)") == 6442450944 + 1048576);
	ck_assert(held("keep+0x40 (model.so)") == 536870912);
	/* One of the allocators is not judged yet. */
	ck_assert_uint_eq(metrics_text_lines(text, RISING), 0);
	train->tensors_judged = true;
	print();
	ck_assert(value(RISING ",site=\"keep+0x40 (model.so)\"}") == 268435456);
	ck_assert(value(RISING ",site=\"forward at model.py:88 (python)\"}") == 0);
	/* What rises goes before what holds more. */
	limits.sites = 1;
	print();
	ck_assert_uint_eq(metrics_text_lines(text, SITES), 1);
	ck_assert(held("keep+0x40 (model.so)") == 536870912);
	limits.sites = 0;
	print();
	ck_assert_ptr_null(strstr(text, "cutop_process_site_tensors"));
}

#define MANY 4

static struct snap_block_line many[MANY];
static char names[MANY][24];

static void many_sites(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof(names[i]), "s%zu", i);
		many[i] = (struct snap_block_line){ .site = names[i], .live = 100 };
	}
	train->block_lines = many;
	train->block_line_count = count;
	train->tensors_judged = true;
}

TEST(sites_that_hold_most)
{
	limits.sites = 2;
	many_sites(4);
	many[0].live = 1000;
	many[1].live = 500;
	print();
	ck_assert(held("s0") == 1000 && held("s1") == 500 && held("s2") == -1);
	many[0].live = many[1].live = 0;
	many[2].live = 1000;
	print();
	ck_assert(held("s0") == -1 && held("s2") == 1000 && held("s3") == 100);
	/* What rises comes first. */
	many[1].live = 10;
	many[1].rising = 1;
	print();
	ck_assert(held("s1") == 10 && held("s2") == 1000 && held("s3") == -1);
	/* What holds nothing is not shown, and without an allocator there is none. */
	many_sites(1);
	many[0].live = 0;
	print();
	ck_assert_uint_eq(metrics_text_lines(text, SITES), 0);
	many[0].live = 1;
	train->block_line_count = 0;
	print();
	ck_assert_uint_eq(metrics_text_lines(text, SITES), 0);
}
