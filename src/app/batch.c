/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Batch mode. The main thread waits for three things: snapshots from the collector; signals,
 * including the end of COMMAND; and the moment when no process reads its output any more (a table
 * without processes prints nothing, so a failing write would not tell). However it ends, what was
 * collected is printed once more.
 */
#include "app/batch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "print/print.h"
#include "app/pipe_output.h"
#include "app/session.h"
#include "util/replaced_file.h"

struct batch {
	struct session session;
	FILE *file; /* the output; NULL: nothing is printed to a stream */
	/* The stream to print to: `file`, or one that waits for its reader */
	FILE *out;
	struct pipe_output pipe;
	const struct print_format *format;
	bool replaces; /* each snapshot replaces the file, and no stream is written to */
	struct replaced replaced;
	struct out_options out_options;
	uint64_t printed;
	bool is_quiet;      /* only a recording is made */
	bool record_failed; /* recording has failed, and the user was told */
	bool is_starved;    /* there is no memory for snapshots, and the user was told */
	int write_error;    /* the first error; nothing is printed after it */
};

/* The demonstration's processes never end, so cutop does not wait for them. */
static bool waits_for_command(const struct batch *batch)
{
	return batch->session.have_command && batch->session.options->mode != MODE_DEMO;
}

/* The leak report is for users who watch a program to its end, or replay such a recording. */
static bool wants_report(const struct batch *batch)
{
	if (batch->session.replay)
		return reader_facts(replay_reader(batch->session.replay))->has_command;
	return waits_for_command(batch);
}

/* ---- output ---- */

/* Where snapshots go, unless NULL: in the mode record, --output names the recording. */
static const char *output_path(const struct options *options)
{
	return options->mode == MODE_RECORD ? NULL : options->output;
}

/* With --listen, clients ask for the data: print only if the user says what, or where to. */
static bool is_silent(const struct options *options)
{
	return options->listen && !options->format_given && !output_path(options) &&
	       !options->to_stdout;
}

