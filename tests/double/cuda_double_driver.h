/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver's half of cuda_double.h: the types and prototypes of the
 * functions that the double's libcuda.so.1 really implements.  Names carry
 * the version suffix under which NVIDIA's library exports them.
 */
#ifndef CUDA_DOUBLE_DRIVER_H
#define CUDA_DOUBLE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

/* The driver's codes share their numbers with the runtime's where both exist. */
typedef enum cudaError_enum {
	CUDA_SUCCESS = 0,
	CUDA_ERROR_INVALID_VALUE = 1,
	CUDA_ERROR_OUT_OF_MEMORY = 2,
	CUDA_ERROR_NOT_INITIALIZED = 3,
	CUDA_ERROR_DEINITIALIZED = 4,
	CUDA_ERROR_NO_DEVICE = 100,
	CUDA_ERROR_INVALID_DEVICE = 101,
	CUDA_ERROR_INVALID_CONTEXT = 201,
	CUDA_ERROR_FILE_NOT_FOUND = 301,
	CUDA_ERROR_INVALID_HANDLE = 400,
	CUDA_ERROR_ILLEGAL_STATE = 401,
	CUDA_ERROR_NOT_FOUND = 500,
	CUDA_ERROR_NOT_READY = 600,
	CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
	CUDA_ERROR_PEER_ACCESS_NOT_ENABLED = 705,
	CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED = 712,
	CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED = 713,
	CUDA_ERROR_NOT_SUPPORTED = 801,
	CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
	CUDA_ERROR_GRAPH_RECAPTURE_FAILURE = 918,
	CUDA_ERROR_UNKNOWN = 999,
} CUresult;

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef void (*CUhostFn)(void *data);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *data);

typedef struct CUuuid {
	char bytes[16];
} CUuuid;
typedef struct CUipcMemHandle {
	char reserved[64];
} CUipcMemHandle;
typedef struct CUipcEventHandle {
	char reserved[64];
} CUipcEventHandle;

enum {
	CU_MEMORYTYPE_HOST = 1,
	CU_MEMORYTYPE_DEVICE = 2,
	CU_MEMORYTYPE_ARRAY = 3,
	CU_MEMORYTYPE_UNIFIED = 4
};

