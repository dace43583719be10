/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The demonstration runs a program of several processes on the project's double of the CUDA
 * libraries. Both are in a folder of their own, where no loader searches, so that no other program
 * ever runs on the double.
 */
#include "app/demo.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CAST_SECONDS "86400"

char **demo_command(struct demo *demo)
{
	char self[PATH_MAX - 64], *slash;
	ssize_t n;

	snprintf(demo->path, sizeof(demo->path), "%s", DEMO_DIR "/cutop-demo");
	if (access(demo->path, X_OK)) {
		n = readlink("/proc/self/exe", self, sizeof(self) - 1);
		if (n <= 0)
			return NULL;
		self[n] = 0;
		slash = strrchr(self, '/');
		if (slash)
			*slash = 0;
		snprintf(demo->path, sizeof(demo->path), "%s/../tests/workloads/bin/workload",
			 self);
		if (access(demo->path, X_OK))
			return NULL;
	}
	demo->argv[0] = demo->path;
	demo->argv[1] = (char *)"demo";
	demo->argv[2] = (char *)CAST_SECONDS;
	demo->argv[3] = NULL;
	return demo->argv;
}
