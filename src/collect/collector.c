/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collector thread. Records come through the ring in order; rows are read
 * once per refresh, after the ring has been drained. What a full ring swallowed
 * is made up for from the map `images`, which has a row for every image and
 * its end: a process whose start or end was never heard of is found there.
 *
 * Rows of an ended image are read once more after its end, then deleted. The
 * end is taken as known only when its record was read, or when a second
 * refresh still finds it marked: by then no earlier record of it can be in the
 * ring.
 */
#include "collect/collector.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <uthash.h>

#include "collect/identity.h"
#include "collect/modules.h"
#include "collect/rows.h"
#include "collect/site_names.h"
#include "collect/tracefs.h"
#include "model/model.h"

#define DRAIN_INTERVAL	(100 * NSEC_PER_MSEC)	/* the ring is looked at this often at least */

struct watched {
	uint32_t image;
	struct rec_process process;
	bool ignored;		/* the user did not ask for it */
	bool late;
	bool seen_ended;	/* its row was marked at the last refresh */
	bool ended;		/* the model knows */
	bool doomed;		/* its rows are deleted in this refresh */
	UT_hash_handle hh;
};

/* An image found to be late before the record of its start was read. */
struct early_late {
	uint32_t image;
	UT_hash_handle hh;
};

struct collector {
	struct collector_settings settings;
	struct probe *probe;
	struct model *model;
	struct rows *rows;
	struct modules *modules;
	struct site_names *sites;
	struct ring_buffer *ring;
	struct watched *watched;
	struct early_late *early_late;
	bool any_doomed;

	pthread_t thread;
	bool running;
	int wake;		/* eventfd: stop */
	int ready;		/* eventfd: a snapshot waits */
	pthread_mutex_t lock;	/* of what follows */
	struct snapshot *latest;
	bool stop, clear_exited;
	uint64_t new_delay;	/* ns; 0: as it is */
};

/* ---- images ---- */

static struct watched *watched_find(struct collector *collector, uint32_t image)
{
	struct watched *watched;

	HASH_FIND(hh, collector->watched, &image, sizeof(image), watched);
	return watched;
}

/* True if image_late() was told of @image before; forgets it. */
static bool early_late_take(struct collector *collector, uint32_t image)
{
	struct early_late *early;

	HASH_FIND(hh, collector->early_late, &image, sizeof(image), early);
	if (!early)
		return false;
	HASH_DEL(collector->early_late, early);
	free(early);
	return true;
}

/* Tells the model who @watched is; at first also whether it is wanted at all, which only its name can say. */
static void identity_feed(struct collector *collector, struct watched *watched, bool first)
{
	struct rec_identity *identity = identity_read(&watched->process, watched->late);
	const char *glob = collector->settings.command_glob;

	if (first && glob && (!identity || !identity_matches(identity, watched->process.comm, glob)))
		watched->ignored = true;
	if (!watched->ignored) {
		if (first)
			model_record(collector->model, &watched->process.hdr, sizeof(watched->process));
		if (identity)
			model_record(collector->model, &identity->hdr, identity->hdr.size);
	}
	free(identity);
}

static struct watched *watched_add(struct collector *collector, const struct rec_process *process)
{
	struct watched *watched = watched_find(collector, process->hdr.image);
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
	HASH_ADD(hh, collector->watched, image, sizeof(watched->image), watched);
	if (!bpf_map_lookup_elem(bpf_map__fd(probe_bpf(collector->probe)->skeleton->maps.images), &image, &row))
		watched->late = row.late;
	watched->late |= early_late_take(collector, image);
	identity_feed(collector, watched, true);
	return watched;
}

static void image_late(void *context, uint32_t image)
{
	struct collector *collector = context;
	struct watched *watched = watched_find(collector, image);
	struct early_late *early;

	if (!watched) {
		/* It made its first call while we were attaching: its record still is in the ring. */
		HASH_FIND(hh, collector->early_late, &image, sizeof(image), early);
		if (early)
			return;
		early = calloc(1, sizeof(*early));
		if (!early)
			return;
		early->image = image;
		HASH_ADD(hh, collector->early_late, image, sizeof(early->image), early);
		return;
	}
	if (watched->late)
		return;
	watched->late = true;
	if (!watched->ignored && !watched->ended)
		identity_feed(collector, watched, false);
}

