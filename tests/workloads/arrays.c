// SPDX-License-Identifier: GPL-2.0-or-later
/* Arrays: copies that run on from row to row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "workload.h"

#define ROW  256 /* bytes of a row of the first array, 64 floats */
#define ROWS 16
#define SIZE (ROW * ROWS)

static void same(const void *a, const void *b, size_t size, const char *what)
{
	if (!memcmp(a, b, size))
		return;
	fprintf(stderr, "workload: %s: other bytes\n", what);
	exit(1);
}

static void fails(cudaError_t err, cudaError_t expected, const char *what)
{
	if (err == expected)
		return;
	fprintf(stderr, "workload: %s gave %d\n", what, (int)err);
	exit(1);
}

/*
 * Two arrays of 4096 and 8192 bytes and 4096 of memory. H2D sync 1 of 1000 bytes, async 1 of 4096;
 * D2H sync 2, 1500 bytes, async 1 of 512; D2D sync 1 of 500. Failures: cudaMemcpyToArray 2,
 * cudaMemcpyFromArrayAsync 1. To the driver the synchronous copies are 3 + 3 + 3 + 2 calls, the
 * others 1 + 3.
 */
int arrays(void)
{
	struct cudaChannelFormatDesc f =
		cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	char *host = malloc(SIZE), *back = calloc(1, SIZE);
	cudaArray_t narrow, wide;
	cudaStream_t stream;
	void *memory;
	int i;

	for (i = 0; i < SIZE; i++)
		host[i] = (char)(i * 7 + i / ROW);
	MUST(cudaMallocArray(&narrow, &f, 64, ROWS, 0));
	MUST(cudaMallocArray(&wide, &f, 128, ROWS, 0));
	MUST(cudaMalloc(&memory, SIZE));
	MUST(cudaStreamCreate(&stream));

	/* the rest of a row, whole rows, the beginning of one */
	MUST(cudaMemcpyToArray(narrow, 100, 1, host, 1000, cudaMemcpyHostToDevice));
	MUST(cudaMemcpyFromArray(back, narrow, 100, 1, 1000, cudaMemcpyDeviceToHost));
	same(back, host, 1000, "rows begun in their middle");
	MUST(cudaMemcpyToArrayAsync(narrow, 0, 0, host, SIZE, cudaMemcpyHostToDevice, stream));
	MUST(cudaMemcpyFromArrayAsync(back, narrow, 128, 7, 512, cudaMemcpyDeviceToHost, stream));
	MUST(cudaStreamSynchronize(stream));
	same(back, host + 7 * ROW + 128, 512, "rows copied in a stream");
	/* rows of two lengths: 212 to the wide one's end, and so on */
	MUST(cudaMemcpyArrayToArray(wide, 300, 2, narrow, 0, 0, 500, cudaMemcpyDeviceToDevice));
	MUST(cudaMemcpyFromArray(back, wide, 300, 2, 500, cudaMemcpyDeviceToHost));
	same(back, host, 500, "rows of two lengths");

	fails(cudaMemcpyToArray(narrow, 0, 15, host, ROW + 1, cudaMemcpyHostToDevice),
	      cudaErrorInvalidValue, "past the last row");
	fails(cudaMemcpyToArray(narrow, ROW + 1, 0, host, 1, cudaMemcpyHostToDevice),
	      cudaErrorInvalidValue, "past a row's end");
	fails(cudaMemcpyFromArrayAsync(back, narrow, 1, 0, SIZE, cudaMemcpyDeviceToHost, stream),
	      cudaErrorInvalidValue, "one byte too many");

	MUST(cudaStreamDestroy(stream));
	MUST(cudaFree(memory));
	MUST(cudaFreeArray(wide));
	MUST(cudaFreeArray(narrow));
	free(host);
	free(back);
	return 0;
}
