/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/cost.h"

#include <math.h>
#include <string.h>

#include "util/saturated.h"
#include "util/util.h"

/* Nothing changes in less; so what is given up is not taken back at once. */
#define STEP (10 * NSEC_PER_SEC)
/* A program that pays less than this part of a processor is left alone. */
#define WORTH 0.01
/* A kind that takes less than this part of the budget is not worth giving up. */
#define WORTH_GIVING 0.1
/* What is taken back has to fit into this part of the budget. */
#define ROOM       0.8
#define PAUSE      (60 * NSEC_PER_SEC) /* until something is tried again, doubled each time */
#define PAUSE_MAX  (3600 * NSEC_PER_SEC)
#define WINDOW     NSEC_PER_SEC
#define WINDOW_MAX 60 /* seconds */

/* How long launches were watched, up to @now. */
static void launches_note(struct cost *cost, uint64_t now)
{
	if (cost->ticked && !(cost->missing & 1u << SPARE_LAUNCHES)) {
		cost->launches_ns += now - cost->ticked;
		cost->step_launches_ns += now - cost->ticked;
	}
	cost->ticked = now;
}

void cost_miss(struct cost *cost, unsigned int missing, uint64_t now)
{
	launches_note(cost, now);
	cost->missing = missing;
}

void cost_count(struct cost *cost, double hit_ns, uint64_t now)
{
	for (int kind = 0; kind <= SPARE_COUNT; kind++) {
		double more = fmax(cost->hits[kind] - cost->before[kind], 0) * hit_ns;

		cost->paid += more;
		cost->step_paid[kind] += more;
		cost->before[kind] = cost->hits[kind];
		cost->hits[kind] = 0;
	}
	launches_note(cost, now);
	if (!cost->stepped && cost->cpu_ns) {
		cost->stepped = now;
		cost->step_cpu_ns = cost->cpu_ns;
	}
}

static double paid_in_step(const struct cost *cost)
{
	double paid = 0;

	for (int kind = 0; kind <= SPARE_COUNT; kind++)
		paid += cost->step_paid[kind];
	return paid;
}

/* The processor time in the step that the program used for itself. */
static double own_in_step(const struct cost *cost)
{
	return fmax((double)subtract_saturated(cost->cpu_ns, cost->step_cpu_ns) -
			    paid_in_step(cost),
		    1);
}

double cost_share(const struct cost *cost)
{
	return cost->cpu_ns > cost->step_cpu_ns ? paid_in_step(cost) / own_in_step(cost) : 0;
}

static void step_begin(struct cost *cost, uint64_t now)
{
	cost->stepped = now;
	cost->step_cpu_ns = cost->cpu_ns;
	cost->step_launches_ns = 0;
	memset(cost->step_paid, 0, sizeof(cost->step_paid));
}

/* How many seconds one window comes in, so that launches of @full take @left at most. */
static unsigned int window_of(double full, double left)
{
	double seconds = ceil(full / fmax(left, full / WINDOW_MAX));

	return seconds < 2 ? 2 : (unsigned int)fmin(seconds, WINDOW_MAX);
}

/* Gives up what makes @share too much. */
static bool give_up(struct cost *cost, double budget, double share, uint64_t now)
{
	unsigned int before = cost->given;

	for (int kind = 0; kind < SPARE_COUNT && share > budget; kind++) {
		double part = cost->step_paid[kind] / own_in_step(cost);

		if (cost->given & 1u << kind) {
			if (kind == SPARE_LAUNCHES)
				cost->window_of =
					(unsigned int)fmin(2 * cost->window_of, WINDOW_MAX);
			continue;
		}
		if (part < budget * WORTH_GIVING)
			continue;
		cost->given |= 1u << kind;
		cost->share[kind] = part;
		cost->pause[kind] = cost->pause[kind] ? cost->pause[kind] * 2 : PAUSE;
		if (cost->pause[kind] > PAUSE_MAX)
			cost->pause[kind] = PAUSE_MAX;
		cost->retry[kind] = now + cost->pause[kind];
		share -= part;
		if (kind == SPARE_LAUNCHES) {
			cost->window_of = window_of(part, budget * 0.9 - share);
			cost->window = now;
		}
	}
	return cost->given != before;
}

/* Takes back what was given up last, if there is room for it, or if it is time to try. */
static bool take_back(struct cost *cost, double budget, double share, uint64_t now)
{
	int kind = SPARE_COUNT - 1;
	double full;

	while (kind >= 0 && !(cost->given & 1u << kind))
		kind--;
	if (kind < 0)
		return false;
	full = cost->share[kind];
	if (kind == SPARE_LAUNCHES) {
		double part = cost->step_paid[kind] / own_in_step(cost);

		if (!cost->step_launches_ns)
			return false;
		/* What they take is seen in the windows: nothing has to be tried. */
		full = part * (double)(now - cost->stepped) / (double)cost->step_launches_ns;
		share -= part;
	}
	if (share + full > budget * ROOM && (kind == SPARE_LAUNCHES || now < cost->retry[kind]))
		return false;
	if (share + full <= budget * ROOM)
		cost->pause[kind] = 0;
	cost->given &= ~(1u << kind);
	return true;
}

bool cost_decide(struct cost *cost, double budget, uint64_t now)
{
	uint64_t step = STEP;
	double share;
	bool changed;

	if (cost->given & 1u << SPARE_LAUNCHES && cost->window_of * WINDOW > step)
		step = cost->window_of * WINDOW;
	if (!cost->stepped || now - cost->stepped < step)
		return false;
	share = cost_share(cost);
	if (share > budget && paid_in_step(cost) > WORTH * (double)(now - cost->stepped))
		changed = give_up(cost, budget, share, now);
	else
		changed = take_back(cost, budget, share, now);
	step_begin(cost, now);
	return changed;
}

unsigned int cost_unwanted(struct cost *cost, uint64_t now)
{
	unsigned int launches = 1u << SPARE_LAUNCHES;

	if (!(cost->given & launches))
		return cost->given;
	if (now - cost->window >= cost->window_of * WINDOW)
		cost->window = now;
	/* The window is at the end, so that the first second of being given up shows. */
	return now - cost->window >= (cost->window_of - 1) * WINDOW ? cost->given & ~launches :
								      cost->given;
}
