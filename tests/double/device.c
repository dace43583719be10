// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Devices, and the lazy start: the first call that needs the driver
 * initialises it, takes the device's primary context and makes it current.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime.h"

#define MAX_DEVICES 16

_Thread_local bool rt_thread_ready;
_Thread_local int rt_device;

static CUcontext primary[MAX_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int num_devices = -1;

static cudaError_t start(void)
{
	int count = 0;
	CUresult err;

	if (atomic_load(&num_devices) > 0)
		return cudaSuccess;
	err = cuInit(0);
	if (!err)
		err = cuDeviceGetCount(&count);
	if (!err)
		atomic_store(&num_devices, count);
	return (cudaError_t)err;
}

/*
 * How NVIDIA's runtime takes its reference is not documented. With CUDA_DOUBLE_PRIVATE_RETAIN in
 * the environment it is by a call that no symbol leads to.
 */
static void retain(int device)
{
	const struct dbl_export_table *exports;
	CUuuid id;

	memcpy(&id, DBL_EXPORT_TABLE_ID, sizeof(id));
	if (getenv("CUDA_DOUBLE_PRIVATE_RETAIN") && !cuGetExportTable((const void **)&exports, &id))
		exports->retain_primary(&primary[device], device);
	else
		cuDevicePrimaryCtxRetain(&primary[device], device);
}

CUcontext rt_context(int device)
{
	CUcontext ctx;

	pthread_mutex_lock(&lock);
	if (!primary[device])
		retain(device);
	ctx = primary[device];
	pthread_mutex_unlock(&lock);
	return ctx;
}

/*
 * NVIDIA's runtime gives its contexts back after the driver has shut down; this one only if the
 * driver does.
 */
__attribute__((destructor)) static void give_back(void)
{
	for (int device = 0; getenv("CUDA_DOUBLE_EXIT") && device < MAX_DEVICES; device++)
		if (primary[device])
			cuDevicePrimaryCtxRelease(device);
}

cudaError_t rt_prepare(void)
{
	cudaError_t err = start();
	CUcontext ctx;

	if (err)
		return err;
	ctx = rt_context(rt_device);
	if (!ctx || cuCtxSetCurrent(ctx))
		return cudaErrorInitializationError;
	rt_thread_ready = true;
	rt_managed_init();
	return cudaSuccess;
}

API cudaError_t cudaGetDeviceCount(int *count)
{
	cudaError_t err;

	SCRIPTED();
	if (!count)
		return rt_fail(cudaErrorInvalidValue);
	err = start();
	*count = err ? 0 : atomic_load(&num_devices);
	return err ? rt_fail(err) : cudaSuccess;
}

API cudaError_t cudaSetDevice(int device)
{
	cudaError_t err;

	SCRIPTED();
	err = start();
	if (err)
		return rt_fail(err);
	if (device < 0 || device >= atomic_load(&num_devices))
		return rt_fail(cudaErrorInvalidDevice);
	err = rt_done(cuCtxSetCurrent(rt_context(device)));
	if (err)
		return err;
	rt_device = device;
	rt_thread_ready = true;
	return cudaSuccess;
}

API cudaError_t cudaGetDevice(int *device)
{
	cudaError_t err;

	SCRIPTED();
	err = start();
	if (err)
		return rt_fail(err);
	if (!device)
		return rt_fail(cudaErrorInvalidValue);
	*device = rt_device;
	return cudaSuccess;
}

/*
 * cuda_runtime_api.h: "If a non-primary CUcontext is current to the thread, cudaDeviceReset() will
 * destroy only the internal CUDA RT state for that CUcontext."
 */
static bool in_own_context(void)
{
	CUcontext current = NULL;
	bool own;
	int i;

	if (cuCtxGetCurrent(&current) || !current)
		return false;
	pthread_mutex_lock(&lock);
	for (i = 0, own = true; i < MAX_DEVICES; i++)
		own &= primary[i] != current;
	pthread_mutex_unlock(&lock);
	return own;
}

API cudaError_t cudaDeviceReset(void)
{
	cudaError_t err;

	SCRIPTED();
	err = start();
	if (err)
		return rt_fail(err);
	rt_clear_sticky();
	rt_last_error = cudaSuccess;
	if (in_own_context())
		return cudaSuccess;
	return rt_done(cuDevicePrimaryCtxReset(rt_device));
}

API cudaError_t cudaDeviceSynchronize(void)
{
	ENTER();
#if DOUBLE_CUDA >= 13000
	return rt_done(cuCtxSynchronize_v2(NULL));
#else
	return rt_done(cuCtxSynchronize());
#endif
}

#if DOUBLE_CUDA >= 13000
/* The runtime's handle of a device's primary context: here the driver's own. */
API cudaError_t cudaDeviceGetExecutionCtx(cudaExecutionContext_t *ctx, int device)
{
	ENTER();
	if (!ctx)
		return rt_fail(cudaErrorInvalidValue);
	if (device < 0 || device >= atomic_load(&num_devices))
		return rt_fail(cudaErrorInvalidDevice);
	*ctx = (cudaExecutionContext_t)rt_context(device);
	return *ctx ? cudaSuccess : rt_fail(cudaErrorInitializationError);
}

API cudaError_t cudaExecutionCtxSynchronize(cudaExecutionContext_t ctx)
{
	ENTER();
	return ctx ? rt_done(cuCtxSynchronize_v2((CUcontext)ctx)) : rt_fail(cudaErrorInvalidValue);
}
#endif

API cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
	ENTER();
	return rt_done(cuDeviceGetAttribute(value, attribute, device));
}

