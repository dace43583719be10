// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Physical memory: made, mapped in whole and in part at several places and into sparse arrays,
 * retained, released before it is unmapped and after.
 */
#include <string.h>
#include "random_calls.h"

#define UNIT   (2 * MIB) /* of sizes and places */
#define PLACES 64

static struct allocation *any_physical(void)
{
	struct allocation *found = NULL;
	size_t i, seen = 0;

	for (i = 0; i < self->allocation_count; i++)
		if (self->allocations[i].kind == KIND_PHYSICAL && any(++seen) == 0)
			found = &self->allocations[i];
	return found;
}

static struct mapping *mapping_over(uint64_t address, uint64_t bytes)
{
	size_t i;

	for (i = 0; i < MAPPINGS; i++)
		if (self->mappings[i].bytes && self->mappings[i].address < address + bytes &&
		    address < self->mappings[i].address + self->mappings[i].bytes)
			return &self->mappings[i];
	return NULL;
}

static void create(void)
{
	CUmemAllocationProp prop = { .type = 1,
				     .location = { 1, (int)any((uint64_t)device_count + 1) } };
	size_t bytes = (1 + any(4)) * UNIT;
	bool tile_pool = one_in(3);
	CUmemGenericAllocationHandle handle = 0;
	int code;

	if (one_in(20))
		bytes += 1;
	prop.allocFlags[2] = tile_pool; /* CU_MEM_CREATE_USAGE_TILE_POOL */
	code = CALL(cuMemCreate, &handle, bytes, &prop, 0);
	note_allocation("cuMemCreate", code,
			(struct allocation){ .address = handle,
					     .bytes = bytes,
					     .kind = KIND_PHYSICAL,
					     .way = BY_HANDLE,
					     .device = prop.location.id,
					     .handles = 1,
					     .tile_pool = tile_pool });
}

static void map(struct allocation *allocation)
{
	uint64_t units = allocation->bytes / UNIT, offset = any(units),
		 count = 1 + any(units - offset), at = any(PLACES);
	struct mapping mapping = { .bytes = count * UNIT, .handle = allocation->address };
	size_t i;

	if (!self->reserved && CALL(cuMemAddressReserve, &self->reserved, PLACES * UNIT, 0, 0, 0))
		return;
	mapping.address = self->reserved + at * UNIT;
	for (i = 0; i < MAPPINGS && self->mappings[i].bytes; i++)
		;
	if (i == MAPPINGS || at + count > PLACES || mapping_over(mapping.address, mapping.bytes))
		return;
	if (CALL(cuMemMap, mapping.address, mapping.bytes, offset * UNIT, mapping.handle, 0))
		return;
	self->mappings[i] = mapping;
	note_retained(allocation);
}

/* All that lies whole in a few places; nothing that lies in them in part. */
static void unmap(void)
{
	uint64_t place = any(PLACES), at = self->reserved + place * UNIT,
		 bytes = (1 + any(12)) * UNIT;
	size_t i;

	/* What comes next is another thread's. */
	if (bytes > (PLACES - place) * UNIT)
		bytes = (PLACES - place) * UNIT;

	if (one_in(2)) {
		struct mapping *one = mapping_over(at, bytes);

		if (!one)
			return;
		at = one->address;
		bytes = one->bytes;
	}
	for (i = 0; i < MAPPINGS; i++) {
		struct mapping *one = &self->mappings[i];

		if (one->bytes && mapping_over(at, bytes) && one->address < at + bytes &&
		    at < one->address + one->bytes &&
		    (one->address < at || one->address + one->bytes > at + bytes))
			return;
	}
	if (CALL(cuMemUnmap, at, bytes))
		return;
	for (i = 0; i < MAPPINGS; i++) {
		struct mapping *one = &self->mappings[i];

		if (!one->bytes || one->address < at || one->address >= at + bytes)
			continue;
		one->bytes = 0;
		note_released(allocation_at(one->handle));
	}
}

/* ---- sparse arrays: cuda.h, cuMemMapArrayAsync() ---- */

#define TILE_SIDE 128 /* of 4 bytes */

/* Of 1024 x 1024 elements, or that and its half. */
static void create_sparse(struct sparse *sparse)
{
	CUDA_ARRAY3D_DESCRIPTOR desc = { .Width = SPARSE_SIDE * TILE_SIDE,
					 .Height = SPARSE_SIDE * TILE_SIDE,
					 .Format = 0x20,
					 .NumChannels = 1,
					 .Flags = 0x40 };
	bool levels = one_in(2);
	CUarray array = NULL;
	int code;

	code = levels ? CALL(cuMipmappedArrayCreate, (CUmipmappedArray *)&array, &desc, 2) :
			CALL(cuArray3DCreate_v2, &array, &desc);
	note_allocation(levels ? "cuMipmappedArrayCreate" : "cuArray3DCreate_v2", code,
			(struct allocation){ .address = (uint64_t)(uintptr_t)array,
					     .kind = KIND_ARRAY,
					     .way = levels ? BY_MIPMAP : BY_ARRAY,
					     .device = self->device,
					     .context = self->context });
	if (!code)
		*sparse = (struct sparse){ .array = (uint64_t)(uintptr_t)array, .levels = levels };
}

static void let_go(uint64_t *tile)
{
	uint64_t handle = *tile;

	*tile = 0;
	if (handle)
		note_released(allocation_at(handle));
}