static int stream_open(FILE **stream, const char *path)
{
	int fd = path ? file_create(path) : STDOUT_FILENO, err;

	if (fd < 0)
		return fd;
	*stream = path ? fdopen(fd, "w") : stdout;
	if (*stream)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

static int batch_open(struct batch *batch)
{
	const struct options *options = batch->session.options;
	int err = 0;

	batch->is_quiet = options->mode == MODE_RECORD && !options->batch;
	batch->out_options = (struct out_options){
		.sort = options->sort,
		.version = PACKAGE_VERSION,
		.ascii = options->ascii,
		.tells_on = true,
		.lists_map = options->map_given,
		.weight = options->folded_by,
		.stacks = options->stacks != STACKS_NEVER,
		.limits = options->metrics_limits,
	};
	if (batch->format->open)
		err = batch->format->open(&batch->out_options);
	/*
	 * A file is replaced, as node_exporter's textfile collector needs it; a pipe gets one
	 * exposition after the other.
	 */
	if (!err && batch->format->is_metrics && output_path(options)) {
		err = replaced_open(&batch->replaced, output_path(options));
		batch->replaces = !err;
		err = err < 0 ? err : 0;
	}
	if (!err && !is_silent(options) && !batch->replaces)
		err = stream_open(&batch->file, output_path(options));
	if (err) {
		warn_unwritten(&batch->session.notes,
			       output_path(options) ? output_path(options) : "metrics", err);
		return err;
	}
	if (!batch->file)
		return 0;
	pipe_output_begin(&batch->pipe, &batch->session, fileno(batch->file));
	batch->out = pipe_output_stream(&batch->pipe);
	if (!batch->out)
		return session_fail(&batch->session, -ENOMEM, "no memory");
	batch->out_options.color = options_want_color(options, batch->file);
	batch->out_options.width = stream_width(batch->file);
	if (batch->out_options.advice)
		note(&batch->session.notes, "%s", batch->out_options.advice);
	return 0;
}

/* True if no snapshot is printed after this one. */
static bool is_last(const struct batch *batch, bool final)
{
	const struct options *options = batch->session.options;

	return final || (options->iterations && batch->printed + 1 >= options->iterations &&
			 !waits_for_command(batch));
}

static int print_to(struct batch *batch, const struct snapshot *snapshot)
{
	FILE *stream = batch->replaces ? replaced_begin(&batch->replaced) : batch->out;
	int err;

	if (!stream)
		return -errno;
	err = batch->format->print(stream, snapshot, &batch->out_options);
	return batch->replaces ? replaced_end(&batch->replaced, err) : err;
}

static void print(struct batch *batch, const struct snapshot *snapshot, bool final)
{
	const struct print_format *format = batch->format;
	int err = 0;

	if (!snapshot || batch->write_error)
		return;
	if (batch->is_quiet || is_silent(batch->session.options)) {
		batch->printed++;
		return;
	}
	if (!format->is_final || is_last(batch, final)) {
		err = print_to(batch, snapshot);
		if (!err && batch->out_options.remark)
			warn_user(&batch->session.notes, "%s", batch->out_options.remark);
	}
	if (!err && final && format->report && wants_report(batch))
		err = format->report(batch->out, snapshot, &batch->out_options);
	batch->printed++;
	if (!err)
		return;
	batch->write_error = err;
	pipe_output_tell(&batch->session,
			 batch->file != stdout ? batch->session.options->output : NULL, err);
}

/* ---- the wait ---- */

static bool more_snapshots(const struct batch *batch)
{
	uint64_t limit = batch->session.options->iterations;

	if (!limit)
		return true;
	/* With COMMAND, the final snapshot is one of them. */
	return batch->printed < limit - (waits_for_command(batch) ? 1 : 0);
}

static bool is_over(const struct batch *batch)
{
	if (batch->session.ended_by || session_is_late(&batch->session))
		return true;
	if (waits_for_command(batch))
		return batch->session.command.ended;
	return batch->write_error || batch->record_failed || batch->is_starved ||
	       !more_snapshots(batch);
}

static void record_check(struct batch *batch, int err)
{
	struct reason why;

	if (!err || batch->record_failed)
		return;
	batch->record_failed = true;
	reason_unwritten(&why, batch->session.options->output, err);
	if (err == -ESTALE)
		warn_user(&batch->session.notes,
			  "%s was removed while it was recorded: nothing is left of it",
			  batch->session.options->output);
	else
		warn_user(&batch->session.notes, "%s; what was recorded until then can be replayed",
			  why.text);
}

static void memory_check(struct batch *batch)
{
	if (batch->is_starved || !collector_is_starved(batch->session.collector))
		return;
	batch->is_starved = true;
	warn_user(&batch->session.notes,
		  "there is no memory for a snapshot; is there a limit (ulimit -v)?");
}

static void batch_wait(struct batch *batch)
{
	struct session *session = &batch->session;
	struct pollfd fds[3] = {
		{ .fd = session->signals, .events = POLLIN },
		{ .fd = collector_fd(session->collector), .events = POLLIN },
		/* poll(2): POLLERR once a pipe has no reader */
		{ .fd = batch->is_quiet || !batch->file ? -1 : fileno(batch->file), .events = 0 },
	};

	while (!is_over(batch)) {
		struct snapshot *snapshot;

		if (poll(fds, 3, session_time_left(session)) < 0 && errno != EINTR)
			break;
		session_signals(session, SIGNALS_FOR_COMMAND, NULL, NULL);
		record_check(batch, collector_record_error(session->collector));
		memory_check(batch);
		if (fds[2].revents) {
			fds[2].fd = -1; /* say it once */
			if (!batch->write_error)
				batch->write_error = -EPIPE;
		}
		if (!(fds[1].revents & POLLIN) || (session->have_command && session->command.ended))
			continue;
		snapshot = collector_take(session->collector);
		if (more_snapshots(batch))
			print(batch, snapshot, false);
		snapshot_free(snapshot);
	}
}

/* ---- replay ---- */

#define WAIT_MOST (3600 * NSEC_PER_SEC) /* the longest time for poll(2) */

/*
 * Serves until @until (ns, CLOCK_MONOTONIC), or for as long as nothing ends cutop. Returns false if
 * something does.
 */
static bool replay_wait(struct batch *batch, uint64_t until)
{
	struct session *session = &batch->session;
	struct pollfd fds[2] = {
		{ .fd = session->signals, .events = POLLIN },
		{ .fd = batch->file ? fileno(batch->file) : -1, .events = 0 },
	};

	for (;;) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC), wait;

		session_signals(session, SIGNALS_FOR_COMMAND, NULL, NULL);
		if (session->ended_by || session_is_late(session) || batch->write_error)
			return false;
		if (now >= until)
			return true;
		wait = until - now < WAIT_MOST ? until - now : WAIT_MOST;
		if (session->deadline - now < wait)
			wait = session->deadline - now;
		poll(fds, 2, (int)((wait + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));
		if (fds[1].revents && !batch->write_error)
			batch->write_error = -EPIPE;
	}
}

/*
 * With --listen the recording plays at its own speed. @begun: when its first snapshot was served,
 * as if the recording's time were CLOCK_MONOTONIC.
 */
