// SPDX-License-Identifier: GPL-2.0-or-later
/* NCCL 2: sums over all devices of the machine, ten times. On one device it only copies. */
#include "library.cuh"

enum { N = 1 << 20, ROUNDS = 10, DEVICES_MAX = 8 };
enum { NCCL_FLOAT = 7, NCCL_SUM = 0 }; /* nccl.h */

typedef int init_type(void **comms, int count, const int *devices);
typedef int destroy_type(void *comm);
typedef int group_type();
typedef int reduce_type(const void *from, void *to, size_t count, int type, int operation, void *comm, cudaStream_t stream);

int main()
{
	static float host[N];
	float *from[DEVICES_MAX], *to[DEVICES_MAX];
	void *comms[DEVICES_MAX], *library;
	cudaStream_t streams[DEVICES_MAX];
	bool right = true;
	int devices = 0;

	begin("nccl");
	library = library_open();
	auto init = library_function<init_type *>(library, "ncclCommInitAll");
	auto destroy = library_function<destroy_type *>(library, "ncclCommDestroy");
	auto group_start = library_function<group_type *>(library, "ncclGroupStart");
	auto group_end = library_function<group_type *>(library, "ncclGroupEnd");
	auto all_reduce = library_function<reduce_type *>(library, "ncclAllReduce");

	CHECK(cudaGetDeviceCount(&devices));
	devices = devices < DEVICES_MAX ? devices : DEVICES_MAX;
	library_begin(init(comms, devices, NULL), "ncclCommInitAll");
	for (int i = 0; i < N; i++)
		host[i] = (float)(i % 100);
	for (int d = 0; d < devices; d++) {
		CHECK(cudaSetDevice(d));
		CHECK(cudaStreamCreate(&streams[d]));
		from[d] = device_alloc<float>(N);
		to[d] = device_alloc<float>(N);
		copy_in(from[d], host, N);
	}
	for (int round = 0; round < ROUNDS; round++) {
		library_check(group_start(), "ncclGroupStart");
		for (int d = 0; d < devices; d++)
			library_check(all_reduce(from[d], to[d], N, NCCL_FLOAT, NCCL_SUM, comms[d], streams[d]), "ncclAllReduce");
		library_check(group_end(), "ncclGroupEnd");
	}
	counts.least_launches = devices > 1 ? ROUNDS * devices : 0;
	for (int d = 0; d < devices; d++) {
		CHECK(cudaSetDevice(d));
		CHECK(cudaStreamSynchronize(streams[d]));
		copy_out(host, to[d], N);
		for (int i = 0; i < N; i++)
			right = right && host[i] == (float)(i % 100 * devices);
		device_free(from[d], N);
		device_free(to[d], N);
		CHECK(cudaStreamDestroy(streams[d]));
		library_check(destroy(comms[d]), "ncclCommDestroy");
	}
	verify(right);
	return counts_print();
}