cudaError_t rt_properties(struct cudaDeviceProp *prop, int device)
{
	if (device < 0 || device >= atomic_load(&num_devices))
		return rt_fail(cudaErrorInvalidDevice);
	memset(prop, 0, sizeof(*prop));
	cuDeviceGetName(prop->name, sizeof(prop->name), device);
	cuDeviceTotalMem_v2(&prop->totalGlobalMem, device);
	prop->sharedMemPerBlock = 49152;
	prop->regsPerBlock = 65536;
	prop->warpSize = 32;
	prop->memPitch = 2147483647;
	prop->maxThreadsPerBlock = 1024;
	prop->maxThreadsDim[0] = prop->maxThreadsDim[1] = 1024;
	prop->maxThreadsDim[2] = 64;
	prop->maxGridSize[0] = 2147483647;
	prop->maxGridSize[1] = prop->maxGridSize[2] = 65535;
	prop->totalConstMem = 65536;
	prop->major = 8;
	prop->minor = 9;
	prop->textureAlignment = 512;
	prop->multiProcessorCount = 64;
	prop->canMapHostMemory = 1;
	prop->concurrentKernels = 1;
	prop->pciBusID = device + 1;
	prop->asyncEngineCount = 2;
	prop->unifiedAddressing = 1;
	prop->memoryBusWidth = 256;
	prop->l2CacheSize = 33554432;
	prop->persistingL2CacheMaxSize = 16777216;
	prop->accessPolicyMaxWindowSize = 134217728;
	prop->maxThreadsPerMultiProcessor = 2048;
	prop->streamPrioritiesSupported = 1;
	prop->sharedMemPerMultiprocessor = 102400;
	prop->regsPerMultiprocessor = 65536;
	prop->managedMemory = 1;
	prop->concurrentManagedAccess = 1;
	prop->computePreemptionSupported = 1;
	prop->cooperativeLaunch = 1;
	prop->sharedMemPerBlockOptin = 101376;
	prop->maxBlocksPerMultiProcessor = 24;
	prop->hostRegisterSupported = 1;
	prop->memoryPoolsSupported = 1;
	return cudaSuccess;
}

#if DOUBLE_CUDA >= 13000 /* older ones: runtime_older.c */
API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	ENTER();
	return prop ? rt_properties(prop, device) : rt_fail(cudaErrorInvalidValue);
}
#endif

API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	ENTER();
	return rt_done(cuCtxGetStreamPriorityRange(least, greatest));
}

API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
	ENTER();
	return rt_done(cuDeviceGetDefaultMemPool(pool, device));
}

API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
	ENTER();
	return rt_done(cuDeviceGetMemPool(pool, device));
}

API cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	ENTER();
	return rt_done(cuDeviceCanAccessPeer(can, device, peer));
}

API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	ENTER();
	if (peer < 0 || peer >= atomic_load(&num_devices) || peer == rt_device)
		return rt_fail(cudaErrorInvalidDevice);
	return rt_done(cuCtxEnablePeerAccess(rt_context(peer), flags));
}

API cudaError_t cudaDriverGetVersion(int *version)
{
	SCRIPTED();
	return rt_done(cuDriverGetVersion(version));
}

API cudaError_t cudaRuntimeGetVersion(int *version)
{
	SCRIPTED();
	if (!version)
		return rt_fail(cudaErrorInvalidValue);
	*version = DOUBLE_CUDA;
	return cudaSuccess;
}
