/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log: the latest things worth telling. The books do not write into it: they return what
 * happened, and the code that takes in records passes that on (telling.h).
 */
#ifndef MODEL_EVENTS_H
#define MODEL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/limits.h"
#include "model/snapshot.h"

struct snap_detail;

struct event {
	uint64_t number;
	uint64_t time; /* CLOCK_MONOTONIC */
	uint64_t bytes;
	uint32_t pid;
	uint32_t program;           /* 0: of none */
	uint8_t kind;               /* enum event_kind */
	uint64_t repeated;          /* how often it has happened again */
	struct snap_detail *detail; /* NULL if there is none */
	/* Of a program's start or end: what the program is called, which its text goes on from */
	char *name;
	char *text;
	bool failed; /* an end that is no success */
};

struct event_log {
	struct event events[EVENTS_MAX]; /* oldest first */
	size_t count;
	uint64_t number; /* number of the latest event; the first is 1 */
};

/*
 * Limits events of a kind per process and second, so that a program that fails in a loop does not
 * push out the events of others.
 */
struct event_limit {
	uint64_t since;
	unsigned int shown, hidden;
};

/*
 * Adds a copy of @event, its text cleaned. If there is no room, the oldest is dropped that is
 * expected, and else the oldest. Returns its number, or 0 without memory.
 */
uint64_t events_add(struct event_log *log, const struct event *event);
/* @program is called @name from now on. */
void events_name(struct event_log *log, uint32_t program, const char *name);
/* In the events of @program, a place that was called @old is called @new from now on. */
void events_rename(struct event_log *log, uint32_t program, const char *old, const char *new);
/* The event with that number happened again. False: it has left the log. */
bool events_repeat(struct event_log *log, uint64_t number);
/* Of the times that the event with that number happened, the last @count were none. */
void events_take_back(struct event_log *log, uint64_t number, uint64_t count);
void events_free(struct event_log *log);

/* True if one more may be reported now; *@hidden: how many were left out since the last one. */
bool event_limit_allow(struct event_limit *limit, uint64_t time, unsigned int *hidden);

/*
 * Call sites that do the same wrong again and again: each gets one event, which counts the others
 * as long as they come one soon after the other.
 */
#define STORMS_MAX 16

/* A call site, what goes wrong there, and its event. */
struct storm {
	uint64_t site, latest;
	uint64_t event; /* number of the event, 0: none */
	uint16_t call;
	uint8_t kind; /* enum event_kind */
};

struct storms {
	struct storm list[STORMS_MAX];
};

/*
 * The storm that a failure like @like, which has no event yet, belongs to. *@is_new: it needs one;
 * otherwise the present event is repeated.
 */
struct storm *storms_find(struct storms *storms, const struct storm *like, bool *is_new);

#endif
