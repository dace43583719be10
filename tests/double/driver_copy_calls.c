// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies and fills, synchronous and not.  Compiled twice, for the _ptds and
 * _ptsz forms; see driver_per_thread.c.  The bytes move at the call in either
 * case; with CUDA_DOUBLE_COPY_BANDWIDTH each adds its time to its stream's, and
 * a synchronous one waits for as much of it as CUDA does.
 */
#include <string.h>
#include "driver.h"

#define SYNC ((CUstream)-1)

static CUDA_MEMCPY3D line(int dst_type, uintptr_t dst, int src_type, uintptr_t src, size_t count)
{
	CUDA_MEMCPY3D box = {
		.srcMemoryType = src_type,
		.srcHost = (void *)src,
		.srcDevice = src,
		.dstMemoryType = dst_type,
		.dstHost = (void *)dst,
		.dstDevice = dst,
		.WidthInBytes = count,
		.Height = 1,
		.Depth = 1,
	};

	return box;
}

static size_t copy_bytes(const CUDA_MEMCPY3D *box)
{
	return box->WidthInBytes * box->Height * box->Depth;
}

/*
 * A synchronous copy.  The legacy default stream comes after all the others of
 * its device; which of it the host waits for, copy_wait() says.
 */
static CUresult copy_now(struct stream *stream, const CUDA_MEMCPY3D *box)
{
	enum copy_wait wait = copy_wait(box);
	size_t bytes = copy_bytes(box);
	CUresult err;

	if (!BY_THREAD)
		stream_follow(stream);
	if (wait != WAITS_FOR_NOTHING)
		stream_wait(stream);
	err = copy_3d(box);
	if (err || !copy_bandwidth)
		return err;
	stream_spend(stream, copy_time(bytes));
	if (wait == WAITS_FOR_STAGING && bytes > STAGING_BYTES)
		dbl_sleep_until(dbl_now() + (int64_t)copy_time(bytes - STAGING_BYTES));
	else if (wait == WAITS_FOR_END)
		stream_wait(stream);
	return CUDA_SUCCESS;
}

static CUresult copy(const CUDA_MEMCPY3D *box, CUstream handle)
{
	bool sync = handle == SYNC;
	struct stream *stream = stream_get(sync ? NULL : handle, BY_THREAD);
	CUresult err;

	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	if (stream->capture && !sync)
		return capture_copy(stream, box);
	if (sync)
		return copy_now(stream, box);
	err = copy_3d(box);
	if (!err && copy_bandwidth)
		stream_spend(stream, copy_time(copy_bytes(box)));
	return err;
}

static CUresult copy_line(int dst_type, uintptr_t dst, int src_type, uintptr_t src, size_t count,
			  CUstream stream)
{
	CUDA_MEMCPY3D box = line(dst_type, dst, src_type, src, count);

	return copy(&box, stream);
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, CUstream stream)
{
	CUDA_MEMCPY3D box;

	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	box = (CUDA_MEMCPY3D){
		.srcXInBytes = c->srcXInBytes,
		.srcY = c->srcY,
		.srcMemoryType = c->srcMemoryType,
		.srcHost = c->srcHost,
		.srcDevice = c->srcDevice,
		.srcArray = c->srcArray,
		.srcPitch = c->srcPitch,
		.dstXInBytes = c->dstXInBytes,
		.dstY = c->dstY,
		.dstMemoryType = c->dstMemoryType,
		.dstHost = c->dstHost,
		.dstDevice = c->dstDevice,
		.dstArray = c->dstArray,
		.dstPitch = c->dstPitch,
		.WidthInBytes = c->WidthInBytes,
		.Height = c->Height,
		.Depth = 1,
	};
	return copy(&box, stream);
}

API CUresult PTDS(cuMemcpy)(CUdeviceptr dst, CUdeviceptr src, size_t count)
{
	ENTER();
	return copy_line(CU_MEMORYTYPE_UNIFIED, dst, CU_MEMORYTYPE_UNIFIED, src, count, SYNC);
}

API CUresult PTDS(cuMemcpyHtoD_v2)(CUdeviceptr dst, const void *src, size_t count)
{
	ENTER();
	return copy_line(CU_MEMORYTYPE_DEVICE, dst, CU_MEMORYTYPE_HOST, (uintptr_t)src, count,
			 SYNC);
}

API CUresult PTDS(cuMemcpyDtoH_v2)(void *dst, CUdeviceptr src, size_t count)
{
	ENTER();
	return copy_line(CU_MEMORYTYPE_HOST, (uintptr_t)dst, CU_MEMORYTYPE_DEVICE, src, count,
			 SYNC);
}

API CUresult PTDS(cuMemcpyDtoD_v2)(CUdeviceptr dst, CUdeviceptr src, size_t count)
{
	ENTER();
	return copy_line(CU_MEMORYTYPE_DEVICE, dst, CU_MEMORYTYPE_DEVICE, src, count, SYNC);
}

