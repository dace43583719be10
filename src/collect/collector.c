/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collector thread. It drains the ring ten times a second, or when the BPF side asks for it;
 * refreshes and makes a snapshot once per delay; and does what other threads asked for in between.
 * New files are examined in slices (arrivals.h), so that snapshots stay on time while many files
 * come.
 */
#include "collect/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "collect/feed.h"
#include "collect/nvml.h"
#include "collect/record_sink.h"
#include "config.h"
#include "cuda/pools.h"
#include "cuda/visible_devices.h"
#include "model/model.h"
#include "record/recorder.h"

struct collector {
	struct collector_settings settings;
	struct probe *probe;
	struct model *model;
	struct record_sink sink; /* leads to the model */
	struct feed *feed;
	struct nvml *nvml;     /* NULL: the driver is not asked */
	struct replay *replay; /* used in place of all of these, or NULL */
	struct playback *playback;
	struct recorder *recorder; /* NULL: nothing is recorded */
	struct model_config config;
	uint64_t clock_checked; /* CLOCK_MONOTONIC, when the wall clock was last compared */
	bool is_starved;        /* there was no memory for a snapshot */
	int64_t clock_offset;   /* how far the wall clock was ahead of CLOCK_MONOTONIC then, ns */

	pthread_t thread;
	bool running;
	int wake;             /* eventfd: stop */
	int ready;            /* eventfd: a snapshot waits */
	pthread_mutex_t lock; /* guards the following */
	struct snapshot *latest;
	bool stop, clear_exited;
	uint64_t new_delay; /* ns; 0: no change */
	uint32_t focus;
	bool new_focus;
	unsigned int acts[PLAY_ACT_COUNT]; /* how often each act was requested */
	struct play_status status;
	int record_error;
};

#define FIRST_READING_MS 500 /* how long a short run waits for the driver's first answer */
#define DRAIN_INTERVAL   (100 * NSEC_PER_MSEC) /* the ring is drained at least this often */

/* The parts of a snapshot that the model does not know. */
static struct rec_moment moment_make(const struct collector *collector)
{
	struct rec_moment moment = {
		.hdr = { .type = REC_MOMENT,
			 .size = sizeof(moment),
			 .time = clock_ns(CLOCK_MONOTONIC) },
	};
	struct probe_counts counts = { 0 };
	unsigned long pages = 0, resident = 0;
	struct rusage usage;
	char *text;

