// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with a CUDA runtime and driver of its own, for memory and copies that the
 * double does not have. Its functions say what they are told to; what they
 * allocate lies nowhere, its handles as close together as a heap lays them.
 *
 *   odd_memory    physical memory of the host, 2 MiB twice, one mapped, both
 *                 released, unmapped; from a pool of the host's memory 1,000
 *                 bytes, from a pool of device 1 2,000, from that device's
 *                 default pool 3,000, none freed
 *                 mipmapped arrays of 16x16x6 floats in three levels, none
 *                 freed: of six layers, by either layer's call; of six faces;
 *                 of depth six. An array of 16x16 times four normalized 16-bit
 *                 channels; sparse ones, whose memory is mapped later
 *                 another process's memory: a handle that is mapped, copied from
 *                 (10 bytes, cudaMemcpyDefault), released and unmapped; a mapped
 *                 mipmapped array, freed; a multicast object, released
 *   odd_memory batches
 *                 batches of copies of 10, 20 and 30 bytes into a stream, as CUDA 12
 *                 takes them and as CUDA 13 does; then one of two operations, of
 *                 2x3x4 and 5x6x7, either way; one of each whose list cannot be read
 */
#include <stdint.h>
#include <string.h>
#include "cuda_double.h"
#include "cuda_double_driver.h"

#ifdef __clang__
#define OPAQUE __attribute__((noinline, optnone))
#else
#define OPAQUE __attribute__((noipa))
#endif

#define MIB		((size_t)1 << 20)
#define SPACE		((CUdeviceptr)0x7f0000000000)
#define HEAP		0x555500000000ul
#define NOT_MAPPED	((void *)0x3ffffffff000)
#define LAYERED		1	/* cudaArrayLayered, CUDA_ARRAY3D_LAYERED */
#define CUBEMAP		4
#define SPARSE		0x40
#define DEFERRED	0x80
#define UNORM16_X4	0xc5	/* CU_AD_FORMAT_UNORM_INT16X4 */

static unsigned long given = HEAP;	/* what functions write */

static void put(void *p)
{
	if (!p)
		return;
	given += 0x100;
	memcpy(p, &given, sizeof(given));
}

/* At -O0 each begins with a push. */
#define RUNTIME(name, args, out) OPAQUE cudaError_t name args { put(out); return cudaSuccess; }
#define DRIVER(name, args, out) OPAQUE CUresult name args { put(out); return CUDA_SUCCESS; }

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
DRIVER(cuMemCreate, (CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
		     unsigned long long flags), handle)
DRIVER(cuMemRelease, (CUmemGenericAllocationHandle handle), NULL)
DRIVER(cuMemMap, (CUdeviceptr at, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
		  unsigned long long flags), NULL)
DRIVER(cuMemUnmap, (CUdeviceptr at, size_t size), NULL)
DRIVER(cuMemImportFromShareableHandle, (CUmemGenericAllocationHandle *handle, void *shareable, int type), handle)
DRIVER(cuMulticastCreate, (CUmemGenericAllocationHandle *handle, const void *prop), handle)
DRIVER(cuArray3DCreate_v2, (CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc), array)
DRIVER(cuMipmappedArrayCreate, (CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *desc, unsigned int levels), array)
RUNTIME(cudaMallocArray, (cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
			  unsigned int flags), array)
RUNTIME(cudaMalloc3DArray, (cudaArray_t *array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
			    unsigned int flags), array)
RUNTIME(cudaMallocMipmappedArray, (cudaMipmappedArray_t *array, const struct cudaChannelFormatDesc *desc,
				   struct cudaExtent extent, unsigned int levels, unsigned int flags), array)
RUNTIME(cudaFreeMipmappedArray, (cudaMipmappedArray_t array), NULL)
RUNTIME(cudaExternalMemoryGetMappedMipmappedArray, (cudaMipmappedArray_t *array, void *memory, const void *desc), array)
RUNTIME(cudaMemPoolCreate, (cudaMemPool_t *pool, const struct cudaMemPoolProps *props), pool)
RUNTIME(cudaMemGetDefaultMemPool, (cudaMemPool_t *pool, struct cudaMemLocation *where, int type), pool)
RUNTIME(cudaMallocFromPoolAsync, (void **p, size_t size, cudaMemPool_t pool, cudaStream_t stream), p)
RUNTIME(cudaMemcpy, (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind), NULL)

/* As in CUDA 12: where the number of a copy that fails goes is gone in 13. */
RUNTIME(cudaMemcpyBatchAsync, (void **dsts, void **srcs, size_t *sizes, size_t count, void *attributes, size_t *indices,
			       size_t attribute_count, size_t *failed, cudaStream_t stream), NULL)
RUNTIME(cudaMemcpy3DBatchAsync, (size_t count, void *operations, size_t *failed, unsigned long long flags,
				 cudaStream_t stream), NULL)

