/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collector: a thread that owns the probes and the model. It drains the ring buffer, reads the
 * counter maps once per refresh, feeds the model, and hands out snapshots. Other threads only ever
 * see snapshots.
 */
#ifndef COLLECT_COLLECTOR_H
#define COLLECT_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collect/playback.h"
#include "model/snapshot.h"
#include "probe/probe.h"
#include "util/util.h"

struct collector;

struct collector_settings {
	struct probe_settings probe; /* callbacks in it are set by the collector */
	uint64_t delay;              /* ns between snapshots */
	/* Memory for what is kept of files */
	uint64_t names_bytes;
	double budget;     /* what a program may pay, a share of its processor time; 0: no limit */
	uint64_t leak_age; /* ns */
	unsigned int map_max;     /* how many allocations are listed per process */
	const char *command_glob; /* -c, or NULL */
	bool totals;              /* snapshots have sums by call */
	/*
	 * make an extra snapshot at the start that is not handed out, so that the first one handed
	 * out has rates
	 */
	bool rates_at_once;
	/*
	 * make no snapshot before the last was taken: rates are over the time between two that were
	 * taken, however late
	 */
	bool each;
	/*
	 * Called by the collector's thread with each snapshot, which it may hold, and with the time
	 * when the next is due; with NULL if that is postponed. The first call comes at once.
	 */
	void (*on_snapshot)(void *context, struct snapshot *snapshot, uint64_t due);
	void *context;
	/* Further libraries whose memory counts as held, NULL-ended, or NULL */
	const char *const *held_globs;
	/* Python files that are shown as call sites only if there are no others; likewise */
	const char *const *python_skip;
	/* Called with each record after the model, in the collector's thread; or NULL. */
	void (*tee)(void *context, const struct rec_hdr *record, size_t size);
	void *tee_context;
	/*
	 * Path of a recording to write instead, or NULL; the next fields tell its readers how it
	 * was made.
	 */
	const char *record;
	const char *record_options;
	bool record_command, record_calls;
};

/* Loads the BPF programs. Nothing is attached yet. Returns 0 or a negative errno with @why set. */
int collector_new(struct collector **collector, const struct collector_settings *settings,
		  struct reason *why);

/*
 * The same with @replay, which it takes over, in place of probes: snapshots come from the
 * recording, in its time. Do not call collector_finish() for it: the last one that it made is the
 * end.
 */
int collector_new_replay(struct collector **collector, const struct collector_settings *settings,
			 struct replay *replay, struct reason *why);

/* For setting up targets, before collector_start() only. */
struct probe *collector_probe(struct collector *collector);

/*
 * Starts to watch exec, exit and executable mappings, then starts the thread. Returns 0 or a
 * negative errno with @why.
 */
int collector_watch(struct collector *collector, struct reason *why);

/*
 * Once targets are set up: shows processes named with --pid before their first call, and warns
 * about those without CUDA.
 */
void collector_watch_idle(struct collector *collector);
int collector_start(struct collector *collector, struct reason *why);

/* A descriptor that polls readable while a snapshot waits to be taken. */
int collector_fd(const struct collector *collector);

/* Takes the latest snapshot; NULL if it was taken already. The caller frees it. */
struct snapshot *collector_take(struct collector *collector);

/*
 * Change the time between snapshots (ns); forget exited processes. Both take effect in the thread's
 * next turn.
 */
void collector_set_delay(struct collector *collector, uint64_t delay);
void collector_clear_exited(struct collector *collector);

/* From the next snapshot on @program (0: none) has its spans: model_focus(). */
void collector_focus(struct collector *collector, uint32_t program);

/*
 * For a replay: what to do in the thread's next turn; and the present position. A change of
 * position makes collector_fd() readable.
 */
void collector_play(struct collector *collector, enum play_act act);
struct play_status collector_play_status(struct collector *collector);

/* True once there was no memory for a snapshot. Makes collector_fd() readable. */
bool collector_is_starved(struct collector *collector);

/*
 * The first error in writing the recording, a negative errno, or 0. Makes collector_fd() readable.
 */
int collector_record_error(struct collector *collector);

/*
 * After collector_finish(): ends the recording. Returns as collector_record_error(). *@bytes: its
 * length.
 */
int collector_record_end(struct collector *collector, uint64_t *bytes);

/* Stops the thread, if it runs: then its data may be accessed. */
void collector_stop(struct collector *collector);

/*
 * Stops the thread, reads everything once more and returns the final snapshot, of the whole run,
 * which the caller frees, or NULL without memory. @hurry: a signal has asked cutop to end, so it waits less for
 * names that take long.
 */
struct snapshot *collector_finish(struct collector *collector, bool hurry);

/* Detaches and frees everything. Stops the thread if it still runs. */
void collector_free(struct collector *collector);

#endif
