// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies and fills.  Compiled twice, for the _ptds and _ptsz forms; see
 * per_thread.c.  The kind picks the driver's function.
 */
#include "runtime.h"

#define CHECK(err) \
	do { \
		cudaError_t checked_ = (err); \
		if (checked_) \
			return rt_fail(checked_); \
	} while (0)

static CUresult copy_sync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
	switch (kind) {
	case cudaMemcpyHostToDevice: return PTDS(cuMemcpyHtoD_v2)((uintptr_t)dst, src, count);
	case cudaMemcpyDeviceToHost: return PTDS(cuMemcpyDtoH_v2)(dst, (uintptr_t)src, count);
	case cudaMemcpyDeviceToDevice:
		return PTDS(cuMemcpyDtoD_v2)((uintptr_t)dst, (uintptr_t)src, count);
	default: return PTDS(cuMemcpy)((uintptr_t)dst, (uintptr_t)src, count);
	}
}

static CUresult copy_async(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
			   cudaStream_t stream)
{
	switch (kind) {
	case cudaMemcpyHostToDevice:
		return PTSZ(cuMemcpyHtoDAsync_v2)((uintptr_t)dst, src, count, stream);
	case cudaMemcpyDeviceToHost:
		return PTSZ(cuMemcpyDtoHAsync_v2)(dst, (uintptr_t)src, count, stream);
	case cudaMemcpyDeviceToDevice:
		return PTSZ(cuMemcpyDtoDAsync_v2)((uintptr_t)dst, (uintptr_t)src, count, stream);
	default: return PTSZ(cuMemcpyAsync)((uintptr_t)dst, (uintptr_t)src, count, stream);
	}
}

API cudaError_t PTDS(cudaMemcpy)(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
	ENTER();
	if (!valid_kind(kind))
		return rt_fail(cudaErrorInvalidMemcpyDirection);
	return count ? rt_done(copy_sync(dst, src, count, kind)) : cudaSuccess;
}

API cudaError_t PTSZ(cudaMemcpyAsync)(void *dst, const void *src, size_t count,
				      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	ENTER();
	if (!valid_kind(kind))
		return rt_fail(cudaErrorInvalidMemcpyDirection);
	return count ? rt_done(copy_async(dst, src, count, kind, stream)) : cudaSuccess;
}

API cudaError_t PTDS(cudaMemcpy2D)(void *dst, size_t dpitch, const void *src, size_t spitch,
				   size_t width, size_t height, enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY2D box;

	ENTER();
	CHECK(rt_box_2d(&box, dst, dpitch, src, spitch, width, height, kind));
	return rt_done(PTDS(cuMemcpy2DUnaligned_v2)(&box));
}

API cudaError_t PTSZ(cudaMemcpy2DAsync)(void *dst, size_t dpitch, const void *src, size_t spitch,
					size_t width, size_t height, enum cudaMemcpyKind kind,
					cudaStream_t stream)
{
	CUDA_MEMCPY2D box;

	ENTER();
	CHECK(rt_box_2d(&box, dst, dpitch, src, spitch, width, height, kind));
	return rt_done(PTSZ(cuMemcpy2DAsync_v2)(&box, stream));
}

API cudaError_t PTDS(cudaMemcpy2DToArray)(cudaArray_t dst, size_t x, size_t y, const void *src,
					  size_t spitch, size_t width, size_t height,
					  enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY2D box;

	ENTER();
	CHECK(rt_box_2d(&box, NULL, 0, src, spitch, width, height, kind));
	rt_box_2d_array(&box, true, dst, x, y);
	return rt_done(PTDS(cuMemcpy2DUnaligned_v2)(&box));
}

API cudaError_t PTSZ(cudaMemcpy2DToArrayAsync)(cudaArray_t dst, size_t x, size_t y, const void *src,
					       size_t spitch, size_t width, size_t height,
					       enum cudaMemcpyKind kind, cudaStream_t stream)
{
	CUDA_MEMCPY2D box;

	ENTER();
	CHECK(rt_box_2d(&box, NULL, 0, src, spitch, width, height, kind));
	rt_box_2d_array(&box, true, dst, x, y);
	return rt_done(PTSZ(cuMemcpy2DAsync_v2)(&box, stream));
}

API cudaError_t PTDS(cudaMemcpy2DFromArray)(void *dst, size_t dpitch, cudaArray_const_t src,
					    size_t x, size_t y, size_t width, size_t height,
					    enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY2D box;

	ENTER();
	CHECK(rt_box_2d(&box, dst, dpitch, NULL, 0, width, height, kind));
	rt_box_2d_array(&box, false, src, x, y);
	return rt_done(PTDS(cuMemcpy2DUnaligned_v2)(&box));
}