static void image_feed_end(struct collector *collector, struct watched *watched, const struct rec_end *end)
{
	if (watched->ended)
		return;
	watched->ended = true;
	if (!watched->ignored)
		model_record(collector->model, &end->hdr, sizeof(*end));
}

/* ---- records ---- */

static void site_feed(struct collector *collector, uint32_t image, uint64_t address)
{
	struct rec_text *text = site_names_site(collector->sites, image, address);

	if (text) {
		model_record(collector->model, &text->hdr, text->hdr.size);
		free(text);
	}
}

/* The name of a kernel that the program did not teach: the symbol of its stub. */
static void kernel_feed_name(struct collector *collector, const struct rec_kernel *kernel)
{
	struct rec_text *text;

	if (kernel->source != NAME_NONE)
		return;
	text = site_names_kernel(collector->sites, kernel->hdr.image, kernel->function, kernel->stub);
	if (text) {
		model_record(collector->model, &text->hdr, text->hdr.size);
		free(text);
	}
}

static int record_read(void *context, void *data, size_t size)
{
	struct collector *collector = context;
	const struct rec_hdr *hdr = data;
	struct watched *watched;

	if (size < sizeof(*hdr))
		return 0;
	switch (hdr->type) {
	case REC_EXEC:
		probe_on_exec(collector->probe, data);
		return 0;
	case REC_MMAP:
		probe_on_mmap(collector->probe, data);
		return 0;
	case REC_PROCESS:
		watched_add(collector, data);
		return 0;
	}
	watched = watched_find(collector, hdr->image);
	if (watched && watched->ignored)
		return 0;
	switch (hdr->type) {
	case REC_END:
		if (watched)
			image_feed_end(collector, watched, data);
		return 0;
	case REC_MODULE:
		modules_add(collector->modules, data);
		break;
	case REC_ALLOC:
		site_feed(collector, hdr->image, ((const struct rec_alloc *)data)->site);
		break;
	}
	model_record(collector->model, hdr, size);
	if (hdr->type == REC_KERNEL)
		kernel_feed_name(collector, data);
	return 0;
}

/* ---- rows ---- */

static bool image_visit(void *context, const void *key, const void *value)
{
	struct collector *collector = context;
	const struct image_row *row = value;
	struct watched *watched;
	uint32_t image;
	uint64_t now;

	memcpy(&image, key, sizeof(image));
	watched = watched_find(collector, image);
	if (!watched) {
		struct rec_process process = {
			.hdr = { .type = REC_PROCESS, .size = sizeof(process), .image = image,
				 .time = row->first_time, .tgid = row->tgid, .tid = row->tgid },
			.start_time = row->start_time,
			.parent_tgid = row->parent_tgid,
			.uid = row->uid,
		};

		memcpy(process.comm, row->comm, sizeof(process.comm));
		watched = watched_add(collector, &process);
		if (!watched)
			return false;
	}
	if (row->inexact && !watched->ignored)
		model_inexact(collector->model, image);
	if (!row->end_time) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (!watched->ignored)
			model_sync(collector->model, image, row->sync_ns +
				   (row->sync_depth > 0 && now > row->sync_since ? now - row->sync_since : 0));
		return false;
	}
	if (!watched->ignored)
		model_sync(collector->model, image, row->sync_ns);
	if (!watched->ended && watched->seen_ended) {
		struct rec_end end = {
			.hdr = { .type = REC_END, .size = sizeof(end), .image = image, .time = row->end_time,
				 .tgid = row->tgid, .tid = row->tgid },
			.sync_ns = row->sync_ns,
			.reason = row->end_reason,
			.exit_code = row->exit_code,
		};

		image_feed_end(collector, watched, &end);
	}
	watched->seen_ended = true;
	if (watched->ended) {
		watched->doomed = true;
		collector->any_doomed = true;
		return true;
	}
	return false;
}

