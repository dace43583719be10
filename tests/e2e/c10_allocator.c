// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stand-in for PyTorch's libc10_cuda.so. It takes segments from the driver, hands out blocks of
 * them, first fit, and reports each as PyTorch does, with the lock of the device held. Its own
 * books, which are plain lists, are what cutop's have to be equal to.
 */
#include "c10_allocator.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_double.h"
#include "cuda_double_driver.h"

#define SMALL              (2ul << 20)
#define LARGE              (20ul << 20)
#define ROUND              512ul
#define RESERVED_ADDRESSES (1ul << 33)

void report_usage(
	void *ptr, long bytes, size_t allocated, size_t reserved,
	unsigned short device) __asm__("_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE");
void report_short(long bytes, size_t allocated, size_t reserved, unsigned short device) __asm__(
	"_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE");

struct block {
	size_t at, bytes; /* from the segment's start */
	struct block *next;
};

struct segment {
	char *start;
	size_t bytes;
	struct block *blocks; /* by place */
	struct segment *next;
};

struct device {
	pthread_mutex_t lock;
	struct segment *segments;
	struct segment *grown; /* the expandable one, also in the list */
	CUmemGenericAllocationHandle *handles;
	size_t handle_count;
	size_t allocated, reserved, blocks, handed_out, taken_back;
};

static struct device devices[C10_DEVICES];
static int expands;

static void __attribute__((constructor)) begin(void)
{
	int i;

	for (i = 0; i < C10_DEVICES; i++)
		pthread_mutex_init(&devices[i].lock, NULL);
}

static unsigned short device_of(int i)
{
	return (unsigned short)(1 | i << 8); /* c10::DeviceType::CUDA, and the index */
}

static struct segment *segment_new(struct device *device, int i, size_t bytes)
{
	struct segment *segment;
	void *start = NULL;
	int before = 0;

	cudaGetDevice(&before);
	cudaSetDevice(i);
	if (cudaMalloc(&start, bytes))
		start = NULL;
	cudaSetDevice(before);
	segment = start ? calloc(1, sizeof(*segment)) : NULL;
	if (!segment)
		return NULL;
	segment->start = start;
	segment->bytes = bytes;
	segment->next = device->segments;
	device->segments = segment;
	device->reserved += bytes;
	return segment;
}

/* Maps more memory behind the device's expandable segment, in pieces of 2 MiB. */
static struct segment *segment_grow(struct device *device, int i, size_t bytes)
{
	CUmemAllocationProp prop = { .type = 1, .location = { .type = 1, .id = i } };
	CUmemGenericAllocationHandle handle;
	struct segment *segment = device->grown;
	CUdeviceptr start;

	if (!segment) {
		segment = calloc(1, sizeof(*segment));
		if (!segment || cuMemAddressReserve(&start, RESERVED_ADDRESSES, 0, 0, 0))
			abort();
		segment->start = (char *)start;
		segment->next = device->segments;
		device->segments = device->grown = segment;
		device->handles = calloc(RESERVED_ADDRESSES / SMALL, sizeof(*device->handles));
	}
	for (; bytes; bytes -= SMALL) {
		if (cuMemCreate(&handle, SMALL, &prop, 0))
			return NULL;
		if (cuMemMap((CUdeviceptr)segment->start + segment->bytes, SMALL, 0, handle, 0))
			abort();
		device->handles[device->handle_count++] = handle;
		segment->bytes += SMALL;
		device->reserved += SMALL;
	}
	return segment;
}

static struct block *block_place(struct segment *segment, size_t bytes)
{
	struct block **place = &segment->blocks, *block;
	size_t at = 0;

	for (; *place && (*place)->at - at < bytes; place = &(*place)->next)
		at = (*place)->at + (*place)->bytes;
	if (segment->bytes - at < bytes)
		return NULL;
	block = malloc(sizeof(*block));
	if (!block)
		abort();
	*block = (struct block){ at, bytes, *place };
	*place = block;
	return block;
}

static size_t segment_size(size_t bytes)
{
	if (expands || bytes >= 10ul << 20)
		return (bytes + SMALL - 1) & ~(SMALL - 1);
	return bytes <= 1ul << 20 ? SMALL : LARGE;
}

