/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of the BPF side's maps, read once per refresh, after the ring has been
 * drained. What a full ring swallowed is made up for from the map `images`,
 * which has a row for every image and its end: a process whose start or end was
 * never heard of is found there.
 *
 * Rows of an ended image are read once more after its end, then deleted. The
 * end is taken as known only when its record was read, or when a second
 * refresh still finds it marked: by then no earlier record of it can be in the
 * ring.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect/feed_internal.h"
#include "probe/row_cache.h"
#include "probe/slots.h"

static uint64_t histogram_sum(const __u64 *hist)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		sum += hist[i];
	return sum;
}

/* Puts in what BPF does not count twice: the head of cutop_rows.h. */
static void launch_complete(struct launch_row *row)
{
	row->samples = histogram_sum(row->hist);
}

/* A program that fails and resets its device in a loop has its rows read so often. */
#define FAULTS_PER_SECOND 8

struct fault {
	struct feed *feed;
	uint32_t image;
};

static bool fault_visit(void *context, const void *key_bytes, const void *row_bytes)
{
	const struct fault *fault = context;
	struct launch_home home;
	struct launch_key key;
	struct launch_row row;

	memcpy(&key, key_bytes, sizeof(key));
	if (key.image != fault->image)
		return false;
	memcpy(&home, row_bytes, sizeof(home));
	slots_read(probe_bpf(fault->feed->probe)->skeleton, &home, &row);
	launch_complete(&row);
	outlet_launch_row(fault->feed->outlet, &key, &row);
	return false;
}

static bool fault_graph_visit(void *context, const void *key_bytes, const void *row_bytes)
{
	const struct fault *fault = context;
	struct graph_key key;
	struct graph_row row;

	memcpy(&key, key_bytes, sizeof(key));
	if (key.image != fault->image)
		return false;
	memcpy(&row, row_bytes, sizeof(row));
	outlet_graph_last(fault->feed->outlet, &key, &row);
	return false;
}

void feed_fault(struct feed *feed, struct watched *watched, const struct rec_hdr *hdr)
{
	struct fault fault = { feed, hdr->image };

	if (!watched)
		return;
	if (hdr->time - watched->faults_since >= NSEC_PER_SEC) {
		watched->faults_since = hdr->time;
		watched->faults = 0;
	}
	if (watched->faults++ >= FAULTS_PER_SECOND)
		return;
	rows_visit_known(feed->rows, ROWS_LAUNCHES, fault_visit, &fault);
	rows_visit_known(feed->rows, ROWS_GRAPHS, fault_graph_visit, &fault);
}

/* ---- a refresh ---- */

/* For an image whose record is lost or still to come, as its row has it. */
static struct watched *row_watch(struct feed *feed, uint32_t image, const struct image_row *row)
{
	struct rec_process process = {
		.hdr = { .type = REC_PROCESS, .size = sizeof(process), .image = image,
			 .time = row->first_time, .tgid = row->tgid, .tid = row->tgid },
		.start_time = row->start_time,
		.parent_tgid = row->parent_tgid,
		.uid = row->uid,
	};

	memcpy(process.comm, row->comm, sizeof(process.comm));
	return feed_watch(feed, &process);
}

struct watched *feed_watch_row(struct feed *feed, uint32_t image)
{
	struct image_row row;

	if (bpf_map_lookup_elem(bpf_map__fd(probe_bpf(feed->probe)->skeleton->maps.images), &image, &row) || !row.first_time)
		return NULL;
	return row_watch(feed, image, &row);
}