API cudaError_t PTSZ(cudaMemcpy2DFromArrayAsync)(void *dst, size_t dpitch, cudaArray_const_t src,
						 size_t x, size_t y, size_t width, size_t height,
						 enum cudaMemcpyKind kind, cudaStream_t stream)
{
	CUDA_MEMCPY2D box;

	ENTER();
	CHECK(rt_box_2d(&box, dst, dpitch, NULL, 0, width, height, kind));
	rt_box_2d_array(&box, false, src, x, y);
	return rt_done(PTSZ(cuMemcpy2DAsync_v2)(&box, stream));
}

API cudaError_t PTDS(cudaMemcpy2DArrayToArray)(cudaArray_t dst, size_t dx, size_t dy,
					       cudaArray_const_t src, size_t sx, size_t sy,
					       size_t width, size_t height,
					       enum cudaMemcpyKind kind)
{
	CUDA_MEMCPY2D box;

	ENTER();
	CHECK(rt_box_2d(&box, NULL, 0, NULL, 0, width, height, kind));
	rt_box_2d_array(&box, true, dst, dx, dy);
	rt_box_2d_array(&box, false, src, sx, sy);
	return rt_done(PTDS(cuMemcpy2DUnaligned_v2)(&box));
}

/*
 * The old one-dimensional array copies: the bytes run on from row to row, so
 * one call is up to three of the driver's, or more between rows of two lengths.
 */
static cudaError_t run_copy(struct rt_run *run, bool async, cudaStream_t stream)
{
	CUresult err = CUDA_SUCCESS;
	CUDA_MEMCPY2D box;

	if (!valid_kind(run->kind))
		return rt_fail(cudaErrorInvalidMemcpyDirection);
	if ((!run->dst.array && !run->dst.at) || (!run->src.array && !run->src.at))
		return rt_fail(cudaErrorInvalidValue);
	while (!err && rt_run_next(run, &box))
		err = async ? PTSZ(cuMemcpy2DAsync_v2)(&box, stream) :
			      PTDS(cuMemcpy2DUnaligned_v2)(&box);
	return rt_done(err);
}

API cudaError_t PTDS(cudaMemcpyToArray)(cudaArray_t dst, size_t x, size_t y, const void *src,
					size_t count, enum cudaMemcpyKind kind)
{
	struct rt_run run = { .src = { .at = (char *)(uintptr_t)src },
			      .left = count,
			      .kind = kind };

	ENTER();
	CHECK(rt_run_array(&run.dst, dst, x, y, count));
	return run_copy(&run, false, NULL);
}

API cudaError_t PTSZ(cudaMemcpyToArrayAsync)(cudaArray_t dst, size_t x, size_t y, const void *src,
					     size_t count, enum cudaMemcpyKind kind,
					     cudaStream_t stream)
{
	struct rt_run run = { .src = { .at = (char *)(uintptr_t)src },
			      .left = count,
			      .kind = kind };

	ENTER();
	CHECK(rt_run_array(&run.dst, dst, x, y, count));
	return run_copy(&run, true, stream);
}

API cudaError_t PTDS(cudaMemcpyFromArray)(void *dst, cudaArray_const_t src, size_t x, size_t y,
					  size_t count, enum cudaMemcpyKind kind)
{
	struct rt_run run = { .dst = { .at = dst }, .left = count, .kind = kind };

	ENTER();
	CHECK(rt_run_array(&run.src, src, x, y, count));
	return run_copy(&run, false, NULL);
}

API cudaError_t PTSZ(cudaMemcpyFromArrayAsync)(void *dst, cudaArray_const_t src, size_t x, size_t y,
					       size_t count, enum cudaMemcpyKind kind,
					       cudaStream_t stream)
{
	struct rt_run run = { .dst = { .at = dst }, .left = count, .kind = kind };

	ENTER();
	CHECK(rt_run_array(&run.src, src, x, y, count));
	return run_copy(&run, true, stream);
}

API cudaError_t PTDS(cudaMemcpyArrayToArray)(cudaArray_t dst, size_t dx, size_t dy,
					     cudaArray_const_t src, size_t sx, size_t sy,
					     size_t count, enum cudaMemcpyKind kind)
{
	struct rt_run run = { .left = count, .kind = kind };

	ENTER();
	CHECK(rt_run_array(&run.dst, dst, dx, dy, count));
	CHECK(rt_run_array(&run.src, src, sx, sy, count));
	return run_copy(&run, false, NULL);
}

