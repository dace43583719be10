/* SPDX-License-Identifier: GPL-2.0-or-later */
/* COMMAND: a program started under watch from its first instruction. */
#ifndef COLLECT_COMMAND_H
#define COLLECT_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "util/util.h"

struct command {
	pid_t pid;
	int go;			/* pipe: closing it after a byte lets the child run */
	int error;		/* pipe: the child's errno if it cannot run the program */
	bool ended;
	int status;		/* as wait(2) gives it */
};

/*
 * Finds the program that @argv[0] names, as execvp(3) would, and stores its path
 * in @path (PATH_MAX bytes). Returns 0, -ENOENT or -EACCES with @why set.
 */
int command_find(const char *name, char *path, struct reason *why);

/*
 * Raises our limit of open files, since every target takes some. COMMAND will find it as it was. Returns 0, or -EMFILE with
 * @why set if it is too low to begin.
 */
int command_files_raise(struct reason *why);

/*
 * The environment that cutop was started with, where that is not ours any more: of a program with file
 * capabilities the loader takes out LD_LIBRARY_PATH and its like (ld.so(8), secure-execution mode), and
 * COMMAND, which has none, is to find them. Returns a NULL-ended vector, which
 * command_environment_free() frees; NULL: ours is as it was.
 */
char **command_environment(void);
void command_environment_free(char **environment);

/* The value of @name in @environment, or in ours for NULL; NULL: it is not set. */
const char *command_variable(char **environment, const char *name);

/* The home folder that COMMAND, run as @run_as, will find in HOME; NULL: none. Good until a user is next looked up. */
const char *command_home(const char *run_as, char **environment);

/*
 * Forks a child that waits for command_go() and then runs @argv as user
 * @run_as; NULL: as the user who called sudo, if it was sudo. Its environment is @environment, or ours for NULL.
 * It writes to the descriptor @output and reads nothing; -1: it shares ours. Returns 0 or a
 * negative errno with @why set.
 */
int command_fork(struct command *command, char **argv, char **environment, const char *run_as, int output,
		 struct reason *why);

/* Lets the child run. Returns 0, or the negative errno with which the program could not be started. */
int command_go(struct command *command);

/* Ends a child that was never let go. */
void command_abandon(struct command *command);

/* Reaps the child if it has ended; true once it has. */
bool command_reap(struct command *command);

/* The exit status a shell would give: its own, or 128 + the signal that ended it. */
int command_exit_status(const struct command *command);

#endif
