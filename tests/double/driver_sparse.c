// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sparse arrays: memory of tile pools is mapped into them tile by tile, each
 * of which holds its memory until it is unmapped, mapped anew, or its array is
 * destroyed. Source: cuda.h of CUDA 13.0, cuMemMapArrayAsync() and
 * cuMemRelease(). A tile has 64 KiB here; what levels are smaller than one
 * tile in some dimension makes up the mip tail.
 */
#include <stdlib.h>
#include "driver.h"

#define TILE_BYTES (64u << 10)
#define LAYERED    1 /* CUDA_ARRAY3D_LAYERED, and cubemaps: the depth counts layers */
#define CUBEMAP    4
#define DEFERRED   0x80 /* CUDA_ARRAY3D_DEFERRED_MAPPING: the array is mapped as a whole */
#define SPARSE     0x40

enum { PART_LEVEL, PART_TAIL, PART_WHOLE }; /* the first two: CUarraySparseSubresourceType */
enum { MAP = 1, UNMAP };                    /* CUmemOperationType */

struct place {
	unsigned int part, level, layer, x, y, z;
};

struct tile {
	struct tile *next;
	struct place place;
	struct physical *physical;
};

/* What is mapped or unmapped, in tiles. */
struct region {
	struct place first;
	unsigned int columns, rows, slices;
};

static bool is_layered(const struct array *array)
{
	return array->desc.Flags & (LAYERED | CUBEMAP);
}

/* The form of a tile, in elements: as square as it gets. */
static void tile_form(const struct array *array, unsigned int form[3])
{
	size_t element = array_element(array->desc.Format, array->desc.NumChannels);
	unsigned int i, elements = TILE_BYTES / (unsigned int)element;
	bool deep = array->desc.Depth && !is_layered(array);

	form[0] = form[1] = form[2] = 1;
	for (i = 0; elements > 1; elements /= 2, i++)
		form[i % (deep ? 3 : 2)] *= 2;
}

static void level_size(const struct array *array, unsigned int level, unsigned int size[3])
{
	size[0] = (unsigned int)array->desc.Width >> level;
	size[1] = (unsigned int)array->desc.Height >> level;
	size[2] = is_layered(array) || !array->desc.Depth ?
			  1 :
			  (unsigned int)array->desc.Depth >> level;
}

static unsigned int level_count(const struct array *array)
{
	unsigned int i = 1;

	while (i < 16 && array->level[i])
		i++;
	return i;
}

/* The first level that is smaller than a tile, and the bytes from there on, in whole tiles. */
static unsigned int tail_first(const struct array *array, unsigned long long *bytes)
{
	unsigned int form[3], size[3], level, first = level_count(array);

	*bytes = 0;
	tile_form(array, form);
	for (level = level_count(array); level-- > 0;) {
		level_size(array, level, size);
		if (size[0] >= form[0] && size[1] >= form[1] && size[2] >= form[2])
			break;
		first = level;
		*bytes += (unsigned long long)size[0] * size[1] * size[2] *
			  array_element(array->desc.Format, array->desc.NumChannels);
	}
	*bytes = (*bytes + TILE_BYTES - 1) / TILE_BYTES * TILE_BYTES;
	return first;
}

static CUresult properties_of(CUDA_ARRAY_SPARSE_PROPERTIES *out, const struct array *array,
			      bool mipmapped)
{
	unsigned int form[3];

	if (!array || array->mipmapped != mipmapped)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!out || array->borrowed || !(array->desc.Flags & SPARSE))
		return CUDA_ERROR_INVALID_VALUE;
	tile_form(array, form);
	*out = (CUDA_ARRAY_SPARSE_PROPERTIES){ .tileExtent = { form[0], form[1], form[2] } };
	out->miptailFirstLevel = tail_first(array, &out->miptailSize);
	return CUDA_SUCCESS;
}

API CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties, CUarray array)
{
	ENTER();
	return properties_of(properties, object_check(&arrays, array), false);
}

API CUresult cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties,
						 CUmipmappedArray array)
{
	ENTER();
	return properties_of(properties, object_check(&arrays, array), true);
}

/* "These offsets and extents must be aligned to the corresponding tile dimension." */
static bool read_level(const struct array *array, const CUarrayMapInfo *info, struct region *region)
{
	const unsigned int offset[3] = { info->subresource.sparseLevel.offsetX,
					 info->subresource.sparseLevel.offsetY,
					 info->subresource.sparseLevel.offsetZ };
	const unsigned int extent[3] = { info->subresource.sparseLevel.extentWidth,
					 info->subresource.sparseLevel.extentHeight,
					 info->subresource.sparseLevel.extentDepth };
	unsigned int form[3], size[3],
		layers = is_layered(array) ? (unsigned int)array->desc.Depth : 1, i;
	unsigned long long tail;

	if (info->subresource.sparseLevel.level >= tail_first(array, &tail) ||
	    info->subresource.sparseLevel.layer >= layers)
		return false;
	tile_form(array, form);
	level_size(array, info->subresource.sparseLevel.level, size);
	for (i = 0; i < 3; i++)
		if (!extent[i] || offset[i] % form[i] || offset[i] > size[i] ||
		    extent[i] > size[i] - offset[i] ||
		    (extent[i] % form[i] && offset[i] + extent[i] != size[i]))
			return false;
	region->first = (struct place){ PART_LEVEL,
					info->subresource.sparseLevel.level,
					info->subresource.sparseLevel.layer,
					offset[0] / form[0],
					offset[1] / form[1],
					offset[2] / form[2] };
	region->columns = (extent[0] + form[0] - 1) / form[0];
	region->rows = (extent[1] + form[1] - 1) / form[1];
	region->slices = (extent[2] + form[2] - 1) / form[2];
	return true;
}

