/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What snapshots put into tracks. Tracks of processes that left the snapshot are dropped; those of
 * exited processes no longer change.
 */
#include "view/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tracks ---- */

/* The index at which @key is, or would be inserted. */
static size_t place(const struct tracks *tracks, uint32_t key)
{
	size_t low = 0, high = tracks->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (tracks->list[middle]->key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct track *tracks_find(const struct tracks *tracks, uint32_t key)
{
	size_t at = place(tracks, key);

	return at < tracks->count && tracks->list[at]->key == key ? tracks->list[at] : NULL;
}

static struct track *tracks_get(struct tracks *tracks, uint32_t key)
{
	size_t at = place(tracks, key);
	struct track *track = tracks_find(tracks, key);

	if (track)
		return track;
	if (tracks->count == tracks->size) {
		size_t size = tracks->size ? tracks->size * 2 : 64;
		struct track **list = realloc(tracks->list, size * sizeof(struct track *));

		if (!list)
			return NULL;
		tracks->list = list;
		tracks->size = size;
	}
	track = calloc(1, sizeof(*track));
	if (!track)
		return NULL;
	track->key = key;
	memmove(tracks->list + at + 1, tracks->list + at,
		(tracks->count - at) * sizeof(struct track *));
	tracks->list[at] = track;
	tracks->count++;
	return track;
}

static void tracks_unsee(struct tracks *tracks)
{
	for (size_t i = 0; i < tracks->count; i++)
		tracks->list[i]->seen = false;
}

/* Drops those that were not seen, and will not be, after @time. */
static void tracks_drop(struct tracks *tracks, double time)
{
	size_t kept = 0;

	for (size_t i = 0; i < tracks->count; i++) {
		struct track *track = tracks->list[i];

		if (track->seen || track_is_ahead(track, time)) {
			tracks->list[kept++] = track;
			continue;
		}
		track_clear(track);
		free(track);
	}
	tracks->count = kept;
}

static void tracks_free(struct tracks *tracks)
{
	tracks_unsee(tracks);
	tracks_drop(tracks, INFINITY);
	free(tracks->list);
}

const struct track *history_find(const struct history *history, uint32_t program)
{
	return tracks_find(&history->programs, program);
}

const struct track *history_device(const struct history *history, int device)
{
	return tracks_find(&history->devices, (uint32_t)device);
}

/* ---- what is fed ---- */

/* What happened since the last sample. Totals are lower than before where a replay went back. */
static unsigned int marks_of(struct track_totals *totals, const struct snap_process *process)
{
	struct track_totals now = {
		.failed_allocations = process->failed_allocations,
		.failures = process->failures,
		.leaked = process->leaked,
		.suspect = process->suspect + process->tensors_rising,
		.peak = process->peak,
		.exited = process->exited,
	};
	uint64_t no_memory = now.failed_allocations > totals->failed_allocations ?
				     now.failed_allocations - totals->failed_allocations :
				     0;
	uint64_t failures = now.failures > totals->failures ? now.failures - totals->failures : 0;
	unsigned int marks = 0;

	if (no_memory)
		marks |= MARK_NO_MEMORY;
	if (failures > no_memory)
		marks |= MARK_FAILURE;
	if (now.leaked > totals->leaked)
		marks |= MARK_LEAK;
	if (now.suspect && !totals->suspect)
		marks |= MARK_SUSPECT;
	if (now.exited && !totals->exited)
		marks |= MARK_EXIT;
	*totals = now;
	return marks;
}

/* Returns what happened to the process. */
static unsigned int process_feed(struct history *history, const struct snap_process *process,
				 const struct snapshot *snapshot, bool hide)
{
	struct track *track = tracks_get(&history->programs, process->program);
	struct raw_sample *sample;
	uint64_t peak = track && (track->count || process->exited) ? track->totals.peak :
								     UINT64_MAX;
	unsigned int marks;

	if (!track)
		return 0;
	track->seen = true;
	marks = marks_of(&track->totals, process);
	/* An exited process gets no more samples: its plot ends where it ended. */
	if (process->exited && track->count > 1 && !process->live && !marks &&
	    !(process->launches_per_second > 0) && !(track_value(track, SERIES_LIVE, 0) > 0))
		return 0;
	sample = track_add(track, snapshot->elapsed_seconds, snapshot->interval_seconds, hide);
	if (!sample)
		return marks;
	sample->marks = (uint8_t)marks;
	sample->values[SERIES_LIVE] = (float)process->live;
	/* A new peak lies in the sample's time, unless it is the first one of what ran before. */
	sample->most_live = (float)(process->peak > peak ? process->peak : process->live);
	sample->values[SERIES_TENSORS] = process->exited ? 0 : (float)process->tensors;
	sample->values[SERIES_LAUNCHES] = (float)process->launches_per_second;
	sample->values[SERIES_WAIT] = (float)process->sync_share;
	for (int i = 0; i < DIR_UNKNOWN; i++)
		sample->values[SERIES_COPIES + i] = (float)process->copy_rate[i];
	return marks;
}

/* What happened to processes that use @device. */
static unsigned int device_marks(const struct snapshot *snapshot, const uint8_t *marks, int device)
{
	unsigned int sum = 0;

	for (size_t i = 0; marks && i < snapshot->process_count; i++) {
		const struct snap_process *process = &snapshot->processes[i];

		for (size_t j = 0; marks[i] && j < process->device_count; j++)
			if (process->devices[j] == device)
				sum |= marks[i];
	}
	return sum;
}

static void device_feed(struct history *history, const struct snap_device *device,
			const struct snapshot *snapshot, const uint8_t *marks, bool hide)
{
	struct track *track = tracks_get(&history->devices, (uint32_t)device->device);
	struct raw_sample *sample;

	if (!track)
		return;
	track->seen = true;
	sample = track_add(track, snapshot->elapsed_seconds, snapshot->interval_seconds, hide);
	if (!sample)
		return;
	sample->marks = (uint8_t)device_marks(snapshot, marks, device->device);
	sample->most_live = sample->values[SERIES_DEVICE_USED] =
		(float)(device->has_used ? device->used : device->tracked);
	sample->values[SERIES_DEVICE_BUSY] = (float)device->utilization;
	sample->values[SERIES_DEVICE_TEMPERATURE] = (float)device->temperature;
	sample->values[SERIES_DEVICE_POWER] = (float)device->power;
}

void history_feed(struct history *history, const struct snapshot *snapshot, bool hide)
{
	struct raw_sample *sample = track_add(&history->all, snapshot->elapsed_seconds,
					      snapshot->interval_seconds, hide);
	uint8_t *marks = calloc(snapshot->process_count + 1, sizeof(*marks));
	unsigned int any = 0;

	tracks_unsee(&history->programs);
	tracks_unsee(&history->devices);
	for (size_t i = 0; i < snapshot->process_count; i++) {
		unsigned int here = process_feed(history, &snapshot->processes[i], snapshot, hide);

		any |= here;
		if (marks)
			marks[i] = (uint8_t)here;
	}
	for (size_t i = 0; i < snapshot->device_count; i++)
		device_feed(history, &snapshot->devices[i], snapshot, marks, hide);
	free(marks);
	if (sample) {
		sample->marks = (uint8_t)any;
		sample->values[SERIES_LIVE] = sample->most_live = (float)snapshot->live;
		sample->values[SERIES_LAUNCHES] = (float)snapshot->launches_per_second;
		sample->values[SERIES_WAIT] = (float)snapshot->sync_share;
		for (int i = 0; i < DIR_UNKNOWN; i++)
			sample->values[SERIES_COPIES + i] = (float)snapshot->copy_rate[i];
		for (size_t i = 0; i < snapshot->process_count; i++)
			sample->values[SERIES_TENSORS] +=
				snapshot->processes[i].exited ?
					0 :
					(float)snapshot->processes[i].tensors;
	}
	tracks_drop(&history->programs, snapshot->elapsed_seconds);
	tracks_drop(&history->devices, snapshot->elapsed_seconds);
}

static void tracks_show(struct tracks *tracks)
{
	for (size_t i = 0; i < tracks->count; i++)
		tracks->list[i]->hides = tracks->list[i]->ahead;
}

void history_show(struct history *history)
{
	history->all.hides = history->all.ahead;
	tracks_show(&history->programs);
	tracks_show(&history->devices);
}

static void tracks_rewind(struct tracks *tracks, double elapsed)
{
	for (size_t i = 0; i < tracks->count; i++)
		track_rewind(tracks->list[i], elapsed);
}

void history_rewind(struct history *history, double elapsed)
{
	track_rewind(&history->all, elapsed);
	tracks_rewind(&history->programs, elapsed);
	tracks_rewind(&history->devices, elapsed);
}

void history_free(struct history *history)
{
	track_clear(&history->all);
	tracks_free(&history->programs);
	tracks_free(&history->devices);
	memset(history, 0, sizeof(*history));
}
