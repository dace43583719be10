/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace from a recording: no process is watched, so one thread does everything. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "app/pipe_output.h"
#include "app/session.h"
#include "trace/trace.h"
#include "trace/trace_printer.h"

#define ROOM (64u << 10) /* bytes that are written at a time */

struct replayed {
	struct session session;
	struct trace *trace;
	struct buffer out;
	int fd;
	struct pipe_output pipe;
	int error;      /* the first error in writing */
	uint64_t limit; /* how many calls to print */
	uint64_t last;  /* ns, CLOCK_MONOTONIC of the recording: later calls are left out */
};

static void write_out(struct replayed *replayed)
{
	struct buffer *out = &replayed->out;

	replayed->error = pipe_output_write(&replayed->pipe, out->data, out->len);
	if (out->failed && !replayed->error)
		replayed->error = -ENOMEM;
	out->len = 0;
}

static bool is_over(const struct replayed *replayed)
{
	return replayed->error || trace_count(replayed->trace) >= replayed->limit;
}

static void record_take(void *context, const struct rec_hdr *record, size_t size)
{
	struct replayed *replayed = context;

	if (is_over(replayed) || record->time > replayed->last)
		return;
	trace_record(replayed->trace, record, size, &replayed->out);
	if (replayed->out.len >= ROOM)
		write_out(replayed);
}

static int trace_start(struct replayed *replayed)
{
	const struct options *options = replayed->session.options;
	const struct facts *facts = reader_facts(replay_reader(replayed->session.replay));
	struct trace_options settings = {
		.format = options->format,
		.no_time = options->no_time,
		/* Print the stacks of calls that have one, if --stacks was recorded */
		.stacks = true,
		.start_mono = facts->start_mono,
		.start_real = facts->start_real,
		.version = PACKAGE_VERSION,
	};

	if (!facts->has_calls) {
		warn_user(&replayed->session.notes,
			  "cannot trace %s: it holds no calls; 'cutop record --trace' keeps them",
			  options->replay);
		return -ENODATA;
	}
	replayed->limit = options->iterations ? options->iterations : UINT64_MAX;
	replayed->last = options->duration ? facts->start_mono + options->duration : UINT64_MAX;
	replayed->trace = trace_new(&settings);
	if (!replayed->trace)
		return session_fail(&replayed->session, -ENOMEM, "no memory");
	replayed->fd = options->output ? file_create(options->output) : STDOUT_FILENO;
	if (replayed->fd < 0)
		warn_unwritten(&replayed->session.notes, options->output, replayed->fd);
	pipe_output_begin(&replayed->pipe, &replayed->session, replayed->fd);
	return replayed->fd < 0 ? replayed->fd : 0;
}

static int trace_all(struct replayed *replayed)
{
	static const uint64_t nothing[LOST_COUNT];
	struct session *session = &replayed->session;
	struct snapshot *snapshot = NULL, *newer;
	int status;

	trace_begin(replayed->trace, &replayed->out);
	while (!session->ended_by && !is_over(replayed)) {
		newer = replay_step(session->replay, 0);
		if (!newer)
			break;
		snapshot_free(snapshot);
		snapshot = newer;
		session_signals(session, SIGNALS_FOR_COMMAND, NULL, NULL);
	}
	trace_end(replayed->trace, snapshot ? snapshot->lost : nothing, 0, &replayed->out);
	write_out(replayed);
	status = session_status(session, snapshot);
	snapshot_free(snapshot);
	return status;
}

int trace_replay(const struct options *options)
{
	struct replayed replayed = { .fd = -1 };
	int status = session_open(&replayed.session, options, NULL);

	if (status)
		return status;
	replayed.session.tee = record_take;
	replayed.session.tee_context = &replayed;
	status = session_begin(&replayed.session);
	if (!status)
		status = trace_start(&replayed) ? EXIT_FAILED : trace_all(&replayed);
	session_close(&replayed.session);
	trace_free(replayed.trace);
	buffer_free(&replayed.out);
	if (replayed.fd > STDERR_FILENO && close(replayed.fd) && !replayed.error)
		replayed.error = -errno;
	if (replayed.error && replayed.error != -EPIPE) {
		pipe_output_tell(&replayed.session, options->output, replayed.error);
		status = status ? status : EXIT_FAILED;
	}
	return status;
}