static bool image_visit(void *context, const void *key, const void *value)
{
	struct feed *feed = context;
	struct cutop_bpf *s = probe_bpf(feed->probe)->skeleton;
	const struct image_row *row = value;
	struct watched *watched;
	struct image_sync sync;
	uint32_t image;
	uint64_t now;

	memcpy(&image, key, sizeof(image));
	if (!row->first_time)
		return false;	/* it is being made */
	watched = feed_watched(feed, image);
	if (!watched)
		watched = row_watch(feed, image, row);
	if (!watched)
		return false;
	if (row->inexact && !watched->ignored)
		outlet_inexact(feed->outlet, image, row->lost_time);
	if (row->unreturned && !watched->ignored)
		outlet_unreturned(feed->outlet, image, row->unreturned);
	sync = near_sync_read(s, image, row);
	if (!watched->ignored)
		outlet_synced(feed->outlet, image, sync.slots);
	if (!row->end_time) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (!watched->ignored)
			outlet_sync(feed->outlet, image, sync.ns + (sync.depth > 0 && now > sync.since ? now - sync.since : 0));
		return false;
	}
	if (!watched->ignored)
		outlet_sync(feed->outlet, image, sync.ns);
	if (!watched->ended && watched->seen_ended) {
		struct rec_end end = {
			.hdr = { .type = REC_END, .size = sizeof(end), .image = image, .time = row->end_time,
				 .tgid = row->tgid, .tid = row->tgid },
			.sync_ns = sync.ns,
			.reason = row->end_reason,
			.exit_code = row->exit_code,
		};

		feed_end(feed, watched, &end);
	}
	watched->seen_ended = true;
	if (watched->ended) {
		watched->doomed = true;
		feed->any_doomed = true;
		near_sync_release(s, image);
		return true;
	}
	return false;
}

/*
 * True if nothing of @image is needed any more. One that nobody knows here was
 * doomed earlier, and a thread of it was late to leave; or it began a moment ago
 * and its record is still in the ring: then it has a row.
 */
static bool image_is_gone(struct feed *feed, uint32_t image)
{
	struct cutop_bpf *s = probe_bpf(feed->probe)->skeleton;
	struct watched *watched = feed_watched(feed, image);
	struct image_row row;

	if (watched)
		return watched->doomed;
	if (image != feed->asked) {
		feed->asked = image;
		feed->asked_gone = bpf_map_lookup_elem(bpf_map__fd(s->maps.images), &image, &row) == -ENOENT;
	}
	return feed->asked_gone;
}

/* Whether the rows of @image are wanted, and whether this is the last time they are read. */
static bool row_wanted(struct feed *feed, uint32_t image, bool *last)
{
	struct watched *watched = feed_watched(feed, image);

	/* Of one that is forgotten already, memory had run out where its rows were to be. */
	*last = image_is_gone(feed, image);
	return !watched || !watched->ignored;
}

/* BPF itself counts only calls whose returns are not probed. */
static void copy_complete(struct cutop_bpf *skeleton, const struct copy_key *key, struct copy_row *row)
{
	near_copy_add(skeleton, key, row);
	row->calls += histogram_sum(row->hist);
}

static void call_complete(struct cutop_bpf *skeleton, const struct call_key *key, struct call_row *row)
{
	near_call_add(skeleton, key, row);
	row->calls += histogram_sum(row->hist);
}

/* Of rows that are in their map alone. */
#define COMPLETE_AS_THEY_ARE(name)									\
	static void name##_complete(struct cutop_bpf *skeleton, const struct name##_key *key, struct name##_row *row) \
	{												\
		(void)skeleton;										\
		(void)key;										\
		(void)row;										\
	}												\
	static void near_##name##_release(struct cutop_bpf *skeleton, const struct name##_key *key)	\
	{												\
		(void)skeleton;										\
		(void)key;										\
	}

COMPLETE_AS_THEY_ARE(graph)
COMPLETE_AS_THEY_ARE(pending)
COMPLETE_AS_THEY_ARE(fail)

