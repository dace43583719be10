// SPDX-License-Identifier: GPL-2.0-or-later
/* Arrays, and the translation between the two layers' element formats. */
#include <string.h>
#include "runtime.h"

/* The driver's format for a channel description, 0 when there is none. */
static int array_format(const struct cudaChannelFormatDesc *desc, unsigned int *channels)
{
	static const int formats[3][3] = {
		{ 0x08, 0x09, 0x0a },
		{ 0x01, 0x02, 0x03 },
		{ 0, 0x10, 0x20 },
	};
	int size = desc->x == 8 ? 0 : desc->x == 16 ? 1 : desc->x == 32 ? 2 : -1;

	if (size < 0 || (unsigned int)desc->f > cudaChannelFormatKindFloat)
		return 0;
	*channels = 1u + (desc->y != 0) + (desc->z != 0) + (desc->w != 0);
	return formats[desc->f][size];
}

size_t rt_array_element(cudaArray_const_t array, size_t *height)
{
	CUDA_ARRAY3D_DESCRIPTOR d;
	size_t size;

	if (cuArray3DGetDescriptor_v2(&d, (CUarray)(uintptr_t)array))
		return 0;
	size = d.Format == 0x01 || d.Format == 0x08                     ? 1 :
	       d.Format == 0x02 || d.Format == 0x09 || d.Format == 0x10 ? 2 :
									  4;
	if (height)
		*height = d.Height;
	return size * d.NumChannels;
}

/* Bytes of a row and, in *@size, of all of them; 0 for what is no array. */
size_t rt_array_row(cudaArray_const_t array, size_t *size)
{
	CUDA_ARRAY3D_DESCRIPTOR d;
	size_t row;

	if (cuArray3DGetDescriptor_v2(&d, (CUarray)(uintptr_t)array))
		return 0;
	row = d.Width * rt_array_element(array, NULL);
	*size = row * (d.Height ? d.Height : 1);
	return row;
}

static cudaError_t describe(CUDA_ARRAY3D_DESCRIPTOR *out, const struct cudaChannelFormatDesc *desc,
			    struct cudaExtent extent, unsigned int flags)
{
	memset(out, 0, sizeof(*out));
	if (!desc)
		return cudaErrorInvalidValue;
	out->Format = array_format(desc, &out->NumChannels);
	out->Width = extent.width;
	out->Height = extent.height;
	out->Depth = extent.depth;
	out->Flags = flags;
	return out->Format ? cudaSuccess : cudaErrorInvalidValue;
}

API cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
				size_t width, size_t height, unsigned int flags)
{
	struct cudaExtent extent = { width, height, 0 };
	CUDA_ARRAY3D_DESCRIPTOR d;

	ENTER();
	if (!array || describe(&d, desc, extent, flags))
		return rt_fail(cudaErrorInvalidValue);
	return rt_done(cuArray3DCreate_v2((CUarray *)array, &d));
}

API cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
				  struct cudaExtent extent, unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR d;

	ENTER();
	if (!array || describe(&d, desc, extent, flags))
		return rt_fail(cudaErrorInvalidValue);
	return rt_done(cuArray3DCreate_v2((CUarray *)array, &d));
}

API cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
					 const struct cudaChannelFormatDesc *desc,
					 struct cudaExtent extent, unsigned int levels,
					 unsigned int flags)
{
	CUDA_ARRAY3D_DESCRIPTOR d;

	ENTER();
	if (!array || describe(&d, desc, extent, flags))
		return rt_fail(cudaErrorInvalidValue);
	return rt_done(cuMipmappedArrayCreate((CUmipmappedArray *)array, &d, levels));
}

API cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *out, cudaMipmappedArray_const_t array,
					   unsigned int level)
{
	ENTER();
	return rt_done(cuMipmappedArrayGetLevel((CUarray *)out, (CUmipmappedArray)(uintptr_t)array,
						level));
}

API cudaError_t cudaFreeArray(cudaArray_t array)
{
	ENTER();
	if (!array)
		return cudaSuccess;
	return rt_done(cuArrayDestroy((CUarray)array));
}

API cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array)
{
	ENTER();
	if (!array)
		return cudaSuccess;
	return rt_done(cuMipmappedArrayDestroy((CUmipmappedArray)array));
}

API struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
						       enum cudaChannelFormatKind f)
{
	KEEP_FRAME();
	return (struct cudaChannelFormatDesc){ x, y, z, w, f };
}
