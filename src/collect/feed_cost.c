/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs pay: the hits are estimated from what rows count. A call is hit at its entry and its
 * return, a launch and what an allocator tells at the entry alone; a call of the runtime also where
 * it reaches the driver.
 */
#include <stdlib.h>

#include "collect/feed_internal.h"
#include "cuda/calls.h"
#include "probe/spares.h"

#define SETTLE_INTERVAL (10 * NSEC_PER_SEC) /* processes start, and map files, meanwhile */

static double nested(const struct feed *feed, unsigned int call)
{
	return call_layer(call) == LAYER_RUNTIME && feed->watches_driver ? 1 : 0;
}

void feed_cost_launches(struct feed *feed, struct watched *watched, unsigned int call,
			uint64_t launches)
{
	watched->cost.hits[SPARE_LAUNCHES] += (double)launches * (1 + nested(feed, call));
}

void feed_cost_calls(struct feed *feed, struct watched *watched, unsigned int call, uint64_t calls)
{
	bool is_plain = call < CALL_COUNT && call_descs[call].class == CLASS_PLAIN;

	watched->cost.hits[is_plain ? SPARE_CALLS : COST_OTHERS] +=
		(double)calls * (1 + HIT_RETURN + nested(feed, call));
}

/* Tells the model. */
static void cost_tell(struct feed *feed, const struct watched *watched)
{
	const struct cost *cost = &watched->cost;
	struct rec_cost record = {
		.hdr = { .type = REC_COST, .size = sizeof(record), .program = watched->program },
		.paid_ns = (__u64)cost->paid,
		.cpu_ns = cost->cpu_ns,
		.launches_ns = cost->launches_ns,
	};

	for (int kind = 0; kind < SPARE_COUNT; kind++)
		record.since[kind] = cost->since[kind];
	record_sink_put(feed->sink, &record.hdr, sizeof(record));
}

void feed_cost_count(struct feed *feed, uint64_t now)
{
	struct watched *watched;

	for (watched = feed->watched; watched; watched = watched->hh.next) {
		if (watched->ignored || watched->doomed)
			continue;
		if (!feed->hit_ns)
			feed->hit_ns = probe_hit_cost(feed->probe);
		watched->cost.hits[SPARE_BLOCKS] = (double)watched->blocks;
		cost_count(&watched->cost, (double)feed->hit_ns, now);
		cost_tell(feed, watched);
	}
}

/* Notes, and tells, what is given up of @watched from now on: bits of enum spare. */
static void given_note(struct feed *feed, struct watched *watched, unsigned int given, uint64_t now)
{
	struct cost *cost = &watched->cost;
	bool changed = false;

	for (int kind = 0; kind < SPARE_COUNT; kind++) {
		bool is_given = given & 1u << kind;

		if (is_given == (cost->since[kind] != 0))
			continue;
		cost->since[kind] = is_given ? now : 0;
		changed = true;
	}
	if (changed)
		cost_tell(feed, watched);
}

static void settle(struct feed *feed, uint64_t now)
{
	size_t count = HASH_COUNT(feed->watched), i = 0;
	struct spare_user *users = calloc(count + 1, sizeof(*users));
	struct watched *watched;

	if (!users)
		return;
	for (watched = feed->watched; watched; watched = watched->hh.next)
		if (!watched->ignored && !watched->ended)
			users[i++] = (struct spare_user){
				.tgid = watched->process.hdr.tgid,
				.unwanted = watched->unwanted,
				.given = watched->cost.given,
			};
	spares_settle(feed->probe, users, i);
	for (watched = feed->watched, i = 0; watched; watched = watched->hh.next) {
		if (watched->ignored || watched->ended)
			continue;
		cost_miss(&watched->cost, users[i].missing, now);
		given_note(feed, watched, users[i++].given, now);
	}
	feed->settled = now;
	free(users);
}

void feed_cost_tend(struct feed *feed, uint64_t now)
{
	struct watched *watched;
	bool changed = false, given = false;

	if (!feed->cost_budget)
		return;
	for (watched = feed->watched; watched; watched = watched->hh.next) {
		unsigned int unwanted;

		if (watched->ignored || watched->ended)
			continue;
		changed |= cost_decide(&watched->cost, feed->cost_budget, now);
		unwanted = cost_unwanted(&watched->cost, now);
		changed |= unwanted != watched->unwanted;
		watched->unwanted = unwanted;
		given |= watched->cost.given || watched->cost.missing;
	}
	if (changed || (given && now - feed->settled >= SETTLE_INTERVAL))
		settle(feed, now);
}
