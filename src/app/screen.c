/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen. This thread waits for keys, signals and snapshots, and draws when one of them changed
 * something; the collector's thread goes on independently. What the view requests but cannot do
 * itself (quit, send a signal, write a file) is done here. COMMAND does not get the terminal: its
 * output is kept in a nameless file and printed when the screen is gone.
 */
#include "app/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "app/session.h"
#include "cli/options.h"
#include "print/print.h"
#include "util/util.h"
#include "view/settings.h"
#include "view/terminal.h"
#include "view/theme.h"
#include "view/view.h"

#define OUTPUT_MAX     (1 << 20)             /* bytes of COMMAND's output that are printed */
#define WRITTEN_MAX    100                   /* snapshots of one second */
#define FIRST_SNAPSHOT (100 * NSEC_PER_MSEC) /* show something soon after the start */
/* Ms that COMMAND has to end after it was asked to */
#define COMMAND_WAIT 5000

/* From where settings come, and whether they are written. */
struct screen_settings {
	struct view *view;    /* borrowed */
	char path[PATH_MAX];  /* empty: no settings file is read or written */
	bool keeps_changes;   /* of keys, where there is a file */
	struct reason unkept; /* why what keys have changed could not be written there; or empty */
};

struct screen {
	const struct options *options;
	struct options with_lists; /* the same with the globs and files of the settings file */
	char skip_words[sizeof(((struct settings *)NULL)->site_skip)];
	char pool_words[sizeof(((struct settings *)NULL)->pool)];
	struct session session;
	struct view *view;
	struct host *host;         /* what the view is told about its surroundings */
	struct settings *settings; /* the view's settings */
	struct terminal *terminal;
	struct output terminal_output;
	struct canvas canvas;
	struct screen_settings store;
	uint64_t snapshots;
	uint32_t focus;
	struct snapshot *latest; /* the latest, which is not shown if the view is frozen */
	uint64_t latest_at;      /* when it was taken, ns, CLOCK_BOOTTIME */
	int output;              /* the file for COMMAND's output */
	struct snapshot *final;  /* at the end, if there was a COMMAND */
	bool quit, dirty, found_damage;
	bool is_stuck; /* the terminal takes no output: nothing more is written to it */
};

/* ---- COMMAND's output ---- */

/* Returns a file to write to; where no file can be kept it is /dev/null. */
static int kept_output_open(void)
{
	const char *folder = getenv("TMPDIR");
	int file = open(folder && *folder ? folder : "/tmp",
			O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);

	if (file < 0)
		file = file_in_memory("cutop");
	return file >= 0 ? file : open("/dev/null", O_RDWR | O_CLOEXEC);
}

/* Prints the end of @file (-1: nothing), 1 MiB at most, and says how much was left out. */
static void kept_output_print(int file, const struct notes *notes)
{
	char bytes[8192];
	struct stat stat;
	off_t at;
	ssize_t len;

	if (file < 0 || fstat(file, &stat) || stat.st_size <= 0)
		return;
	at = stat.st_size > OUTPUT_MAX ? stat.st_size - OUTPUT_MAX : 0;
	if (at)
		warn_user(notes, "the first %lld bytes that the command wrote are left out",
			  (long long)at);
	while ((len = pread(file, bytes, sizeof(bytes), at)) > 0) {
		fwrite(bytes, 1, (size_t)len, stdout);
		at += len;
	}
	fflush(stdout);
}

/* ---- settings ---- */

static void path_choose(struct screen_settings *store, const struct options *options)
{
	if (options->config)
		snprintf(store->path, sizeof(store->path), "%s", options->config);
	else if (options->no_config || settings_path(store->path, sizeof(store->path)))
		store->path[0] = 0;
}

static void options_take(struct settings *settings, const struct options *options)
{
	if (options->theme)
		settings->theme = theme_find(options->theme);
	if (options->no_mouse)
		settings->mouse = false;
	if (options->delay_given)
		settings->delay = options->delay;
	if (options->sort_given)
		settings->sort = options->sort;
	else if (options->sort.reverse)
		settings->sort.reverse = true;
}

