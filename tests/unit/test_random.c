/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model against a naive reference over 100,000 random operations, and at a million allocations.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "feed.h"
#include "model/allocations.h"
#include "model/limits.h"

#define SLOTS      512
#define OPERATIONS 100000

/* What a careful person with a list would say. */
struct reference {
	struct {
		bool live;
		uint64_t bytes;
		unsigned int kind;
		int device;
		uint64_t born;
	} slot[SLOTS];
	uint64_t live, peak, leaked, allocations, frees, unknown, failed, lost, kinds[KIND_COUNT],
		live_allocations;
	struct {
		unsigned int slot;
		uint64_t born, when;
		bool waiting;
	} late[OPERATIONS];
	size_t late_count, late_given_up;
};

static uint64_t slot_address(unsigned int slot)
{
	return 0x700000000000 + slot * 0x10000ull;
}

static void reference_drop(struct reference *reference, unsigned int slot)
{
	reference->slot[slot].live = false;
	reference->live_allocations--;
	reference->kinds[reference->slot[slot].kind] -= reference->slot[slot].bytes;
	if (KIND_IS_VRAM(reference->slot[slot].kind))
		reference->live -= reference->slot[slot].bytes;
}

static void check_against(const struct reference *reference, struct feed *feed)
{
	struct snapshot *snapshot = model_snapshot(feed->model, feed->now, (unsigned int)-1);
	const struct snap_process *process = feed_find(feed, snapshot);
	uint64_t sum = 0, sites = 0, count = 0;
	unsigned int i;
	size_t j;

	ck_assert_uint_eq(process->live, reference->live);
	ck_assert_uint_eq(process->peak, reference->peak);
	ck_assert_uint_eq(process->leaked, reference->leaked);
	ck_assert_uint_eq(process->allocations, reference->allocations);
	ck_assert_uint_eq(process->frees, reference->frees);
	ck_assert_uint_eq(process->unknown_frees, reference->unknown);
	ck_assert_uint_eq(process->failed_allocations, reference->failed);
	ck_assert_uint_eq(process->live_allocations, reference->live_allocations);
	ck_assert_uint_ge(snapshot->lost[LOST_FREE], reference->lost);
	if (reference->late_given_up == reference->late_count)
		ck_assert_uint_eq(snapshot->lost[LOST_FREE], reference->lost);
	for (i = 0; i < KIND_COUNT; i++)
		ck_assert_uint_eq(process->kinds[i], reference->kinds[i]);
	for (j = 0; j < process->map_count; j++) {
		const struct snap_alloc *alloc = &process->map[j];
		unsigned int slot = (unsigned int)((alloc->address - slot_address(0)) / 0x10000);

		if (alloc->state != ALLOC_LIVE)
			continue;
		ck_assert(reference->slot[slot].live);
		ck_assert_uint_eq(alloc->bytes, reference->slot[slot].bytes);
		ck_assert_uint_eq(alloc->age, feed->now - reference->slot[slot].born);
		sum += KIND_IS_VRAM(alloc->kind) ? alloc->bytes : 0;
		count++;
	}
	for (j = 0; j < process->site_count; j++)
		sites += process->sites[j].live;
	ck_assert_uint_eq(sum, reference->live);
	/*
	 * Call sites count managed memory as well: it is to be freed, but may not be on a device.
	 */
	ck_assert_uint_eq(sites, reference->live + reference->kinds[KIND_MANAGED]);
	ck_assert_uint_eq(count, reference->live_allocations);
	snapshot_free(snapshot);
}

static void random_alloc(struct reference *reference, struct feed *feed, unsigned int slot)
{
	static const unsigned int kinds[] = { KIND_DEVICE, KIND_DEVICE, KIND_ASYNC, KIND_MANAGED,
					      KIND_PINNED };
	unsigned int kind = kinds[random() % 5];
	uint64_t bytes = 1 + (uint64_t)random() % 0x10000;
	int result = random() % 20 ? 0 : 2;

	feed->device = (int)(random() % 2);
	feed->site = 0x1000 + (uint64_t)random() % 50;
	if (!result && reference->slot[slot].live) {
		reference->late[reference->late_count].slot = slot;
		reference->late[reference->late_count].born = reference->slot[slot].born;
		reference->late[reference->late_count].when = feed->now + 1000;
		reference->late[reference->late_count++].waiting = true;
		reference_drop(reference, slot);
	}
	feed_alloc_as(feed, CALL_cudaMalloc, kind, slot_address(slot), bytes, result);
	if (result) {
		reference->failed++;
		return;
	}
	reference->slot[slot].live = true;
	reference->slot[slot].bytes = bytes;
	reference->slot[slot].kind = kind;
	reference->slot[slot].device = feed->device;
	reference->slot[slot].born = feed->now;
	reference->allocations++;
	reference->live_allocations++;
	reference->kinds[kind] += bytes;
	if (KIND_IS_VRAM(kind)) {
		reference->live += bytes;
		if (reference->live > reference->peak)
			reference->peak = reference->live;
	}
}

