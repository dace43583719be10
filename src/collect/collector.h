/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The collector: a thread that owns the probes and the model. It drains the
 * ring buffer, reads the counter maps once per refresh, feeds the model, and
 * hands out snapshots. Others only ever see snapshots.
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
	struct probe_settings probe;	/* its callbacks and budget are the collector's own */
	uint64_t delay;			/* ns between snapshots */
	uint64_t names_bytes;		/* that may be kept of files: the budget of names; 0: no limit */
	uint64_t leak_age;		/* ns */
	unsigned int map_max;		/* allocations listed per process */
	const char *command_glob;	/* -c, or NULL */
	bool totals;			/* snapshots have sums by command and call */
	bool rates_at_once;		/* one more snapshot is made at the start, for no one: the first that is taken has rates */
	bool each;			/* none is made before the last was taken: an interval is one between two that were, however late */
	/*
	 * Called by the collector's thread with each snapshot, which it may hold,
	 * and with when the next is due; with NULL when that is put off. The first
	 * one comes at once.
	 */
	void (*on_snapshot)(void *context, struct snapshot *snapshot, uint64_t due);
	/* Called by that thread ten times a second, about; or NULL. */
	void (*on_tick)(void *context);
	void *context;			/* of both */
	const char *const *held_globs;	/* further libraries whose memory is held, NULL-ended, or NULL */
	const char *const *python_skip;	/* files of Python that are not shown as call sites, if others can be: likewise */
	/* Sees each record after the model has, in the collector's thread; or NULL. */
	void (*tee)(void *context, const struct rec_hdr *record, size_t size);
	void *tee_context;
	/* A recording to be written instead, or NULL; the rest tells its reader how it came about. */
	const char *record;
	const char *record_options;
	bool record_command, record_calls;
};

/* Loads the BPF programs. Nothing is attached yet. Returns 0 or a negative errno with @why set. */
int collector_new(struct collector **collector, const struct collector_settings *settings, struct reason *why);

/* The same with a made-up feed (synthetic.h) in place of probes: collector_start() is all that it then needs. */
int collector_new_synthetic(struct collector **collector, const struct collector_settings *settings,
			    struct reason *why);

/*
 * The same with @replay, which it takes over, in place of probes: snapshots are
 * those of the recording, as time passes. collector_finish() is not for it.
 */
int collector_new_replay(struct collector **collector, const struct collector_settings *settings,
			 struct replay *replay, struct reason *why);

/* For setting up targets before collector_start(), and not after. */
struct probe *collector_probe(struct collector *collector);

/* Begins to watch exec, exit and executable mappings, then starts the thread. Returns 0 or a negative errno with @why. */
int collector_watch(struct collector *collector, struct reason *why);

/* Once the targets are set up: shows processes that --pid names before their first call, and warns of those without CUDA. */
void collector_watch_idle(struct collector *collector);
int collector_start(struct collector *collector, struct reason *why);

/* A descriptor that polls readable while a snapshot waits to be taken. */
int collector_fd(const struct collector *collector);

/* Takes the latest snapshot, or returns NULL if there is none since the last. The caller frees it. */
struct snapshot *collector_take(struct collector *collector);

/* Changes the time between snapshots (ns); forgets exited processes. Both take effect at the next turn of the thread. */
void collector_set_delay(struct collector *collector, uint64_t delay);
void collector_clear_exited(struct collector *collector);

/* From the next snapshot on @program (0: none) has its spans: model_focus(). */
void collector_focus(struct collector *collector, uint32_t program);

/* Of a replay: to be done at the next turn of the thread; and where it is. A change of it makes collector_fd() readable. */
void collector_play(struct collector *collector, enum play_act act);
struct play_status collector_play_status(struct collector *collector);

/* True once there was no memory for a snapshot. It makes collector_fd() readable. */
bool collector_is_starved(struct collector *collector);

/* The first error there was in writing the recording, a negative errno, or 0. It makes collector_fd() readable. */
int collector_record_error(struct collector *collector);

/* After collector_finish(): ends the recording. Returns as collector_record_error(). *@bytes: how long it is. */
int collector_record_end(struct collector *collector, uint64_t *bytes);

/* Stops the thread, if it runs: what it had to itself may be looked at from then on. */
void collector_stop(struct collector *collector);

/*
 * Stops the thread, reads everything once more and returns the final snapshot,
 * or NULL without memory. The caller frees it. @hurry: a signal has told cutop to end; names
 * that take long are not waited for so long then.
 */
struct snapshot *collector_finish(struct collector *collector, bool hurry);

/* Detaches and frees everything. Stops the thread if it still runs. */
void collector_free(struct collector *collector);

#endif
