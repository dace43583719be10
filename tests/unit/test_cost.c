/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is given up of a program that pays too much, and when that is taken back. */
#include "collect/cost.h"
#include "probe_tests.h"
#include "util/util.h"

#define SECOND   NSEC_PER_SEC
#define HIT      2000.0 /* ns */
#define BUDGET   0.10
#define BLOCKS   (1u << SPARE_BLOCKS)
#define CALLS    (1u << SPARE_CALLS)
#define LAUNCHES (1u << SPARE_LAUNCHES)

/* A program that works for itself all the time, and what it does in each second of that time. */
struct program {
	struct cost cost;
	double hits[SPARE_COUNT + 1], sum[SPARE_COUNT + 1];
	uint64_t now;
	double own;           /* share of a processor */
	unsigned int changes; /* decisions */
};

static void setup(struct program *program, double blocks, double calls, double launches,
		  double others)
{
	*program = (struct program){ .hits = { blocks, calls, launches, others },
				     .now = 1000 * SECOND,
				     .own = 1 };
}

/* Runs it for @seconds, with a look ten times a second. */
static void run(struct program *program, unsigned int seconds)
{
	struct cost *cost = &program->cost;

	for (unsigned int i = 0; i < 10 * seconds; i++) {
		double paid = 0;

		for (int kind = 0; kind <= SPARE_COUNT; kind++) {
			double more = cost->missing & 1u << kind ? 0 : program->hits[kind] / 10;

			program->sum[kind] += more;
			cost->hits[kind] = program->sum[kind];
			paid += more * HIT;
		}
		program->now += SECOND / 10;
		cost->cpu_ns += (uint64_t)(program->own * SECOND / 10 + paid);
		cost_count(cost, HIT, program->now);
		program->changes += cost_decide(cost, BUDGET, program->now);
		cost_miss(cost, cost_unwanted(cost, program->now), program->now);
	}
}

TEST(cheap_programs_are_watched_whole)
{
	struct program program;

	setup(&program, 10000, 10000, 10000, 10000); /* 80 ms in a second */
	run(&program, 100);
	ck_assert_uint_eq(program.cost.given, 0);
	ck_assert_double_eq_tol(program.cost.paid, 8e9, 0.1e9);
}

TEST(nothing_is_given_up_at_once)
{
	struct program program;

	setup(&program, 100000, 0, 0, 0);
	run(&program, 9);
	ck_assert_uint_eq(program.cost.given, 0);
	ck_assert_double_eq_tol(cost_share(&program.cost), 0.2, 0.01);
	run(&program, 2);
	ck_assert_uint_eq(program.cost.given, BLOCKS);
}

TEST(blocks_go_before_calls_before_launches)
{
	struct program program;

	setup(&program, 40000, 20000, 20000, 1000);
	run(&program, 11);
	ck_assert_uint_eq(program.cost.given, BLOCKS);
	setup(&program, 40000, 60000, 20000, 1000);
	run(&program, 11);
	ck_assert_uint_eq(program.cost.given, BLOCKS | CALLS);
	setup(&program, 40000, 30000, 80000, 1000);
	run(&program, 11);
	ck_assert_uint_eq(program.cost.given, BLOCKS | CALLS | LAUNCHES);
}

/* What takes next to nothing stays, though it would come first. */
TEST(what_is_cheap_stays)
{
	struct program program;

	setup(&program, 1000, 400, 100000, 0);
	run(&program, 11);
	ck_assert_uint_eq(program.cost.given, LAUNCHES);
}

/* Memory, copies and waits are watched, whatever they take. */
TEST(others_are_never_given_up)
{
	struct program program;

	setup(&program, 0, 0, 0, 300000);
	run(&program, 60);
	ck_assert_uint_eq(program.cost.given, 0);
}

/* In windows they take what the budget leaves. */
TEST(launches_are_watched_in_windows)
{
	struct program program;
	double before;
	uint64_t seen;

	setup(&program, 0, 0, 200000, 10000); /* 40 %, of others 2 % */
	run(&program, 11);
	ck_assert_uint_eq(program.cost.given, LAUNCHES);
	before = program.cost.paid;
	seen = program.cost.launches_ns;
	run(&program, 120);
	ck_assert_uint_eq(program.cost.given, LAUNCHES);
	ck_assert_double_lt((program.cost.paid - before) / 120e9, BUDGET);
	ck_assert_double_gt((program.cost.paid - before) / 120e9, 0.04);
	seen = program.cost.launches_ns - seen;
	ck_assert_uint_gt(seen, 10 * SECOND);
	ck_assert_uint_lt(seen, 30 * SECOND);
}

TEST(launches_are_taken_back_when_they_are_few)
{
	struct program program;

	setup(&program, 0, 0, 200000, 0);
	run(&program, 30);
	ck_assert_uint_eq(program.cost.given, LAUNCHES);
	program.hits[SPARE_LAUNCHES] = 20000;
	run(&program, 30);
	ck_assert_uint_eq(program.cost.given, 0);
}

/* Of blocks nothing is seen meanwhile: they are tried after a minute, then after two, and so on. */
TEST(blocks_are_tried_again_less_and_less)
{
	struct program program;

	setup(&program, 100000, 0, 0, 0);
	run(&program, 3600);
	ck_assert_uint_gt(program.changes, 6);
	ck_assert_uint_lt(program.changes, 16);
	program.hits[SPARE_BLOCKS] = 1000;
	run(&program, 3600);
	ck_assert_uint_eq(program.cost.given, 0);
}

/* With a program that does more by itself what it paid is worth less. */
TEST(room_takes_back_at_once)
{
	struct program program;

	setup(&program, 20000, 0, 0, 30000); /* 10 % */
	program.own = 0.7;
	run(&program, 11);
	ck_assert_uint_eq(program.cost.given, BLOCKS);
	program.own = 1;
	program.hits[COST_OTHERS] = 1000;
	run(&program, 11);
	ck_assert_uint_eq(program.cost.given, 0);
}

TEST(idle_programs_are_left_alone)
{
	struct program program;

	setup(&program, 1000, 1000, 1000, 0); /* 6 ms in a second: more than it does itself */
	program.own = 0.005;
	run(&program, 60);
	ck_assert_uint_eq(program.cost.given, 0);
	ck_assert_double_gt(cost_share(&program.cost), 1);
}
