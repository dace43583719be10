/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/events.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/saturated.h"
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

static void event_free(struct event *event)
{
	free(event->name);
	free(event->text);
	free(event->detail);
}

/* Starts and ends are many, and say little later on: they do not push out the rest. */
static void event_drop(struct event_log *log)
{
	size_t at = 0;

	while (at < log->count && (!log->events[at].name || log->events[at].failed))
		at++;
	at = at < log->count ? at : 0;
	event_free(&log->events[at]);
	log->count--;
	memmove(&log->events[at], &log->events[at + 1], (log->count - at) * sizeof(log->events[0]));
}

uint64_t events_add(struct event_log *log, const struct event *event)
{
	struct event kept = *event;

	kept.text = utf8_clean_copy(event->text, TEXT_MAX);
	kept.name = event->name ? strdup(event->name) : NULL;
	kept.detail = event->detail ? malloc(sizeof(*kept.detail)) : NULL;
	if (!kept.text || !kept.name != !event->name || !kept.detail != !event->detail) {
		event_free(&kept);
		return 0;
	}
	if (kept.detail)
		*kept.detail = *event->detail;
	if (log->count == EVENTS_MAX)
		event_drop(log);
	kept.number = ++log->number;
	log->events[log->count++] = kept;
	return kept.number;
}

void events_name(struct event_log *log, uint32_t program, const char *name)
{
	for (size_t i = 0; i < log->count; i++) {
		struct event *event = &log->events[i];
		char *copy = event->program == program && event->name ? strdup(name) : NULL;

		if (!copy)
			continue;
		free(event->name);
		event->name = copy;
	}
}

bool events_repeat(struct event_log *log, uint64_t number)
{
	for (size_t i = log->count; i-- > 0;) {
		if (log->events[i].number != number)
			continue;
		log->events[i].repeated++;
		return true;
	}
	return false;
}

void events_take_back(struct event_log *log, uint64_t number, uint64_t count)
{
	for (size_t i = log->count; count && i-- > 0;) {
		if (log->events[i].number != number)
			continue;
		if (log->events[i].repeated >= count) {
			log->events[i].repeated -= count;
			return;
		}
		event_free(&log->events[i]);
		log->count--;
		memmove(&log->events[i], &log->events[i + 1],
			(log->count - i) * sizeof(*log->events));
		return;
	}
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
	for (size_t i = 0; i < log->count; i++)
		if (log->events[i].program == program)
			event_rename(&log->events[i], old, new);
}

void events_free(struct event_log *log)
{
	while (log->count)
		event_free(&log->events[--log->count]);
}

#define STORM_NS 10000000000ull /* what comes later is told again */

struct storm *storms_find(struct storms *storms, const struct storm *like, bool *is_new)
{
	struct storm *oldest = &storms->list[0];
	size_t i;

	*is_new = true;
	for (i = 0; i < STORMS_MAX; i++) {
		struct storm *storm = &storms->list[i];

		if (storm->event && storm->kind == like->kind && storm->call == like->call &&
		    storm->site == like->site) {
			*is_new = subtract_saturated(like->latest, storm->latest) >= STORM_NS;
			storm->latest = like->latest;
			return storm;
		}
		if (storm->latest < oldest->latest)
			oldest = storm;
	}
	return oldest;
}
