// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arrays: pitched memory behind a handle.  A mipmapped array is one whose
 * levels, each half its parent's size, are arrays of their own.  A sparse
 * one has no memory, and no copy reaches what is mapped into it.
 */
#include "driver.h"

#define ARRAY_LAYERED 1 /* CUDA_ARRAY3D_LAYERED: the depth counts layers */
#define ARRAY_CUBEMAP 4

size_t array_element(int format, unsigned int channels)
{
	switch (format) {
	case 0x01:
	case 0x08: return channels;
	case 0x02:
	case 0x09:
	case 0x10: return 2 * (size_t)channels;
	case 0x03:
	case 0x0a:
	case 0x20: return 4 * (size_t)channels;
	default: return 0;
	}
}

static size_t element_size(const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
	return array_element(desc->Format, desc->NumChannels);
}

static CUresult array_new(struct context *ctx, const CUDA_ARRAY3D_DESCRIPTOR *desc,
			  struct array **out)
{
	struct array *a;
	CUresult err;

	if (!desc || !desc->Width || !element_size(desc))
		return CUDA_ERROR_INVALID_VALUE;
	a = object_new(&arrays);
	if (!a)
		return CUDA_ERROR_OUT_OF_MEMORY;
	a->desc = *desc;
	a->ctx = ctx;
	a->width = a->pitch = desc->Width * element_size(desc);
	a->height = desc->Height ? desc->Height : 1;
	a->depth = desc->Depth ? desc->Depth : 1;
	if (array_is_sparse(desc)) {
		a->data = 0;
		*out = a;
		return CUDA_SUCCESS;
	}
	err = memory_alloc(ctx, MEMORY_ARRAY, a->pitch * a->height * a->depth, NULL, &a->data);
	if (err)
		object_drop(&arrays, a);
	else
		*out = a;
	return err;
}

API CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *desc)
{
	CUDA_ARRAY3D_DESCRIPTOR full;

	ENTER_CONTEXT(ctx);
	if (!array || !desc)
		return CUDA_ERROR_INVALID_VALUE;
	full = (CUDA_ARRAY3D_DESCRIPTOR){
		.Width = desc->Width,
		.Height = desc->Height,
		.Format = desc->Format,
		.NumChannels = desc->NumChannels,
	};
	return array_new(ctx, &full, (struct array **)array);
}

API CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc)
{
	ENTER_CONTEXT(ctx);
	if (!array)
		return CUDA_ERROR_INVALID_VALUE;
	return array_new(ctx, desc, (struct array **)array);
}

API CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *desc, CUarray handle)
{
	struct array *a;

	ENTER();
	a = object_check(&arrays, handle);
	if (!a)
		return CUDA_ERROR_INVALID_HANDLE;
	*desc = a->desc;
	return CUDA_SUCCESS;
}

/* After a reset the memory is gone already; the handle goes all the same. */
static CUresult destroy(struct array *a)
{
	bool sparse = a && array_is_sparse(&a->desc);
	size_t i;

	if (!a || a->borrowed)
		return CUDA_ERROR_INVALID_HANDLE;
	for (i = 1; i < 16; i++)
		if (a->level[i]) {
			if (!sparse)
				memory_free(a->level[i]->data, 1u << MEMORY_ARRAY);
			object_drop(&arrays, a->level[i]);
		}
	object_drop(&arrays, a);
	return sparse ? CUDA_SUCCESS : memory_free(a->data, 1u << MEMORY_ARRAY);
}

API CUresult cuArrayDestroy(CUarray array)
{
	ENTER();
	return destroy(object_check(&arrays, array));
}

API CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *desc,
				    unsigned int levels)
{
	CUDA_ARRAY3D_DESCRIPTOR level;
	struct array *top;
	unsigned int i;
	CUresult err;

	ENTER_CONTEXT(ctx);
	if (!out || !desc || !levels || levels > 16)
		return CUDA_ERROR_INVALID_VALUE;
	err = array_new(ctx, desc, &top);
	if (err)
		return err;
	top->mipmapped = true;
	level = *desc;
	for (i = 1; i < levels; i++) {
		level.Width = level.Width > 1 ? level.Width / 2 : 1;
		level.Height = level.Height > 1 ? level.Height / 2 : level.Height;
		if (!(desc->Flags & (ARRAY_LAYERED | ARRAY_CUBEMAP)))
			level.Depth = level.Depth > 1 ? level.Depth / 2 : level.Depth;
		err = array_new(ctx, &level, &top->level[i]);
		if (err) {
			destroy(top);
			return err;
		}
		top->level[i]->borrowed = true;
	}
	*out = (CUmipmappedArray)top;
	return CUDA_SUCCESS;
}

API CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray handle, unsigned int level)
{
	struct array *top;

	ENTER();
	top = object_check(&arrays, handle);
	if (!top)
		return CUDA_ERROR_INVALID_HANDLE;
	if (level > 15 || (level && !top->level[level]))
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUarray)(level ? top->level[level] : top);
	return CUDA_SUCCESS;
}

API CUresult cuMipmappedArrayDestroy(CUmipmappedArray array)
{
	ENTER();
	return destroy(object_check(&arrays, array));
}
