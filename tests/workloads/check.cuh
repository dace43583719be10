// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shared by the CUDA C++ workloads: a call that must succeed.  Results are
 * not looked at, since on the double kernels compute nothing.
 */
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call) \
	do { \
		cudaError_t err_ = (call); \
		if (err_ != cudaSuccess) { \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorName(err_)); \
			exit(1); \
		} \
	} while (0)
