/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The usual places, as patterns for glob(3). A library found here is probed
 * before anybody loads it, so that its first call is seen; one that lies
 * elsewhere is caught when it is mapped.
 */
#include "probe/places.h"

#include <glob.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/util.h"

static const char *const patterns[] = {
	/* toolkits */
	"/usr/local/cuda*/lib64/libcudart.so*",
	"/usr/local/cuda*/lib/libcudart.so*",
	"/usr/local/cuda*/targets/*/lib/libcudart.so*",
	"/usr/lib/cuda*/lib64/libcudart.so*",
	"/usr/lib/*-linux-gnu/libcudart.so*",
	"/opt/cuda*/lib64/libcudart.so*",
	"/opt/nvidia/hpc_sdk/*/*/cuda/*/lib64/libcudart.so*",
	/* wheels: nvidia-cuda-runtime, PyTorch's own copy */
	"/usr/lib/python3*/*-packages/nvidia/*/lib/libcudart.so*",
	"/usr/local/lib/python3*/*-packages/nvidia/*/lib/libcudart.so*",
	"/usr/local/lib/python3*/*-packages/torch/lib/libcudart*.so*",
	"/root/.local/lib/python3*/site-packages/nvidia/*/lib/libcudart.so*",
	"/home/*/.local/lib/python3*/site-packages/nvidia/*/lib/libcudart.so*",
	"/home/*/*venv*/lib/python3*/site-packages/nvidia/*/lib/libcudart.so*",
	/* conda */
	"/opt/*conda*/lib/libcudart.so*",
	"/opt/*conda*/envs/*/lib/libcudart.so*",
	"/opt/*conda*/lib/python3*/site-packages/nvidia/*/lib/libcudart.so*",
	"/root/*conda*/lib/libcudart.so*",
	"/root/*conda*/envs/*/lib/libcudart.so*",
	"/home/*/*conda*/lib/libcudart.so*",
	"/home/*/*conda*/envs/*/lib/libcudart.so*",
	"/home/*/*conda*/envs/*/lib/python3*/site-packages/nvidia/*/lib/libcudart.so*",
};

void places_visit(void (*visit)(void *context, const char *path), void *context)
{
	glob_t found = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_LEN(patterns); i++)
		glob(patterns[i], GLOB_NOSORT | (i ? GLOB_APPEND : 0), NULL, &found);
	for (i = 0; i < found.gl_pathc; i++)
		visit(context, found.gl_pathv[i]);
	globfree(&found);
}
