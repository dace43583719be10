/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Batch mode. The main thread waits for three things: snapshots of the
 * collector, signals (through a descriptor), and the end of COMMAND (SIGCHLD).
 * However it ends, what was collected is printed once more.
 */
#include "batch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/collector.h"
#include "collect/command.h"
#include "config.h"
#include "out/out.h"

struct batch {
	const struct options *options;
	struct notes notes;
	struct collector *collector;
	struct command command;
	bool have_command, command_started;
	FILE *out;
	struct out_options out_options;
	int signals;		/* signalfd */
	int ended_by;		/* signal that ended us, 0: none */
	uint64_t printed;
	int write_error;	/* the first; nothing is printed after it */
	uint64_t deadline;	/* CLOCK_MONOTONIC ns, UINT64_MAX: none */
};

static int fail(const struct batch *batch, int status, const char *text)
{
	warn_user(&batch->notes, "%s", text);
	return status;
}

/* ---- output ---- */

static bool want_color(const struct options *options, FILE *out)
{
	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	return isatty(fileno(out)) && !getenv("NO_COLOR");
}

static int output_open(struct batch *batch)
{
	const struct options *options = batch->options;
	struct winsize size;

	batch->out = options->output ? fopen(options->output, "we") : stdout;
	if (!batch->out) {
		warn_user(&batch->notes, "cannot write %s: %s", options->output, strerror(errno));
		return -errno;
	}
	batch->out_options.sort = options->sort;
	batch->out_options.version = PACKAGE_VERSION;
	batch->out_options.color = want_color(options, batch->out);
	batch->out_options.ascii = options->ascii;
	if (isatty(fileno(batch->out)) && !ioctl(fileno(batch->out), TIOCGWINSZ, &size))
		batch->out_options.width = size.ws_col;
	return 0;
}

static void print(struct batch *batch, const struct snapshot *snapshot, bool final)
{
	int err;

	if (!snapshot || batch->write_error)
		return;
	switch (batch->options->format) {
	case FORMAT_JSON:
		err = out_json(batch->out, snapshot, &batch->out_options);
		break;
	case FORMAT_CSV:
		err = out_csv(batch->out, snapshot, &batch->out_options);
		break;
	default:
		err = out_text(batch->out, snapshot, &batch->out_options);
		if (!err && final && batch->have_command)
			err = out_leak_report(batch->out, snapshot, &batch->out_options);
	}
	batch->printed++;
	if (!err)
		return;
	batch->write_error = err;
	if (err != -EPIPE)	/* a reader that has seen enough is no error */
		warn_user(&batch->notes, "cannot write %s: %s",
			  batch->options->output ? batch->options->output : "standard output", strerror(-err));
}

/* ---- start ---- */

static void add_libraries(struct batch *batch, int *error)
{
	struct probe *probe = collector_probe(batch->collector);
	struct reason why = { "" };
	size_t i;
	int result;

	for (i = 0; i < batch->options->library_count && !*error; i++) {
		result = probe_add_path(probe, batch->options->libraries[i], &why);
		if (result > 0)
			continue;
		warn_user(&batch->notes, "--library %s: %s", batch->options->libraries[i], why.text);
		*error = result ? result : -ENOENT;
	}
}

static int watch_begin(struct batch *batch, const char *program)
{
	struct probe *probe = collector_probe(batch->collector);
	struct reason why = { "" };
	int err;

	err = collector_watch(batch->collector, &why);
	if (err)
		return fail(batch, err, why.text);
	add_libraries(batch, &err);
	if (err)
		return err;
	if (batch->have_command) {
		err = probe_list_process(probe, (uint32_t)batch->command.pid, true);
		if (err)
			return fail(batch, err, "cannot list the command's process");
		probe_add_program(probe, program, getenv("LD_LIBRARY_PATH"));
	}
	probe_find_ahead(probe);
	if (!probe_counts(probe).targets)
		note(&batch->notes, "no CUDA runtime found so far; it is probed when a program loads one, or name it "
		     "with --library");
	err = collector_start(batch->collector, &why);
	if (err)
		return fail(batch, err, why.text);
	return 0;
}

static int collector_begin(struct batch *batch)
{
	const struct options *options = batch->options;
	struct collector_settings settings = {
		.probe = {
			.bpf = {
				.exact_launches = options->exact_launches,
				.only_listed = batch->have_command || options->pid_count,
				.follow_children = batch->have_command,
				.only_uid = options->uid,
				.ring_bytes = options->ring_bytes,
			},
			.pids = options->pids,
			.pid_count = options->pid_count,
			.groups = options->groups,
			.method = getenv("CUTOP_ATTACH"),
			.notes = &batch->notes,
		},
		.delay = options->delay,
		.leak_age = options->leak_age,
		.map_max = options->map_max,
		.command_glob = options->command_glob,
		.held_globs = options->leak_ignore,
	};
	struct reason why = { "" };
	size_t i;
	int err;

	for (i = 0; i < options->pid_count; i++)
		if (kill((pid_t)options->pids[i], 0) && errno == ESRCH) {
			warn_user(&batch->notes, "there is no process %u", options->pids[i]);
			return -ESRCH;
		}
	err = collector_new(&batch->collector, &settings, &why);
	return err ? fail(batch, err, why.text) : 0;
}

/* ---- the wait ---- */

