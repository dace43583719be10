// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Physical memory: made, mapped in whole and in part at several places, retained, released before
 * it is unmapped and after.
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
	CUmemGenericAllocationHandle handle = 0;
	int code;

	if (one_in(20))
		bytes += 1;
	code = CALL(cuMemCreate, &handle, bytes, &prop, 0);
	note_allocation("cuMemCreate", code,
			(struct allocation){ .address = handle,
					     .bytes = bytes,
					     .kind = KIND_PHYSICAL,
					     .way = BY_HANDLE,
					     .device = prop.location.id,
					     .handles = 1 });
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

void step_physical(void)
{
	struct allocation *allocation = any_physical();
	CUmemGenericAllocationHandle handle;
	struct mapping *mapping;

	switch (any(8)) {
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

	for (i = 0; i < MAPPINGS; i++) {
		struct mapping *one = &self->mappings[i];

		if (!one->bytes || CALL(cuMemUnmap, one->address, one->bytes))
			continue;
		one->bytes = 0;
		note_released(allocation_at(one->handle));
	}
}