static bool read_tail(const struct array *array, const CUarrayMapInfo *info, struct region *region)
{
	unsigned long long bytes, offset = info->subresource.miptail.offset,
				  size = info->subresource.miptail.size;
	unsigned int layers = is_layered(array) ? (unsigned int)array->desc.Depth : 1;

	tail_first(array, &bytes);
	if (!size || size % TILE_BYTES || offset % TILE_BYTES || offset > bytes ||
	    size > bytes - offset || info->subresource.miptail.layer >= layers)
		return false;
	region->first = (struct place){
		PART_TAIL, 0, info->subresource.miptail.layer, (unsigned int)(offset / TILE_BYTES),
		0,         0
	};
	region->columns = (unsigned int)(size / TILE_BYTES);
	return true;
}

static CUresult read_region(const struct array *array, const CUarrayMapInfo *info,
			    struct region *region)
{
	*region = (struct region){
		.first = { .part = PART_WHOLE }, .columns = 1, .rows = 1, .slices = 1
	};
	if (array->desc.Flags & DEFERRED)
		return CUDA_SUCCESS;
	return (info->subresourceType ? read_tail : read_level)(array, info, region) ?
		       CUDA_SUCCESS :
		       CUDA_ERROR_INVALID_VALUE;
}

static bool is_in(const struct place *place, const struct region *region)
{
	const struct place *first = &region->first;

	return place->part == first->part && place->level == first->level &&
	       place->layer == first->layer && place->x - first->x < region->columns &&
	       place->y - first->y < region->rows && place->z - first->z < region->slices;
}

static void drop_region(struct array *array, const struct region *region)
{
	struct tile **link, *tile;

	for (link = &array->tiles; (tile = *link);) {
		if (region && !is_in(&tile->place, region)) {
			link = &tile->next;
			continue;
		}
		*link = tile->next;
		physical_put(tile->physical);
		free(tile);
	}
}

/* Each tile of @region, which is empty, gets the next piece of the memory. */
static CUresult fill_region(struct array *array, const struct region *region,
			    const CUarrayMapInfo *info, struct device *device)
{
	uint64_t bytes = array->desc.Flags & DEFERRED ? 1 : TILE_BYTES, offset = info->offset;
	unsigned int i, count = region->columns * region->rows * region->slices;
	struct tile *tile;

	for (i = 0; i < count; i++, offset += bytes) {
		tile = malloc(sizeof(*tile));
		if (!tile)
			return CUDA_ERROR_OUT_OF_MEMORY;
		tile->place = region->first;
		tile->place.x += i % region->columns;
		tile->place.y += i / region->columns % region->rows;
		tile->place.z += i / region->columns / region->rows;
		tile->physical = physical_hold(info->memHandle.memHandle, device, offset, bytes,
					       !(array->desc.Flags & DEFERRED));
		if (!tile->physical) {
			free(tile);
			return CUDA_ERROR_INVALID_VALUE;
		}
		tile->next = array->tiles;
		array->tiles = tile;
	}
	return CUDA_SUCCESS;
}

/* One element of a call's list. What is wrong with it is found before anything is done. */
CUresult sparse_map(const CUarrayMapInfo *info, struct device *device)
{
	struct array *array = object_check(&arrays, info->resource.array);
	struct region region;
	CUresult err;

	if (!array || !array->ctx ||
	    array->mipmapped != (info->resourceType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY))
		return CUDA_ERROR_INVALID_HANDLE;
	if (array->borrowed || !array_is_sparse(&array->desc) || !array->desc.Height ||
	    info->memHandleType || info->deviceBitMask != 1u << device->index || info->flags ||
	    info->reserved[0] || info->reserved[1] ||
	    (info->memOperationType != MAP && info->memOperationType != UNMAP) ||
	    (info->memOperationType == UNMAP && info->memHandle.memHandle))
		return CUDA_ERROR_INVALID_VALUE;
	err = read_region(array, info, &region);
	if (err)
		return err;
	pthread_mutex_lock(&memory_lock);
	if (info->memOperationType == MAP) {
		uint64_t bytes =
			array->desc.Flags & DEFERRED ?
				1 :
				(uint64_t)region.columns * region.rows * region.slices * TILE_BYTES;
		struct physical *all = physical_hold(info->memHandle.memHandle, device,
						     info->offset, bytes,
						     !(array->desc.Flags & DEFERRED));

		if (all) {
			drop_region(array, &region);
			err = fill_region(array, &region, info, device);
			physical_put(all);
		} else {
			err = CUDA_ERROR_INVALID_VALUE;
		}
	} else {
		drop_region(array, &region);
	}
	pthread_mutex_unlock(&memory_lock);
	return err;
}

void sparse_unmap_all(struct array *array)
{
	pthread_mutex_lock(&memory_lock);
	drop_region(array, NULL);
	pthread_mutex_unlock(&memory_lock);
}

/*
 * Arrays end with their context (cuda.h, cuCtxDestroy()), and what is mapped into them is so no
 * more.
 */
void sparse_end_context(struct context *ctx)
{
	struct array *array;

	object_each(&arrays, array)
	{
		if (array->ctx != ctx || !array_is_sparse(&array->desc))
			continue;
		sparse_unmap_all(array);
		array->ctx = NULL;
	}
}