static void signal_read(struct batch *batch)
{
	struct signalfd_siginfo info;

	while (read(batch->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			if (batch->command_started)
				command_reap(&batch->command);
			continue;
		}
		if (!batch->have_command) {
			batch->ended_by = (int)info.ssi_signo;
			continue;
		}
		/* What the terminal sent, it sent to COMMAND as well. */
		if (info.ssi_code != SI_KERNEL && !batch->command.ended)
			kill(batch->command.pid, (int)info.ssi_signo);
	}
}

static bool more_snapshots(const struct batch *batch)
{
	uint64_t limit = batch->options->iterations;

	if (!limit)
		return true;
	/* With COMMAND the last of them is the final one. */
	return batch->printed < limit - (batch->have_command ? 1 : 0);
}

static bool is_over(const struct batch *batch)
{
	if (batch->ended_by || clock_ns(CLOCK_MONOTONIC) >= batch->deadline)
		return true;
	if (batch->have_command)
		return batch->command.ended;
	return batch->write_error || !more_snapshots(batch);
}

static int time_left(const struct batch *batch)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), left;

	if (batch->deadline == UINT64_MAX)
		return -1;
	left = batch->deadline > now ? (batch->deadline - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC : 0;
	return left > INT_MAX ? INT_MAX : (int)left;
}

static void batch_wait(struct batch *batch)
{
	struct pollfd fds[2] = {
		{ .fd = batch->signals, .events = POLLIN },
		{ .fd = collector_fd(batch->collector), .events = POLLIN },
	};

	if (batch->options->duration)
		batch->deadline = clock_ns(CLOCK_MONOTONIC) + batch->options->duration;
	while (!is_over(batch)) {
		struct snapshot *snapshot;

		if (poll(fds, 2, time_left(batch)) < 0 && errno != EINTR)
			break;
		signal_read(batch);
		if (!(fds[1].revents & POLLIN) || (batch->have_command && batch->command.ended))
			continue;
		snapshot = collector_take(batch->collector);
		if (more_snapshots(batch))
			print(batch, snapshot, false);
		snapshot_free(snapshot);
	}
}

/* ---- the end ---- */

static int leak_status(const struct batch *batch, const struct snapshot *snapshot)
{
	bool any_call = false, any_lost = false;
	size_t i;

	if (!batch->options->fail_on_leak)
		return EXIT_DONE;
	if (!snapshot)
		return fail(batch, EXIT_FAILED, "no memory for the final snapshot");
	if (snapshot->leaked > batch->options->leak_bytes)
		return EXIT_LEAK;
	for (i = 0; i < snapshot->process_count; i++)
		any_call = any_call || snapshot->processes[i].calls;
	for (i = 0; i < LOST_COUNT; i++)
		any_lost = any_lost || snapshot->lost[i];
	if (any_lost)
		return fail(batch, EXIT_FAILED, "--fail-on-leak cannot answer: events were lost; try a larger --ring-size");
	if (!any_call && !batch->options->allow_no_cuda)
		return fail(batch, EXIT_FAILED, "--fail-on-leak cannot answer: the command made no CUDA call that cutop "
			    "saw (--allow-no-cuda, if that is right)");
	return EXIT_DONE;
}

static int final_status(const struct batch *batch, const struct snapshot *snapshot)
{
	int status;

	if (batch->have_command && batch->command.ended) {
		status = command_exit_status(&batch->command);
		if (!status)
			status = leak_status(batch, snapshot);
		if (status)
			return status;
	}
	if (batch->ended_by)
		return 128 + batch->ended_by;
	return batch->write_error && batch->write_error != -EPIPE ? EXIT_FAILED : EXIT_DONE;
}

static int signals_open(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);	/* before any thread exists: all inherit it */
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Starts COMMAND. Returns 0, or the exit status to end with. */
static int command_begin(struct batch *batch)
{
	int err = command_go(&batch->command);

	if (!err) {
		batch->command_started = true;
		return 0;
	}
	warn_user(&batch->notes, "cannot run %s: %s", batch->options->command[0], strerror(-err));
	while (!command_reap(&batch->command))
		usleep(1000);
	return err == -ENOENT ? 127 : 126;
}

int batch_run(const struct options *options)
{
	struct batch batch = {
		.options = options,
		.notes = { .verbose = options->verbose },
		.deadline = UINT64_MAX,
		.have_command = options->command != NULL,
		.signals = -1,
	};
	struct snapshot *snapshot = NULL;
	int status = EXIT_FAILED, err;
	char program[PATH_MAX];
	struct reason why = { "" };

	batch.signals = signals_open();
	if (batch.signals < 0)
		return fail(&batch, EXIT_FAILED, "signalfd failed");
	if (batch.have_command) {
		err = command_find(options->command[0], program, &why);
		if (err)
			return fail(&batch, err == -EACCES ? 126 : 127, why.text);
	}
	if (output_open(&batch) || collector_begin(&batch))
		goto out;
	if (batch.have_command) {
		err = command_fork(&batch.command, options->command, options->run_as, &why);
		if (err) {
			fail(&batch, err, why.text);
			goto out;
		}
	}
	if (watch_begin(&batch, program)) {
		if (batch.have_command)
			command_abandon(&batch.command);
		goto out;
	}
	if (batch.have_command) {
		status = command_begin(&batch);
		if (status)
			goto out;
	}
	batch_wait(&batch);
	if (batch.have_command || more_snapshots(&batch)) {
		snapshot = collector_finish(batch.collector);
		print(&batch, snapshot, true);
	}
	status = final_status(&batch, snapshot);
	snapshot_free(snapshot);
out:
	collector_free(batch.collector);
	if (batch.out && batch.out != stdout && fclose(batch.out) && !status)
		status = EXIT_FAILED;
	return status;
}
