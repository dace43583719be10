/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures: a launch into a stream that is being captured runs nothing, but becomes a node of a
 * graph. The streams of a capture are the one on which it began, and those that waited for an event
 * recorded in one of its streams.
 * A capture has a number, by which streams and events refer to it. The reference is void once the
 * capture has been removed from the map, so ending a capture need not find them all. `capturing`
 * says cheaply that a program captures nothing; only if it may do so does a launch look up its
 * stream.
 */
#ifndef CAPTURE_BPF_H
#define CAPTURE_BPF_H

#include "names.bpf.h"

struct capture {
	/* The graph that its nodes are added to: its own, or an existing one */
	__u64 graph;
	__u64 stream; /* the stream that it began on */
};

HASH_MAP(captures, struct address_key, struct capture, 16384); /* by number */
HASH_MAP(capture_streams, struct address_key, __u64, 65536);   /* stream to capture */
/* Event to the capture in which it was recorded */
HASH_MAP(capture_events, struct address_key, __u64, 65536);

__u64 last_capture;

static __always_inline bool may_capture(struct thread_state *thread)
{
	return capturing[thread->program & (WATCHFUL_COUNT - 1)] != 0;
}

/* Identifies @stream within the process: the per-thread default streams share one handle. */
static __always_inline __u64 stream_name(struct thread_state *thread, __u64 stream, __u16 flags)
{
	/* cudaStreamPerThread, driver_types.h */
	if (stream == 2 || (!stream && flags & CALL_PER_THREAD))
		return 2 | (__u64)thread->tid << 32;
	return stream;
}

/* The capture that @stream (a stream_name()) belongs to, or 0. */
static __noinline __u64 capture_of(struct thread_state *thread, __u64 stream)
{
	struct address_key key = { .address = stream, .program = thread->program };
	__u64 *known, number;

	known = bpf_map_lookup_elem(&capture_streams, &key);
	if (!known)
		return 0;
	number = *known;
	key.address = number;
	if (bpf_map_lookup_elem(&captures, &key))
		return number;
	key.address = stream;
	bpf_map_delete_elem(&capture_streams, &key);
	return 0;
}

/* The graph that launches into @stream are added to, or 0. */
static __always_inline __u64 capture_graph(struct thread_state *thread, __u64 stream)
{
	struct address_key key = { .program = thread->program };
	struct capture *capture;

	key.address = capture_of(thread, stream);
	if (!key.address)
		return 0;
	capture = bpf_map_lookup_elem(&captures, &key);
	return capture ? capture->graph : 0;
}

static __always_inline void graph_send(struct thread_state *thread, struct rec_graph *rec)
{
	header_of(thread, &rec->hdr, REC_GRAPH, sizeof(*rec), bpf_ktime_get_ns());
	rec->device = thread->device;
	if (bpf_ringbuf_output(&events, rec, sizeof(*rec), quiet_flags(thread)))
		count_lost_of(thread->program, LOST_RING_FULL);
}

/* A capture begins on @stream. Returns its number, or 0 without room. */
static __noinline __u64 capture_begin(struct thread_state *thread, __u64 stream, __u64 graph)
{
	struct address_key key = { .program = thread->program };
	struct capture capture = { .stream = stream };
	__u64 number;

	number = CAPTURE_BIT | (__sync_fetch_and_add(&last_capture, 1) + 1);
	capture.graph = graph ? graph : number;
	key.address = number;
	if (bpf_map_update_elem(&captures, &key, &capture, BPF_ANY))
		goto lost;
	key.address = stream;
	if (bpf_map_update_elem(&capture_streams, &key, &number, BPF_ANY)) {
		key.address = number;
		bpf_map_delete_elem(&captures, &key);
		goto lost;
	}
	__sync_fetch_and_add(&capturing[thread->program & (WATCHFUL_COUNT - 1)], 1);
	return number;
lost:
	count_lost_of(thread->program, LOST_GRAPHS);
	return 0;
}

/*
 * The capture that began on @stream has ended. Returns its number, or 0 if there is none, or if its
 * nodes went to a graph that has a handle.
 */
static __noinline __u64 capture_end(struct thread_state *thread, __u64 stream)
{
	struct address_key key = { .program = thread->program };
	struct capture *capture;
	__u64 number, graph;

	number = capture_of(thread, stream);
	if (!number)
		return 0;
	key.address = number;
	capture = bpf_map_lookup_elem(&captures, &key);
	if (!capture || capture->stream != stream)
		return 0;
	graph = capture->graph;
	if (bpf_map_delete_elem(&captures, &key))
		return 0;
	__sync_fetch_and_add(&capturing[thread->program & (WATCHFUL_COUNT - 1)], -1);
	key.address = stream;
	bpf_map_delete_elem(&capture_streams, &key);
	return graph == number ? number : 0;
}

/* @event was recorded in @stream: from now on it refers to that stream's capture, or to none. */
static __noinline int capture_record(struct thread_state *thread, __u64 event, __u64 stream)
{
	struct address_key key = { .address = event, .program = thread->program };
	__u64 number;

	number = capture_of(thread, stream);
	if (!number)
		bpf_map_delete_elem(&capture_events, &key);
	else if (bpf_map_update_elem(&capture_events, &key, &number, BPF_ANY))
		count_lost_of(thread->program, LOST_GRAPHS);
	return 0;
}

/* @stream waits for @event. */
static __noinline int capture_join(struct thread_state *thread, __u64 stream, __u64 event)
{
	struct address_key key = { .address = event, .program = thread->program };
	__u64 *known, number;

	known = bpf_map_lookup_elem(&capture_events, &key);
	if (!known)
		return 0;
	number = *known;
	key.address = number;
	if (!bpf_map_lookup_elem(&captures, &key))
		return 0;
	key.address = stream;
	if (bpf_map_update_elem(&capture_streams, &key, &number, BPF_ANY))
		count_lost_of(thread->program, LOST_GRAPHS);
	return 0;
}

#endif
