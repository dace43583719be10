/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of the CUDA runtime's binary interface that the double and the
 * workloads need: types, constants and prototypes, written from the public
 * declarations so that neither needs NVIDIA's toolkit to build.  The driver's
 * half is in cuda_double_driver.h, which this header includes.
 */
#ifndef CUDA_DOUBLE_H
#define CUDA_DOUBLE_H

#include <stddef.h>
#include <stdint.h>

typedef enum cudaError {
	cudaSuccess = 0,
	cudaErrorInvalidValue = 1,
	cudaErrorMemoryAllocation = 2,
	cudaErrorInitializationError = 3,
	cudaErrorCudartUnloading = 4,
	cudaErrorInvalidConfiguration = 9,
	cudaErrorInvalidSymbol = 13,
	cudaErrorInvalidMemcpyDirection = 21,
	cudaErrorInsufficientDriver = 35,
	cudaErrorMissingConfiguration = 52,
	cudaErrorInvalidDeviceFunction = 98,
	cudaErrorNoDevice = 100,
	cudaErrorInvalidDevice = 101,
	cudaErrorNoKernelImageForDevice = 209,
	cudaErrorInvalidResourceHandle = 400,
	cudaErrorSymbolNotFound = 500,
	cudaErrorNotReady = 600,
	cudaErrorIllegalAddress = 700,
	cudaErrorPeerAccessAlreadyEnabled = 704,
	cudaErrorPeerAccessNotEnabled = 705,
	cudaErrorHostMemoryAlreadyRegistered = 712,
	cudaErrorHostMemoryNotRegistered = 713,
	cudaErrorLaunchFailure = 719,
	cudaErrorNotSupported = 801,
	cudaErrorStreamCaptureUnmatched = 903,
	cudaErrorUnknown = 999,
} cudaError_t;

enum cudaMemcpyKind {
	cudaMemcpyHostToHost = 0,
	cudaMemcpyHostToDevice = 1,
	cudaMemcpyDeviceToHost = 2,
	cudaMemcpyDeviceToDevice = 3,
	cudaMemcpyDefault = 4,
};

enum cudaMemoryType {
	cudaMemoryTypeUnregistered = 0,
	cudaMemoryTypeHost = 1,
	cudaMemoryTypeDevice = 2,
	cudaMemoryTypeManaged = 3,
};

enum cudaChannelFormatKind {
	cudaChannelFormatKindSigned = 0,
	cudaChannelFormatKindUnsigned = 1,
	cudaChannelFormatKindFloat = 2,
	cudaChannelFormatKindNone = 3,
};

enum cudaMemLocationType {
	cudaMemLocationTypeInvalid = 0,
	cudaMemLocationTypeDevice = 1,
	cudaMemLocationTypeHost = 2,
	cudaMemLocationTypeHostNuma = 3,
	cudaMemLocationTypeHostNumaCurrent = 4,
};

enum cudaGraphNodeType {
	cudaGraphNodeTypeKernel = 0,
	cudaGraphNodeTypeMemcpy = 1,
	cudaGraphNodeTypeMemset = 2,
	cudaGraphNodeTypeHost = 3,
	cudaGraphNodeTypeGraph = 4,
	cudaGraphNodeTypeEmpty = 5,
	cudaGraphNodeTypeMemAlloc = 10,
	cudaGraphNodeTypeMemFree = 11,
};

#define cudaHostAllocDefault   0u
#define cudaHostAllocPortable  1u
#define cudaHostAllocMapped    2u
#define cudaMemAttachGlobal    1u
#define cudaStreamNonBlocking  1u
#define cudaEventDisableTiming 2u
#define cudaStreamLegacy       ((cudaStream_t)1)
#define cudaStreamPerThread    ((cudaStream_t)2)

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUkern_st *cudaKernel_t;
typedef struct CUfunc_st *cudaFunction_t;
typedef struct CUlib_st *cudaLibrary_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct cudaExecutionContext_st *cudaExecutionContext_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUmemPoolHandle_st *cudaMemPool_t;
typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
typedef struct cudaMipmappedArray *cudaMipmappedArray_t;
typedef const struct cudaMipmappedArray *cudaMipmappedArray_const_t;
typedef void (*cudaHostFn_t)(void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);

