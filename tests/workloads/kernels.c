// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The workloads' kernels.  nvcc gives every kernel a host function of its
 * mangled name, registers it from a constructor and launches it by a handle
 * asked for once; these do the same.
 */
#include "workload.h"

void stub_vector_add(void) __asm__("_Z9vectorAddPKfS0_Pfi");
void stub_saxpy(void) __asm__("_Z5saxpyfPKfPfi");
void stub_reduce(void) __asm__("_Z6reduceIdEvPKT_PS0_m");
void stub_softmax(void) __asm__("_ZN2nn7softmaxILi128EEEvPfPKfi");

/* The bodies differ so that no linker folds them onto one address. */
#define STUB(name, n) \
	void name(void) \
	{ \
		__asm__ volatile("" : : "i"(n)); \
		*(volatile int *)&calls_by_hand = n; \
	}
static int calls_by_hand;
STUB(stub_vector_add, 1)
STUB(stub_saxpy, 2)
STUB(stub_reduce, 3)
STUB(stub_softmax, 4)

static struct kernel {
	void (*stub)(void);
	const char *name;
	cudaKernel_t handle;
} kernels[NUM_KERNELS] = {
	[VECTOR_ADD] = { stub_vector_add, "_Z9vectorAddPKfS0_Pfi", NULL },
	[SAXPY] = { stub_saxpy, "_Z5saxpyfPKfPfi", NULL },
	[REDUCE] = { stub_reduce, "_Z6reduceIdEvPKT_PS0_m", NULL },
	[SOFTMAX] = { stub_softmax, "_ZN2nn7softmaxILi128EEEvPfPKfi", NULL },
};

float coefficients[256];
static char image[16] = "no image";

__attribute__((constructor)) static void register_kernels(void)
{
	void **handle = __cudaRegisterFatBinary(image);
	int i;

	for (i = 0; i < NUM_KERNELS; i++)
		__cudaRegisterFunction(handle, (const char *)kernels[i].stub,
				       (char *)(uintptr_t)kernels[i].name, kernels[i].name, -1,
				       NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterVar(handle, (char *)coefficients, (char *)"coefficients", "coefficients", 0,
			  sizeof(coefficients), 1, 0);
	__cudaRegisterFatBinaryEnd(handle);
}

const void *kernel_stub(enum kernel_id id)
{
	return (const void *)kernels[id].stub;
}

/* What a kernel's first launch does, done before threads could race for it. */
void prepare(enum kernel_id id)
{
	if (options.way == LAUNCH_HANDLE)
		MUST(__cudaGetKernel(&kernels[id].handle, kernel_stub(id)));
}

cudaError_t launch(enum kernel_id id, unsigned int grid, unsigned int block, cudaStream_t stream)
{
	struct kernel *k = &kernels[id];
	dim3 g = { grid, 1, 1 }, b = { block, 1, 1 };
	void *args[1] = { NULL };

	if (options.way == LAUNCH_EXC) {
		cudaLaunchConfig_t config = {
			.gridDim = g,
			.blockDim = b,
			.stream = stream,
		};

		return cudaLaunchKernelExC(&config, kernel_stub(id), args);
	}
	if (options.way == LAUNCH_DIRECT)
		return cudaLaunchKernel(kernel_stub(id), g, b, args, 0, stream);
	if (!k->handle)
		MUST(__cudaGetKernel(&k->handle, kernel_stub(id)));
	return __cudaLaunchKernel(k->handle, g, b, args, 0, stream);
}
