/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log is a ring of EVENTS_MAX events: a new one replaces the oldest. */
#include "model/events.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/snapshot.h"
#include "util/utf8.h"

#define EVENTS_PER_SECOND 8
#define SECOND_NS         1000000000ull
#define TEXT_MAX          1023

#define EVENT_DESC(kind, name, title, tone) [EVENT_##kind] = { name, title, TONE_##tone },
const struct event_kind_desc event_kinds[EVENT_KIND_COUNT] = { EVENT_KINDS(EVENT_DESC) };

bool event_limit_allow(struct event_limit *limit, uint64_t time, unsigned int *hidden)
{
	*hidden = 0;
	if (time - limit->since >= SECOND_NS) {
		*hidden = limit->hidden;
		*limit = (struct event_limit){ .since = time };
	}
	if (limit->shown >= EVENTS_PER_SECOND) {
		limit->hidden++;
		return false;
	}
	limit->shown++;
	return true;
}

static struct event *event_new(struct event_log *log)
{
	struct event *event;

	log->number++;
	if (log->count < EVENTS_MAX)
		return &log->events[(log->first + log->count++) % EVENTS_MAX];
	event = &log->events[log->first];
	log->first = (log->first + 1) % EVENTS_MAX;
	free(event->text);
	free(event->detail);
	return event;
}

uint64_t events_add(struct event_log *log, const struct event *event)
{
	struct snap_detail *detail = event->detail ? malloc(sizeof(*detail)) : NULL;
	char *text = utf8_clean_copy(event->text, TEXT_MAX);
	struct event *kept;

	if (!text || !detail != !event->detail) {
		free(text);
		free(detail);
		return 0;
	}
	if (detail)
		*detail = *event->detail;
	kept = event_new(log);
	*kept = *event;
	kept->text = text;
	kept->detail = detail;
	return log->number;
}

void events_repeat(struct event_log *log, uint64_t number)
{
	uint64_t back = log->number - number; /* how many came after it */

	if (number && back < log->count)
		log->events[(log->first + log->count - 1 - back) % EVENTS_MAX].repeated++;
}

/* The first @name in @text that does not go on there, or NULL. */
static const char *name_find(const char *text, const char *name)
{
	size_t len = strlen(name);
	const char *at;

	for (at = strstr(text, name); at && isalnum((unsigned char)at[len]);)
		at = strstr(at + 1, name);
	return at;
}

static void event_rename(struct event *event, const char *old, const char *new)
{
	const char *at = name_find(event->text, old);
	char *text = NULL;

	/* Without memory it keeps its old name. */
	if (at && asprintf(&text, "%.*s%s%s", (int)(at - event->text), event->text, new,
			   at + strlen(old)) >= 0) {
		free(event->text);
		event->text = text;
	}
	if (event->detail && !strcmp(event->detail->site, old))
		snprintf(event->detail->site, sizeof(event->detail->site), "%s", new);
}

void events_rename(struct event_log *log, uint32_t program, const char *old, const char *new)
{
	size_t i;

	for (i = 0; i < log->count; i++) {
		struct event *event = &log->events[(log->first + i) % EVENTS_MAX];

		if (event->program == program)
			event_rename(event, old, new);
	}
}

const struct event *events_at(const struct event_log *log, size_t i)
{
	return &log->events[(log->first + i) % EVENTS_MAX];
}

void events_free(struct event_log *log)
{
	size_t i;

	for (i = 0; i < log->count; i++) {
		struct event *event = &log->events[(log->first + i) % EVENTS_MAX];

		free(event->text);
		free(event->detail);
	}
	log->count = 0;
}
