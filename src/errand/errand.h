/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that may never finish, done by processes that may be lost. A dead file server, or
 * userfaultfd, keeps a process asleep that opens, reads or touches what it serves, often where no
 * signal reaches it. So cutop gives such work, called an errand, to a worker: a process that holds
 * nothing of cutop's but a socket. It waits a little, and goes on if there is no answer. An answer
 * that comes later is kept until the same errand is asked for again. A worker without an answer
 * after ERRAND_LIMIT is given up; if the kernel does not let it die, it is left behind. The number of
 * workers is limited. All are forked by one process, which was itself forked early, when cutop was
 * small and held nothing. For one thread at a time.
 */
#ifndef ERRAND_ERRAND_H
#define ERRAND_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/util.h"

#define ERRAND_QUESTION_MAX (64u << 10)
#define ERRAND_FDS          3
#define ERRAND_LIMIT        (10 * NSEC_PER_SEC)
#define ERRAND_WORKERS      32

struct errand_answer {
	int result; /* what the job returned */
	char *data; /* @len bytes and a NUL; NULL: no data */
	size_t len;
	int fds[ERRAND_FDS]; /* -1: none, or taken by the caller */
};

extern const struct errand_answer errand_nothing;

/* Frees and closes what is left in it. */
void errand_answer_free(struct errand_answer *answer);

/*
 * The function that a worker runs: fills @answer, which is empty, and returns its result. @fds came
 * with the question; they are closed afterwards.
 */
typedef int errand_job(const void *question, size_t len, const int fds[ERRAND_FDS],
		       struct errand_answer *answer);

enum errand_patience {
	/* a fraction of a second, and only a part of the time: cutop has other things to do */
	ERRAND_SHORT,
	/* Two seconds, or until a signal asks cutop to end: nothing else is waiting */
	ERRAND_MEDIUM,
	ERRAND_LONG, /* ERRAND_LIMIT, or until a signal asks cutop to end */
	ERRAND_NONE, /* do not wait: another process gets the answer */
};

struct errand {
	errand_job *job; /* one of the jobs given to errands_start() */
	const void *question;
	size_t len;
	int fds[ERRAND_FDS]; /* passed on to the worker, -1: none; they stay the caller's */
	/* what answers as a whole or not at all, such as a file system or a process; 0: unknown */
	uint64_t group;
	const char *what; /* what to name in a note to the user if there is no answer */
	/*
	 * CLOCK_MONOTONIC, ns: the answer to an errand that began earlier would be about something
	 * that has changed since; 0: any answer will do
	 */
	uint64_t since;
	enum errand_patience patience;
};

struct errands;

struct errands_settings {
	errand_job *const *jobs;
	size_t job_count;
	/*
	 * Run before it forks any worker, in the process that forks them: gives up rights. If it
	 * does not return 0, the process exits.
	 */
	int (*give_up)(void);
	const struct notes *notes;
	bool patient;   /* no deadline has to be met: ERRAND_SHORT may take longer */
	uint64_t limit; /* used instead of ERRAND_LIMIT, ns; 0: not used */
};

/* Returns 0, or a negative errno with @why set. @settings->jobs and ->notes are borrowed. */
int errands_start(struct errands **errands, const struct errands_settings *settings,
		  struct reason *why);

/* Kills the workers, without waiting for them. */
void errands_stop(struct errands *errands);

/*
 * Returns 0 with @answer filled; -EAGAIN if the errand is under way, or waits for others of its
 * group (ask again when errands_news() has changed: again.h); -ETIMEDOUT if it, or its group, gave no answer
 * lately; -EBUSY if there are too many workers; -EINTR if cutop has to end meanwhile (ERRAND_LONG);
 * -EIO. With @errands NULL the calling process does the job at once.
 */
int errand_ask(struct errands *errands, const struct errand *errand, struct errand_answer *answer);

/*
 * The same for a job that holds something, such as locked memory, for as long as its worker lives.
 * Returns 0 with *@hold for errand_release(), or -EAGAIN etc. if that cannot be had now; then
 * nothing is held.
 */
int errand_hold(struct errands *errands, const struct errand *errand, struct errand_answer *answer,
		int *hold);
void errand_release(struct errands *errands, int hold);

/*
 * Collects late answers, and gives up errands that take too long. To be called a few times per
 * second.
 */
void errands_tend(struct errands *errands);

/*
 * The processor time, ns, that the workers with an errand have used so far: while it grows, one of them
 * gets what it reads, be it slowly.
 */
uint64_t errands_work_ns(const struct errands *errands);

/* This number changes whenever an errand that was under way ends. */
unsigned int errands_news(const struct errands *errands);

#endif
