// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stands in for cuBLAS and NCCL where there is no GPU: the functions that blas.cu and nccl.cu call,
 * each launching a kernel of its own on whatever the runtime is. STAND_IN_FAILS=1: they cannot begin.
 */
#include <cuda_runtime.h>
#include <stdlib.h>

__global__ void stand_in_gemm(float *c)
{
	*c = 0;
}
__global__ void stand_in_axpy(float *y)
{
	*y = 0;
}
__global__ void stand_in_reduce(float *to)
{
	*to = 0;
}

extern "C" {
int cublasCreate_v2(void **handle)
{
	return getenv("STAND_IN_FAILS") ? 1 : cudaMalloc(handle, 4096);
}
int cublasDestroy_v2(void *handle)
{
	return cudaFree(handle);
}
int cublasSgemm_v2(void *, int, int, int, int, int, const float *, const float *, int, const float *, int, const float *, float *c, int)
{
	stand_in_gemm<<<1, 1>>>(c);
	return cudaGetLastError();
}
int cublasSaxpy_v2(void *, int, const float *, const float *, int, float *y, int)
{
	stand_in_axpy<<<1, 1>>>(y);
	return cudaGetLastError();
}
int ncclCommInitAll(void **comms, int count, const int *)
{
	for (int i = 0; i < count; i++)
		comms[i] = &comms[i];
	return 0;
}
int ncclCommDestroy(void *)
{
	return 0;
}
int ncclGroupStart()
{
	return 0;
}
int ncclGroupEnd()
{
	return 0;
}
int ncclAllReduce(const void *, void *to, size_t, int, int, void *, cudaStream_t stream)
{
	stand_in_reduce<<<1, 1, 0, stream>>>((float *)to);
	return cudaGetLastError();
}
}
