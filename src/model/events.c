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

void events_add(struct model *model, struct image *image, enum event_kind kind, uint64_t time, uint64_t bytes,
		const char *format, ...)
{
	struct event *event;
	char text[1024];
	va_list args;
	char *copy;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = clean_copy(text, sizeof(text));
	if (!copy) {
		model->lost[LOST_MEMORY]++;
		return;
	}
	if (model->event_count == EVENTS_MAX) {
		event = &model->events[model->event_first];
		model->event_first = (model->event_first + 1) % EVENTS_MAX;
		free(event->text);
	} else {
		event = &model->events[(model->event_first + model->event_count++) % EVENTS_MAX];
	}
	*event = (struct event){
		.time = time, .bytes = bytes, .pid = image ? image->pid : 0, .kind = (uint8_t)kind, .text = copy,
	};
}

void events_free(struct model *model)
{
	size_t i;

	for (i = 0; i < model->event_count; i++)
		free(model->events[(model->event_first + i) % EVENTS_MAX].text);
	model->event_count = 0;
}
