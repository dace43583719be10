// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Texture and surface objects: the runtime's descriptions turned into the
 * driver's and back.  The two differ in how they say an element's format and
 * in what the driver keeps as flags; a view is the same for both.
 */
#include <string.h>
#include "runtime.h"

_Static_assert(sizeof(struct cudaResourceViewDesc) == sizeof(CUDA_RESOURCE_VIEW_DESC), "view");

static bool resource_in(CUDA_RESOURCE_DESC *out, const struct cudaResourceDesc *r)
{
	memset(out, 0, sizeof(*out));
	if (!r)
		return false;
	out->resType = r->resType;
	out->flags = r->flags;
	switch (r->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		out->res.array.hArray = (CUarray)r->res.array.array;
		return true;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		out->res.mipmap.hMipmappedArray = (CUmipmappedArray)r->res.mipmap.mipmap;
		return true;
	case CU_RESOURCE_TYPE_LINEAR:
		out->res.linear.devPtr = (uintptr_t)r->res.linear.devPtr;
		out->res.linear.format =
			rt_array_format(&r->res.linear.desc, &out->res.linear.numChannels);
		out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
		return true;
	case CU_RESOURCE_TYPE_PITCH2D:
		out->res.pitch2D.devPtr = (uintptr_t)r->res.pitch2D.devPtr;
		out->res.pitch2D.format =
			rt_array_format(&r->res.pitch2D.desc, &out->res.pitch2D.numChannels);
		out->res.pitch2D.width = r->res.pitch2D.width;
		out->res.pitch2D.height = r->res.pitch2D.height;
		out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
		return true;
	default: return false;
	}
}

static void resource_out(struct cudaResourceDesc *out, const CUDA_RESOURCE_DESC *r)
{
	memset(out, 0, sizeof(*out));
	out->resType = r->resType;
	switch (r->resType) {
	case CU_RESOURCE_TYPE_LINEAR:
		out->res.linear.devPtr = (void *)(uintptr_t)r->res.linear.devPtr;
		out->res.linear.desc =
			rt_array_channels(r->res.linear.format, r->res.linear.numChannels);
		out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
		break;
	case CU_RESOURCE_TYPE_PITCH2D:
		out->res.pitch2D.devPtr = (void *)(uintptr_t)r->res.pitch2D.devPtr;
		out->res.pitch2D.desc =
			rt_array_channels(r->res.pitch2D.format, r->res.pitch2D.numChannels);
		out->res.pitch2D.width = r->res.pitch2D.width;
		out->res.pitch2D.height = r->res.pitch2D.height;
		out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
		break;
	default: out->res.array.array = (cudaArray_t)r->res.array.hArray;
	}
}

static void texture_in(CUDA_TEXTURE_DESC *out, const struct cudaTextureDesc *t)
{
	memset(out, 0, sizeof(*out));
	memcpy(out->addressMode, t->addressMode, sizeof(out->addressMode));
	memcpy(out->borderColor, t->borderColor, sizeof(out->borderColor));
	out->filterMode = t->filterMode;
	out->flags =
		(t->readMode ? 0 : CU_TRSF_READ_AS_INTEGER) |
		(t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
		(t->sRGB ? CU_TRSF_SRGB : 0) |
		(t->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0) |
		(t->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0);
	out->maxAnisotropy = t->maxAnisotropy;
	out->mipmapFilterMode = t->mipmapFilterMode;
	out->mipmapLevelBias = t->mipmapLevelBias;
	out->minMipmapLevelClamp = t->minMipmapLevelClamp;
	out->maxMipmapLevelClamp = t->maxMipmapLevelClamp;
}

static void texture_out(struct cudaTextureDesc *out, const CUDA_TEXTURE_DESC *t)
{
	memset(out, 0, sizeof(*out));
	memcpy(out->addressMode, t->addressMode, sizeof(out->addressMode));
	memcpy(out->borderColor, t->borderColor, sizeof(out->borderColor));
	out->filterMode = t->filterMode;
	out->readMode = !(t->flags & CU_TRSF_READ_AS_INTEGER);
	out->normalizedCoords = !!(t->flags & CU_TRSF_NORMALIZED_COORDINATES);
	out->sRGB = !!(t->flags & CU_TRSF_SRGB);
	out->disableTrilinearOptimization = !!(t->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION);
	out->seamlessCubemap = !!(t->flags & CU_TRSF_SEAMLESS_CUBEMAP);
	out->maxAnisotropy = t->maxAnisotropy;
	out->mipmapFilterMode = t->mipmapFilterMode;
	out->mipmapLevelBias = t->mipmapLevelBias;
	out->minMipmapLevelClamp = t->minMipmapLevelClamp;
	out->maxMipmapLevelClamp = t->maxMipmapLevelClamp;
}

API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture,
					const struct cudaResourceDesc *resource,
					const struct cudaTextureDesc *desc,
					const struct cudaResourceViewDesc *view)
{
	CUDA_RESOURCE_DESC driver;
	CUDA_TEXTURE_DESC sampler;

	ENTER();
	if (!desc || !resource_in(&driver, resource))
		return rt_fail(cudaErrorInvalidValue);
	texture_in(&sampler, desc);
	return rt_done(cuTexObjectCreate(texture, &driver, &sampler,
					 (const CUDA_RESOURCE_VIEW_DESC *)view));
}

API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
	ENTER();
	return rt_done(cuTexObjectDestroy(texture));
}

API cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
						 cudaTextureObject_t texture)
{
	CUDA_RESOURCE_DESC driver;
	CUresult err;

	ENTER();
	if (!resource)
		return rt_fail(cudaErrorInvalidValue);
	err = cuTexObjectGetResourceDesc(&driver, texture);
	if (!err)
		resource_out(resource, &driver);
	return rt_done(err);
}

API cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc,
						cudaTextureObject_t texture)
{
	CUDA_TEXTURE_DESC driver;
	CUresult err;

	ENTER();
	if (!desc)
		return rt_fail(cudaErrorInvalidValue);
	err = cuTexObjectGetTextureDesc(&driver, texture);
	if (!err)
		texture_out(desc, &driver);
	return rt_done(err);
}

API cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *view,
						     cudaTextureObject_t texture)
{
	ENTER();
	return rt_done(cuTexObjectGetResourceViewDesc((CUDA_RESOURCE_VIEW_DESC *)view, texture));
}

API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
					const struct cudaResourceDesc *resource)
{
	CUDA_RESOURCE_DESC driver;

	ENTER();
	if (!resource_in(&driver, resource))
		return rt_fail(cudaErrorInvalidValue);
	return rt_done(cuSurfObjectCreate(surface, &driver));
}

API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface)
{
	ENTER();
	return rt_done(cuSurfObjectDestroy(surface));
}

API cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
						 cudaSurfaceObject_t surface)
{
	CUDA_RESOURCE_DESC driver;
	CUresult err;

	ENTER();
	if (!resource)
		return rt_fail(cudaErrorInvalidValue);
	err = cuSurfObjectGetResourceDesc(&driver, surface);
	if (!err)
		resource_out(resource, &driver);
	return rt_done(err);
}