typedef struct dim3 {
	unsigned int x, y, z;
} dim3;
typedef struct cudaUUID {
	char bytes[16];
} cudaUUID_t;
typedef struct cudaIpcMemHandle {
	char reserved[64];
} cudaIpcMemHandle_t;
typedef struct cudaIpcEventHandle {
	char reserved[64];
} cudaIpcEventHandle_t;

struct cudaChannelFormatDesc {
	int x, y, z, w;
	enum cudaChannelFormatKind f;
};

struct cudaPitchedPtr {
	void *ptr;
	size_t pitch, xsize, ysize;
};
struct cudaExtent {
	size_t width, height, depth;
};
struct cudaPos {
	size_t x, y, z;
};

struct cudaMemcpy3DParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	struct cudaExtent extent;
	enum cudaMemcpyKind kind;
};

struct cudaMemcpy3DPeerParms {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	int srcDevice;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	int dstDevice;
	struct cudaExtent extent;
};

struct cudaPointerAttributes {
	enum cudaMemoryType type;
	int device;
	void *devicePointer;
	void *hostPointer;
	long reserved[8];
};

struct cudaFuncAttributes {
	size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
	int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
	int cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout;
	int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight;
	int requiredClusterDepth, clusterSchedulingPolicyPreference;
	int nonPortableClusterSizeAllowed, reserved[16];
};

struct cudaMemLocation {
	enum cudaMemLocationType type;
	int id;
};
struct cudaMemAccessDesc {
	struct cudaMemLocation location;
	int flags;
};

struct cudaMemPoolProps {
	int allocType, handleTypes;
	struct cudaMemLocation location;
	void *win32SecurityAttributes;
	size_t maxSize;
	unsigned short usage;
	unsigned char reserved[54];
};

typedef struct cudaLaunchAttribute {
	int id;
	char pad[4];
	char val[64];
} cudaLaunchAttribute;

typedef struct cudaLaunchConfig {
	dim3 gridDim, blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	cudaLaunchAttribute *attrs;
	unsigned int numAttrs;
} cudaLaunchConfig_t;

struct cudaKernelNodeParams {
	void *func;
	dim3 gridDim, blockDim;
	unsigned int sharedMemBytes;
	void **kernelParams, **extra;
};

struct cudaMemsetParams {
	void *dst;
	size_t pitch;
	unsigned int value, elementSize;
	size_t width, height;
};

struct cudaHostNodeParams {
	cudaHostFn_t fn;
	void *userData;
};

struct cudaMemAllocNodeParams {
	struct cudaMemPoolProps poolProps;
	const struct cudaMemAccessDesc *accessDescs;
	size_t accessDescCount, bytesize;
	void *dptr;
};

struct cudaGraphNodeParams {
	enum cudaGraphNodeType type;
	int reserved0[3];
	union {
		long long reserved1[29];
		struct cudaKernelNodeParams kernel;
		cudaGraph_t graph;
		struct cudaMemAllocNodeParams alloc;
		struct {
			void *dptr;
		} free;
	};
	long long reserved2;
};

typedef struct cudaGraphExecUpdateResultInfo {
	int result;
	cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;

typedef struct cudaGraphInstantiateParams {
	unsigned long long flags;
	cudaStream_t uploadStream;
	cudaGraphNode_t errNode_out;
	int result_out;
} cudaGraphInstantiateParams;

/* CUDA 13's layout: a program built by nvcc reads fields of it by offset. */
struct cudaDeviceProp {
	char name[256];
	cudaUUID_t uuid;
	char luid[8];
	unsigned int luidDeviceNodeMask;
	size_t totalGlobalMem, sharedMemPerBlock;
	int regsPerBlock, warpSize;
	size_t memPitch;
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment, texturePitchAlignment;
	int multiProcessorCount, integrated, canMapHostMemory;
	int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2];
	int maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
	int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
	int maxTexture1DLayered[2], maxTexture2DLayered[3];
	int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2];
	int maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
	int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
	size_t surfaceAlignment;
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID;
	int tccDriver, asyncEngineCount, unifiedAddressing, memoryBusWidth;
	int l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
	int streamPrioritiesSupported, globalL1CacheSupported;
	int localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard;
	int multiGpuBoardGroupID, hostNativeAtomicSupported;
	int pageableMemoryAccess, concurrentManagedAccess;
	int computePreemptionSupported, canUseHostPointerForRegisteredMem;
	int cooperativeLaunch;
	size_t sharedMemPerBlockOptin;
	int pageableMemoryAccessUsesHostPageTables;
	int directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
	int accessPolicyMaxWindowSize;
	size_t reservedSharedMemPerBlock;
	int hostRegisterSupported, sparseCudaArraySupported;
	int hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported;
	int memoryPoolsSupported, gpuDirectRDMASupported;
	unsigned int gpuDirectRDMAFlushWritesOptions;
	int gpuDirectRDMAWritesOrdering;
	unsigned int memoryPoolSupportedHandleTypes;
	int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
	int unifiedFunctionPointers, deviceNumaConfig, deviceNumaId, mpsEnabled;
	int hostNumaId;
	unsigned int gpuPciDeviceID, gpuPciSubsystemID;
	int hostNumaMultinodeIpcSupported, reserved[56];
};

