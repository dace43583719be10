/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the BPF side says, told to the model. Records come through the ring in
 * order; rows are read once per refresh, after the ring has been drained. What
 * a full ring swallowed is made up for from the map `images`, which has a row
 * for every image and its end: a process whose start or end was never heard of
 * is found there.
 *
 * Rows of an ended image are read once more after its end, then deleted. The
 * end is taken as known only when its record was read, or when a second
 * refresh still finds it marked: by then no earlier record of it can be in the
 * ring.
 */
#include "collect/feed.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "collect/identity.h"
#include "collect/modules.h"
#include "collect/rows.h"
#include "collect/site_names.h"
#include "collect/stacks.h"

#define LINES_WAIT_MS	3000	/* at the end, for lines of call sites */

struct watched {
	uint32_t image;
	struct rec_process process;
	bool ignored;		/* the user did not ask for it */
	bool late;
	bool seen_ended;	/* its row was marked at the last refresh */
	bool ended;		/* the model knows */
	bool doomed;		/* its rows are deleted in this refresh */
	uint64_t faults_since;	/* when a second began in which faults are counted */
	unsigned int faults;
	UT_hash_handle hh;
};

/* An image found to be late before the record of its start was read. */
struct early_late {
	uint32_t image;
	UT_hash_handle hh;
};

struct feed {
	struct probe *probe;
	struct model *model;
	const char *command_glob;
	struct rows *rows;
	struct modules *modules;
	struct site_names *sites;
	struct stacks *stacks;
	struct ring_buffer *ring;
	struct watched *watched;
	struct early_late *early_late;
	bool any_doomed;
	uint32_t asked;		/* whether this image has a row; 0: none was asked for */
	bool asked_gone;
};

/* ---- images ---- */

static struct watched *watched_find(struct feed *feed, uint32_t image)
{
	struct watched *watched;

	HASH_FIND(hh, feed->watched, &image, sizeof(image), watched);
	return watched;
}

/* True if feed_late() was told of @image before; forgets it. */
static bool early_late_take(struct feed *feed, uint32_t image)
{
	struct early_late *early;

	HASH_FIND(hh, feed->early_late, &image, sizeof(image), early);
	if (!early)
		return false;
	HASH_DEL(feed->early_late, early);
	free(early);
	return true;
}

/* Tells the model who @watched is; at first also whether it is wanted at all, which only its name can say. */
static void identity_feed(struct feed *feed, struct watched *watched, bool first)
{
	struct rec_identity *identity = identity_read(&watched->process, watched->late);
	const char *glob = feed->command_glob;

	if (first && glob && (!identity || !identity_matches(identity, watched->process.comm, glob)))
		watched->ignored = true;
	if (!watched->ignored) {
		if (first)
			model_record(feed->model, &watched->process.hdr, sizeof(watched->process));
		if (identity)
			model_record(feed->model, &identity->hdr, identity->hdr.size);
	}
	free(identity);
}

static struct watched *watched_add(struct feed *feed, const struct rec_process *process)
{
	struct watched *watched = watched_find(feed, process->hdr.image);
	uint32_t image = process->hdr.image;
	struct image_row row;

	if (watched)
		return watched;
	watched = calloc(1, sizeof(*watched));
	if (!watched)
		return NULL;
	watched->image = image;
	watched->process = *process;
	watched->process.comm[CUTOP_COMM_LEN - 1] = 0;
	HASH_ADD(hh, feed->watched, image, sizeof(watched->image), watched);
	if (!bpf_map_lookup_elem(bpf_map__fd(probe_bpf(feed->probe)->skeleton->maps.images), &image, &row))
		watched->late = row.late;
	watched->late |= early_late_take(feed, image);
	identity_feed(feed, watched, true);
	return watched;
}

void feed_late(struct feed *feed, uint32_t image)
{
	struct watched *watched = watched_find(feed, image);
	struct early_late *early;

	if (!watched) {
		/* It made its first call while we were attaching: its record still is in the ring. */
		HASH_FIND(hh, feed->early_late, &image, sizeof(image), early);
		if (early)
			return;
		early = calloc(1, sizeof(*early));
		if (!early)
			return;
		early->image = image;
		HASH_ADD(hh, feed->early_late, image, sizeof(early->image), early);
		return;
	}
	if (watched->late)
		return;
	watched->late = true;
	if (!watched->ignored && !watched->ended)
		identity_feed(feed, watched, false);
}