/*
 * Gives @view the settings of the file, then those of @options. Returns 0, or a negative errno with
 * @why if the file, or a part of it, could not be read; what could be read applies.
 */
static int store_open(struct screen_settings *store, struct view *view,
		      const struct options *options, struct reason *why)
{
	struct settings *settings = view_settings(view);
	struct host *host = view_host(view);
	int err = 0;

	store->view = view;
	path_choose(store, options);
	if (store->path[0]) {
		host->settings_path = store->path;
		host->settings_kept = !access(store->path, F_OK);
		/* Keys pressed to try out the demonstration are not meant as settings. */
		store->keeps_changes = options->mode != MODE_DEMO;
		err = settings_read(settings, store->path, why);
	}
	options_take(settings, options);
	host->ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	view_settings_begin(view);
	return err;
}

/* Does REQUEST_SAVE or REQUEST_KEEP, and shows a message. */
static void store_save(struct screen_settings *store, enum request request)
{
	struct settings *settings = view_settings(store->view);
	struct host *host = view_host(store->view);
	struct reason why = { "" };
	int err;

	if (!store->path[0]) {
		view_message(store->view, "nothing is saved with --no-config");
		return;
	}
	if (request == REQUEST_KEEP)
		err = view_settings_keep(store->view, store->path, &why);
	else
		err = settings_write(settings, store->path, &why);
	if (err) {
		view_message(store->view, "%s", why.text);
		store->unkept = why;
		return;
	}
	host->settings_kept = true;
	store->unkept.text[0] = 0;
	view_settings_begin(store->view);
	view_message(store->view, "saved %s", store->path);
}

/* Writes what keys have changed, where the user has a file; called from time to time. */
static void store_follow(struct screen_settings *store)
{
	struct host *host = view_host(store->view);

	if (!store->keeps_changes || !host->settings_kept ||
	    !view_settings(store->view)->keep_changes || store->unkept.text[0] ||
	    !view_settings_changed(store->view))
		return;
	/* It is not tried at each snapshot where it cannot be done. */
	if (view_settings_keep(store->view, store->path, &store->unkept))
		view_message(store->view, "%s", store->unkept.text);
}

/* The same for the last time; @store->unkept says why it could not be done. */
static void store_end(struct screen_settings *store)
{
	/*
	 * Try again: the disk may have room by now. Where there is no file, W could not make it, and
	 * the reason is still to be told.
	 */
	if (view_host(store->view)->settings_kept)
		store->unkept.text[0] = 0;
	store_follow(store);
}

/* ---- start ---- */

/* Adds the words of @setting, kept in @words, to @list. False: it has no room for them. */
static bool list_add(const char **list, size_t *count, char *words, const char *setting)
{
	char *word, *rest = NULL;

	strcpy(words, setting);
	for (word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (*count == OPTIONS_LIST_MAX)
			return false;
		list[(*count)++] = word;
	}
	return true;
}

/* --site-skip, --pool and the settings file add up. */
static int lists_begin(struct screen *screen)
{
	struct options *options = &screen->with_lists;
	const struct settings *settings = screen->settings;
	struct session *session = &screen->session;
	size_t before = screen->options->pool_count;

	if (!settings->site_skip[0] && !settings->pool[0])
		return 0;
	*options = *screen->options;
	screen->options = session->options = options;
	if (!list_add(options->site_skip, &options->site_skip_count, screen->skip_words,
		      settings->site_skip) ||
	    !list_add(options->pools, &options->pool_count, screen->pool_words, settings->pool))
		return session_fail(session, EXIT_FAILED,
				    "the settings file has too much in site_skip or pool");
	return session_pools(session, options->pools + before, options->pool_count - before);
}

static int settings_begin(struct screen *screen)
{
	struct reason why = { "" };
	int err = store_open(&screen->store, screen->view, screen->options, &why);

	/*
	 * A file named with --config has to be valid; the default file must not keep the user from
	 * watching.
	 */
	if (err && screen->options->config)
		return session_fail(&screen->session, EXIT_FAILED, why.text);
	if (err)
		view_message(screen->view, "%s", why.text);
	return 0;
}

