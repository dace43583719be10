/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events, and what is known of how they came about, as snapshots have them (snapshot.h). */
#ifndef MODEL_SNAPSHOT_EVENTS_H
#define MODEL_SNAPSHOT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/snapshot_place.h"

#define HOLDERS_MAX 5

/* A process that held memory of the device that an event is about. */
struct snap_holder {
	uint32_t pid;
	bool from_attach; /* it held at least that much */
	uint64_t live;
	char command[64];
};

#define SUSPECTS_MAX 8

/*
 * A kernel that was launched before a sticky error was reported, and is not known to have
 * succeeded.
 */
struct snap_suspect {
	char kernel[128]; /* its short name */
	int device;
	uint64_t stream;   /* the last known stream of its launches */
	bool stream_exact; /* its last launch was in this stream */
	uint64_t launches;
};

#define LINES_MAX 10

/* A call site that held memory of the device that an event is about. */
struct snap_line {
	uint64_t live, allocations; /* what was live, and in how many allocations */
	bool sampled;               /* these are estimates */
	/* As records have them; of several stacks, the one that held most */
	uint64_t site, stack;
	char text[256]; /* what it was called then */
	/*
	 * What it is called; in a snapshot only, and site NULL where its process is not kept any
	 * more
	 */
	struct snap_place where;
};

/* The circumstances of an event: as much as its kind has. */
struct snap_detail {
	int device;
	uint16_t call; /* CALL_COUNT: no call */
	int code;      /* 0: none */
	/* Bytes on the device; total 0: the event is about no device */
	uint64_t tracked, total;
	/* from the lowest to the highest address that the process held there; 0: unknown */
	uint64_t span;
	uint64_t span_free, span_gap; /* free bytes in that span, and the longest free stretch */
	/* A framework's allocator found no memory; NULL: it was a call that did */
	const char *allocator;
	uint64_t asked, allocated, reserved;     /* bytes: its request, and its figures then */
	bool has_gaps;                           /* the next two are known */
	uint64_t gaps, largest_gap;              /* bytes that were free in its segments */
	struct snap_holder holders[HOLDERS_MAX]; /* most first */
	size_t holder_count, holders_omitted;
	struct snap_suspect suspects[SUSPECTS_MAX]; /* launched last first */
	size_t suspect_count, suspects_omitted;
	bool is_fault;  /* the event is about suspects, even if there are none */
	char site[256]; /* empty: none */
	/* Of that site, as records have them; 0: not meant, or not known */
	uint64_t address, stack;
	/* In a snapshot only; site NULL where its process is not kept any more */
	struct snap_place where;
	struct snap_line lines[LINES_MAX]; /* of the event's process, most first */
	size_t line_count, lines_omitted;
};

struct snap_event {
	uint64_t time;
	uint32_t pid, program; /* program 0: of none */
	uint8_t kind;          /* enum event_kind */
	bool failed;           /* an end that is no success */
	/* Of a start or end: what the program is called, with which the text begins; else NULL */
	const char *name;
	uint64_t bytes;    /* 0: the event is about no size */
	const char *text;  /* one readable line, never NULL */
	uint64_t repeated; /* how often the same happened again without an event of its own */
	const struct snap_detail *detail; /* NULL if there is none */
};

#endif
