/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the public headers of CUDA 11.4 to 13.0. A function without a line here
 * is declared in all of them; one that came later counts as declared in none. The forms for a default stream per thread (_ptsz,
 * _ptds) come and go with the function they are a form of.
 */
#include "cuda/versions.h"

#include <stddef.h>
#include <string.h>

#include "cuda/calls.h"
#include "util/util.h"

#define OLDEST	11040
#define NEWEST	13000

/* From version @first to version @last, both included; 0, 0: no public header says. */
struct period {
	unsigned short call, first, last;
};

static const struct period periods[] = {
	{ CALL___cudaGetKernel, 0, 0 },
	{ CALL_cudaArrayGetMemoryRequirements, 11060, 13000 },
	{ CALL_cudaBindSurfaceToArray, 11040, 11080 },
	{ CALL_cudaBindTexture, 11040, 11080 },
	{ CALL_cudaBindTexture2D, 11040, 11080 },
	{ CALL_cudaBindTextureToArray, 11040, 11080 },
	{ CALL_cudaBindTextureToMipmappedArray, 11040, 11080 },
	{ CALL_cudaCreateTextureObject_v2, 11080, 11080 },
	{ CALL_cudaDevResourceGenerateDesc, 13010, 13010 },
	{ CALL_cudaDevSmResourceSplit, 13010, 13010 },
	{ CALL_cudaDevSmResourceSplitByCount, 13010, 13010 },
	{ CALL_cudaDeviceGetDevResource, 13010, 13010 },
	{ CALL_cudaDeviceGetExecutionCtx, 13010, 13010 },
	{ CALL_cudaDeviceGetHostAtomicCapabilities, 13000, 13000 },
	{ CALL_cudaDeviceGetNvSciSyncAttributes, 0, 0 },
	{ CALL_cudaDeviceGetP2PAtomicCapabilities, 13000, 13000 },
	{ CALL_cudaDeviceRegisterAsyncNotification, 12040, 13000 },
	{ CALL_cudaDeviceUnregisterAsyncNotification, 12040, 13000 },
	{ CALL_cudaEventCreateFromEGLSync, 0, 0 },
	{ CALL_cudaEventElapsedTime_v2, 12080, 12090 },
	{ CALL_cudaExecutionCtxDestroy, 13010, 13010 },
	{ CALL_cudaExecutionCtxGetDevResource, 13010, 13010 },
	{ CALL_cudaExecutionCtxGetDevice, 13010, 13010 },
	{ CALL_cudaExecutionCtxGetId, 13010, 13010 },
	{ CALL_cudaExecutionCtxRecordEvent, 13010, 13010 },
	{ CALL_cudaExecutionCtxStreamCreate, 13010, 13010 },
	{ CALL_cudaExecutionCtxSynchronize, 13010, 13010 },
	{ CALL_cudaExecutionCtxWaitEvent, 13010, 13010 },
	{ CALL_cudaFuncGetName, 12030, 13000 },
	{ CALL_cudaFuncGetParamCount, 13020, 13020 },
	{ CALL_cudaFuncGetParamInfo, 12040, 13000 },
	{ CALL_cudaGetDeviceProperties, 11040, 11080 },
	{ CALL_cudaGetDeviceProperties, 13000, 13000 },
	{ CALL_cudaGetDeviceProperties_v2, 12000, 12090 },
	{ CALL_cudaGetDriverEntryPointByVersion, 12050, 13000 },
	{ CALL_cudaGetKernel, 12010, 13000 },
	{ CALL_cudaGetSurfaceReference, 11040, 11080 },
	{ CALL_cudaGetTextureAlignmentOffset, 11040, 11080 },
	{ CALL_cudaGetTextureObjectTextureDesc_v2, 11080, 11080 },
	{ CALL_cudaGetTextureReference, 11040, 11080 },
	{ CALL_cudaGraphAddDependencies_v2, 12030, 12090 },
	{ CALL_cudaGraphAddNode, 12020, 13000 },
	{ CALL_cudaGraphAddNode_v2, 12030, 12090 },
	{ CALL_cudaGraphConditionalHandleCreate, 12030, 13000 },
	{ CALL_cudaGraphConditionalHandleCreate_v2, 13010, 13010 },
	{ CALL_cudaGraphExecGetFlags, 12000, 13000 },
	{ CALL_cudaGraphExecGetId, 13010, 13010 },
	{ CALL_cudaGraphExecNodeSetParams, 12020, 13000 },
	{ CALL_cudaGraphGetEdges_v2, 12030, 12090 },
	{ CALL_cudaGraphGetId, 13010, 13010 },
	{ CALL_cudaGraphInstantiateWithParams, 12000, 13000 },
	{ CALL_cudaGraphInstantiate_v12000, 0, 0 },
	{ CALL_cudaGraphNodeGetContainingGraph, 13010, 13010 },
	{ CALL_cudaGraphNodeGetDependencies_v2, 12030, 12090 },
	{ CALL_cudaGraphNodeGetDependentNodes_v2, 12030, 12090 },
	{ CALL_cudaGraphNodeGetEnabled, 11060, 13000 },
	{ CALL_cudaGraphNodeGetLocalId, 13010, 13010 },
	{ CALL_cudaGraphNodeGetParams, 13020, 13020 },
	{ CALL_cudaGraphNodeGetToolsId, 13010, 13010 },
	{ CALL_cudaGraphNodeSetEnabled, 11060, 13000 },
	{ CALL_cudaGraphNodeSetParams, 12020, 13000 },
	{ CALL_cudaGraphRemoveDependencies_v2, 12030, 12090 },
	{ CALL_cudaGreenCtxCreate, 13010, 13010 },
	{ CALL_cudaInitDevice, 12000, 13000 },
	{ CALL_cudaKernelSetAttributeForDevice, 12080, 13000 },
	{ CALL_cudaLaunchCooperativeKernelMultiDevice, 11040, 12090 },
	{ CALL_cudaLaunchHostFunc_v2, 13020, 13020 },
	{ CALL_cudaLaunchKernelExC, 11080, 13000 },
	{ CALL_cudaLibraryEnumerateKernels, 12080, 13000 },
	{ CALL_cudaLibraryGetGlobal, 12080, 13000 },
	{ CALL_cudaLibraryGetKernel, 12080, 13000 },
	{ CALL_cudaLibraryGetKernelCount, 12080, 13000 },
	{ CALL_cudaLibraryGetManaged, 12080, 13000 },
	{ CALL_cudaLibraryGetUnifiedFunction, 12080, 13000 },
	{ CALL_cudaLibraryLoadData, 12080, 13000 },
	{ CALL_cudaLibraryLoadFromFile, 12080, 13000 },
	{ CALL_cudaLibraryUnload, 12080, 13000 },
	{ CALL_cudaLogsCurrent, 13000, 13000 },
	{ CALL_cudaLogsDumpToFile, 13000, 13000 },
	{ CALL_cudaLogsDumpToMemory, 13000, 13000 },
	{ CALL_cudaLogsRegisterCallback, 13000, 13000 },
	{ CALL_cudaLogsUnregisterCallback, 13000, 13000 },
	{ CALL_cudaMemAdvise_v2, 12020, 12090 },
	{ CALL_cudaMemDiscardAndPrefetchBatchAsync, 13000, 13000 },
	{ CALL_cudaMemDiscardBatchAsync, 13000, 13000 },
	{ CALL_cudaMemGetDefaultMemPool, 13000, 13000 },
	{ CALL_cudaMemGetMemPool, 13000, 13000 },
	{ CALL_cudaMemPrefetchAsync_v2, 12020, 12090 },
	{ CALL_cudaMemPrefetchBatchAsync, 13000, 13000 },
	{ CALL_cudaMemSetMemPool, 13000, 13000 },
	{ CALL_cudaMemcpy3DBatchAsync, 12080, 13000 },
	{ CALL_cudaMemcpy3DWithAttributesAsync, 13020, 13020 },
	{ CALL_cudaMemcpyBatchAsync, 12080, 13000 },
	{ CALL_cudaMemcpyWithAttributesAsync, 13020, 13020 },
	{ CALL_cudaMipmappedArrayGetMemoryRequirements, 11060, 13000 },
	{ CALL_cudaOccupancyMaxActiveClusters, 11080, 13000 },
	{ CALL_cudaOccupancyMaxPotentialClusterSize, 11080, 13000 },
	{ CALL_cudaProfilerInitialize, 11040, 11080 },
	{ CALL_cudaSignalExternalSemaphoresAsync, 13000, 13000 },
	{ CALL_cudaSignalExternalSemaphoresAsync_v2, 11040, 12090 },
	{ CALL_cudaStreamBeginCaptureToGraph, 12030, 13000 },
	{ CALL_cudaStreamBeginRecaptureToGraph, 13030, 13030 },
	{ CALL_cudaStreamGetCaptureInfo, 11040, 11080 },
	{ CALL_cudaStreamGetCaptureInfo, 13000, 13000 },
	{ CALL_cudaStreamGetCaptureInfo_v2, 11040, 12090 },
	{ CALL_cudaStreamGetCaptureInfo_v3, 12030, 12090 },
	{ CALL_cudaStreamGetDevResource, 13010, 13010 },
	{ CALL_cudaStreamGetDevice, 12080, 13000 },
	{ CALL_cudaStreamGetId, 12000, 13000 },
	{ CALL_cudaStreamUpdateCaptureDependencies_v2, 12030, 12090 },
	{ CALL_cudaThreadExit, 11040, 12090 },
	{ CALL_cudaThreadGetCacheConfig, 11040, 12090 },
	{ CALL_cudaThreadGetLimit, 11040, 12090 },
	{ CALL_cudaThreadSetCacheConfig, 11040, 12090 },
	{ CALL_cudaThreadSetLimit, 11040, 12090 },
	{ CALL_cudaThreadSynchronize, 11040, 12090 },
	{ CALL_cudaUnbindTexture, 11040, 11080 },
	{ CALL_cudaWaitExternalSemaphoresAsync, 13000, 13000 },
	{ CALL_cudaWaitExternalSemaphoresAsync_v2, 11040, 12090 },
};

