/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Slices of looking at files: their bound, their order, and that nothing gets lost. */
#include <stdlib.h>
#include <string.h>

#include "collect/arrivals.h"
#include "probe_tests.h"

#define MS 1000000ull

static struct {
	uint64_t now, cost; /* ns; what each takes */
	uint32_t seen;      /* how many were looked at, by their numbers in order */
	uint32_t left_out, least_left_out;
} clock_and_log;

static uint64_t now(void)
{
	return clock_and_log.now;
}

static void look(void *context, const struct rec_hdr *record)
{
	ck_assert_ptr_eq(context, &clock_and_log);
	ck_assert_uint_eq(record->tgid, ++clock_and_log.seen);
	if (record->type == REC_MMAP)
		ck_assert_str_eq(((const struct rec_mmap *)record)->file, "lib.so");
	else
		ck_assert_uint_eq(((const struct rec_exec *)record)->id.inode, record->tgid);
	clock_and_log.now += clock_and_log.cost;
}

static void leave_out(void *context, const struct rec_hdr *record)
{
	ck_assert_ptr_eq(context, &clock_and_log);
	ck_assert_uint_ge(record->tgid, clock_and_log.least_left_out);
	clock_and_log.left_out++;
}

static struct arrivals *begin(uint64_t cost)
{
	struct arrivals *arrivals = arrivals_new(look, leave_out, &clock_and_log, now);

	ck_assert_ptr_nonnull(arrivals);
	clock_and_log.now = clock_and_log.seen = clock_and_log.left_out = 0;
	clock_and_log.cost = cost;
	clock_and_log.least_left_out = ARRIVALS_MAX + 1;
	arrivals_turn(arrivals);
	return arrivals;
}

static void put(struct arrivals *arrivals, uint32_t number)
{
	/* On the heap, and as long as it has to be: what reads past it is found. */
	struct rec_mmap *mapped = calloc(1, sizeof(*mapped));
	struct rec_exec *run = calloc(1, sizeof(*run));

	mapped->hdr = (struct rec_hdr){ .type = REC_MMAP, .size = sizeof(*mapped), .tgid = number };
	memcpy(mapped->file, "lib.so", 7);
	run->hdr = (struct rec_hdr){ .type = REC_EXEC, .size = sizeof(*run), .tgid = number };
	run->id.inode = number;
	arrivals_put(arrivals, number & 1 ? &mapped->hdr : &run->hdr);
	free(mapped);
	free(run);
}

TEST(at_once_while_there_is_time)
{
	struct arrivals *arrivals = begin(5 * MS);
	uint32_t i;

	for (i = 1; i <= 10; i++) {
		put(arrivals, i);
		ck_assert_uint_eq(clock_and_log.seen, i);
	}
	ck_assert(!arrivals_wait(arrivals));
	arrivals_free(arrivals);
}

TEST(a_turn_is_bounded)
{
	struct arrivals *arrivals = begin(30 * MS);
	uint64_t began;
	uint32_t i, turns = 0;

	for (i = 1; i <= 1000; i++)
		put(arrivals, i);
	/* The fourth was begun at 90 ms. */
	ck_assert_uint_eq(clock_and_log.seen, 4);
	while (arrivals_wait(arrivals)) {
		began = clock_and_log.now;
		arrivals_turn(arrivals);
		ck_assert_uint_lt(clock_and_log.now - began, ARRIVALS_SLICE + 30 * MS);
		turns++;
		/* What comes now waits behind the others, and takes no time from them. */
		if (turns == 3) {
			put(arrivals, 1001);
			ck_assert_uint_eq(clock_and_log.seen, 16);
		}
	}
	ck_assert_uint_eq(clock_and_log.seen, 1001);
	ck_assert_uint_eq(turns, 250);
	arrivals_free(arrivals);
}

TEST(what_waits_is_bounded)
{
	struct arrivals *arrivals = begin(ARRIVALS_SLICE);
	uint32_t i;

	for (i = 1; i <= 1 + ARRIVALS_MAX; i++)
		put(arrivals, i);
	ck_assert_uint_eq(clock_and_log.seen, 1);
	/* Out of order, but not out of mind. */
	clock_and_log.seen = 1 + ARRIVALS_MAX;
	put(arrivals, 2 + ARRIVALS_MAX);
	ck_assert_uint_eq(clock_and_log.seen, 2 + ARRIVALS_MAX);
	clock_and_log.seen = 1;
	clock_and_log.cost = 0;
	arrivals_turn(arrivals);
	ck_assert_uint_eq(clock_and_log.seen, 1 + ARRIVALS_MAX);
	ck_assert(!arrivals_wait(arrivals));
	arrivals_free(arrivals);
	arrivals = begin(ARRIVALS_SLICE);
	for (i = 1; i <= 3; i++)
		put(arrivals, i);
	ck_assert(arrivals_wait(arrivals));
	arrivals_free(arrivals);
	arrivals_free(NULL);
}

/* A process that maps new files without end: a turn ends all the same. */
TEST(a_flood_is_left_out)
{
	struct arrivals *arrivals = begin(ARRIVALS_SLICE);
	uint32_t i, many = 20000;

	for (i = 1; i <= 1 + ARRIVALS_MAX; i++)
		put(arrivals, i);
	clock_and_log.seen = 1 + ARRIVALS_MAX;
	for (; i <= many; i++)
		put(arrivals, i);
	ck_assert_uint_eq(clock_and_log.now, ARRIVALS_EXCESS);
	ck_assert_uint_eq(clock_and_log.left_out, many - clock_and_log.seen);
	/* In the next turn there is time again. */
	clock_and_log.seen = 1;
	clock_and_log.cost = 0;
	arrivals_turn(arrivals);
	ck_assert_uint_eq(clock_and_log.seen, 1 + ARRIVALS_MAX);
	put(arrivals, 2 + ARRIVALS_MAX);
	ck_assert_uint_eq(clock_and_log.seen, 2 + ARRIVALS_MAX);
	arrivals_free(arrivals);
}

/* The end: what has waited is looked at as long as there is time, and nothing is forgotten. */
TEST(the_end_is_bounded)
{
	struct arrivals *arrivals = begin(ARRIVALS_SLICE);
	uint32_t i;

	for (i = 1; i <= 10; i++)
		put(arrivals, i);
	ck_assert_uint_eq(clock_and_log.seen, 1);
	clock_and_log.least_left_out = 5;
	arrivals_finish(arrivals, clock_and_log.now + 3 * ARRIVALS_SLICE);
	ck_assert_uint_eq(clock_and_log.seen, 4);
	ck_assert_uint_eq(clock_and_log.left_out, 6);
	ck_assert(!arrivals_wait(arrivals));
	arrivals_free(arrivals);
}
