/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session. The order at its start matters: signals are blocked before any thread exists; probes
 * are placed before COMMAND, already forked and waiting, may run, so that its first call is seen.
 */
#include "app/session.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/pools.h"
#include "print/text.h"
#include "probe/closure.h"
#include "probe/outside.h"
#include "util/rights.h"
#include "util/saturated.h"

/* ---- the demonstration ---- */

/*
 * It runs a program of several processes on the project's double of the CUDA libraries. They are in
 * a folder of their own, where no loader searches, so that no other program ever runs on the double.
 * The recording lies there, too.
 */

#define CAST_SECONDS "86400"

/* Relative to the folder above bin, installed or unpacked; and relative to a build folder. */
#define BESIDE_BIN "/libexec/cutop/demo"
#define IN_BUILD   "/tests/workloads/bin"

/* The folder above the one that cutop is in, without a slash at its end. */
static int own_prefix(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);

	if (n <= 0)
		return -ENOENT;
	path[n] = 0;
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(path, '/');

		if (slash)
			*slash = 0;
	}
	return 0;
}

/*
 * The demonstration next to this program's own folder comes first, so that an unpacked tarball does
 * not run the workload of an installed version. A hard link to cutop in another folder changes which
 * workload is found; that gives no rights away, since the workload runs with the rights of the user
 * who started cutop, as any COMMAND does. Returns the path of @name, or of @built in a build tree.
 */
static const char *demo_find(struct demo *demo, const char *name, const char *built, int mode)
{
	char prefix[PATH_MAX - 64] = "";
	const struct {
		const char *above, *folder, *name;
	} places[] = {
		{ prefix, BESIDE_BIN, name },
		{ "", DEMO_DIR, name },
		{ prefix, IN_BUILD, built },
	};
	size_t i;

	if (own_prefix(prefix, sizeof(prefix)))
		return NULL;
	for (i = 0; i < ARRAY_LEN(places); i++) {
		snprintf(demo->path, sizeof(demo->path), "%s%s/%s", places[i].above,
			 places[i].folder, places[i].name);
		if (!access(demo->path, mode))
			return demo->path;
	}
	return NULL;
}

/* Finds the program. Returns its command line, which lives in @demo, or NULL if it is not there. */
static char **demo_command(struct demo *demo)
{
	if (!demo_find(demo, "cutop-demo", "workload", X_OK))
		return NULL;
	demo->argv[0] = demo->path;
	demo->argv[1] = (char *)"demo";
	demo->argv[2] = (char *)CAST_SECONDS;
	demo->argv[3] = NULL;
	return demo->argv;
}

/* Finds the recording. Returns its path, which lives in @demo, or NULL if it is not there. */
static const char *demo_recording(struct demo *demo)
{
	return demo_find(demo, "demo.cutop", "demo.cutop", R_OK);
}

/* ---- the start ---- */

int session_fail(const struct session *session, int status, const char *text)
{
	warn_user(&session->notes, "%s", text);
	return status;
}

static int rights_to_read(void)
{
	return rights_drop(RIGHTS_READ, NULL);
}

int errands_begin(struct errands **errands, const struct notes *notes, bool patient,
		  struct reason *why)
{
	const struct errands_settings settings = {
		.jobs = outside_jobs,
		.job_count = outside_job_count,
		.give_up = rights_to_read,
		.notes = notes,
		.patient = patient,
	};

	return errands_start(errands, &settings, why);
}

static const char *library_path(const struct session *session)
{
	return command_variable(session->environment, "LD_LIBRARY_PATH");
}

static void add_libraries(struct session *session, int *error)
{
	struct probe *probe = collector_probe(session->collector);
	struct reason why = { "" };
	size_t i;
	int result;

	for (i = 0; i < session->options->library_count && !*error; i++) {
		result = probe_add_path(probe, session->options->libraries[i], &why);
		if (result > 0) {
			/* Include what it needs: a runtime needs its driver. */
			probe_add_program(probe, session->options->libraries[i],
					  library_path(session), NULL);
			continue;
		}
		/* A signal has come, and is handled in a moment. */
		if (result == -EINTR)
			return;
		warn_user(&session->notes, "--library %s: %s", session->options->libraries[i],
			  why.text);
		*error = result ? result : -ENOENT;
	}
}

