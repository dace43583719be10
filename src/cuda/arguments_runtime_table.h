/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made by tests/generate-arguments.py from NVIDIA's public headers (names and
 * kinds of arguments only); do not edit. The runtime's functions; each word is
 * an argument, in the order of integer registers: its name, and what it is
 * (arguments.c).
 */
#define RUNTIME_ARGUMENTS(ARGUMENTS) \
	ARGUMENTS(cudaStreamSynchronize, "stream:s") \
	ARGUMENTS(cudaStreamSynchronize_ptsz, "stream:s") \
	ARGUMENTS(cudaEventSynchronize, "event:p") \
	ARGUMENTS(cudaExecutionCtxSynchronize, "ctx:p") \
	ARGUMENTS(cudaSetDevice, "device:i") \
	ARGUMENTS(__cudaRegisterFunction, "fatCubinHandle:p hostFun:p deviceFun:p deviceName:p thread_limit:i tid:p") \
	ARGUMENTS(__cudaRegisterVar, "fatCubinHandle:p hostVar:p deviceAddress:p deviceName:p ext:i size:z") \
	ARGUMENTS(__cudaRegisterManagedVar, "fatCubinHandle:p hostVarPtrAddress:p deviceAddress:p deviceName:p ext:i size:z") \
	ARGUMENTS(__cudaGetKernel, "kernel:p* entryFuncAddr:p") \
	ARGUMENTS(cudaGetKernel, "kernelPtr:p* entryFuncAddr:p") \
	ARGUMENTS(cudaGetFuncBySymbol, "functionPtr:p* symbolPtr:p") \
	ARGUMENTS(cudaLibraryGetKernel, "pKernel:p* library:p name:p") \
	ARGUMENTS(cudaFuncGetName, "name:p func:p") \
	ARGUMENTS(cudaArrayGetInfo, "desc:p extent:p flags:u* array:p") \
	ARGUMENTS(cudaArrayGetMemoryRequirements, "memoryRequirements:p array:p device:i") \
	ARGUMENTS(cudaArrayGetPlane, "pPlaneArray:p* hArray:p planeIdx:u") \
	ARGUMENTS(cudaArrayGetSparseProperties, "sparseProperties:p array:p") \
	ARGUMENTS(cudaDestroyExternalMemory, "extMem:p") \
	ARGUMENTS(cudaDestroyExternalSemaphore, "extSem:p") \
	ARGUMENTS(cudaCreateSurfaceObject, "pSurfObject:p* pResDesc:p") \
	ARGUMENTS(cudaCreateTextureObject, "pTexObject:p* pResDesc:p pTexDesc:p pResViewDesc:p") \
	ARGUMENTS(cudaDestroySurfaceObject, "surfObject:p") \
	ARGUMENTS(cudaDestroyTextureObject, "texObject:p") \
	ARGUMENTS(cudaGetChannelDesc, "desc:p array:p") \
	ARGUMENTS(cudaGetMipmappedArrayLevel, "levelArray:p* mipmappedArray:p level:u") \
	ARGUMENTS(cudaGetSymbolAddress, "devPtr:p* symbol:p") \
	ARGUMENTS(cudaGetSymbolSize, "size:z* symbol:p") \
	ARGUMENTS(cudaGraphicsResourceGetMappedPointer, "devPtr:p* size:z* resource:p") \
	ARGUMENTS(cudaHostGetDevicePointer, "pDevice:p* pHost:p flags:u") \
	ARGUMENTS(cudaHostGetFlags, "pFlags:u* pHost:p") \
	ARGUMENTS(cudaImportExternalMemory, "extMem_out:p* memHandleDesc:p") \
	ARGUMENTS(cudaImportExternalSemaphore, "extSem_out:p* semHandleDesc:p") \
	ARGUMENTS(cudaIpcGetMemHandle, "handle:p devPtr:p") \
	ARGUMENTS(cudaMemAdvise, "devPtr:p count:z advice:i location:p") \
	ARGUMENTS(cudaMemAdvise_v2, "devPtr:p count:z advice:i location:p") \
	ARGUMENTS(cudaMemDiscardAndPrefetchBatchAsync, "dptrs:p* sizes:z* count:z prefetchLocs:p prefetchLocIdxs:z* numPrefetchLocs:z flags:z stream:s") \
	ARGUMENTS(cudaMemDiscardAndPrefetchBatchAsync_ptsz, "dptrs:p* sizes:z* count:z prefetchLocs:p prefetchLocIdxs:z* numPrefetchLocs:z flags:z stream:s") \
	ARGUMENTS(cudaMemDiscardBatchAsync, "dptrs:p* sizes:z* count:z flags:z stream:s") \
	ARGUMENTS(cudaMemDiscardBatchAsync_ptsz, "dptrs:p* sizes:z* count:z flags:z stream:s") \
	ARGUMENTS(cudaMemGetDefaultMemPool, "memPool:p* location:p type:i") \
	ARGUMENTS(cudaMemGetInfo, "free:z* total:z*") \
	ARGUMENTS(cudaMemGetMemPool, "memPool:p* location:p type:i") \
	ARGUMENTS(cudaMemPoolCreate, "memPool:p* poolProps:p") \
	ARGUMENTS(cudaMemPoolDestroy, "memPool:p") \
	ARGUMENTS(cudaMemPoolExportPointer, "exportData:p ptr:p") \
	ARGUMENTS(cudaMemPoolExportToShareableHandle, "shareableHandle:p memPool:p handleType:i flags:u") \
	ARGUMENTS(cudaMemPoolGetAccess, "flags:i* memPool:p location:p") \
	ARGUMENTS(cudaMemPoolGetAttribute, "memPool:p attr:i value:p") \
	ARGUMENTS(cudaMemPoolImportFromShareableHandle, "memPool:p* shareableHandle:p handleType:i flags:u") \
	ARGUMENTS(cudaMemPoolSetAccess, "memPool:p descList:p count:z") \
	ARGUMENTS(cudaMemPoolSetAttribute, "memPool:p attr:i value:p") \
	ARGUMENTS(cudaMemPoolTrimTo, "memPool:p minBytesToKeep:z") \
	ARGUMENTS(cudaMemPrefetchAsync, "devPtr:p count:z location:p flags:u stream:s") \
	ARGUMENTS(cudaMemPrefetchAsync_ptsz, "devPtr:p count:z location:p flags:u stream:s") \
	ARGUMENTS(cudaMemPrefetchAsync_v2, "devPtr:p count:z location:p flags:u stream:s") \
	ARGUMENTS(cudaMemPrefetchAsync_v2_ptsz, "devPtr:p count:z location:p flags:u stream:s") \
	ARGUMENTS(cudaMemPrefetchBatchAsync, "dptrs:p* sizes:z* count:z prefetchLocs:p prefetchLocIdxs:z* numPrefetchLocs:z flags:z stream:s") \
	ARGUMENTS(cudaMemPrefetchBatchAsync_ptsz, "dptrs:p* sizes:z* count:z prefetchLocs:p prefetchLocIdxs:z* numPrefetchLocs:z flags:z stream:s") \
	ARGUMENTS(cudaMemRangeGetAttribute, "data:p dataSize:z attribute:i devPtr:p count:z") \
	ARGUMENTS(cudaMemRangeGetAttributes, "data:p* dataSizes:z* attributes:i* numAttributes:z devPtr:p count:z") \
	ARGUMENTS(cudaMemSetMemPool, "location:p type:i memPool:p") \
	ARGUMENTS(cudaMemset, "devPtr:p value:i count:z") \
	ARGUMENTS(cudaMemset2D, "devPtr:p pitch:z value:i width:z height:z") \
	ARGUMENTS(cudaMemset2DAsync, "devPtr:p pitch:z value:i width:z height:z stream:s") \
	ARGUMENTS(cudaMemset2DAsync_ptsz, "devPtr:p pitch:z value:i width:z height:z stream:s") \
	ARGUMENTS(cudaMemset2D_ptds, "devPtr:p pitch:z value:i width:z height:z") \
	ARGUMENTS(cudaMemset3D, ":m value:i :m") \
	ARGUMENTS(cudaMemset3DAsync, ":m value:i :m stream:s") \
	ARGUMENTS(cudaMemset3DAsync_ptsz, ":m value:i :m stream:s") \
	ARGUMENTS(cudaMemset3D_ptds, ":m value:i :m") \
	ARGUMENTS(cudaMemsetAsync, "devPtr:p value:i count:z stream:s") \
	ARGUMENTS(cudaMemsetAsync_ptsz, "devPtr:p value:i count:z stream:s") \
	ARGUMENTS(cudaMemset_ptds, "devPtr:p value:i count:z") \
	ARGUMENTS(cudaMipmappedArrayGetMemoryRequirements, "memoryRequirements:p mipmap:p device:i") \
	ARGUMENTS(cudaMipmappedArrayGetSparseProperties, "sparseProperties:p mipmap:p") \
	ARGUMENTS(cudaCreateTextureObject_v2, "pTexObject:p* pResDesc:p pTexDesc:p pResViewDesc:p") \
	ARGUMENTS(cudaGetSurfaceObjectResourceDesc, "pResDesc:p surfObject:p") \
	ARGUMENTS(cudaGetTextureObjectResourceDesc, "pResDesc:p texObject:p") \
	ARGUMENTS(cudaGetTextureObjectResourceViewDesc, "pResViewDesc:p texObject:p") \
	ARGUMENTS(cudaGetTextureObjectTextureDesc, "pTexDesc:p texObject:p") \
	ARGUMENTS(cudaGetTextureObjectTextureDesc_v2, "pTexDesc:p texObject:p") \
	ARGUMENTS(cudaGLMapBufferObject, "devPtr:p* bufObj:u") \
	ARGUMENTS(cudaGLMapBufferObjectAsync, "devPtr:p* bufObj:u stream:s") \
	ARGUMENTS(cudaEGLStreamConsumerAcquireFrame, "conn:p* pCudaResource:p* pStream:p* timeout:u") \
	ARGUMENTS(cudaEGLStreamConsumerConnect, "conn:p* eglStream:p") \
	ARGUMENTS(cudaEGLStreamConsumerConnectWithFlags, "conn:p* eglStream:p flags:u") \
	ARGUMENTS(cudaEGLStreamConsumerDisconnect, "conn:p*") \
	ARGUMENTS(cudaEGLStreamConsumerReleaseFrame, "conn:p* pCudaResource:p pStream:p*") \
	ARGUMENTS(cudaEGLStreamProducerConnect, "conn:p* eglStream:p width:i height:i") \
	ARGUMENTS(cudaEGLStreamProducerDisconnect, "conn:p*") \
	ARGUMENTS(cudaEGLStreamProducerPresentFrame, "conn:p* pStream:p*") \
	ARGUMENTS(cudaEGLStreamProducerReturnFrame, "conn:p* eglframe:p pStream:p*") \
	ARGUMENTS(cudaGLRegisterBufferObject, "bufObj:u") \
	ARGUMENTS(cudaGLSetBufferObjectMapFlags, "bufObj:u flags:u") \
	ARGUMENTS(cudaGLUnmapBufferObject, "bufObj:u") \
	ARGUMENTS(cudaGLUnmapBufferObjectAsync, "bufObj:u stream:s") \
	ARGUMENTS(cudaGLUnregisterBufferObject, "bufObj:u") \
	ARGUMENTS(cudaGraphicsEGLRegisterImage, "pCudaResource:p* image:p flags:u") \
	ARGUMENTS(cudaGraphicsGLRegisterBuffer, "resource:p* buffer:u flags:u") \
	ARGUMENTS(cudaGraphicsGLRegisterImage, "resource:p* image:u target:u flags:u") \
	ARGUMENTS(cudaGraphicsMapResources, "count:i resources:p* stream:s") \
	ARGUMENTS(cudaGraphicsResourceGetMappedEglFrame, "eglFrame:p resource:p index:u mipLevel:u") \
	ARGUMENTS(cudaGraphicsResourceGetMappedMipmappedArray, "mipmappedArray:p* resource:p") \
	ARGUMENTS(cudaGraphicsResourceSetMapFlags, "resource:p flags:u") \
	ARGUMENTS(cudaGraphicsSubResourceGetMappedArray, "array:p* resource:p arrayIndex:u mipLevel:u") \
	ARGUMENTS(cudaGraphicsUnmapResources, "count:i resources:p* stream:s") \
	ARGUMENTS(cudaGraphicsUnregisterResource, "resource:p") \
	ARGUMENTS(cudaGraphicsVDPAURegisterOutputSurface, "resource:p* vdpSurface:u flags:u") \
	ARGUMENTS(cudaGraphicsVDPAURegisterVideoSurface, "resource:p* vdpSurface:u flags:u") \
	ARGUMENTS(cudaLaunchHostFunc, "stream:s fn:p userData:p") \
	ARGUMENTS(cudaLaunchHostFunc_ptsz, "stream:s fn:p userData:p") \
	ARGUMENTS(cudaLaunchHostFunc_v2, "stream:s fn:p userData:p syncMode:u") \
	ARGUMENTS(cudaLaunchHostFunc_v2_ptsz, "stream:s fn:p userData:p syncMode:u") \
	ARGUMENTS(cudaSignalExternalSemaphoresAsync, "extSemArray:p paramsArray:p numExtSems:u stream:s") \
	ARGUMENTS(cudaSignalExternalSemaphoresAsync_ptsz, "extSemArray:p paramsArray:p numExtSems:u stream:s") \
	ARGUMENTS(cudaSignalExternalSemaphoresAsync_v2, "extSemArray:p paramsArray:p numExtSems:u stream:s") \
	ARGUMENTS(cudaSignalExternalSemaphoresAsync_v2_ptsz, "extSemArray:p paramsArray:p numExtSems:u stream:s") \
	ARGUMENTS(cudaStreamAddCallback, "stream:s callback:p userData:p flags:u") \
	ARGUMENTS(cudaStreamAddCallback_ptsz, "stream:s callback:p userData:p flags:u") \
	ARGUMENTS(cudaStreamAttachMemAsync, "stream:s devPtr:p length:z flags:u") \
	ARGUMENTS(cudaStreamAttachMemAsync_ptsz, "stream:s devPtr:p length:z flags:u") \
	ARGUMENTS(cudaStreamBeginCapture, "stream:s mode:i") \
	ARGUMENTS(cudaStreamBeginCaptureToGraph, "stream:s graph:p dependencies:p dependencyData:p numDependencies:z mode:i") \
	ARGUMENTS(cudaStreamBeginCaptureToGraph_ptsz, "stream:s graph:p dependencies:p dependencyData:p numDependencies:z mode:i") \
	ARGUMENTS(cudaStreamBeginRecaptureToGraph, "stream:s mode:i graph:p callbackData:p") \
	ARGUMENTS(cudaStreamBeginRecaptureToGraph_ptsz, "stream:s mode:i graph:p callbackData:p") \
	ARGUMENTS(cudaStreamBeginCapture_ptsz, "stream:s mode:i") \
	ARGUMENTS(cudaStreamCopyAttributes, "dstStream:s srcStream:s") \
	ARGUMENTS(cudaStreamCopyAttributes_ptsz, "dst:s src:s") \
	ARGUMENTS(cudaStreamCreate, "pStream:p*") \
	ARGUMENTS(cudaStreamCreateWithFlags, "pStream:p* flags:u") \
	ARGUMENTS(cudaStreamCreateWithPriority, "pStream:p* flags:u priority:i") \
	ARGUMENTS(cudaStreamDestroy, "stream:s") \
	ARGUMENTS(cudaStreamEndCapture, "stream:s pGraph:p*") \
	ARGUMENTS(cudaStreamEndCapture_ptsz, "stream:s pGraph:p*") \
	ARGUMENTS(cudaStreamGetAttribute, "stream:s attr:i value:p") \
	ARGUMENTS(cudaStreamGetAttribute_ptsz, "hStream:s attr:i value_out:p") \
	ARGUMENTS(cudaStreamGetDevice, "hStream:s device:i*") \
	ARGUMENTS(cudaStreamGetDevice_ptsz, "hStream:s device:i*") \
	ARGUMENTS(cudaStreamGetFlags, "hStream:s flags:u*") \
	ARGUMENTS(cudaStreamGetFlags_ptsz, "hStream:s flags:u*") \
	ARGUMENTS(cudaStreamGetId, "hStream:s streamId:z*") \
	ARGUMENTS(cudaStreamGetId_ptsz, "hStream:s streamId:z*") \
	ARGUMENTS(cudaStreamGetPriority, "hStream:s priority:i*") \
	ARGUMENTS(cudaStreamGetPriority_ptsz, "hStream:s priority:i*") \
	ARGUMENTS(cudaStreamSetAttribute, "stream:s attr:i param:p") \
	ARGUMENTS(cudaStreamSetAttribute_ptsz, "hStream:s attr:i value:p") \
	ARGUMENTS(cudaStreamUpdateCaptureDependencies, "stream:s dependencies:p* dependencyData:p numDependencies:z flags:u") \
	ARGUMENTS(cudaStreamUpdateCaptureDependencies_ptsz, "stream:s dependencies:p* dependencyData:p numDependencies:z flags:u") \
	ARGUMENTS(cudaStreamUpdateCaptureDependencies_v2, "stream:s dependencies:p* dependencyData:p numDependencies:z flags:u") \
	ARGUMENTS(cudaStreamUpdateCaptureDependencies_v2_ptsz, "stream:s dependencies:p* dependencyData:p numDependencies:z flags:u") \
	ARGUMENTS(cudaStreamWaitEvent, "stream:s event:p flags:u") \
	ARGUMENTS(cudaStreamWaitEvent_ptsz, "stream:s event:p flags:u") \
	ARGUMENTS(cudaWaitExternalSemaphoresAsync, "extSemArray:p paramsArray:p numExtSems:u stream:s") \
	ARGUMENTS(cudaWaitExternalSemaphoresAsync_ptsz, "extSemArray:p paramsArray:p numExtSems:u stream:s") \
	ARGUMENTS(cudaWaitExternalSemaphoresAsync_v2, "extSemArray:p paramsArray:p numExtSems:u stream:s") \
	ARGUMENTS(cudaWaitExternalSemaphoresAsync_v2_ptsz, "extSemArray:p paramsArray:p numExtSems:u stream:s") \
	ARGUMENTS(cudaExecutionCtxStreamCreate, "phStream:p* ctx:p flags:u priority:i") \
	ARGUMENTS(cudaStreamGetDevResource, "hStream:s resource:p type:i") \
	ARGUMENTS(cudaStreamGetDevResource_ptsz, "hStream:s resource:p type:i") \
	ARGUMENTS(cudaEventCreate, "event:p*") \
	ARGUMENTS(cudaEventCreateFromEGLSync, "phEvent:p* eglSync:p flags:u") \
	ARGUMENTS(cudaEventCreateWithFlags, "event:p* flags:u") \
	ARGUMENTS(cudaEventDestroy, "event:p") \
	ARGUMENTS(cudaEventElapsedTime, "ms:f* start:p end:p") \
	ARGUMENTS(cudaEventElapsedTime_v2, "ms:f* start:p end:p") \
	ARGUMENTS(cudaEventRecord, "event:p stream:s") \
	ARGUMENTS(cudaEventRecordWithFlags, "event:p stream:s flags:u") \
	ARGUMENTS(cudaEventRecordWithFlags_ptsz, "event:p stream:s flags:u") \
	ARGUMENTS(cudaEventRecord_ptsz, "event:p stream:s") \
	ARGUMENTS(cudaIpcGetEventHandle, "handle:p event:p") \
	ARGUMENTS(cudaIpcOpenEventHandle, "event:p* :m") \
	ARGUMENTS(cudaExecutionCtxRecordEvent, "ctx:p event:p") \
	ARGUMENTS(cudaExecutionCtxWaitEvent, "ctx:p event:p") \
	ARGUMENTS(cudaChooseDevice, "device:i* prop:p") \
	ARGUMENTS(cudaDeviceCanAccessPeer, "canAccessPeer:i* device:i peerDevice:i") \
	ARGUMENTS(cudaDeviceDisablePeerAccess, "peerDevice:i") \
	ARGUMENTS(cudaDeviceEnablePeerAccess, "peerDevice:i flags:u") \
	ARGUMENTS(cudaDeviceFlushGPUDirectRDMAWrites, "target:i scope:i") \
	ARGUMENTS(cudaDeviceGetByPCIBusId, "device:i* pciBusId:p") \
	ARGUMENTS(cudaDeviceGetCacheConfig, "pCacheConfig:i*") \
	ARGUMENTS(cudaDeviceGetDefaultMemPool, "memPool:p* device:i") \
	ARGUMENTS(cudaDeviceGetGraphMemAttribute, "device:i attr:i value:p") \
	ARGUMENTS(cudaDeviceGetHostAtomicCapabilities, "capabilities:u* operations:p count:u device:i") \
	ARGUMENTS(cudaDeviceGetLimit, "pValue:z* limit:i") \
	ARGUMENTS(cudaDeviceGetMemPool, "memPool:p* device:i") \
	ARGUMENTS(cudaDeviceGetNvSciSyncAttributes, "nvSciSyncAttrList:p device:i flags:i") \
	ARGUMENTS(cudaDeviceGetP2PAtomicCapabilities, "capabilities:u* operations:p count:u srcDevice:i dstDevice:i") \
	ARGUMENTS(cudaDeviceGetP2PAttribute, "value:i* attr:i srcDevice:i dstDevice:i") \
	ARGUMENTS(cudaDeviceGetPCIBusId, "pciBusId:p len:i device:i") \
	ARGUMENTS(cudaDeviceGetSharedMemConfig, "pConfig:i*") \
	ARGUMENTS(cudaDeviceGetStreamPriorityRange, "leastPriority:i* greatestPriority:i*") \
	ARGUMENTS(cudaDeviceGetTexture1DLinearMaxWidth, "maxWidthInElements:z* fmtDesc:p device:i") \
	ARGUMENTS(cudaDeviceGraphMemTrim, "device:i") \
	ARGUMENTS(cudaDeviceRegisterAsyncNotification, "device:i callbackFunc:p userData:p callback:p*") \
	ARGUMENTS(cudaDeviceSetCacheConfig, "cacheConfig:i") \
	ARGUMENTS(cudaDeviceSetGraphMemAttribute, "device:i attr:i value:p") \
	ARGUMENTS(cudaDeviceSetLimit, "limit:i value:z") \
	ARGUMENTS(cudaDeviceSetMemPool, "device:i memPool:p") \
	ARGUMENTS(cudaDeviceSetSharedMemConfig, "config:i") \
	ARGUMENTS(cudaDeviceUnregisterAsyncNotification, "device:i callback:p") \
	ARGUMENTS(cudaGetDeviceFlags, "flags:u*") \
	ARGUMENTS(cudaGetDeviceProperties, "prop:p device:i") \
	ARGUMENTS(cudaGetDeviceProperties_v2, "prop:p device:i") \
	ARGUMENTS(cudaInitDevice, "device:i deviceFlags:u flags:u") \
	ARGUMENTS(cudaSetDeviceFlags, "flags:u") \
	ARGUMENTS(cudaSetValidDevices, "device_arr:i* len:i") \
	ARGUMENTS(cudaDeviceGetExecutionCtx, "ctx:p* device:i") \
	ARGUMENTS(cudaDevResourceGenerateDesc, "phDesc:p* resources:p nbResources:u") \
	ARGUMENTS(cudaDevSmResourceSplit, "result:p nbGroups:u input:p remainder:p flags:u groupParams:p") \
	ARGUMENTS(cudaDevSmResourceSplitByCount, "result:p nbGroups:u* input:p remaining:p flags:u minCount:u") \
	ARGUMENTS(cudaDeviceGetDevResource, "device:i resource:p type:i") \
	ARGUMENTS(cudaExecutionCtxDestroy, "ctx:p") \
	ARGUMENTS(cudaExecutionCtxGetDevResource, "ctx:p resource:p type:i") \
	ARGUMENTS(cudaGLGetDevices, "pCudaDeviceCount:u* pCudaDevices:i* cudaDeviceCount:u deviceList:i") \
	ARGUMENTS(cudaGLSetGLDevice, "device:i") \
	ARGUMENTS(cudaGreenCtxCreate, "phCtx:p* desc:p device:i flags:u") \
	ARGUMENTS(cudaLogsCurrent, "iterator_out:u* flags:u") \
	ARGUMENTS(cudaLogsDumpToFile, "iterator:u* pathToFile:p flags:u") \
	ARGUMENTS(cudaLogsDumpToMemory, "iterator:u* buffer:p size:z* flags:u") \
	ARGUMENTS(cudaLogsRegisterCallback, "callbackFunc:p userData:p callback_out:p*") \
	ARGUMENTS(cudaLogsUnregisterCallback, "callback:p") \
	ARGUMENTS(cudaVDPAUGetDevice, "device:i* vdpDevice:u vdpGetProcAddress:p") \
	ARGUMENTS(cudaVDPAUSetVDPAUDevice, "device:i vdpDevice:u vdpGetProcAddress:p") \
	ARGUMENTS(cudaGraphAddChildGraphNode, "pGraphNode:p* graph:p pDependencies:p numDependencies:z childGraph:p") \
	ARGUMENTS(cudaGraphAddDependencies, "graph:p from:p to:p edgeData:p numDependencies:z") \
	ARGUMENTS(cudaGraphAddDependencies_v2, "graph:p from:p to:p edgeData:p numDependencies:z") \
	ARGUMENTS(cudaGraphAddEmptyNode, "pGraphNode:p* graph:p pDependencies:p numDependencies:z") \
	ARGUMENTS(cudaGraphAddEventRecordNode, "pGraphNode:p* graph:p pDependencies:p numDependencies:z event:p") \
	ARGUMENTS(cudaGraphAddEventWaitNode, "pGraphNode:p* graph:p pDependencies:p numDependencies:z event:p") \
	ARGUMENTS(cudaGraphAddExternalSemaphoresSignalNode, "pGraphNode:p* graph:p pDependencies:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cudaGraphAddExternalSemaphoresWaitNode, "pGraphNode:p* graph:p pDependencies:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cudaGraphAddHostNode, "pGraphNode:p* graph:p pDependencies:p numDependencies:z pNodeParams:p") \
	ARGUMENTS(cudaGraphAddKernelNode, "pGraphNode:p* graph:p pDependencies:p numDependencies:z pNodeParams:p") \
	ARGUMENTS(cudaGraphAddMemAllocNode, "pGraphNode:p* graph:p pDependencies:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cudaGraphAddMemFreeNode, "pGraphNode:p* graph:p pDependencies:p numDependencies:z dptr:p") \
	ARGUMENTS(cudaGraphAddMemcpyNode, "pGraphNode:p* graph:p pDependencies:p numDependencies:z pCopyParams:p") \
	ARGUMENTS(cudaGraphAddMemcpyNode1D, "pGraphNode:p* graph:p pDependencies:p numDependencies:z dst:p src:p count:z kind:i") \
	ARGUMENTS(cudaGraphAddMemcpyNodeFromSymbol, "pGraphNode:p* graph:p pDependencies:p numDependencies:z dst:p symbol:p count:z offset:z kind:i") \
	ARGUMENTS(cudaGraphAddMemcpyNodeToSymbol, "pGraphNode:p* graph:p pDependencies:p numDependencies:z symbol:p src:p count:z offset:z kind:i") \
	ARGUMENTS(cudaGraphAddMemsetNode, "pGraphNode:p* graph:p pDependencies:p numDependencies:z pMemsetParams:p") \
	ARGUMENTS(cudaGraphAddNode, "pGraphNode:p* graph:p pDependencies:p dependencyData:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cudaGraphAddNode_v2, "pGraphNode:p* graph:p pDependencies:p dependencyData:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cudaGraphChildGraphNodeGetGraph, "node:p pGraph:p*") \
	ARGUMENTS(cudaGraphClone, "pGraphClone:p* originalGraph:p") \
	ARGUMENTS(cudaGraphConditionalHandleCreate, "pHandle_out:p* graph:p defaultLaunchValue:u flags:u") \
	ARGUMENTS(cudaGraphCreate, "pGraph:p* flags:u") \
	ARGUMENTS(cudaGraphDebugDotPrint, "graph:p path:p flags:u") \
	ARGUMENTS(cudaGraphDestroy, "graph:p") \
	ARGUMENTS(cudaGraphDestroyNode, "node:p") \
	ARGUMENTS(cudaGraphEventRecordNodeGetEvent, "node:p event_out:p*") \
	ARGUMENTS(cudaGraphEventRecordNodeSetEvent, "node:p event:p") \
	ARGUMENTS(cudaGraphEventWaitNodeGetEvent, "node:p event_out:p*") \
	ARGUMENTS(cudaGraphEventWaitNodeSetEvent, "node:p event:p") \
	ARGUMENTS(cudaGraphExecChildGraphNodeSetParams, "hGraphExec:p node:p childGraph:p") \
	ARGUMENTS(cudaGraphExecDestroy, "graphExec:p") \
	ARGUMENTS(cudaGraphExecEventRecordNodeSetEvent, "hGraphExec:p hNode:p event:p") \
	ARGUMENTS(cudaGraphExecEventWaitNodeSetEvent, "hGraphExec:p hNode:p event:p") \
	ARGUMENTS(cudaGraphExecExternalSemaphoresSignalNodeSetParams, "hGraphExec:p hNode:p nodeParams:p") \
	ARGUMENTS(cudaGraphExecExternalSemaphoresWaitNodeSetParams, "hGraphExec:p hNode:p nodeParams:p") \
	ARGUMENTS(cudaGraphExecGetFlags, "graphExec:p flags:z*") \
	ARGUMENTS(cudaGraphExecHostNodeSetParams, "hGraphExec:p node:p pNodeParams:p") \
	ARGUMENTS(cudaGraphExecKernelNodeSetParams, "hGraphExec:p node:p pNodeParams:p") \
	ARGUMENTS(cudaGraphExecMemcpyNodeSetParams, "hGraphExec:p node:p pNodeParams:p") \
	ARGUMENTS(cudaGraphExecMemcpyNodeSetParams1D, "hGraphExec:p node:p dst:p src:p count:z kind:i") \
	ARGUMENTS(cudaGraphExecMemcpyNodeSetParamsFromSymbol, "hGraphExec:p node:p dst:p symbol:p count:z offset:z kind:i") \
	ARGUMENTS(cudaGraphExecMemcpyNodeSetParamsToSymbol, "hGraphExec:p node:p symbol:p src:p count:z offset:z kind:i") \
	ARGUMENTS(cudaGraphExecMemsetNodeSetParams, "hGraphExec:p node:p pNodeParams:p") \
	ARGUMENTS(cudaGraphExecNodeSetParams, "graphExec:p node:p nodeParams:p") \
	ARGUMENTS(cudaGraphExecUpdate, "hGraphExec:p hGraph:p resultInfo:p") \
	ARGUMENTS(cudaGraphExternalSemaphoresSignalNodeGetParams, "hNode:p params_out:p") \
	ARGUMENTS(cudaGraphExternalSemaphoresSignalNodeSetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cudaGraphExternalSemaphoresWaitNodeGetParams, "hNode:p params_out:p") \
	ARGUMENTS(cudaGraphExternalSemaphoresWaitNodeSetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cudaGraphGetEdges, "graph:p from:p* to:p* edgeData:p numEdges:z*") \
	ARGUMENTS(cudaGraphGetEdges_v2, "graph:p from:p* to:p* edgeData:p numEdges:z*") \
	ARGUMENTS(cudaGraphGetNodes, "graph:p nodes:p* numNodes:z*") \
	ARGUMENTS(cudaGraphGetRootNodes, "graph:p pRootNodes:p* pNumRootNodes:z*") \
	ARGUMENTS(cudaGraphHostNodeGetParams, "node:p pNodeParams:p") \
	ARGUMENTS(cudaGraphHostNodeSetParams, "node:p pNodeParams:p") \
	ARGUMENTS(cudaGraphInstantiate, "pGraphExec:p* graph:p flags:z") \
	ARGUMENTS(cudaGraphInstantiateWithFlags, "pGraphExec:p* graph:p flags:z") \
	ARGUMENTS(cudaGraphInstantiateWithParams, "pGraphExec:p* graph:p instantiateParams:p") \
	ARGUMENTS(cudaGraphInstantiateWithParams_ptsz, "pGraphExec:p* graph:p instantiateParams:p") \
	ARGUMENTS(cudaGraphKernelNodeCopyAttributes, "hDst:p hSrc:p") \
	ARGUMENTS(cudaGraphKernelNodeGetAttribute, "hNode:p attr:i value_out:p") \
	ARGUMENTS(cudaGraphKernelNodeGetParams, "node:p pNodeParams:p") \
	ARGUMENTS(cudaGraphKernelNodeSetAttribute, "hNode:p attr:i value:p") \
	ARGUMENTS(cudaGraphKernelNodeSetParams, "node:p pNodeParams:p") \
	ARGUMENTS(cudaGraphLaunch, "graphExec:p stream:s") \
	ARGUMENTS(cudaGraphLaunch_ptsz, "graphExec:p stream:s") \
	ARGUMENTS(cudaGraphMemAllocNodeGetParams, "node:p params_out:p") \
	ARGUMENTS(cudaGraphMemFreeNodeGetParams, "node:p dptr_out:p") \
	ARGUMENTS(cudaGraphMemcpyNodeGetParams, "node:p pNodeParams:p") \
	ARGUMENTS(cudaGraphMemcpyNodeSetParams, "node:p pNodeParams:p") \
	ARGUMENTS(cudaGraphMemcpyNodeSetParams1D, "node:p dst:p src:p count:z kind:i") \
	ARGUMENTS(cudaGraphMemcpyNodeSetParamsFromSymbol, "node:p dst:p symbol:p count:z offset:z kind:i") \
	ARGUMENTS(cudaGraphMemcpyNodeSetParamsToSymbol, "node:p symbol:p src:p count:z offset:z kind:i") \
	ARGUMENTS(cudaGraphMemsetNodeGetParams, "node:p pNodeParams:p") \
	ARGUMENTS(cudaGraphMemsetNodeSetParams, "node:p pNodeParams:p") \
	ARGUMENTS(cudaGraphNodeFindInClone, "pNode:p* originalNode:p clonedGraph:p") \
	ARGUMENTS(cudaGraphNodeGetDependencies, "node:p pDependencies:p* edgeData:p pNumDependencies:z*") \
	ARGUMENTS(cudaGraphNodeGetDependencies_v2, "node:p pDependencies:p* edgeData:p pNumDependencies:z*") \
	ARGUMENTS(cudaGraphNodeGetDependentNodes, "node:p pDependentNodes:p* edgeData:p pNumDependentNodes:z*") \
	ARGUMENTS(cudaGraphNodeGetDependentNodes_v2, "node:p pDependentNodes:p* edgeData:p pNumDependentNodes:z*") \
	ARGUMENTS(cudaGraphNodeGetEnabled, "hGraphExec:p hNode:p isEnabled:u*") \
	ARGUMENTS(cudaGraphNodeGetType, "node:p pType:i*") \
	ARGUMENTS(cudaGraphNodeSetEnabled, "hGraphExec:p hNode:p isEnabled:u") \
	ARGUMENTS(cudaGraphNodeSetParams, "node:p nodeParams:p") \
	ARGUMENTS(cudaGraphReleaseUserObject, "graph:p object:p count:u") \
	ARGUMENTS(cudaGraphRemoveDependencies, "graph:p from:p to:p edgeData:p numDependencies:z") \
	ARGUMENTS(cudaGraphRemoveDependencies_v2, "graph:p from:p to:p edgeData:p numDependencies:z") \
	ARGUMENTS(cudaGraphRetainUserObject, "graph:p object:p count:u flags:u") \
	ARGUMENTS(cudaGraphUpload, "graphExec:p stream:s") \
	ARGUMENTS(cudaGraphUpload_ptsz, "graphExec:p stream:s") \
	ARGUMENTS(cudaGraphNodeGetParams, "node:p nodeParams:p") \
	ARGUMENTS(cudaGraphConditionalHandleCreate_v2, "pHandle_out:p* graph:p ctx:p defaultLaunchValue:u flags:u") \
	ARGUMENTS(cudaGraphExecGetId, "hGraphExec:p graphID:u*") \
	ARGUMENTS(cudaGraphGetId, "hGraph:p graphID:u*") \
	ARGUMENTS(cudaGraphNodeGetContainingGraph, "hNode:p phGraph:p*") \
	ARGUMENTS(cudaGraphNodeGetLocalId, "hNode:p nodeId:u*") \
	ARGUMENTS(cudaGraphNodeGetToolsId, "hNode:p toolsNodeId:z*") \
	ARGUMENTS(cudaUserObjectCreate, "object_out:p* ptr:p destroy:p initialRefcount:u flags:u") \
	ARGUMENTS(cudaUserObjectRelease, "object:p count:u") \
	ARGUMENTS(cudaUserObjectRetain, "object:p count:u") \
	ARGUMENTS(cudaFuncSetAttribute, "func:p attr:i value:i") \
	ARGUMENTS(cudaFuncSetCacheConfig, "func:p cacheConfig:i") \
	ARGUMENTS(cudaFuncSetSharedMemConfig, "func:p config:i") \
	ARGUMENTS(cudaKernelSetAttributeForDevice, "kernel:p attr:i value:i device:i") \
	ARGUMENTS(cudaLibraryEnumerateKernels, "kernels:p* numKernels:u lib:p") \
	ARGUMENTS(cudaLibraryGetGlobal, "dptr:p* bytes:z* library:p name:p") \
	ARGUMENTS(cudaLibraryGetKernelCount, "count:u* lib:p") \
	ARGUMENTS(cudaLibraryGetManaged, "dptr:p* bytes:z* library:p name:p") \
	ARGUMENTS(cudaLibraryGetUnifiedFunction, "fptr:p* library:p symbol:p") \
	ARGUMENTS(cudaLibraryLoadData, "library:p* code:p jitOptions:i* jitOptionsValues:p* numJitOptions:u libraryOptions:i* libraryOptionValues:p* numLibraryOptions:u") \
	ARGUMENTS(cudaLibraryLoadFromFile, "library:p* fileName:p jitOptions:i* jitOptionsValues:p* numJitOptions:u libraryOptions:i* libraryOptionValues:p* numLibraryOptions:u") \
	ARGUMENTS(cudaLibraryUnload, "library:p") \
	ARGUMENTS(cudaFuncGetParamCount, "func:p paramCount:z*") \
	ARGUMENTS(cudaDriverGetVersion, "driverVersion:i*") \
	ARGUMENTS(cudaGetDeviceCount, "count:i*") \
	ARGUMENTS(cudaRuntimeGetVersion, "runtimeVersion:i*") \
	ARGUMENTS(cudaDeviceGetAttribute, "value:i* attr:i device:i") \
	ARGUMENTS(cudaEventQuery, "event:p") \
	ARGUMENTS(cudaFuncGetAttributes, "attr:p func:p") \
	ARGUMENTS(cudaGetDevice, "device:i*") \
	ARGUMENTS(cudaOccupancyAvailableDynamicSMemPerBlock, "dynamicSmemSize:z* func:p numBlocks:i blockSize:i") \
	ARGUMENTS(cudaOccupancyMaxActiveBlocksPerMultiprocessor, "numBlocks:i* func:p blockSize:i dynamicSMemSize:z") \
	ARGUMENTS(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "numBlocks:i* func:p blockSize:i dynamicSMemSize:z flags:u") \
	ARGUMENTS(cudaOccupancyMaxActiveClusters, "numClusters:i* func:p launchConfig:p") \
	ARGUMENTS(cudaOccupancyMaxPotentialClusterSize, "clusterSize:i* func:p launchConfig:p") \
	ARGUMENTS(cudaPointerGetAttributes, "attributes:p ptr:p") \
	ARGUMENTS(cudaStreamGetCaptureInfo, "stream:s captureStatus_out:i* id_out:z* graph_out:p* dependencies_out:p edgeData_out:p numDependencies_out:z*") \
	ARGUMENTS(cudaStreamGetCaptureInfo_ptsz, "stream:s captureStatus_out:i* id_out:z* graph_out:p* dependencies_out:p edgeData_out:p numDependencies_out:z*") \
	ARGUMENTS(cudaStreamGetCaptureInfo_v3, "stream:s captureStatus_out:i* id_out:z* graph_out:p* dependencies_out:p edgeData_out:p numDependencies_out:z*") \
	ARGUMENTS(cudaStreamGetCaptureInfo_v3_ptsz, "stream:s captureStatus_out:i* id_out:z* graph_out:p* dependencies_out:p edgeData_out:p numDependencies_out:z*") \
	ARGUMENTS(cudaStreamIsCapturing, "stream:s pCaptureStatus:i*") \
	ARGUMENTS(cudaStreamIsCapturing_ptsz, "stream:s pCaptureStatus:i*") \
	ARGUMENTS(cudaStreamQuery, "stream:s") \
	ARGUMENTS(cudaStreamQuery_ptsz, "stream:s") \
	ARGUMENTS(cudaThreadExchangeStreamCaptureMode, "mode:i*") \
	ARGUMENTS(cudaExecutionCtxGetDevice, "device:i* ctx:p") \
	ARGUMENTS(cudaExecutionCtxGetId, "ctx:p ctxId:z*") \
	ARGUMENTS(cudaFuncGetParamInfo, "func:p paramIndex:z paramOffset:z* paramSize:z*") \
	ARGUMENTS(cudaGetDriverEntryPoint, "symbol:p funcPtr:p* flags:z driverStatus:i*") \
	ARGUMENTS(cudaGetDriverEntryPoint_ptsz, "symbol:p funcPtr:p* flags:z driverStatus:i*") \
	ARGUMENTS(cudaGetDriverEntryPointByVersion, "symbol:p funcPtr:p* cudaVersion:u flags:z driverStatus:i*") \
	ARGUMENTS(cudaGetDriverEntryPointByVersion_ptsz, "symbol:p funcPtr:p* cudaVersion:u flags:z driverStatus:i*") \
	ARGUMENTS(cudaGetExportTable, "ppExportTable:p pExportTableId:p")
