// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies in all directions, said or left to the addresses, by either layer, synchronous and not, of
 * lines, boxes and arrays, to and from variables; fills. Left out, since cutop says that it cannot
 * see it: cudaMemcpyDefault to a variable's address, and copies into a level of a mipmapped array.
 */
#include <string.h>
#include "random_calls.h"

#define REACH ((size_t)60000) /* bytes of host memory that a copy may touch */

struct end {
	void *at;
	size_t bytes; /* from there on */
	bool on_device;
	int device;
	const struct allocation *array;
};

static char variable[4096];

__attribute__((constructor)) static void register_variable(void)
{
	static char image[16], name[] = "variable";
	void **fatbin = __cudaRegisterFatBinary(image);

	__cudaRegisterVar(fatbin, variable, name, name, 0, sizeof(variable), 0, 0);
	__cudaRegisterFatBinaryEnd(fatbin);
}

static struct end pageable(void)
{
	return (struct end){ .at = host_memory + any(1000), .bytes = REACH };
}

/* A place in memory that can be copied, not an array. */
static struct end any_end(void)
{
	const struct allocation *allocation;
	struct end end = { 0 };
	size_t offset;

	if (!self->allocation_count || one_in(4))
		return pageable();
	allocation = &self->allocations[any(self->allocation_count)];
	if (allocation->ended || allocation->kind == KIND_ARRAY)
		return pageable();
	if (allocation->kind == KIND_PHYSICAL) {
		struct mapping *mapping = &self->mappings[any(MAPPINGS)];

		if (!mapping->bytes)
			return pageable();
		end.at = (void *)(uintptr_t)mapping->address;
		end.bytes = mapping->bytes;
		end.device = allocation_at(mapping->handle)->device;
		end.on_device = true;
		return end;
	}
	offset = one_in(2) ? 0 : any(allocation->bytes);
	end.at = (void *)(uintptr_t)(allocation->address + offset);
	end.bytes = allocation->bytes - offset;
	end.on_device = allocation->kind < KIND_PINNED;
	end.device = allocation->device;
	return end;
}

static struct end any_array(void)
{
	const struct allocation *allocation;
	struct end end = { 0 };
	size_t i;

	for (i = 0; i < 8 && self->allocation_count; i++) {
		allocation = &self->allocations[any(self->allocation_count)];
		if (allocation->ended || allocation->way != BY_ARRAY || !allocation->bytes)
			continue;
		end.array = allocation;
		end.at = (void *)(uintptr_t)allocation->address;
		end.bytes = allocation->bytes;
		end.on_device = true;
		end.device = allocation->device;
		break;
	}
	return end;
}

static enum cudaMemcpyKind kind_of(const struct end *to, const struct end *from)
{
	return (to->on_device ? 1 : 0) + (from->on_device ? 2 : 0);
}

/*
 * Which way the addresses say that it goes, whatever kind is asked for: from one device to another
 * is P2P (CUPTI).
 */
static enum direction direction_of(const struct end *to, const struct end *from)
{
	enum cudaMemcpyKind kind = kind_of(to, from);