static void image_feed_end(struct feed *feed, struct watched *watched, const struct rec_end *end)
{
	if (watched->ended)
		return;
	watched->ended = true;
	if (!watched->ignored)
		model_record(feed->model, &end->hdr, sizeof(*end));
}

/* ---- records ---- */

static void site_feed(struct feed *feed, uint32_t image, uint64_t address)
{
	struct rec_text *text = site_names_site(feed->sites, image, address);

	if (text) {
		model_record(feed->model, &text->hdr, text->hdr.size);
		free(text);
	}
}

static void site_told(void *context, struct rec_text *text)
{
	struct feed *feed = context;

	model_record(feed->model, &text->hdr, text->hdr.size);
}

void feed_settle(struct feed *feed)
{
	site_names_lines(feed->sites, LINES_WAIT_MS, site_told, feed);
}

/* The name of a kernel that the program did not teach: the symbol of its stub, or of its handle. */
static void kernel_feed_name(struct feed *feed, const struct rec_kernel *kernel)
{
	struct rec_text *text;

	if (kernel->source != NAME_NONE)
		return;
	text = site_names_kernel(feed->sites, kernel);
	if (text) {
		model_record(feed->model, &text->hdr, text->hdr.size);
		free(text);
	}
}

static uint64_t histogram_sum(const __u64 *hist)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < CUTOP_HIST_BUCKETS; i++)
		sum += hist[i];
	return sum;
}

/* Puts in what BPF does not count twice: cutop_event.h, "Rows of the counter maps". */
static void launch_complete(struct launch_row *row)
{
	row->samples = histogram_sum(row->hist);
}

/*
 * A sticky error: the model names what was launched last, so the rows are
 * read now, not at the next refresh, and of this image only. A program that
 * fails and resets its device in a loop has them read a few times a second.
 */
#define FAULTS_PER_SECOND 8

struct fault {
	struct feed *feed;
	uint32_t image;
};

static bool fault_visit(void *context, const void *key_bytes, const void *row_bytes)
{
	const struct fault *fault = context;
	struct launch_key key;
	struct launch_row row;

	memcpy(&key, key_bytes, sizeof(key));
	if (key.image != fault->image)
		return false;
	memcpy(&row, row_bytes, sizeof(row));
	launch_complete(&row);
	model_launch_row(fault->feed->model, &key, &row);
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
	model_graph_last(fault->feed->model, &key, &row);
	return false;
}

static void fault_feed(struct feed *feed, struct watched *watched, const struct rec_hdr *hdr)
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
	rows_visit(feed->rows, probe_bpf(feed->probe)->skeleton->maps.launches, fault_visit, &fault);
	rows_visit(feed->rows, probe_bpf(feed->probe)->skeleton->maps.graphs, fault_graph_visit, &fault);
}

static void stack_feed(struct feed *feed, const struct rec_stack *record, size_t size)
{
	struct rec_stack *stack = stacks_add(feed->stacks, record, size);
	uint32_t i;

	if (!stack)
		return;
	for (i = 0; i < stack->count; i++)
		site_feed(feed, stack->hdr.image, stack->frames[i]);
	model_record(feed->model, &stack->hdr, stack->hdr.size);
	free(stack);
}

static void alloc_feed(struct feed *feed, const struct rec_alloc *record, size_t size)
{
	struct rec_alloc alloc;

	site_feed(feed, record->hdr.image, record->site);
	if (!record->stack || size != sizeof(alloc)) {
		model_record(feed->model, &record->hdr, size);
		return;
	}
	alloc = *record;
	alloc.stack = stacks_id(feed->stacks, record->hdr.image, record->stack);
	model_record(feed->model, &alloc.hdr, size);
}