static bool launch_visit(void *context, const void *key_bytes, const void *home_bytes)
{
	struct feed *feed = context;
	struct cutop_bpf *s = probe_bpf(feed->probe)->skeleton;
	struct launch_home home;
	struct launch_key key;
	struct launch_row row;
	bool last;

	memcpy(&key, key_bytes, sizeof(key));
	memcpy(&home, home_bytes, sizeof(home));
	if (row_wanted(feed, key.image, &last)) {
		slots_read(s, &home, &row);
		launch_complete(&row);
		outlet_launch_row(feed->outlet, &key, &row);
	}
	if (last)
		slots_take_back(s, &home);
	return last;
}

#define ROW_VISIT(name)											\
	static bool name##_visit(void *context, const void *key_bytes, const void *row_bytes)		\
	{												\
		struct feed *feed = context;							\
		struct cutop_bpf *s = probe_bpf(feed->probe)->skeleton;				\
		struct name##_key key;									\
		struct name##_row row;									\
		bool last;										\
													\
		memcpy(&key, key_bytes, sizeof(key));							\
		if (row_wanted(feed, key.image, &last)) {						\
			memcpy(&row, row_bytes, sizeof(row));						\
			name##_complete(s, &key, &row);							\
			outlet_##name##_row(feed->outlet, &key, &row);				\
		}											\
		if (last)										\
			near_##name##_release(s, &key);							\
		return last;										\
	}

ROW_VISIT(copy)
ROW_VISIT(call)
ROW_VISIT(graph)
ROW_VISIT(fail)
ROW_VISIT(pending)

/* Keys that hold an image at the same place: those of names.bpf.h and stubs.bpf.h. */
struct address_key {
	__u64 address;
	__u32 image;
	__u32 pad;
};

/* Whether a process still runs that was forked from @image, and has the names of its kernels from there. */
static bool image_has_copies(const struct feed *feed, uint32_t image)
{
	const struct watched *watched;

	for (watched = feed->watched; watched; watched = watched->hh.next)
		if (watched->origin == image && !watched->doomed)
			return true;
	return false;
}

/* Of stubs and handles. */
static bool name_visit(void *context, const void *key_bytes, const void *value)
{
	struct feed *feed = context;
	struct address_key key;

	(void)value;
	memcpy(&key, key_bytes, sizeof(key));
	if (!image_is_gone(feed, key.image))
		return false;
	if (key.image != feed->copied) {
		feed->copied = key.image;
		feed->copied_kept = image_has_copies(feed, key.image);
	}
	return !feed->copied_kept;
}

static bool address_visit(void *context, const void *key_bytes, const void *value)
{
	struct address_key key;

	(void)value;
	memcpy(&key, key_bytes, sizeof(key));
	return image_is_gone(context, key.image);
}

static bool primary_visit(void *context, const void *key_bytes, const void *value)
{
	struct primary_key {
		__u32 image;
		__s32 device;
	} key;

	(void)value;
	memcpy(&key, key_bytes, sizeof(key));
	return image_is_gone(context, key.image);
}

/* The same for captures that nobody ended. Launches need not look for them any more. */
static bool capture_visit(void *context, const void *key_bytes, const void *value)
{
	struct feed *feed = context;
	struct cutop_bpf *s = probe_bpf(feed->probe)->skeleton;
	size_t count = sizeof(s->bss->capturing) / sizeof(s->bss->capturing[0]);
	struct address_key key;

	if (!address_visit(context, key_bytes, value))
		return false;
	memcpy(&key, key_bytes, sizeof(key));
	__atomic_sub_fetch(&s->bss->capturing[key.image % count], 1, __ATOMIC_RELAXED);
	return true;
}

