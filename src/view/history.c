/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * History. A track is a ring that starts small and doubles up to HISTORY_MAX samples: many short
 * processes take little memory. Tracks of processes that left the snapshot are dropped; those of
 * exited processes no longer change.
 */
#include "view/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 32

static bool track_grow(struct track *track)
{
	size_t size = track->size ? track->size * 2 : FIRST_SIZE;
	float *samples;

	if (track->count < track->size || track->size == HISTORY_MAX)
		return true;
	/* The ring is full and has not wrapped yet: samples keep their places. */
	samples = realloc(track->samples, size * SERIES_COUNT * sizeof(*samples));
	if (!samples)
		return false;
	track->samples = samples;
	track->next = track->size;
	track->size = size;
	return true;
}

static float *track_add(struct track *track, bool hide)
{
	float *sample;

	if (!track_grow(track))
		return NULL;
	sample = track->samples + track->next * SERIES_COUNT;
	track->next = (track->next + 1) % track->size;
	if (track->count < track->size)
		track->count++;
	track->hidden = hide ? track->hidden + 1 : 0;
	return sample;
}

size_t track_count(const struct track *track)
{
	return !track || track->hidden > track->count ? 0 : track->count - track->hidden;
}

double track_value(const struct track *track, enum series series, size_t back)
{
	size_t at;

	if (back >= track_count(track))
		return NAN;
	back += track->hidden;
	at = (track->next + track->size - 1 - back) % track->size;
	return (double)track->samples[at * SERIES_COUNT + series];
}

/* The index at which @program is, or would be inserted. */
static size_t place(const struct history *history, uint32_t program)
{
	size_t low = 0, high = history->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (history->tracks[middle]->program < program)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct track *history_find(const struct history *history, uint32_t program)
{
	size_t at = place(history, program);

	return at < history->count && history->tracks[at]->program == program ?
		       history->tracks[at] :
		       NULL;
}

static struct track *track_get(struct history *history, uint32_t program)
{
	size_t at = place(history, program);
	struct track *track;

	if (at < history->count && history->tracks[at]->program == program)
		return history->tracks[at];
	if (history->count == history->size) {
		size_t size = history->size ? history->size * 2 : 64;
		struct track **tracks = realloc(history->tracks, size * sizeof(struct track *));

		if (!tracks)
			return NULL;
		history->tracks = tracks;
		history->size = size;
	}
	track = calloc(1, sizeof(*track));
	if (!track)
		return NULL;
	track->program = program;
	memmove(history->tracks + at + 1, history->tracks + at,
		(history->count - at) * sizeof(struct track *));
	history->tracks[at] = track;
	history->count++;
	return track;
}

static void process_feed(struct history *history, const struct snap_process *process,
			 double elapsed, bool hide)
{
	struct track *track = track_get(history, process->program);
	float *sample;
	int i;

	if (!track)
		return;
	track->seen = true;
	/* An exited process gets no more samples: its plot ends where it ended. */
	if (process->exited && track->count > 1 && !process->live &&
	    !(process->launches_per_second > 0) && track_value(track, SERIES_LIVE, 0) == 0)
		return;
	sample = track_add(track, hide);
	if (!sample)
		return;
	sample[SERIES_LIVE] = (float)process->live;
	sample[SERIES_LAUNCHES] = (float)process->launches_per_second;
	sample[SERIES_FAILURES] = (float)process->failures_per_second;
	sample[SERIES_WAIT] = (float)process->sync_share;
	for (i = 0; i < DIR_COUNT; i++)
		sample[SERIES_COPIES + i] = (float)process->copy_rate[i];
	sample[SERIES_TENSORS] = process->exited ? 0 : (float)process->tensors;
	sample[SERIES_TIME] = (float)elapsed;
	/* There are fewer than before where a replay went back. */
	sample[SERIES_FAILED_ALLOCATIONS] =
		process->failed_allocations < track->failed_allocations ?
			0 :
			(float)(process->failed_allocations - track->failed_allocations);
	track->failed_allocations = process->failed_allocations;
}

void history_show(struct history *history)
{
	history->all.hidden = 0;
	for (size_t i = 0; i < history->count; i++)
		history->tracks[i]->hidden = 0;
}

void history_feed(struct history *history, const struct snapshot *snapshot, bool hide)
{
	float *sample = track_add(&history->all, hide);
	size_t i, kept = 0;
	int direction;

	if (sample) {
		sample[SERIES_LIVE] = (float)snapshot->live;
		sample[SERIES_LAUNCHES] = (float)snapshot->launches_per_second;
		sample[SERIES_FAILURES] = (float)snapshot->failures_per_second;
		sample[SERIES_WAIT] = (float)snapshot->sync_share;
		for (direction = 0; direction < DIR_COUNT; direction++)
			sample[SERIES_COPIES + direction] = (float)snapshot->copy_rate[direction];
		sample[SERIES_FAILED_ALLOCATIONS] = 0;
		sample[SERIES_TENSORS] = 0;
		sample[SERIES_TIME] = (float)snapshot->elapsed_seconds;
	}
	for (i = 0; i < history->count; i++)
		history->tracks[i]->seen = false;
	for (i = 0; i < snapshot->process_count; i++)
		process_feed(history, &snapshot->processes[i], snapshot->elapsed_seconds, hide);
	for (i = 0; i < history->count; i++) {
		struct track *track = history->tracks[i];

		if (track->seen) {
			history->tracks[kept++] = track;
			continue;
		}
		free(track->samples);
		free(track);
	}
	history->count = kept;
}

static void track_rewind(struct track *track, double elapsed)
{
	while (track->count) {
		size_t latest = (track->next + track->size - 1) % track->size;

		if ((double)track->samples[latest * SERIES_COUNT + SERIES_TIME] < elapsed)
			break;
		track->next = latest;
		track->count--;
		if (track->hidden)
			track->hidden--;
	}
}

void history_rewind(struct history *history, double elapsed)
{
	track_rewind(&history->all, elapsed);
	for (size_t i = 0; i < history->count; i++)
		track_rewind(history->tracks[i], elapsed);
}

void history_free(struct history *history)
{
	for (size_t i = 0; i < history->count; i++) {
		free(history->tracks[i]->samples);
		free(history->tracks[i]);
	}
	free(history->tracks);
	free(history->all.samples);
	memset(history, 0, sizeof(*history));
}
