/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cutop: what CUDA programs do to the GPU, live. Data flows one way: BPF programs (bpf/) fill a
 * ring buffer and counter maps; the collector (collect/) reads them and feeds the model (model/);
 * printers (print/), metrics/ and view/ get snapshots. This file reads the command line and hands
 * over to a mode.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/batch.h"
#include "doctor/doctor.h"
#include "cli/options.h"
#include "util/rights.h"
#include "app/screen.h"
#include "trace/trace.h"

/* The output of --help and the like must have been written. */
static int printed(int status)
{
	/* If an earlier flush failed, ferror() knows, and errno still has the reason. */
	if ((!fflush(stdout) && !ferror(stdout)) || errno == EPIPE)
		return status;
	warn_unwritten(NULL, NULL, -errno);
	return EXIT_FAILED;
}

/*
 * If a standard descriptor is closed, a map or link would get its number, and be written to. Open
 * something there whose writes fail.
 */
static void descriptors_fill(void)
{
	int fd;

	for (fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
			return;
}

int main(int argc, char **argv)
{
	struct reason why = { "" };
	struct options options;
	int status;

	descriptors_fill();
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C"); /* -d 0.5 means the same everywhere */
	/* Writing to a closed pipe is then an error like others, seen where we write. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* the same for a file that must not grow further */
	/* Our parent may ignore it, which makes waitpid() fail for every child */
	signal(SIGCHLD, SIG_DFL);
	if (rights_lower(&why)) {
		warn_user(NULL, "%s", why.text);
		return EXIT_FAILED;
	}
	if (options_parse(&options, argc, argv, &status) == OPTIONS_EXIT)
		return printed(status);
	if (options.mode == MODE_DOCTOR)
		return doctor_run(&options);
	if (options.mode == MODE_TRACE && options.replay)
		return trace_replay(&options);
	if (options.mode == MODE_TRACE)
		return trace_run(&options);
	return options.batch || options.mode == MODE_RECORD ? batch_run(&options) :
							      screen_run(&options);
}