static void doomed_forget(struct feed *feed)
{
	struct cutop_bpf *s = probe_bpf(feed->probe)->skeleton;
	struct watched *watched, *next;

	if (!feed->any_doomed)
		return;
	feed->copied = 0;
	rows_visit(feed->rows, s->maps.stubs, name_visit, feed);
	rows_visit(feed->rows, s->maps.handles, name_visit, feed);
	rows_visit(feed->rows, s->maps.sites, address_visit, feed);
	rows_visit(feed->rows, s->maps.modules, address_visit, feed);
	rows_visit(feed->rows, s->maps.stacks, address_visit, feed);
	rows_visit(feed->rows, s->maps.contexts, address_visit, feed);
	rows_visit(feed->rows, s->maps.primaries, primary_visit, feed);
	rows_visit(feed->rows, s->maps.captures, capture_visit, feed);
	rows_visit(feed->rows, s->maps.capture_streams, address_visit, feed);
	rows_visit(feed->rows, s->maps.capture_events, address_visit, feed);
	HASH_ITER(hh, feed->watched, watched, next) {
		if (!watched->doomed)
			continue;
		outlet_graphs_done(feed->outlet, watched->image);
		modules_forget(feed->modules, watched->image);
		site_names_forget(feed->sites, watched->image);
		stacks_forget(feed->stacks, watched->image);
		HASH_DEL(feed->watched, watched);
		free(watched);
	}
	feed->any_doomed = false;
}

static void lost_feed(struct feed *feed)
{
	struct cutop_bpf *s = probe_bpf(feed->probe)->skeleton;
	int cause;

	for (cause = 0; cause < LOST_BPF_COUNT; cause++)
		outlet_lost(feed->outlet, (enum lost_cause)cause,
			   __atomic_load_n(&s->bss->lost[cause], __ATOMIC_RELAXED));
}

static void unseen_feed(struct feed *feed)
{
	struct cutop_bpf *s = probe_bpf(feed->probe)->skeleton;
	struct probe_counts counts = probe_counts(feed->probe);
	uint64_t totals[UNSEEN_COUNT] = {
		[UNSEEN_DRIVER] = __atomic_load_n(&s->bss->unwatched_allocations, __ATOMIC_RELAXED),
		[UNSEEN_LATE] = counts.late,
		[UNSEEN_ALLOC] = counts.unprobed.allocs,
		[UNSEEN_FREE] = counts.unprobed.frees,
		[UNSEEN_LAYER] = probe_misses_driver(feed->probe),
	};
	int cause;

	for (cause = 0; cause < UNSEEN_COUNT; cause++) {
		bool is_driver = cause == UNSEEN_DRIVER;

		/* What was missing once stays missing: a process may have ended before that was over. */
		if (totals[cause] <= feed->unseen[cause])
			continue;
		feed->unseen[cause] = totals[cause];
		outlet_unseen(feed->outlet, (enum unseen_cause)cause, totals[cause], is_driver ? s->bss->unwatched_tgid : 0,
			      is_driver ? s->bss->unwatched_comm : NULL);
	}
}

/* Files that the ring had no room to tell of: whoever runs or maps them still is found, and marked late. */
static void untold_find(struct feed *feed)
{
	uint32_t untold = __atomic_load_n(&probe_bpf(feed->probe)->skeleton->bss->files_untold, __ATOMIC_RELAXED);

	if (untold == feed->untold)
		return;
	feed->untold = untold;
	probe_find_running(feed->probe);
}

void feed_refresh(struct feed *feed)
{
	feed_drain(feed);
	feed->asked = 0;
	untold_find(feed);
	rows_visit_known(feed->rows, ROWS_IMAGES, image_visit, feed);
	rows_visit_known(feed->rows, ROWS_LAUNCHES, launch_visit, feed);
	rows_visit_known(feed->rows, ROWS_COPIES, copy_visit, feed);
	rows_visit_known(feed->rows, ROWS_CALLS, call_visit, feed);
	rows_visit_known(feed->rows, ROWS_GRAPHS, graph_visit, feed);
	rows_visit_known(feed->rows, ROWS_FAILURES, fail_visit, feed);
	rows_visit_known(feed->rows, ROWS_PENDING, pending_visit, feed);
	lost_feed(feed);
	unseen_feed(feed);
	doomed_forget(feed);
	feed->ended = 0;
}
