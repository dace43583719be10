// SPDX-License-Identifier: GPL-2.0-or-later
/* cuBLAS of any version since 11: ten products of matrices, five sums of vectors. */
#include "library.cuh"

enum { N = 64, PRODUCTS = 10, SUMS = 5 };

typedef int create_type(void **handle);
typedef int destroy_type(void *handle);
typedef int sgemm_type(void *handle, int transpose_a, int transpose_b, int m, int n, int k, const float *alpha, const float *a, int lda,
		       const float *b, int ldb, const float *beta, float *c, int ldc);
typedef int saxpy_type(void *handle, int n, const float *alpha, const float *x, int incx, float *y, int incy);

int main()
{
	static float host[N * N];
	const float one = 1, none = 0;
	bool right = true;
	void *library, *handle;
	float *a, *b, *c;

	begin("blas");
	library = library_open();
	auto create = library_function<create_type *>(library, "cublasCreate_v2");
	auto destroy = library_function<destroy_type *>(library, "cublasDestroy_v2");
	auto sgemm = library_function<sgemm_type *>(library, "cublasSgemm_v2");
	auto saxpy = library_function<saxpy_type *>(library, "cublasSaxpy_v2");

	library_begin(create(&handle), "cublasCreate");
	a = device_alloc<float>(N * N);
	b = device_alloc<float>(N * N);
	c = device_alloc<float>(N * N);
	for (int i = 0; i < N * N; i++)
		host[i] = (float)(i % N == i / N); /* the unit matrix */
	copy_in(a, host, N * N);
	for (int i = 0; i < N * N; i++)
		host[i] = (float)(i % 17);
	copy_in(b, host, N * N);
	for (int i = 0; i < PRODUCTS; i++)
		library_check(sgemm(handle, 0, 0, N, N, N, &one, a, N, b, N, &none, c, N), "cublasSgemm");
	for (int i = 0; i < SUMS; i++)
		library_check(saxpy(handle, N * N, &one, b, 1, c, 1), "cublasSaxpy");
	counts.least_launches = PRODUCTS + SUMS;
	copy_out(host, c, N * N);
	for (int i = 0; i < N * N; i++)
		right = right && host[i] == (float)(i % 17) * (1 + SUMS);
	verify(right);
	library_check(destroy(handle), "cublasDestroy");
	device_free(a, N * N);
	device_free(b, N * N);
	device_free(c, N * N);
	return counts_print();
}
