/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cast of `cutop demo`: one process starts the others and waits. A trainer
 * that is healthy, an inference server, a leaker, a copier, one whose calls
 * fail, and every five seconds one that lives a few milliseconds. All end
 * with the first, however it ends.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

/* Starts @subcommand under the name that a monitor will show, so it goes by the environment. */
static void start(const char *title, const char *subcommand, const char *seconds,
		  const char *kernel_time)
{
	pid_t parent = getpid();

	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	setenv("CUDA_DOUBLE_KERNEL_TIME", kernel_time, 1);
	setenv("WORKLOAD_SUBCOMMAND", subcommand, 1);
	setenv("WORKLOAD_SECONDS", seconds, 1);
	execl("/proc/self/exe", title, (char *)NULL);
	_exit(127);
}

int demo(void)
{
	char seconds[32];
	double end;
	long lasts = number(0, 3600);

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever started the play ended: so does it */
	snprintf(seconds, sizeof(seconds), "%ld", lasts);
	setenv("CUDA_DOUBLE_COPY_BANDWIDTH", "12G", 0);
	end = seconds_now() + (double)lasts;
	start("./trainer", "trainer", seconds, "60us");
	start("./inference", "loop", seconds, "25us");
	start("./leaker", "leaker", seconds, "5us");
	start("./copier", "copier", seconds, "0");
	start("./failing", "failing", seconds, "0");
	while (seconds_now() < end) {
		start("./short", "short", "0", "0");
		pause_us(5000000);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
