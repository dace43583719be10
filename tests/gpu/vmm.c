/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Virtual memory management: physical memory in two blocks, mapped side by side and used as one. */
#include "driver_calls.h"

#define BLOCKS 2

int main(void)
{
	CUmemGenericAllocationHandle handle[BLOCKS];
	CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE } };
	CUmemAccessDesc access = { .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
	CUdevice device = begin("vmm");
	int n, i, right = 1, *host;
	CUfunction increment;
	size_t size = 0;
	CUdeviceptr x;
	CUmodule module;
	void *args[] = { &x, &n };

	prop.location.id = device;
	access.location = prop.location;
	CALL(cuMemGetAllocationGranularity, &size, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
	CALL(cuModuleLoadData, &module, driver_ptx);
	increment = kernel_find(module, "increment");
	CALL(cuMemAddressReserve, &x, BLOCKS * size, 0, 0, 0);
	for (i = 0; i < BLOCKS; i++) {
		CALL(cuMemCreate, &handle[i], size, &prop, 0);
		count_alloc(size);
		CALL(cuMemMap, x + (CUdeviceptr)i * size, size, 0, handle[i], 0);
	}
	CALL(cuMemSetAccess, x, BLOCKS * size, &access, 1);
	n = (int)(BLOCKS * size / sizeof(*host));
	host = malloc(BLOCKS * size);
	if (!host)
		quit("malloc", "no memory");
	CALL(cuMemsetD32, x, 6, (size_t)n);
	CALL(cuLaunchKernel, increment, (unsigned int)(n + 255) / 256, 1, 1, 256, 1, 1, 0, NULL,
	     args, NULL);
	count_launches("increment", 1, 0, 0);
	CALL(cuMemcpyDtoH, host, x, BLOCKS * size);
	count_copy("D2H", BLOCKS * size);
	for (i = 0; i < n && right; i++)
		right = host[i] == 7;
	verify(right);
	free(host);
	CALL(cuMemUnmap, x, BLOCKS * size);
	for (i = 0; i < BLOCKS; i++) {
		CALL(cuMemRelease, handle[i]);
		count_free(size);
	}
	CALL(cuMemAddressFree, x, BLOCKS * size);
	CALL(cuModuleUnload, module);
	return counts_print();
}