	return kind == cudaMemcpyDeviceToDevice && to->device != from->device ?
		       P2P :
		       (enum direction)kind;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t any_count(const struct end *to, const struct end *from)
{
	size_t most = least(least(to->bytes, from->bytes), REACH);

	return one_in(12) ? 0 : 1 + any(most);
}

static void copy_line(void)
{
	struct end to = any_end(), from = any_end();
	enum cudaMemcpyKind kind = kind_of(&to, &from);
	enum direction direction = direction_of(&to, &from);
	size_t count = any_count(&to, &from);
	cudaStream_t stream = any_stream();
	bool async = one_in(2);
	int code;

	if (one_in(3)) {
		kind = cudaMemcpyDefault;
	} else if (one_in(30)) {
		kind = 7;
		direction = UNKNOWN;
	}
	if (async)
		code = EITHER(cudaMemcpyAsync, cudaMemcpyAsync_ptsz, to.at, from.at, count, kind,
			      stream);
	else
		code = EITHER(cudaMemcpy, cudaMemcpy_ptds, to.at, from.at, count, kind);
	note_copy(code, direction, async, count);
}

static void copy_line_driver(void)
{
	struct end to = any_end(), from = any_end();
	CUdeviceptr dst = (uintptr_t)to.at, src = (uintptr_t)from.at;
	enum direction direction = direction_of(&to, &from);
	size_t count = any_count(&to, &from);
	cudaStream_t stream = any_stream();
	bool async = one_in(2);
	int code;

	if (direction == H2H || one_in(3)) {
		code = async ? EITHER(cuMemcpyAsync, cuMemcpyAsync_ptsz, dst, src, count, stream) :
			       EITHER(cuMemcpy, cuMemcpy_ptds, dst, src, count);
	} else if (direction == H2D) {
		code = async ? EITHER(cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2_ptsz, dst, from.at,
				      count, stream) :
			       EITHER(cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds, dst, from.at, count);
	} else if (direction == D2H) {
		code = async ? EITHER(cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz, to.at, src,
				      count, stream) :
			       EITHER(cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds, to.at, src, count);
	} else {
		code = async ? EITHER(cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz, dst, src,
				      count, stream) :
			       EITHER(cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds, dst, src, count);
	}
	note_copy(code, direction, async, count);
}

static void copy_box(void)
{
	struct end to = any_end(), from = any_end();
	size_t room = least(least(to.bytes, from.bytes), REACH), pitch = 1 + any(room),
	       width = any(pitch + 1);
	size_t height = any(room / pitch + 1);
	enum cudaMemcpyKind kind = kind_of(&to, &from);
	enum direction direction = direction_of(&to, &from);
	cudaStream_t stream = any_stream();
	CUDA_MEMCPY2D box = {
		.srcMemoryType = from.on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
		.srcHost = from.at,
		.srcDevice = (uintptr_t)from.at,
		.srcPitch = pitch,
		.dstMemoryType = to.on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
		.dstHost = to.at,
		.dstDevice = (uintptr_t)to.at,
		.dstPitch = pitch,
		.WidthInBytes = width,
		.Height = height
	};
	struct cudaMemcpy3DParms solid = { .srcPtr = { from.at, pitch, pitch, height },
					   .dstPtr = { to.at, pitch, pitch, height },
					   .extent = { width, height, 1 },
					   .kind = kind };
	CUDA_MEMCPY3D driver = { .srcMemoryType = box.srcMemoryType,
				 .srcHost = from.at,
				 .srcDevice = (uintptr_t)from.at,
				 .srcPitch = pitch,
				 .srcHeight = height,
				 .dstMemoryType = box.dstMemoryType,
				 .dstHost = to.at,
				 .dstDevice = (uintptr_t)to.at,
				 .dstPitch = pitch,
				 .dstHeight = height,
				 .WidthInBytes = width,
				 .Height = height,
				 .Depth = 1 };
	bool async = one_in(2), any_kind = one_in(3);
	int code;

	if (any_kind) {
		kind = solid.kind = cudaMemcpyDefault;
		box.srcMemoryType = box.dstMemoryType = driver.srcMemoryType =
			driver.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
	}
	switch (any(5)) {
	case 0:
		code = async ? EITHER(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz, to.at, pitch,
				      from.at, pitch, width, height, kind, stream) :
			       EITHER(cudaMemcpy2D, cudaMemcpy2D_ptds, to.at, pitch, from.at, pitch,
				      width, height, kind);
		break;
	case 1:
		code = async ? EITHER(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz, &solid, stream) :
			       EITHER(cudaMemcpy3D, cudaMemcpy3D_ptds, &solid);
		break;
	case 2:
		code = async ? EITHER(cuMemcpy2DAsync_v2, cuMemcpy2DAsync_v2_ptsz, &box, stream) :
			       EITHER(cuMemcpy2D_v2, cuMemcpy2D_v2_ptds, &box);
		break;
	case 3:
		async = false;
		code = EITHER(cuMemcpy2DUnaligned_v2, cuMemcpy2DUnaligned_v2_ptds, &box);
		break;
	default:
		code = async ? EITHER(cuMemcpy3DAsync_v2, cuMemcpy3DAsync_v2_ptsz, &driver,
				      stream) :
			       EITHER(cuMemcpy3D_v2, cuMemcpy3D_v2_ptds, &driver);
	}
	note_copy(code, direction, async, width * height);
}

static void copy_peer(void)
{
	struct end to = any_end(), from = any_end();
	size_t count = any_count(&to, &from);
	struct cudaMemcpy3DPeerParms solid = { .srcPtr = { from.at, count, count, 1 },
					       .srcDevice = from.device,
					       .dstPtr = { to.at, count, count, 1 },
					       .dstDevice = to.device,
					       .extent = { count, 1, 1 } };
	cudaStream_t stream = any_stream();
	bool async = one_in(2);
	int code;

	if (!to.on_device || !from.on_device)
		return;
	if (one_in(2))
		code = async ? CALL(cudaMemcpyPeerAsync, to.at, to.device, from.at, from.device,
				    count, stream) :
			       CALL(cudaMemcpyPeer, to.at, to.device, from.at, from.device, count);
	else
		code = async ? EITHER(cudaMemcpy3DPeerAsync, cudaMemcpy3DPeerAsync_ptsz, &solid,
				      stream) :
			       EITHER(cudaMemcpy3DPeer, cudaMemcpy3DPeer_ptds, &solid);
	note_copy(code, direction_of(&to, &from), async, count);
}

/* Between an array and memory, or two arrays whose elements are alike. */
static void copy_array(void)
{
	struct end array = any_array(), other = one_in(4) ? any_array() : any_end();
	const struct allocation *a = array.array, *b = other.array;
	size_t row, rows, width, height, element;
	cudaStream_t stream = any_stream();
	enum cudaMemcpyKind in, out;
	enum direction inward, outward;
	bool async = one_in(2);
	int code;

	if (!a || (b && b->element != a->element))
		return;
	element = a->element;
	row = a->width * element;
	rows = a->height ? a->height : 1;
	if (b) {
		row = least(row, b->width * element);
		rows = least(rows, b->height ? b->height : 1);
	}
	width = 1 + any(row);
	height = 1 + any(rows);
	if (!b && width * height > least(other.bytes, REACH))
		return;
	in = kind_of(&array, &other);
	out = kind_of(&other, &array);
	inward = direction_of(&array, &other);
	outward = direction_of(&other, &array);
	if (b) {
		code = EITHER(cudaMemcpy2DArrayToArray, cudaMemcpy2DArrayToArray_ptds, array.at, 0,
			      0, other.at, 0, 0, width, height, cudaMemcpyDeviceToDevice);
		note_copy(code, inward, false, width * height);
	} else if (one_in(4)) {
		struct cudaMemcpy3DParms solid = { .srcArray = array.at,
						   .dstPtr = { other.at, width * element, width,
							       height },
						   .extent = { width / element, height, 1 },
						   .kind = out };

		if (width / element * element * height > least(other.bytes, REACH) ||
		    width * element * height > least(other.bytes, REACH))
			return;
		code = async ? CALL(cudaMemcpy3DAsync, &solid, stream) : CALL(cudaMemcpy3D, &solid);
		note_copy(code, outward, async, width / element * element * height);
	} else if (one_in(2)) {
		code = async ? EITHER(cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArrayAsync_ptsz,
				      array.at, 0, 0, other.at, width, width, height, in, stream) :
			       EITHER(cudaMemcpy2DToArray, cudaMemcpy2DToArray_ptds, array.at, 0, 0,
				      other.at, width, width, height, in);
		note_copy(code, inward, async, width * height);
	} else if (one_in(2)) {
		code = async ? EITHER(cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArrayAsync_ptsz,
				      other.at, width, array.at, 0, 0, width, height, out, stream) :
			       EITHER(cudaMemcpy2DFromArray, cudaMemcpy2DFromArray_ptds, other.at,
				      width, array.at, 0, 0, width, height, out);
		note_copy(code, outward, async, width * height);
	} else if (one_in(2)) {
		code = async ? CALL(cudaMemcpyToArrayAsync, array.at, 0, 0, other.at, width, in,
				    stream) :
			       CALL(cudaMemcpyToArray, array.at, 0, 0, other.at, width, in);
		note_copy(code, inward, async, width);
	} else {
		code = async ? CALL(cudaMemcpyFromArrayAsync, other.at, array.at, 0, 0, width, out,
				    stream) :
			       CALL(cudaMemcpyFromArray, other.at, array.at, 0, 0, width, out);
		note_copy(code, outward, async, width);
	}
}

static void copy_variable(void)
{
	struct end other = any_end(), symbol = { .on_device = true };
	size_t count = any(least(other.bytes, sizeof(variable)) + 1),
	       offset = any(sizeof(variable) - count + 1);
	enum cudaMemcpyKind in = kind_of(&symbol, &other), out = kind_of(&other, &symbol);
	const void *name = one_in(20) ? host_memory : variable; /* the first is none */
	cudaStream_t stream = any_stream();
	bool async = one_in(2);
	int code;

	if (one_in(2)) {
		code = async ? EITHER(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz, name,
				      other.at, count, offset, in, stream) :
			       EITHER(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds, name, other.at,
				      count, offset, in);
		note_copy(code, (enum direction)in, async, count);
	} else {
		code = async ? EITHER(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz,
				      other.at, name, count, offset, out, stream) :
			       EITHER(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds, other.at,
				      name, count, offset, out);
		note_copy(code, (enum direction)out, async, count);
	}
}

void step_copy(void)
{
	switch (any(8)) {
	case 0:
	case 1: copy_line(); break;
	case 2:
	case 3: copy_line_driver(); break;
	case 4: copy_box(); break;
	case 5: copy_peer(); break;
	case 6: copy_array(); break;
	default: copy_variable();
	}
}

/* Fills are calls and nothing else; so is waiting. */
void step_set(void)
{
	struct end end = any_end();
	CUdeviceptr at = (uintptr_t)end.at;
	cudaStream_t stream = any_stream();
	size_t count = any(end.bytes + 1);

	if (!end.on_device)
		return;
	switch (any(8)) {
	case 0: EITHER(cudaMemset, cudaMemset_ptds, end.at, 1, count); break;
	case 1: EITHER(cudaMemsetAsync, cudaMemsetAsync_ptsz, end.at, 1, count, stream); break;
	case 2: EITHER(cuMemsetD8_v2, cuMemsetD8_v2_ptds, at, 1, count); break;
	case 3: EITHER(cuMemsetD32Async, cuMemsetD32Async_ptsz, at, 1, count / 4, stream); break;
	case 4: EITHER(cudaMemset2D, cudaMemset2D_ptds, end.at, count, 1, count, 1); break;
	case 5: EITHER(cudaStreamSynchronize, cuStreamSynchronize, stream); break;
	case 6: one_in(2) ? CALL(cudaDeviceSynchronize) : CALL(cuCtxSynchronize); break;
	default: break;
	}
}
