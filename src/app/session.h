/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session: what batch mode, the screen and traces have in common. It sets up the collector as the
 * options say, starts COMMAND, and delivers signals and the end of COMMAND on one descriptor. How
 * the data are shown is up to the mode.
 */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "collect/collector.h"
#include "collect/command.h"
#include "cli/options.h"
#include "metrics/serve.h"
#include "errand/errand.h"
#include "util/util.h"

/* The demonstration's COMMAND: its program, which runs on the double from a folder of its own. */
struct demo {
	char path[PATH_MAX];
	char *argv[4];
};

struct session {
	const struct options *options;
	struct notes notes;
	struct pools *pools;            /* those of --pool; NULL */
	struct extra_functions *extras; /* functions named by --probe and --pool, or NULL */
	struct errands *errands;        /* NULL: nothing is probed */
	struct collector *collector;    /* NULL: a replay that does not wait */
	struct replay *replay;          /* in batch mode and in a trace */
	bool replay_damaged, replay_told;
	struct serve *serve; /* --listen, or NULL */
	struct command command;
	uint64_t budget_usual; /* per cent, where --budget is not given and there is to be one */
	bool have_command, command_started;
	char **command_line;   /* COMMAND, NULL-ended; borrowed */
	char **environment;    /* command_environment() */
	struct demo demo;      /* cutop demo: its program */
	const char *recording; /* what is replayed: --replay, or the demonstration's; NULL */
	int unprobed;          /* why the demonstration is a recording: a negative errno; or 0 */
	int command_output;    /* COMMAND's standard output and error; -1: ours */
	int signals;           /* signalfd */
	int ended_by;          /* signal that ended us, 0: none */
	/* The last signal that was to end us and went to COMMAND instead, 0: none */
	int passed_on;
	bool stops_by_signal; /* such a signal ends us with COMMAND too, which gets it as well */
	/* Set before session_begin(): collector_settings.tee */
	void (*tee)(void *context, const struct rec_hdr *record, size_t size);
	void *tee_context;
	uint64_t deadline;      /* CLOCK_MONOTONIC ns, UINT64_MAX: none */
	char program[PATH_MAX]; /* path of COMMAND's program */
};

/*
 * Blocks the signals that end a mode, SIGCHLD, and @more (0-ended, or NULL), and finds COMMAND's
 * program. To be called before any thread exists. Returns 0, or the exit status to end with, after
 * telling the user why.
 */
int session_open(struct session *session, const struct options *options, const int *more);

/*
 * Reads @count descriptions of pools more, after those of --pool. Returns 0, or the exit status to
 * end with, after telling the user why.
 */
int session_pools(struct session *session, const char *const *files, size_t count);

/*
 * Sets up and starts the collector and COMMAND. A replay in batch mode needs neither: it is
 * session->replay. Returns 0, or the exit status to end with, after telling the user why. Call
 * session_close() either way.
 */
int session_begin(struct session *session);

/* Which process signals that end programs are meant for. */
enum signals_for {
	SIGNALS_FOR_COMMAND, /* COMMAND, while there is one: they are passed on */
	SIGNALS_FOR_US,      /* cutop: COMMAND has ended, or is left alone */
};

/*
 * Reads the signals that have come. One that is to end cutop is stored in session->ended_by and
 * returned, 0 if there was none. @other, unless NULL, is called with signals that do not end
 * programs.
 */
int session_signals(struct session *session, enum signals_for whom,
		    void (*other)(void *context, int number), void *context);

/* Milliseconds until the deadline, for poll(2); -1: none. */
int session_time_left(const struct session *session);
bool session_is_late(const struct session *session);

/* The exit status at the end. @snapshot: the final one, or NULL. */
int session_status(struct session *session, const struct snapshot *snapshot);

void session_close(struct session *session);

/*
 * Checks that @pids are running processes. Returns 0 or a negative errno, after telling the user
 * which is not.
 */
int session_pids_check(const struct notes *notes, const uint32_t *pids, size_t count);

/* Tells the user @text and returns @status. */
int session_fail(const struct session *session, int status, const char *text);

/*
 * Starts the errands of probe/outside.h with the rights that they need. Returns 0, or a negative
 * errno with @why set. @notes NULL: the caller reports what does not
 * answer. @patient: as in errands_settings.
 */
int errands_begin(struct errands **errands, const struct notes *notes, bool patient,
		  struct reason *why);

#endif
