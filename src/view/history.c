/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A track has levels, each a ring. The first has the samples as they came, and starts small: many
 * short processes take little memory. The oldest of a full level goes into a stretch of the next,
 * where stretches begin at multiples of their length, so that what was drawn once stays as it is.
 * What a level is filling (of the first, the latest sample) has exact figures; those behind it are
 * packed into 16 bits each. From old to new, a track is: the last level's stretches, the one it is
 * filling, the same of the level before, ..., the samples.
 *
 * Tracks of processes that left the snapshot are dropped; those of exited processes no longer change.
 */
#include "view/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 8

struct bucket {
	double time;
	float length;
	uint8_t marks;
	uint16_t mean[SERIES_COUNT], most[SERIES_COUNT];
};

/* ---- packed figures: 6 bits of exponent, 10 bits of mantissa ---- */

enum { MANTISSA_BITS = 10, EXPONENT_LEAST = -16, EXPONENT_MOST = 46, PACKED_NAN = 0xffff };

static uint16_t pack(double value)
{
	int exponent, mantissa;

	if (isnan(value))
		return PACKED_NAN;
	if (!(value > 0))
		return 0;
	mantissa = (int)lround(frexp(value, &exponent) * (2 << MANTISSA_BITS));
	/* It is 1024 to 2047 and, if rounded up, 2048. */
	if (mantissa == 2 << MANTISSA_BITS) {
		mantissa /= 2;
		exponent++;
	}
	if (exponent <= EXPONENT_LEAST)
		return 0;
	if (exponent > EXPONENT_MOST)
		return PACKED_NAN - 1;
	return (uint16_t)((exponent - EXPONENT_LEAST) << MANTISSA_BITS |
			  (mantissa & ((1 << MANTISSA_BITS) - 1)));
}

static float unpack(uint16_t packed)
{
	int exponent = (packed >> MANTISSA_BITS) + EXPONENT_LEAST;
	int mantissa = (packed & ((1 << MANTISSA_BITS) - 1)) | 1 << MANTISSA_BITS;

	if (packed == PACKED_NAN)
		return NAN;
	return packed ? (float)ldexp(mantissa, exponent - MANTISSA_BITS - 1) : 0;
}

static void bucket_pack(const struct sample *sample, struct bucket *bucket)
{
	bucket->time = sample->time;
	bucket->length = (float)sample->length;
	bucket->marks = (uint8_t)sample->marks;
	for (int i = 0; i < SERIES_COUNT; i++) {
		bucket->mean[i] = pack((double)sample->mean[i]);
		bucket->most[i] = pack((double)sample->most[i]);
	}
}

static void bucket_unpack(const struct bucket *bucket, struct sample *sample)
{
	sample->time = bucket->time;
	sample->length = (double)bucket->length;
	sample->marks = bucket->marks;
	for (int i = 0; i < SERIES_COUNT; i++) {
		sample->mean[i] = unpack(bucket->mean[i]);
		sample->most[i] = unpack(bucket->most[i]);
	}
}

/* ---- levels ---- */

/* Puts the later @sample into @sum. What is unknown in one of them is taken from the other. */
static void sample_merge(struct sample *sum, const struct sample *sample)
{
	double all = sum->length + sample->length, part = all > 0 ? sample->length / all : 0.5;

	for (int i = 0; i < SERIES_COUNT; i++) {
		if (isnan(sum->mean[i]))
			sum->mean[i] = sample->mean[i];
		else if (!isnan(sample->mean[i]))
			sum->mean[i] += (float)part * (sample->mean[i] - sum->mean[i]);
		sum->most[i] = fmaxf(sum->most[i], sample->most[i]);
	}
	sum->time = sample->time;
	sum->length = all;
	sum->marks |= sample->marks;
}

static void level_add(struct track *track, int number, const struct sample *sample);

/* The bucket that is the @back-th from the end of @level. */
static struct bucket *bucket_at(const struct level *level, size_t back)
{
	return &level->buckets[(level->next + level->size - 1 - back) % level->size];
}

