// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The workloads' kernels.  nvcc gives every kernel a host function of its
 * mangled name, registers it from a constructor and launches it by a handle
 * asked for once; these do the same.
 */
#include "workload.h"

/* As PyTorch and CUTLASS have them. */
#define ADD_NAME "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEEEEviT0_"
#define GEMM_NAME(tile) \
	"_ZN7cutlass7Kernel2I66cutlass_80_tensorop_f16_s16816gemm_relu_f16_" tile \
	"_align8EEvNT_6ParamsE"

void stub_vector_add(void) __asm__("_Z9vectorAddPKfS0_Pfi");
void stub_saxpy(void) __asm__("_Z5saxpyfPKfPfi");
void stub_reduce(void) __asm__("_Z6reduceIdEvPKT_PS0_m");
void stub_softmax(void) __asm__("_ZN2nn7softmaxILi128EEEvPfPKfi");
void stub_fill_float(void) __asm__("_Z4fillIfEvPT_S0_m");
void stub_fill_double(void) __asm__("_Z4fillIdEvPT_S0_m");
void stub_add(void) __asm__(ADD_NAME);
void stub_gemm_large(void) __asm__(GEMM_NAME("256x128_32x3_tn"));
void stub_gemm_small(void) __asm__(GEMM_NAME("128x128_64x3_nn"));

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
STUB(stub_fill_float, 5)
STUB(stub_fill_double, 6)
STUB(stub_add, 7)
STUB(stub_gemm_large, 8)
STUB(stub_gemm_small, 9)

static struct kernel {
	void (*stub)(void);
	const char *name;
	cudaKernel_t handle;
} kernels[NUM_KERNELS] = {
	[VECTOR_ADD] = { stub_vector_add, "_Z9vectorAddPKfS0_Pfi", NULL },
	[SAXPY] = { stub_saxpy, "_Z5saxpyfPKfPfi", NULL },
	[REDUCE] = { stub_reduce, "_Z6reduceIdEvPKT_PS0_m", NULL },
	[SOFTMAX] = { stub_softmax, "_ZN2nn7softmaxILi128EEEvPfPKfi", NULL },
	[FILL_FLOAT] = { stub_fill_float, "_Z4fillIfEvPT_S0_m", NULL },
	[FILL_DOUBLE] = { stub_fill_double, "_Z4fillIdEvPT_S0_m", NULL },
	[ADD] = { stub_add, ADD_NAME, NULL },
	[GEMM_LARGE] = { stub_gemm_large, GEMM_NAME("256x128_32x3_tn"), NULL },
	[GEMM_SMALL] = { stub_gemm_small, GEMM_NAME("128x128_64x3_nn"), NULL },
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
