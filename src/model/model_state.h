/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of struct model: the programs with their books, and state that belongs to no single
 * program.
 */
#ifndef MODEL_MODEL_STATE_H
#define MODEL_MODEL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/devices.h"
#include "model/events.h"
#include "model/extra_names.h"
#include "model/programs.h"
#include "model/losses.h"
#include "model/model.h"
#include "model/readings.h"
#include "model/totals.h"
#include "model/wall_clock.h"

struct model {
	struct model_config config;
	uint64_t begun;  /* when the first program made its first call; 0: none has */
	uint64_t latest; /* time of the latest record */
	struct programs programs;
	struct device_list held_on; /* held by all processes */
	struct wall_clock clock;
	struct losses losses;
	struct snap_unseen unseen[UNSEEN_COUNT];
	struct event_log log;
	struct readings readings;
	struct extra_names extras;
	struct totals *totals; /* NULL: not asked for */
	struct snap_gone gone;

	/* for snapshots */
	uint32_t focus; /* the program whose spans are wanted */
	bool has_focus;
	bool has_snapshot;
	uint64_t snapshot_time; /* time of the previous snapshot */
	uint64_t snapshot_number;
};

/*
 * Returns the program, created if need be, or NULL with *@error set: -ENOMEM (already counted), or
 * 0 if the program has ended and was dropped.
 */
struct program *model_program(struct model *model, uint32_t number, int *error);

/* When its process began, or, if that is unknown, its first record came: CLOCK_REALTIME. */
uint64_t program_start(const struct model *model, const struct program *program);

/* Counts a loss, and reports it in the log if that is due. */
void model_lose(struct model *model, enum lost_cause cause, uint64_t count);
/*
 * To be called after something may have needed room for one more kernel: counts one loss if there
 * is none, not one per refresh.
 */
void model_lose_kernels(struct model *model, const struct program *program, bool was_full);

/*
 * Adds an event of @program (NULL: of none) to the log, with a copy of @detail (NULL: none).
 * Returns its number, or 0 without memory, which is counted.
 */
uint64_t model_tell(struct model *model, const struct program *program, enum event_kind kind,
		    uint64_t time, uint64_t bytes, const struct snap_detail *detail,
		    const char *format, ...) __attribute__((format(printf, 7, 8)));
/* The same of a start or end of @program: the text goes on from what it is called. */
void model_tell_life(struct model *model, const struct program *program, enum event_kind kind,
		     uint64_t time, bool failed, const char *text);
/* The same for the process @pid, which may have no program; 0: for none. */
uint64_t model_tell_of(struct model *model, uint32_t pid, enum event_kind kind, uint64_t time,
		       const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