/* Makes room for another bucket, up to what the level @number may have. */
static void level_grow(struct level *level, int number)
{
	size_t most = number ? HISTORY_BUCKETS : HISTORY_SAMPLES - 1,
	       size = level->size ? level->size * 2 : FIRST_SIZE;
	struct bucket *buckets;

	size = size < most ? size : most;
	if (level->count < level->size || level->size == most)
		return;
	buckets = malloc(size * sizeof(*buckets));
	if (!buckets)
		return; /* without memory the history is shorter */
	for (size_t i = 0; i < level->count; i++)
		buckets[i] = *bucket_at(level, level->count - 1 - i);
	free(level->buckets);
	level->buckets = buckets;
	level->next = level->count;
	level->size = size;
}

/* Puts what was filled behind the others; the oldest makes room for it. */
static void level_close(struct track *track, int number)
{
	struct level *level = &track->levels[number];
	struct sample oldest;

	level->fills = false;
	level_grow(level, number);
	if (!level->size)
		return;
	if (level->count == level->size) {
		bucket_unpack(&level->buckets[level->next], &oldest);
		if (number + 1 < HISTORY_LEVELS)
			level_add(track, number + 1, &oldest);
	} else {
		level->count++;
	}
	bucket_pack(&level->filling, &level->buckets[level->next]);
	level->next = (level->next + 1) % level->size;
}

static void level_add(struct track *track, int number, const struct sample *sample)
{
	double stretch = number ? HISTORY_STRETCH << (number - 1) : 0;
	struct level *level = &track->levels[number];

	/* A sample ends at its time: one at a boundary is the last of the stretch before. */
	if (level->fills && number &&
	    ceil(level->filling.time / stretch) == ceil(sample->time / stretch)) {
		sample_merge(&level->filling, sample);
		return;
	}
	if (level->fills)
		level_close(track, number);
	level->filling = *sample;
	level->fills = true;
}

/* ---- one track ---- */

/* The end of the latest sample or stretch; NAN: there is none. */
static double track_end(const struct track *track)
{
	for (int i = 0; i < HISTORY_LEVELS; i++) {
		const struct level *level = &track->levels[i];

		if (level->fills)
			return level->filling.time;
		if (level->count)
			return bucket_at(level, 0)->time;
	}
	return NAN;
}

/* Drops what ends at @time or later. */
static void track_cut(struct track *track, double time)
{
	for (int i = 0; i < HISTORY_LEVELS; i++) {
		struct level *level = &track->levels[i];

		if (level->fills && level->filling.time < time)
			return;
		level->fills = false;
		for (; level->count; level->count--) {
			if (bucket_at(level, 0)->time < time)
				return;
			level->next = (level->next + level->size - 1) % level->size;
		}
	}
}

/*
 * Samples further apart than so many intervals are not of one stretch: a replay jumped, and what
 * was between is not known.
 */
#define INTERVALS_APART 20

/*
 * A sample of @track that ends with @snapshot, all 0. It begins where the one before ended, or an
 * interval before if that is another stretch's, or there is none.
 */
static struct sample sample_begin(const struct history *history, const struct track *track,
				  const struct snapshot *snapshot)
{
	double time = snapshot->elapsed_seconds, interval = snapshot->interval_seconds;
	double end = track_end(track), length = time - end;

	if (isnan(end) || history->is_apart || length > INTERVALS_APART * interval)
		length = interval;
	return (struct sample){ .time = time, .length = length > 0 ? length : 0 };
}

/* Adds @sample, whose first figure had @most as its peak. */
static void sample_add(struct track *track, struct sample *sample, float most)
{
	memcpy(sample->most, sample->mean, sizeof(sample->most));
	sample->most[SERIES_LIVE] = most;
	level_add(track, 0, sample);
}

size_t track_count(const struct track *track)
{
	size_t count = 0;

	for (int i = 0; track && i < HISTORY_LEVELS; i++)
		count += track->levels[i].count + track->levels[i].fills;
	return count;
}

bool track_sample(const struct track *track, size_t back, struct sample *sample)
{
	for (int i = 0; track && i < HISTORY_LEVELS; i++) {
		const struct level *level = &track->levels[i];

		if (level->fills && !back) {
			*sample = level->filling;
			return true;
		}
		back -= level->fills;
		if (back < level->count) {
			bucket_unpack(bucket_at(level, back), sample);
			return true;
		}
		back -= level->count;
	}
	return false;
}

