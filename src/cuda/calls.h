/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for what the tables in include/ number: calls, groups, kinds, directions, causes. */
#ifndef CUDA_CALLS_H
#define CUDA_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

#include "cutop_calls.h"
#include "cutop_event.h"

extern const struct call_desc call_descs[CALL_COUNT];
/* Options of each table line: CUTOP_OPTION_... */
extern const uint64_t call_options[CALL_COUNT];
/* Arguments of each call: cutop_call_table.h */
extern const char *const call_signatures[CALL_COUNT];

/* The function's symbol; "?" for an unknown number. */
const char *call_name(unsigned int call);
extern const char *const call_names[];

const char *call_layer_name(unsigned int layer); /* "runtime", "driver", "probe" */

/* The layer of @call; LAYER_EXTRA for a function that is not in the table. */
enum call_layer call_layer(unsigned int call);

extern const char *const call_group_names[GROUP_COUNT];      /* "memory", "copies", ... */
extern const char *const alloc_kind_names[KIND_COUNT];       /* "device", "managed", ... */
extern const char *const copy_direction_names[DIR_COUNT];    /* "H2H", ..., "unknown" */
extern const char *const copy_mode_names[2];                 /* "sync", "async" */
extern const char *const unseen_cause_names[UNSEEN_COUNT];   /* as in JSON */
extern const char *const unreturned_names[UNRETURNED_COUNT]; /* "seccomp", ... */
extern const char *const spare_names[SPARE_COUNT];           /* "blocks", ... */
extern const char *const lost_cause_names[LOST_COUNT];       /* "ring_full", ... */

/* True if losing records to @cause loses only names: the figures stay right. */
bool lost_is_names(enum lost_cause cause);

/*
 * Which argument of @call is its stream: CUTOP_STREAM_..., cutop_event.h. Set for copies and
 * synchronizing calls only.
 */
unsigned int call_stream(unsigned int call);

/*
 * Names and kinds of the arguments of calls whose class does not say what their arguments mean
 * (struct rec_call, words).
 */
enum argument_kind {
	ARGUMENT_POINTER, /* or a handle: shown in hexadecimal */
	ARGUMENT_STREAM,
	ARGUMENT_COUNT, /* 64 bits */
	ARGUMENT_U32,
	ARGUMENT_S32,
	ARGUMENT_FLOAT, /* only as a result */
};

struct call_argument {
	const char *name; /* not ended by NUL; its length: */
	size_t name_len;
	enum argument_kind kind;
	unsigned int word; /* which integer register it stands in, from 0 */
	bool is_out;       /* it points at a result of that kind */
	/* The first such argument: what it points at is read if the call succeeded */
	bool is_result;
};

/*
 * Steps through the arguments of @call: *@state is 0 at first. Returns false after the last one, or
 * at once if the table says nothing about them.
 */
bool call_argument_next(unsigned int call, unsigned int *state, struct call_argument *argument);

/*
 * Which argument of @call is read after it succeeded: CUTOP_TRACED_OUT and so on, cutop_event.h; 0:
 * none.
 */
unsigned int call_out(unsigned int call);

#endif