static bool replay_serve(struct batch *batch, struct snapshot *snapshot, uint64_t *begun)
{
	struct replay *replay = batch->session.replay;
	uint64_t place = replay_now(replay) - replay_begin(replay), next = replay_next_time(replay);

	if (!*begun)
		*begun = clock_ns(CLOCK_MONOTONIC) - place;
	if (!replay_wait(batch, *begun + place))
		return false;
	/* Nothing more is due after the end: the last figures stay, and that is no fault. */
	serve_feed(batch->session.serve, snapshot,
		   next == UINT64_MAX ? UINT64_MAX / 2 : *begun + next - replay_begin(replay));
	return true;
}

/*
 * As fast as it can be read and printed; or, if it is served, as it was recorded, and then until
 * something ends cutop. Returns the last snapshot, which the caller frees, or NULL without memory.
 */
static struct snapshot *batch_replay(struct batch *batch)
{
	const struct options *options = batch->session.options;
	struct replay *replay = batch->session.replay;
	uint64_t begun = 0;
	uint64_t begin = replay_begin(replay), next = begin,
		 last = options->duration ? begin + options->duration : UINT64_MAX;
	struct snapshot *snapshot = NULL, *newer;
	bool is_final;

	while (!batch->session.ended_by && !batch->write_error && more_snapshots(batch)) {
		if (options->delay_given)
			next = (replay_now(replay) > next ? replay_now(replay) : next) +
			       options->delay;
		if (snapshot &&
		    (replay_next_time(replay) == UINT64_MAX || replay_next_time(replay) > last))
			break;
		newer = replay_step(replay, next);
		is_final = replay_next_time(replay) > last ||
			   replay_next_time(replay) == UINT64_MAX;
		if (newer && is_final) {
			snapshot_free(newer);
			newer = replay_whole(replay);
		}
		if (!newer)
			break;
		snapshot_free(snapshot);
		snapshot = newer;
		if (batch->session.serve && !replay_serve(batch, snapshot, &begun))
			return snapshot;
		print(batch, snapshot, is_final);
		session_signals(&batch->session, SIGNALS_FOR_COMMAND, NULL, NULL);
	}
	if (batch->session.serve && more_snapshots(batch))
		replay_wait(batch, UINT64_MAX);
	return snapshot;
}

/* ---- the whole ---- */

/* Ends the recording, and says what it contains. */
static void record_end(struct batch *batch, const struct snapshot *snapshot)
{
	uint64_t bytes;
	char size[32];

	record_check(batch, collector_record_end(batch->session.collector, &bytes));
	if (batch->record_failed || !batch->is_quiet || !snapshot)
		return;
	format_bytes((double)bytes, size, sizeof(size));
	warn_user(&batch->session.notes, "recorded %.1f s, %zu process%s, %s: %s",
		  snapshot->elapsed_seconds, snapshot->process_count,
		  snapshot->process_count == 1 ? "" : "es", size, batch->session.options->output);
}

static struct snapshot *batch_watch(struct batch *batch)
{
	bool records = batch->session.options->mode == MODE_RECORD, prints;
	struct snapshot *snapshot = NULL;

	batch_wait(batch);
	prints = waits_for_command(batch) || more_snapshots(batch);
	if (prints || records)
		snapshot = collector_finish(batch->session.collector, batch->session.ended_by != 0);
	if (prints)
		print(batch, snapshot, true);
	if (records)
		record_end(batch, snapshot);
	return snapshot;
}

int batch_run(const struct options *options)
{
	struct snapshot *snapshot;
	struct batch batch = { 0 };
	int status;

	status = session_open(&batch.session, options, NULL);
	if (status)
		return status;
	batch.format = print_formats[options->format];
	/*
	 * Open the recording first: if it cannot be read, the output file must not have been
	 * emptied.
	 */
	if (options->replay)
		status = session_begin(&batch.session);
	if (!status && batch_open(&batch))
		status = EXIT_FAILED;
	if (!status && !options->replay)
		status = session_begin(&batch.session);
	if (status)
		goto out;
	snapshot = batch.session.replay ? batch_replay(&batch) : batch_watch(&batch);
	status = session_status(&batch.session, snapshot);
	if (!status && ((batch.write_error && batch.write_error != -EPIPE) || batch.record_failed ||
			batch.is_starved))
		status = EXIT_FAILED;
	snapshot_free(snapshot);
out:
	if (batch.out)
		fclose(batch.out); /* errors were seen before: each snapshot was flushed */
	session_close(&batch.session);
	if (batch.file && batch.file != stdout && fclose(batch.file) && !batch.write_error) {
		warn_unwritten(&batch.session.notes, options->output, -errno);
		if (!status)
			status = EXIT_FAILED;
	}
	return status;
}