static int watch_begin(struct session *session)
{
	struct probe *probe = collector_probe(session->collector);
	struct reason why = { "" };
	int err;

	if (!probe)
		return 0;
	err = collector_watch(session->collector, &why);
	if (err)
		return session_fail(session, err, why.text);
	probe_patient(probe, true);
	add_libraries(session, &err);
	if (err)
		return err;
	probe_find_driver(probe);
	err = probe_add_extras(probe, library_path(session), &why);
	if (err)
		return session_fail(session, err, why.text);
	if (session->have_command) {
		probe_add_program(probe, session->program, library_path(session),
				  command_variable(session->environment, "LD_PRELOAD"));
		/*
		 * Not before: until it becomes COMMAND it runs cutop's program, with LD_PRELOAD
		 * together with what COMMAND will load, and would be taken for late.
		 */
		err = probe_list_process(probe, (uint32_t)session->command.pid, true);
		if (err)
			return session_fail(session, err, "cannot list the command's process");
	}
	probe_patient(probe, false);
	probe_find_ahead(probe);
	if (!probe_counts(probe).targets)
		note(&session->notes,
		     "no CUDA library found so far; it is probed when a program loads one, or name it "
		     "with --library");
	collector_watch_idle(session->collector);
	return 0;
}

/*
 * The rights to keep in order to probe further libraries; @probe NULL: in a mode that does not
 * probe.
 */
static unsigned int rights_to_probe(const struct probe *probe)
{
	if (!probe)
		return 0;
	return probe_method(probe) == ATTACH_PERF ? RIGHTS_PROBE | RIGHTS_PROBE_EACH : RIGHTS_PROBE;
}

/* From here on nothing is opened that takes root. COMMAND, already forked, has its own rights. */
static void rights_keep(const struct session *session, unsigned int what)
{
	const struct options *options = session->options;
	struct reason why = { "" };
	bool shown = options->mode != MODE_TRACE && options->mode != MODE_RECORD && !options->batch;

	/* For F9; and because the end of cutop ends COMMAND, whichever user it runs as. */
	if ((shown && !options->readonly && !session->recording) || session->have_command)
		what |= RIGHTS_SIGNAL;
	/* For the keys w and W; and for a file that is replaced with each snapshot. */
	if (shown || format_is_metrics(options->format))
		what |= RIGHTS_WRITE;
	if (rights_drop(what, &why))
		warn_user(&session->notes, "%s; cutop goes on with the rights it has", why.text);
}

/*
 * Starting reads the kernel's types and whole ELF files, and keeps little of them: give back some
 * 10 MB.
 */
