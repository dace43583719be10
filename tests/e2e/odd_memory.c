// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with a CUDA runtime and driver of its own (odd_cuda.h), for memory and copies
 * (odd_copies.c) that the double does not have. Its functions say what they are told to; what they
 * allocate lies nowhere, its handles as close together as a heap lays them.
 *
 *   odd_memory    physical memory of the host, 2 MiB twice, one mapped, both
 *                 released, unmapped; from a pool of the host's memory 1,000
 *                 bytes, from a pool of device 1 2,000, from that device's
 *                 default pool 3,000; from a pool of managed memory that prefers
 *                 nothing 4,000, from the default one that prefers the host 5,000;
 *                 none freed
 *                 mipmapped arrays of 16x16x6 floats in three levels, none
 *                 freed: of six layers, by either layer's call; of six faces;
 *                 of depth six. An array of 16x16 times four normalized 16-bit
 *                 channels; sparse ones, whose memory is mapped later
 *                 another process's memory: a handle that is mapped, copied from
 *                 (10 bytes, cudaMemcpyDefault), released and unmapped; a mapped
 *                 mipmapped array, freed; a multicast object, released
 *   odd_memory places
 *                 at each type of location from 1 to 7: so many MiB of physical
 *                 memory, and so many thousand bytes from a pool there; none freed
 *   odd_memory peers
 *                 from device 0 to itself, by the driver's calls for peers: 10 bytes,
 *                 20 (async), 100 and, by a second context there, 1,000; to device 1
 *                 30, 40 (async) and 2,000. 100 and 2,000 are boxes
 *   odd_memory statics
 *                 asks the driver for variables of one module, of 100 bytes, twice,
 *                 and 200, and of another, of 400; half a second later it unloads
 *                 the first one, and after another half it ends
 *   odd_memory formats
 *                 mipmapped arrays of 16x8 floats: of 30 levels, where five are
 *                 possible, of one when none is asked for, and of 30 with three
 *                 layers. None freed
 *   odd_memory green-sync, primary-sync
 *                 a launch in the primary context; a green one is synchronized, or the primary
 *                 one; a fault
 *   odd_memory green
 *                 in a green context of device 1, which keeps the primary one when
 *                 that is released: 1,000 bytes; 2,000 more when the green one is
 *                 gone and the primary one was retained again; released. In one of
 *                 device 0 that alone holds the primary one: 4,000, and its end
 *   odd_memory batches
 *                 batches of copies of 10, 20 and 30 bytes into a stream, as CUDA 12
 *                 takes them and as CUDA 13 does; then one of two operations, of
 *                 2x3x4 and 5x6x7, either way; one of each whose list cannot be read
 *   odd_memory directions
 *                 asynchronous copies that say neither direction nor, of arrays,
 *                 bytes: a batch of 1,000 times 10 bytes to the device; a batch of
 *                 two operations, of 2x3x4 and 5x6x7 elements of 16 bytes, to an
 *                 array. With attributes, as CUDA 13.2 has them: 100 bytes from the
 *                 device and 2x3x4 elements from the array to the device; by the
 *                 driver's calls 50 bytes and 2x3x4 to the device. Levels of
 *                 mipmapped arrays of the same elements: 4x4x1 of them from the
 *                 host, 2x2x1 from level to level, by the driver's call for levels
 *                 1x1x1 back to the host. Synchronous ones of variables: 7 bytes
 *                 to one, 9 from within another, whose size is known; 11 to a
 *                 buffer that a graphics library lent, 15 to one of OpenGL, 17 to
 *                 one whose size is not said, 13 from within memory that was
 *                 allocated in a capture
 *   odd_memory late
 *                 allocates 4 KiB, says "ready" and waits for a byte; then as NCCL starts: 65 times
 *                 physical memory of device 0, mapped, to which 8 bytes are copied from the stack and
 *                 4 from the heap. To it from mapped memory of a NUMA node 32 bytes, back 16; 64 to
 *                 registered memory; 128 to managed memory from the stack, 256 from there. All of
 *                 these say no direction, nor do 512 bytes to the first 4 KiB. Then 1,000 to memory
 *                 of device 1, which say theirs
 *   odd_memory opengl
 *                 in a context for OpenGL on device 1: 1,000 bytes; destroyed
 */
#include <string.h>
#include <unistd.h>

#include "odd_cuda.h"

#define LAYERED    1 /* cudaArrayLayered, CUDA_ARRAY3D_LAYERED */
#define CUBEMAP    4
#define SPARSE     0x40
#define DEFERRED   0x80
#define MANAGED    2    /* cudaMemAllocationTypeManaged */
#define UNORM16_X4 0xc5 /* CU_AD_FORMAT_UNORM_INT16X4 */

static int statics(void)
{
	CUmodule one = (CUmodule)0x10000, other = (CUmodule)0x20000;
	CUdeviceptr p;
	size_t size;

	cuModuleGetGlobal_v2(&p, &size, one, "1");
	cuModuleGetGlobal_v2(&p, &size, one, "2");
	cuModuleGetGlobal_v2(&p, &size, one, "1");
	cuModuleGetGlobal_v2(&p, &size, other, "4");
	usleep(500000);
	cuModuleUnload(one);
	usleep(500000);
	return 0;
}

