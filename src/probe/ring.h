/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ring buffer through which the BPF side sends its records. Used by one thread. */
#ifndef PROBE_RING_H
#define PROBE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe;
struct ring;

/*
 * The ring of @probe. @read is called with each record, and ends a turn of reading by returning a
 * negative number. Returns NULL without memory; free with ring_free().
 */
struct ring *ring_new(struct probe *probe, int (*read)(void *context, void *record, size_t size),
		      void *context);
void ring_free(struct ring *ring);

/* Polls readable when there are records that the BPF side wants read at once. */
int ring_fd(const struct ring *ring);

/* Reads the records in the ring, and those that arrive meanwhile. */
void ring_read(struct ring *ring);

/*
 * How far the ring was written, and whether it was read so far: a record that is being written keeps
 * those behind it from being read.
 */
uint64_t ring_written(const struct ring *ring);
bool ring_is_read(const struct ring *ring, uint64_t written);

/* How many bytes the ring holds, and how many of them a record of @size bytes takes. */
uint64_t ring_bytes(const struct ring *ring);
uint64_t ring_room_of(size_t size);

#endif
