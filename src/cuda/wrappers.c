/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CUDA's header has the typed cudaMalloc(&pointer, bytes) and its like, which are inline functions;
 * thrust, cub and others allocate in templates. A compiler puts all of them into the function that
 * uses them, which is the one to name.
 */
#include "cuda/wrappers.h"

#include <fnmatch.h>
#include <stddef.h>

#include "util/util.h"

bool wrapper_is_file(const char *path)
{
	static const char *const globs[] = {
		"*/cuda_runtime.h",     /* CUDA 13.0: the templates of C++ */
		"*/cuda_runtime_api.h", /* with --default-stream per-thread */
		"*/cooperative_groups*",
		"*/thrust/*",
		"*/cub/*",
		"*/rmm/*",
		"*/c10/*",
		"*/ATen/*",
		"*/cuda/std/*",
		"*/libcudacxx/*",
		/* Allocators of the standard library's containers */
		"*/include/c++/*",
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(globs); i++)
		if (!fnmatch(globs[i], path, 0))
			return true;
	return false;
}