double track_value(const struct track *track, enum series series, size_t back)
{
	struct sample sample;

	return track_sample(track, back, &sample) ? (double)sample.mean[series] : NAN;
}

double track_time(const struct track *track, size_t back)
{
	struct sample sample;

	return track_sample(track, back, &sample) ? sample.time : NAN;
}

/* What a stretch weighs that is known only from a sample that ends later. */
#define WEIGHT_NEIGHBOUR 1e-9

static void reading_add(struct track_reading *reading, double *weight, double part, double mean,
			double most)
{
	/* A neighbour's figures are better than none, but no part of it. */
	if (*weight <= WEIGHT_NEIGHBOUR && part > WEIGHT_NEIGHBOUR)
		*weight = 0;
	if (!(*weight > 0)) {
		reading->mean = mean;
		reading->most = most;
	} else if (part > WEIGHT_NEIGHBOUR) {
		reading->mean += part / (*weight + part) * (mean - reading->mean);
		reading->most = fmax(reading->most, most);
	}
	*weight += part;
}

/*
 * The stretches that @sample has a part in. One that is about as long as they are counts where it
 * ends only: samples that come a bit early or late are not smeared over two. Longer ones have whole
 * stretches, for the same reason.
 */
static void sample_read(const struct sample *sample, enum series series, double from, double step,
			size_t count, struct track_reading *readings, double *weights)
{
	double start = (sample->time - sample->length - from) / step,
	       end = (sample->time - from) / step, own = ceil(end - 1e-6) - 1;
	double length = end - start, mean = (double)sample->mean[series], first, last;
	bool fits_one = length > 0.85 && length < 1.15;

	if (length > 1.85) {
		start = ceil(start - 1e-6);
		end = own + 1;
	}
	first = fmax(floor(start), 0);
	last = fmin(own, (double)count - 1);
	/* One without a length, at the boundary of two, is in the earlier, where it ends. */
	first = own >= 0 ? fmin(first, own) : first;
	for (double at = first; at <= last && !isnan(mean); at++) {
		double part = fmax(fmin(end, at + 1) - fmax(start, at), 2 * WEIGHT_NEIGHBOUR);
		/* What only touches a stretch is no peak of it. */
		bool peaks = part >= 0.499 * fmin(1, length);

		if (fits_one)
			part = at < own ? WEIGHT_NEIGHBOUR : 1;
		reading_add(&readings[(size_t)at], &weights[(size_t)at], part, mean,
			    peaks || fits_one ? (double)sample->most[series] : mean);
	}
	if (own >= 0 && own < (double)count)
		readings[(size_t)own].marks |= sample->marks;
}

void track_read(const struct track *track, enum series series, double from, double step,
		size_t count, struct track_reading *readings)
{
	double *weights = calloc(count ? count : 1, sizeof(*weights));
	struct sample sample;

	for (size_t i = 0; i < count; i++)
		readings[i] = (struct track_reading){ NAN, NAN, 0 };
	/* From the latest to the first that lies before. */
	for (size_t back = 0; weights && track_sample(track, back, &sample); back++) {
		if (sample.time <= from)
			break;
		sample_read(&sample, series, from, step, count, readings, weights);
	}
	free(weights);
}

/* Frees what the track holds. */
static void track_clear(struct track *track)
{
	for (int i = 0; i < HISTORY_LEVELS; i++)
		free(track->levels[i].buckets);
}

size_t track_bytes(const struct track *track)
{
	size_t bytes = sizeof(*track);

	for (int i = 0; i < HISTORY_LEVELS; i++)
		bytes += track->levels[i].size * sizeof(struct bucket);
	return bytes;
}

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