void *tensor_new(int i, size_t bytes)
{
	struct device *device = &devices[i];
	struct segment *segment;
	struct block *block = NULL;
	void *tensor = NULL;

	bytes = bytes ? (bytes + ROUND - 1) & ~(ROUND - 1) : ROUND;
	pthread_mutex_lock(&device->lock);
	for (segment = device->segments; segment; segment = segment->next)
		if ((block = block_place(segment, bytes)))
			break;
	if (!block) {
		segment = expands ? segment_grow(device, i, segment_size(bytes)) :
				    segment_new(device, i, segment_size(bytes));
		block = segment ? block_place(segment, bytes) : NULL;
	}
	if (block) {
		tensor = segment->start + block->at;
		device->allocated += bytes;
		device->blocks++;
		device->handed_out++;
		report_usage(tensor, (long)bytes, device->allocated, device->reserved,
			     device_of(i));
	} else {
		report_short((long)bytes, device->allocated, device->reserved, device_of(i));
	}
	pthread_mutex_unlock(&device->lock);
	return tensor;
}

void tensor_free(int i, void *tensor)
{
	struct device *device = &devices[i];
	struct block **place = NULL, *block;
	struct segment *segment;

	pthread_mutex_lock(&device->lock);
	for (segment = device->segments; segment; segment = segment->next)
		if ((char *)tensor >= segment->start &&
		    (char *)tensor < segment->start + segment->bytes)
			break;
	for (place = &segment->blocks; segment->start + (*place)->at != (char *)tensor;)
		place = &(*place)->next;
	block = *place;
	*place = block->next;
	device->allocated -= block->bytes;
	device->blocks--;
	device->taken_back++;
	report_usage(tensor, -(long)block->bytes, device->allocated, device->reserved,
		     device_of(i));
	free(block);
	pthread_mutex_unlock(&device->lock);
}

void tensor_empty_cache(int i)
{
	struct device *device = &devices[i];
	struct segment **place = &device->segments, *segment;

	pthread_mutex_lock(&device->lock);
	while ((segment = *place)) {
		if (segment->blocks) {
			place = &segment->next;
			continue;
		}
		device->reserved -= segment->bytes;
		*place = segment->next;
		if (segment == device->grown) {
			cuMemUnmap((CUdeviceptr)segment->start, segment->bytes);
			while (device->handle_count)
				cuMemRelease(device->handles[--device->handle_count]);
			device->grown = NULL;
			free(device->handles);
		} else {
			cudaFree(segment->start);
		}
		free(segment);
	}
	pthread_mutex_unlock(&device->lock);
}

void tensor_expand(void)
{
	expands = 1;
}

static size_t largest_gap(const struct device *device)
{
	const struct segment *segment;
	const struct block *block;
	size_t most = 0, at;

	for (segment = device->segments; segment; segment = segment->next) {
		for (at = 0, block = segment->blocks; block; block = block->next) {
			if (block->at - at > most)
				most = block->at - at;
			at = block->at + block->bytes;
		}
		if (segment->bytes - at > most)
			most = segment->bytes - at;
	}
	return most;
}

void tensor_figures(int fd)
{
	const char *comma = "";
	int i;

	dprintf(fd, "[");
	for (i = 0; i < C10_DEVICES; i++) {
		struct device *device = &devices[i];

		pthread_mutex_lock(&device->lock);
		if (device->handed_out) {
			dprintf(fd,
				"%s{\"device\":%d,\"allocated_bytes\":%zu,\"reserved_bytes\":%zu,"
				"\"free_in_segments_bytes\":%zu,\"largest_gap_bytes\":%zu,"
				"\"blocks\":%zu,\"handed_out\":%zu,\"taken_back\":%zu}",
				comma, i, device->allocated, device->reserved,
				device->reserved - device->allocated, largest_gap(device),
				device->blocks, device->handed_out, device->taken_back);
			comma = ",";
		}
		pthread_mutex_unlock(&device->lock);
	}
	dprintf(fd, "]\n");
}
