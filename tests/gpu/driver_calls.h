/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the sample programs for the driver API share. libcuda.so.1 is opened
 * while they run, so that they start and can say so where it is missing.
 * CALL(cuMemAlloc, ...) calls a function that must succeed.
 */
#pragma once
#include <cuda.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#include "counts.h"

/* cuda.h defines cuMemAlloc as cuMemAlloc_v2: the name is expanded first. */
#define NAME_OF_EXPANDED(function) #function
#define NAME_OF(function)          NAME_OF_EXPANDED(function)
#define FUNCTION(function)         ((__typeof__(&function))function_find(NAME_OF(function)))
#define CALL(function, ...)        check(FUNCTION(function)(__VA_ARGS__), NAME_OF(function))
#define FAILS(function, ...)       fails(FUNCTION(function)(__VA_ARGS__), NAME_OF(function))

extern const char driver_ptx[];
static void *driver_library;

static inline void quit(const char *what, const char *why)
{
	snprintf(counts.error, sizeof(counts.error), "%s: %s", what, why);
	fprintf(stderr, "%s\n", counts.error);
	exit(counts_print());
}

static inline void *function_find(const char *name)
{
	void *function = dlsym(driver_library, name);

	if (!function)
		quit(name, "the driver does not have it");
	return function;
}

static inline const char *error_name(CUresult err)
{
	const char *name = NULL;

	FUNCTION(cuGetErrorName)(err, &name);
	return name ? name : "unknown error";
}

static inline void check(CUresult err, const char *what)
{
	if (err)
		quit(what, error_name(err));
}

static inline void fails(CUresult err, const char *what)
{
	if (!err)
		quit(what, "succeeded, and should not have");
	count_failure(what, error_name(err));
}

/*
 * Opens the driver and makes the device's primary context current. Makes failing calls where there
 * is no device.
 */
static inline CUdevice begin(const char *program)
{
	CUcontext context;
	CUdevice device;
	CUdeviceptr p;
	CUresult err;

	counts.program = program;
	counts.layer = "driver";
	driver_library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!driver_library) {
		snprintf(counts.no_device, sizeof(counts.no_device), "no libcuda.so.1");
		exit(counts_print());
	}
	err = FUNCTION(cuInit)(0);
	if (err) {
		snprintf(counts.no_device, sizeof(counts.no_device), "cuInit: %s", error_name(err));
		count_failure("cuInit", error_name(err));
		for (int i = 0; i < 3; i++)
			FAILS(cuMemAlloc, &p, 4096);
		exit(counts_print());
	}
	CALL(cuDeviceGet, &device, 0);
	CALL(cuDevicePrimaryCtxRetain, &context, device);
	CALL(cuCtxSetCurrent, context);
	return device;
}

static inline CUfunction kernel_find(CUmodule module, const char *name)
{
	CUfunction kernel;

	CALL(cuModuleGetFunction, &kernel, module, name);
	return kernel;
}
