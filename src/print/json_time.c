/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the time of a process goes in JSON: processes[].time. */
#include "model/time_shares.h"
#include "print/json_parts.h"

static json_t *time_parts(struct json_writer *w, const double parts[TIME_PARTS])
{
	json_t *o = put_new(w);

	for (size_t i = 0; i < TIME_PARTS; i++)
		put_number(w, o, time_part_names[i], parts[i]);
	return o;
}

void json_write_time(struct json_writer *w, const struct snapshot *snapshot,
		     const struct snap_process *process)
{
	const struct snap_time *time = &process->time;
	char verdict[VERDICT_TEXT];
	json_t *o, *gaps;

	if (!time->is_known)
		return;
	json_open(w, "time", '{');
	o = put_new(w);
	put_number(w, o, "wall_seconds", time->wall_seconds);
	put_count(w, o, "threads", time->threads);
	put(w, o, "launch_sampled", json_boolean(time->sampled));
	put(w, o, "seconds", time_parts(w, time->seconds));
	put(w, o, "share", time_parts(w, time->share));
	if (*time_verdict_text(snapshot, process, verdict))
		put_text(w, o, "verdict", verdict);
	if (time->gaps) {
		gaps = put_new(w);
		put_count(w, gaps, "samples", time->gaps);
		json_put_latency(w, gaps, &time->gap);
		put(w, gaps, "histogram", count_array(w, time->gap_hist, CUTOP_HIST_BUCKETS));
		put(w, o, "launch_gaps", gaps);
	}
	json_members(w, o);
	json_close(w, '}');
}
