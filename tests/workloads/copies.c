// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every kind of copy, each a known number of times.
 *
 *   function, per round            direction  calls  bytes each
 *   cudaMemcpy                     H2D        1      4,096
 *   cudaMemcpy                     D2H        1      2,048
 *   cudaMemcpy                     D2D        1      1,024
 *   cudaMemcpy                     H2H        1        512
 *   cudaMemcpy, Default            H2D        1        256
 *   cudaMemcpy, Default            D2H        1        128
 *   cudaMemcpyAsync                H2D        1      8,192
 *   cudaMemcpyAsync                D2H        1      4,000
 *   cudaMemcpyAsync                D2D        1      3,000
 *   cudaMemcpyAsync, Default       D2H        1      1,000
 *   cudaMemcpy2D                   H2D        1      100 x 8 = 800
 *   cudaMemcpy2D                   D2H        1      50 x 8 = 400
 *   cudaMemcpy2DAsync              D2D        1      64 x 4 = 256
 *   cudaMemcpy3D                   H2D        1      32 x 4 x 2 = 256
 *   cudaMemcpy3DAsync              D2H        1      32 x 4 x 2 = 256
 *   cudaMemcpy2DToArray            H2D        1      256 x 64 = 16,384
 *   cudaMemcpy2DFromArray          D2H        1      256 x 64 = 16,384
 *   cudaMemcpyToSymbol             H2D        1      400
 *   cudaMemcpyFromSymbol           D2H        1      200
 *   cudaMemcpyToSymbolAsync        H2D        1      100
 *   cudaMemcpyPeer                 P2P        1      1,500 (device 0 to itself,
 *   cudaMemcpyPeerAsync            P2P        1      1,600  D2D, if there is one)
 *   cudaMemcpy of no bytes         H2D        1          0
 *   cudaMemset                     -          1      4,096
 *   cudaMemsetAsync                -          1      2,048
 *   cudaMemset2D                   -          1      64 x 4 = 256
 *   cudaMemcpy, kind 5             fails 21   1      64
 *   cudaMemcpyAsync, kind -1       fails 21   1      64
 *   cudaMemcpy2D, kind 99          fails 21   1      8 x 1
 *
 * Around them: cudaMalloc 3 x 65,536, cudaMallocHost 1 x 65,536,
 * cudaMallocArray 64 x 64 floats, cudaStreamCreate 1, cudaStreamSynchronize 1;
 * each freed by its own call (cudaFree 3, cudaFreeHost 1, cudaFreeArray 1,
 * cudaStreamDestroy 1), cudaGetDeviceCount 1, and with two devices
 * cudaSetDevice 2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "workload.h"

#define SIZE 65536

static void fails(cudaError_t got, const char *what)
{
	if (got != cudaErrorInvalidMemcpyDirection) {
		fprintf(stderr, "workload: %s: error %d\n", what, (int)got);
		exit(1);
	}
}

