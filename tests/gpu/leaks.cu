// SPDX-License-Identifier: GPL-2.0-or-later
/* Frees three of its five buffers: 3,000,000 bytes leak, 1,000,000 and 2,000,000. */
#include "runtime.cuh"

__global__ void touch(char *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		x[i] = (char)i;
}

int main()
{
	static char host[1000000];
	bool right = true;
	char *x[5];

	begin("leaks");
	for (int i = 0; i < 5; i++) {
		int bytes = 1000000 << i % 2;

		x[i] = device_alloc<char>(bytes);
		touch<<<(bytes + 255) / 256, 256>>>(x[i], bytes);
		count_launches("touch", 1, 0, 0);
	}
	copy_out(host, x[4], sizeof(host));
	for (size_t i = 0; i < sizeof(host); i++)
		right = right && host[i] == (char)i;
	verify(right);
	for (int i = 2; i < 5; i++)
		device_free(x[i], 1000000 << i % 2);
	return counts_print();
}
