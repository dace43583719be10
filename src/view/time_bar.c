/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line with a stacked bar of the last interval (of all time where there is no interval) and
 * its figures; one with the histogram of gaps between launches, a cell for each power of two; one
 * with the verdict. Each part of the bar has its own sign, which stands before its word as well: so
 * colour is not needed.
 */
#include "view/time_bar.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/time_shares.h"
#include "view/bars.h"
#include "view/cells.h"

#define BAR_CELLS 30

static const struct part_look {
	const char *sign, *ascii;
	enum style style;
} looks[TIME_PARTS] = {
	[TIME_SYNC] = { "█", "#", ST_WAIT },     [TIME_COPY] = { "▓", "=", ST_H2D },
	[TIME_LAUNCH] = { "▒", "+", ST_LAUNCH }, [TIME_OTHER] = { "░", ":", ST_HELD },
	[TIME_NONE] = { "·", ".", ST_DIM },
};

static const char *sign_of(const struct area *area, int part)
{
	return area->canvas->ascii ? looks[part].ascii : looks[part].sign;
}

/* The bar: shares of several threads can be more than 1 together, and then fill it. */
static void stack_draw(const struct area *area, int col, const double share[TIME_PARTS])
{
	double sum = 0, before = 0;
	int from = 0;

	for (int part = 0; part < TIME_PARTS; part++)
		sum += share[part];
	for (int part = 0; part < TIME_PARTS && sum > 0; part++) {
		int to;

		before += share[part];
		to = (int)lround(before / fmax(sum, 1) * BAR_CELLS);
		area_repeat(area, 0, col + from, to - from, looks[part].style, sign_of(area, part));
		from = to;
	}
}

static void shares_draw(const struct area *area, const struct snap_time *time)
{
	bool in_all = isnan(time->share[TIME_NONE]);
	double share[TIME_PARTS];
	int col, part;

	for (part = 0; part < TIME_PARTS; part++)
		share[part] = in_all ? time->seconds[part] / time->wall_seconds : time->share[part];
	col = area_text(area, 0, 1, ST_HEAD, "time ");
	if (area->rect.cols >= BAR_CELLS + 70) {
		stack_draw(area, col, share);
		col += BAR_CELLS + 2;
	}
	for (part = 0; part < TIME_PARTS; part++) {
		const char *mark = part == TIME_LAUNCH && time->sampled && share[part] > 0 ? "~" :
				   part == TIME_NONE && time->threads > 1                  ? "≥" :
											     "";

		col = area_text(area, 0, col, looks[part].style, sign_of(area, part));
		col = area_format(area, 0, col, ST_PLAIN, " %s %s%.0f%%  ", time_part_names[part],
				  mark, 100 * share[part]);
	}
	if (in_all)
		area_text(area, 0, col, ST_DIM, "in all");
}

/* "gaps p50 12µs p99 1.2ms max 30ms, 1234 samples  64ns ▁▃█▂ 33ms" */
static void gaps_draw(const struct area *area, int row, const struct snap_time *time)
{
	char p50[CELL_TEXT], p99[CELL_TEXT], max[CELL_TEXT], count[CELL_TEXT];
	int col, first = 0, last = CUTOP_HIST_BUCKETS - 1;
	uint64_t most = 0;

	for (int i = 0; i < CUTOP_HIST_BUCKETS; i++)
		if (most < time->gap_hist[i])
			most = time->gap_hist[i];
	if (!most)
		return;
	while (!time->gap_hist[first])
		first++;
	while (!time->gap_hist[last])
		last--;
	cell_time(p50, time->gap.p50);
	cell_time(p99, time->gap.p99);
	cell_time(max, time->gap.max);
	cell_count(count, (double)time->gaps, 8);
	col = area_text(area, row, 1, ST_HEAD, "gaps between launches ");
	col = area_format(area, row, col, ST_PLAIN, "p50 %.16s  p99 %.16s  max %.16s  ", p50, p99,
			  max);
	col = area_format(area, row, col, ST_DIM, "%.16s samples  ", count);
	cell_time(p50, first ? ldexp(1e-9, first + CUTOP_HIST_SHIFT) : 0);
	cell_time(max, ldexp(1e-9, last + 1 + CUTOP_HIST_SHIFT));
	if (col + last - first + 20 > area->rect.cols)
		return;
	col = area_format(area, row, col, ST_DIM, "%.16s ", p50);
	for (int i = first; i <= last; i++)
		col = area_text(area, row, col, ST_LAUNCH,
				level_of((double)time->gap_hist[i] / (double)most));
	area_format(area, row, col, ST_DIM, " %.16s", max);
}

struct area time_bar_draw(const struct area *area, const struct snapshot *snapshot,
			  const struct snap_process *process)
{
	int most = area->rect.rows / 4, row = 0;
	char verdict[VERDICT_TEXT];

	if (!process || !process->time.is_known || !(process->time.wall_seconds > 0) || most < 1)
		return *area;
	shares_draw(area, &process->time);
	row++;
	if (row < most && *time_verdict_text(snapshot, process, verdict)) {
		area_cut(area, row, 6, area->rect.cols - 6, ST_PLAIN, verdict);
		row++;
	}
	if (row < most && process->time.gaps) {
		gaps_draw(area, row, &process->time);
		row++;
	}
	return area_part(area, row, 0, area->rect.rows - row, area->rect.cols);
}
