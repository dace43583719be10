// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two processes of the demonstration whose kernels are those of C++ templates, as in programs that
 * people run: a network that is trained on the first device, and one that answers requests on the
 * second.
 */
#include <stdlib.h>

#include "workload.h"

enum { LAYERS = 4 };

/* One layer: a matrix product, an addition, and what is kept for the way back. */
static void layer(int i, void **activation, size_t bytes)
{
	MUST(cudaMalloc(activation, bytes));
	MUST(launch(FILL_FLOAT, 256, 256, NULL));
	MUST(launch(i & 1 ? GEMM_SMALL : GEMM_LARGE, 96u << i, 256, NULL));
	MUST(launch(ADD, 512, 128, NULL));
}

int network(void)
{
	static const size_t bytes[LAYERS] = { 96 << 20, 64 << 20, 32 << 20, 8 << 20 };
	double end = seconds_now() + (double)number(0, 3600);
	void *weights[LAYERS], *activation[LAYERS], *batch;
	char *host = calloc(1, 1 << 20);

	for (int i = 0; i < LAYERS; i++)
		MUST(cudaMalloc(&weights[i], bytes[i]));
	MUST(cudaMalloc(&batch, 1 << 20));
	while (seconds_now() < end) {
		MUST(cudaMemcpyAsync(batch, host, 1 << 20, cudaMemcpyHostToDevice, NULL));
		for (int i = 0; i < LAYERS; i++)
			layer(i, &activation[i], bytes[i] / 4);
		MUST(launch(SOFTMAX, 128, 128, NULL));
		for (int i = LAYERS; i-- > 0;)
			MUST(launch(i & 1 ? GEMM_LARGE : GEMM_SMALL, 96u << i, 256, NULL));
		MUST(launch(FILL_DOUBLE, 16, 256, NULL));
		MUST(launch(REDUCE, 128, 512, NULL));
		MUST(cudaMemcpy(host, batch, 4096, cudaMemcpyDeviceToHost));
		MUST(cudaDeviceSynchronize());
		for (int i = LAYERS; i-- > 0;)
			MUST(cudaFree(activation[i]));
		pause_us(3000);
	}
	free(host);
	return 0;
}

int server(void)
{
	double end = seconds_now() + (double)number(0, 3600);
	char request[65536] = { 0 };
	void *weights, *buffer;
	int devices = 0;

	MUST(cudaGetDeviceCount(&devices));
	MUST(cudaSetDevice(devices > 1));
	MUST(cudaMalloc(&weights, 160 << 20));
	while (seconds_now() < end) {
		MUST(cudaMalloc(&buffer, 2 << 20));
		MUST(cudaMemcpy(buffer, request, sizeof(request), cudaMemcpyHostToDevice));
		for (int i = 0; i < 6; i++)
			MUST(launch(i & 1 ? ADD : GEMM_SMALL, 64, 256, NULL));
		MUST(launch(SOFTMAX, 8, 128, NULL));
		MUST(cudaMemcpy(request, buffer, sizeof(request), cudaMemcpyDeviceToHost));
		MUST(cudaFree(buffer));
		pause_us(5000);
	}
	return 0;
}
