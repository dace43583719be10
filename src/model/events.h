/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log: the latest things worth telling. Books do not write into it: they return what happened, and what takes the
 * records apart tells it (telling.h).
 */
#ifndef MODEL_EVENTS_H
#define MODEL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/event_kinds.h"
#include "model/limits.h"

struct snap_detail;

struct event {
	uint64_t time;			/* CLOCK_MONOTONIC */
	uint64_t bytes;
	uint32_t pid;
	uint32_t program;		/* 0: of none */
	uint8_t kind;			/* enum event_kind */
	uint64_t repeated;		/* how often it happened again */
	struct snap_detail *detail;	/* NULL if there is none */
	char *text;
};

struct event_log {
	struct event events[EVENTS_MAX];
	size_t first, count;
	uint64_t number;		/* of the latest; they are counted from 1 */
};

/* A program that fails in a loop must not push out what befell the others: so many of a kind per process and second. */
struct event_limit {
	uint64_t since;
	unsigned int shown, hidden;
};

/* Adds a copy of @event, its text cleaned. Returns its number, or 0 without memory. */
uint64_t events_add(struct event_log *log, const struct event *event);
/* The event of that number happened again. Nothing if it has left the log. */
void events_repeat(struct event_log *log, uint64_t number);
/* The @i-th of log->count, oldest first. */
const struct event *events_at(const struct event_log *log, size_t i);
void events_free(struct event_log *log);

/* True if one more may be told now; *@hidden: how many were not since the last. */
bool event_limit_allow(struct event_limit *limit, uint64_t time, unsigned int *hidden);

#endif
