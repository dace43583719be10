/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The child is forked first, so that its pid can be listed for watching and its libraries probed
 * before it runs anything. It stays in our process group: it keeps the terminal, and Ctrl-C reaches
 * it directly.
 */
#include "collect/command.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/starter.h"

static bool is_program(const char *path, int *error)
{
	struct stat st;

	if (stat(path, &st)) {
		if (errno != ENOENT && errno != ENOTDIR)
			*error = -EACCES;
		return false;
	}
	if (!S_ISREG(st.st_mode) || access(path, X_OK)) {
		*error = -EACCES;
		return false;
	}
	return true;
}

int command_find(const char *name, char *path, struct reason *why)
{
	const char *list = getenv("PATH");
	int error = -ENOENT;
	size_t len;

	if (!*name)
		goto out;
	if (strchr(name, '/')) {
		snprintf(path, PATH_MAX, "%s", name);
		if (is_program(path, &error))
			return 0;
		goto out;
	}
	if (!list)
		list = "/usr/local/bin:/usr/bin:/bin";
	for (;; list += len + 1) {
		len = strcspn(list, ":");
		if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)len, list, len ? "/" : "./", name) <
			    PATH_MAX &&
		    is_program(path, &error))
			return 0;
		if (!list[len])
			break;
	}
out:
	return reason_set(why, error,
			  error == -EACCES ? "%s: cannot be executed" : "%s: command not found",
			  name);
}

/* The user to run COMMAND as. NULL: the present user. */
static struct passwd *command_user(const char *run_as)
{
	const char *caller = getenv("SUDO_UID");
	struct passwd *entry;
	char *end;

	if (run_as) {
		entry = getpwnam(run_as);
		return entry ? entry : getpwuid((uid_t)strtoul(run_as, NULL, 10));
	}
	if (!caller || geteuid())
		return NULL;
	entry = getpwuid((uid_t)strtoul(caller, &end, 10));
	return *end || !entry || !entry->pw_uid ? NULL : entry;
}

static int become(const struct passwd *user)
{
	if (!user)
		return 0;
	if (initgroups(user->pw_name, user->pw_gid) || setgid(user->pw_gid) || setuid(user->pw_uid))
		return -errno;
	/* sudo has set root's home; the program expects its user's */
	setenv("HOME", user->pw_dir, 1);
	setenv("USER", user->pw_name, 1);
	setenv("LOGNAME", user->pw_name, 1);
	setenv("SHELL", user->pw_shell, 1);
	return 0;
}

/* The program writes to @output, and its input is empty: the terminal belongs to the screen. */
static void output_set(int output)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
}

#define ENVIRONMENT_MAX (4u << 20)

char **command_environment(void)
{
	size_t len, count = 1, at;
	char *text, **list;

	if (!starter_has_less())
		return NULL;
	text = file_read("/proc/self/environ", ENVIRONMENT_MAX, &len);
	if (!text)
		return NULL;
	/* Words each ended by NUL; file_read() ended the last. */
	for (at = 0; at < len; at += strlen(text + at) + 1)
		count++;
	list = calloc(count + 1, sizeof(*list));
	if (!list) {
		free(text);
		return NULL;
	}
	list[0] = text; /* stored first in the block, for command_environment_free() */
	for (at = 0, count = 1; at < len; at += strlen(text + at) + 1)
		list[count++] = text + at;
	return list + 1;
}

void command_environment_free(char **environment)
{
	if (!environment)
		return;
	free(environment[-1]);
	free(environment - 1);
}

const char *command_variable(char **environment, const char *name)
{
	size_t len = strlen(name);

	for (environment = environment ? environment : environ; *environment; environment++)
		if (!strncmp(*environment, name, len) && (*environment)[len] == '=')
			return *environment + len + 1;
	return NULL;
}

static struct rlimit files_limit; /* the limit as we found it; both 0: it was not changed */

/* Maps and programs take about 60 descriptors, a library about 15, and there are at least two. */
#define FILES_MIN 128

int command_files_raise(struct reason *why)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	if (limit.rlim_max < FILES_MIN)
		return reason_set(
			why, -EMFILE,
			"the limit of open files is %llu; cutop needs %d at least (ulimit -n)",
			(unsigned long long)limit.rlim_max, FILES_MIN);
	if (limit.rlim_cur == limit.rlim_max)
		return 0;
	files_limit = limit;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		files_limit = (struct rlimit){ 0 };
	return 0;
}

static void child_run(char **argv, char **environment, const struct passwd *user, int go, int error,
		      int output)
{
	sigset_t none;
	char byte;
	int err;

	/* Undo what cutop has blocked or ignored. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (files_limit.rlim_max)
		setrlimit(RLIMIT_NOFILE, &files_limit);
	if (output >= 0)
		output_set(output);
	if (read(go, &byte, 1) != 1)
		_exit(127);
	if (environment)
		environ = environment;
	err = become(user);
	if (!err) {
		execvp(argv[0], argv);
		err = -errno;
	}
	if (write(error, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

int command_fork(struct command *command, char **argv, char **environment, const char *run_as,
		 int output, struct reason *why)
{
	const struct passwd *user = command_user(run_as);
	int go[2], error[2];

	memset(command, 0, sizeof(*command));
	if (run_as && !user)
		return reason_set(why, -ENOENT, "there is no user '%s'", run_as);
	if (pipe2(go, O_CLOEXEC))
		return reason_set(why, -errno, "pipe: %s", strerror(errno));
	if (pipe2(error, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return reason_set(why, -errno, "pipe: %s", strerror(errno));
	}
	command->pid = fork();
	if (!command->pid) {
		close(go[1]);
		child_run(argv, environment, user, go[0], error[1], output);
	}
	close(go[0]);
	close(error[1]);
	command->go = go[1];
	command->error = error[0];
	if (command->pid < 0) {
		close(go[1]);
		close(error[0]);
		return reason_set(why, -errno, "fork: %s", strerror(errno));
	}
	return 0;
}

int command_go(struct command *command)
{
	int err = 0;
	ssize_t n;

	/* The child's end of this pipe closes when exec succeeds. */
	if (write(command->go, "", 1) != 1)
		err = -errno;
	close(command->go);
	do {
		n = read(command->error, &err, sizeof(err));
	} while (n < 0 && errno == EINTR);
	close(command->error);
	return n == sizeof(err) ? err : 0;
}

void command_abandon(struct command *command)
{
	close(command->go);
	close(command->error);
	while (waitpid(command->pid, NULL, 0) < 0 && errno == EINTR)
		;
	command->ended = true;
}

bool command_reap(struct command *command)
{
	if (!command->ended && waitpid(command->pid, &command->status, WNOHANG) == command->pid)
		command->ended = true;
	return command->ended;
}

int command_exit_status(const struct command *command)
{
	if (WIFSIGNALED(command->status))
		return 128 + WTERMSIG(command->status);
	return WEXITSTATUS(command->status);
}
