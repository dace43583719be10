/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * It need not be perfect: a library found by mistake gets a probe that never fires, and one that is
 * missed is found when the program maps it.
 */
#include "probe/ahead.h"

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/closure.h"
#include "util/util.h"

struct ahead {
	void (*visit)(void *context, const char *path);
	void *context;
	unsigned int globbed;
};

/* Visits CUDA's libraries in the folder @pattern. NCCL and NVSHMEM have a runtime inside. */
static void folder_visit(struct ahead *ahead, const char *pattern)
{
	static const char *const names[] = { "libcudart*.so*", "libcuda.so*", "libnccl.so*",
					     "libnvshmem_host.so*" };
	char path[4096];
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		glob_t found;

		if (snprintf(path, sizeof(path), "%s/%s", pattern, names[i]) >= (int)sizeof(path) ||
		    glob(path, GLOB_NOSORT, NULL, &found))
			continue;
		for (j = 0; j < found.gl_pathc && ahead->globbed < AHEAD_GLOBBED_MAX;
		     j++, ahead->globbed++)
			ahead->visit(ahead->context, found.gl_pathv[j]);
		globfree(&found);
	}
}

/* A program may load what lies there although it needs none of it: by dlopen(3), or ctypes. */
static void library_path_visit(struct ahead *ahead, const char *list)
{
	char path[4096];
	size_t len;

	for (; list && *list; list += len + (list[len] == ':')) {
		len = strcspn(list, ":");
		if (len && snprintf(path, sizeof(path), "%.*s", (int)len, list) < (int)sizeof(path))
			folder_visit(ahead, path);
	}
}

/* conda's libraries and NVIDIA's and PyTorch's wheels, of the Python at @program. */
static void packages_visit(struct ahead *ahead, const char *program)
{
	static const char *const folders[] = { "lib", "lib/python3*/site-packages/nvidia/*/lib",
					       "lib/python3*/site-packages/torch/lib" };
	char prefix[4096], path[4096], *slash;
	size_t i;

	/* PREFIX/bin/python3 */
	snprintf(prefix, sizeof(prefix), "%s", program);
	for (i = 0; i < 2; i++) {
		slash = strrchr(prefix, '/');
		if (!slash)
			return;
		*slash = 0;
	}
	for (i = 0; i < ARRAY_LEN(folders); i++)
		if (snprintf(path, sizeof(path), "%s/%s", prefix, folders[i]) < (int)sizeof(path))
			folder_visit(ahead, path);
}

static bool is_python(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strncmp(name, "python", strlen("python")) &&
	       !name[strlen("python") + strspn(name + strlen("python"), "0123456789.")];
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && file_is_open_to(path, X_OK);
}

/* Finds @name as its process will. Returns false if it is not found. */
static bool program_find(const char *name, const char *list, char path[4096])
{
	size_t len;

	if (strchr(name, '/'))
		return snprintf(path, 4096, "%s", name) < 4096 && is_program(path);
	for (list = list ? list : "/usr/local/bin:/usr/bin:/bin";; list += len + 1) {
		len = strcspn(list, ":");
		if (snprintf(path, 4096, "%.*s%s%s", (int)len, list, len ? "/" : "./", name) <
			    4096 &&
		    is_program(path))
			return true;
		if (!list[len])
			return false;
	}
}

void ahead_visit(const char *name, const struct ahead_start *start,
		 void (*visit)(void *context, const char *path), void *context)
{
	const struct closure_settings settings = { .library_path = start->library_path,
						   .preload = start->preload };
	struct ahead ahead = { .visit = visit, .context = context };
	char path[4096], real[4096];

	if (!program_find(name, start->path, path))
		return;
	closure_visit(path, &settings, visit, context);
	library_path_visit(&ahead, start->library_path);
	if (!is_python(path))
		return;
	/*
	 * Both as it is called and as the file that it leads to: in a virtual environment it is a
	 * link, and the folder of the link counts.
	 */
	packages_visit(&ahead, path);
	if (realpath(path, real) && strcmp(path, real))
		packages_visit(&ahead, real);
}
