/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A snapshot as CSV: a header once, then one row per process and snapshot. The columns are `time`,
 * every column of the column table under its own name, and `interval`, which is what the row's rates
 * are of. Numbers are raw (bytes, per second, percent, seconds); absent values are empty. Quoting follows RFC 4180; lines end in a bare
 * newline, which every CSV reader accepts and other shell tools need.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "print/print.h"
#include "print/text.h"

static void write_text(struct sink *sink, const char *text)
{
	/* a leading or trailing blank is quoted too: some readers trim unquoted ones */
	size_t len = strlen(text);
	bool quote = len && (text[0] == ' ' || text[len - 1] == ' ' || strpbrk(text, ",\"\r\n"));

	if (!quote) {
		sink_write(sink, text, len);
		return;
	}
	sink_write(sink, "\"", 1);
	for (const char *end; (end = strchr(text, '"')); text = end + 1) {
		sink_write(sink, text, (size_t)(end - text));
		sink_write(sink, "\"\"", 2);
	}
	sink_puts(sink, text);
	sink_write(sink, "\"", 1);
}

static void write_number(struct sink *sink, double number)
{
	char text[40];

	/* print whole numbers without an exponent: many readers do not accept one */
	if (fabs(number) < 1e18 && number == trunc(number))
		snprintf(text, sizeof(text), "%.0f", number + 0.0);
	else
		snprintf(text, sizeof(text), "%.15g", number);
	sink_puts(sink, text);
}

static void write_value(struct sink *sink, const struct column *column,
			const struct snap_process *process)
{
	const struct column_value value = column->value(process);

	if (value.absent)
		return;
	if (column->unit == UNIT_TEXT)
		write_text(sink, value.text ? value.text : "");
	else if (isfinite(value.number))
		write_number(sink, value.number);
}

static void write_header(struct sink *sink)
{
	sink_puts(sink, "time");
	for (size_t i = 0; i < column_count; i++) {
		sink_write(sink, ",", 1);
		write_text(sink, columns[i].name);
	}
	sink_puts(sink, ",interval\n");
}

int out_csv(FILE *stream, const struct snapshot *snapshot, struct out_options *options)
{
	const struct snap_process **processes;
	size_t count = snapshot->process_count;
	char time[RFC3339_SIZE];
	struct sink sink;
	double seconds;
	int ret;

	processes = sorted_processes(snapshot, &options->sort);
	if (!processes)
		return -ENOMEM;
	ret = sink_open(&sink, stream);
	if (ret)
		goto out;
	format_rfc3339(snapshot->time, time);
	if (!options->header_done)
		write_header(&sink);
	for (size_t i = 0; i < count && !sink.error; i++) {
		sink_puts(&sink, time);
		for (size_t j = 0; j < column_count; j++) {
			sink_write(&sink, ",", 1);
			write_value(&sink, &columns[j], processes[i]);
		}
		sink_write(&sink, ",", 1);
		seconds = snapshot->is_whole ? processes[i]->time.wall_seconds :
					       snapshot->interval_seconds;
		if (isfinite(seconds))
			write_number(&sink, seconds);
		sink_write(&sink, "\n", 1);
	}
	ret = sink_close(&sink);
	if (!ret)
		options->header_done = true;
out:
	free(processes);
	return ret;
}

const struct print_format print_format_csv = { .format = FORMAT_CSV, .print = out_csv };
