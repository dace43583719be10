/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What errand.c, which asks, and errand_workers.c, which has workers, share. */
#ifndef ERRAND_ERRAND_INTERNAL_H
#define ERRAND_ERRAND_INTERNAL_H

#include <sys/types.h>

#include "errand/errand.h"

#define TOLD_MAX	32	/* things that did not answer, told of */

enum worker_state { WORKER_NONE, WORKER_IDLE, WORKER_BUSY, WORKER_LATE, WORKER_HOLDING, WORKER_DYING };

/* An errand that may be asked for again. */
struct kept {
	errand_job *job;
	char *question;
	size_t len;
	uint64_t group;
	char *what;
	enum { KEPT_UNDER_WAY, KEPT_DONE, KEPT_DEAD } state;
	uint64_t until;			/* DONE, DEAD: it is forgotten then; CLOCK_MONOTONIC */
	struct errand_answer answer;	/* DONE */
	struct kept *next;
};

struct worker {
	enum worker_state state;
	int socket;
	pid_t pid;			/* 0: it has not said yet */
	uint64_t began, work;		/* when, and at how much processor time, the errand did */
	uint64_t group;
	uint32_t uid;
	struct kept *kept;		/* LATE: where its answer goes; NULL: nowhere */
};

struct errands {
	struct errands_settings settings;
	int orders;			/* -1: there is no process */
	pid_t pid;
	unsigned int starts;
	struct worker workers[ERRAND_WORKERS];
	struct kept *kept;
	size_t kept_count;
	uint64_t budget, filled;	/* ns; CLOCK_MONOTONIC */
	unsigned int news;
	char *told[TOLD_MAX];
	size_t told_count;
};

/* Each starts or ends the process that forks workers. The first returns 0 or a negative errno. */
int workers_start(struct errands *errands);
void workers_stop(struct errands *errands);

/* One to do an errand, idle; NULL: there are enough of those that do not come back, or none can be had. */
struct worker *worker_get(struct errands *errands);

size_t workers_count(const struct errands *errands, enum worker_state state);

/*
 * Waits for the worker's answer until @end (CLOCK_MONOTONIC; 0: not at all), or, with @patient, until cutop is to end. Who has no
 * processor yet has not been late. Returns 1 with @answer, 0 if there is none, -EPIPE if the worker is gone.
 */
int worker_wait(struct worker *worker, uint64_t end, bool patient, struct errand_answer *answer);

/* The processor time that @pid has taken, ns; 0 if it is not known. */
uint64_t worker_work(pid_t pid);

/* True if a signal has come that asks cutop to end, and is blocked. */
bool is_to_end(void);

/* Has it killed: it is dying until its socket is closed. */
void worker_kill(struct errands *errands, struct worker *worker);

/* It is no more, or is to end by itself. */
void worker_forget(struct errands *errands, struct worker *worker);

#endif