typedef struct CUDA_MEMCPY2D {
	size_t srcXInBytes, srcY;
	int srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	size_t srcPitch;
	size_t dstXInBytes, dstY;
	int dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	size_t dstPitch;
	size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct CUDA_MEMCPY3D {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	int srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	void *reserved0; /* the source's context in the peer form */
	size_t srcPitch, srcHeight;
	size_t dstXInBytes, dstY, dstZ, dstLOD;
	int dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	void *reserved1; /* the destination's */
	size_t dstPitch, dstHeight;
	size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct CUDA_ARRAY_DESCRIPTOR {
	size_t Width, Height;
	int Format;
	unsigned int NumChannels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct CUDA_ARRAY3D_DESCRIPTOR {
	size_t Width, Height, Depth;
	int Format;
	unsigned int NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct CUarrayMapInfo {
	int resourceType;
	union {
		CUmipmappedArray mipmap;
		CUarray array;
	} resource;
	int subresourceType;
	union {
		struct {
			unsigned int level, layer, offsetX, offsetY, offsetZ;
			unsigned int extentWidth, extentHeight, extentDepth;
		} sparseLevel;
		struct {
			unsigned int layer;
			unsigned long long offset, size;
		} miptail;
	} subresource;
	int memOperationType, memHandleType;
	union {
		CUmemGenericAllocationHandle memHandle;
	} memHandle;
	unsigned long long offset;
	unsigned int deviceBitMask, flags, reserved[2];
} CUarrayMapInfo;

typedef struct CUmemLocation {
	int type, id;
} CUmemLocation;
typedef struct CUmemAccessDesc {
	CUmemLocation location;
	int flags;
} CUmemAccessDesc;

typedef struct CUmemAllocationProp {
	int type, requestedHandleTypes;
	CUmemLocation location;
	void *win32HandleMetaData;
	unsigned char allocFlags[8];
} CUmemAllocationProp;

typedef struct CUmemPoolProps {
	int allocType, handleTypes;
	CUmemLocation location;
	void *win32SecurityAttributes;
	size_t maxSize;
	unsigned short usage;
	unsigned char reserved[54];
} CUmemPoolProps;

typedef struct CUlaunchConfig {
	unsigned int gridDimX, gridDimY, gridDimZ;
	unsigned int blockDimX, blockDimY, blockDimZ;
	unsigned int sharedMemBytes;
	CUstream hStream;
	void *attrs;
	unsigned int numAttrs;
} CUlaunchConfig;

typedef struct CUDA_KERNEL_NODE_PARAMS {
	CUfunction func;
	unsigned int gridDimX, gridDimY, gridDimZ;
	unsigned int blockDimX, blockDimY, blockDimZ;
	unsigned int sharedMemBytes;
	void **kernelParams, **extra;
	CUkernel kern;
	CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUDA_MEM_ALLOC_NODE_PARAMS {
	CUmemPoolProps poolProps;
	const CUmemAccessDesc *accessDescs;
	size_t accessDescCount, bytesize;
	CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;

typedef struct CUctxCreateParams {
	void *execAffinityParams;
	int numExecAffinityParams;
	void *cigParams;
} CUctxCreateParams;

typedef struct CUgraphNodeParams {
	int type, reserved0[3];
	union {
		long long reserved1[29];
		CUDA_KERNEL_NODE_PARAMS kernel;
		CUgraph graph;
		CUDA_MEM_ALLOC_NODE_PARAMS alloc;
		CUdeviceptr freed;
	};
	long long reserved2;
} CUgraphNodeParams;

typedef struct CUDA_MEMSET_NODE_PARAMS {
	CUdeviceptr dst;
	size_t pitch;
	unsigned int value, elementSize;
	size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;

typedef struct CUDA_HOST_NODE_PARAMS {
	CUhostFn fn;
	void *userData;
} CUDA_HOST_NODE_PARAMS;

typedef struct CUlinkState_st *CUlinkState;

enum {
	CU_RESOURCE_TYPE_ARRAY,
	CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
};

typedef union CUlaunchAttributeValue {
	char pad[64];
} CUlaunchAttributeValue;

#define CU_LAUNCH_SHAPE \
	unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by, \
		unsigned int bz, unsigned int shared

#define CUDA_PLAIN(X) \
	X(cuInit, (unsigned int flags)) \
	X(cuGetErrorString, (CUresult error, const char **str)) \
	X(cuGetErrorName, (CUresult error, const char **str)) \
	X(cuDriverGetVersion, (int *version)) \
	X(cuDeviceGet, (CUdevice * device, int ordinal)) \
	X(cuDeviceGetCount, (int *count)) \
	X(cuDeviceGetName, (char *name, int len, CUdevice dev)) \
	X(cuDeviceGetUuid, (CUuuid * uuid, CUdevice dev)) \
	X(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice dev)) \
	X(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice dev)) \
	X(cuDeviceGetAttribute, (int *value, int attribute, CUdevice dev)) \
	X(cuDeviceComputeCapability, (int *major, int *minor, CUdevice dev)) \
	X(cuDeviceGetPCIBusId, (char *id, int len, CUdevice dev)) \
	X(cuDeviceCanAccessPeer, (int *can, CUdevice dev, CUdevice peer)) \
	X(cuDeviceGetDefaultMemPool, (CUmemoryPool * pool, CUdevice dev)) \
	X(cuDeviceGetMemPool, (CUmemoryPool * pool, CUdevice dev)) \
	X(cuDevicePrimaryCtxRetain, (CUcontext * ctx, CUdevice dev)) \
	X(cuDevicePrimaryCtxRelease, (CUdevice dev)) \
	X(cuDevicePrimaryCtxRelease_v2, (CUdevice dev)) \
	X(cuDevicePrimaryCtxReset, (CUdevice dev)) \
	X(cuDevicePrimaryCtxReset_v2, (CUdevice dev)) \
	X(cuDevicePrimaryCtxGetState, (CUdevice dev, unsigned int *flags, int *active)) \
	X(cuCtxCreate_v2, (CUcontext * ctx, unsigned int flags, CUdevice dev)) \
	X(cuCtxCreate_v4, (CUcontext * ctx, void *params, unsigned int flags, CUdevice dev)) \
	X(cuCtxAttach, (CUcontext * ctx, unsigned int flags)) \
	X(cuCtxDetach, (CUcontext ctx)) \
	X(cuCtxDestroy_v2, (CUcontext ctx)) \
	X(cuCtxPushCurrent_v2, (CUcontext ctx)) \
	X(cuCtxPopCurrent_v2, (CUcontext * ctx)) \
	X(cuCtxSetCurrent, (CUcontext ctx)) \
	X(cuCtxGetCurrent, (CUcontext * ctx)) \
	X(cuCtxGetDevice, (CUdevice * dev)) \
	X(cuCtxGetApiVersion, (CUcontext ctx, unsigned int *version)) \
	X(cuCtxSynchronize, (void)) \
	X(cuCtxSynchronize_v2, (CUcontext ctx)) \
	X(cuCtxGetStreamPriorityRange, (int *least, int *greatest)) \
	X(cuCtxEnablePeerAccess, (CUcontext peer, unsigned int flags)) \
	X(cuModuleLoad, (CUmodule * module, const char *file)) \
	X(cuModuleLoadData, (CUmodule * module, const void *image)) \
	X(cuModuleLoadDataEx, \
	  (CUmodule * module, const void *image, unsigned int num, int *options, void **values)) \
	X(cuModuleUnload, (CUmodule module)) \
	X(cuModuleGetFunction, (CUfunction * func, CUmodule module, const char *name)) \
	X(cuModuleGetGlobal_v2, \
	  (CUdeviceptr * ptr, size_t * bytes, CUmodule module, const char *name)) \
	X(cuLibraryLoadData, \
	  (CUlibrary * library, const void *code, int *jit, void **jit_values, \
	   unsigned int num_jit, int *options, void **values, unsigned int num)) \
	X(cuLibraryUnload, (CUlibrary library)) \
	X(cuLibraryGetKernel, (CUkernel * kernel, CUlibrary library, const char *name)) \
	X(cuLibraryGetGlobal, \
	  (CUdeviceptr * ptr, size_t * bytes, CUlibrary library, const char *name)) \
	X(cuLibraryGetManaged, \
	  (CUdeviceptr * ptr, size_t * bytes, CUlibrary library, const char *name)) \
	X(cuKernelGetFunction, (CUfunction * func, CUkernel kernel)) \
	X(cuKernelGetAttribute, (int *value, int attribute, CUkernel kernel, CUdevice dev)) \
	X(cuKernelSetAttribute, (int attribute, int value, CUkernel kernel, CUdevice dev)) \
	X(cuFuncGetAttribute, (int *value, int attribute, CUfunction func)) \
	X(cuFuncSetAttribute, (CUfunction func, int attribute, int value)) \
	X(cuOccupancyMaxActiveBlocksPerMultiprocessor, \
	  (int *blocks, CUfunction func, int block, size_t shared)) \
	X(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, \
	  (int *blocks, CUfunction func, int block, size_t shared, unsigned int flags)) \
	X(cuLinkCreate_v2, (unsigned int num, int *options, void **values, CUlinkState *state)) \
	X(cuLinkAddData_v2, (CUlinkState state, int type, void *data, size_t size, \
			     const char *name, unsigned int num, int *options, void **values)) \
	X(cuLinkAddFile_v2, (CUlinkState state, int type, const char *path, unsigned int num, \
			     int *options, void **values)) \
	X(cuLinkComplete, (CUlinkState state, void **cubin, size_t *size)) \
	X(cuLinkDestroy, (CUlinkState state)) \
	X(cuMemGetInfo_v2, (size_t * free, size_t * total)) \
	X(cuMemAlloc_v2, (CUdeviceptr * ptr, size_t size)) \
	X(cuMemAllocPitch_v2, \
	  (CUdeviceptr * ptr, size_t * pitch, size_t width, size_t height, unsigned int element)) \
	X(cuMemAllocManaged, (CUdeviceptr * ptr, size_t size, unsigned int flags)) \
	X(cuMemAllocHost_v2, (void **ptr, size_t size)) \
	X(cuMemHostAlloc, (void **ptr, size_t size, unsigned int flags)) \
	X(cuMemFree_v2, (CUdeviceptr ptr)) \
	X(cuMemFreeHost, (void *ptr)) \
	X(cuMemHostRegister_v2, (void *ptr, size_t size, unsigned int flags)) \
	X(cuMemHostUnregister, (void *ptr)) \
	X(cuMemHostGetDevicePointer_v2, (CUdeviceptr * device, void *host, unsigned int flags)) \
	X(cuMemHostGetFlags, (unsigned int *flags, void *host)) \
	X(cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t * size, CUdeviceptr ptr)) \
	X(cuPointerGetAttribute, (void *data, int attribute, CUdeviceptr ptr)) \
	X(cuPointerGetAttributes, \
	  (unsigned int num, int *attributes, void **data, CUdeviceptr ptr)) \
	X(cuMemAdvise_v2, (CUdeviceptr ptr, size_t count, int advice, CUmemLocation where)) \
	X(cuIpcGetMemHandle, (CUipcMemHandle * handle, CUdeviceptr ptr)) \
	X(cuIpcOpenMemHandle_v2, (CUdeviceptr * ptr, CUipcMemHandle handle, unsigned int flags)) \
	X(cuIpcCloseMemHandle, (CUdeviceptr ptr)) \
	X(cuIpcGetEventHandle, (CUipcEventHandle * handle, CUevent event)) \
	X(cuIpcOpenEventHandle, (CUevent * event, CUipcEventHandle handle)) \
	X(cuArrayCreate_v2, (CUarray * array, const CUDA_ARRAY_DESCRIPTOR *desc)) \
	X(cuArray3DCreate_v2, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *desc)) \
	X(cuArray3DGetDescriptor_v2, (CUDA_ARRAY3D_DESCRIPTOR * desc, CUarray array)) \
	X(cuArrayDestroy, (CUarray array)) \
	X(cuMipmappedArrayCreate, \
	  (CUmipmappedArray * array, const CUDA_ARRAY3D_DESCRIPTOR *desc, unsigned int levels)) \
	X(cuMipmappedArrayGetLevel, \
	  (CUarray * level_array, CUmipmappedArray array, unsigned int level)) \
	X(cuMipmappedArrayDestroy, (CUmipmappedArray array)) \
	X(cuMemAddressReserve, (CUdeviceptr * ptr, size_t size, size_t align, CUdeviceptr hint, \
				unsigned long long flags)) \
	X(cuMemAddressFree, (CUdeviceptr ptr, size_t size)) \
	X(cuMemCreate, (CUmemGenericAllocationHandle * handle, size_t size, \
			const CUmemAllocationProp *prop, unsigned long long flags)) \
	X(cuMemRelease, (CUmemGenericAllocationHandle handle)) \
	X(cuMemMap, (CUdeviceptr ptr, size_t size, size_t offset, \
		     CUmemGenericAllocationHandle handle, unsigned long long flags)) \
	X(cuMemUnmap, (CUdeviceptr ptr, size_t size)) \
	X(cuMemSetAccess, \
	  (CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)) \
	X(cuMemGetAllocationGranularity, \
	  (size_t * granularity, const CUmemAllocationProp *prop, int option)) \
	X(cuMemImportFromShareableHandle, \
	  (CUmemGenericAllocationHandle * handle, void *os_handle, int type)) \
	X(cuMemRetainAllocationHandle, (CUmemGenericAllocationHandle * handle, void *ptr)) \
	X(cuMemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps *props)) \
	X(cuMemPoolDestroy, (CUmemoryPool pool)) \
	X(cuMemPoolTrimTo, (CUmemoryPool pool, size_t keep)) \
	X(cuMemPoolSetAttribute, (CUmemoryPool pool, int attribute, void *value)) \
	X(cuMemPoolGetAttribute, (CUmemoryPool pool, int attribute, void *value)) \
	X(cuMemPoolSetAccess, (CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)) \
	X(cuStreamCreate, (CUstream * stream, unsigned int flags)) \
	X(cuStreamCreateWithPriority, (CUstream * stream, unsigned int flags, int priority)) \
	X(cuStreamDestroy_v2, (CUstream stream)) \
	X(cuThreadExchangeStreamCaptureMode, (int *mode)) \
	X(cuEventCreate, (CUevent * event, unsigned int flags)) \
	X(cuEventQuery, (CUevent event)) \
	X(cuEventSynchronize, (CUevent event)) \
	X(cuEventDestroy_v2, (CUevent event)) \
	X(cuEventElapsedTime, (float *ms, CUevent start, CUevent end)) \
	X(cuEventElapsedTime_v2, (float *ms, CUevent start, CUevent end)) \
	X(cuGraphCreate, (CUgraph * graph, unsigned int flags)) \
	X(cuGraphDestroy, (CUgraph graph)) \
	X(cuGraphAddKernelNode_v2, (CUgraphNode * node, CUgraph graph, const CUgraphNode *deps, \
				    size_t num, const CUDA_KERNEL_NODE_PARAMS *params)) \
	X(cuGraphAddEmptyNode, \
	  (CUgraphNode * node, CUgraph graph, const CUgraphNode *deps, size_t num)) \
	X(cuGraphAddMemAllocNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *deps, \
				   size_t num, CUDA_MEM_ALLOC_NODE_PARAMS *params)) \
	X(cuGraphAddMemFreeNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *deps, \
				  size_t num, CUdeviceptr ptr)) \
	X(cuDeviceGetGraphMemAttribute, (CUdevice dev, int attribute, void *value)) \
	X(cuDeviceGraphMemTrim, (CUdevice dev)) \
	X(cuGraphGetNodes, (CUgraph graph, CUgraphNode * nodes, size_t * num)) \
	X(cuGraphInstantiateWithFlags, \
	  (CUgraphExec * exec, CUgraph graph, unsigned long long flags)) \
	X(cuGraphExecDestroy, (CUgraphExec exec)) \
	X(cuGraphAddChildGraphNode, \
	  (CUgraphNode * node, CUgraph graph, const CUgraphNode *deps, size_t num, CUgraph child)) \
	X(cuGraphAddNode_v2, (CUgraphNode * node, CUgraph graph, const CUgraphNode *deps, \
			      const void *edges, size_t num, CUgraphNodeParams *params)) \
	X(cuGraphDestroyNode, (CUgraphNode node)) \
	X(cuGraphKernelNodeSetAttribute, \
	  (CUgraphNode node, int attribute, const CUlaunchAttributeValue *value)) \
	X(cuGraphKernelNodeGetParams_v2, (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS * params)) \
	X(cuGraphKernelNodeSetParams_v2, \
	  (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)) \
	X(cuGraphExecKernelNodeSetParams_v2, \
	  (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params)) \
	X(cuGraphNodeGetParams, (CUgraphNode node, CUgraphNodeParams * params)) \
	X(cuGraphNodeSetParams, (CUgraphNode node, CUgraphNodeParams * params)) \
	X(cuGraphExecNodeSetParams, \
	  (CUgraphExec exec, CUgraphNode node, CUgraphNodeParams * params)) \
	X(cuGraphExecChildGraphNodeSetParams, (CUgraphExec exec, CUgraphNode node, CUgraph child)) \
	X(cuGraphNodeSetEnabled, (CUgraphExec exec, CUgraphNode node, unsigned int enabled)) \
	X(cuGraphClone, (CUgraph * clone, CUgraph graph)) \
	X(cuGraphExecUpdate_v2, (CUgraphExec exec, CUgraph graph, void *info)) \
	X(cuGetProcAddress, (const char *symbol, void **fn, int version, uint64_t flags)) \
	X(cuGetProcAddress_v2, \
	  (const char *symbol, void **fn, int version, uint64_t flags, int *status)) \
	X(cuGetExportTable, (const void **table, const CUuuid *id))