/* Whether the rows of @image are wanted, and whether this is the last time they are read. */
static bool row_wanted(struct collector *collector, uint32_t image, bool *last)
{
	struct watched *watched = watched_find(collector, image);

	*last = watched && watched->doomed;
	return !watched || !watched->ignored;
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

static void copy_complete(struct copy_row *row)
{
	row->calls = histogram_sum(row->hist);
}

static void call_complete(struct call_row *row)
{
	row->calls = histogram_sum(row->hist);
}

static void fail_complete(struct fail_row *row)
{
	(void)row;
}

#define ROW_VISIT(name)											\
	static bool name##_visit(void *context, const void *key_bytes, const void *row_bytes)		\
	{												\
		struct collector *collector = context;							\
		struct name##_key key;									\
		struct name##_row row;									\
		bool last;										\
													\
		memcpy(&key, key_bytes, sizeof(key));							\
		if (row_wanted(collector, key.image, &last)) {						\
			memcpy(&row, row_bytes, sizeof(row));						\
			name##_complete(&row);								\
			model_##name##_row(collector->model, &key, &row);				\
		}											\
		return last;										\
	}

ROW_VISIT(launch)
ROW_VISIT(copy)
ROW_VISIT(call)
ROW_VISIT(fail)

/* Keys that hold an image at the same place: struct address_key and struct module_key of names.bpf.h. */
struct address_key {
	__u64 address;
	__u32 image;
	__u32 pad;
};

static bool address_visit(void *context, const void *key_bytes, const void *value)
{
	struct collector *collector = context;
	struct watched *watched;
	struct address_key key;

	(void)value;
	memcpy(&key, key_bytes, sizeof(key));
	watched = watched_find(collector, key.image);
	/* An image nobody knows any more was doomed earlier: a thread of it was late to leave. */
	return !watched || watched->doomed;
}

static void doomed_forget(struct collector *collector)
{
	struct cutop_bpf *s = probe_bpf(collector->probe)->skeleton;
	struct watched *watched, *next;

	if (!collector->any_doomed)
		return;
	rows_visit(collector->rows, s->maps.stubs, address_visit, collector);
	rows_visit(collector->rows, s->maps.handles, address_visit, collector);
	rows_visit(collector->rows, s->maps.sites, address_visit, collector);
	rows_visit(collector->rows, s->maps.modules, address_visit, collector);
	HASH_ITER(hh, collector->watched, watched, next) {
		if (!watched->doomed)
			continue;
		modules_forget(collector->modules, watched->image);
		site_names_forget(collector->sites, watched->image);
		HASH_DEL(collector->watched, watched);
		free(watched);
	}
	collector->any_doomed = false;
}

static void lost_feed(struct collector *collector)
{
	struct cutop_bpf *s = probe_bpf(collector->probe)->skeleton;
	int cause;

	for (cause = 0; cause < LOST_BPF_COUNT; cause++)
		model_lost(collector->model, (enum lost_cause)cause,
			   __atomic_load_n(&s->bss->lost[cause], __ATOMIC_RELAXED));
}

static void collect(struct collector *collector)
{
	struct cutop_bpf *s = probe_bpf(collector->probe)->skeleton;

	ring_buffer__consume(collector->ring);
	rows_visit(collector->rows, s->maps.images, image_visit, collector);
	rows_visit(collector->rows, s->maps.launches, launch_visit, collector);
	rows_visit(collector->rows, s->maps.copies, copy_visit, collector);
	rows_visit(collector->rows, s->maps.calls, call_visit, collector);
	rows_visit(collector->rows, s->maps.failures, fail_visit, collector);
	lost_feed(collector);
	doomed_forget(collector);
}

static void self_fill(struct collector *collector, struct snapshot *snapshot)
{
	struct probe_counts counts = probe_counts(collector->probe);
	unsigned long pages = 0, resident = 0;
	struct rusage usage;
	char *text;

	if (gethostname(snapshot->host, sizeof(snapshot->host) - 1))
		snapshot->host[0] = 0;
	snapshot->targets = counts.targets;
	snapshot->attached = counts.attached;
	snapshot->missing = counts.missing;
	if (!getrusage(RUSAGE_SELF, &usage))
		snapshot->self_cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
					     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
	text = file_read("/proc/self/statm", 256, NULL);
	if (text && sscanf(text, "%lu %lu", &pages, &resident) == 2)
		snapshot->self_resident_bytes = (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
	free(text);
}

static struct snapshot *snapshot_make(struct collector *collector)
{
	struct snapshot *snapshot;

	collect(collector);
	snapshot = model_snapshot(collector->model, clock_ns(CLOCK_MONOTONIC), collector->settings.map_max);
	if (snapshot)
		self_fill(collector, snapshot);
	return snapshot;
}

/* ---- the thread ---- */

static void snapshot_publish(struct collector *collector, struct snapshot *snapshot)
{
	struct snapshot *old;

	pthread_mutex_lock(&collector->lock);
	old = collector->latest;
	collector->latest = snapshot;
	pthread_mutex_unlock(&collector->lock);
	snapshot_free(old);
	eventfd_write(collector->ready, 1);
}

/* Does what others asked for. Returns true if the thread is to stop. */
static bool requests_take(struct collector *collector, uint64_t *next)
{
	bool stop, clear;
	uint64_t delay;
	eventfd_t value;

	eventfd_read(collector->wake, &value);
	pthread_mutex_lock(&collector->lock);
	stop = collector->stop;
	clear = collector->clear_exited;
	delay = collector->new_delay;
	collector->clear_exited = false;
	collector->new_delay = 0;
	pthread_mutex_unlock(&collector->lock);
	if (clear)
		model_clear_exited(collector->model);
	if (delay) {
		collector->settings.delay = delay;
		*next = clock_ns(CLOCK_MONOTONIC) + delay;
	}
	return stop;
}

static void *collector_run(void *argument)
{
	struct collector *collector = argument;
	uint64_t next = clock_ns(CLOCK_MONOTONIC) + collector->settings.delay;
	struct pollfd fds[2] = {
		{ .fd = ring_buffer__epoll_fd(collector->ring), .events = POLLIN },
		{ .fd = collector->wake, .events = POLLIN },
	};

	for (;;) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC), wait;
		struct snapshot *snapshot;

		if (now >= next) {
			snapshot = snapshot_make(collector);
			if (snapshot)
				snapshot_publish(collector, snapshot);
			next += collector->settings.delay;
			if (next <= now)	/* a suspend, or a machine that cannot keep up */
				next = now + collector->settings.delay;
			continue;
		}
		wait = next - now < DRAIN_INTERVAL ? next - now : DRAIN_INTERVAL;
		poll(fds, 2, (int)((wait + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));
		if (requests_take(collector, &next))
			break;
		ring_buffer__consume(collector->ring);
	}
	return NULL;
}

/* ---- life ---- */

int collector_new(struct collector **result, const struct collector_settings *settings, struct reason *why)
{
	struct collector *collector = calloc(1, sizeof(*collector));
	struct model_config config = { 0 };
	struct probe_settings probe;
	int err;

	*result = NULL;
	if (!collector)
		return reason_set(why, -ENOMEM, "no memory");
	collector->settings = *settings;
	collector->wake = collector->ready = -1;
	pthread_mutex_init(&collector->lock, NULL);
	probe = settings->probe;
	probe.on_late = image_late;
	probe.context = collector;
	err = probe_open(&collector->probe, &probe, why);
	if (err)
		goto fail;
	config.start_mono = clock_ns(CLOCK_MONOTONIC);
	config.start_real = clock_ns(CLOCK_REALTIME);
	config.leak_age = settings->leak_age;
	collector->model = model_new(&config);
	collector->rows = rows_new(probe_bpf(collector->probe));
	collector->modules = modules_new(collector->probe);
	collector->sites = site_names_new(collector->modules, settings->held_globs);
	collector->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	collector->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	collector->ring = ring_buffer__new(bpf_map__fd(probe_bpf(collector->probe)->skeleton->maps.events),
					   record_read, collector, NULL);
	if (!collector->model || !collector->rows || !collector->modules || !collector->sites ||
	    collector->wake < 0 || collector->ready < 0 || !collector->ring) {
		err = reason_set(why, -ENOMEM, "cannot set up the ring buffer: %s", strerror(errno));
		goto fail;
	}
	*result = collector;
	return 0;
fail:
	collector_free(collector);
	return err;
}

struct probe *collector_probe(struct collector *collector)
{
	return collector->probe;
}

static int link_trace(struct collector *collector, struct bpf_program *program)
{
	/* tp_btf programs attach by a raw tracepoint without a name: linux/bpf.h, BPF_RAW_TRACEPOINT_OPEN */
	int fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd(program));

	if (fd < 0)
		return fd;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	return probe_adopt_link(collector->probe, fd);
}

