/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Installed packages are in site-packages or dist-packages, Python's own library in lib/pythonX.Y.
 * Programs may be installed, too, so frameworks that CUDA programs build on are listed by name.
 */
#include "names/python_paths.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char *const frameworks[] = {
	"accelerate", "apex",       "bitsandbytes", "cuda",       "cudf",
	"cugraph",    "cuml",       "cupy",         "cupyx",      "cupy_backends",
	"cuvs",       "deepspeed",  "fastrlock",    "flash_attn", "flax",
	"jax",        "jaxlib",     "keras",        "lightning",  "lightning_fabric",
	"numba",      "numba_cuda", "numpy",        "nvidia",     "optax",
	"pandas",     "pycuda",     "pylibraft",    "pytools",    "pytorch_lightning",
	"raft_dask",  "rmm",        "scipy",        "skcuda",     "tensorflow",
	"tensorrt",   "tinygrad",   "torch",        "torchaudio", "torchvision",
	"triton",     "xformers",   NULL,
};

/* The part of @path after a component named @name; NULL: it has none. */
static const char *behind(const char *path, const char *name)
{
	size_t len = strlen(name);
	const char *at;

	for (at = path; (at = strstr(at, name)); at += len)
		if ((at == path || at[-1] == '/') && at[len] == '/')
			return at + len + 1;
	return NULL;
}

/* True if @path contains "lib/python3.11/" or "lib64/python3.11/". */
static bool in_own_library(const char *path)
{
	const char *at, *rest;

	for (at = path; (at = strstr(at, "/python")); at++) {
		rest = at + strlen("/python");
		rest += strspn(rest, "0123456789.");
		if (rest > at + strlen("/python") && *rest == '/' &&
		    ((at - path >= 4 && !strncmp(at - 4, "/lib", 4)) ||
		     (at - path >= 6 && !strncmp(at - 6, "/lib64", 6))))
			return true;
	}
	return false;
}

static bool is_framework(const char *package)
{
	size_t len = strcspn(package, "/"), i;

	/* A module of one file. */
	if (!package[len] && len > 3 && !strcmp(package + len - 3, ".py"))
		len -= 3;
	for (i = 0; frameworks[i]; i++)
		if (strlen(frameworks[i]) == len && !strncmp(frameworks[i], package, len))
			return true;
	return false;
}

enum python_owner python_owner(const char *path, const char *const *skip)
{
	const char *package;

	for (; skip && *skip; skip++)
		if (!fnmatch(*skip, path, 0))
			return PYTHON_FRAMEWORK;
	/* A module of Python's own library, built in. */
	if (!strncmp(path, "<frozen ", strlen("<frozen ")))
		return PYTHON_FRAMEWORK;
	package = behind(path, "site-packages");
	if (!package)
		package = behind(path, "dist-packages");
	if (package)
		return is_framework(package) ? PYTHON_FRAMEWORK : PYTHON_PACKAGE;
	return in_own_library(path) ? PYTHON_FRAMEWORK : PYTHON_PROGRAM;
}