static int record_read(void *context, void *data, size_t size)
{
	struct feed *feed = context;
	const struct rec_hdr *hdr = data;
	struct watched *watched;

	if (size < sizeof(*hdr))
		return 0;
	switch (hdr->type) {
	case REC_EXEC:
		probe_on_exec(feed->probe, data);
		return 0;
	case REC_MMAP:
		probe_on_mmap(feed->probe, data);
		return 0;
	case REC_PROCESS:
		watched_add(feed, data);
		return 0;
	}
	watched = watched_find(feed, hdr->image);
	if (watched && watched->ignored)
		return 0;
	switch (hdr->type) {
	case REC_END:
		if (watched)
			image_feed_end(feed, watched, data);
		return 0;
	case REC_MODULE:
		modules_add(feed->modules, data);
		break;
	case REC_ALLOC:
		alloc_feed(feed, data, size);
		return 0;
	case REC_STACK:
		stack_feed(feed, data, size);
		return 0;
	case REC_FAIL:
		if (CUTOP_IS_STICKY(((const struct rec_fail *)data)->result))
			site_feed(feed, hdr->image, ((const struct rec_fail *)data)->site);
		break;
	case REC_HOST:
		site_feed(feed, hdr->image, ((const struct rec_host *)data)->site);
		break;
	case REC_COPY:
		if (((const struct rec_copy *)data)->flags & COPY_IS_ASYNC)
			site_feed(feed, hdr->image, ((const struct rec_copy *)data)->site);
		break;
	case REC_FAULT:
		fault_feed(feed, watched, hdr);
		break;
	}
	model_record(feed->model, hdr, size);
	if (hdr->type == REC_KERNEL)
		kernel_feed_name(feed, data);
	return 0;
}

/* ---- rows ---- */

static bool image_visit(void *context, const void *key, const void *value)
{
	struct feed *feed = context;
	const struct image_row *row = value;
	struct watched *watched;
	uint32_t image;
	uint64_t now;

	memcpy(&image, key, sizeof(image));
	if (!row->first_time)
		return false;	/* it is being made */
	watched = watched_find(feed, image);
	if (!watched) {
		struct rec_process process = {
			.hdr = { .type = REC_PROCESS, .size = sizeof(process), .image = image,
				 .time = row->first_time, .tgid = row->tgid, .tid = row->tgid },
			.start_time = row->start_time,
			.parent_tgid = row->parent_tgid,
			.uid = row->uid,
		};

		memcpy(process.comm, row->comm, sizeof(process.comm));
		watched = watched_add(feed, &process);
		if (!watched)
			return false;
	}
	if (row->inexact && !watched->ignored)
		model_inexact(feed->model, image);
	if (!watched->ignored)
		model_synced(feed->model, image, row->synced);
	if (!row->end_time) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (!watched->ignored)
			model_sync(feed->model, image, row->sync_ns +
				   (row->sync_depth > 0 && now > row->sync_since ? now - row->sync_since : 0));
		return false;
	}
	if (!watched->ignored)
		model_sync(feed->model, image, row->sync_ns);
	if (!watched->ended && watched->seen_ended) {
		struct rec_end end = {
			.hdr = { .type = REC_END, .size = sizeof(end), .image = image, .time = row->end_time,
				 .tgid = row->tgid, .tid = row->tgid },
			.sync_ns = row->sync_ns,
			.reason = row->end_reason,
			.exit_code = row->exit_code,
		};

		image_feed_end(feed, watched, &end);
	}
	watched->seen_ended = true;
	if (watched->ended) {
		watched->doomed = true;
		feed->any_doomed = true;
		return true;
	}
	return false;
}

/* Whether the rows of @image are wanted, and whether this is the last time they are read. */
static bool row_wanted(struct feed *feed, uint32_t image, bool *last)
{
	struct watched *watched = watched_find(feed, image);

	*last = watched && watched->doomed;
	return !watched || !watched->ignored;
}

static void copy_complete(struct copy_row *row)
{
	row->calls = histogram_sum(row->hist);
}

static void call_complete(struct call_row *row)
{
	row->calls = histogram_sum(row->hist);
}

static void graph_complete(struct graph_row *row)
{
	(void)row;
}

static void pending_complete(struct pending_row *row)
{
	(void)row;
}

static void fail_complete(struct fail_row *row)
{
	(void)row;
}

