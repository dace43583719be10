// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Texture and surface objects: what they were made of, kept behind a handle.
 * An object owns nothing; its array or memory may go before it does.
 */
#include "driver.h"

struct texture {
	struct object object;
	bool surface, has_view;
	CUDA_RESOURCE_DESC resource;
	CUDA_TEXTURE_DESC desc;
	CUDA_RESOURCE_VIEW_DESC view;
};

_Static_assert(sizeof(struct texture) <= 512, "texture slot");

static bool format_known(int format, unsigned int channels)
{
	return array_element(format, channels) && (channels == 1 || channels == 2 || channels == 4);
}

/* Linear memory must be the device's, and all of what is named. */
static bool resource_valid(const CUDA_RESOURCE_DESC *r)
{
	size_t row;

	if (r->flags)
		return false;
	switch (r->resType) {
	case CU_RESOURCE_TYPE_ARRAY: return object_check(&arrays, r->res.array.hArray);
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		return object_check(&arrays, r->res.mipmap.hMipmappedArray);
	case CU_RESOURCE_TYPE_LINEAR:
		return format_known(r->res.linear.format, r->res.linear.numChannels) &&
		       r->res.linear.sizeInBytes &&
		       memory_on_device(r->res.linear.devPtr, r->res.linear.sizeInBytes, NULL);
	case CU_RESOURCE_TYPE_PITCH2D:
		row = r->res.pitch2D.width *
		      array_element(r->res.pitch2D.format, r->res.pitch2D.numChannels);
		return format_known(r->res.pitch2D.format, r->res.pitch2D.numChannels) && row &&
		       r->res.pitch2D.height && r->res.pitch2D.pitchInBytes >= row &&
		       memory_on_device(r->res.pitch2D.devPtr,
					(r->res.pitch2D.height - 1) * r->res.pitch2D.pitchInBytes +
						row,
					NULL);
	default: return false;
	}
}

static struct texture *texture_get(unsigned long long handle, bool surface)
{
	struct texture *t = object_check(&textures, (void *)(uintptr_t)handle);

	return t && t->surface == surface ? t : NULL;
}

static CUresult texture_new(unsigned long long *out, const CUDA_RESOURCE_DESC *resource,
			    bool surface, const CUDA_TEXTURE_DESC *desc,
			    const CUDA_RESOURCE_VIEW_DESC *view)
{
	struct texture *t;

	if (!out || !resource || !resource_valid(resource))
		return CUDA_ERROR_INVALID_VALUE;
	t = object_new(&textures);
	if (!t)
		return CUDA_ERROR_OUT_OF_MEMORY;
	t->surface = surface;
	t->resource = *resource;
	if (desc)
		t->desc = *desc;
	t->has_view = view;
	if (view)
		t->view = *view;
	*out = (uintptr_t)t;
	return CUDA_SUCCESS;
}

static CUresult texture_drop(unsigned long long handle, bool surface)
{
	struct texture *t = texture_get(handle, surface);

	if (!t)
		return CUDA_ERROR_INVALID_VALUE;
	object_drop(&textures, t);
	return CUDA_SUCCESS;
}

API CUresult cuTexObjectCreate(CUtexObject *texture, const CUDA_RESOURCE_DESC *resource,
			       const CUDA_TEXTURE_DESC *desc, const CUDA_RESOURCE_VIEW_DESC *view)
{
	ENTER_CONTEXT(ctx);
	(void)ctx;
	return desc ? texture_new(texture, resource, false, desc, view) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuTexObjectDestroy(CUtexObject texture)
{
	ENTER();
	return texture_drop(texture, false);
}

API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUtexObject texture)
{
	struct texture *t;

	ENTER();
	t = texture_get(texture, false);
	if (!t || !resource)
		return CUDA_ERROR_INVALID_VALUE;
	*resource = t->resource;
	return CUDA_SUCCESS;
}

API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *desc, CUtexObject texture)
{
	struct texture *t;

	ENTER();
	t = texture_get(texture, false);
	if (!t || !desc)
		return CUDA_ERROR_INVALID_VALUE;
	*desc = t->desc;
	return CUDA_SUCCESS;
}

/* An object made without a view has none to tell of. */
API CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view, CUtexObject texture)
{
	struct texture *t;

	ENTER();
	t = texture_get(texture, false);
	if (!t || !view || !t->has_view)
		return CUDA_ERROR_INVALID_VALUE;
	*view = t->view;
	return CUDA_SUCCESS;
}

/* A surface is of an array. */
API CUresult cuSurfObjectCreate(CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource)
{
	ENTER_CONTEXT(ctx);
	(void)ctx;
	if (!resource || resource->resType != CU_RESOURCE_TYPE_ARRAY)
		return CUDA_ERROR_INVALID_VALUE;
	return texture_new(surface, resource, true, NULL, NULL);
}

API CUresult cuSurfObjectDestroy(CUsurfObject surface)
{
	ENTER();
	return texture_drop(surface, true);
}

API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource, CUsurfObject surface)
{
	struct texture *t;

	ENTER();
	t = texture_get(surface, true);
	if (!t || !resource)
		return CUDA_ERROR_INVALID_VALUE;
	*resource = t->resource;
	return CUDA_SUCCESS;
}