API CUresult PTSZ(cuMemcpyAsync)(CUdeviceptr dst, CUdeviceptr src, size_t count, CUstream stream)
{
	ENTER();
	return copy_line(CU_MEMORYTYPE_UNIFIED, dst, CU_MEMORYTYPE_UNIFIED, src, count, stream);
}

API CUresult PTSZ(cuMemcpyHtoDAsync_v2)(CUdeviceptr dst, const void *src, size_t count,
					CUstream stream)
{
	ENTER();
	return copy_line(CU_MEMORYTYPE_DEVICE, dst, CU_MEMORYTYPE_HOST, (uintptr_t)src, count,
			 stream);
}

API CUresult PTSZ(cuMemcpyDtoHAsync_v2)(void *dst, CUdeviceptr src, size_t count, CUstream stream)
{
	ENTER();
	return copy_line(CU_MEMORYTYPE_HOST, (uintptr_t)dst, CU_MEMORYTYPE_DEVICE, src, count,
			 stream);
}

API CUresult PTSZ(cuMemcpyDtoDAsync_v2)(CUdeviceptr dst, CUdeviceptr src, size_t count,
					CUstream stream)
{
	ENTER();
	return copy_line(CU_MEMORYTYPE_DEVICE, dst, CU_MEMORYTYPE_DEVICE, src, count, stream);
}

API CUresult PTDS(cuMemcpy2D_v2)(const CUDA_MEMCPY2D *c)
{
	ENTER();
	return copy_2d(c, SYNC);
}

API CUresult PTDS(cuMemcpy2DUnaligned_v2)(const CUDA_MEMCPY2D *c)
{
	ENTER();
	return copy_2d(c, SYNC);
}

API CUresult PTSZ(cuMemcpy2DAsync_v2)(const CUDA_MEMCPY2D *c, CUstream stream)
{
	ENTER();
	return copy_2d(c, stream);
}

API CUresult PTDS(cuMemcpy3D_v2)(const CUDA_MEMCPY3D *c)
{
	ENTER();
	return c ? copy(c, SYNC) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult PTSZ(cuMemcpy3DAsync_v2)(const CUDA_MEMCPY3D *c, CUstream stream)
{
	ENTER();
	return c ? copy(c, stream) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult PTDS(cuMemcpy3DPeer)(const CUDA_MEMCPY3D *c)
{
	ENTER();
	return c ? copy(c, SYNC) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult PTSZ(cuMemcpy3DPeerAsync)(const CUDA_MEMCPY3D *c, CUstream stream)
{
	ENTER();
	return c ? copy(c, stream) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult fill(CUdeviceptr dst, size_t pitch, unsigned int value, size_t element,
		     size_t width, size_t height, CUstream handle)
{
	const CUDA_MEMSET_NODE_PARAMS params = { dst,   pitch, value, (unsigned int)element,
						 width, height };
	struct stream *stream = stream_get(handle == SYNC ? NULL : handle, BY_THREAD);

	if (!stream)
		return CUDA_ERROR_INVALID_HANDLE;
	if (stream->capture && handle != SYNC)
		return capture_fill(stream, &params);
	return fill_rows(dst, pitch, value, element, width, height);
}

API CUresult PTDS(cuMemsetD8_v2)(CUdeviceptr dst, unsigned char value, size_t count)
{
	ENTER();
	return fill(dst, 0, value, 1, count, 1, SYNC);
}

API CUresult PTDS(cuMemsetD32_v2)(CUdeviceptr dst, unsigned int value, size_t count)
{
	ENTER();
	return fill(dst, 0, value, 4, count, 1, SYNC);
}

API CUresult PTDS(cuMemsetD2D8_v2)(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
				   size_t height)
{
	ENTER();
	return fill(dst, pitch, value, 1, width, height, SYNC);
}

API CUresult PTSZ(cuMemsetD8Async)(CUdeviceptr dst, unsigned char value, size_t count,
				   CUstream stream)
{
	ENTER();
	return fill(dst, 0, value, 1, count, 1, stream);
}

API CUresult PTSZ(cuMemsetD32Async)(CUdeviceptr dst, unsigned int value, size_t count,
				    CUstream stream)
{
	ENTER();
	return fill(dst, 0, value, 4, count, 1, stream);
}

API CUresult PTSZ(cuMemsetD2D8Async)(CUdeviceptr dst, size_t pitch, unsigned char value,
				     size_t width, size_t height, CUstream stream)
{
	ENTER();
	return fill(dst, pitch, value, 1, width, height, stream);
}

API CUresult PTDS(cuMemcpyPeer)(CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src,
				CUcontext src_ctx, size_t count)
{
	ENTER();
	if (!context_check(dst_ctx) || !context_check(src_ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	return copy_line(CU_MEMORYTYPE_DEVICE, dst, CU_MEMORYTYPE_DEVICE, src, count, SYNC);
}

API CUresult PTSZ(cuMemcpyPeerAsync)(CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src,
				     CUcontext src_ctx, size_t count, CUstream stream)
{
	ENTER();
	if (!context_check(dst_ctx) || !context_check(src_ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	return copy_line(CU_MEMORYTYPE_DEVICE, dst, CU_MEMORYTYPE_DEVICE, src, count, stream);
}
