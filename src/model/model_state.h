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
#include <linux/types.h>

#include "cutop_event.h"
#include "model/devices.h"
#include "model/events.h"
#include "model/model.h"
#include "model/name_store.h"
#include "model/program.h"

/* What was lost, by cause: in the kernel and in the collector, which report totals, and here. */
struct losses {
	uint64_t fed[LOST_FED_COUNT]; /* lost by the BPF side and by the collector */
	uint64_t own[LOST_COUNT];     /* lost here */
	uint64_t told[LOST_COUNT];    /* when the log last reported it */
};

uint64_t losses_total(const struct losses *losses, enum lost_cause cause);

/*
 * The wall clock time at an instant of CLOCK_MONOTONIC: the wall clock may be set while cutop runs,
 * or the machine may sleep.
 */
#define CLOCK_STEPS_MAX 64

/* CLOCK_MONOTONIC and CLOCK_REALTIME at one instant, ns; valid from then on. */
struct clock_step {
	uint64_t mono, real;
};

struct wall_clock {
	struct clock_step start;                  /* when watching began */
	struct clock_step steps[CLOCK_STEPS_MAX]; /* the latest last */
	size_t count;
};

void wall_clock_set(struct wall_clock *clock, uint64_t mono, uint64_t real);
uint64_t wall_clock_at(const struct wall_clock *clock, uint64_t mono);

struct totals;

/*
 * What the first calls of a pool that the user describes did: whether they are what they should be.
 * Of blocks those count that lie in memory of CUDA's.
 */
struct pool_trial {
	unsigned int requests, handed_out, taken_back;
};

#define POOL_TRIAL 1000 /* requests */

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
	struct pool_trial pool_trials[POOLS_MAX];
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
/* The same of the total lost to @cause since the start. For causes below LOST_FED_COUNT. */
void model_lost(struct model *model, enum lost_cause cause, uint64_t total);
/*
 * To be called after something may have needed room for one more kernel: counts one loss if there
 * is none, not one per refresh.
 */
void model_lose_kernels(struct model *model, const struct program *program, bool was_full);

/* Adds a copy of @event to the log; if there is no memory, that is counted. */
void model_log(struct model *model, const struct event *event);
/*
 * Adds an event of @program (NULL: of none) to the log, with a copy of @detail (NULL: none).
 * Returns its number, or 0 without memory, which is counted.
 */
uint64_t model_tell(struct model *model, const struct program *program, enum event_kind kind,
		    uint64_t time, uint64_t bytes, const struct snap_detail *detail,
		    const char *format, ...) __attribute__((format(printf, 7, 8)));

/* How programs begin and end, and which are dropped when too many have ended. */
/* The first hooked call of @program, according to its record. */
void lives_begin(struct model *model, struct program *program, const struct rec_process *record);
void lives_end(struct model *model, struct program *program, const struct rec_end *record);
/* No further row of the program @number will come: the contents of its graphs may be dropped. */
void lives_settle(struct model *model, uint32_t number);
/* At @now, missing frees should have been seen: those that were not are lost. */
void lives_expire(struct model *model, struct program *program, uint64_t now);
/* Before a snapshot: drops what the user cleared. */
void lives_clear(struct model *model);
/*
 * After one, which has shown each: drops the oldest exited processes, but never the latest, if too
 * much is kept of all of them.
 */
void lives_bound(struct model *model);

/*
 * What becomes known about a program's devices only after it has used them: how it numbers them,
 * from its environment; on which it works, from the driver. Its books are corrected then.
 */
/* own_devices_learn() returned 1 for @program; @was_unknown: own_devices_are_unknown(), before. */
void device_numbers_learned(struct model *model, struct program *program, bool was_unknown);
/* To be called before anything depends on it: the driver may have listed processes since. */
void device_numbers_listed(struct model *model);

#endif