#include "cuda_double_driver.h"

/*
 * X(name, parameters): every runtime function with no per-thread form.
 * The prototypes come from these lists, and so do those of the _ptsz and
 * _ptds forms below, so that a form cannot drift from its original.
 */
#define CUDART_PLAIN(X) \
	X(cudaDeviceReset, (void)) \
	X(cudaDeviceSynchronize, (void)) \
	X(cudaDeviceGetExecutionCtx, (cudaExecutionContext_t * ctx, int device)) \
	X(cudaExecutionCtxSynchronize, (cudaExecutionContext_t ctx)) \
	X(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest)) \
	X(cudaIpcGetMemHandle, (cudaIpcMemHandle_t * handle, void *ptr)) \
	X(cudaIpcOpenMemHandle, (void **ptr, cudaIpcMemHandle_t handle, unsigned int flags)) \
	X(cudaIpcCloseMemHandle, (void *ptr)) \
	X(cudaIpcGetEventHandle, (cudaIpcEventHandle_t * handle, cudaEvent_t event)) \
	X(cudaIpcOpenEventHandle, (cudaEvent_t * event, cudaIpcEventHandle_t handle)) \
	X(cudaGetLastError, (void)) \
	X(cudaPeekAtLastError, (void)) \
	X(cudaGetDeviceCount, (int *count)) \
	X(cudaGetDeviceProperties, (struct cudaDeviceProp * prop, int device)) \
	X(cudaDeviceGetAttribute, (int *value, int attribute, int device)) \
	X(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device)) \
	X(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device)) \
	X(cudaSetDevice, (int device)) \
	X(cudaGetDevice, (int *device)) \
	X(cudaStreamCreate, (cudaStream_t * stream)) \
	X(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned int flags)) \
	X(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned int flags, int priority)) \
	X(cudaStreamDestroy, (cudaStream_t stream)) \
	X(cudaThreadExchangeStreamCaptureMode, (int *mode)) \
	X(cudaEventCreate, (cudaEvent_t * event)) \
	X(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned int flags)) \
	X(cudaEventQuery, (cudaEvent_t event)) \
	X(cudaEventSynchronize, (cudaEvent_t event)) \
	X(cudaEventDestroy, (cudaEvent_t event)) \
	X(cudaEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end)) \
	X(cudaFuncGetAttributes, (struct cudaFuncAttributes * attr, const void *func)) \
	X(cudaFuncSetAttribute, (const void *func, int attribute, int value)) \
	X(cudaOccupancyMaxActiveBlocksPerMultiprocessor, \
	  (int *blocks, const void *func, int block, size_t shared)) \
	X(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, \
	  (int *blocks, const void *func, int block, size_t shared, unsigned int flags)) \
	X(cudaMallocManaged, (void **ptr, size_t size, unsigned int flags)) \
	X(cudaMalloc, (void **ptr, size_t size)) \
	X(cudaMallocHost, (void **ptr, size_t size)) \
	X(cudaMallocPitch, (void **ptr, size_t *pitch, size_t width, size_t height)) \
	X(cudaMallocArray, (cudaArray_t * array, const struct cudaChannelFormatDesc *desc, \
			    size_t width, size_t height, unsigned int flags)) \
	X(cudaFree, (void *ptr)) \
	X(cudaFreeHost, (void *ptr)) \
	X(cudaFreeArray, (cudaArray_t array)) \
	X(cudaFreeMipmappedArray, (cudaMipmappedArray_t array)) \
	X(cudaHostAlloc, (void **ptr, size_t size, unsigned int flags)) \
	X(cudaHostRegister, (void *ptr, size_t size, unsigned int flags)) \
	X(cudaHostUnregister, (void *ptr)) \
	X(cudaHostGetDevicePointer, (void **device, void *host, unsigned int flags)) \
	X(cudaMalloc3D, (struct cudaPitchedPtr * ptr, struct cudaExtent extent)) \
	X(cudaMalloc3DArray, (cudaArray_t * array, const struct cudaChannelFormatDesc *desc, \
			      struct cudaExtent extent, unsigned int flags)) \
	X(cudaMallocMipmappedArray, \
	  (cudaMipmappedArray_t * array, const struct cudaChannelFormatDesc *desc, \
	   struct cudaExtent extent, unsigned int levels, unsigned int flags)) \
	X(cudaGetMipmappedArrayLevel, \
	  (cudaArray_t * level_array, cudaMipmappedArray_const_t array, unsigned int level)) \
	X(cudaMemGetInfo, (size_t * free, size_t * total)) \
	X(cudaMemcpyPeer, \
	  (void *dst, int dst_device, const void *src, int src_device, size_t count)) \
	X(cudaMemcpyPeerAsync, (void *dst, int dst_device, const void *src, int src_device, \
				size_t count, cudaStream_t stream)) \
	X(cudaGetSymbolAddress, (void **ptr, const void *symbol)) \
	X(cudaMemAdvise, \
	  (const void *ptr, size_t count, int advice, struct cudaMemLocation where)) \
	X(cudaMemPoolCreate, (cudaMemPool_t * pool, const struct cudaMemPoolProps *props)) \
	X(cudaMemPoolDestroy, (cudaMemPool_t pool)) \
	X(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t keep)) \
	X(cudaMemPoolSetAttribute, (cudaMemPool_t pool, int attribute, void *value)) \
	X(cudaMemPoolGetAttribute, (cudaMemPool_t pool, int attribute, void *value)) \
	X(cudaMemPoolSetAccess, \
	  (cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count)) \
	X(cudaPointerGetAttributes, (struct cudaPointerAttributes * attr, const void *ptr)) \
	X(cudaDeviceCanAccessPeer, (int *can, int device, int peer)) \
	X(cudaDeviceEnablePeerAccess, (int peer, unsigned int flags)) \
	X(cudaDriverGetVersion, (int *version)) \
	X(cudaRuntimeGetVersion, (int *version)) \
	X(cudaGraphCreate, (cudaGraph_t * graph, unsigned int flags)) \
	X(cudaGraphDestroy, (cudaGraph_t graph)) \
	X(cudaGraphAddKernelNode, \
	  (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t num, \
	   const struct cudaKernelNodeParams *params)) \
	X(cudaGraphAddEmptyNode, \
	  (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t num)) \
	X(cudaGraphAddMemAllocNode, \
	  (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t num, \
	   struct cudaMemAllocNodeParams *params)) \
	X(cudaGraphAddMemFreeNode, (cudaGraphNode_t * node, cudaGraph_t graph, \
				    const cudaGraphNode_t *deps, size_t num, void *ptr)) \
	X(cudaDeviceGetGraphMemAttribute, (int device, int attribute, void *value)) \
	X(cudaDeviceGraphMemTrim, (int device)) \
	X(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t * nodes, size_t * num)) \
	X(cudaGraphInstantiate, \
	  (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags)) \
	X(cudaGraphInstantiateWithFlags, \
	  (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags)) \
	X(cudaGraphExecDestroy, (cudaGraphExec_t exec)) \
	X(cudaGraphAddChildGraphNode, \
	  (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *deps, size_t num, \
	   cudaGraph_t child)) \
	X(cudaGraphAddNode, \
	  (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *deps, \
	   const void *edges, size_t num, struct cudaGraphNodeParams *params)) \
	X(cudaGraphDestroyNode, (cudaGraphNode_t node)) \
	X(cudaGraphKernelNodeSetAttribute, \
	  (cudaGraphNode_t node, int attribute, const CUlaunchAttributeValue *value)) \
	X(cudaGraphKernelNodeGetParams, \
	  (cudaGraphNode_t node, struct cudaKernelNodeParams * params)) \
	X(cudaGraphKernelNodeSetParams, \
	  (cudaGraphNode_t node, const struct cudaKernelNodeParams *params)) \
	X(cudaGraphExecKernelNodeSetParams, \
	  (cudaGraphExec_t exec, cudaGraphNode_t node, const struct cudaKernelNodeParams *params)) \
	X(cudaGraphNodeGetParams, (cudaGraphNode_t node, struct cudaGraphNodeParams * params)) \
	X(cudaGraphNodeSetParams, (cudaGraphNode_t node, struct cudaGraphNodeParams * params)) \
	X(cudaGraphExecNodeSetParams, \
	  (cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams * params)) \
	X(cudaGraphExecChildGraphNodeSetParams, \
	  (cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t child)) \
	X(cudaGraphNodeSetEnabled, \
	  (cudaGraphExec_t exec, cudaGraphNode_t node, unsigned int enabled)) \
	X(cudaGraphClone, (cudaGraph_t * clone, cudaGraph_t graph)) \
	X(cudaGraphExecUpdate, \
	  (cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo * info)) \
	X(cudaGetFuncBySymbol, (cudaFunction_t * func, const void *symbol)) \
	X(cudaGetKernel, (cudaKernel_t * kernel, const void *stub)) \
	X(__cudaGetKernel, (cudaKernel_t * kernel, const void *stub)) \
	X(__cudaPopCallConfiguration, (dim3 * grid, dim3 * block, size_t * shared, void *stream))

