/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/ring.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "probe/probe_internal.h"

struct ring {
	struct ring_buffer *buffer;
	uint64_t bytes;
	/* The ring's positions, which count bytes: kernel/bpf/ringbuf.c, struct bpf_ringbuf */
	const uint64_t *read, *written;
};

static const uint64_t *position_map(int map, off_t page)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, bytes, PROT_READ, MAP_SHARED, map, page * (off_t)bytes);

	return at == MAP_FAILED ? NULL : at;
}

static void position_unmap(const uint64_t *at)
{
	if (at)
		munmap((void *)(uintptr_t)at, (size_t)sysconf(_SC_PAGESIZE));
}

struct ring *ring_new(struct probe *probe, int (*read)(void *context, void *record, size_t size),
		      void *context)
{
	const struct bpf_map *events = probe_bpf(probe)->skeleton->maps.events;
	struct ring *ring = calloc(1, sizeof(*ring));

	if (!ring)
		return NULL;
	ring->buffer = ring_buffer__new(bpf_map__fd(events), read, context, NULL);
	ring->bytes = bpf_map__max_entries(events);
	ring->read = position_map(bpf_map__fd(events), 0);
	ring->written = position_map(bpf_map__fd(events), 1);
	if (ring->buffer && ring->read && ring->written)
		return ring;
	ring_free(ring);
	return NULL;
}

void ring_free(struct ring *ring)
{
	if (!ring)
		return;
	ring_buffer__free(ring->buffer);
	position_unmap(ring->read);
	position_unmap(ring->written);
	free(ring);
}

int ring_fd(const struct ring *ring)
{
	return ring_buffer__epoll_fd(ring->buffer);
}

void ring_read(struct ring *ring)
{
	ring_buffer__consume(ring->buffer);
}

uint64_t ring_written(const struct ring *ring)
{
	return __atomic_load_n(ring->written, __ATOMIC_ACQUIRE);
}

bool ring_is_read(const struct ring *ring, uint64_t written)
{
	return __atomic_load_n(ring->read, __ATOMIC_ACQUIRE) >= written;
}

uint64_t ring_bytes(const struct ring *ring)
{
	return ring->bytes;
}

uint64_t ring_room_of(size_t size)
{
	/* Behind a header, and in whole words: kernel/bpf/ringbuf.c */
	return (size + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
}