#define ROW_VISIT(name)											\
	static bool name##_visit(void *context, const void *key_bytes, const void *row_bytes)		\
	{												\
		struct feed *feed = context;							\
		struct name##_key key;									\
		struct name##_row row;									\
		bool last;										\
													\
		memcpy(&key, key_bytes, sizeof(key));							\
		if (row_wanted(feed, key.image, &last)) {						\
			memcpy(&row, row_bytes, sizeof(row));						\
			name##_complete(&row);								\
			model_##name##_row(feed->model, &key, &row);				\
		}											\
		return last;										\
	}

ROW_VISIT(launch)
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

/*
 * True if nothing of @image is needed any more. One that nobody knows here was
 * doomed earlier, and a thread of it was late to leave; or it began a moment ago
 * and its record is still in the ring: then it has a row.
 */
static bool image_is_gone(struct feed *feed, uint32_t image)
{
	struct cutop_bpf *s = probe_bpf(feed->probe)->skeleton;
	struct watched *watched = watched_find(feed, image);
	struct image_row row;

	if (watched)
		return watched->doomed;
	if (image != feed->asked) {
		feed->asked = image;
		feed->asked_gone = bpf_map_lookup_elem(bpf_map__fd(s->maps.images), &image, &row) == -ENOENT;
	}
	return feed->asked_gone;
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
	feed->asked = 0;
	rows_visit(feed->rows, s->maps.stubs, address_visit, feed);
	rows_visit(feed->rows, s->maps.handles, address_visit, feed);
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
		model_graphs_done(feed->model, watched->image);
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
		model_lost(feed->model, (enum lost_cause)cause,
			   __atomic_load_n(&s->bss->lost[cause], __ATOMIC_RELAXED));
}

void feed_refresh(struct feed *feed)
{
	struct cutop_bpf *s = probe_bpf(feed->probe)->skeleton;

	feed_drain(feed);
	rows_visit(feed->rows, s->maps.images, image_visit, feed);
	rows_visit(feed->rows, s->maps.launches, launch_visit, feed);
	rows_visit(feed->rows, s->maps.copies, copy_visit, feed);
	rows_visit(feed->rows, s->maps.calls, call_visit, feed);
	rows_visit(feed->rows, s->maps.graphs, graph_visit, feed);
	rows_visit(feed->rows, s->maps.failures, fail_visit, feed);
	rows_visit(feed->rows, s->maps.pending, pending_visit, feed);
	lost_feed(feed);
	doomed_forget(feed);
}

/* ---- life ---- */

struct feed *feed_new(struct probe *probe, struct model *model, const char *command_glob,
		      const char *const *held_globs)
{
	struct feed *feed = calloc(1, sizeof(*feed));

	if (!feed)
		return NULL;
	feed->probe = probe;
	feed->model = model;
	feed->command_glob = command_glob;
	feed->rows = rows_new(probe_bpf(probe));
	feed->modules = modules_new(probe);
	feed->sites = site_names_new(feed->modules, held_globs);
	feed->stacks = stacks_new(feed->modules);
	feed->ring = ring_buffer__new(bpf_map__fd(probe_bpf(probe)->skeleton->maps.events), record_read, feed, NULL);
	if (!feed->rows || !feed->modules || !feed->sites || !feed->stacks || !feed->ring) {
		feed_free(feed);
		return NULL;
	}
	return feed;
}

void feed_free(struct feed *feed)
{
	struct early_late *early, *next_early;
	struct watched *watched, *next;

	if (!feed)
		return;
	ring_buffer__free(feed->ring);
	stacks_free(feed->stacks);
	site_names_free(feed->sites);
	modules_free(feed->modules);
	rows_free(feed->rows);
	HASH_ITER(hh, feed->watched, watched, next) {
		HASH_DEL(feed->watched, watched);
		free(watched);
	}
	HASH_ITER(hh, feed->early_late, early, next_early) {
		HASH_DEL(feed->early_late, early);
		free(early);
	}
	free(feed);
}

int feed_fd(const struct feed *feed)
{
	return ring_buffer__epoll_fd(feed->ring);
}

void feed_drain(struct feed *feed)
{
	ring_buffer__consume(feed->ring);
	site_names_lines(feed->sites, 0, site_told, feed);
}