/*
 * Maps a tile of the highest level and the one below it, or unmaps them, whatever is mapped there, as
 * elements of one call; or only the first.
 */
static void map_sparse(struct sparse *sparse, const struct allocation *pool)
{
	unsigned int column = (unsigned int)any(SPARSE_SIDE), row = (unsigned int)any(SPARSE_SIDE);
	unsigned int count = row + 1 < SPARSE_SIDE && one_in(2) ? 2 : 1, i;
	uint64_t handle = pool ? pool->address : 0;
	CUarrayMapInfo list[2] = { { .memOperationType = handle ? 1 : 2,
				     .deviceBitMask = 1u << self->device } };

	list[0].resourceType = sparse->levels ? CU_RESOURCE_TYPE_MIPMAPPED_ARRAY :
						CU_RESOURCE_TYPE_ARRAY;
	list[0].resource.array = (CUarray)(uintptr_t)sparse->array;
	list[0].memHandle.memHandle = handle;
	list[0].subresource.sparseLevel.offsetX = column * TILE_SIDE;
	list[0].subresource.sparseLevel.offsetY = row * TILE_SIDE;
	list[0].subresource.sparseLevel.extentWidth = TILE_SIDE;
	list[0].subresource.sparseLevel.extentHeight = TILE_SIDE;
	list[0].subresource.sparseLevel.extentDepth = 1;
	list[1] = list[0];
	list[1].subresource.sparseLevel.offsetY += TILE_SIDE;
	if (EITHER(cuMemMapArrayAsync, cuMemMapArrayAsync_ptsz, list, count, NULL))
		return;
	for (i = 0; i < count; i++) {
		uint64_t *tile = &sparse->tiles[(row + i) * SPARSE_SIDE + column];

		if (handle)
			note_retained(allocation_at(handle));
		let_go(tile);
		*tile = handle;
	}
}

static const struct allocation *any_tile_pool(int device)
{
	const struct allocation *found = NULL, *one;
	size_t i, seen = 0;

	for (i = 0; i < self->allocation_count; i++) {
		one = &self->allocations[i];
		if (one->kind == KIND_PHYSICAL && one->tile_pool && one->device == device &&
		    any(++seen) == 0)
			found = one;
	}
	return found;
}

static void step_sparse(void)
{
	struct sparse *sparse = &self->sparse[any(SPARSE)];
	const struct allocation *pool;
	unsigned int chance;

	if (no_driver)
		return;
	if (!sparse->array) {
		create_sparse(sparse);
		return;
	}
	chance = (unsigned int)any(16);
	pool = any_tile_pool(self->device);
	if (!chance)
		note_free(sparse->array,
			  sparse->levels ? CALL(cuMipmappedArrayDestroy,
						(CUmipmappedArray)(uintptr_t)sparse->array) :
					   CALL(cuArrayDestroy, (CUarray)(uintptr_t)sparse->array));
	else if (allocation_at(sparse->array)->device != self->device)
		return; /* the stream has to be of its device */
	else if (chance < 7)
		map_sparse(sparse, NULL);
	else if (pool)
		map_sparse(sparse, pool);
}

void sparse_settle(void)
{
	size_t i, j;

	for (i = 0; i < SPARSE; i++) {
		if (!self->sparse[i].array || allocation_at(self->sparse[i].array))
			continue;
		self->sparse[i].array = 0;
		for (j = 0; j < SPARSE_SIDE * SPARSE_SIDE; j++)
			let_go(&self->sparse[i].tiles[j]);
	}
}

void step_physical(void)
{
	struct allocation *allocation = any_physical();
	CUmemGenericAllocationHandle handle;
	struct mapping *mapping;

	switch (any(13)) {
	case 8:
	case 9:
	case 10:
	case 11:
	case 12: step_sparse(); return;
	case 0:
	case 1: create(); return;
	case 2:
	case 3:
		if (allocation)
			map(allocation);
		return;
	case 4:
		if (self->reserved)
			unmap();
		return;
	case 5:
		mapping = self->reserved ? mapping_over(self->reserved + any(PLACES) * UNIT, UNIT) :
					   NULL;
		if (!mapping || CALL(cuMemRetainAllocationHandle, &handle,
				     (void *)(uintptr_t)(mapping->address + any(mapping->bytes))))
			return;
		allocation = allocation_at(handle);
		allocation->handles++;
		note_retained(allocation);
		return;
	default:
		if (!allocation)
			return;
		/* Without handles it is mapped memory, and this fails. */
		handle = allocation->address;
		if (!CALL(cuMemRelease, handle)) {
			allocation->handles--;
			note_free(handle, 0);
		} else {
			note_free(handle, 1);
		}
	}
}

void unmap_all(void)
{
	size_t i;

	for (i = 0; i < SPARSE; i++)
		if (self->sparse[i].array)
			note_free(self->sparse[i].array,
				  self->sparse[i].levels ?
					  CALL(cuMipmappedArrayDestroy,
					       (CUmipmappedArray)(uintptr_t)self->sparse[i].array) :
					  CALL(cuArrayDestroy,
					       (CUarray)(uintptr_t)self->sparse[i].array));
	for (i = 0; i < MAPPINGS; i++) {
		struct mapping *one = &self->mappings[i];

		if (!one->bytes || CALL(cuMemUnmap, one->address, one->bytes))
			continue;
		one->bytes = 0;
		note_released(allocation_at(one->handle));
	}
}