static void memory_return(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

/*
 * Threads begin here: after the fork, and with the remaining rights. A replay in batch mode has no
 * collector.
 */
static int threads_start(struct session *session)
{
	struct reason why = { "" };
	int err = session->serve ? serve_start(session->serve, &why) : 0;

	if (!err && session->serve)
		note(&session->notes, "metrics are at %s", serve_url(session->serve));
	if (!err && session->collector)
		err = collector_start(session->collector, &why);
	return err ? session_fail(session, err, why.text) : 0;
}

int session_pids_check(const struct notes *notes, const uint32_t *pids, size_t count)
{
	size_t i;
	int fd;

	for (i = 0; i < count; i++) {
		fd = (int)syscall(SYS_pidfd_open, pids[i], 0);
		if (fd >= 0) {
			close(fd);
			continue;
		}
		if (errno == ESRCH) {
			warn_user(notes, "there is no process %u", pids[i]);
			return -ESRCH;
		}
		/* pidfd_open(2): @pid is a thread that leads no process; ENOENT since Linux 6.9 */
		if (errno == EINVAL || errno == ENOENT) {
			warn_user(
				notes,
				"%u is a thread; give --pid its process (Tgid in /proc/%u/status)",
				pids[i], pids[i]);
			return -ESRCH;
		}
	}
	return 0;
}

/* The command line, for readers of the recording. NULL without memory. */
static char *words_join(char **words)
{
	char *text = NULL, *longer;

	for (; *words; words++) {
		longer = format_new("%s%s%s", text ? text : "", text ? " " : "", *words);
		free(text);
		text = longer;
		if (!text)
			break;
	}
	return text;
}

static void snapshot_serve(void *context, struct snapshot *snapshot, uint64_t due)
{
	struct session *session = context;

	serve_feed(session->serve, snapshot, due);
}

static struct trace_settings trace_settings_of(const struct options *options)
{
	return (struct trace_settings){
		.on = options->mode == MODE_TRACE || options->record_calls,
		.groups = options->traced_groups,
		.entries = options->entries,
		.pairs = options->pairs,
		.arguments = options->kernel_arguments,
		.no_books = options->mode == MODE_TRACE,
	};
}

/* For tests: launches are counted at the runtime's layer wherever that is probed. */
static bool asked_for_both(void)
{
	const char *launches = getenv("CUTOP_LAUNCHES");

	return launches && !strcmp(launches, "both");
}

/*
 * What a program may pay, as a share of its own processor time; 0: no limit. A user who starts a
 * program under watch, or records, wants to know everything. CUTOP_BUDGET is for tests.
 */
static double budget_of(const struct session *session)
{
	const struct options *options = session->options;
	const char *usual = getenv("CUTOP_BUDGET");

	if (options->budget_given)
		return (double)options->budget / 100;
	if (session->have_command || options->mode != MODE_WATCH || options->fail_on_leak)
		return 0;
	return (usual ? strtod(usual, NULL) : (double)session->budget_usual) / 100;
}

static int collector_begin(struct session *session)
{
	const struct options *options = session->options;
	struct collector_settings settings = {
		.probe = {
			.bpf = {
				.exact_launches = options->exact_launches,
				.launch_sites = options->launch_sites,
				/* A verdict rests on no chance. */
				.all_blocks = options->tensor_sites == TENSOR_SITES_ALL || options->fail_on_leak,
				.stacks = options_take_stacks(options),
				.stacks_by_rows = options->stacks == STACKS_AUTO && options->mode != MODE_TRACE &&
						  options->returns != RETURNS_NEVER,
				/* A trace takes stacks only if it is to print them. */
				.python = !options->no_python && (options->mode != MODE_TRACE || options_take_stacks(options)),
				.allocators = options->mode != MODE_TRACE,
				.pools = session->pools,
				.extras = options->probe_count > 0,
				.layers = options->layers,
				/*
				 * The report at the end of COMMAND should cover everything that it
				 * has allocated.
				 */
				/*
				 * It costs a probe hit per allocation: only if a verdict is asked
				 * for, now or of the recording.
				 */
				.notice_driver = session->have_command && (options->fail_on_leak || options->mode == MODE_RECORD),
				.only_listed = session->have_command || options->pid_count,
				.follow_children = session->have_command,
				.only_uid = options->uid,
				.ring_bytes = options->ring_bytes,
				.trace = trace_settings_of(options),
			},
			.launches_once = options->layers_auto && options->mode != MODE_TRACE && !options->record_calls && !asked_for_both(),
			.spares = budget_of(session) > 0,
			.pids = options->pids,
			.pid_count = options->pid_count,
			.groups = options->groups,
			.extras = session->extras,
			.method = getenv("CUTOP_ATTACH"),
			.returns = options->returns,
			.no_single_step = options->no_single_step,
			.notes = &session->notes,
			.errands = session->errands,
		},
		.delay = options->delay,
		.names_bytes = options->names_bytes,
		.budget = budget_of(session),
		.leak_age = options->leak_age,
		.map_max = options->map_max,
		.command_glob = options->command_glob,
		.held_globs = options->leak_ignore,
		.python_skip = options->site_skip,
		/* Not if each snapshot is recorded: a replay would print it. */
		.rates_at_once = options->batch && options->mode != MODE_RECORD,
		.each = options->batch,
		.record = options->mode == MODE_RECORD ? options->output : NULL,
		.record_command = session->have_command,
		.record_calls = options->record_calls,
		.totals = session->serve || (options->batch && format_is_metrics(options->format)),
		.on_snapshot = session->serve ? snapshot_serve : NULL,
		.context = session,
		.tee = session->tee,
		.tee_context = session->tee_context,
	};
	struct reason why = { "" };
	char *words = settings.record ? words_join(options->words) : NULL;
	int err;

	settings.record_options = words;
	err = session_pids_check(&session->notes, options->pids, options->pid_count);
	if (err) {
		free(words);
		return err;
	}
	if (command_files_raise(&why)) {
		free(words);
		return session_fail(session, -EMFILE, why.text);
	}
	if (options->mode == MODE_DEMO && !session->have_command)
		err = reason_set(&why, -ENOENT, "the demonstration's workload is not installed");
	else
		err = collector_new(&session->collector, &settings, &why);
	free(words);
	if (err && options->mode == MODE_DEMO)
		session->recording = demo_recording(&session->demo);
	if (err && !session->recording)
		return session_fail(session, err, why.text);
	if (!err)
		return 0;
	session->unprobed = err;
	session->have_command = false;
	/* The screen says so at its top; readers of figures have to be told here. */
	if (options->batch)
		warn_user(&session->notes, "these figures are from a recording: %s", why.text);
	else
		note(&session->notes, "the demonstration is a recording: %s", why.text);
	return 0;
}

static int signals_open(const int *more, bool have_command)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	/*
	 * A blocked signal is queued even if it is ignored: under nohup(1) it should stay ignored.
	 */
	if (sigaction(SIGHUP, NULL, &hangup) || hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	if (have_command) {
		/* These would end cutop and leave COMMAND running. */
		sigaddset(&set, SIGQUIT);
		sigaddset(&set, SIGUSR1);
		sigaddset(&set, SIGUSR2);
	}
	for (; more && *more; more++)
		sigaddset(&set, *more);
	/* Block before any thread exists: threads inherit it */
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* True if both paths lead to one file. */
static bool is_one_file(const char *path, const char *other)
{
	struct stat stats[2];

	return !stat(path, &stats[0]) && !stat(other, &stats[1]) && S_ISREG(stats[0].st_mode) &&
	       file_is_same(&stats[0], &stats[1]);
}

int session_pools(struct session *session, const char *const *files, size_t count)
{
	struct reason why = { "" };

	if (count && !session->recording && pools_read(&session->pools, files, count, &why))
		return session_fail(session, EXIT_FAILED, why.text);
	return 0;
}

int session_open(struct session *session, const struct options *options, const int *more)
{
	struct reason why = { "" };
	int err;

	memset(session, 0, sizeof(*session));
	session->options = options;
	session->budget_usual = BUDGET_USUAL;
	session->recording = options->replay;
	session->notes.verbose = options->verbose;
	session->deadline = UINT64_MAX;
	if (options->replay && options->output && is_one_file(options->replay, options->output)) {
		warn_user(&session->notes,
			  "cannot write %s: it is the recording that is to be shown",
			  options->output);
		return EXIT_FAILED;
	}
	/* Before signals wait: reading a pipe may take as long as its writer likes. */
	if (session_pools(session, options->pools, options->pool_count))
		return EXIT_FAILED;
	session->command_line = options->mode == MODE_DEMO ? demo_command(&session->demo) :
							     options->command;
	session->have_command = session->command_line != NULL;
	session->command_output = -1;
	session->signals = signals_open(more, session->have_command);
	if (session->signals < 0)
		return session_fail(session, EXIT_FAILED, "signalfd failed");
	session->environment = command_environment();
	if (session->have_command) {
		err = command_find(session->command_line[0], session->program, &why);
		if (err)
			return session_fail(session, err == -EACCES ? 126 : 127, why.text);
	}
	if (!options->listen)
		return 0;
	/* Binding a low port may need one of the rights. */
	err = rights_raise(&why);
	if (!err)
		err = serve_open(&session->serve, options->listen_host, options->listen_port,
				 &options->metrics_limits, &why);
	if (!err)
		err = rights_lower(&why);
	return err ? session_fail(session, EXIT_FAILED, why.text) : 0;
}

/* Starts COMMAND. Returns 0, or the exit status to end with. */
static int command_begin(struct session *session)
{
	int err = command_go(&session->command);

	if (!err) {
		session->command_started = true;
		return 0;
	}
	warn_user(&session->notes, "cannot run %s: %s", session->command_line[0], strerror(-err));
	while (!command_reap(&session->command))
		usleep(1000);
	return err == -ENOENT ? 127 : 126;
}

/* Says, once, if a recording ends badly: damage inside it is known only after it was read. */
static void replay_tell(struct session *session, const struct reader *reader)
{
	const char *why;

	if (session->replay_damaged)
		return;
	switch (reader_end(reader, &why)) {
	case RECORDING_IS_CUT_OFF:
		if (!session->replay_told)
			warn_user(&session->notes, "%s: %s; up to there it is shown",
				  session->recording, why);
		session->replay_told = true;
		break;
	case RECORDING_IS_DAMAGED:
		session->replay_damaged = true;
		warn_user(&session->notes, "%s: %s; what comes before that is shown",
			  session->recording, why);
		break;
	default: break;
	}
}

static int recording_begin(struct session *session)
{
	const struct options *options = session->options;
	struct replay_settings settings = {
		.leak_age = options->leak_age_given ? options->leak_age : 0,
		.map_max = options->map_max,
		.totals = session->serve || format_is_metrics(options->format),
		.pids = options->pids,
		.pid_count = options->pid_count,
		.uid = options->uid,
		.command_glob = options->command_glob,
		.tee = session->tee,
		.tee_context = session->tee_context,
	};
	struct collector_settings collector = {
		.delay = options->delay_given ? options->delay : 0,
		.leak_age = options->leak_age,
		.map_max = options->map_max,
		.on_snapshot = session->serve ? snapshot_serve : NULL,
		.context = session,
	};
	struct reason why = { "" };
	struct replay *replay;

	if (replay_open(&replay, session->recording, &settings, &why)) {
		warn_user(&session->notes, "cannot replay %s: %s", session->recording, why.text);
		return EXIT_FAILED;
	}
	note(&session->notes, "%s: cutop %s on %s, by: %s", session->recording,
	     reader_facts(replay_reader(replay))->version,
	     reader_facts(replay_reader(replay))->host,
	     reader_facts(replay_reader(replay))->options);
	replay_tell(session, replay_reader(replay));
	if (options->duration)
		session->deadline = clock_ns(CLOCK_MONOTONIC) + options->duration;
	rights_keep(session, 0);
	if (options->batch || options->mode == MODE_TRACE) {
		session->replay = replay;
	} else if (collector_new_replay(&session->collector, &collector, replay, &why)) {
		return session_fail(session, EXIT_FAILED, why.text);
	}
	return threads_start(session) ? EXIT_FAILED : 0;
}

int session_begin(struct session *session)
{
	struct reason why = { "" };
	int err;

	if ((session->options->probe_count || session->pools) &&
	    extra_functions_new(&session->extras, session->options->probes,
				session->options->probe_count, session->pools, &why))
		return session_fail(session, EXIT_FAILED, why.text);
	if (session->recording)
		return recording_begin(session);
	if (rights_raise(&why))
		return session_fail(session, EXIT_FAILED, why.text);
	if (errands_begin(&session->errands, &session->notes, session->options->mode == MODE_TRACE,
			  &why))
		return session_fail(session, EXIT_FAILED, why.text);
	if (collector_begin(session))
		return EXIT_FAILED;
	if (session->recording)
		return recording_begin(session);
	if (session->have_command &&
	    command_fork(&session->command, session->command_line, session->environment,
			 session->options->run_as, session->command_output, &why))
		return session_fail(session, EXIT_FAILED, why.text);
	err = watch_begin(session);
	if (!err) {
		rights_keep(session, rights_to_probe(collector_probe(session->collector)));
		memory_return();
		err = threads_start(session);
	}
	if (err) {
		if (session->have_command)
			command_abandon(&session->command);
		return EXIT_FAILED;
	}
	if (session->have_command) {
		int status = command_begin(session);

		if (status)
			return status;
	}
	if (session->options->duration)
		session->deadline = clock_ns(CLOCK_MONOTONIC) + session->options->duration;
	return 0;
}

/* ---- the wait ---- */

static bool is_ending(uint32_t number)
{
	return number == SIGINT || number == SIGTERM || number == SIGHUP;
}

/* Without COMMAND these are not blocked: they have their default effect. */
static bool is_for_command(uint32_t number)
{
	return number == SIGQUIT || number == SIGUSR1 || number == SIGUSR2;
}

int session_signals(struct session *session, enum signals_for whom,
		    void (*other)(void *context, int number), void *context)
{
	bool ours = whom == SIGNALS_FOR_US || !session->have_command;
	struct signalfd_siginfo info;
	int ending = 0;

	while (read(session->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			if (session->command_started)
				command_reap(&session->command);
			continue;
		}
		if (!is_ending(info.ssi_signo) && !is_for_command(info.ssi_signo)) {
			if (other)
				other(context, (int)info.ssi_signo);
			continue;
		}
		if (ours || (session->stops_by_signal && is_ending(info.ssi_signo))) {
			session->ended_by = ending = (int)info.ssi_signo;
			if (ours)
				continue;
		}
		/*
		 * What the terminal sent, it sent to COMMAND as well, and to what reads our output.
		 */
		if (info.ssi_code == SI_KERNEL)
			continue;
		if (is_ending(info.ssi_signo))
			session->passed_on = (int)info.ssi_signo;
		if (!session->command.ended)
			kill(session->command.pid, (int)info.ssi_signo);
	}
	return ending;
}

bool session_is_late(const struct session *session)
{
	return clock_ns(CLOCK_MONOTONIC) >= session->deadline;
}

int session_time_left(const struct session *session)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), left;

	if (session->deadline == UINT64_MAX)
		return -1;
	left = session->deadline > now ?
		       (session->deadline - now + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC :
		       0;
	return left > INT_MAX ? INT_MAX : (int)left;
}

/* ---- the end ---- */

/*
 * How a session ends: what its exit status says about COMMAND, signals, and leaks. With
 * --fail-on-leak an unanswered question is not "no leak": cutop says what is unknown, and fails.
 */

static void warn_unfound(void *context, const char *request, const char *library, bool found)
{
	const struct session *session = context;

	(void)library;
	if (!found)
		warn_user(&session->notes, "%s: no process that was watched had such a function",
			  request);
}

/* Says that --fail-on-leak has no answer because of @why, and fails. */
static int no_answer(const struct session *session, const char *why)
{
	warn_user(&session->notes, "--fail-on-leak cannot answer: %s", why);
	return EXIT_FAILED;
}

/*
 * Fails if something could not be seen because of @cause. Returns EXIT_DONE if nothing is missing.
 */
static int unseen_status(const struct session *session, const struct snapshot *snapshot,
			 enum unseen_cause cause)
{
	char why[UNSEEN_SIZE];

	return text_unseen(snapshot, cause, why) ? no_answer(session, why) : EXIT_DONE;
}

static int leak_status(const struct session *session, const struct snapshot *snapshot)
{
	uint64_t allowed = session->options->leak_bytes, leaked;
	struct leak_total total;

	if (!session->options->fail_on_leak)
		return EXIT_DONE;
	if (!snapshot)
		return session_fail(session, EXIT_FAILED, "no memory for the final snapshot");
	leak_total_make(snapshot, &total);
	leaked = add_saturated(snapshot->leaked,
			       session->options->leak_host ? total.sum.host_left : 0);
	if (leaked > allowed)
		return unseen_status(session, snapshot, UNSEEN_FREE) ?: EXIT_LEAK;
	if (total.sum.tensors_rising > allowed || total.sum.held_rising > allowed)
		return EXIT_LEAK;
	if (total.lost)
		return no_answer(session, "events were lost; try a larger --ring-size");
	if (total.sum.unreturned)
		return no_answer(session, "the returns of some program's calls are not "
					  "probed, so that what it allocates is not known");
	if (total.sum.from_attach)
		return no_answer(session, "some program ran before its CUDA library "
					  "was probed; --library names it, or the library, ahead");
	if (unseen_status(session, snapshot, UNSEEN_DRIVER) ||
	    unseen_status(session, snapshot, UNSEEN_LATE) ||
	    unseen_status(session, snapshot, UNSEEN_ALLOC) ||
	    unseen_status(session, snapshot, UNSEEN_LAYER))
		return EXIT_FAILED;
	if (total.any_running)
		return no_answer(session, "a program that made CUDA calls has not ended; "
					  "let the command wait for its children");
	if (total.sum.held_unproven)
		return no_answer(
			session,
			"memory of PyTorch's allocator is live at the end, and "
			"nothing shows whether it is its cache or tensors; --leak-ignore 'libc10_cuda*' takes it for the cache");
	if (total.sum.suspect)
		return no_answer(session,
				 "memory is live at the end that the runtime allocated for "
				 "a library that is not known; --stacks shows which");
	if (total.sum.tensors_unjudged > allowed)
		return no_answer(
			session,
			"tensors were live at the end, and it ran too short "
			"to tell whether they rise: that takes five times --leak-age, which may be shorter");
	if (!total.sum.calls && !session->options->allow_no_cuda)
		return no_answer(session, "the command made no CUDA call that cutop "
					  "saw (--allow-no-cuda, if that is right)");
	return EXIT_DONE;
}

int session_status(struct session *session, const struct snapshot *snapshot)
{
	int status;

	if (session->replay)
		replay_tell(session, replay_reader(session->replay));
	/* Only the collector's thread can find these. */
	if (session->extras && session->collector)
		collector_stop(session->collector);
	extra_functions_visit(session->extras, warn_unfound, session);
	if (session->extras && extra_functions_full(session->extras))
		warn_user(&session->notes,
			  "--probe names more than %d functions: some were left out",
			  CUTOP_EXTRA_MAX);
	if (session->recording && !session->ended_by)
		return session->replay_damaged ? EXIT_FAILED : leak_status(session, snapshot);
	/* Recordings normally end by a signal. */
	if (session->options->mode == MODE_RECORD && !session->have_command)
		return EXIT_DONE;
	if (session->options->mode == MODE_DEMO)
		return session->ended_by ? 128 + session->ended_by : EXIT_DONE;
	if (session->have_command && !command_reap(&session->command)) {
		/*
		 * --duration is over, or the user has seen enough. COMMAND is not cutop's to end.
		 */
		warn_user(&session->notes,
			  "the command still runs, unwatched from now on (process %d)",
			  session->command.pid);
		if (session->options->fail_on_leak)
			return no_answer(session, "the command has not ended");
	} else if (session->have_command) {
		status = command_exit_status(&session->command);
		if (!status)
			status = leak_status(session, snapshot);
		if (status)
			return status;
	}
	return session->ended_by ? 128 + session->ended_by : EXIT_DONE;
}

void session_close(struct session *session)
{
	/* The demonstration's program ends with the session. */
	if (session->options->mode == MODE_DEMO && session->command_started &&
	    !session->command.ended) {
		kill(session->command.pid, SIGKILL);
		waitpid(session->command.pid, NULL, 0);
	}
	collector_free(session->collector);
	session->collector = NULL;
	errands_stop(session->errands);
	session->errands = NULL;
	extra_functions_free(session->extras);
	session->extras = NULL;
	pools_free(session->pools);
	session->pools = NULL;
	replay_close(session->replay);
	session->replay = NULL;
	serve_close(session->serve);
	session->serve = NULL;
	command_environment_free(session->environment);
	session->environment = NULL;
}
