/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of launches a sample is timed (bpf/launch_rows.bpf.h): those about which something was new, each
 * for itself, and one in so many of the others, which stand for the rest. The first launch of a
 * kernel can take a thousand times as long as any other, since it loads the kernel: so the two kinds
 * are kept apart. Where every launch is timed there is nothing to estimate.
 */
#include "model/time_shares.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/counters.h"
#include "util/saturated.h"

#define IDLE_BELOW  0.20 /* utilization of a device that is called mostly idle */
#define BUSY_FROM   0.80 /* and busy */
#define MOST        0.50 /* share of the time that is called most of it */
#define OUTSIDE_MIN 0.70 /* the same for time outside of calls */

const char *const time_part_names[TIME_PARTS] = {
	[TIME_SYNC] = "sync",   [TIME_COPY] = "copy", [TIME_LAUNCH] = "launch",
	[TIME_OTHER] = "other", [TIME_NONE] = "none",
};

/* How long launches took that were not timed one by one, between @from and @to. */
static double launches_estimate(const struct time_sums *to, const struct time_sums *from)
{
	double certain = (double)subtract_saturated(to->times.certain, from->times.certain),
	       others = (double)subtract_saturated(to->launches, from->launches) - certain,
	       drawn = (double)subtract_saturated(to->times.drawn, from->times.drawn),
	       mean = to->typical;

	if (drawn > 0)
		mean = (double)subtract_saturated(to->times.drawn_ns, from->times.drawn_ns) / drawn;
	else if (to->times.drawn)
		mean = (double)to->times.drawn_ns / (double)to->times.drawn;
	return (double)subtract_saturated(to->times.certain_ns, from->times.certain_ns) +
	       (others > 0 && isfinite(mean) ? others * mean : 0);
}

static double in_calls(const double seconds[TIME_PARTS])
{
	double all = 0;

	for (int part = 0; part < TIME_NONE; part++)
		all += seconds[part];
	return all;
}

/*
 * Seconds by part between @from and @to, of @wall in all. Threads cannot be in calls for longer than
 * there is time. If they seem to, the estimate of launches gives way; what is then still too much
 * is of calls that began before @from and were seen only when they returned, as in recordings made
 * before calls under way were told.
 */
static void parts_between(const struct time_sums *from, const struct time_sums *to, double wall,
			  double seconds[TIME_PARTS])
{
	double timed = (double)subtract_saturated(to->launches_ns, from->launches_ns),
	       most = wall * fmax((double)to->times.threads, 1), excess, rest;
	int part;

	for (part = 0; part < TIME_NONE; part++)
		seconds[part] = (double)subtract_saturated(to->ns[part], from->ns[part]) / 1e9;
	if (to->sampled)
		timed = fmax(timed, launches_estimate(to, from));
	seconds[TIME_LAUNCH] += timed / 1e9;
	seconds[TIME_SYNC] = fmin(seconds[TIME_SYNC], wall); /* waits count once */
	excess = in_calls(seconds) - most;
	if (to->sampled && excess > 0)
		seconds[TIME_LAUNCH] -= fmin(excess, seconds[TIME_LAUNCH]);
	rest = in_calls(seconds) - seconds[TIME_SYNC];
	excess = in_calls(seconds) - most;
	for (part = 0; part < TIME_NONE && excess > 0 && rest > 0; part++)
		if (part != TIME_SYNC)
			seconds[part] *= 1 - fmin(excess / rest, 1);
	seconds[TIME_NONE] = fmax(wall - in_calls(seconds), 0);
}

void time_shares_build(struct time_book *book, const struct time_sums *sums, double wall,
		       double interval, struct snap_time *time)
{
	static const struct time_sums nothing;
	int part;

	time->is_known = book->is_told;
	time->sampled = sums->sampled;
	time->threads = sums->times.threads;
	time->wall_seconds = wall;
	parts_between(&nothing, sums, wall, time->seconds);
	parts_between(&book->before, sums, isfinite(interval) ? interval : 0, time->share);
	for (part = 0; part < TIME_PARTS; part++)
		time->share[part] = interval > 0 ? time->share[part] / interval : NAN;
	book->before = *sums;

	time->gaps = sums->times.gaps;
	memcpy(time->gap_hist, sums->times.gap_hist, sizeof(time->gap_hist));
	time->gap = histogram_latency(time->gap_hist, sums->times.gap_max_ns);
}

/* ---- verdicts ---- */

/* The utilization of the busiest device of @process; NAN if it is not known of one of them. */
static double busiest(const struct snapshot *snapshot, const struct snap_process *process)
{
	double most = process->device_count ? 0 : NAN;
	size_t i, j;

	for (i = 0; i < process->device_count; i++) {
		for (j = 0; j < snapshot->device_count; j++)
			if (snapshot->devices[j].device == process->devices[i])
				break;
		if (j == snapshot->device_count || isnan(snapshot->devices[j].utilization))
			return NAN;
		most = fmax(most, snapshot->devices[j].utilization);
	}
	return most;
}

enum time_verdict time_verdict(const struct snapshot *snapshot, const struct snap_process *process,
			       double *busy)
{
	const double *share = process->time.share;

	*busy = busiest(snapshot, process);
	if (!process->time.is_known || process->exited || isnan(*busy) || isnan(share[TIME_NONE]))
		return VERDICT_NONE;
	if (*busy >= BUSY_FROM)
		return share[TIME_SYNC] >= MOST ? VERDICT_BUSY : VERDICT_NONE;
	if (*busy >= IDLE_BELOW)
		return VERDICT_NONE;
	if (share[TIME_NONE] >= OUTSIDE_MIN)
		return VERDICT_OUTSIDE;
	if (share[TIME_SYNC] >= MOST)
		return VERDICT_WAITS;
	if (process->time.threads > 1) /* shares of several threads add up: none is most of it */
		return VERDICT_NONE;
	if (share[TIME_COPY] >= MOST)
		return VERDICT_COPIES;
	return share[TIME_LAUNCH] >= MOST ? VERDICT_LAUNCHES : VERDICT_NONE;
}

const char *time_verdict_text(const struct snapshot *snapshot, const struct snap_process *process,
			      char out[VERDICT_TEXT])
{
	static const char *const does[VERDICT_COUNT] = {
		[VERDICT_OUTSIDE] = "is outside CUDA calls: CPU-bound",
		[VERDICT_COPIES] = "is in copies: copy-bound",
		[VERDICT_LAUNCHES] = "launches: launch-bound",
		[VERDICT_WAITS] = "waits in synchronizing calls",
		[VERDICT_BUSY] = "waits in synchronizing calls",
	};
	double busy;
	enum time_verdict verdict = time_verdict(snapshot, process, &busy);

	out[0] = 0;
	if (verdict)
		snprintf(out, VERDICT_TEXT, "the GPU is %s (%.0f%%) while the program %s",
			 verdict == VERDICT_BUSY ? "busy" : "mostly idle", 100 * busy,
			 does[verdict]);
	return out;
}
