// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls of the driver API, in exact numbers; no runtime is linked.
 *
 *   driver_calls basic       on device 0's primary context. cuMemAlloc 1,000,
 *                            pitched 10 rows of 100, managed 2,000, pinned 300
 *                            and 200, registered 400, async 500, from a pool of
 *                            device 1 600, an array of 16 x 8 x 2 floats, one of
 *                            4 x 4 x 4 halves, a mipmapped one of 16 x 16 x 4
 *                            bytes in 3 levels; all freed. Copies H2D 10 and (as
 *                            default) 40, D2H 20, D2D 30, H2D async 50, D2H async
 *                            60, H2D 2D 8 x 4, D2H 3D 4 x 4 x 2. cuLaunchKernel
 *                            100 x square<<<(3,2,1), (32,2,2), 64>>>,
 *                            cuLaunchKernelEx 3 x square<<<7, 16>>>, cooperative
 *                            2 x square<<<2, 64>>>; 4 x cube by a kernel handle,
 *                            5 x cube by the function from it; a function that is
 *                            not found, an allocation for which there is no room
 *   driver_calls shapes      a by cuLaunchKernel 5 x <<<(3,2,1), (32,2,2), 64>>>, then
 *                            1 x <<<(9,8,7), (6,5,4), 32>>>; b by cuLaunchKernelEx
 *                            3 x <<<7, 16, 96>>>; c by cuLaunchCooperativeKernel
 *                            2 x <<<2, (64,2,1)>>>
 *   driver_calls contexts    with two devices. In a context of device 1: 1,000,
 *                            2,000 and, after 4,000 in device 0's primary one by
 *                            push and pop, 8,000; destroyed. 100 more in the primary
 *                            one, which was retained twice and is released twice
 *   driver_calls virtual     on device 1, physical memory of 2 MiB each: handle
 *                            released, then unmapped; mapped in two places,
 *                            unmapped at once, released; retained by address,
 *                            released twice, unmapped; released and left mapped
 *   driver_calls late        in the primary context, after a line is read: 1,000
 *                            bytes, and 2,000 after the context was retained once
 *                            more and released; freed after the next line
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda_double_driver.h"
#include "program.h"

static CUcontext begin(CUdevice device)
{
	CUcontext context;

	MUST(cuInit(0));
	MUST(cuDevicePrimaryCtxRetain(&context, device));
	MUST(cuCtxSetCurrent(context));
	return context;
}