/* ---- what the view asks for ---- */

/*
 * Creates a new file for a snapshot, with its name in @name; never overwrites one, nor follows
 * another user's link.
 */
static int snapshot_create(const char *stamp, char *name, size_t size)
{
	int fd = -1, i;

	snprintf(name, size, "cutop-%s.json", stamp);
	for (i = 2; i <= WRITTEN_MAX; i++) {
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd >= 0 || errno != EEXIST)
			break;
		snprintf(name, size, "cutop-%s-%d.json", stamp, i);
	}
	return fd;
}

/* Key w: the shown snapshot, as JSON, in a new file of the current folder. */
static void snapshot_file_write(struct view *view)
{
	struct out_options out = { .sort = view_settings(view)->sort, .version = PACKAGE_VERSION };
	const struct snapshot *snapshot = view_shown(view);
	char stamp[32], name[64];
	time_t seconds;
	struct reason why;
	struct tm tm;
	FILE *file;
	int fd, err;

	if (!snapshot)
		return;
	seconds = (time_t)(snapshot->time / NSEC_PER_SEC);
	if (!localtime_r(&seconds, &tm) || !strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm))
		return;
	fd = snapshot_create(stamp, name, sizeof(name));
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file) {
		reason_unwritten(&why, name, -errno);
		view_message(view, "%s", why.text);
		if (fd >= 0)
			close(fd);
		return;
	}
	err = out_json(file, snapshot, &out);
	if (fclose(file) && !err)
		err = -errno;
	if (err) {
		unlink(name); /* half of it is no JSON */
		reason_unwritten(&why, name, err);
	}
	view_message(view, err ? "%s" : "wrote %s", err ? why.text : name);
}

/*
 * True if the process that now has @process's pid is still @process: pids are reused, and what is
 * shown may be frozen. It ran when the latest snapshot was taken, and no later process has its pid.
 */
static bool is_same(const struct screen *screen, const struct snap_process *process)
{
	const struct snapshot *latest = screen->latest;
	struct process_stat stat;

	for (size_t i = 0; latest && i < latest->process_count + latest->listed_count; i++) {
		if (latest->processes[i].program != process->program || latest->processes[i].exited)
			continue;
		return process_stat_read((pid_t)process->pid, &stat) &&
		       stat.started <= screen->latest_at;
	}
	return false;
}

/* Returns 0 or a negative errno; -ESRCH if @process, or NULL, is gone. */
static int signal_one(const struct screen *screen, const struct snap_process *process, int number)
{
	int fd, err = 0;

	if (!process || process->exited)
		return -ESRCH;
	/* A pidfd ensures that the pid is not reused between the check and the signal. */
	fd = (int)syscall(SYS_pidfd_open, (pid_t)process->pid, 0);
	if (fd < 0)
		return -errno;
	if (!is_same(screen, process))
		err = -ESRCH;
	else if (syscall(SYS_pidfd_send_signal, fd, number, NULL, 0))
		err = -errno;
	close(fd);
	return err;
}

static void signal_send(struct screen *screen)
{
	struct view *view = screen->view;
	const struct snapshot *shown = view_shown(view);
	const struct snap_process *process = view_signal_target(view, 0), *failed = NULL;
	size_t count = view_signal_count(view), sent = 0, gone = 0, i;
	int number = view_signal(view), err, error = 0;

	/* The pids of a recording belong to other processes. */
	if (screen->host->readonly || screen->host->play.is_on || !shown)
		return;
	for (i = 0; i < count; i++) {
		const struct snap_process *target = view_signal_target(view, i);

		err = signal_one(screen, target, number);
		sent += !err;
		gone += err == -ESRCH;
		if (err && err != -ESRCH) {
			failed = target;
			error = -err;
		}
	}
	if (count == 1 && gone)
		view_message(view, "the process has exited");
	else if (count == 1 && sent)
		view_message(view, "SIG%s sent to %u", sigabbrev_np(number), process->pid);
	else if (failed && count == 1)
		view_message(view, "process %u: %s", failed->pid, strerror(error));
	else if (failed)
		view_message(view, "SIG%s sent to %zu of %zu; process %u: %s", sigabbrev_np(number),
			     sent, count, failed->pid, strerror(error));
	else if (gone)
		view_message(view, "SIG%s sent to %zu of %zu; the others have exited",
			     sigabbrev_np(number), sent, count);
	else
		view_message(view, "SIG%s sent to %zu processes", sigabbrev_np(number), sent);
}

