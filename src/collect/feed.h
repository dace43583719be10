/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The feed: from the BPF side's ring buffer and maps to the record_sink, and so to the model. For
 * one thread.
 */
#ifndef COLLECT_FEED_H
#define COLLECT_FEED_H

#include "collect/record_sink.h"
#include "probe/probe.h"

struct feed;

/*
 * Makes a feed from @probe to @sink, both borrowed. @command_glob, @held_globs and @python_skip are
 * those of struct collector_settings, borrowed as well. Returns NULL without memory, or if the ring
 * cannot be mapped (errno says why).
 */
struct feed *feed_new(struct probe *probe, const struct record_sink *sink, const char *command_glob,
		      const char *const *held_globs, const char *const *python_skip, double budget,
		      uint64_t names_bytes);
void feed_free(struct feed *feed);

/* A descriptor that polls readable when the BPF side wants the ring to be read at once. */
int feed_fd(const struct feed *feed);

/* Reads the ring, between two refreshes, and examines new files as far as there is time. */
void feed_follow(struct feed *feed);

/*
 * True if files wait to be examined, or records to be read: call feed_follow() again without a
 * pause.
 */
bool feed_is_behind(const struct feed *feed);

/* Reads the ring and every counter, and drops what belongs to ended programs. */
void feed_refresh(struct feed *feed);

/*
 * Waits, for a short time, for names and source lines that are being looked up: before the last
 * snapshot. @hurry: cutop was asked to end.
 */
void feed_settle(struct feed *feed, bool hurry);

/*
 * A function named with --probe was found: its id (CUTOP_EXTRA and up), its symbol, how its result
 * shows a failure.
 */
void feed_extra(struct feed *feed, unsigned int call, const char *symbol, enum extra_result result);

/* The user describes a pool @name of @kind: enum allocator_kind, after those. */
void feed_pool(struct feed *feed, unsigned int kind, const char *name);

/* Something to report about the process @tgid; 0: about none. */
void feed_notice(struct feed *feed, enum notice notice, uint32_t tgid, const char *text);

/*
 * The process @tgid, which --pid names: if it maps a probed CUDA library, it is shown from now on,
 * even before its first call. Returns 0, or -ENOENT if it maps none.
 */
int feed_idle(struct feed *feed, uint32_t tgid, uint32_t uid);

/* The machine's devices are @gpus, whose list is taken. */
struct visible_gpus;
void feed_gpus(struct feed *feed, struct visible_gpus *gpus);

/* @program ran before its library was probed, and this was @missed. */
void feed_late(struct feed *feed, uint32_t program, enum late missed);

#endif
