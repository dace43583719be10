/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What errand.c, which asks, and errand_workers.c, which manages workers, share. */
#ifndef ERRAND_ERRAND_INTERNAL_H
#define ERRAND_ERRAND_INTERNAL_H

#include <sys/types.h>

#include "errand/errand.h"

#define TOLD_MAX 32 /* how many things without an answer are reported */

enum worker_state {
	WORKER_NONE,
	WORKER_IDLE,
	WORKER_BUSY,
	WORKER_LATE,
	WORKER_HOLDING,
	WORKER_DYING
};

/* An errand that may be asked for again. */
struct kept {
	errand_job *job;
	char *question;
	size_t len;
	uint64_t group;
	char *what;
	enum { KEPT_UNDER_WAY, KEPT_DONE, KEPT_DEAD } state;
	uint64_t began; /* CLOCK_MONOTONIC */
	/* States DONE and DEAD: when to forget it; CLOCK_MONOTONIC */
	uint64_t until;
	struct errand_answer answer; /* state DONE */
	struct kept *next;
};

struct worker {
	enum worker_state state;
	int socket;
	pid_t pid; /* 0: it has not told its pid yet */
	bool was_killed;
	/* When the errand began, and the worker's processor time then */
	uint64_t began, work;
	uint64_t group;
	uint32_t uid;
	struct kept *kept; /* state LATE: where to put its answer; NULL: nowhere */
};

struct errands {
	struct errands_settings settings;
	int orders; /* -1: there is no process */
	pid_t pid;
	unsigned int starts;
	struct worker workers[ERRAND_WORKERS];
	struct kept *kept;
	size_t kept_count;
	uint64_t budget, filled; /* ns; CLOCK_MONOTONIC */
	unsigned int news;
	char *told[TOLD_MAX];
	size_t told_count;
};

/* Start and end the process that forks workers. The first returns 0 or a negative errno. */
int workers_start(struct errands *errands);
void workers_stop(struct errands *errands);

/* Returns an idle worker; NULL: too many do not answer, or none can be started. */
struct worker *worker_get(struct errands *errands);

size_t workers_count(const struct errands *errands, enum worker_state state);

/*
 * Waits for the worker's answer until @end (CLOCK_MONOTONIC; 0: not at all), or, with @patient,
 * until cutop has to end. Time in which the worker waits for a processor does not count. Returns 1
 * with @answer, 0 if there is none, -EPIPE if the worker is gone.
 */
int worker_wait(struct worker *worker, uint64_t end, bool patient, struct errand_answer *answer);

/* The processor time that @pid has used, ns; 0 if unknown. */
uint64_t worker_work(pid_t pid);

/* True if a blocked signal is pending that asks cutop to end. */
bool is_to_end(void);

/* Kills the worker: it counts as dying until its socket is closed. */
void worker_kill(struct errands *errands, struct worker *worker);

/* The worker is gone, or will end by itself. */
void worker_forget(struct errands *errands, struct worker *worker);

#endif