/* Returns false if there was none. */
static bool request_do(struct screen *screen)
{
	enum request request = view_request(screen->view);

	switch (request) {
	case REQUEST_QUIT: screen->quit = true; break;
	case REQUEST_WRITE: snapshot_file_write(screen->view); break;
	case REQUEST_SAVE:
	case REQUEST_KEEP: store_save(&screen->store, request); break;
	case REQUEST_CLEAR:
		collector_clear_exited(screen->session.collector);
		view_message(screen->view,
			     view_is_frozen(screen->view) ?
				     "exited processes are cleared, and go when the view does" :
				     "exited processes are cleared");
		break;
	case REQUEST_PAUSE: collector_play(screen->session.collector, PLAY_PAUSE); break;
	case REQUEST_FASTER: collector_play(screen->session.collector, PLAY_FASTER); break;
	case REQUEST_SLOWER: collector_play(screen->session.collector, PLAY_SLOWER); break;
	case REQUEST_BACKWARD: collector_play(screen->session.collector, PLAY_BACK); break;
	case REQUEST_FORWARD: collector_play(screen->session.collector, PLAY_ON); break;
	case REQUEST_REDRAW: terminal_resize(screen->terminal); break;
	case REQUEST_DELAY:
		collector_set_delay(screen->session.collector, screen->settings->delay);
		break;
	case REQUEST_SIGNAL: signal_send(screen); break;
	default: break;
	}
	return request != REQUEST_NONE;
}

/* ---- the wait ---- */

static void other_signal(void *context, int number)
{
	struct screen *screen = context;

	if (number == SIGTSTP)
		terminal_suspend(screen->terminal);
	else if (number == SIGCONT)
		terminal_continue(screen->terminal);
	else
		terminal_resize(screen->terminal);
	screen->dirty = true;
}

static void input_read(struct screen *screen)
{
	struct terminal_event event;

	/*
	 * Handle all waiting events, then draw once: holding a key down does not queue up drawings.
	 */
	while (!screen->quit && terminal_event(screen->terminal, &event)) {
		if (event.kind == EVENT_KEY)
			view_key(screen->view, event.key);
		else
			view_mouse(screen->view, event.row, event.col, (enum mouse)event.mouse);
		while (request_do(screen))
			;
		screen->dirty = true;
	}
}

#define NOTE_DAMAGED "DAMAGED: not to its end"

static void play_show(struct screen *screen)
{
	struct play_status status = collector_play_status(screen->session.collector);
	struct play *play = &screen->host->play;

	play->paused = status.paused;
	play->ended = status.ended;
	play->position = status.position;
	play->total = status.total;
	play->speed = status.speed;
	if (status.damaged) {
		screen->host->note = NOTE_DAMAGED;
		screen->found_damage = !screen->session.replay_damaged;
	}
	screen->dirty = true;
}

static void snapshot_take(struct screen *screen)
{
	struct snapshot *snapshot = collector_take(screen->session.collector);

	if (screen->host->play.is_on)
		play_show(screen);
	if (!snapshot)
		return;
	snapshot_free(screen->latest);
	screen->latest = snapshot_hold(snapshot);
	screen->latest_at = clock_own_ns(CLOCK_BOOTTIME);
	if (!screen->snapshots++ && !screen->host->play.is_on)
		collector_set_delay(screen->session.collector, screen->settings->delay);
	view_feed(screen->view, snapshot);
	store_follow(&screen->store);
	screen->dirty = true;
}

/* struct output: a signal, and the end of --duration, come first. */
static bool terminal_wait(void *context)
{
	const struct session *session = context;
	struct pollfd fds[2] = {
		{ .fd = STDOUT_FILENO, .events = POLLOUT },
		{ .fd = session->signals, .events = POLLIN },
	};

	while (poll(fds, 2, session_time_left(session)) < 0)
		if (errno != EINTR)
			return false;
	return fds[0].revents;
}

