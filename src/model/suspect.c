/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rising-floor test: which call sites of a running process look like leaks. A site's time is
 * cut into windows of leak_age, starting at its first allocation; the first window is skipped. The
 * floor of a window is the smallest number of live bytes in it: allocations that come and go do not
 * raise it, those that are never freed do. The test looks at single windows and at spans of 2, 4
 * ... 1024 of them; a site is suspect when the floor of some kind of span has risen three times in
 * a row, and the suspect bytes are that rise. No timer is needed: live bytes are constant between
 * two changes, so the windows in between are closed at the next change or when they are asked for.
 */
#include "model/suspect.h"

#include <stdbool.h>
#include <stdlib.h>

#include "util/saturated.h"

#define SPANS 11 /* 1, 2, 4 ... 1024 windows */
#define RISES 3
/* After this many windows without a change, no span can have risen three times. */
#define WINDOWS_MAX (4u << (SPANS - 1))

struct span {
	uint64_t least; /* in the open span */
	uint64_t floor; /* of the last closed span */
	uint64_t base;  /* the floor before it began to rise, */
	uint64_t since; /* and the window in which the rise began */
	uint32_t rises; /* rises in a row */
	bool closed;    /* a span has been closed */
};

struct suspect {
	uint64_t start;  /* start of the first window that counts */
	uint64_t window; /* number of the open window */
	uint64_t least;  /* fewest live bytes in it so far */
	uint64_t live;   /* live bytes since the last change */
	struct span spans[SPANS];
};

static void close_span(struct span *span, uint64_t began)
{
	if (span->closed && span->least > span->floor) {
		span->rises++;
	} else {
		span->rises = 0;
		span->base = span->least;
		span->since = began;
	}
	span->floor = span->least;
	span->closed = true;
}

static void close_window(struct suspect *suspect)
{
	unsigned int i;

	for (i = 0; i < SPANS; i++) {
		struct span *span = &suspect->spans[i];
		uint64_t length = 1ull << i, at = suspect->window & (length - 1);

		if (!at || suspect->least < span->least)
			span->least = suspect->least;
		if (at == length - 1)
			close_span(span, suspect->window - at);
	}
	suspect->window++;
	suspect->least = suspect->live;
}

/* Nothing has changed for so long that only the present counts. */
static void level_off(struct suspect *suspect, uint64_t window)
{
	unsigned int i;

	for (i = 0; i < SPANS; i++)
		suspect->spans[i] = (struct span){
			.least = suspect->live,
			.floor = suspect->live,
			.base = suspect->live,
			.since = window & ~((1ull << i) - 1),
			.closed = true,
		};
	suspect->window = window;
	suspect->least = suspect->live;
}

static void advance(struct suspect *suspect, uint64_t leak_age, uint64_t now)
{
	uint64_t window;

	if (now < suspect->start)
		return;
	window = (now - suspect->start) / leak_age;
	if (window > suspect->window && window - suspect->window > WINDOWS_MAX)
		level_off(suspect, window);
	while (suspect->window < window)
		close_window(suspect);
}

void suspect_change(struct suspect **kept, uint64_t live, uint64_t leak_age, uint64_t time)
{
	struct suspect *suspect = *kept;

	if (!leak_age)
		return;
	if (!suspect) {
		if (!live)
			return;
		/* Without memory the site is not tested; its bytes are counted all the same. */
		suspect = *kept = calloc(1, sizeof(*suspect));
		if (!suspect)
			return;
		suspect->start = add_saturated(time, leak_age);
		suspect->least = suspect->live = live;
		return;
	}
	advance(suspect, leak_age, time);
	suspect->live = live;
	/* Before the first window that counts, only the live bytes at its start matter. */
	if (live < suspect->least || time < suspect->start)
		suspect->least = live;
}

uint64_t suspect_bytes(struct suspect *suspect, uint64_t leak_age, uint64_t now, uint64_t *since)
{
	uint64_t most = 0;
	unsigned int i;

	*since = UINT64_MAX;
	if (!suspect)
		return 0;
	advance(suspect, leak_age, now);
	for (i = 0; i < SPANS; i++) {
		const struct span *span = &suspect->spans[i];

		if (span->rises < RISES || span->floor - span->base <= most)
			continue;
		most = span->floor - span->base;
		*since = suspect->start + span->since * leak_age;
	}
	return most < suspect->live ? most : suspect->live;
}

bool suspect_can_tell(uint64_t first, uint64_t leak_age, uint64_t now)
{
	/* The first window is skipped; the next is the base that the others rise above. */
	return leak_age && now > first && (now - first) / leak_age >= RISES + 2;
}

void suspect_free(struct suspect **suspect)
{
	free(*suspect);
	*suspect = NULL;
}
