/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log: the latest 256 things worth telling. A program that fails in a loop
 * must not push out what befell the others, so each image may tell only a few
 * of a kind per second; the next one told says how many were not.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/internal.h"

#define EVENTS_PER_SECOND 8
#define SECOND_NS 1000000000ull

#define EVENT_DESC(kind, name, title, tone) [EVENT_##kind] = { name, title, TONE_##tone },
const struct event_kind_desc event_kinds[EVENT_KIND_COUNT] = { EVENT_KINDS(EVENT_DESC) };

bool events_allow(struct image *image, enum event_kind kind, uint64_t time, unsigned int *hidden)
{
	struct event_limit *limit = &image->limits[kind];

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

static struct event *event_new(struct model *model)
{
	struct event *event;

	model->event_number++;
	if (model->event_count < EVENTS_MAX)
		return &model->events[(model->event_first + model->event_count++) % EVENTS_MAX];
	event = &model->events[model->event_first];
	model->event_first = (model->event_first + 1) % EVENTS_MAX;
	free(event->text);
	free(event->detail);
	return event;
}

static uint64_t __attribute__((format(printf, 7, 0))) add(struct model *model, struct image *image, enum event_kind kind,
							  uint64_t time, uint64_t bytes, const struct snap_detail *detail,
							  const char *format, va_list args)
{
	struct snap_detail *kept = NULL;
	char text[1024], *copy;

	vsnprintf(text, sizeof(text), format, args);
	copy = clean_copy(text, sizeof(text));
	if (copy && detail)
		kept = malloc(sizeof(*kept));
	if (!copy || (detail && !kept)) {
		free(copy);
		model->lost[LOST_MEMORY]++;
		return 0;
	}
	if (detail)
		*kept = *detail;
	*event_new(model) = (struct event){
		.time = time, .bytes = bytes, .pid = image ? image->pid : 0, .kind = (uint8_t)kind, .text = copy, .detail = kept,
	};
	return model->event_number;
}

void events_add(struct model *model, struct image *image, enum event_kind kind, uint64_t time, uint64_t bytes,
		const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(model, image, kind, time, bytes, NULL, format, args);
	va_end(args);
}

uint64_t events_add_detail(struct model *model, struct image *image, enum event_kind kind, uint64_t time, uint64_t bytes,
			   const struct snap_detail *detail, const char *format, ...)
{
	uint64_t number;
	va_list args;

	va_start(args, format);
	number = add(model, image, kind, time, bytes, detail, format, args);
	va_end(args);
	return number;
}

void events_repeat(struct model *model, uint64_t number)
{
	uint64_t back = model->event_number - number;	/* how many came after it */

	if (number && back < model->event_count)
		model->events[(model->event_first + model->event_count - 1 - back) % EVENTS_MAX].repeated++;
}

void events_free(struct model *model)
{
	size_t i;

	for (i = 0; i < model->event_count; i++) {
		struct event *event = &model->events[(model->event_first + i) % EVENTS_MAX];

		free(event->text);
		free(event->detail);
	}
	model->event_count = 0;
}
