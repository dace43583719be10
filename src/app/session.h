/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session: what batch mode and the screen have in common. It sets up the
 * collector as the options ask, starts COMMAND, and keeps signals and the end
 * of COMMAND on one descriptor. How what was collected is shown is not its
 * business.
 */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "collect/collector.h"
#include "collect/command.h"
#include "app/demo.h"
#include "cli/options.h"
#include "metrics/serve.h"
#include "util/util.h"

struct session {
	const struct options *options;
	struct notes notes;
	struct extra_functions *extras;	/* functions named by --probe, or NULL */
	struct errands *errands;	/* NULL: nothing is probed */
	struct collector *collector;	/* NULL: a replay without waiting */
	struct replay *replay;		/* of batch mode and of a trace */
	bool replay_damaged, replay_told;
	struct serve *serve;	/* --listen, or NULL */
	struct command command;
	bool have_command, command_started;
	char **command_line;	/* COMMAND, NULL-ended; borrowed */
	char **environment;	/* command_environment() */
	struct demo demo;	/* cutop demo: its cast */
	struct reason made_up;	/* why a demonstration is made up; empty: it is real */
	int made_up_error;	/* the same as a negative errno */
	int command_output;	/* COMMAND's standard output and error; -1: ours */
	int signals;		/* signalfd */
	int ended_by;		/* signal that ended us, 0: none */
	int passed_on;		/* the last signal that was to end us and went to COMMAND instead, 0: none */
	bool stops_by_signal;	/* such a signal ends us with COMMAND too, which gets it as well */
	/* Set before session_begin(): collector_settings.tee */
	void (*tee)(void *context, const struct rec_hdr *record, size_t size);
	void *tee_context;
	uint64_t deadline;	/* CLOCK_MONOTONIC ns, UINT64_MAX: none */
	char program[PATH_MAX];	/* of COMMAND */
};

/*
 * Blocks the signals that end a mode, SIGCHLD, and @more (0-ended, or NULL),
 * and finds COMMAND's program. To be called before any thread exists. Returns
 * 0 or the exit status to end with, the user told why.
 */
int session_open(struct session *session, const struct options *options, const int *more);

/*
 * Sets up the collector and starts it, and COMMAND. A replay in batch mode needs
 * neither: it is session->replay. Returns 0 or the exit
 * status to end with, the user told why. session_close() is due either way.
 */
int session_begin(struct session *session);

/* Whom the signals mean that end programs. */
enum signals_for {
	SIGNALS_FOR_COMMAND,	/* COMMAND, as long as there is one: they are passed on to it */
	SIGNALS_FOR_US,		/* us: COMMAND has ended, or is left alone */
};

/*
 * Reads what signals came. One that means to end us is kept in session->ended_by and returned, 0 if there was none. Others
 * than those that end programs are given to @other, unless NULL.
 */
int session_signals(struct session *session, enum signals_for whom, void (*other)(void *context, int number), void *context);

/* Milliseconds until the deadline, for poll(2); -1: none. */
int session_time_left(const struct session *session);
bool session_is_late(const struct session *session);

/* The exit status, once it is over. @snapshot: the final one, or NULL. */
int session_status(struct session *session, const struct snapshot *snapshot);

void session_close(struct session *session);

/* Makes sure that @pids are processes that run. Returns 0 or a negative errno, the user told which is none. */
int session_pids_check(const struct notes *notes, const uint32_t *pids, size_t count);

/* Says, once, how a recording ends, if not well: what is damaged inside is known when it was read. */
void session_replay_tell(struct session *session, const struct reader *reader);

/* Tells the user @text and returns @status. */
int session_fail(const struct session *session, int status, const char *text);

#endif