static void random_free(struct reference *reference, struct feed *feed, unsigned int slot)
{
	feed_free(feed, slot_address(slot), 0);
	if (!reference->slot[slot].live) {
		reference->unknown++;
		return;
	}
	reference->frees++;
	reference_drop(reference, slot);
}

/* Frees what gave way to another, as a thread would that was slow to return. */
static void late_free(struct reference *reference, struct feed *feed)
{
	size_t i = reference->late_count - 1;

	if (!reference->late_count || !reference->late[i].waiting)
		return;
	reference->late[i].waiting = false;
	feed_free_at(feed, slot_address(reference->late[i].slot), reference->late[i].when - 1);
	reference->frees++;
}

/* Time passes: who has not freed by now is not going to. */
static void give_up_waiting(struct reference *reference, struct feed *feed)
{
	for (; reference->late_given_up < reference->late_count; reference->late_given_up++) {
		reference->lost += reference->late[reference->late_given_up].waiting;
		reference->late[reference->late_given_up].waiting = false;
	}
	feed->now += 2 * SECOND;
	feed_free(feed, 0, 0);
}

static void random_reset(struct reference *reference, struct feed *feed)
{
	int device = (int)(random() % 2);
	unsigned int i;

	feed_reset(feed, device);
	for (i = 0; i < SLOTS; i++) {
		if (!reference->slot[i].live || reference->slot[i].device != device)
			continue;
		if (KIND_CAN_LEAK(reference->slot[i].kind))
			reference->leaked += reference->slot[i].bytes;
		reference_drop(reference, i);
	}
}

TEST_LOOP(against_a_reference, 4)
{
	struct reference *reference = calloc(1, sizeof(*reference));
	struct feed feed;
	bool reset = false;
	int i;

	feed_begin(&feed);
	feed_process(&feed);
	srandom((unsigned int)_i + 1);
	for (i = 0; i < OPERATIONS; i++) {
		unsigned int slot = (unsigned int)random() % SLOTS;

		if (random() % 100 < 55)
			random_alloc(reference, &feed, slot);
		else if (!reset || reference->slot[slot].live)
			random_free(reference, &feed, slot);
		if (random() % 3 == 0)
			late_free(reference, &feed);
		if (random() % 20000 == 0) {
			random_reset(reference, &feed);
			/* A free of what a reset ended would be taken as no leak: not here */
			reset = true;
		}
		if (i % 1000 == 0)
			give_up_waiting(reference, &feed);
		if (i % 10000 == 0)
			check_against(reference, &feed);
	}
	give_up_waiting(reference, &feed);
	check_against(reference, &feed);
	feed_exit(&feed, END_EXIT, 0);
	reference->leaked += reference->live + reference->kinds[KIND_MANAGED];
	reference->live = reference->live_allocations = 0;
	memset(reference->kinds, 0, sizeof(reference->kinds));
	memset(reference->slot, 0, sizeof(reference->slot));
	check_against(reference, &feed);
	feed_end(&feed);
	free(reference);
}

#define MILLION 1000000

_Static_assert(sizeof(struct alloc_node) <= 72, "a million of them are meant to fit");

TEST(a_million_allocations)
{
	struct mallinfo2 before, after;
	struct timespec start, end;
	struct snapshot *snapshot;
	struct feed feed;
	double seconds;
	uint64_t i, used;

	feed_begin(&feed);
	feed_process(&feed);
	before = mallinfo2();
	for (i = 0; i < MILLION; i++) {
		feed.site = 0x1000 + i % 100;
		feed_alloc(&feed, 0x10000000 + (i * 7919 % MILLION) * 512, 256 + i % 256);
	}
	after = mallinfo2();
	used = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
	/* Sanitizers replace malloc and count nothing. */
	ck_assert_uint_lt(used / MILLION, 100);

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	snapshot = feed_snapshot(&feed);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
	ck_assert_uint_eq(snapshot->processes[0].map_count, 1000);
	ck_assert_uint_eq(snapshot->processes[0].map_omitted, MILLION - 1000);
	ck_assert_double_lt(seconds, 1);
	snapshot_free(snapshot);

	for (i = 0; i < MILLION; i++)
		feed_free(&feed, 0x10000000 + i * 512, 0);
	snapshot = feed_snapshot(&feed);
	ck_assert_uint_eq(snapshot->processes[0].live, 0);
	ck_assert_uint_eq(snapshot->processes[0].frees, MILLION);
	snapshot_free(snapshot);
	feed_end(&feed);
}