	if (collector->probe)
		counts = probe_counts(collector->probe);
	moment.targets = counts.targets;
	moment.attached = counts.attached;
	moment.missing = counts.missing;
	moment.at_entry = counts.points[POINT_ENTRY] + counts.points[POINT_STEPPED];
	moment.past_entry = counts.points[POINT_PAST];
	moment.single_stepped = counts.points[POINT_STEPPED];
	moment.has_points = collector->probe != NULL;
	if (!getrusage(RUSAGE_SELF, &usage))
		moment.self_cpu_ns =
			(uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NSEC_PER_SEC +
			(uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
	text = file_read("/proc/self/statm", 256, NULL);
	if (text && sscanf(text, "%lu %lu", &pages, &resident) == 2)
		moment.self_resident = (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
	free(text);
	return moment;
}

static void host_name(char host[256])
{
	if (gethostname(host, 255))
		host[0] = 0;
	host[255] = 0;
}

/* More than a clock is ever slewed between two looks */
#define CLOCK_STEP (int64_t)(NSEC_PER_SEC / 2)
/* a look that takes longer was interrupted, and is not used */
#define CLOCK_LOOK (10 * NSEC_PER_MSEC)

/*
 * CLOCK_MONOTONIC, the time of all records, advances evenly but stands still while the machine
 * sleeps. Users want wall clock times: so we look for changes of the difference.
 */
static void clock_check(struct collector *collector)
{
	uint64_t before = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME),
		 after = clock_ns(CLOCK_MONOTONIC);
	struct rec_clock record = { .hdr = { .type = REC_CLOCK,
					     .size = sizeof(record),
					     .time = collector->clock_checked } };
	int64_t offset = (int64_t)(real - before), step = offset - collector->clock_offset;

	if (after - before > CLOCK_LOOK)
		return;
	if (step > CLOCK_STEP || step < -CLOCK_STEP) {
		/*
		 * Assume that it changed right after the last look: later records most likely came
		 * after the change.
		 */
		record.real = record.hdr.time + (uint64_t)offset;
		record_sink_put(&collector->sink, &record.hdr, sizeof(record));
		collector->clock_offset = offset;
	}
	collector->clock_checked = before;
}

/* @is_final: of the whole run. */
static struct snapshot *snapshot_make(struct collector *collector, bool is_final)
{
	struct snapshot *snapshot;
	struct visible_gpus gpus;
	struct rec_moment moment;

	clock_check(collector);
	nvml_gpus(collector->nvml, &gpus);
	if (gpus.count)
		feed_gpus(collector->feed, &gpus);
	feed_refresh(collector->feed);
	nvml_tell(collector->nvml, &collector->sink);
	moment = moment_make(collector);
	record_sink_put(&collector->sink, &moment.hdr, sizeof(moment));
	snapshot = (is_final ? model_whole : model_snapshot)(collector->model, moment.hdr.time,
							     collector->settings.map_max);
	if (!snapshot)
		return NULL;
	moment_fill(snapshot, &moment);
	host_name(snapshot->host);
	return snapshot;
}

/* ---- the thread ---- */

/* Hands out @snapshot in place of the previous one. */
static void collector_publish(struct collector *collector, struct snapshot *snapshot)
{
	struct snapshot *old;

	pthread_mutex_lock(&collector->lock);
	old = collector->latest;
	collector->latest = snapshot;
	pthread_mutex_unlock(&collector->lock);
	snapshot_free(old);
	eventfd_write(collector->ready, 1);
}

static void snapshot_tell(struct collector *collector, struct snapshot *snapshot, uint64_t due)
{
	if (collector->settings.on_snapshot)
		collector->settings.on_snapshot(collector->settings.context, snapshot, due);
}

/* Does what other threads asked for. Returns true if the thread is to stop. */
static bool collector_requests(struct collector *collector, uint64_t *next)
{
	bool stop, clear;
	uint64_t delay;
	eventfd_t value;

	eventfd_read(collector->wake, &value);
	pthread_mutex_lock(&collector->lock);
	stop = collector->stop;
	clear = collector->clear_exited;
	delay = collector->new_delay;
	if (collector->new_focus && collector->replay)
		replay_focus(collector->replay, collector->focus);
	else if (collector->new_focus)
		model_focus(collector->model, collector->focus);
	collector->new_focus = false;
	collector->clear_exited = false;
	collector->new_delay = 0;
	pthread_mutex_unlock(&collector->lock);
	if (clear && collector->replay)
		replay_clear_exited(collector->replay);
	else if (clear)
		model_clear_exited(collector->model);
	if (delay) {
		collector->settings.delay = delay;
		*next = clock_ns(CLOCK_MONOTONIC) + delay;
		snapshot_tell(collector, NULL, *next);
	}
	return stop;
}

static void record_tick(struct collector *collector)
{
	int err;

	if (!collector->recorder)
		return;
	recorder_tick(collector->recorder, clock_ns(CLOCK_MONOTONIC));
	err = recorder_error(collector->recorder);
	if (!err || collector->record_error)
		return;
	pthread_mutex_lock(&collector->lock);
	collector->record_error = err;
	pthread_mutex_unlock(&collector->lock);
	eventfd_write(collector->ready, 1);
}

static void starve(struct collector *collector)
{
	bool before;

	pthread_mutex_lock(&collector->lock);
	before = collector->is_starved;
	collector->is_starved = true;
	pthread_mutex_unlock(&collector->lock);
	if (!before)
		eventfd_write(collector->ready, 1);
}

/* A consumer with a fixed interval never waits for the previous snapshot to be taken. */
static bool is_to_wait(struct collector *collector)
{
	bool is_untaken;

	if (!collector->settings.each || collector->settings.on_snapshot)
		return false;
	pthread_mutex_lock(&collector->lock);
	is_untaken = collector->latest;
	pthread_mutex_unlock(&collector->lock);
	return is_untaken;
}

static void *collector_run(void *argument)
{
	struct collector *collector = argument;
	uint64_t next = clock_ns(CLOCK_MONOTONIC) + collector->settings.delay;
	struct pollfd fds[2] = {
		{ .fd = collector->feed ? feed_fd(collector->feed) : -1, .events = POLLIN },
		{ .fd = collector->wake, .events = POLLIN },
	};

	if (collector->settings.on_snapshot || collector->settings.rates_at_once) {
		struct snapshot *first = snapshot_make(collector, false);

		next = clock_ns(CLOCK_MONOTONIC) + collector->settings.delay;
		if (first)
			snapshot_tell(collector, first, next);
		snapshot_free(first);
	}
	for (;;) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC), wait;
		struct snapshot *snapshot;

		if (now >= next && !is_to_wait(collector)) {
			snapshot = snapshot_make(collector, false);
			now = clock_ns(CLOCK_MONOTONIC);
			next += collector->settings.delay;
			/*
			 * After a suspend, or when snapshots take longer than their interval:
			 * records and requests come first.
			 */
			if (next <= now)
				next = now + collector->settings.delay;
			if (snapshot) {
				snapshot_tell(collector, snapshot, next);
				collector_publish(collector, snapshot);
			} else {
				starve(collector);
			}
		}
		wait = now < next && next - now < DRAIN_INTERVAL ? next - now : DRAIN_INTERVAL;
		if (collector->feed && feed_is_behind(collector->feed))
			wait = 0;
		poll(fds, 2, (int)((wait + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));
		if (collector_requests(collector, &next))
			break;
		clock_check(collector);
		/* Another thread may be waiting for the snapshot: probes come after it. */
		if (collector->probe)
			probe_tend(collector->probe);
		if (collector->feed)
			feed_follow(collector->feed);
		record_tick(collector);
	}
	return NULL;
}

/* ---- replay ---- */

/*
 * A collector for a recording: its thread makes snapshots as time passes, and does what keys
 * request.
 */

#define PLAY_WAIT_MOST (3600 * NSEC_PER_SEC) /* the longest time for poll(2) */

/* @snapshot NULL: only when the next one is due; never in a pause and at the end. */
static void play_tell(struct collector *collector, struct snapshot *snapshot)
{
	const struct collector_settings *settings = &collector->settings;
	uint64_t now = clock_ns(CLOCK_MONOTONIC), wait = playback_wait(collector->playback, now);

	if (settings->on_snapshot)
		settings->on_snapshot(settings->context, snapshot,
				      wait < UINT64_MAX / 2 ? now + wait : UINT64_MAX / 2);
}

/* Takes @snapshot. */
static void play_publish(struct collector *collector, struct snapshot *snapshot)
{
	play_tell(collector, snapshot);
	collector_publish(collector, snapshot);
}

static void play_acts_do(struct collector *collector)
{
	unsigned int acts[PLAY_ACT_COUNT], act;
	struct snapshot *snapshot;
	int steps;

	pthread_mutex_lock(&collector->lock);
	memcpy(acts, collector->acts, sizeof(acts));
	memset(collector->acts, 0, sizeof(collector->acts));
	pthread_mutex_unlock(&collector->lock);
	/* Add up all steps: each way back begins at the start of the recording. */
	steps = (int)acts[PLAY_ON] - (int)acts[PLAY_BACK];
	acts[PLAY_ON] = acts[PLAY_BACK] = 0;
	snapshot = playback_seek(collector->playback, steps, clock_ns(CLOCK_MONOTONIC));
	if (snapshot)
		play_publish(collector, snapshot);
	for (act = 0; act < PLAY_ACT_COUNT; act++)
		for (; acts[act]; acts[act]--) {
			snapshot = playback_act(collector->playback, (enum play_act)act,
						clock_ns(CLOCK_MONOTONIC));
			if (snapshot)
				play_publish(collector, snapshot);
		}
}

static void play_status_tell(struct collector *collector)
{
	struct play_status status = playback_status(collector->playback);

	pthread_mutex_lock(&collector->lock);
	collector->status = status;
	pthread_mutex_unlock(&collector->lock);
	eventfd_write(collector->ready, 1);
}

static void *collector_play_run(void *argument)
{
	struct collector *collector = argument;
	struct pollfd fd = { .fd = collector->wake, .events = POLLIN };
	uint64_t next = 0;

	for (;;) {
		struct snapshot *snapshot =
			playback_due(collector->playback, clock_ns(CLOCK_MONOTONIC));
		uint64_t wait;

		if (snapshot)
			play_publish(collector, snapshot);
		play_status_tell(collector);
		wait = playback_wait(collector->playback, clock_ns(CLOCK_MONOTONIC));
		if (wait > PLAY_WAIT_MOST)
			wait = PLAY_WAIT_MOST;
		poll(&fd, 1, (int)((wait + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));
		if (collector_requests(collector, &next))
			break;
		playback_space(collector->playback, collector->settings.delay);
		play_acts_do(collector);
		play_tell(collector, NULL);
	}
	return NULL;
}

/* ---- life ---- */

static void program_late(void *context, uint32_t program, enum late missed)
{
	struct collector *collector = context;

	feed_late(collector->feed, program, missed);
}

static void extra_found(void *context, unsigned int call, const char *symbol,
			enum extra_result result)
{
	struct collector *collector = context;

	feed_extra(collector->feed, call, symbol, result);
}

static void notice_given(void *context, enum notice notice, uint32_t tgid, const char *text)
{
	struct collector *collector = context;

	if (collector->feed)
		feed_notice(collector->feed, notice, tgid, text);
}

/* What all kinds of collectors need. Returns 0 or -ENOMEM with @why set. */
static int collector_prepare(struct collector **result, const struct collector_settings *settings,
			     struct reason *why)
{
	struct collector *collector = calloc(1, sizeof(*collector));

	*result = NULL;
	if (!collector)
		return reason_set(why, -ENOMEM, "no memory");
	collector->settings = *settings;
	pthread_mutex_init(&collector->lock, NULL);
	collector->config.start_mono = clock_ns(CLOCK_MONOTONIC);
	collector->config.start_real = clock_ns(CLOCK_REALTIME);
	collector->clock_checked = collector->config.start_mono;
	collector->clock_offset =
		(int64_t)(collector->config.start_real - collector->config.start_mono);
	collector->config.leak_age = settings->leak_age;
	collector->config.totals = settings->totals;
	collector->model = model_new(&collector->config);
	collector->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	collector->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	collector->sink.model = collector->model;
	collector->sink.tee = settings->tee;
	collector->sink.context = settings->tee_context;
	if (!collector->model || collector->wake < 0 || collector->ready < 0) {
		collector_free(collector);
		return reason_set(why, -ENOMEM, "no memory");
	}
	*result = collector;
	return 0;
}

static int record_begin(struct collector *collector, struct reason *why)
{
	const struct collector_settings *settings = &collector->settings;
	struct facts facts = {
		.start_mono = collector->config.start_mono,
		.start_real = collector->config.start_real,
		.leak_age = collector->config.leak_age,
		.has_command = settings->record_command,
		.has_calls = settings->record_calls,
		.version = PACKAGE_VERSION,
	};
	int err;

	if (!settings->record)
		return 0;
	host_name(facts.host);
	snprintf(facts.options, sizeof(facts.options), "%s",
		 settings->record_options ? settings->record_options : "");
	err = recorder_open(&collector->recorder, settings->record, &facts, why);
	if (err)
		return err;
	collector->sink.tee = recorder_tee;
	collector->sink.context = collector->recorder;
	return 0;
}

int collector_new(struct collector **result, const struct collector_settings *settings,
		  struct reason *why)
{
	struct probe_settings probe = settings->probe;
	double budget = 0;
	struct collector *collector;
	int err;

	err = collector_prepare(result, settings, why);
	if (err)
		return err;
	collector = *result;
	probe.on_late = program_late;
	probe.on_extra = extra_found;
	probe.on_notice = notice_given;
	probe.context = collector;
	err = probe_open(&collector->probe, &probe, why);
	if (err)
		goto fail;
	/* Links of the perf kind take seconds to remove. */
	if (probe_method(collector->probe) != ATTACH_PERF)
		budget = settings->budget;
	collector->feed = feed_new(collector->probe, &collector->sink, settings->command_glob,
				   settings->held_globs, settings->python_skip, budget,
				   settings->names_bytes);
	if (!collector->feed) {
		err = reason_set(why, -ENOMEM, "cannot set up the ring buffer: %s",
				 strerror(errno));
		goto fail;
	}
	err = record_begin(collector, why);
	if (err)
		goto fail;
	for (size_t i = 0; probe.bpf.pools && i < probe.bpf.pools->count; i++)
		feed_pool(collector->feed, ALLOCATOR_KINDS + (unsigned int)i,
			  probe.bpf.pools->names[i]);
	return 0;
fail:
	collector_free(collector);
	*result = NULL;
	return err;
}

int collector_new_replay(struct collector **result, const struct collector_settings *settings,
			 struct replay *replay, struct reason *why)
{
	int err = collector_prepare(result, settings, why);

	if (err) {
		replay_close(replay);
		return err;
	}
	(*result)->replay = replay;
	(*result)->playback = playback_new(replay, clock_ns(CLOCK_MONOTONIC));
	if ((*result)->playback)
		return 0;
	collector_free(*result);
	*result = NULL;
	return reason_set(why, -ENOMEM, "no memory");
}

/* What is asked for was changed under the lock. */
static void request_end(struct collector *collector)
{
	pthread_mutex_unlock(&collector->lock);
	eventfd_write(collector->wake, 1);
}

void collector_play(struct collector *collector, enum play_act act)
{
	pthread_mutex_lock(&collector->lock);
	collector->acts[act]++;
	request_end(collector);
}

struct play_status collector_play_status(struct collector *collector)
{
	struct play_status status;

	pthread_mutex_lock(&collector->lock);
	status = collector->status;
	pthread_mutex_unlock(&collector->lock);
	return status;
}

struct probe *collector_probe(struct collector *collector)
{
	return collector->probe;
}

int collector_watch(struct collector *collector, struct reason *why)
{
	return probe_watch(collector->probe, why);
}

void collector_watch_idle(struct collector *collector)
{
	const struct probe_settings *probe = &collector->settings.probe;
	size_t i;

	for (i = 0; i < probe->pid_count; i++)
		if (feed_idle(collector->feed, probe->pids[i], probe->bpf.only_uid) == -ENOENT)
			warn_user(
				probe->notes,
				"process %u maps no CUDA library that is probed: nothing is shown of it until it "
				"does ('cutop doctor -p %u' says more)",
				probe->pids[i], probe->pids[i]);
}

int collector_start(struct collector *collector, struct reason *why)
{
	int err;

	/* Start this first: the thread may ask it at once. */
	if (!collector->replay)
		collector->nvml = nvml_open(collector->settings.probe.notes);
	err = pthread_create(&collector->thread, NULL,
			     collector->replay ? collector_play_run : collector_run, collector);
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
	if (snapshot && collector->settings.each)
		eventfd_write(collector->wake, 1);
	return snapshot;
}

void collector_set_delay(struct collector *collector, uint64_t delay)
{
	pthread_mutex_lock(&collector->lock);
	collector->new_delay = delay;
	request_end(collector);
}

void collector_clear_exited(struct collector *collector)
{
	pthread_mutex_lock(&collector->lock);
	collector->clear_exited = true;
	request_end(collector);
}

void collector_focus(struct collector *collector, uint32_t program)
{
	pthread_mutex_lock(&collector->lock);
	collector->focus = program;
	collector->new_focus = true;
	request_end(collector);
}

bool collector_is_starved(struct collector *collector)
{
	bool is_starved;

	pthread_mutex_lock(&collector->lock);
	is_starved = collector->is_starved;
	pthread_mutex_unlock(&collector->lock);
	return is_starved;
}

int collector_record_error(struct collector *collector)
{
	int err;

	pthread_mutex_lock(&collector->lock);
	err = collector->record_error;
	pthread_mutex_unlock(&collector->lock);
	return err;
}

int collector_record_end(struct collector *collector, uint64_t *bytes)
{
	int err;

	*bytes = 0;
	if (!collector->recorder)
		return 0;
	err = recorder_close(collector->recorder, bytes);
	collector->recorder = NULL;
	collector->sink.tee = NULL;
	return err;
}

void collector_stop(struct collector *collector)
{
	if (!collector->running)
		return;
	pthread_mutex_lock(&collector->lock);
	collector->stop = true;
	request_end(collector);
	pthread_join(collector->thread, NULL);
	collector->running = false;
}

struct snapshot *collector_finish(struct collector *collector, bool hurry)
{
	collector_stop(collector);
	/* Refresh twice: an end whose record was lost is believed the second time. */
	feed_refresh(collector->feed);
	if (collector->feed)
		feed_settle(collector->feed, hurry);
	nvml_wait(collector->nvml, FIRST_READING_MS);
	return snapshot_make(collector, true);
}

void collector_free(struct collector *collector)
{
	if (!collector)
		return;
	collector_stop(collector);
	nvml_close(collector->nvml);
	collector_record_end(collector, &(uint64_t){ 0 });
	playback_free(collector->playback);
	replay_close(collector->replay);
	feed_free(collector->feed);
	probe_close(collector->probe);
	model_free(collector->model);
	snapshot_free(collector->latest);
	if (collector->wake >= 0)
		close(collector->wake);
	if (collector->ready >= 0)
		close(collector->ready);
	pthread_mutex_destroy(&collector->lock);
	free(collector);
}
