/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The demonstration runs a program of several processes on the project's double of the CUDA
 * libraries. They are in a folder of their own, where no loader searches, so that no other program
 * ever runs on the double. The recording lies there, too.
 */
#include "app/demo.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/util.h"

#define CAST_SECONDS "86400"

/* Relative to the folder above bin, installed or unpacked; and relative to a build folder. */
#define BESIDE_BIN "/libexec/cutop/demo"
#define IN_BUILD   "/tests/workloads/bin"

/* The folder above the one that cutop is in, without a slash at its end. */
static int own_prefix(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);

	if (n <= 0)
		return -ENOENT;
	path[n] = 0;
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(path, '/');

		if (slash)
			*slash = 0;
	}
	return 0;
}

/*
 * The demonstration next to this program's own folder comes first, so that an unpacked tarball does
 * not run the workload of an installed version. A hard link to cutop in another folder changes which
 * workload is found; that gives no rights away, since the workload runs with the rights of the user
 * who started cutop, as any COMMAND does. Returns the path of @name, or of @built in a build tree.
 */
static const char *demo_find(struct demo *demo, const char *name, const char *built, int mode)
{
	char prefix[PATH_MAX - 64] = "";
	const struct {
		const char *above, *folder, *name;
	} places[] = {
		{ prefix, BESIDE_BIN, name },
		{ "", DEMO_DIR, name },
		{ prefix, IN_BUILD, built },
	};
	size_t i;

	if (own_prefix(prefix, sizeof(prefix)))
		return NULL;
	for (i = 0; i < ARRAY_LEN(places); i++) {
		snprintf(demo->path, sizeof(demo->path), "%s%s/%s", places[i].above,
			 places[i].folder, places[i].name);
		if (!access(demo->path, mode))
			return demo->path;
	}
	return NULL;
}

char **demo_command(struct demo *demo)
{
	if (!demo_find(demo, "cutop-demo", "workload", X_OK))
		return NULL;
	demo->argv[0] = demo->path;
	demo->argv[1] = (char *)"demo";
	demo->argv[2] = (char *)CAST_SECONDS;
	demo->argv[3] = NULL;
	return demo->argv;
}

const char *demo_recording(struct demo *demo)
{
	return demo_find(demo, "demo.cutop", "demo.cutop", R_OK);
}