#define CUDA_PTSZ(X) \
	X(cuMemMapArrayAsync, (CUarrayMapInfo * list, unsigned int count, CUstream stream)) \
	X(cuMemcpyPeerAsync, (CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src, \
			      CUcontext src_ctx, size_t count, CUstream stream)) \
	X(cuLaunchKernel, \
	  (CUfunction func, CU_LAUNCH_SHAPE, CUstream stream, void **params, void **extra)) \
	X(cuLaunchCooperativeKernel, \
	  (CUfunction func, CU_LAUNCH_SHAPE, CUstream stream, void **params)) \
	X(cuLaunchKernelEx, \
	  (const CUlaunchConfig *config, CUfunction func, void **params, void **extra)) \
	X(cuLaunchHostFunc, (CUstream stream, CUhostFn fn, void *data)) \
	X(cuLaunchHostFunc_v2, (CUstream stream, CUhostFn fn, void *data, unsigned int mode)) \
	X(cuMemAllocAsync, (CUdeviceptr * ptr, size_t size, CUstream stream)) \
	X(cuMemAllocFromPoolAsync, \
	  (CUdeviceptr * ptr, size_t size, CUmemoryPool pool, CUstream stream)) \
	X(cuMemFreeAsync, (CUdeviceptr ptr, CUstream stream)) \
	X(cuMemcpyAsync, (CUdeviceptr dst, CUdeviceptr src, size_t count, CUstream stream)) \
	X(cuMemcpyHtoDAsync_v2, (CUdeviceptr dst, const void *src, size_t count, CUstream stream)) \
	X(cuMemcpyDtoHAsync_v2, (void *dst, CUdeviceptr src, size_t count, CUstream stream)) \
	X(cuMemcpyDtoDAsync_v2, (CUdeviceptr dst, CUdeviceptr src, size_t count, CUstream stream)) \
	X(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream)) \
	X(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *copy, CUstream stream)) \
	X(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D *copy, CUstream stream)) \
	X(cuMemsetD8Async, (CUdeviceptr dst, unsigned char value, size_t count, CUstream stream)) \
	X(cuMemsetD32Async, (CUdeviceptr dst, unsigned int value, size_t count, CUstream stream)) \
	X(cuMemsetD2D8Async, (CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, \
			      size_t height, CUstream stream)) \
	X(cuMemPrefetchAsync_v2, (CUdeviceptr ptr, size_t count, CUmemLocation where, \
				  unsigned int flags, CUstream stream)) \
	X(cuStreamSynchronize, (CUstream stream)) \
	X(cuStreamQuery, (CUstream stream)) \
	X(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned int flags)) \
	X(cuStreamAddCallback, \
	  (CUstream stream, CUstreamCallback fn, void *data, unsigned int flags)) \
	X(cuStreamGetId, (CUstream stream, unsigned long long *id)) \
	X(cuStreamBeginCapture_v2, (CUstream stream, int mode)) \
	X(cuStreamBeginRecaptureToGraph, \
	  (CUstream stream, int mode, CUgraph graph, void *callback, void *data)) \
	X(cuStreamBeginCaptureToCig, (CUstream stream, void *params)) \
	X(cuStreamEndCaptureToCig, (CUstream stream)) \
	X(cuStreamBeginCaptureToGraph, (CUstream stream, CUgraph graph, const CUgraphNode *deps, \
					const void *edges, size_t num, int mode)) \
	X(cuGraphInstantiateWithParams, (CUgraphExec * exec, CUgraph graph, void *params)) \
	X(cuStreamEndCapture, (CUstream stream, CUgraph * graph)) \
	X(cuStreamIsCapturing, (CUstream stream, int *status)) \
	X(cuEventRecord, (CUevent event, CUstream stream)) \
	X(cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned int flags)) \
	X(cuGraphLaunch, (CUgraphExec exec, CUstream stream))