int copies(void)
{
	struct cudaChannelFormatDesc f = { 32, 0, 0, 0, cudaChannelFormatKindFloat };
	struct cudaMemcpy3DParms box = { .kind = cudaMemcpyHostToDevice };
	char *host = malloc(SIZE), *back = calloc(1, SIZE);
	int i, devices, peer = 0;
	cudaStream_t stream;
	cudaArray_t array;
	char *a, *b, *far, *pinned;

	for (i = 0; i < SIZE; i++)
		host[i] = (char)i;
	MUST(cudaGetDeviceCount(&devices));
	MUST(cudaMalloc((void **)&a, SIZE));
	MUST(cudaMalloc((void **)&b, SIZE));
	if (devices > 1) {
		peer = 1;
		MUST(cudaSetDevice(1));
	}
	MUST(cudaMalloc((void **)&far, SIZE));
	if (devices > 1)
		MUST(cudaSetDevice(0));
	MUST(cudaMallocHost((void **)&pinned, SIZE));
	MUST(cudaMallocArray(&array, &f, 64, 64, 0));
	MUST(cudaStreamCreate(&stream));

	MUST(cudaMemcpy(a, host, 4096, cudaMemcpyHostToDevice));
	MUST(cudaMemcpy(back, a, 2048, cudaMemcpyDeviceToHost));
	if (memcmp(host, back, 2048)) {
		fputs("workload: a copy came back different\n", stderr);
		return 1;
	}
	MUST(cudaMemcpy(b, a, 1024, cudaMemcpyDeviceToDevice));
	MUST(cudaMemcpy(back, host, 512, cudaMemcpyHostToHost));
	MUST(cudaMemcpy(a, host, 256, cudaMemcpyDefault));
	MUST(cudaMemcpy(back, a, 128, cudaMemcpyDefault));
	MUST(cudaMemcpyAsync(a, pinned, 8192, cudaMemcpyHostToDevice, stream));
	MUST(cudaMemcpyAsync(pinned, a, 4000, cudaMemcpyDeviceToHost, stream));
	MUST(cudaMemcpyAsync(b, a, 3000, cudaMemcpyDeviceToDevice, stream));
	MUST(cudaMemcpyAsync(pinned, b, 1000, cudaMemcpyDefault, stream));
	MUST(cudaMemcpy2D(a, 512, host, 128, 100, 8, cudaMemcpyHostToDevice));
	MUST(cudaMemcpy2D(back, 64, a, 512, 50, 8, cudaMemcpyDeviceToHost));
	MUST(cudaMemcpy2DAsync(b, 256, a, 512, 64, 4, cudaMemcpyDeviceToDevice, stream));
	box.srcPtr = (struct cudaPitchedPtr){ host, 64, 64, 4 };
	box.dstPtr = (struct cudaPitchedPtr){ a, 512, 512, 4 };
	box.extent = (struct cudaExtent){ 32, 4, 2 };
	MUST(cudaMemcpy3D(&box));
	box.srcPtr = box.dstPtr;
	box.dstPtr = (struct cudaPitchedPtr){ pinned, 64, 64, 4 };
	box.kind = cudaMemcpyDeviceToHost;
	MUST(cudaMemcpy3DAsync(&box, stream));
	MUST(cudaMemcpy2DToArray(array, 0, 0, host, 256, 256, 64, cudaMemcpyHostToDevice));
	MUST(cudaMemcpy2DFromArray(back, 256, array, 0, 0, 256, 64, cudaMemcpyDeviceToHost));
	MUST(cudaMemcpyToSymbol(coefficients, host, 400, 0, cudaMemcpyHostToDevice));
	MUST(cudaMemcpyFromSymbol(back, coefficients, 200, 100, cudaMemcpyDeviceToHost));
	MUST(cudaMemcpyToSymbolAsync(coefficients, host, 100, 400, cudaMemcpyHostToDevice, stream));
	MUST(cudaMemcpyPeer(far, peer, a, 0, 1500));
	MUST(cudaMemcpyPeerAsync(far, peer, b, 0, 1600, stream));
	MUST(cudaMemcpy(a, host, 0, cudaMemcpyHostToDevice));
	MUST(cudaMemset(a, 1, 4096));
	MUST(cudaMemsetAsync(a, 2, 2048, stream));
	MUST(cudaMemset2D(b, 256, 3, 64, 4));
	fails(cudaMemcpy(a, host, 64, (enum cudaMemcpyKind)5), "kind 5");
	fails(cudaMemcpyAsync(a, host, 64, (enum cudaMemcpyKind) - 1, stream), "kind -1");
	fails(cudaMemcpy2D(a, 8, host, 8, 8, 1, (enum cudaMemcpyKind)99), "kind 99");
	MUST(cudaStreamSynchronize(stream));

	MUST(cudaStreamDestroy(stream));
	MUST(cudaFreeArray(array));
	MUST(cudaFreeHost(pinned));
	MUST(cudaFree(far));
	MUST(cudaFree(b));
	MUST(cudaFree(a));
	free(host);
	free(back);
	return 0;
}
