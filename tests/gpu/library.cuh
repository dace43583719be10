// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the sample programs for NVIDIA's libraries share. The library is one that the machine has:
 * CUTOP_GPU_LIBRARY names its file. Which kernels it launches is its own business, so such a program
 * says only how many there are at least.
 */
#pragma once
#include <dlfcn.h>

#include "runtime.cuh"

/* Ends the program as one without a device: there is nothing to be compared. */
static inline void library_missing(const char *why)
{
	snprintf(counts.no_device, sizeof(counts.no_device), "%s", why);
	exit(counts_print());
}

static inline void *library_open()
{
	const char *path = getenv("CUTOP_GPU_LIBRARY");
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;

	if (!library) {
		fprintf(stderr, "%s\n", path ? dlerror() : "CUTOP_GPU_LIBRARY names no library");
		library_missing("the library cannot be loaded");
	}
	return library;
}

template <typename F> static F library_function(void *library, const char *name)
{
	F function = (F)dlsym(library, name);

	if (!function) {
		fprintf(stderr, "%s\n", dlerror());
		library_missing("the library lacks a function");
	}
	return function;
}

/* @status of a function of the library; 0 is success in all of them. */
static inline void library_check(int status, const char *name)
{
	if (!status)
		return;
	snprintf(counts.error, sizeof(counts.error), "%s: status %d", name, status);
	exit(counts_print());
}

/* The same of the first function. The double of CUDA is no driver for the real library. */
static inline void library_begin(int status, const char *name)
{
	if (status && on_double()) {
		fprintf(stderr, "%s: status %d\n", name, status);
		library_missing("the library cannot begin on the double");
	}
	library_check(status, name);
}
