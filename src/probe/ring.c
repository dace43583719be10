/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe/ring.h"

#include <stdlib.h>

#include "probe/probe_internal.h"

struct ring {
	struct ring_buffer *buffer;
	uint64_t bytes;
};

struct ring *ring_new(struct probe *probe, int (*read)(void *context, void *record, size_t size),
		      void *context)
{
	const struct bpf_map *events = probe_bpf(probe)->skeleton->maps.events;
	struct ring *ring = calloc(1, sizeof(*ring));

	if (!ring)
		return NULL;
	ring->buffer = ring_buffer__new(bpf_map__fd(events), read, context, NULL);
	ring->bytes = bpf_map__max_entries(events);
	if (ring->buffer)
		return ring;
	free(ring);
	return NULL;
}

void ring_free(struct ring *ring)
{
	if (ring)
		ring_buffer__free(ring->buffer);
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

uint64_t ring_bytes(const struct ring *ring)
{
	return ring->bytes;
}

uint64_t ring_room_of(size_t size)
{
	/* Behind a header, and in whole words: kernel/bpf/ringbuf.c */
	return (size + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
}
