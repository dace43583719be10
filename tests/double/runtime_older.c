// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the runtimes of CUDA 11 and 12 have and that of 13 has not: functions
 * that were dropped, and properties of devices in their older layout. For
 * lib11 and lib12, where DOUBLE_CUDA is below 13000.
 */
#include <string.h>
#include "runtime.h"

/* Up to and with what CUDA 11 has; CUDA 12 adds fields behind these. */
struct older_properties {
	char name[256];
	cudaUUID_t uuid;
	char luid[8];
	unsigned int luidDeviceNodeMask;
	size_t totalGlobalMem, sharedMemPerBlock;
	int regsPerBlock, warpSize;
	size_t memPitch;
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment, texturePitchAlignment;
	int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled;
	int integrated, canMapHostMemory, computeMode;
	int textures_and_surfaces[40];
	size_t surfaceAlignment;
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID;
	int tccDriver, asyncEngineCount, unifiedAddressing, memoryClockRate;
	int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
	int maxThreadsPerMultiProcessor, streamPrioritiesSupported;
	int globalL1CacheSupported, localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard;
	int multiGpuBoardGroupID, hostNativeAtomicSupported;
	int singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
	int concurrentManagedAccess, computePreemptionSupported;
	int canUseHostPointerForRegisteredMem, cooperativeLaunch;
	int cooperativeMultiDeviceLaunch;
	size_t sharedMemPerBlockOptin;
	int pageableMemoryAccessUsesHostPageTables;
	int directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
	int accessPolicyMaxWindowSize;
	size_t reservedSharedMemPerBlock;
};

static cudaError_t older_properties(struct older_properties *out, int device)
{
	struct cudaDeviceProp prop;
	cudaError_t err = rt_properties(&prop, device);

	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	/* alike up to clockRate, which 13 has not */
	memcpy(out, &prop, offsetof(struct older_properties, clockRate));
	out->clockRate = 1500000;
	out->totalConstMem = prop.totalConstMem;
	out->major = prop.major;
	out->minor = prop.minor;
	out->textureAlignment = prop.textureAlignment;
	out->deviceOverlap = 1;
	out->multiProcessorCount = prop.multiProcessorCount;
	out->canMapHostMemory = prop.canMapHostMemory;
	out->concurrentKernels = prop.concurrentKernels;
	out->pciBusID = prop.pciBusID;
	out->asyncEngineCount = prop.asyncEngineCount;
	out->unifiedAddressing = prop.unifiedAddressing;
	out->memoryClockRate = 7000000;
	out->memoryBusWidth = prop.memoryBusWidth;
	out->l2CacheSize = prop.l2CacheSize;
	out->persistingL2CacheMaxSize = prop.persistingL2CacheMaxSize;
	out->maxThreadsPerMultiProcessor = prop.maxThreadsPerMultiProcessor;
	out->streamPrioritiesSupported = prop.streamPrioritiesSupported;
	out->sharedMemPerMultiprocessor = prop.sharedMemPerMultiprocessor;
	out->regsPerMultiprocessor = prop.regsPerMultiprocessor;
	out->managedMemory = prop.managedMemory;
	out->concurrentManagedAccess = prop.concurrentManagedAccess;
	out->computePreemptionSupported = prop.computePreemptionSupported;
	out->cooperativeLaunch = prop.cooperativeLaunch;
	out->sharedMemPerBlockOptin = prop.sharedMemPerBlockOptin;
	out->maxBlocksPerMultiProcessor = prop.maxBlocksPerMultiProcessor;
	out->accessPolicyMaxWindowSize = prop.accessPolicyMaxWindowSize;
	return cudaSuccess;
}

API cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
	ENTER();
	return prop ? older_properties((void *)prop, device) : rt_fail(cudaErrorInvalidValue);
}

#if DOUBLE_CUDA >= 12000
API cudaError_t cudaGetDeviceProperties_v2(void *prop, int device);
API cudaError_t cudaGetDeviceProperties_v2(void *prop, int device)
{
	ENTER();
	return prop ? older_properties(prop, device) : rt_fail(cudaErrorInvalidValue);
}
#endif

/*
 * The graph and what the next node depends on are not told: PyTorch asks whether there is a
 * capture, and which.
 */
#define CAPTURE_INFO(name, ask) \
	API cudaError_t name(cudaStream_t stream, int *status, unsigned long long *id, \
			     void **graph, const void ***dependencies, size_t *count); \
	API cudaError_t name(cudaStream_t stream, int *status, unsigned long long *id, \
			     void **graph, const void ***dependencies, size_t *count) \
	{ \
		ENTER(); \
		if (!status) \
			return rt_fail(cudaErrorInvalidValue); \
		if (id) \
			*id = (unsigned long long)(uintptr_t)stream + 1; \
		if (graph) \
			*graph = NULL; \
		if (dependencies) \
			*dependencies = NULL; \
		if (count) \
			*count = 0; \
		return rt_done(ask((CUstream)stream, status)); \
	}

CAPTURE_INFO(cudaStreamGetCaptureInfo_v2, cuStreamIsCapturing)
CAPTURE_INFO(cudaStreamGetCaptureInfo_v2_ptsz, cuStreamIsCapturing_ptsz)

API cudaError_t cudaThreadSynchronize(void);
API cudaError_t cudaThreadSynchronize(void)
{
	ENTER();
	return rt_done(cuCtxSynchronize());
}