static void draw(struct screen *screen)
{
	int rows, cols;

	if (!terminal_ready(screen->terminal))
		return;
	terminal_mouse(screen->terminal, screen->settings->mouse);
	terminal_size(screen->terminal, &rows, &cols);
	if (canvas_resize(&screen->canvas, rows, cols))
		return;
	view_draw(screen->view, &screen->canvas);
	screen->dirty = !terminal_show(screen->terminal, &screen->canvas, screen->settings->theme);
}

static void focus_follow(struct screen *screen)
{
	uint32_t program = view_focus(screen->view);

	if (program == screen->focus)
		return;
	screen->focus = program;
	collector_focus(screen->session.collector, program);
}

static bool is_over(const struct screen *screen)
{
	/* The early first snapshot is not counted. */
	if (screen->options->iterations && screen->snapshots > screen->options->iterations)
		return true;
	return screen->quit || screen->session.ended_by || session_is_late(&screen->session);
}

static void screen_wait(struct screen *screen)
{
	struct session *session = &screen->session;
	struct pollfd fds[3] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = session->signals, .events = POLLIN },
		{ .fd = collector_fd(session->collector), .events = POLLIN },
	};

	screen->dirty = true;
	while (!is_over(screen)) {
		bool ended = session->command.ended;

		if (screen->dirty)
			draw(screen);
		focus_follow(screen);
		if (poll(fds, 3, session_time_left(session)) < 0 && errno != EINTR)
			break;
		session_signals(session, SIGNALS_FOR_COMMAND, other_signal, screen);
		if (fds[0].revents & (POLLHUP | POLLERR)) {
			/* The terminal is gone, and there may be no signal for that. */
			session->ended_by = session->ended_by ? session->ended_by : SIGHUP;
			break;
		}
		if (fds[0].revents & POLLIN)
			input_read(screen);
		if (fds[2].revents & POLLIN)
			snapshot_take(screen);
		if (session->have_command && session->command.ended && !ended) {
			screen->host->command_ended = true;
			screen->dirty = true;
		}
	}
}

/* ---- the end ---- */

/* COMMAND is not left running: it could not be seen any more. */
static void command_end(struct screen *screen)
{
	struct session *session = &screen->session;
	int waited;

	if (!session->command_started || session->command.ended)
		return;
	kill(session->command.pid, SIGTERM);
	for (waited = 0; waited < COMMAND_WAIT && !command_reap(&session->command); waited += 10)
		usleep(10000);
	if (!session->command.ended)
		warn_user(&session->notes,
			  "the command (process %d) does not end; it is left running",
			  (int)session->command.pid);
}

/*
 * The verdict on a recording is that of its last snapshot. What comes after the place where the
 * user has left it was not seen, so there is none then.
 */
static int replay_status(struct screen *screen)
{
	struct session *session = &screen->session;

	collector_stop(session->collector);
	if (!session->ended_by && !session->replay_damaged &&
	    !collector_play_status(session->collector).ended)
		return session_fail(
			session, EXIT_FAILED,
			"--fail-on-leak cannot answer: the recording was left before its end; with "
			"--batch (-b) all of it is read");
	screen->final = collector_take(session->collector);
	return session_status(session, screen->final ? screen->final : view_shown(screen->view));
}

