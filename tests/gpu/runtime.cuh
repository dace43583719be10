// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the sample programs for the CUDA runtime share. Each begins with
 * begin("its name") and ends with return counts_print(). CHECK is for a call
 * that must succeed, FAILS for one that must fail; whatever error it gives is
 * counted under its name.
 */
#pragma once
#include <cuda_runtime.h>

#include "counts.h"

#define CHECK(call) check(call, #call)
#define FAILS(function, ...) fails(function(__VA_ARGS__), #function)

static inline void check(cudaError_t err, const char *what)
{
	if (err == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorName(err));
	// The call's text goes into JSON, so without its arguments.
	snprintf(counts.error, sizeof(counts.error), "%.*s: %s", (int)strcspn(what, "("), what, cudaGetErrorName(err));
	exit(counts_print());
}

static inline void fails(cudaError_t err, const char *function)
{
	if (err) {
		count_failure(function, cudaGetErrorName(err));
		return;
	}
	snprintf(counts.error, sizeof(counts.error), "%s succeeded, and should not have", function);
	exit(counts_print());
}

/* Without a device every call fails. Makes some, so that cutop has something to show. */
static inline void begin(const char *program)
{
	cudaStream_t stream;
	cudaError_t err;
	int devices = 0;
	void *p;

	counts.program = program;
	counts.layer = "runtime";
	err = cudaGetDeviceCount(&devices);
	if (!err && devices)
		return;
	snprintf(counts.no_device, sizeof(counts.no_device), "cudaGetDeviceCount: %s", err ? cudaGetErrorName(err) : "no device");
	if (err)
		count_failure("cudaGetDeviceCount", cudaGetErrorName(err));
	for (int i = 0; i < 3; i++)
		if ((err = cudaMalloc(&p, 4096)))
			count_failure("cudaMalloc", cudaGetErrorName(err));
	if ((err = cudaStreamCreate(&stream)))
		count_failure("cudaStreamCreate", cudaGetErrorName(err));
	if ((err = cudaDeviceSynchronize()))
		count_failure("cudaDeviceSynchronize", cudaGetErrorName(err));
	exit(counts_print());
}

template <typename T> static T *device_alloc(size_t count)
{
	T *p;

	CHECK(cudaMalloc(&p, count * sizeof(T)));
	count_alloc(count * sizeof(T));
	return p;
}

template <typename T> static void device_free(T *p, size_t count)
{
	CHECK(cudaFree(p));
	count_free(count * sizeof(T));
}

template <typename T> static void copy_in(T *device, const T *host, size_t count)
{
	CHECK(cudaMemcpy(device, host, count * sizeof(T), cudaMemcpyHostToDevice));
	count_copy("H2D", count * sizeof(T));
}

template <typename T> static void copy_out(T *host, const T *device, size_t count)
{
	CHECK(cudaMemcpy(host, device, count * sizeof(T), cudaMemcpyDeviceToHost));
	count_copy("D2H", count * sizeof(T));
}