static void launches(void)
{
	CUlaunchConfig config = { 7, 1, 1, 16, 1, 1, 0, NULL, NULL, 0 };
	CUfunction square, missing, made;
	CUlibrary library;
	CUmodule module;
	CUkernel cube;
	int i;

	MUST(cuModuleLoadData(&module, "image"));
	MUST(cuModuleGetFunction(&square, module, "_Z6squarePfi"));
	for (i = 0; i < 100; i++)
		MUST(cuLaunchKernel(square, 3, 2, 1, 32, 2, 2, 64, NULL, NULL, NULL));
	for (i = 0; i < 3; i++)
		MUST(cuLaunchKernelEx(&config, square, NULL, NULL));
	for (i = 0; i < 2; i++)
		MUST(cuLaunchCooperativeKernel(square, 2, 1, 1, 64, 1, 1, 0, NULL, NULL));
	MUST(cuLibraryLoadData(&library, "image", NULL, NULL, 0, NULL, NULL, 0));
	MUST(cuLibraryGetKernel(&cube, library, "_Z4cubePf"));
	for (i = 0; i < 4; i++)
		MUST(cuLaunchKernel((CUfunction)cube, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
	MUST(cuKernelGetFunction(&made, cube));
	for (i = 0; i < 5; i++)
		MUST(cuLaunchKernel(made, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
	if (cuModuleGetFunction(&missing, module, "no_such_kernel") != CUDA_ERROR_NOT_FOUND)
		exit(2);
}

static void copies(CUdeviceptr a, CUdeviceptr b, char *host)
{
	CUDA_MEMCPY2D flat = { .srcMemoryType = CU_MEMORYTYPE_HOST,
			       .srcHost = host,
			       .srcPitch = 8,
			       .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			       .dstDevice = a,
			       .dstPitch = 16,
			       .WidthInBytes = 8,
			       .Height = 4 };
	CUDA_MEMCPY3D deep = { .srcMemoryType = CU_MEMORYTYPE_DEVICE,
			       .srcDevice = a,
			       .srcPitch = 4,
			       .srcHeight = 4,
			       .dstMemoryType = CU_MEMORYTYPE_HOST,
			       .dstHost = host,
			       .dstPitch = 4,
			       .dstHeight = 4,
			       .WidthInBytes = 4,
			       .Height = 4,
			       .Depth = 2 };

	MUST(cuMemcpyHtoD_v2(a, host, 10));
	MUST(cuMemcpyDtoH_v2(host, a, 20));
	MUST(cuMemcpyDtoD_v2(b, a, 30));
	MUST(cuMemcpy(a, (CUdeviceptr)(uintptr_t)host, 40));
	MUST(cuMemcpyHtoDAsync_v2(a, host, 50, NULL));
	MUST(cuMemcpyDtoHAsync_v2(host, a, 60, NULL));
	MUST(cuMemcpy2D_v2(&flat));
	MUST(cuMemcpy3D_v2(&deep));
	MUST(cuStreamSynchronize(NULL));
}

static int basic(void)
{
	CUDA_ARRAY3D_DESCRIPTOR deep = { 4, 4, 4, 0x10, 1, 0 }, levels = { 16, 16, 0, 0x01, 4, 0 };
	CUDA_ARRAY_DESCRIPTOR flat = { 16, 8, 0x20, 2 };
	CUmemPoolProps props = { .allocType = 1, .location = { 1, 1 } };
	CUdeviceptr device, pitched, managed, async, pooled, much;
	static char registered[400], host[4096];
	CUmipmappedArray mipmap;
	CUarray two, three;
	CUmemoryPool pool;
	void *pinned[2];
	size_t pitch;

	begin(0);
	MUST(cuMemAlloc_v2(&device, 1000));
	MUST(cuMemAllocPitch_v2(&pitched, &pitch, 100, 10, 4));
	MUST(cuMemAllocManaged(&managed, 2000, 1));
	MUST(cuMemHostAlloc(&pinned[0], 300, 0));
	MUST(cuMemAllocHost_v2(&pinned[1], 200));
	MUST(cuMemHostRegister_v2(registered, sizeof(registered), 0));
	MUST(cuMemAllocAsync(&async, 500, NULL));
	MUST(cuMemPoolCreate(&pool, &props));
	MUST(cuMemAllocFromPoolAsync(&pooled, 600, pool, NULL));
	MUST(cuArrayCreate_v2(&two, &flat));
	MUST(cuArray3DCreate_v2(&three, &deep));
	MUST(cuMipmappedArrayCreate(&mipmap, &levels, 3));
	if (cuMemAlloc_v2(&much, 1ull << 50) != CUDA_ERROR_OUT_OF_MEMORY)
		exit(2);
	copies(device, managed, host);
	launches();
	MUST(cuCtxSynchronize());
	printf("pitch %zu\n", pitch);
	MUST(cuMipmappedArrayDestroy(mipmap));
	MUST(cuArrayDestroy(three));
	MUST(cuArrayDestroy(two));
	MUST(cuMemFreeAsync(pooled, NULL));
	MUST(cuMemFreeAsync(async, NULL));
	MUST(cuMemPoolDestroy(pool));
	MUST(cuMemHostUnregister(registered));
	MUST(cuMemFreeHost(pinned[1]));
	MUST(cuMemFreeHost(pinned[0]));
	MUST(cuMemFree_v2(managed));
	MUST(cuMemFree_v2(pitched));
	MUST(cuMemFree_v2(device));
	MUST(cuDevicePrimaryCtxRelease_v2(0));
	return 0;
}

static int shapes(void)
{
	CUlaunchConfig config = { 7, 1, 1, 16, 1, 1, 96, NULL, NULL, 0 };
	CUfunction a, b, c;
	CUmodule module;
	int i;

	begin(0);
	MUST(cuModuleLoadData(&module, "image"));
	MUST(cuModuleGetFunction(&a, module, "_Z1av"));
	MUST(cuModuleGetFunction(&b, module, "_Z1bv"));
	MUST(cuModuleGetFunction(&c, module, "_Z1cv"));
	for (i = 0; i < 5; i++)
		MUST(cuLaunchKernel(a, 3, 2, 1, 32, 2, 2, 64, NULL, NULL, NULL));
	MUST(cuLaunchKernel(a, 9, 8, 7, 6, 5, 4, 32, NULL, NULL, NULL));
	for (i = 0; i < 3; i++)
		MUST(cuLaunchKernelEx(&config, b, NULL, NULL));
	for (i = 0; i < 2; i++)
		MUST(cuLaunchCooperativeKernel(c, 2, 1, 1, 64, 2, 1, 0, NULL, NULL));
	MUST(cuCtxSynchronize());
	return 0;
}

static int contexts(void)
{
	CUcontext primary = begin(0), own, popped;
	CUdeviceptr p;

	MUST(cuDevicePrimaryCtxRetain(&primary, 0));
	MUST(cuCtxCreate_v2(&own, 0, 1));
	MUST(cuMemAlloc_v2(&p, 1000));
	MUST(cuMemAlloc_v2(&p, 2000));
	MUST(cuCtxPushCurrent_v2(primary));
	MUST(cuMemAlloc_v2(&p, 4000));
	MUST(cuCtxPopCurrent_v2(&popped));
	MUST(cuMemAlloc_v2(&p, 8000));
	MUST(cuCtxDestroy_v2(own));
	MUST(cuCtxSetCurrent(primary));
	MUST(cuMemAlloc_v2(&p, 100));
	MUST(cuDevicePrimaryCtxRelease_v2(0));
	MUST(cuMemAlloc_v2(&p, 10));
	MUST(cuMemFree_v2(p));
	MUST(cuDevicePrimaryCtxRelease_v2(0));
	return 0;
}

static int virtual_memory(void)
{
	CUmemAllocationProp prop = { .type = 1, .location = { 1, 1 } };
	CUmemGenericAllocationHandle handle, again;
	CUdeviceptr space;
	const size_t size = 2 * MIB;

	begin(0);
	MUST(cuMemAddressReserve(&space, 8 * size, 0, 0, 0));

	MUST(cuMemCreate(&handle, size, &prop, 0));
	MUST(cuMemMap(space, size, 0, handle, 0));
	MUST(cuMemRelease(handle));
	MUST(cuMemUnmap(space, size));

	MUST(cuMemCreate(&handle, size, &prop, 0));
	MUST(cuMemMap(space, size, 0, handle, 0));
	MUST(cuMemMap(space + size, size, 0, handle, 0));
	MUST(cuMemUnmap(space, 2 * size));
	MUST(cuMemRelease(handle));

	MUST(cuMemCreate(&handle, size, &prop, 0));
	MUST(cuMemMap(space, size, 0, handle, 0));
	MUST(cuMemRetainAllocationHandle(&again, (void *)(uintptr_t)space));
	MUST(cuMemRelease(handle));
	MUST(cuMemRelease(again));
	MUST(cuMemUnmap(space, size));

	MUST(cuMemCreate(&handle, size, &prop, 0));
	MUST(cuMemMap(space, size, 0, handle, 0));
	MUST(cuMemRelease(handle));
	printf("left at 0x%llx\n", space);
	return 0;
}

static void wait_for_line(void)
{
	puts("ready");
	fflush(stdout);
	while (getchar() != '\n' && !feof(stdin))
		;
}

static int late(void)
{
	CUcontext context = begin(0);
	CUdeviceptr one, two;

	wait_for_line();
	MUST(cuCtxSetCurrent(context));
	MUST(cuMemAlloc_v2(&one, 1000));
	MUST(cuDevicePrimaryCtxRetain(&context, 0));
	MUST(cuDevicePrimaryCtxRelease_v2(0));
	MUST(cuMemAlloc_v2(&two, 2000));
	wait_for_line();
	MUST(cuMemFree_v2(one));
	MUST(cuMemFree_v2(two));
	return 0;
}

/* Stays until the fifo named in HOLD is opened for writing, and closed: to be looked at. */
static void hold(void)
{
	const char *path = getenv("HOLD");
	FILE *fifo = path ? fopen(path, "r") : NULL;

	if (!fifo)
		return;
	while (fgetc(fifo) != EOF)
		;
	fclose(fifo);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} scenes[] = {
		{ "basic", basic },       { "shapes", shapes },
		{ "contexts", contexts }, { "virtual", virtual_memory },
		{ "late", late },
	};
	const char *scene = argc > 1 ? argv[1] : "";
	size_t i;
	int status;

	/* As programs do that choose their devices themselves */
	if (getenv("CHOOSE"))
		setenv("CUDA_VISIBLE_DEVICES", getenv("CHOOSE"), 1);
	for (i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++)
		if (!strcmp(scene, scenes[i].name)) {
			status = scenes[i].run();
			hold();
			return status;
		}
	fprintf(stderr, "driver_calls: see the top of its source\n");
	return 2;
}