static void host(void)
{
	/* CU_MEM_LOCATION_TYPE_HOST_NUMA */
	CUmemAllocationProp prop = { .type = 1, .location = { 3, 0 } };
	CUmemGenericAllocationHandle one, two;

	cuMemCreate(&one, 2 * MIB, &prop, 0);
	cuMemCreate(&two, 2 * MIB, &prop, 0);
	cuMemMap(SPACE, 2 * MIB, 0, one, 0);
	cuMemRelease(one);
	cuMemRelease(two);
	cuMemUnmap(SPACE, 2 * MIB);
}

/*
 * The same at each place that there is: a device, the host's three, one that this process does not
 * see (5, from CUDA 13.2 on), and what later editions add, like the locality domains of 13.4, whose
 * number is not published: 6 and 7 stand for them.
 */
static int places(void)
{
	CUmemAllocationProp prop = { .type = 1 };
	struct cudaMemPoolProps props = { .allocType = 1 };
	CUmemGenericAllocationHandle handle;
	cudaMemPool_t pool;
	void *p;
	int type;

	for (type = 1; type <= 7; type++) {
		prop.location = (CUmemLocation){ type, 0 };
		cuMemCreate(&handle, (size_t)type * MIB, &prop, 0);
		given += 4096;
		props.location = (struct cudaMemLocation){ (enum cudaMemLocationType)type, 0 };
		cudaMemPoolCreate(&pool, &props);
		given += 4096;
		cudaMallocFromPoolAsync(&p, (size_t)type * 1000, pool, NULL);
		given += 8192;
	}
	return 0;
}

static void pools(void)
{
	struct cudaMemPoolProps props = { .allocType = 1,
					  .location = { cudaMemLocationTypeHost, 0 } };
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
	props.allocType = MANAGED;
	props.location = (struct cudaMemLocation){ 0, 0 };
	cudaMemPoolCreate(&pool, &props);
	cudaMallocFromPoolAsync(&p, 4000, pool, NULL);
	given += 4096;
	props.location = (struct cudaMemLocation){ cudaMemLocationTypeHost, 0 };
	cudaMemGetDefaultMemPool(&pool, &props.location, MANAGED);
	cudaMallocFromPoolAsync(&p, 5000, pool, NULL);
	given += 8192;
}

static void arrays(void)
{
	struct cudaChannelFormatDesc desc = { 32, 0, 0, 0, cudaChannelFormatKindFloat };
	CUDA_ARRAY3D_DESCRIPTOR layers = { 16, 16, 6, 0x20, 1, LAYERED },
				normalized = { 16, 16, 0, UNORM16_X4, 4, 0 },
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

static int formats(void)
{
	struct cudaChannelFormatDesc desc = { 32, 0, 0, 0, cudaChannelFormatKindFloat };
	CUDA_ARRAY3D_DESCRIPTOR floats = { 16, 8, 0, 0x20, 1, 0 };
	struct cudaExtent extent = { 16, 8, 0 }, layers = { 16, 8, 3 };
	cudaMipmappedArray_t mipmap;
	CUmipmappedArray driver;

	cudaMallocMipmappedArray(&mipmap, &desc, extent, 30, 0);
	cuMipmappedArrayCreate(&driver, &floats, 0);
	cudaMallocMipmappedArray(&mipmap, &desc, layers, 30, LAYERED);
	return 0;
}

static int green(void)
{
	CUdeviceptr p;
	void *green;
	CUcontext context;

	cuDevicePrimaryCtxRetain(&context, 1);
	cuGreenCtxCreate(&green, NULL, 1, 1);
	cuDevicePrimaryCtxRelease_v2(1);
	cuCtxFromGreenCtx(&context, green);
	cuCtxSetCurrent(context);
	cuMemAlloc_v2(&p, 1000);
	given += 4096;
	cuDevicePrimaryCtxRetain(&context, 1);
	cuGreenCtxDestroy(green);
	cuMemAlloc_v2(&p, 2000);
	given += 4096;
	cuDevicePrimaryCtxRelease_v2(1);
	cuGreenCtxCreate(&green, NULL, 0, 1);
	cuCtxFromGreenCtx(&context, green);
	cuCtxSetCurrent(context);
	cuMemAlloc_v2(&p, 4000);
	cuGreenCtxDestroy(green);
	return 0;
}

static int opengl(void)
{
	CUcontext context;
	CUdeviceptr p;

	cuGLCtxCreate_v2(&context, 0, 1);
	cuMemAlloc_v2(&p, 1000);
	cuCtxDestroy_v2(context);
	return 0;
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
	if (argc > 1 && !strcmp(argv[1], "statics"))
		return statics();
	if (argc > 1 && !strcmp(argv[1], "peers"))
		return peers();
	if (argc > 1 && !strcmp(argv[1], "places"))
		return places();
	if (argc > 1 && (!strcmp(argv[1], "green-sync") || !strcmp(argv[1], "primary-sync")))
		return green_synchronize(!strcmp(argv[1], "primary-sync"));
	if (argc > 1 && !strcmp(argv[1], "green"))
		return green();
	if (argc > 1 && !strcmp(argv[1], "directions"))
		return directions();
	if (argc > 1 && !strcmp(argv[1], "late"))
		return late();
	if (argc > 1 && !strcmp(argv[1], "opengl"))
		return opengl();
	if (argc > 1 && !strcmp(argv[1], "formats"))
		return formats();
	host();
	pools();
	arrays();
	others();
	return 0;
}
