// SPDX-License-Identifier: GPL-2.0-or-later
// Moves particles, one launch for each of them or one for all: docs/stories.md.
#include <cstdlib>

__global__ void move_one(float *position, const float *speed, int i)
{
	position[i] += speed[i];
}

__global__ void move_all(float *position, const float *speed, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		position[i] += speed[i];
}

int main(int argc, char **argv)
{
	bool at_once = argc > 1;
	const int n = 20000, steps = 50;
	float *position, *speed;

	if (cudaMalloc(&position, n * sizeof(float)) || cudaMalloc(&speed, n * sizeof(float)))
		return 1;
	for (int step = 0; step < steps; step++) {
		if (at_once)
			move_all<<<(n + 255) / 256, 256>>>(position, speed, n);
		else
			for (int i = 0; i < n; i++)
				move_one<<<1, 1>>>(position, speed, i);
		cudaDeviceSynchronize();
	}
	cudaFree(position);
	cudaFree(speed);
	return 0;
}