typedef cudaError_t batch(void **dsts, void **srcs, size_t *sizes, size_t count, void *attributes, size_t *indices,
			  size_t attribute_count, cudaStream_t stream);
typedef cudaError_t batch_3d(size_t count, void *operations, unsigned long long flags, cudaStream_t stream);

static int batches(void)
{
	batch *newer = (batch *)(uintptr_t)cudaMemcpyBatchAsync;
	batch_3d *newer_3d = (batch_3d *)(uintptr_t)cudaMemcpy3DBatchAsync;
	struct { char ends[80]; struct cudaExtent extent; int mode; } operations[2] = {
		{ .extent = { 2, 3, 4 } }, { .extent = { 5, 6, 7 } },
	};
	size_t sizes[3] = { 10, 20, 30 }, none = 0, one = 1, three = 3, two = 2, failed;
	void *ends[3] = { sizes, sizes, sizes }, *attributes = ends;
	cudaStream_t stream = (cudaStream_t)HEAP;

	cudaMemcpyBatchAsync(ends, ends, sizes, three, attributes, &none, one, &failed, stream);
	newer(ends, ends, sizes, three, attributes, &none, one, stream);
	cudaMemcpy3DBatchAsync(two, operations, &failed, 0, stream);
	newer_3d(two, operations, 0, stream);
	newer(ends, ends, NOT_MAPPED, three, attributes, &none, one, stream);
	newer_3d(two, NOT_MAPPED, 0, stream);
	return 0;
}

static void host(void)
{
	CUmemAllocationProp prop = { .type = 1, .location = { 3, 0 } };	/* CU_MEM_LOCATION_TYPE_HOST_NUMA */
	CUmemGenericAllocationHandle one, two;

	cuMemCreate(&one, 2 * MIB, &prop, 0);
	cuMemCreate(&two, 2 * MIB, &prop, 0);
	cuMemMap(SPACE, 2 * MIB, 0, one, 0);
	cuMemRelease(one);
	cuMemRelease(two);
	cuMemUnmap(SPACE, 2 * MIB);
}

static void pools(void)
{
	struct cudaMemPoolProps props = { .allocType = 1, .location = { cudaMemLocationTypeHost, 0 } };
	cudaMemPool_t pool;
	void *p;

	cudaMemPoolCreate(&pool, &props);
	cudaMallocFromPoolAsync(&p, 1000, pool, NULL);
	props.location = (struct cudaMemLocation){ cudaMemLocationTypeDevice, 1 };
	cudaMemPoolCreate(&pool, &props);
	given += 4096;
	cudaMallocFromPoolAsync(&p, 2000, pool, NULL);
	cudaMemGetDefaultMemPool(&pool, &props.location, 1);
	given += 4096;
	cudaMallocFromPoolAsync(&p, 3000, pool, NULL);
	given += 4096;
}

static void arrays(void)
{
	struct cudaChannelFormatDesc desc = { 32, 0, 0, 0, cudaChannelFormatKindFloat };
	CUDA_ARRAY3D_DESCRIPTOR layers = { 16, 16, 6, 0x20, 1, LAYERED }, normalized = { 16, 16, 0, UNORM16_X4, 4, 0 },
		sparse = { 1024, 1024, 0, 0x20, 1, SPARSE };
	struct cudaExtent extent = { 16, 16, 6 };
	cudaMipmappedArray_t mipmap;
	CUmipmappedArray driver;
	cudaArray_t array;
	CUarray plain;

	cudaMallocMipmappedArray(&mipmap, &desc, extent, 3, LAYERED);
	cudaMallocMipmappedArray(&mipmap, &desc, extent, 3, CUBEMAP);
	cudaMallocMipmappedArray(&mipmap, &desc, extent, 3, 0);
	cuMipmappedArrayCreate(&driver, &layers, 3);
	cuArray3DCreate_v2(&plain, &normalized);
	cuArray3DCreate_v2(&plain, &sparse);
	cudaMalloc3DArray(&array, &desc, extent, DEFERRED);
	cudaMallocArray(&array, &desc, 16, 16, SPARSE);
}

static void others(void)
{
	cudaMipmappedArray_t mipmap;
	CUmemGenericAllocationHandle handle;
	char bytes[10];

	cuMemImportFromShareableHandle(&handle, NULL, 1);
	cuMemMap(SPACE, 2 * MIB, 0, handle, 0);
	cuMemRelease(handle);
	cudaMemcpy(bytes, (void *)(uintptr_t)(SPACE + 4096), sizeof(bytes), cudaMemcpyDefault);
	cuMemUnmap(SPACE, 2 * MIB);
	cudaExternalMemoryGetMappedMipmappedArray(&mipmap, NULL, NULL);
	cudaFreeMipmappedArray(mipmap);
	cuMulticastCreate(&handle, NULL);
	cuMemRelease(handle);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "batches"))
		return batches();
	host();
	pools();
	arrays();
	others();
	return 0;
}
