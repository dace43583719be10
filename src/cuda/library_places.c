/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The usual places, as patterns for glob(3). A library found here is probed before any program
 * loads it, so that its first call is seen; a library elsewhere is found when it is mapped.
 */
#include "cuda/library_places.h"

#include <stddef.h>

#include "cutop_calls.h"
#include "util/util.h"

static const char *const runtime_patterns[] = {
	/* toolkits */
	"/usr/local/cuda*/lib64/libcudart.so*",
	"/usr/local/cuda*/lib/libcudart.so*",
	"/usr/local/cuda*/targets/*/lib/libcudart.so*",
	"/usr/lib/cuda*/lib64/libcudart.so*",
	"/usr/lib/*-linux-gnu/libcudart.so*",
	"/opt/cuda*/lib64/libcudart.so*",
	"/opt/nvidia/hpc_sdk/*/*/cuda/*/lib64/libcudart.so*",
	/* wheels: nvidia-cuda-runtime; NCCL and NVSHMEM, which have a runtime inside; PyTorch's copy */
	"/usr/lib/python3*/*-packages/nvidia/*/lib/libcudart.so*",
	"/usr/lib/python3*/*-packages/nvidia/*/lib/libn[cv][cs]*.so*",
	"/usr/local/lib/python3*/*-packages/nvidia/*/lib/libcudart.so*",
	"/usr/local/lib/python3*/*-packages/nvidia/*/lib/libn[cv][cs]*.so*",
	"/usr/local/lib/python3*/*-packages/torch/lib/libcudart*.so*",
	"/root/.local/lib/python3*/site-packages/nvidia/*/lib/libcudart.so*",
	"/root/.local/lib/python3*/site-packages/nvidia/*/lib/libn[cv][cs]*.so*",
	"/home/*/.local/lib/python3*/site-packages/nvidia/*/lib/libcudart.so*",
	"/home/*/.local/lib/python3*/site-packages/nvidia/*/lib/libn[cv][cs]*.so*",
	"/home/*/*venv*/lib/python3*/site-packages/nvidia/*/lib/libcudart.so*",
	"/home/*/*venv*/lib/python3*/site-packages/nvidia/*/lib/libn[cv][cs]*.so*",
	/* conda */
	"/opt/*conda*/lib/libcudart.so*",
	"/opt/*conda*/envs/*/lib/libcudart.so*",
	"/opt/*conda*/lib/python3*/site-packages/nvidia/*/lib/libcudart.so*",
	"/opt/*conda*/lib/python3*/site-packages/nvidia/*/lib/libn[cv][cs]*.so*",
	"/root/*conda*/lib/libcudart.so*",
	"/root/*conda*/envs/*/lib/libcudart.so*",
	"/home/*/*conda*/lib/libcudart.so*",
	"/home/*/*conda*/envs/*/lib/libcudart.so*",
	"/home/*/*conda*/envs/*/lib/python3*/site-packages/nvidia/*/lib/libcudart.so*",
	"/home/*/*conda*/envs/*/lib/python3*/site-packages/nvidia/*/lib/libn[cv][cs]*.so*",
};

static const char *const driver_patterns[] = {
	"/usr/lib/*-linux-gnu/libcuda.so.1",
	"/usr/lib/*-linux-gnu/nvidia/current/libcuda.so.1",
	"/usr/lib64/libcuda.so.1",
	"/usr/lib/wsl/lib/libcuda.so.1",
	"/usr/local/nvidia/lib64/libcuda.so.1",
	"/usr/local/cuda*/compat/libcuda.so.1",
	"/run/opengl-driver/lib/libcuda.so.1",
};

void places_visit(unsigned int layers, void (*visit)(void *context, const char *pattern),
		  void *context)
{
	size_t i;

	/*
	 * Look for the runtime in any case: its registration calls name the kernels that the driver
	 * launches.
	 */
	for (i = 0; i < ARRAY_LEN(runtime_patterns); i++)
		visit(context, runtime_patterns[i]);
	for (i = 0; i < ARRAY_LEN(driver_patterns) && layers & 1u << LAYER_DRIVER; i++)
		visit(context, driver_patterns[i]);
}
