/* SPDX-License-Identifier: GPL-2.0-or-later */
/* COMMAND: a program that is watched from its first instruction on. */
#ifndef COLLECT_COMMAND_H
#define COLLECT_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/util.h"

struct command {
	pid_t pid;
	int go;    /* pipe: writing a byte and closing it lets the child run */
	int error; /* pipe: returns the child's errno if it cannot run the program */
	bool ended;
	int status; /* as wait(2) gives it */
};

/*
 * Finds the program that @argv[0] names, as execvp(3) would, and stores its path
 * in @path (PATH_MAX bytes). Returns 0, -ENOENT or -EACCES with @why set.
 */
int command_find(const char *name, char *path, struct reason *why);

/*
 * Raises our limit of open files, since every target takes some. COMMAND gets the original limit.
 * Returns 0, or -EMFILE with @why set if the limit is too low to start.
 */
int command_files_raise(struct reason *why);

/*
 * The environment that cutop was started with, if ours is no longer the same: the loader removes
 * LD_LIBRARY_PATH and the like for a program with file capabilities (ld.so(8), secure-execution
 * mode), but COMMAND, which has none, needs them. Returns a NULL-ended vector, to be freed with
 * command_environment_free(); NULL: ours is unchanged.
 */
char **command_environment(void);
void command_environment_free(char **environment);

/* The value of @name in @environment, or in ours if that is NULL; NULL: not set. */
const char *command_variable(char **environment, const char *name);

/*
 * Forks a child that waits for command_go() and then runs @argv as user @run_as; NULL: the user who
 * called sudo, if there is one. Its environment is @environment, or ours if that is NULL. It writes
 * to the descriptor @output and has no input; -1: it shares ours. Returns 0 or a negative errno
 * with @why set.
 */
int command_fork(struct command *command, char **argv, char **environment, const char *run_as,
		 int output, struct reason *why);

/* Lets the child run. Returns 0, or the negative errno of starting the program. */
int command_go(struct command *command);

/* Ends a child that was never allowed to run. */
void command_abandon(struct command *command);

/* Reaps the child if it has ended; returns whether it has. */
bool command_reap(struct command *command);

/* The exit status as a shell reports it: its own, or 128 + the signal that ended it. */
int command_exit_status(const struct command *command);

#endif
