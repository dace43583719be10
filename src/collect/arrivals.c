/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue of records, and the time spent in this turn. If none are waiting and time is left, a
 * record is handled where it lies, without a copy: that is the usual case.
 */
#include "collect/arrivals.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct arrival {
	STAILQ_ENTRY(arrival) link;
	union {
		struct rec_hdr hdr;
		struct rec_exec exec;
		struct rec_mmap mmap;
	} record;
};

STAILQ_HEAD(arrival_list, arrival);

struct arrivals {
	void (*look)(void *context, const struct rec_hdr *record);
	void (*leave_out)(void *context, const struct rec_hdr *record);
	void *context;
	uint64_t (*now)(void);
	struct arrival_list list;
	size_t count;
	uint64_t spent; /* in this turn, ns */
};

struct arrivals *arrivals_new(void (*look)(void *context, const struct rec_hdr *record),
			      void (*leave_out)(void *context, const struct rec_hdr *record),
			      void *context, uint64_t (*now)(void))
{
	struct arrivals *arrivals = calloc(1, sizeof(*arrivals));

	if (!arrivals)
		return NULL;
	arrivals->look = look;
	arrivals->leave_out = leave_out;
	arrivals->context = context;
	arrivals->now = now;
	STAILQ_INIT(&arrivals->list);
	return arrivals;
}

static struct arrival *first_take(struct arrivals *arrivals)
{
	struct arrival *arrival = STAILQ_FIRST(&arrivals->list);

	STAILQ_REMOVE_HEAD(&arrivals->list, link);
	arrivals->count--;
	return arrival;
}

void arrivals_free(struct arrivals *arrivals)
{
	if (!arrivals)
		return;
	while (arrivals->count)
		free(first_take(arrivals));
	free(arrivals);
}

static void look_at(struct arrivals *arrivals, const struct rec_hdr *record)
{
	uint64_t began = arrivals->now();

	arrivals->look(arrivals->context, record);
	arrivals->spent += arrivals->now() - began;
}

void arrivals_turn(struct arrivals *arrivals)
{
	struct arrival *arrival;

	arrivals->spent = 0;
	while (arrivals->count && arrivals->spent < ARRIVALS_SLICE) {
		arrival = first_take(arrivals);
		look_at(arrivals, &arrival->record.hdr);
		free(arrival);
	}
}

void arrivals_put(struct arrivals *arrivals, const struct rec_hdr *record)
{
	bool has_time = !arrivals->count && arrivals->spent < ARRIVALS_SLICE;
	struct arrival *arrival =
		has_time || arrivals->count >= ARRIVALS_MAX ? NULL : malloc(sizeof(*arrival));

	if (!arrival) {
		/* One process can map new files faster than they can be looked at. */
		if (arrivals->spent < ARRIVALS_EXCESS)
			look_at(arrivals, record);
		else
			arrivals->leave_out(arrivals->context, record);
		return;
	}
	memcpy(&arrival->record, record,
	       record->type == REC_EXEC ? sizeof(arrival->record.exec) :
					  sizeof(arrival->record.mmap));
	STAILQ_INSERT_TAIL(&arrivals->list, arrival, link);
	arrivals->count++;
}

void arrivals_finish(struct arrivals *arrivals, uint64_t until)
{
	while (arrivals->count) {
		struct arrival *arrival = first_take(arrivals);

		if (arrivals->now() < until)
			look_at(arrivals, &arrival->record.hdr);
		else
			arrivals->leave_out(arrivals->context, &arrival->record.hdr);
		free(arrival);
	}
}

bool arrivals_wait(const struct arrivals *arrivals)
{
	return arrivals->count != 0;
}