/* Drops those that were not seen. */
static void tracks_drop(struct tracks *tracks)
{
	size_t kept = 0;

	for (size_t i = 0; i < tracks->count; i++) {
		struct track *track = tracks->list[i];

		if (track->seen) {
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
	tracks_drop(tracks);
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
				 const struct snapshot *snapshot)
{
	struct track *track = tracks_get(&history->programs, process->program);
	uint64_t peak = track && (track_count(track) || process->exited) ? track->totals.peak :
									   UINT64_MAX;
	struct sample sample;
	unsigned int marks;

	if (!track)
		return 0;
	track->seen = true;
	marks = marks_of(&track->totals, process);
	/* An exited process gets no more samples: its plot ends where it ended. */
	if (process->exited && track_count(track) > 1 && !process->live && !marks &&
	    !(process->launches_per_second > 0) && !(track_value(track, SERIES_LIVE, 0) > 0))
		return 0;
	sample = sample_begin(history, track, snapshot);
	sample.marks = marks;
	sample.mean[SERIES_LIVE] = (float)process->live;
	sample.mean[SERIES_TENSORS] = process->exited ? 0 : (float)process->tensors;
	sample.mean[SERIES_LAUNCHES] = (float)process->launches_per_second;
	sample.mean[SERIES_WAIT] = (float)process->sync_share;
	sample.mean[SERIES_FAILURES] = (float)process->failures_per_second;
	for (int i = 0; i < DIR_UNKNOWN; i++)
		sample.mean[SERIES_COPIES + i] = (float)process->copy_rate[i];
	/* A new peak lies in the sample's time, unless it is the first one of what ran before. */
	sample_add(track, &sample, (float)(process->peak > peak ? process->peak : process->live));
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
			const struct snapshot *snapshot, const uint8_t *marks)
{
	struct track *track = tracks_get(&history->devices, (uint32_t)device->device);
	struct sample sample;

	if (!track)
		return;
	track->seen = true;
	sample = sample_begin(history, track, snapshot);
	sample.marks = device_marks(snapshot, marks, device->device);
	sample.mean[SERIES_DEVICE_USED] =
		(float)(device->has_used ? device->used : device->tracked);
	sample.mean[SERIES_DEVICE_BUSY] = (float)device->utilization;
	sample.mean[SERIES_DEVICE_TEMPERATURE] = (float)device->temperature;
	sample.mean[SERIES_DEVICE_POWER] = (float)device->power;
	sample_add(track, &sample, sample.mean[SERIES_DEVICE_USED]);
}

void history_feed(struct history *history, const struct snapshot *snapshot)
{
	struct sample sample = sample_begin(history, &history->all, snapshot);
	uint8_t *marks = calloc(snapshot->process_count + 1, sizeof(*marks));
	unsigned int any = 0;

	tracks_unsee(&history->programs);
	tracks_unsee(&history->devices);
	for (size_t i = 0; i < snapshot->process_count; i++) {
		unsigned int here = process_feed(history, &snapshot->processes[i], snapshot);

		any |= here;
		if (marks)
			marks[i] = (uint8_t)here;
	}
	for (size_t i = 0; i < snapshot->device_count; i++)
		device_feed(history, &snapshot->devices[i], snapshot, marks);
	history->is_apart = false;
	free(marks);
	sample.marks = any;
	sample.mean[SERIES_LIVE] = (float)snapshot->live;
	sample.mean[SERIES_LAUNCHES] = (float)snapshot->launches_per_second;
	sample.mean[SERIES_WAIT] = (float)snapshot->sync_share;
	sample.mean[SERIES_FAILURES] = (float)snapshot->failures_per_second;
	for (int i = 0; i < DIR_UNKNOWN; i++)
		sample.mean[SERIES_COPIES + i] = (float)snapshot->copy_rate[i];
	for (size_t i = 0; i < snapshot->process_count; i++)
		sample.mean[SERIES_TENSORS] +=
			snapshot->processes[i].exited ? 0 : (float)snapshot->processes[i].tensors;
	sample_add(&history->all, &sample, sample.mean[SERIES_LIVE]);
	tracks_drop(&history->programs);
	tracks_drop(&history->devices);
}

static void tracks_rewind(struct tracks *tracks, double elapsed)
{
	for (size_t i = 0; i < tracks->count; i++)
		track_cut(tracks->list[i], elapsed);
}

void history_rewind(struct history *history, double elapsed)
{
	track_cut(&history->all, elapsed);
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