/* Functions with a _ptsz form: the default stream is the thread's own. */
#define CUDART_PTSZ(X) \
	X(cudaLaunchKernel, (const void *func, dim3 grid, dim3 block, void **args, size_t shared, \
			     cudaStream_t stream)) \
	X(cudaLaunchCooperativeKernel, (const void *func, dim3 grid, dim3 block, void **args, \
					size_t shared, cudaStream_t stream)) \
	X(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *func, void **args)) \
	X(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t fn, void *data)) \
	X(cudaLaunchHostFunc_v2, \
	  (cudaStream_t stream, cudaHostFn_t fn, void *data, unsigned int mode)) \
	X(cudaMallocAsync, (void **ptr, size_t size, cudaStream_t stream)) \
	X(cudaMallocFromPoolAsync, \
	  (void **ptr, size_t size, cudaMemPool_t pool, cudaStream_t stream)) \
	X(cudaFreeAsync, (void *ptr, cudaStream_t stream)) \
	X(cudaMemcpyAsync, (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, \
			    cudaStream_t stream)) \
	X(cudaMemcpy2DAsync, \
	  (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, \
	   enum cudaMemcpyKind kind, cudaStream_t stream)) \
	X(cudaMemcpy2DToArrayAsync, \
	  (cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width, \
	   size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)) \
	X(cudaMemcpy2DFromArrayAsync, \
	  (void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y, size_t width, \
	   size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)) \
	X(cudaMemcpyToArrayAsync, (cudaArray_t dst, size_t x, size_t y, const void *src, \
				   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)) \
	X(cudaMemcpyFromArrayAsync, (void *dst, cudaArray_const_t src, size_t x, size_t y, \
				     size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)) \
	X(cudaMemcpyToSymbolAsync, (const void *symbol, const void *src, size_t count, \
				    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)) \
	X(cudaMemcpyFromSymbolAsync, (void *dst, const void *symbol, size_t count, size_t offset, \
				      enum cudaMemcpyKind kind, cudaStream_t stream)) \
	X(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *params, cudaStream_t stream)) \
	X(cudaMemcpy3DPeerAsync, \
	  (const struct cudaMemcpy3DPeerParms *params, cudaStream_t stream)) \
	X(cudaMemsetAsync, (void *ptr, int value, size_t count, cudaStream_t stream)) \
	X(cudaMemPrefetchAsync, (const void *ptr, size_t count, struct cudaMemLocation where, \
				 unsigned int flags, cudaStream_t stream)) \
	X(cudaStreamSynchronize, (cudaStream_t stream)) \
	X(cudaStreamQuery, (cudaStream_t stream)) \
	X(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned int flags)) \
	X(cudaStreamAddCallback, \
	  (cudaStream_t stream, cudaStreamCallback_t fn, void *data, unsigned int flags)) \
	X(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id)) \
	X(cudaStreamBeginCapture, (cudaStream_t stream, int mode)) \
	X(cudaStreamBeginRecaptureToGraph, \
	  (cudaStream_t stream, int mode, cudaGraph_t graph, void *callback)) \
	X(cudaStreamBeginCaptureToGraph, \
	  (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *deps, const void *edges, \
	   size_t num, int mode)) \
	X(cudaGraphInstantiateWithParams, \
	  (cudaGraphExec_t * exec, cudaGraph_t graph, cudaGraphInstantiateParams * params)) \
	X(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t * graph)) \
	X(cudaStreamIsCapturing, (cudaStream_t stream, int *status)) \
	X(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream)) \
	X(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned int flags)) \
	X(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream)) \
	X(__cudaLaunchKernel, (cudaKernel_t kernel, dim3 grid, dim3 block, void **args, \
			       size_t shared, cudaStream_t stream)) \
	X(cudaGetDriverEntryPoint, \
	  (const char *symbol, void **fn, unsigned long long flags, int *status)) \
	X(cudaGetDriverEntryPointByVersion, (const char *symbol, void **fn, unsigned int version, \
					     unsigned long long flags, int *status))

