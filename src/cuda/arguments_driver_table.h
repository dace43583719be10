/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made by tests/generate-arguments.py from NVIDIA's public headers (names and
 * kinds of arguments only); do not edit. The driver's functions; each word is
 * an argument, in the order of integer registers: its name, and what it is
 * (arguments.c).
 */
#define DRIVER_ARGUMENTS(ARGUMENTS) \
	ARGUMENTS(cuMemMap, "ptr:p size:z offset:z handle:p flags:z") \
	ARGUMENTS(cuMemUnmap, "ptr:p size:z") \
	ARGUMENTS(cuMemRetainAllocationHandle, "handle:p* addr:p") \
	ARGUMENTS(cuCtxSynchronize_v2, "ctx:p") \
	ARGUMENTS(cuStreamSynchronize, "hStream:s") \
	ARGUMENTS(cuStreamSynchronize_ptsz, "hStream:s") \
	ARGUMENTS(cuEventSynchronize, "hEvent:p") \
	ARGUMENTS(cuCtxSetCurrent, "ctx:p") \
	ARGUMENTS(cuCtxPushCurrent_v2, "ctx:p") \
	ARGUMENTS(cuCtxPushCurrent, "ctx:p") \
	ARGUMENTS(cuCtxPopCurrent_v2, "pctx:p*") \
	ARGUMENTS(cuCtxPopCurrent, "pctx:p*") \
	ARGUMENTS(cuCtxCreate, "pctx:p* flags:u dev:i") \
	ARGUMENTS(cuCtxCreate_v2, "pctx:p* flags:u dev:i") \
	ARGUMENTS(cuCtxCreate_v3, "pctx:p* paramsArray:p numParams:i flags:u dev:i") \
	ARGUMENTS(cuCtxCreate_v4, "pctx:p* ctxCreateParams:p flags:u dev:i") \
	ARGUMENTS(cuGLCtxCreate, "pCtx:p* Flags:u device:i") \
	ARGUMENTS(cuGLCtxCreate_v2, "pCtx:p* Flags:u device:i") \
	ARGUMENTS(cuVDPAUCtxCreate, "pCtx:p* flags:u device:i vdpDevice:u vdpGetProcAddress:p") \
	ARGUMENTS(cuVDPAUCtxCreate_v2, "pCtx:p* flags:u device:i vdpDevice:u vdpGetProcAddress:p") \
	ARGUMENTS(cuCtxDestroy_v2, "ctx:p") \
	ARGUMENTS(cuCtxDestroy, "ctx:p") \
	ARGUMENTS(cuCtxDetach, "ctx:p") \
	ARGUMENTS(cuDevicePrimaryCtxRetain, "pctx:p* dev:i") \
	ARGUMENTS(cuDevicePrimaryCtxRelease_v2, "dev:i") \
	ARGUMENTS(cuDevicePrimaryCtxRelease, "dev:i") \
	ARGUMENTS(cuDevicePrimaryCtxReset_v2, "dev:i") \
	ARGUMENTS(cuDevicePrimaryCtxReset, "dev:i") \
	ARGUMENTS(cuGreenCtxCreate, "phCtx:p* desc:p dev:i flags:u") \
	ARGUMENTS(cuGreenCtxDestroy, "hCtx:p") \
	ARGUMENTS(cuCtxFromGreenCtx, "pContext:p* hCtx:p") \
	ARGUMENTS(cuCheckpointProcessLock, "pid:i args:p") \
	ARGUMENTS(cuCheckpointProcessCheckpoint, "pid:i args:p") \
	ARGUMENTS(cuCheckpointProcessRestore, "pid:i args:p") \
	ARGUMENTS(cuCheckpointProcessUnlock, "pid:i args:p") \
	ARGUMENTS(cuMemPoolCreate, "pool:p* poolProps:p") \
	ARGUMENTS(cuDeviceGetDefaultMemPool, "pool_out:p* dev:i") \
	ARGUMENTS(cuDeviceGetMemPool, "pool:p* dev:i") \
	ARGUMENTS(cuModuleGetFunction, "hfunc:p* hmod:p name:p") \
	ARGUMENTS(cuLibraryGetKernel, "pKernel:p* library:p name:p") \
	ARGUMENTS(cuKernelGetFunction, "pFunc:p* kernel:p") \
	ARGUMENTS(cuFuncGetName, "name:p hfunc:p") \
	ARGUMENTS(cuKernelGetName, "name:p hfunc:p") \
	ARGUMENTS(cuSurfObjectCreate, "pSurfObject:p* pResDesc:p") \
	ARGUMENTS(cuSurfObjectDestroy, "surfObject:p") \
	ARGUMENTS(cuTexObjectCreate, "pTexObject:p* pResDesc:p pTexDesc:p pResViewDesc:p") \
	ARGUMENTS(cuTexObjectDestroy, "texObject:p") \
	ARGUMENTS(cuArray3DCreate, "pHandle:p* pAllocateArray:p") \
	ARGUMENTS(cuArray3DGetDescriptor, "pArrayDescriptor:p hArray:p") \
	ARGUMENTS(cuArray3DGetDescriptor_v2, "pArrayDescriptor:p hArray:p") \
	ARGUMENTS(cuArrayCreate, "pHandle:p* pAllocateArray:p") \
	ARGUMENTS(cuArrayGetDescriptor, "pArrayDescriptor:p hArray:p") \
	ARGUMENTS(cuArrayGetDescriptor_v2, "pArrayDescriptor:p hArray:p") \
	ARGUMENTS(cuArrayGetMemoryRequirements, "memoryRequirements:p array:p device:i") \
	ARGUMENTS(cuArrayGetPlane, "pPlaneArray:p* hArray:p planeIdx:u") \
	ARGUMENTS(cuArrayGetSparseProperties, "sparseProperties:p array:p") \
	ARGUMENTS(cuDestroyExternalMemory, "extMem:p") \
	ARGUMENTS(cuDestroyExternalSemaphore, "extSem:p") \
	ARGUMENTS(cuGraphicsMapResources, "count:u resources:p* hStream:s") \
	ARGUMENTS(cuGraphicsMapResources_ptsz, "count:u resources:p* hStream:s") \
	ARGUMENTS(cuGraphicsResourceGetMappedMipmappedArray, "pMipmappedArray:p* resource:p") \
	ARGUMENTS(cuGraphicsResourceGetMappedPointer, "pDevPtr:p* pSize:u* resource:p") \
	ARGUMENTS(cuGraphicsResourceGetMappedPointer_v2, "pDevPtr:p* pSize:z* resource:p") \
	ARGUMENTS(cuGraphicsResourceSetMapFlags, "resource:p flags:u") \
	ARGUMENTS(cuGraphicsResourceSetMapFlags_v2, "resource:p flags:u") \
	ARGUMENTS(cuGraphicsSubResourceGetMappedArray, "pArray:p* resource:p arrayIndex:u mipLevel:u") \
	ARGUMENTS(cuGraphicsUnmapResources, "count:u resources:p* hStream:s") \
	ARGUMENTS(cuGraphicsUnmapResources_ptsz, "count:u resources:p* hStream:s") \
	ARGUMENTS(cuGraphicsUnregisterResource, "resource:p") \
	ARGUMENTS(cuImportExternalMemory, "extMem_out:p* memHandleDesc:p") \
	ARGUMENTS(cuImportExternalSemaphore, "extSem_out:p* semHandleDesc:p") \
	ARGUMENTS(cuIpcGetMemHandle, "pHandle:p dptr:p") \
	ARGUMENTS(cuMemAddressFree, "ptr:p size:z") \
	ARGUMENTS(cuMemAddressReserve, "ptr:p* size:z alignment:z addr:p flags:z") \
	ARGUMENTS(cuMemAdvise, "devPtr:p count:z advice:i device:i") \
	ARGUMENTS(cuMemAdvise_v2, "devPtr:p count:z advice:i location:p") \
	ARGUMENTS(cuMemAllocPitch, "dptr:p* pPitch:u* WidthInBytes:u Height:u ElementSizeBytes:u") \
	ARGUMENTS(cuMemBatchDecompressAsync, "paramsArray:p count:z flags:u errorIndex:z* stream:s") \
	ARGUMENTS(cuMemBatchDecompressAsync_ptsz, "paramsArray:p count:z flags:u errorIndex:z* stream:s") \
	ARGUMENTS(cuMemDiscardAndPrefetchBatchAsync, "dptrs:p* sizes:z* count:z prefetchLocs:p prefetchLocIdxs:z* numPrefetchLocs:z flags:z hStream:s") \
	ARGUMENTS(cuMemDiscardAndPrefetchBatchAsync_ptsz, "dptrs:p* sizes:z* count:z prefetchLocs:p prefetchLocIdxs:z* numPrefetchLocs:z flags:z hStream:s") \
	ARGUMENTS(cuMemDiscardBatchAsync, "dptrs:p* sizes:z* count:z flags:z hStream:s") \
	ARGUMENTS(cuMemDiscardBatchAsync_ptsz, "dptrs:p* sizes:z* count:z flags:z hStream:s") \
	ARGUMENTS(cuMemExportToShareableHandle, "shareableHandle:p handle:p handleType:i flags:z") \
	ARGUMENTS(cuMemGetDefaultMemPool, "pool_out:p* location:p type:i") \
	ARGUMENTS(cuMemGetHandleForAddressRange, "handle:p dptr:p size:z handleType:i flags:z") \
	ARGUMENTS(cuMemGetInfo, "free:u* total:u*") \
	ARGUMENTS(cuMemGetInfo_v2, "free:z* total:z*") \
	ARGUMENTS(cuMemGetMemPool, "pool:p* location:p type:i") \
	ARGUMENTS(cuMemMapArrayAsync, "mapInfoList:p count:u hStream:s") \
	ARGUMENTS(cuMemMapArrayAsync_ptsz, "mapInfoList:p count:u hStream:s") \
	ARGUMENTS(cuMemPoolDestroy, "pool:p") \
	ARGUMENTS(cuMemPoolExportPointer, "shareData_out:p ptr:p") \
	ARGUMENTS(cuMemPoolExportToShareableHandle, "handle_out:p pool:p handleType:i flags:z") \
	ARGUMENTS(cuMemPoolGetAccess, "flags:i* memPool:p location:p") \
	ARGUMENTS(cuMemPoolGetAttribute, "pool:p attr:i value:p") \
	ARGUMENTS(cuMemPoolImportFromShareableHandle, "pool_out:p* handle:p handleType:i flags:z") \
	ARGUMENTS(cuMemPoolSetAccess, "pool:p map:p count:z") \
	ARGUMENTS(cuMemPoolSetAttribute, "pool:p attr:i value:p") \
	ARGUMENTS(cuMemPoolTrimTo, "pool:p minBytesToKeep:z") \
	ARGUMENTS(cuMemPrefetchAsync, "devPtr:p count:z dstDevice:i hStream:s") \
	ARGUMENTS(cuMemPrefetchAsync_ptsz, "devPtr:p count:z dstDevice:i hStream:s") \
	ARGUMENTS(cuMemPrefetchAsync_v2, "devPtr:p count:z location:p flags:u hStream:s") \
	ARGUMENTS(cuMemPrefetchAsync_v2_ptsz, "devPtr:p count:z location:p flags:u hStream:s") \
	ARGUMENTS(cuMemPrefetchBatchAsync, "dptrs:p* sizes:z* count:z prefetchLocs:p prefetchLocIdxs:z* numPrefetchLocs:z flags:z hStream:s") \
	ARGUMENTS(cuMemPrefetchBatchAsync_ptsz, "dptrs:p* sizes:z* count:z prefetchLocs:p prefetchLocIdxs:z* numPrefetchLocs:z flags:z hStream:s") \
	ARGUMENTS(cuMemRangeGetAttribute, "data:p dataSize:z attribute:i devPtr:p count:z") \
	ARGUMENTS(cuMemRangeGetAttributes, "data:p* dataSizes:z* attributes:i* numAttributes:z devPtr:p count:z") \
	ARGUMENTS(cuMemSetAccess, "ptr:p size:z desc:p count:z") \
	ARGUMENTS(cuMemSetMemPool, "location:p type:i pool:p") \
	ARGUMENTS(cuMemsetD16, "dstDevice:p us:u N:u") \
	ARGUMENTS(cuMemsetD16Async, "dstDevice:p us:u N:z hStream:s") \
	ARGUMENTS(cuMemsetD16Async_ptsz, "dstDevice:p us:u N:z hStream:s") \
	ARGUMENTS(cuMemsetD16_v2, "dstDevice:p us:u N:z") \
	ARGUMENTS(cuMemsetD16_v2_ptds, "dstDevice:p us:u N:z") \
	ARGUMENTS(cuMemsetD2D16, "dstDevice:p dstPitch:u us:u Width:u Height:u") \
	ARGUMENTS(cuMemsetD2D16Async, "dstDevice:p dstPitch:z us:u Width:z Height:z hStream:s") \
	ARGUMENTS(cuMemsetD2D16Async_ptsz, "dstDevice:p dstPitch:z us:u Width:z Height:z hStream:s") \
	ARGUMENTS(cuMemsetD2D16_v2, "dstDevice:p dstPitch:z us:u Width:z Height:z") \
	ARGUMENTS(cuMemsetD2D16_v2_ptds, "dstDevice:p dstPitch:z us:u Width:z Height:z") \
	ARGUMENTS(cuMemsetD2D32, "dstDevice:p dstPitch:u ui:u Width:u Height:u") \
	ARGUMENTS(cuMemsetD2D32Async, "dstDevice:p dstPitch:z ui:u Width:z Height:z hStream:s") \
	ARGUMENTS(cuMemsetD2D32Async_ptsz, "dstDevice:p dstPitch:z ui:u Width:z Height:z hStream:s") \
	ARGUMENTS(cuMemsetD2D32_v2, "dstDevice:p dstPitch:z ui:u Width:z Height:z") \
	ARGUMENTS(cuMemsetD2D32_v2_ptds, "dstDevice:p dstPitch:z ui:u Width:z Height:z") \
	ARGUMENTS(cuMemsetD2D8, "dstDevice:p dstPitch:u uc:u Width:u Height:u") \
	ARGUMENTS(cuMemsetD2D8Async, "dstDevice:p dstPitch:z uc:u Width:z Height:z hStream:s") \
	ARGUMENTS(cuMemsetD2D8Async_ptsz, "dstDevice:p dstPitch:z uc:u Width:z Height:z hStream:s") \
	ARGUMENTS(cuMemsetD2D8_v2, "dstDevice:p dstPitch:z uc:u Width:z Height:z") \
	ARGUMENTS(cuMemsetD2D8_v2_ptds, "dstDevice:p dstPitch:z uc:u Width:z Height:z") \
	ARGUMENTS(cuMemsetD32, "dstDevice:p ui:u N:u") \
	ARGUMENTS(cuMemsetD32Async, "dstDevice:p ui:u N:z hStream:s") \
	ARGUMENTS(cuMemsetD32Async_ptsz, "dstDevice:p ui:u N:z hStream:s") \
	ARGUMENTS(cuMemsetD32_v2, "dstDevice:p ui:u N:z") \
	ARGUMENTS(cuMemsetD32_v2_ptds, "dstDevice:p ui:u N:z") \
	ARGUMENTS(cuMemsetD8, "dstDevice:p uc:u N:u") \
	ARGUMENTS(cuMemsetD8Async, "dstDevice:p uc:u N:z hStream:s") \
	ARGUMENTS(cuMemsetD8Async_ptsz, "dstDevice:p uc:u N:z hStream:s") \
	ARGUMENTS(cuMemsetD8_v2, "dstDevice:p uc:u N:z") \
	ARGUMENTS(cuMemsetD8_v2_ptds, "dstDevice:p uc:u N:z") \
	ARGUMENTS(cuMipmappedArrayGetLevel, "pLevelArray:p* hMipmappedArray:p level:u") \
	ARGUMENTS(cuMipmappedArrayGetMemoryRequirements, "memoryRequirements:p mipmap:p device:i") \
	ARGUMENTS(cuMipmappedArrayGetSparseProperties, "sparseProperties:p mipmap:p") \
	ARGUMENTS(cuMulticastAddDevice, "mcHandle:p dev:i") \
	ARGUMENTS(cuMulticastBindAddr, "mcHandle:p mcOffset:z memptr:p size:z flags:z") \
	ARGUMENTS(cuMulticastBindMem, "mcHandle:p mcOffset:z memHandle:p memOffset:z size:z flags:z") \
	ARGUMENTS(cuMulticastGetGranularity, "granularity:z* prop:p option:i") \
	ARGUMENTS(cuMulticastUnbind, "mcHandle:p dev:i mcOffset:z size:z") \
	ARGUMENTS(cuPointerSetAttribute, "value:p attribute:i ptr:p") \
	ARGUMENTS(cuMulticastBindAddr_v2, "mcHandle:p dev:i mcOffset:z memptr:p size:z flags:z") \
	ARGUMENTS(cuMulticastBindMem_v2, "mcHandle:p dev:i mcOffset:z memHandle:p memOffset:z size:z flags:z") \
	ARGUMENTS(cuTensorMapEncodeIm2col, "tensorMap:p tensorDataType:i tensorRank:u globalAddress:p globalDim:p globalStrides:p pixelBoxLowerCorner:p pixelBoxUpperCorner:p channelsPerPixel:u pixelsPerColumn:u elementStrides:p interleave:i swizzle:i l2Promotion:i oobFill:i") \
	ARGUMENTS(cuTensorMapEncodeIm2colWide, "tensorMap:p tensorDataType:i tensorRank:u globalAddress:p globalDim:p globalStrides:p pixelBoxLowerCornerWidth:i pixelBoxUpperCornerWidth:i channelsPerPixel:u pixelsPerColumn:u elementStrides:p interleave:i mode:i swizzle:i l2Promotion:i oobFill:i") \
	ARGUMENTS(cuTensorMapEncodeTiled, "tensorMap:p tensorDataType:i tensorRank:u globalAddress:p globalDim:p globalStrides:p boxDim:p elementStrides:p interleave:i swizzle:i l2Promotion:i oobFill:i") \
	ARGUMENTS(cuTensorMapReplaceAddress, "tensorMap:p globalAddress:p") \
	ARGUMENTS(cuLogicalEndpointAddDevice, "leId:u dev:i") \
	ARGUMENTS(cuLogicalEndpointBindAddr, "leId:u dev:i offset:z ptr:p size:z flags:z") \
	ARGUMENTS(cuLogicalEndpointBindMem, "leId:u dev:i offset:z memHandle:p memOffset:z size:z flags:z") \
	ARGUMENTS(cuLogicalEndpointCreate, "leId:u prop:p") \
	ARGUMENTS(cuLogicalEndpointDestroy, "leId:u") \
	ARGUMENTS(cuLogicalEndpointExport, "handle:p leId:u handleType:i") \
	ARGUMENTS(cuLogicalEndpointGetLimits, "bindAlignment:z* maxSize:z* prop:p") \
	ARGUMENTS(cuLogicalEndpointIdRelease, "baseLeId:u count:u") \
	ARGUMENTS(cuLogicalEndpointIdReserve, "baseLeId:u* count:u") \
	ARGUMENTS(cuLogicalEndpointImport, "leId:u handle:p handleType:i") \
	ARGUMENTS(cuLogicalEndpointUnbind, "leId:u dev:i offset:z size:z") \
	ARGUMENTS(cuSurfObjectGetResourceDesc, "pResDesc:p surfObject:p") \
	ARGUMENTS(cuSurfRefGetArray, "phArray:p* hSurfRef:p") \
	ARGUMENTS(cuSurfRefSetArray, "hSurfRef:p hArray:p Flags:u") \
	ARGUMENTS(cuTexObjectGetResourceDesc, "pResDesc:p texObject:p") \
	ARGUMENTS(cuTexObjectGetResourceViewDesc, "pResViewDesc:p texObject:p") \
	ARGUMENTS(cuTexObjectGetTextureDesc, "pTexDesc:p texObject:p") \
	ARGUMENTS(cuTexRefCreate, "pTexRef:p*") \
	ARGUMENTS(cuTexRefDestroy, "hTexRef:p") \
	ARGUMENTS(cuTexRefGetAddress, "pdptr:p* hTexRef:p") \
	ARGUMENTS(cuTexRefGetAddressMode, "pam:i* hTexRef:p dim:i") \
	ARGUMENTS(cuTexRefGetAddress_v2, "pdptr:p* hTexRef:p") \
	ARGUMENTS(cuTexRefGetArray, "phArray:p* hTexRef:p") \
	ARGUMENTS(cuTexRefGetBorderColor, "pBorderColor:f* hTexRef:p") \
	ARGUMENTS(cuTexRefGetFilterMode, "pfm:i* hTexRef:p") \
	ARGUMENTS(cuTexRefGetFlags, "pFlags:u* hTexRef:p") \
	ARGUMENTS(cuTexRefGetFormat, "pFormat:i* pNumChannels:i* hTexRef:p") \
	ARGUMENTS(cuTexRefGetMaxAnisotropy, "pmaxAniso:i* hTexRef:p") \
	ARGUMENTS(cuTexRefGetMipmapFilterMode, "pfm:i* hTexRef:p") \
	ARGUMENTS(cuTexRefGetMipmapLevelBias, "pbias:f* hTexRef:p") \
	ARGUMENTS(cuTexRefGetMipmapLevelClamp, "pminMipmapLevelClamp:f* pmaxMipmapLevelClamp:f* hTexRef:p") \
	ARGUMENTS(cuTexRefGetMipmappedArray, "phMipmappedArray:p* hTexRef:p") \
	ARGUMENTS(cuTexRefSetAddress, "ByteOffset:u* hTexRef:p dptr:p bytes:u") \
	ARGUMENTS(cuTexRefSetAddress2D, "hTexRef:p desc:p dptr:p Pitch:u") \
	ARGUMENTS(cuTexRefSetAddress2D_v2, "hTexRef:p desc:p dptr:p Pitch:z") \
	ARGUMENTS(cuTexRefSetAddress2D_v3, "hTexRef:p desc:p dptr:p Pitch:z") \
	ARGUMENTS(cuTexRefSetAddressMode, "hTexRef:p dim:i am:i") \
	ARGUMENTS(cuTexRefSetAddress_v2, "ByteOffset:z* hTexRef:p dptr:p bytes:z") \
	ARGUMENTS(cuTexRefSetArray, "hTexRef:p hArray:p Flags:u") \
	ARGUMENTS(cuTexRefSetBorderColor, "hTexRef:p pBorderColor:f*") \
	ARGUMENTS(cuTexRefSetFilterMode, "hTexRef:p fm:i") \
	ARGUMENTS(cuTexRefSetFlags, "hTexRef:p Flags:u") \
	ARGUMENTS(cuTexRefSetFormat, "hTexRef:p fmt:i NumPackedComponents:i") \
	ARGUMENTS(cuTexRefSetMaxAnisotropy, "hTexRef:p maxAniso:u") \
	ARGUMENTS(cuTexRefSetMipmapFilterMode, "hTexRef:p fm:i") \
	ARGUMENTS(cuTexRefSetMipmapLevelBias, "hTexRef:p") \
	ARGUMENTS(cuTexRefSetMipmapLevelClamp, "hTexRef:p") \
	ARGUMENTS(cuTexRefSetMipmappedArray, "hTexRef:p hMipmappedArray:p Flags:u") \
	ARGUMENTS(cuGLMapBufferObject_v2, "dptr:p* size:z* buffer:u") \
	ARGUMENTS(cuGLMapBufferObject_v2_ptds, "dptr:p* size:z* buffer:u") \
	ARGUMENTS(cuGLMapBufferObjectAsync_v2, "dptr:p* size:z* buffer:u hStream:s") \
	ARGUMENTS(cuGLMapBufferObjectAsync_v2_ptsz, "dptr:p* size:z* buffer:u hStream:s") \
	ARGUMENTS(cuEGLStreamConsumerAcquireFrame, "conn:p* pCudaResource:p* pStream:p* timeout:u") \
	ARGUMENTS(cuEGLStreamConsumerConnect, "conn:p* stream:p") \
	ARGUMENTS(cuEGLStreamConsumerConnectWithFlags, "conn:p* stream:p flags:u") \
	ARGUMENTS(cuEGLStreamConsumerDisconnect, "conn:p*") \
	ARGUMENTS(cuEGLStreamConsumerReleaseFrame, "conn:p* pCudaResource:p pStream:p*") \
	ARGUMENTS(cuEGLStreamProducerConnect, "conn:p* stream:p width:i height:i") \
	ARGUMENTS(cuEGLStreamProducerDisconnect, "conn:p*") \
	ARGUMENTS(cuEGLStreamProducerPresentFrame, "conn:p* pStream:p*") \
	ARGUMENTS(cuEGLStreamProducerReturnFrame, "conn:p* eglframe:p pStream:p*") \
	ARGUMENTS(cuGLMapBufferObject, "dptr:p* size:u* buffer:u") \
	ARGUMENTS(cuGLMapBufferObjectAsync, "dptr:p* size:u* buffer:u hStream:s") \
	ARGUMENTS(cuGLRegisterBufferObject, "buffer:u") \
	ARGUMENTS(cuGLSetBufferObjectMapFlags, "buffer:u Flags:u") \
	ARGUMENTS(cuGLUnmapBufferObject, "buffer:u") \
	ARGUMENTS(cuGLUnmapBufferObjectAsync, "buffer:u hStream:s") \
	ARGUMENTS(cuGLUnregisterBufferObject, "buffer:u") \
	ARGUMENTS(cuGraphicsEGLRegisterImage, "pCudaResource:p* image:p flags:u") \
	ARGUMENTS(cuGraphicsGLRegisterBuffer, "pCudaResource:p* buffer:u Flags:u") \
	ARGUMENTS(cuGraphicsGLRegisterImage, "pCudaResource:p* image:u target:u Flags:u") \
	ARGUMENTS(cuGraphicsResourceGetMappedEglFrame, "eglFrame:p resource:p index:u mipLevel:u") \
	ARGUMENTS(cuGraphicsVDPAURegisterOutputSurface, "pCudaResource:p* vdpSurface:u flags:u") \
	ARGUMENTS(cuGraphicsVDPAURegisterVideoSurface, "pCudaResource:p* vdpSurface:u flags:u") \
	ARGUMENTS(cuMemcpy2D, "pCopy:p") \
	ARGUMENTS(cuMemcpy2DAsync, "pCopy:p hStream:s") \
	ARGUMENTS(cuMemcpy2DUnaligned, "pCopy:p") \
	ARGUMENTS(cuMemcpy3D, "pCopy:p") \
	ARGUMENTS(cuMemcpy3DAsync, "pCopy:p hStream:s") \
	ARGUMENTS(cuMemcpyAtoA, "dstArray:p dstOffset:u srcArray:p srcOffset:u ByteCount:u") \
	ARGUMENTS(cuMemcpyAtoD, "dstDevice:p srcArray:p srcOffset:u ByteCount:u") \
	ARGUMENTS(cuMemcpyAtoH, "dstHost:p srcArray:p srcOffset:u ByteCount:u") \
	ARGUMENTS(cuMemcpyAtoHAsync, "dstHost:p srcArray:p srcOffset:u ByteCount:u hStream:s") \
	ARGUMENTS(cuMemcpyDtoA, "dstArray:p dstOffset:u srcDevice:p ByteCount:u") \
	ARGUMENTS(cuMemcpyHtoA, "dstArray:p dstOffset:u srcHost:p ByteCount:u") \
	ARGUMENTS(cuMemcpyHtoAAsync, "dstArray:p dstOffset:u srcHost:p ByteCount:u hStream:s") \
	ARGUMENTS(cuLaunchHostFunc, "hStream:s fn:p userData:p") \
	ARGUMENTS(cuLaunchHostFunc_ptsz, "hStream:s fn:p userData:p") \
	ARGUMENTS(cuLaunchHostFunc_v2, "hStream:s fn:p userData:p syncMode:u") \
	ARGUMENTS(cuLaunchHostFunc_v2_ptsz, "hStream:s fn:p userData:p syncMode:u") \
	ARGUMENTS(cuSignalExternalSemaphoresAsync, "extSemArray:p paramsArray:p numExtSems:u stream:s") \
	ARGUMENTS(cuSignalExternalSemaphoresAsync_ptsz, "extSemArray:p paramsArray:p numExtSems:u stream:s") \
	ARGUMENTS(cuStreamAddCallback, "hStream:s callback:p userData:p flags:u") \
	ARGUMENTS(cuStreamAddCallback_ptsz, "hStream:s callback:p userData:p flags:u") \
	ARGUMENTS(cuStreamAttachMemAsync, "hStream:s dptr:p length:z flags:u") \
	ARGUMENTS(cuStreamAttachMemAsync_ptsz, "hStream:s dptr:p length:z flags:u") \
	ARGUMENTS(cuStreamBatchMemOp, "stream:s count:u paramArray:p flags:u") \
	ARGUMENTS(cuStreamBatchMemOp_ptsz, "stream:s count:u paramArray:p flags:u") \
	ARGUMENTS(cuStreamBatchMemOp_v2, "stream:s count:u paramArray:p flags:u") \
	ARGUMENTS(cuStreamBatchMemOp_v2_ptsz, "stream:s count:u paramArray:p flags:u") \
	ARGUMENTS(cuStreamBeginCapture, "hStream:s") \
	ARGUMENTS(cuStreamBeginCaptureToGraph, "hStream:s hGraph:p dependencies:p dependencyData:p numDependencies:z mode:i") \
	ARGUMENTS(cuStreamBeginCaptureToGraph_ptsz, "hStream:s hGraph:p dependencies:p dependencyData:p numDependencies:z mode:i") \
	ARGUMENTS(cuStreamBeginRecaptureToGraph, "hStream:s mode:i hGraph:p callbackFunc:p userData:p") \
	ARGUMENTS(cuStreamBeginRecaptureToGraph_ptsz, "hStream:s mode:i hGraph:p callbackFunc:p userData:p") \
	ARGUMENTS(cuStreamBeginCaptureToCig, "hStream:s streamCigCaptureParams:p") \
	ARGUMENTS(cuStreamBeginCaptureToCig_ptsz, "hStream:s streamCigCaptureParams:p") \
	ARGUMENTS(cuStreamEndCaptureToCig, "hStream:s") \
	ARGUMENTS(cuStreamEndCaptureToCig_ptsz, "hStream:s") \
	ARGUMENTS(cuStreamBeginCapture_ptsz, "hStream:s") \
	ARGUMENTS(cuStreamBeginCapture_v2, "hStream:s mode:i") \
	ARGUMENTS(cuStreamBeginCapture_v2_ptsz, "hStream:s mode:i") \
	ARGUMENTS(cuStreamCopyAttributes, "dstStream:s srcStream:s") \
	ARGUMENTS(cuStreamCopyAttributes_ptsz, "dst:s src:s") \
	ARGUMENTS(cuStreamCreate, "phStream:p* Flags:u") \
	ARGUMENTS(cuStreamCreateWithPriority, "phStream:p* flags:u priority:i") \
	ARGUMENTS(cuStreamDestroy, "hStream:s") \
	ARGUMENTS(cuStreamDestroy_v2, "hStream:s") \
	ARGUMENTS(cuStreamEndCapture, "hStream:s phGraph:p*") \
	ARGUMENTS(cuStreamEndCapture_ptsz, "hStream:s phGraph:p*") \
	ARGUMENTS(cuStreamSetAttribute, "hStream:s attr:i param:p") \
	ARGUMENTS(cuStreamSetAttribute_ptsz, "hStream:s attr:i value:p") \
	ARGUMENTS(cuStreamUpdateCaptureDependencies, "hStream:s dependencies:p* numDependencies:z flags:u") \
	ARGUMENTS(cuStreamUpdateCaptureDependencies_ptsz, "hStream:s dependencies:p* numDependencies:z flags:u") \
	ARGUMENTS(cuStreamUpdateCaptureDependencies_v2, "hStream:s dependencies:p* dependencyData:p numDependencies:z flags:u") \
	ARGUMENTS(cuStreamUpdateCaptureDependencies_v2_ptsz, "hStream:s dependencies:p* dependencyData:p numDependencies:z flags:u") \
	ARGUMENTS(cuStreamWaitEvent, "hStream:s hEvent:p Flags:u") \
	ARGUMENTS(cuStreamWaitEvent_ptsz, "hStream:s hEvent:p Flags:u") \
	ARGUMENTS(cuStreamWaitValue32, "stream:s addr:p value:u flags:u") \
	ARGUMENTS(cuStreamWaitValue32_ptsz, "stream:s addr:p value:u flags:u") \
	ARGUMENTS(cuStreamWaitValue32_v2, "stream:s addr:p value:u flags:u") \
	ARGUMENTS(cuStreamWaitValue32_v2_ptsz, "stream:s addr:p value:u flags:u") \
	ARGUMENTS(cuStreamWaitValue64, "stream:s addr:p value:z flags:u") \
	ARGUMENTS(cuStreamWaitValue64_ptsz, "stream:s addr:p value:z flags:u") \
	ARGUMENTS(cuStreamWaitValue64_v2, "stream:s addr:p value:z flags:u") \
	ARGUMENTS(cuStreamWaitValue64_v2_ptsz, "stream:s addr:p value:z flags:u") \
	ARGUMENTS(cuStreamWriteValue32, "stream:s addr:p value:u flags:u") \
	ARGUMENTS(cuStreamWriteValue32_ptsz, "stream:s addr:p value:u flags:u") \
	ARGUMENTS(cuStreamWriteValue32_v2, "stream:s addr:p value:u flags:u") \
	ARGUMENTS(cuStreamWriteValue32_v2_ptsz, "stream:s addr:p value:u flags:u") \
	ARGUMENTS(cuStreamWriteValue64, "stream:s addr:p value:z flags:u") \
	ARGUMENTS(cuStreamWriteValue64_ptsz, "stream:s addr:p value:z flags:u") \
	ARGUMENTS(cuStreamWriteValue64_v2, "stream:s addr:p value:z flags:u") \
	ARGUMENTS(cuStreamWriteValue64_v2_ptsz, "stream:s addr:p value:z flags:u") \
	ARGUMENTS(cuWaitExternalSemaphoresAsync, "extSemArray:p paramsArray:p numExtSems:u stream:s") \
	ARGUMENTS(cuWaitExternalSemaphoresAsync_ptsz, "extSemArray:p paramsArray:p numExtSems:u stream:s") \
	ARGUMENTS(cuStreamGetDevResource, "hStream:s resource:p type:i") \
	ARGUMENTS(cuStreamGetDevResource_ptsz, "hStream:s resource:p type:i") \
	ARGUMENTS(cuEventCreate, "phEvent:p* Flags:u") \
	ARGUMENTS(cuEventDestroy, "hEvent:p") \
	ARGUMENTS(cuEventDestroy_v2, "hEvent:p") \
	ARGUMENTS(cuEventElapsedTime, "pMilliseconds:f* hStart:p hEnd:p") \
	ARGUMENTS(cuEventElapsedTime_v2, "pMilliseconds:f* hStart:p hEnd:p") \
	ARGUMENTS(cuEventRecord, "hEvent:p hStream:s") \
	ARGUMENTS(cuEventRecordWithFlags, "hEvent:p hStream:s flags:u") \
	ARGUMENTS(cuEventRecordWithFlags_ptsz, "hEvent:p hStream:s flags:u") \
	ARGUMENTS(cuEventRecord_ptsz, "hEvent:p hStream:s") \
	ARGUMENTS(cuIpcGetEventHandle, "pHandle:p event:p") \
	ARGUMENTS(cuIpcOpenEventHandle, "phEvent:p* :m") \
	ARGUMENTS(cuEventCreateFromEGLSync, "phEvent:p* eglSync:p flags:u") \
	ARGUMENTS(cuCtxAttach, "pctx:p* flags:u") \
	ARGUMENTS(cuCtxDisablePeerAccess, "peerContext:p") \
	ARGUMENTS(cuCtxEnablePeerAccess, "peerContext:p Flags:u") \
	ARGUMENTS(cuCtxRecordEvent, "hCtx:p hEvent:p") \
	ARGUMENTS(cuCtxSetCacheConfig, "config:i") \
	ARGUMENTS(cuCtxSetFlags, "flags:u") \
	ARGUMENTS(cuCtxSetLimit, "limit:i value:z") \
	ARGUMENTS(cuCtxSetSharedMemConfig, "config:i") \
	ARGUMENTS(cuCtxWaitEvent, "hCtx:p hEvent:p") \
	ARGUMENTS(cuDeviceGraphMemTrim, "device:i") \
	ARGUMENTS(cuDevicePrimaryCtxSetFlags, "dev:i flags:u") \
	ARGUMENTS(cuDevicePrimaryCtxSetFlags_v2, "dev:i flags:u") \
	ARGUMENTS(cuDeviceRegisterAsyncNotification, "device:i callbackFunc:p userData:p callback:p*") \
	ARGUMENTS(cuDeviceSetGraphMemAttribute, "device:i attr:i value:p") \
	ARGUMENTS(cuDeviceSetMemPool, "dev:i pool:p") \
	ARGUMENTS(cuDeviceUnregisterAsyncNotification, "device:i callback:p") \
	ARGUMENTS(cuFlushGPUDirectRDMAWrites, "target:i scope:i") \
	ARGUMENTS(cuGreenCtxRecordEvent, "hCtx:p hEvent:p") \
	ARGUMENTS(cuGreenCtxStreamCreate, "phStream:p* greenCtx:p flags:u priority:i") \
	ARGUMENTS(cuGreenCtxWaitEvent, "hCtx:p hEvent:p") \
	ARGUMENTS(cuInit, "Flags:u") \
	ARGUMENTS(cuCheckpointProcessGetRestoreThreadId, "pid:i tid:i*") \
	ARGUMENTS(cuCheckpointProcessGetState, "pid:i state:i*") \
	ARGUMENTS(cuCoredumpDeregisterCompleteCallback, "callback:p") \
	ARGUMENTS(cuCoredumpDeregisterStartCallback, "callback:p") \
	ARGUMENTS(cuCoredumpGetAttribute, "attrib:i value:p size:z*") \
	ARGUMENTS(cuCoredumpGetAttributeGlobal, "attrib:i value:p size:z*") \
	ARGUMENTS(cuCoredumpRegisterCompleteCallback, "callback:p userData:p callbackOut:p*") \
	ARGUMENTS(cuCoredumpRegisterStartCallback, "callback:p userData:p callbackOut:p*") \
	ARGUMENTS(cuCoredumpSetAttribute, "attrib:i value:p size:z*") \
	ARGUMENTS(cuCoredumpSetAttributeGlobal, "attrib:i value:p size:z*") \
	ARGUMENTS(cuDevResourceGenerateDesc, "phDesc:p* resources:p nbResources:u") \
	ARGUMENTS(cuDevSmResourceSplit, "result:p nbGroups:u input:p remainder:p flags:u groupParams:p") \
	ARGUMENTS(cuDevSmResourceSplitByCount, "result:p nbGroups:u* input:p remaining:p useFlags:u minCount:u") \
	ARGUMENTS(cuGLGetDevices, "pCudaDeviceCount:u* pCudaDevices:i* cudaDeviceCount:u deviceList:i") \
	ARGUMENTS(cuGLGetDevices_v2, "pCudaDeviceCount:u* pCudaDevices:i* cudaDeviceCount:u deviceList:i") \
	ARGUMENTS(cuGreenCtxGetDevResource, "hCtx:p resource:p") \
	ARGUMENTS(cuLogsCurrent, "iterator_out:u* flags:u") \
	ARGUMENTS(cuLogsDumpToFile, "iterator:u* pathToFile:p flags:u") \
	ARGUMENTS(cuLogsDumpToMemory, "iterator:u* buffer:p size:z* flags:u") \
	ARGUMENTS(cuLogsRegisterCallback, "callbackFunc:p userData:p callback_out:p*") \
	ARGUMENTS(cuLogsUnregisterCallback, "callback:p") \
	ARGUMENTS(cuProfilerInitialize, "configFile:p outputFile:p outputMode:i") \
	ARGUMENTS(cuVDPAUGetDevice, "pDevice:i* vdpDevice:u vdpGetProcAddress:p") \
	ARGUMENTS(cuGraphAddBatchMemOpNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cuGraphAddChildGraphNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z childGraph:p") \
	ARGUMENTS(cuGraphAddDependencies, "hGraph:p from:p to:p numDependencies:z") \
	ARGUMENTS(cuGraphAddDependencies_v2, "hGraph:p from:p to:p edgeData:p numDependencies:z") \
	ARGUMENTS(cuGraphAddEmptyNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z") \
	ARGUMENTS(cuGraphAddEventRecordNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z event:p") \
	ARGUMENTS(cuGraphAddEventWaitNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z event:p") \
	ARGUMENTS(cuGraphAddExternalSemaphoresSignalNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cuGraphAddExternalSemaphoresWaitNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cuGraphAddHostNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cuGraphAddKernelNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cuGraphAddKernelNode_v2, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cuGraphAddMemAllocNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cuGraphAddMemFreeNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z dptr:p") \
	ARGUMENTS(cuGraphAddMemcpyNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z copyParams:p ctx:p") \
	ARGUMENTS(cuGraphAddMemsetNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z memsetParams:p ctx:p") \
	ARGUMENTS(cuGraphAddNode, "phGraphNode:p* hGraph:p dependencies:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cuGraphAddNode_v2, "phGraphNode:p* hGraph:p dependencies:p dependencyData:p numDependencies:z nodeParams:p") \
	ARGUMENTS(cuGraphBatchMemOpNodeGetParams, "hNode:p nodeParams_out:p") \
	ARGUMENTS(cuGraphBatchMemOpNodeSetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphChildGraphNodeGetGraph, "hNode:p phGraph:p*") \
	ARGUMENTS(cuGraphClone, "phGraphClone:p* originalGraph:p") \
	ARGUMENTS(cuGraphConditionalHandleCreate, "pHandle_out:p* hGraph:p ctx:p defaultLaunchValue:u flags:u") \
	ARGUMENTS(cuGraphCreate, "phGraph:p* flags:u") \
	ARGUMENTS(cuGraphDebugDotPrint, "hGraph:p path:p flags:u") \
	ARGUMENTS(cuGraphDestroy, "hGraph:p") \
	ARGUMENTS(cuGraphDestroyNode, "hNode:p") \
	ARGUMENTS(cuGraphEventRecordNodeGetEvent, "hNode:p event_out:p*") \
	ARGUMENTS(cuGraphEventRecordNodeSetEvent, "hNode:p event:p") \
	ARGUMENTS(cuGraphEventWaitNodeGetEvent, "hNode:p event_out:p*") \
	ARGUMENTS(cuGraphEventWaitNodeSetEvent, "hNode:p event:p") \
	ARGUMENTS(cuGraphExecBatchMemOpNodeSetParams, "hGraphExec:p hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphExecChildGraphNodeSetParams, "hGraphExec:p hNode:p childGraph:p") \
	ARGUMENTS(cuGraphExecDestroy, "hGraphExec:p") \
	ARGUMENTS(cuGraphExecEventRecordNodeSetEvent, "hGraphExec:p hNode:p event:p") \
	ARGUMENTS(cuGraphExecEventWaitNodeSetEvent, "hGraphExec:p hNode:p event:p") \
	ARGUMENTS(cuGraphExecExternalSemaphoresSignalNodeSetParams, "hGraphExec:p hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphExecExternalSemaphoresWaitNodeSetParams, "hGraphExec:p hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphExecGetFlags, "hGraphExec:p flags:z*") \
	ARGUMENTS(cuGraphExecHostNodeSetParams, "hGraphExec:p hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphExecKernelNodeSetParams, "hGraphExec:p hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphExecKernelNodeSetParams_v2, "hGraphExec:p hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphExecMemcpyNodeSetParams, "hGraphExec:p hNode:p copyParams:p ctx:p") \
	ARGUMENTS(cuGraphExecMemsetNodeSetParams, "hGraphExec:p hNode:p memsetParams:p ctx:p") \
	ARGUMENTS(cuGraphExecNodeSetParams, "hGraphExec:p hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphExecUpdate, "hGraphExec:p hGraph:p hErrorNode_out:p* updateResult_out:i*") \
	ARGUMENTS(cuGraphExecUpdate_v2, "hGraphExec:p hGraph:p resultInfo:p") \
	ARGUMENTS(cuGraphExternalSemaphoresSignalNodeGetParams, "hNode:p params_out:p") \
	ARGUMENTS(cuGraphExternalSemaphoresSignalNodeSetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphExternalSemaphoresWaitNodeGetParams, "hNode:p params_out:p") \
	ARGUMENTS(cuGraphExternalSemaphoresWaitNodeSetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphGetEdges, "hGraph:p from:p* to:p* numEdges:z*") \
	ARGUMENTS(cuGraphGetEdges_v2, "hGraph:p from:p* to:p* edgeData:p numEdges:z*") \
	ARGUMENTS(cuGraphGetNodes, "hGraph:p nodes:p* numNodes:z*") \
	ARGUMENTS(cuGraphGetRootNodes, "hGraph:p rootNodes:p* numRootNodes:z*") \
	ARGUMENTS(cuGraphHostNodeGetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphHostNodeSetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphInstantiate, "phGraphExec:p* hGraph:p phErrorNode:p* logBuffer:p bufferSize:z") \
	ARGUMENTS(cuGraphInstantiateWithFlags, "phGraphExec:p* hGraph:p flags:z") \
	ARGUMENTS(cuGraphInstantiateWithParams, "phGraphExec:p* hGraph:p instantiateParams:p") \
	ARGUMENTS(cuGraphInstantiateWithParams_ptsz, "phGraphExec:p* hGraph:p instantiateParams:p") \
	ARGUMENTS(cuGraphInstantiate_v2, "phGraphExec:p* hGraph:p phErrorNode:p* logBuffer:p bufferSize:z") \
	ARGUMENTS(cuGraphKernelNodeCopyAttributes, "dst:p src:p") \
	ARGUMENTS(cuGraphKernelNodeGetAttribute, "hNode:p attr:i value_out:p") \
	ARGUMENTS(cuGraphKernelNodeGetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphKernelNodeGetParams_v2, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphKernelNodeSetAttribute, "hNode:p attr:i value:p") \
	ARGUMENTS(cuGraphKernelNodeSetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphKernelNodeSetParams_v2, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphLaunch, "hGraph:p hStream:s") \
	ARGUMENTS(cuGraphLaunch_ptsz, "hGraphExec:p hStream:s") \
	ARGUMENTS(cuGraphMemAllocNodeGetParams, "hNode:p params_out:p") \
	ARGUMENTS(cuGraphMemFreeNodeGetParams, "hNode:p dptr_out:p*") \
	ARGUMENTS(cuGraphMemcpyNodeGetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphMemcpyNodeSetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphMemsetNodeGetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphMemsetNodeSetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphNodeFindInClone, "phNode:p* hOriginalNode:p hClonedGraph:p") \
	ARGUMENTS(cuGraphNodeGetDependencies, "hNode:p dependencies:p* numDependencies:z*") \
	ARGUMENTS(cuGraphNodeGetDependencies_v2, "hNode:p dependencies:p* edgeData:p numDependencies:z*") \
	ARGUMENTS(cuGraphNodeGetDependentNodes, "hNode:p dependentNodes:p* numDependentNodes:z*") \
	ARGUMENTS(cuGraphNodeGetDependentNodes_v2, "hNode:p dependentNodes:p* edgeData:p numDependentNodes:z*") \
	ARGUMENTS(cuGraphNodeGetEnabled, "hGraphExec:p hNode:p isEnabled:u*") \
	ARGUMENTS(cuGraphNodeGetType, "hNode:p type:i*") \
	ARGUMENTS(cuGraphNodeSetEnabled, "hGraphExec:p hNode:p isEnabled:u") \
	ARGUMENTS(cuGraphNodeSetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphReleaseUserObject, "graph:p object:p count:u") \
	ARGUMENTS(cuGraphRemoveDependencies, "hGraph:p from:p to:p numDependencies:z") \
	ARGUMENTS(cuGraphRemoveDependencies_v2, "hGraph:p from:p to:p edgeData:p numDependencies:z") \
	ARGUMENTS(cuGraphRetainUserObject, "graph:p object:p count:u flags:u") \
	ARGUMENTS(cuGraphUpload, "hGraph:p hStream:s") \
	ARGUMENTS(cuGraphUpload_ptsz, "hGraphExec:p hStream:s") \
	ARGUMENTS(cuGraphNodeGetParams, "hNode:p nodeParams:p") \
	ARGUMENTS(cuGraphExecGetId, "hGraphExec:p graphId:u*") \
	ARGUMENTS(cuGraphGetId, "hGraph:p graphId:u*") \
	ARGUMENTS(cuGraphNodeGetContainingGraph, "hNode:p phGraph:p*") \
	ARGUMENTS(cuGraphNodeGetLocalId, "hNode:p nodeId:u*") \
	ARGUMENTS(cuGraphNodeGetToolsId, "hNode:p toolsNodeId:z*") \
	ARGUMENTS(cuUserObjectCreate, "object_out:p* ptr:p destroy:p initialRefcount:u flags:u") \
	ARGUMENTS(cuUserObjectRelease, "object:p count:u") \
	ARGUMENTS(cuUserObjectRetain, "object:p count:u") \
	ARGUMENTS(cuFuncLoad, "function:p") \
	ARGUMENTS(cuFuncSetAttribute, "hfunc:p attrib:i value:i") \
	ARGUMENTS(cuFuncSetCacheConfig, "hfunc:p config:i") \
	ARGUMENTS(cuFuncSetSharedMemConfig, "hfunc:p config:i") \
	ARGUMENTS(cuKernelSetAttribute, "attrib:i val:i kernel:p dev:i") \
	ARGUMENTS(cuKernelSetCacheConfig, "kernel:p config:i dev:i") \
	ARGUMENTS(cuLibraryEnumerateKernels, "kernels:p* numKernels:u lib:p") \
	ARGUMENTS(cuLibraryGetGlobal, "dptr:p* bytes:z* library:p name:p") \
	ARGUMENTS(cuLibraryGetKernelCount, "count:u* lib:p") \
	ARGUMENTS(cuLibraryGetManaged, "dptr:p* bytes:z* library:p name:p") \
	ARGUMENTS(cuLibraryGetModule, "pMod:p* library:p") \
	ARGUMENTS(cuLibraryGetUnifiedFunction, "fptr:p* library:p symbol:p") \
	ARGUMENTS(cuLibraryLoadData, "library:p* code:p jitOptions:i* jitOptionsValues:p* numJitOptions:u libraryOptions:i* libraryOptionValues:p* numLibraryOptions:u") \
	ARGUMENTS(cuLibraryLoadFromFile, "library:p* fileName:p jitOptions:i* jitOptionsValues:p* numJitOptions:u libraryOptions:i* libraryOptionValues:p* numLibraryOptions:u") \
	ARGUMENTS(cuLibraryUnload, "library:p") \
	ARGUMENTS(cuLinkAddData, "state:p type:i data:p size:z name:p numOptions:u options:i* optionValues:p*") \
	ARGUMENTS(cuLinkAddData_v2, "state:p type:i data:p size:z name:p numOptions:u options:i* optionValues:p*") \
	ARGUMENTS(cuLinkAddFile, "state:p type:i path:p numOptions:u options:i* optionValues:p*") \
	ARGUMENTS(cuLinkAddFile_v2, "state:p type:i path:p numOptions:u options:i* optionValues:p*") \
	ARGUMENTS(cuLinkComplete, "state:p cubinOut:p* sizeOut:z*") \
	ARGUMENTS(cuLinkCreate, "numOptions:u options:i* optionValues:p* stateOut:p*") \
	ARGUMENTS(cuLinkCreate_v2, "numOptions:u options:i* optionValues:p* stateOut:p*") \
	ARGUMENTS(cuLinkDestroy, "state:p") \
	ARGUMENTS(cuModuleEnumerateFunctions, "functions:p* numFunctions:u mod:p") \
	ARGUMENTS(cuModuleGetFunctionCount, "count:u* mod:p") \
	ARGUMENTS(cuModuleGetGlobal, "dptr:p* bytes:u* hmod:p name:p") \
	ARGUMENTS(cuModuleGetGlobal_v2, "dptr:p* bytes:z* hmod:p name:p") \
	ARGUMENTS(cuModuleLoad, "module:p* fname:p") \
	ARGUMENTS(cuModuleLoadData, "module:p* image:p") \
	ARGUMENTS(cuModuleLoadDataEx, "module:p* image:p numOptions:u options:i* optionValues:p*") \
	ARGUMENTS(cuModuleLoadFatBinary, "module:p* fatCubin:p") \
	ARGUMENTS(cuModuleUnload, "hmod:p") \
	ARGUMENTS(cuFuncGetParamCount, "func:p paramCount:z*") \
	ARGUMENTS(cuKernelGetParamCount, "kernel:p paramCount:z*") \
	ARGUMENTS(cuModuleGetSurfRef, "pSurfRef:p* hmod:p name:p") \
	ARGUMENTS(cuModuleGetTexRef, "pTexRef:p* hmod:p name:p") \
	ARGUMENTS(cuCtxGetCacheConfig, "pconfig:i*") \
	ARGUMENTS(cuCtxGetDevResource, "hCtx:p resource:p") \
	ARGUMENTS(cuCtxGetExecAffinity, "pExecAffinity:p type:i") \
	ARGUMENTS(cuCtxGetLimit, "pvalue:z* limit:i") \
	ARGUMENTS(cuCtxGetSharedMemConfig, "pConfig:i*") \
	ARGUMENTS(cuCtxGetStreamPriorityRange, "leastPriority:i* greatestPriority:i*") \
	ARGUMENTS(cuDeviceCanAccessPeer, "canAccessPeer:i* dev:i peerDev:i") \
	ARGUMENTS(cuDeviceComputeCapability, "major:i* minor:i* dev:i") \
	ARGUMENTS(cuDeviceGet, "device:i* ordinal:i") \
	ARGUMENTS(cuDeviceGetByPCIBusId, "dev:i* pciBusId:p") \
	ARGUMENTS(cuDeviceGetCount, "count:i*") \
	ARGUMENTS(cuDeviceGetDevResource, "device:i resource:p") \
	ARGUMENTS(cuDeviceGetExecAffinitySupport, "pi:i* type:i dev:i") \
	ARGUMENTS(cuDeviceGetGraphMemAttribute, "device:i attr:i value:p") \
	ARGUMENTS(cuDeviceGetHostAtomicCapabilities, "capabilities:u* operations:p count:u dev:i") \
	ARGUMENTS(cuDeviceGetLuid, "luid:p deviceNodeMask:u* dev:i") \
	ARGUMENTS(cuDeviceGetName, "name:p len:i dev:i") \
	ARGUMENTS(cuDeviceGetNvSciSyncAttributes, "nvSciSyncAttrList:p dev:i flags:i") \
	ARGUMENTS(cuDeviceGetP2PAtomicCapabilities, "capabilities:u* operations:p count:u srcDevice:i dstDevice:i") \
	ARGUMENTS(cuDeviceGetP2PAttribute, "value:i* attrib:i srcDevice:i dstDevice:i") \
	ARGUMENTS(cuDeviceGetPCIBusId, "pciBusId:p len:i dev:i") \
	ARGUMENTS(cuDeviceGetProperties, "prop:p dev:i") \
	ARGUMENTS(cuDeviceGetTexture1DLinearMaxWidth, "maxWidthInElements:z* format:i numChannels:u dev:i") \
	ARGUMENTS(cuDeviceGetUuid, "uuid:p dev:i") \
	ARGUMENTS(cuDeviceGetUuid_v2, "uuid:p dev:i") \
	ARGUMENTS(cuDeviceTotalMem, "bytes:u* dev:i") \
	ARGUMENTS(cuDriverGetVersion, "driverVersion:i*") \
	ARGUMENTS(cuMemGetAccess, "flags:z* location:p ptr:p") \
	ARGUMENTS(cuMemGetAllocationGranularity, "granularity:z* prop:p option:i") \
	ARGUMENTS(cuMemGetAllocationPropertiesFromHandle, "prop:p handle:p") \
	ARGUMENTS(cuModuleGetLoadingMode, "mode:i*") \
	ARGUMENTS(cuDeviceTotalMem_v2, "bytes:z* dev:i") \
	ARGUMENTS(cuCtxGetApiVersion, "ctx:p version:u*") \
	ARGUMENTS(cuCtxGetCurrent, "pctx:p*") \
	ARGUMENTS(cuCtxGetDevice, "device:i*") \
	ARGUMENTS(cuCtxGetDevice_v2, "device:i* ctx:p") \
	ARGUMENTS(cuCtxGetFlags, "flags:u*") \
	ARGUMENTS(cuCtxGetId, "ctx:p ctxId:z*") \
	ARGUMENTS(cuDeviceGetAttribute, "pi:i* attrib:i dev:i") \
	ARGUMENTS(cuDevicePrimaryCtxGetState, "dev:i flags:u* active:i*") \
	ARGUMENTS(cuEventQuery, "hEvent:p") \
	ARGUMENTS(cuFuncGetAttribute, "pi:i* attrib:i hfunc:p") \
	ARGUMENTS(cuFuncGetModule, "hmod:p* hfunc:p") \
	ARGUMENTS(cuFuncIsLoaded, "state:i* function:p") \
	ARGUMENTS(cuKernelGetAttribute, "pi:i* attrib:i kernel:p dev:i") \
	ARGUMENTS(cuKernelGetLibrary, "pLib:p* kernel:p") \
	ARGUMENTS(cuMemGetAddressRange, "pbase:p* psize:u* dptr:p") \
	ARGUMENTS(cuMemGetAddressRange_v2, "pbase:p* psize:z* dptr:p") \
	ARGUMENTS(cuMemHostGetDevicePointer, "pdptr:p* p:p Flags:u") \
	ARGUMENTS(cuMemHostGetDevicePointer_v2, "pdptr:p* p:p Flags:u") \
	ARGUMENTS(cuMemHostGetFlags, "pFlags:u* p:p") \
	ARGUMENTS(cuOccupancyAvailableDynamicSMemPerBlock, "dynamicSmemSize:z* func:p numBlocks:i blockSize:i") \
	ARGUMENTS(cuOccupancyMaxActiveBlocksPerMultiprocessor, "numBlocks:i* func:p blockSize:i dynamicSMemSize:z") \
	ARGUMENTS(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, "numBlocks:i* func:p blockSize:i dynamicSMemSize:z flags:u") \
	ARGUMENTS(cuOccupancyMaxActiveClusters, "numClusters:i* func:p config:p") \
	ARGUMENTS(cuOccupancyMaxPotentialBlockSize, "minGridSize:i* blockSize:i* func:p blockSizeToDynamicSMemSize:p dynamicSMemSize:z blockSizeLimit:i") \
	ARGUMENTS(cuOccupancyMaxPotentialBlockSizeWithFlags, "minGridSize:i* blockSize:i* func:p blockSizeToDynamicSMemSize:p dynamicSMemSize:z blockSizeLimit:i flags:u") \
	ARGUMENTS(cuOccupancyMaxPotentialClusterSize, "clusterSize:i* func:p config:p") \
	ARGUMENTS(cuPointerGetAttribute, "data:p attribute:i ptr:p") \
	ARGUMENTS(cuPointerGetAttributes, "numAttributes:u attributes:i* data:p* ptr:p") \
	ARGUMENTS(cuStreamGetAttribute, "hStream:s attr:i value:p") \
	ARGUMENTS(cuStreamGetAttribute_ptsz, "hStream:s attr:i value_out:p") \
	ARGUMENTS(cuStreamGetCaptureInfo, "hStream:s captureStatus_out:i* id_out:z*") \
	ARGUMENTS(cuStreamGetCaptureInfo_ptsz, "hStream:s captureStatus_out:i* id_out:z*") \
	ARGUMENTS(cuStreamGetCaptureInfo_v2, "hStream:s captureStatus_out:i* id_out:z* graph_out:p* dependencies_out:p numDependencies_out:z*") \
	ARGUMENTS(cuStreamGetCaptureInfo_v2_ptsz, "hStream:s captureStatus_out:i* id_out:z* graph_out:p* dependencies_out:p numDependencies_out:z*") \
	ARGUMENTS(cuStreamGetCaptureInfo_v3, "hStream:s captureStatus_out:i* id_out:z* graph_out:p* dependencies_out:p edgeData_out:p numDependencies_out:z*") \
	ARGUMENTS(cuStreamGetCaptureInfo_v3_ptsz, "hStream:s captureStatus_out:i* id_out:z* graph_out:p* dependencies_out:p edgeData_out:p numDependencies_out:z*") \
	ARGUMENTS(cuStreamGetCtx, "hStream:s pctx:p*") \
	ARGUMENTS(cuStreamGetCtx_ptsz, "hStream:s pctx:p*") \
	ARGUMENTS(cuStreamGetCtx_v2, "hStream:s pCtx:p* pGreenCtx:p*") \
	ARGUMENTS(cuStreamGetCtx_v2_ptsz, "hStream:s pCtx:p* pGreenCtx:p*") \
	ARGUMENTS(cuStreamGetDevice, "hStream:s device:i*") \
	ARGUMENTS(cuStreamGetDevice_ptsz, "hStream:s device:i*") \
	ARGUMENTS(cuStreamGetFlags, "hStream:s flags:u*") \
	ARGUMENTS(cuStreamGetFlags_ptsz, "hStream:s flags:u*") \
	ARGUMENTS(cuStreamGetId, "hStream:s streamId:z*") \
	ARGUMENTS(cuStreamGetId_ptsz, "hStream:s streamId:z*") \
	ARGUMENTS(cuStreamGetPriority, "hStream:s priority:i*") \
	ARGUMENTS(cuStreamGetPriority_ptsz, "hStream:s priority:i*") \
	ARGUMENTS(cuStreamIsCapturing, "hStream:s captureStatus:i*") \
	ARGUMENTS(cuStreamIsCapturing_ptsz, "hStream:s captureStatus:i*") \
	ARGUMENTS(cuStreamQuery, "hStream:s") \
	ARGUMENTS(cuStreamQuery_ptsz, "hStream:s") \
	ARGUMENTS(cuThreadExchangeStreamCaptureMode, "mode:i*") \
	ARGUMENTS(cuGreenCtxGetId, "greenCtx:p greenCtxId:z*") \
	ARGUMENTS(cuLogicalEndpointQuery, "leId:u count:u queryStatus:i*") \
	ARGUMENTS(cuStreamGetGreenCtx, "hStream:s phCtx:p*") \
	ARGUMENTS(cuFuncGetParamInfo, "func:p paramIndex:z paramOffset:z* paramSize:z*") \
	ARGUMENTS(cuKernelGetParamInfo, "kernel:p paramIndex:z paramOffset:z* paramSize:z*") \
	ARGUMENTS(cuFuncSetBlockShape, "hfunc:p x:i y:i z:i") \
	ARGUMENTS(cuFuncSetSharedSize, "hfunc:p bytes:u") \
	ARGUMENTS(cuParamSetSize, "hfunc:p numbytes:u") \
	ARGUMENTS(cuParamSetTexRef, "hfunc:p texunit:i hTexRef:p") \
	ARGUMENTS(cuParamSetf, "hfunc:p offset:i") \
	ARGUMENTS(cuParamSeti, "hfunc:p offset:i value:u") \
	ARGUMENTS(cuParamSetv, "hfunc:p offset:i ptr:p numbytes:u") \
	ARGUMENTS(cuGetErrorName, "error:i pStr:p") \
	ARGUMENTS(cuGetErrorString, "error:i pStr:p") \
	ARGUMENTS(cuGetExportTable, "ppExportTable:p pExportTableId:p") \
	ARGUMENTS(cuGetProcAddress, "symbol:p pfn:p* cudaVersion:i flags:z") \
	ARGUMENTS(cuGetProcAddress_v2, "symbol:p pfn:p* cudaVersion:i flags:z symbolStatus:i*")
