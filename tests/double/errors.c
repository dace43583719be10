// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Error state: each thread has a last error, and the process may have a
 * sticky one, which every call returns from then on: "To continue using CUDA,
 * the process must be terminated and relaunched" (driver_types.h of CUDA 13.0,
 * cudaErrorIllegalAddress and others). With CUDA_DOUBLE_HEAL in the environment
 * a reset of the device ends it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "runtime.h"

_Thread_local cudaError_t rt_last_error;
static atomic_int sticky;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, rt_clear_sticky);
}

cudaError_t rt_fail(cudaError_t error)
{
	if (error == cudaErrorNotReady)
		return error;
	rt_last_error = error;
	if (dbl_is_sticky((int)error)) {
		/*
		 * In a child the driver starts afresh (driver_forked()), so the error is not the
		 * child's.
		 */
		pthread_once(&once, watch_forks);
		atomic_store(&sticky, (int)error);
		atomic_fetch_or(&dbl_attention, DBL_STICKY);
	}
	return error;
}

void rt_clear_sticky(void)
{
	atomic_store(&sticky, 0);
	atomic_fetch_and(&dbl_attention, ~DBL_STICKY);
}

/* The slow half of ENTER. */
cudaError_t rt_attention(const char *function)
{
	int code = dbl_scripted(function);

	if (atomic_load(&sticky) &&
	    !(getenv("CUDA_DOUBLE_HEAL") && !strcmp(function, "cudaDeviceReset")))
		return (cudaError_t)atomic_load(&sticky);
	return (cudaError_t)code;
}

API cudaError_t cudaGetLastError(void)
{
	cudaError_t error = rt_last_error;

	KEEP_FRAME();
	if (unlikely(atomic_load_explicit(&dbl_attention, memory_order_relaxed)))
		dbl_scripted(__func__);
	rt_last_error = (cudaError_t)atomic_load_explicit(&sticky, memory_order_relaxed);
	return error;
}

API cudaError_t cudaPeekAtLastError(void)
{
	KEEP_FRAME();
	return rt_last_error;
}

API const char *cudaGetErrorName(cudaError_t error)
{
	const char *name = dbl_error_name((int)error, false);

	KEEP_FRAME();
	return name ? name : "unrecognized error code";
}

API const char *cudaGetErrorString(cudaError_t error)
{
	const char *text = dbl_error_text((int)error, false);

	KEEP_FRAME();
	return text ? text : "unrecognized error code";
}