/* Functions with a _ptds form: synchronous, on the thread's default stream. */
#define CUDART_PTDS(X) \
	X(cudaMemcpy, (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)) \
	X(cudaMemcpy2D, (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, \
			 size_t height, enum cudaMemcpyKind kind)) \
	X(cudaMemcpy2DToArray, \
	  (cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width, \
	   size_t height, enum cudaMemcpyKind kind)) \
	X(cudaMemcpy2DFromArray, \
	  (void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y, size_t width, \
	   size_t height, enum cudaMemcpyKind kind)) \
	X(cudaMemcpy2DArrayToArray, \
	  (cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src, size_t sx, size_t sy, \
	   size_t width, size_t height, enum cudaMemcpyKind kind)) \
	X(cudaMemcpyToArray, (cudaArray_t dst, size_t x, size_t y, const void *src, size_t count, \
			      enum cudaMemcpyKind kind)) \
	X(cudaMemcpyFromArray, (void *dst, cudaArray_const_t src, size_t x, size_t y, \
				size_t count, enum cudaMemcpyKind kind)) \
	X(cudaMemcpyArrayToArray, (cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src, \
				   size_t sx, size_t sy, size_t count, enum cudaMemcpyKind kind)) \
	X(cudaMemcpyToSymbol, (const void *symbol, const void *src, size_t count, size_t offset, \
			       enum cudaMemcpyKind kind)) \
	X(cudaMemcpyFromSymbol, \
	  (void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)) \
	X(cudaMemcpy3D, (const struct cudaMemcpy3DParms *params)) \
	X(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *params)) \
	X(cudaMemset, (void *ptr, int value, size_t count)) \
	X(cudaMemset2D, (void *ptr, size_t pitch, int value, size_t width, size_t height))

#define CUDART_PROTOTYPE(name, params) cudaError_t name params;
#define CUDART_PROTOTYPE_PTSZ(name, params) \
	cudaError_t name params; \
	cudaError_t name##_ptsz params;
#define CUDART_PROTOTYPE_PTDS(name, params) \
	cudaError_t name params; \
	cudaError_t name##_ptds params;

CUDART_PLAIN(CUDART_PROTOTYPE)
CUDART_PTSZ(CUDART_PROTOTYPE_PTSZ)
CUDART_PTDS(CUDART_PROTOTYPE_PTDS)

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
						   enum cudaChannelFormatKind f);

void **__cudaRegisterFatBinary(void *fatbin);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *stub, char *device_fun,
			    const char *device_name, int thread_limit, void *tid, void *bid,
			    dim3 *block, dim3 *grid, int *warp_size);
void __cudaRegisterVar(void **handle, char *host_var, char *device_address, const char *device_name,
		       int ext, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host_ptr, char *device_address,
			      const char *device_name, int ext, size_t size, int constant,
			      int global);
char __cudaInitModule(void **handle);
unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);

#endif /* CUDA_DOUBLE_H */