#define CUDA_PTDS(X) \
	X(cuMemcpyPeer, \
	  (CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src, CUcontext src_ctx, size_t count)) \
	X(cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t count)) \
	X(cuMemcpyHtoD_v2, (CUdeviceptr dst, const void *src, size_t count)) \
	X(cuMemcpyDtoH_v2, (void *dst, CUdeviceptr src, size_t count)) \
	X(cuMemcpyDtoD_v2, (CUdeviceptr dst, CUdeviceptr src, size_t count)) \
	X(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *copy)) \
	X(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *copy)) \
	X(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *copy)) \
	X(cuMemcpy3DPeer, (const CUDA_MEMCPY3D *copy)) \
	X(cuMemsetD8_v2, (CUdeviceptr dst, unsigned char value, size_t count)) \
	X(cuMemsetD32_v2, (CUdeviceptr dst, unsigned int value, size_t count)) \
	X(cuMemsetD2D8_v2, \
	  (CUdeviceptr dst, size_t pitch, unsigned char value, size_t width, size_t height))

#define CUDA_PROTOTYPE(name, params) CUresult name params;
#define CUDA_PROTOTYPE_PTSZ(name, params) \
	CUresult name params; \
	CUresult name##_ptsz params;
#define CUDA_PROTOTYPE_PTDS(name, params) \
	CUresult name params; \
	CUresult name##_ptds params;

CUDA_PLAIN(CUDA_PROTOTYPE)
CUDA_PTSZ(CUDA_PROTOTYPE_PTSZ)
CUDA_PTDS(CUDA_PROTOTYPE_PTDS)

#endif /* CUDA_DOUBLE_DRIVER_H */
