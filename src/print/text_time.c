/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the time of a process goes, in its block of text: of the interval, or, without one, in all. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "model/time_shares.h"
#include "print/text.h"

#define INDENT 2

static void print_part(struct line *line, const struct snap_time *time, enum time_part part,
		       double share)
{
	line_format(line, "%s%s %s%.0f%%", part ? "  " : "", time_part_names[part],
		    part == TIME_LAUNCH && time->sampled && share > 0 ? "~" :
		    part == TIME_NONE ? at_least(time->threads > 1) :
					"",
		    100 * share);
}

static void print_shares(struct line *line, const struct snap_time *time)
{
	bool in_all = isnan(time->share[TIME_NONE]);

	if (!(time->wall_seconds > 0))
		return;
	line_to(line, INDENT);
	line_style(line, STYLE_HEAD);
	line_text(line, "TIME");
	line_style(line, STYLE_PLAIN);
	line_to(line, INDENT + 6);
	for (int part = 0; part < TIME_PARTS; part++)
		print_part(line, time, (enum time_part)part,
			   in_all ? time->seconds[part] / time->wall_seconds : time->share[part]);
	if (in_all)
		line_text(line, "  (in all)");
	line_end(line);
}

void text_time(struct line *line, const struct snapshot *snapshot,
	       const struct snap_process *process)
{
	const struct snap_time *time = &process->time;
	char verdict[VERDICT_TEXT], p50[NUMBER_SIZE], p99[NUMBER_SIZE], max[NUMBER_SIZE];

	if (!time->is_known)
		return;
	print_shares(line, time);
	if (time->gaps) {
		line_to(line, INDENT);
		line_style(line, STYLE_HEAD);
		line_text(line, "GAPS");
		line_style(line, STYLE_PLAIN);
		line_to(line, INDENT + 6);
		line_format(line, "between launches: p50 %s  p99 %s  max %s  (%" PRIu64 " samples)",
			    text_seconds(time->gap.p50, p50), text_seconds(time->gap.p99, p99),
			    text_seconds(time->gap.max, max), time->gaps);
		line_end(line);
	}
	if (*time_verdict_text(snapshot, process, verdict)) {
		line_to(line, INDENT + 6);
		line_text(line, verdict);
		line_end(line);
	}
}