/* The part of a symbol that a copy touches; the kind must suit its side. */
static cudaError_t symbol_at(const void *symbol, size_t count, size_t offset,
			     enum cudaMemcpyKind kind, bool to, void **at)
{
	struct rt_variable *v = rt_variable(symbol);
	CUdeviceptr ptr = 0;
	cudaError_t err;

	if (!v)
		return cudaErrorInvalidSymbol;
	if (!valid_kind(kind) || kind == cudaMemcpyHostToHost ||
	    kind == (to ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice))
		return cudaErrorInvalidMemcpyDirection;
	if (offset > v->size || count > v->size - offset)
		return cudaErrorInvalidValue;
	err = rt_variable_address(v, &ptr);
	*at = (void *)(uintptr_t)(ptr + offset);
	return err;
}

/* With Default the other side's address says which of the two it is. */
static enum cudaMemcpyKind symbol_kind(enum cudaMemcpyKind kind, bool to)
{
	if (kind != cudaMemcpyDefault)
		return kind;
	return to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
}

API cudaError_t PTDS(cudaMemcpyToSymbol)(const void *symbol, const void *src, size_t count,
					 size_t offset, enum cudaMemcpyKind kind)
{
	void *at;

	ENTER();
	CHECK(symbol_at(symbol, count, offset, kind, true, &at));
	return rt_done(copy_sync(at, src, count, symbol_kind(kind, true)));
}

API cudaError_t PTDS(cudaMemcpyFromSymbol)(void *dst, const void *symbol, size_t count,
					   size_t offset, enum cudaMemcpyKind kind)
{
	void *at;

	ENTER();
	CHECK(symbol_at(symbol, count, offset, kind, false, &at));
	return rt_done(copy_sync(dst, at, count, symbol_kind(kind, false)));
}

API cudaError_t PTSZ(cudaMemcpyToSymbolAsync)(const void *symbol, const void *src, size_t count,
					      size_t offset, enum cudaMemcpyKind kind,
					      cudaStream_t stream)
{
	void *at;

	ENTER();
	CHECK(symbol_at(symbol, count, offset, kind, true, &at));
	return rt_done(copy_async(at, src, count, symbol_kind(kind, true), stream));
}

API cudaError_t PTSZ(cudaMemcpyFromSymbolAsync)(void *dst, const void *symbol, size_t count,
						size_t offset, enum cudaMemcpyKind kind,
						cudaStream_t stream)
{
	void *at;

	ENTER();
	CHECK(symbol_at(symbol, count, offset, kind, false, &at));
	return rt_done(copy_async(dst, at, count, symbol_kind(kind, false), stream));
}

API cudaError_t PTDS(cudaMemcpy3D)(const struct cudaMemcpy3DParms *params)
{
	CUDA_MEMCPY3D box;

	ENTER();
	CHECK(rt_box_3d(&box, params));
	return rt_done(PTDS(cuMemcpy3D_v2)(&box));
}

API cudaError_t PTSZ(cudaMemcpy3DAsync)(const struct cudaMemcpy3DParms *params, cudaStream_t stream)
{
	CUDA_MEMCPY3D box;

	ENTER();
	CHECK(rt_box_3d(&box, params));
	return rt_done(PTSZ(cuMemcpy3DAsync_v2)(&box, stream));
}

API cudaError_t PTDS(cudaMemcpy3DPeer)(const struct cudaMemcpy3DPeerParms *params)
{
	CUDA_MEMCPY3D box;

	ENTER();
	CHECK(rt_box_3d_peer(&box, params));
	return rt_done(PTDS(cuMemcpy3DPeer)(&box));
}

API cudaError_t PTSZ(cudaMemcpy3DPeerAsync)(const struct cudaMemcpy3DPeerParms *params,
					    cudaStream_t stream)
{
	CUDA_MEMCPY3D box;

	ENTER();
	CHECK(rt_box_3d_peer(&box, params));
	return rt_done(PTSZ(cuMemcpy3DPeerAsync)(&box, stream));
}

API cudaError_t PTDS(cudaMemset)(void *ptr, int value, size_t count)
{
	ENTER();
	return rt_done(PTDS(cuMemsetD8_v2)((uintptr_t)ptr, (unsigned char)value, count));
}

API cudaError_t PTSZ(cudaMemsetAsync)(void *ptr, int value, size_t count, cudaStream_t stream)
{
	ENTER();
	return rt_done(PTSZ(cuMemsetD8Async)((uintptr_t)ptr, (unsigned char)value, count, stream));
}

API cudaError_t PTDS(cudaMemset2D)(void *ptr, size_t pitch, int value, size_t width, size_t height)
{
	ENTER();
	return rt_done(
		PTDS(cuMemsetD2D8_v2)((uintptr_t)ptr, pitch, (unsigned char)value, width, height));
}
