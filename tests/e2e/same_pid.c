// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * same_pid PROGRAM ARGUMENT...: runs the program once per argument, one after the other, each time
 * as the process of the same number, and prints it. 77: the kernel does not let it choose
 * (clone3(2), set_tid: CAP_CHECKPOINT_RESTORE).
 */
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t fork_as(pid_t *number)
{
	struct clone_args arguments = {
		.exit_signal = SIGCHLD,
		.set_tid = *number ? (unsigned long)number : 0,
		.set_tid_size = *number ? 1 : 0,
	};

	return (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));
}

int main(int argc, char **argv)
{
	pid_t number = 0, child;
	int i, status;

	for (i = 2; i < argc; i++) {
		/* Somebody else may have it for a moment. */
		do
			child = fork_as(&number);
		while (child < 0 && errno == EEXIST && !usleep(1000));
		if (child < 0)
			return 77;
		if (!child) {
			execl(argv[1], argv[1], "-k", "pairs", argv[i], "100", (char *)NULL);
			_exit(127);
		}
		number = child;
		if (waitpid(child, &status, 0) != child || status)
			return 1;
	}
	printf("%d\n", (int)number);
	return 0;
}
