// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions of odd_cuda.h. */
#include <string.h>

#define ODD_CUDA_HERE
#include "odd_cuda.h"

#define VARIABLES ((CUdeviceptr)0x7f1000000000)

unsigned long given = HEAP;

void put(void *p)
{
	if (!p)
		return;
	given += 0x100;
	memcpy(p, &given, sizeof(given));
}

/*
 * Of variables the runtime says no size, the driver does: of a module's as many hundreds as their
 * names say.
 */
OPAQUE CUresult cuModuleGetGlobal_v2(CUdeviceptr *p, size_t *size, CUmodule module,
				     const char *name)
{
	if (module) {
		*p = VARIABLES + (CUdeviceptr)(uintptr_t)module + (CUdeviceptr)name[0];
		*size = 100 * (size_t)(name[0] - '0');
		return CUDA_SUCCESS;
	}
	put(p);
	*size = 64;
	return CUDA_SUCCESS;
}

OPAQUE CUresult cuGraphicsResourceGetMappedPointer_v2(CUdeviceptr *p, size_t *size, void *resource)
{
	return cuModuleGetGlobal_v2(p, size, NULL, NULL);
}

OPAQUE CUresult cuGLMapBufferObject_v2(CUdeviceptr *p, size_t *size, unsigned int buffer)
{
	return cuModuleGetGlobal_v2(p, size, NULL, NULL);
}