static int screen_show(struct screen *screen)
{
	struct session *session = &screen->session;
	struct reason why = { "" };

	screen->terminal_output = (struct output){ STDOUT_FILENO, terminal_wait, session };
	while (!output_wait(&screen->terminal_output) && !is_over(screen))
		session_signals(session, SIGNALS_FOR_COMMAND, NULL, NULL);
	if (is_over(screen)) {
		screen->is_stuck = session->notes.quiet = true;
		command_end(screen);
		return session_status(session, NULL);
	}
	if (terminal_open(&screen->terminal, &screen->terminal_output,
			  options_want_color(screen->options, stdout), &why)) {
		command_end(screen);
		return session_fail(session, EXIT_FAILED, why.text);
	}
	__atomic_store_n(&session->notes.quiet, true, __ATOMIC_RELAXED);
	if (!screen->host->play.is_on)
		collector_set_delay(session->collector, FIRST_SNAPSHOT);
	/* It may have ended while the terminal took nothing. */
	screen->host->command_ended = session->have_command && session->command.ended;
	screen_wait(screen);
	store_end(&screen->store);
	screen->is_stuck = !terminal_close(screen->terminal);
	__atomic_store_n(&session->notes.quiet, screen->is_stuck, __ATOMIC_RELAXED);
	if (screen->store.unkept.text[0])
		warn_user(&session->notes, "settings are not saved: %s", screen->store.unkept.text);
	command_end(screen);
	if (screen->found_damage) {
		session->replay_damaged = true;
		warn_user(&session->notes,
			  "%s: it is damaged inside; what comes before that was shown",
			  session->recording);
	}
	if (session->recording && screen->options->fail_on_leak)
		return replay_status(screen);
	if (screen->host->from_command || screen->options->fail_on_leak)
		screen->final = collector_finish(session->collector, session->ended_by != 0);
	return session_status(session, screen->final);
}

/* What batch mode says at the end of COMMAND. */
static void report_print(const struct screen *screen)
{
	struct out_options out = {
		.sort = screen->settings->sort,
		.version = PACKAGE_VERSION,
		.color = options_want_color(screen->options, stdout),
		.ascii = screen->host->ascii,
	};

	if (screen->host->from_command && screen->final)
		out_leak_report(stdout, screen->final, &out);
	fflush(stdout);
}

/* Short, for the top line; -v prints the whole reason. */
static const char *unprobed_note(int error)
{
	switch (error) {
	case -EPERM:
	case -EACCES: return "DEMO, recorded: no right to place probes";
	case -ENOENT: return "DEMO, recorded: its workload is not installed";
	default: return "DEMO, recorded: probes do not work here";
	}
}

int screen_run(const struct options *options)
{
	static const int signals[] = { SIGWINCH, SIGTSTP, SIGCONT, 0 };
	struct screen *screen = calloc(1, sizeof(*screen));
	struct reason why = { "" };
	int status;

	if (screen)
		screen->view = view_new();
	if (!screen || !screen->view) {
		free(screen);
		return EXIT_FAILED;
	}
	screen->options = options;
	screen->host = view_host(screen->view);
	screen->settings = view_settings(screen->view);
	screen->output = -1;
	status = session_open(&screen->session, options, signals);
	if (!status)
		status = settings_begin(screen);
	if (!status)
		status = lists_begin(screen);
	if (!status && terminal_check(&why))
		status = session_fail(&screen->session, EXIT_FAILED, why.text);
	if (status)
		goto out;
	screen->session.stops_by_signal = true;
	screen->session.budget_usual = screen->settings->budget;
	screen->host->readonly = options->readonly;
	screen->host->from_command = screen->session.have_command;
	if (screen->session.have_command)
		screen->output = kept_output_open();
	screen->session.command_output = screen->output;
	status = session_begin(&screen->session);
	screen->host->is_partial = screen->session.have_command || options->command_glob ||
				   options->pid_count || options->uid != UINT32_MAX;
	screen->host->play.is_on = screen->session.recording != NULL;
	screen->host->from_command = screen->session.have_command && options->mode != MODE_DEMO;
	if (screen->session.replay_damaged)
		screen->host->note = NOTE_DAMAGED;
	else if (screen->session.unprobed)
		screen->host->note = unprobed_note(screen->session.unprobed);
	else if (options->mode == MODE_DEMO)
		screen->host->note = "DEMO";
	if (!status)
		status = screen_show(screen);
	session_close(&screen->session);
	if (!screen->is_stuck) {
		kept_output_print(screen->output, &screen->session.notes);
		report_print(screen);
	}
out:
	if (screen->output >= 0)
		close(screen->output);
	snapshot_free(screen->final);
	snapshot_free(screen->latest);
	view_free(screen->view);
	canvas_free(&screen->canvas);
	free(screen);
	return status;
}
