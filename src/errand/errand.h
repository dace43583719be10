/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work that may never come to an end, done by processes that may be lost.
 *
 * A file server that is gone, or userfaultfd, keeps whatever opens, reads or touches what is theirs
 * asleep, often beyond the reach of any signal. So cutop itself does nothing of the kind: it gives such work,
 * an errand, to a worker, a process that holds nothing of cutop's but a socket, waits a
 * little, and goes on without an answer. An answer that comes later is kept until the same errand is
 * asked for again. A worker without an answer after ERRAND_LIMIT is killed; where the kernel
 * does not let it die, it is left behind. Workers are limited in number.
 *
 * All are forked by one process, which was forked early, when cutop was small and held nothing (errand_process.c).
 * For one thread at a time.
 */
#ifndef ERRAND_ERRAND_H
#define ERRAND_ERRAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/util.h"

#define ERRAND_QUESTION_MAX	(64u << 10)
#define ERRAND_FDS		3
#define ERRAND_LIMIT		(10 * NSEC_PER_SEC)
#define ERRAND_WORKERS		32

struct errand_answer {
	int result;		/* what the job returned */
	char *data;		/* @len bytes and a NUL; NULL: none */
	size_t len;
	int fds[ERRAND_FDS];	/* -1: none, or taken by the caller */
};

extern const struct errand_answer errand_nothing;

/* Frees and closes what is left in it. */
void errand_answer_free(struct errand_answer *answer);

/* What a worker does: fills @answer, which is empty, and returns its result. @fds came with the question; they are closed after it. */
typedef int errand_job(const void *question, size_t len, const int fds[ERRAND_FDS], struct errand_answer *answer);

enum errand_patience {
	ERRAND_SHORT,		/* a fraction of a second, and of the time that passes: cutop has others to serve */
	ERRAND_MEDIUM,		/* two seconds, or until a signal asks cutop to end: nothing else waits */
	ERRAND_LONG,		/* ERRAND_LIMIT, or until a signal asks cutop to end */
	ERRAND_NONE,		/* the answer goes elsewhere */
};

struct errand {
	errand_job *job;	/* one of those of errands_start() */
	const void *question;
	size_t len;
	int fds[ERRAND_FDS];	/* handed along, -1: none; they stay the caller's */
	uint64_t group;		/* what answers or does not as a whole, as a file system or a process; 0: not known */
	uint32_t uid;		/* whose doing it may be that there is no answer: a user has no more than a share of the workers */
	const char *what;	/* what did not answer then, for the user */
	enum errand_patience patience;
};

struct errands;

struct errands_settings {
	errand_job *const *jobs;
	size_t job_count;
	/* Run in the process that forks workers, before it forks any: gives up rights. Returns 0, or else it ends. */
	int (*give_up)(void);
	const struct notes *notes;
	bool patient;		/* nothing is due at a time: ERRAND_SHORT may take longer */
	uint64_t limit;		/* instead of ERRAND_LIMIT, ns; 0: that */
};

/* Returns 0, or a negative errno with @why set. @settings->jobs and ->notes are borrowed. */
int errands_start(struct errands **errands, const struct errands_settings *settings, struct reason *why);

/* Has the workers killed, and waits for none of them. */
void errands_stop(struct errands *errands);

/*
 * Returns 0 with @answer filled; -EAGAIN if the errand is under way, or waits for others of its group (ask again when
 * errands_news() has changed); -ETIMEDOUT if there was no answer, to this one or to its group, a while ago; -EBUSY
 * if there are too many workers; -EINTR if cutop is to end meanwhile (ERRAND_LONG); -EIO. With @errands NULL it is done here and now.
 */
int errand_ask(struct errands *errands, const struct errand *errand, struct errand_answer *answer);

/*
 * The same for a job that leaves something held for as long as its worker lives, memory locked, say. Returns 0 with *@hold for
 * errand_release(), or -EAGAIN etc. if that cannot be had now; nothing is held then.
 */
int errand_hold(struct errands *errands, const struct errand *errand, struct errand_answer *answer, int *hold);
void errand_release(struct errands *errands, int hold);

/* Takes answers that came late, and gives up what takes too long. To be called some times a second. */
void errands_tend(struct errands *errands);

/* Another number whenever an errand that was under way has come to its end. */
unsigned int errands_news(const struct errands *errands);

#endif
