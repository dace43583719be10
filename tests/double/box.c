// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From the runtime's arguments to the driver's boxes.  The copy kind decides
 * what each side is; cudaMemcpyDefault leaves both to their addresses.
 */
#include <string.h>
#include "runtime.h"

static int src_type(enum cudaMemcpyKind kind)
{
	return kind == cudaMemcpyDefault ? CU_MEMORYTYPE_UNIFIED :
	       kind & 2                  ? CU_MEMORYTYPE_DEVICE :
					   CU_MEMORYTYPE_HOST;
}

static int dst_type(enum cudaMemcpyKind kind)
{
	return kind == cudaMemcpyDefault ? CU_MEMORYTYPE_UNIFIED :
	       kind & 1                  ? CU_MEMORYTYPE_DEVICE :
					   CU_MEMORYTYPE_HOST;
}

cudaError_t rt_box_2d(CUDA_MEMCPY2D *box, void *dst, size_t dpitch, const void *src, size_t spitch,
		      size_t width, size_t height, enum cudaMemcpyKind kind)
{
	if (!valid_kind(kind))
		return cudaErrorInvalidMemcpyDirection;
	*box = (CUDA_MEMCPY2D){
		.srcMemoryType = src_type(kind),
		.srcHost = src,
		.srcDevice = (uintptr_t)src,
		.srcPitch = spitch,
		.dstMemoryType = dst_type(kind),
		.dstHost = dst,
		.dstDevice = (uintptr_t)dst,
		.dstPitch = dpitch,
		.WidthInBytes = width,
		.Height = height,
	};
	return cudaSuccess;
}

void rt_box_2d_array(CUDA_MEMCPY2D *box, bool dst, cudaArray_const_t array, size_t x, size_t y)
{
	CUarray handle = (CUarray)(uintptr_t)array;

	if (dst) {
		box->dstMemoryType = CU_MEMORYTYPE_ARRAY;
		box->dstArray = handle;
		box->dstXInBytes = x;
		box->dstY = y;
	} else {
		box->srcMemoryType = CU_MEMORYTYPE_ARRAY;
		box->srcArray = handle;
		box->srcXInBytes = x;
		box->srcY = y;
	}
}

/*
 * With an array on either side extents and positions count elements in x,
 * else bytes.
 */
static void fill_3d(CUDA_MEMCPY3D *box, cudaArray_t src_array, const struct cudaPos *src_pos,
		    const struct cudaPitchedPtr *src, cudaArray_t dst_array,
		    const struct cudaPos *dst_pos, const struct cudaPitchedPtr *dst,
		    struct cudaExtent extent, int from, int to)
{
	size_t element = src_array ? rt_array_element(src_array, NULL) :
			 dst_array ? rt_array_element(dst_array, NULL) :
				     1;

	memset(box, 0, sizeof(*box));
	box->srcMemoryType = src_array ? CU_MEMORYTYPE_ARRAY : from;
	box->srcArray = (CUarray)src_array;
	box->srcHost = src->ptr;
	box->srcDevice = (uintptr_t)src->ptr;
	box->srcPitch = src->pitch;
	box->srcHeight = src->ysize;
	box->srcXInBytes = src_pos->x * (src_array ? element : 1);
	box->srcY = src_pos->y;
	box->srcZ = src_pos->z;
	box->dstMemoryType = dst_array ? CU_MEMORYTYPE_ARRAY : to;
	box->dstArray = (CUarray)dst_array;
	box->dstHost = dst->ptr;
	box->dstDevice = (uintptr_t)dst->ptr;
	box->dstPitch = dst->pitch;
	box->dstHeight = dst->ysize;
	box->dstXInBytes = dst_pos->x * (dst_array ? element : 1);
	box->dstY = dst_pos->y;
	box->dstZ = dst_pos->z;
	box->WidthInBytes = extent.width * element;
	box->Height = extent.height;
	box->Depth = extent.depth;
}

cudaError_t rt_box_3d(CUDA_MEMCPY3D *box, const struct cudaMemcpy3DParms *p)
{
	if (!p)
		return cudaErrorInvalidValue;
	if (!valid_kind(p->kind))
		return cudaErrorInvalidMemcpyDirection;
	fill_3d(box, p->srcArray, &p->srcPos, &p->srcPtr, p->dstArray, &p->dstPos, &p->dstPtr,
		p->extent, src_type(p->kind), dst_type(p->kind));
	return cudaSuccess;
}

cudaError_t rt_box_3d_peer(CUDA_MEMCPY3D *box, const struct cudaMemcpy3DPeerParms *p)
{
	if (!p)
		return cudaErrorInvalidValue;
	fill_3d(box, p->srcArray, &p->srcPos, &p->srcPtr, p->dstArray, &p->dstPos, &p->dstPtr,
		p->extent, CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE);
	/* srcContext and dstContext of CUDA_MEMCPY3D_PEER (cuda.h) */
	box->reserved0 = rt_context(p->srcDevice);
	box->reserved1 = rt_context(p->dstDevice);
	return cudaSuccess;
}

/* @count bytes from @y rows and @x bytes on must be in the array. */
cudaError_t rt_run_array(struct rt_run_end *end, cudaArray_const_t array, size_t x, size_t y,
			 size_t count)
{
	size_t size = 0;

	end->array = array;
	end->row = rt_array_row(array, &size);
	if (!end->row)
		return cudaErrorInvalidResourceHandle;
	if (x > end->row || y > size / end->row || y * end->row + x > size ||
	    count > size - y * end->row - x)
		return cudaErrorInvalidValue;
	end->offset = y * end->row + x;
	return cudaSuccess;
}

/* How far the end goes on in one row; all of @left where it has none. */
static size_t room(const struct rt_run_end *end, size_t left)
{
	size_t rest;

	if (!end->array)
		return left;
	rest = end->row - end->offset % end->row;
	return rest < left ? rest : left;
}

static void advance(struct rt_run_end *end, size_t bytes)
{
	if (end->array)
		end->offset += bytes;
	else
		end->at += bytes;
}

bool rt_run_next(struct rt_run *run, CUDA_MEMCPY2D *box)
{
	size_t width = room(&run->dst, room(&run->src, run->left)), height = 1;
	size_t row = run->dst.array ? run->dst.row : run->src.row;

	if (!run->left)
		return false;
	/* whole rows at once, unless the other end's are not as long */
	if (width == row && (!run->dst.array || !run->src.array || run->dst.row == run->src.row))
		height = run->left / row;
	rt_box_2d(box, run->dst.at, width, run->src.at, width, width, height, run->kind);
	if (run->dst.array)
		rt_box_2d_array(box, true, run->dst.array, run->dst.offset % run->dst.row,
				run->dst.offset / run->dst.row);
	if (run->src.array)
		rt_box_2d_array(box, false, run->src.array, run->src.offset % run->src.row,
				run->src.offset / run->src.row);
	advance(&run->dst, width * height);
	advance(&run->src, width * height);
	run->left -= width * height;
	return true;
}
