/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cast of `cutop demo`: one process starts the others and waits. A trainer
 * that is healthy, an inference server on another device, a Python program that
 * leaks, a leaker in C, a copier, one whose calls fail, and every five seconds
 * one that lives a few milliseconds. All end with the first, however it ends.
 */
#include <dlfcn.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

/* Becomes a process that ends with its parent; true in the new one. */
static bool forked(void)
{
	pid_t parent = getpid();

	if (fork())
		return false;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	return true;
}

/*
 * train.py lies beside this program; where there is no Python, it is left out. It gets the same
 * library, which no loader would find.
 */
static void start_python(const char *seconds)
{
	char folder[PATH_MAX];
	Dl_info info;
	ssize_t len;
	char *slash;

	if (!forked())
		return;
	len = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	folder[len > 0 ? len : 0] = 0;
	slash = strrchr(folder, '/');
	if (!slash || !dladdr((void *)(uintptr_t)cudaGetDeviceCount, &info))
		_exit(127);
	*slash = 0;
	/* Its command line is "python3 train.py ...". */
	setenv("CUDA_DOUBLE_KERNEL_TIME", "0", 1);
	if (!chdir(folder) && !access("train.py", R_OK))
		execlp("python3", "python3", "train.py", seconds, info.dli_fname, (char *)NULL);
	_exit(127);
}

/* Starts @subcommand under the name that a monitor will show, so it goes by the environment. */
static void start(const char *title, const char *subcommand, const char *seconds,
		  const char *kernel_time)
{
	if (!forked())
		return;
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
	setenv("CUDA_DOUBLE_DEVICES", "2", 0);
	start("./trainer", "network", seconds, "60us");
	start("./inference", "server", seconds, "25us");
	start_python(seconds);
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