static const struct {
	unsigned int first, last;
} majors[] = { { OLDEST, 11080 }, { 12000, 12090 }, { NEWEST, NEWEST } };

/* The function that @call is the per-thread form of, or @call itself. */
static unsigned int plain_form(unsigned int call)
{
	const char *name = call_name(call);
	size_t len = strlen(name);
	unsigned int i;

	if (len < 5 || (strcmp(name + len - 5, "_ptsz") && strcmp(name + len - 5, "_ptds")))
		return call;
	for (i = 0; i < CALL_COUNT; i++)
		if (strlen(call_name(i)) == len - 5 && !strncmp(call_name(i), name, len - 5))
			return i;
	return call;
}

static enum declared declared_in(unsigned int call, unsigned int version)
{
	enum declared declared = DECLARED;
	size_t i;

	for (i = 0; i < ARRAY_LEN(periods); i++) {
		if (periods[i].call != call)
			continue;
		if (!periods[i].first)
			return DECLARED_UNKNOWN;
		if (version >= periods[i].first && version <= periods[i].last)
			return DECLARED;
		declared = DECLARED_NOT;
	}
	return declared;
}

enum declared call_declared(unsigned int call, unsigned int version, int major_only)
{
	enum declared first, last;
	size_t i;

	if (call >= CALL_COUNT || call_descs[call].layer != LAYER_RUNTIME)
		return DECLARED_UNKNOWN;
	call = plain_form(call);
	if (!major_only) {
		/* Within a major version nothing is taken away. */
		if (version > NEWEST && version / 1000 == NEWEST / 1000)
			version = NEWEST;
		if (version < OLDEST || version > NEWEST)
			return DECLARED_UNKNOWN;
		return declared_in(call, version);
	}
	for (i = 0; i < ARRAY_LEN(majors); i++) {
		if (majors[i].first / 1000 != version / 1000)
			continue;
		first = declared_in(call, majors[i].first);
		last = declared_in(call, majors[i].last);
		return first == last ? first : DECLARED_UNKNOWN;
	}
	return DECLARED_UNKNOWN;
}