int collector_watch(struct collector *collector, struct reason *why)
{
	struct cutop_bpf *s = probe_bpf(collector->probe)->skeleton;
	int err;

	err = link_trace(collector, s->progs.process_exec);
	if (!err)
		err = link_trace(collector, s->progs.process_exit);
	if (!err && collector->settings.probe.bpf.follow_children)
		err = link_trace(collector, s->progs.process_fork);
	if (err)
		return reason_set(why, err, "cannot watch processes start and end: %s", strerror(-err));
	err = tracefs_attach("syscalls", "sys_enter_mmap", bpf_program__fd(s->progs.file_mapped));
	if (err < 0)
		/* Programs that are started still bring their libraries into view; only dlopen() goes unseen. */
		note(collector->settings.probe.notes, "libraries loaded by running programs are not seen: %s",
		     strerror(-err));
	else if (probe_adopt_link(collector->probe, err))
		return reason_set(why, -ENOMEM, "no memory");
	return 0;
}

int collector_start(struct collector *collector, struct reason *why)
{
	int err = pthread_create(&collector->thread, NULL, collector_run, collector);

	if (err)
		return reason_set(why, -err, "cannot start a thread: %s", strerror(err));
	collector->running = true;
	return 0;
}

int collector_fd(const struct collector *collector)
{
	return collector->ready;
}

struct snapshot *collector_take(struct collector *collector)
{
	struct snapshot *snapshot;
	eventfd_t value;

	eventfd_read(collector->ready, &value);
	pthread_mutex_lock(&collector->lock);
	snapshot = collector->latest;
	collector->latest = NULL;
	pthread_mutex_unlock(&collector->lock);
	return snapshot;
}

void collector_set_delay(struct collector *collector, uint64_t delay)
{
	pthread_mutex_lock(&collector->lock);
	collector->new_delay = delay;
	pthread_mutex_unlock(&collector->lock);
	eventfd_write(collector->wake, 1);
}

void collector_clear_exited(struct collector *collector)
{
	pthread_mutex_lock(&collector->lock);
	collector->clear_exited = true;
	pthread_mutex_unlock(&collector->lock);
	eventfd_write(collector->wake, 1);
}

static void collector_stop(struct collector *collector)
{
	if (!collector->running)
		return;
	pthread_mutex_lock(&collector->lock);
	collector->stop = true;
	pthread_mutex_unlock(&collector->lock);
	eventfd_write(collector->wake, 1);
	pthread_join(collector->thread, NULL);
	collector->running = false;
}

struct snapshot *collector_finish(struct collector *collector)
{
	collector_stop(collector);
	/* Twice: an end whose record was lost is believed the second time. */
	collect(collector);
	return snapshot_make(collector);
}

void collector_free(struct collector *collector)
{
	struct early_late *early, *next_early;
	struct watched *watched, *next;

	if (!collector)
		return;
	collector_stop(collector);
	ring_buffer__free(collector->ring);
	site_names_free(collector->sites);
	modules_free(collector->modules);
	rows_free(collector->rows);
	probe_close(collector->probe);
	HASH_ITER(hh, collector->watched, watched, next) {
		HASH_DEL(collector->watched, watched);
		free(watched);
	}
	HASH_ITER(hh, collector->early_late, early, next_early) {
		HASH_DEL(collector->early_late, early);
		free(early);
	}
	model_free(collector->model);
	snapshot_free(collector->latest);
	if (collector->wake >= 0)
		close(collector->wake);
	if (collector->ready >= 0)
		close(collector->ready);
	pthread_mutex_destroy(&collector->lock);
	free(collector);
}
