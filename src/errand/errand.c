/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The asking end. A worker is idle; at work on an errand that the caller waits for; late (the
 * caller has stopped waiting, and the answer will be kept); holding something; or dying (told to
 * exit, but not gone yet). Late and dying workers count against the limit, so that a machine full
 * of servers that do not answer has that many sleeping workers and no more.
 * Waiting is paid for from a budget, which is refilled with a part of the time that passes: however
 * many errands get no answer, cutop spends no more than that part of its time waiting. An errand
 * asked when the budget is used up is given very little time, which is enough for nearly all that
 * do get an answer.
 */
#include "errand/errand_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "errand/errand_process.h"

#define WAIT_MAX       (100 * NSEC_PER_MSEC) /* longest wait for one answer */
#define WAIT_PATIENT   NSEC_PER_SEC          /* the same with errands_settings.patient */
#define WAIT_MIN       (2 * NSEC_PER_MSEC)
#define WAIT_MEDIUM    (2 * NSEC_PER_SEC)
#define BUDGET_MAX     (400 * NSEC_PER_MSEC)
#define BUDGET_PATIENT (5 * NSEC_PER_SEC)
#define BUDGET_SHARE   10 /* one part in this many of the time that passes */
#define LONG_SLICE_MS  50 /* how often to check whether cutop has to end */
#define KEEP_DONE      (30 * NSEC_PER_SEC)
#define KEEP_DEAD      (60 * NSEC_PER_SEC)
/* How long other errands of its group are refused then */
#define GROUP_DEAD     (15 * NSEC_PER_SEC)
#define KEPT_MAX       256
#define GROUP_LATE_MAX 2 /* workers that may wait for one group */
#define USER_LATE_MAX  6 /* workers that may wait for one user's files */
#define HOLDING_MAX    16
#define IDLE_MAX       4

const struct errand_answer errand_nothing = { .fds = { -1, -1, -1 } };

void errand_answer_free(struct errand_answer *answer)
{
	int i;

	for (i = 0; i < ERRAND_FDS; i++)
		if (answer->fds[i] >= 0)
			close(answer->fds[i]);
	free(answer->data);
	*answer = errand_nothing;
}

int errands_start(struct errands **result, const struct errands_settings *settings,
		  struct reason *why)
{
	struct errands *errands = calloc(1, sizeof(*errands));
	int err;

	*result = NULL;
	if (!errands)
		return reason_set(why, -ENOMEM, "no memory");
	errands->settings = *settings;
	if (!settings->limit)
		errands->settings.limit = ERRAND_LIMIT;
	errands->orders = -1;
	errands->budget = settings->patient ? BUDGET_PATIENT : BUDGET_MAX;
	errands->filled = clock_ns(CLOCK_MONOTONIC);
	err = workers_start(errands);
	if (err) {
		free(errands);
		return reason_set(why, err, "cannot start a process: %s", strerror(-err));
	}
	*result = errands;
	return 0;
}

/* ---- errands that may be asked for again ---- */

static void kept_free(struct errands *errands, struct kept *kept)
{
	struct kept **at;

	for (at = &errands->kept; *at && *at != kept; at = &(*at)->next)
		;
	if (*at) {
		*at = kept->next;
		errands->kept_count--;
	}
	errand_answer_free(&kept->answer);
	free(kept->question);
	free(kept->what);
	free(kept);
}

static struct kept *kept_find(struct errands *errands, const struct errand *errand)
{
	struct kept *kept;

	for (kept = errands->kept; kept; kept = kept->next)
		if (kept->job == errand->job && kept->len == errand->len &&
		    !memcmp(kept->question, errand->question, errand->len))
			break;
	return kept;
}

/* Makes room for one more: drops the entry that would be forgotten first. */
static void kept_bound(struct errands *errands)
{
	struct kept *kept, *oldest = NULL;

	if (errands->kept_count < KEPT_MAX)
		return;
	for (kept = errands->kept; kept; kept = kept->next)
		if (kept->state != KEPT_UNDER_WAY && (!oldest || kept->until < oldest->until))
			oldest = kept;
	if (oldest)
		kept_free(errands, oldest);
}

static struct kept *kept_new(struct errands *errands, const struct errand *errand, uint64_t began)
{
	struct kept *kept;

	kept_bound(errands);
	kept = calloc(1, sizeof(*kept));
	if (!kept)
		return NULL;
	*kept = (struct kept){
		.job = errand->job,
		.len = errand->len,
		.group = errand->group,
		.began = began,
		.answer = errand_nothing,
		.next = errands->kept,
		.question = malloc(errand->len + 1),
		.what = errand->what ? strdup(errand->what) : NULL,
	};
	if (!kept->question) {
		free(kept->what);
		free(kept);
		return NULL;
	}
	memcpy(kept->question, errand->question, errand->len);
	errands->kept = kept;
	errands->kept_count++;
	return kept;
}

/* Prints one note for each thing that does not answer. */
static void lost_tell(struct errands *errands, const char *what)
{
	size_t i;

	for (i = 0; i < errands->told_count && what; i++)
		if (!strcmp(errands->told[i], what))
			return;
	if (!what || errands->told_count == TOLD_MAX ||
	    !(errands->told[errands->told_count] = strdup(what)))
		return;
	errands->told_count++;
	warn_user(errands->settings.notes,
		  "%s: no answer within %llu s; what is there stays unknown", what,
		  (unsigned long long)(errands->settings.limit / NSEC_PER_SEC));
}

static void kept_end(struct kept *kept, const struct errand_answer *answer, uint64_t now)
{
	kept->state = answer ? KEPT_DONE : KEPT_DEAD;
	kept->until = now + (answer ? KEEP_DONE : KEEP_DEAD);
	if (answer)
		kept->answer = *answer;
}

/* ---- looking after workers ---- */

static void late_tend(struct errands *errands, struct worker *worker, uint64_t now)
{
	struct errand_answer answer;
	int said = worker_wait(worker, 0, false, &answer);

	if (said > 0) {
		if (worker->kept)
			kept_end(worker->kept, &answer, now);
		else
			errand_answer_free(&answer);
		worker->kept = NULL;
		worker->state = WORKER_IDLE;
		errands->news++;
	} else if (said < 0 || now - worker->began > errands->settings.limit) {
		lost_tell(errands, worker->kept ? worker->kept->what : NULL);
		if (worker->kept)
			kept_end(worker->kept, NULL, now);
		if (said < 0)
			worker_forget(errands, worker);
		else
			worker_kill(errands, worker);
		errands->news++;
	}
}

/* As long as its socket is open, it sleeps somewhere in the kernel. */
static void dying_tend(struct errands *errands, struct worker *worker)
{
	struct errand_answer answer;
	int said = worker_wait(worker, 0, false, &answer);

	if (said > 0) {
		/* Given up before it had begun, it came to its end all the same. */
		errand_answer_free(&answer);
		worker_forget(errands, worker);
	} else if (said < 0) {
		worker_forget(errands, worker);
	} else if (worker->pid && !worker->was_killed) {
		worker_kill(errands, worker);
	}
}

void errands_tend(struct errands *errands)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct kept *kept, *next;
	size_t i, idle = 0;

	if (!errands)
		return;
	for (i = 0; i < ERRAND_WORKERS; i++) {
		struct worker *worker = &errands->workers[i];

		if (worker->state == WORKER_LATE)
			late_tend(errands, worker, now);
		else if (worker->state == WORKER_DYING)
			dying_tend(errands, worker);
		if (worker->state == WORKER_IDLE && ++idle > IDLE_MAX)
			worker_forget(errands, worker);
	}
	for (kept = errands->kept; kept; kept = next) {
		next = kept->next;
		if (kept->state != KEPT_UNDER_WAY && now > kept->until)
			kept_free(errands, kept);
	}
}

unsigned int errands_news(const struct errands *errands)
{
	return errands ? errands->news : 0;
}

void errands_stop(struct errands *errands)
{
	size_t i;

	if (!errands)
		return;
	workers_stop(errands);
	for (i = 0; i < ERRAND_WORKERS; i++)
		if (errands->workers[i].state != WORKER_NONE)
			worker_forget(errands, &errands->workers[i]);
	while (errands->kept)
		kept_free(errands, errands->kept);
	while (errands->told_count)
		free(errands->told[--errands->told_count]);
	free(errands);
}

/* ---- asking ---- */

static uint64_t budget_fill(struct errands *errands, uint64_t now)
{
	uint64_t most = errands->settings.patient ? BUDGET_PATIENT : BUDGET_MAX;

	errands->budget += (now - errands->filled) / BUDGET_SHARE;
	errands->filled = now;
	if (errands->budget > most)
		errands->budget = most;
	return errands->budget;
}

static uint64_t wait_choose(struct errands *errands, enum errand_patience patience, uint64_t now)
{
	uint64_t wait = budget_fill(errands, now),
		 most = errands->settings.patient ? WAIT_PATIENT : WAIT_MAX;

	if (patience == ERRAND_NONE)
		return 0;
	if (patience == ERRAND_LONG)
		return errands->settings.limit;
	if (patience == ERRAND_MEDIUM)
		return WAIT_MEDIUM;
	return wait > most ? most : wait < WAIT_MIN ? WAIT_MIN : wait;
}

/* Checks what is known about the errand's group and its user: 0, or why not to try it now. */
static int others_look(const struct errands *errands, const struct errand *errand, uint64_t now)
{
	size_t i, late = 0, of_user = 0;
	const struct kept *kept;

	for (kept = errands->kept; kept && errand->group; kept = kept->next)
		if (kept->group == errand->group && kept->state == KEPT_DEAD &&
		    now + KEEP_DEAD < kept->until + GROUP_DEAD)
			return -ETIMEDOUT;
	for (i = 0; i < ERRAND_WORKERS; i++) {
		const struct worker *worker = &errands->workers[i];

		if (worker->state != WORKER_LATE && worker->state != WORKER_DYING)
			continue;
		late += errand->group && worker->group == errand->group;
		of_user += worker->uid == errand->uid;
	}
	return late >= GROUP_LATE_MAX ? -EAGAIN : of_user >= USER_LATE_MAX ? -EBUSY : 0;
}

/*
 * Checks what is known about the errand itself: 1 with @answer, 0 if nothing is, or a negative
 * errno.
 */
static int kept_ask(struct errands *errands, const struct errand *errand, uint64_t now,
		    struct errand_answer *answer)
{
	struct kept *kept = kept_find(errands, errand);
	size_t i;

	if (!kept)
		return 0;
	if (kept->state == KEPT_UNDER_WAY && errand->patience == ERRAND_LONG) {
		for (i = 0; i < ERRAND_WORKERS && errands->workers[i].kept != kept; i++)
			;
		if (i < ERRAND_WORKERS) {
			struct pollfd wanted = { .fd = errands->workers[i].socket,
						 .events = POLLIN };

			while (!poll(&wanted, 1, LONG_SLICE_MS) && !is_to_end() &&
			       clock_ns(CLOCK_MONOTONIC) - errands->workers[i].began <
				       errands->settings.limit)
				;
		}
		errands_tend(errands);
		kept = kept_find(errands, errand);
	}
	if (!kept || kept->state == KEPT_UNDER_WAY)
		return errand->patience == ERRAND_LONG && is_to_end() ? -EINTR : -EAGAIN;
	if (kept->state == KEPT_DONE && kept->began < errand->since) {
		kept_free(errands, kept);
		return 0;
	}
	if (kept->state == KEPT_DONE) {
		*answer = kept->answer;
		kept->answer = errand_nothing;
		kept_free(errands, kept);
		return 1;
	}
	if (now < kept->until)
		return -ETIMEDOUT;
	kept_free(errands, kept);
	return 0;
}

static int question_send(struct errands *errands, struct worker *worker,
			 const struct errand *errand, bool holds)
{
	struct errand_asked asked = { .holds = holds };
	int fds[ERRAND_FDS], count = 0, i;

	for (; asked.job < errands->settings.job_count &&
	       errands->settings.jobs[asked.job] != errand->job;
	     asked.job++)
		;
	if (asked.job == errands->settings.job_count || errand->len > ERRAND_QUESTION_MAX)
		return -EINVAL;
	for (i = 0; i < ERRAND_FDS; i++)
		if (errand->fds[i] >= 0)
			fds[count++] = errand->fds[i];
	return errand_send(worker->socket, &asked, sizeof(asked), errand->question, errand->len,
			   fds, count, MSG_DONTWAIT);
}

/*
 * Has a worker do the errand. Returns 0 with @answer, or a negative errno; @worker is the one that
 * did it, or is still at it.
 */
static int errand_do(struct errands *errands, const struct errand *errand, bool holds,
		     struct errand_answer *answer, struct worker **result)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC),
		 wait = wait_choose(errands, errand->patience, now), took;
	struct worker *worker;
	int said, tries = 0;

	do {
		worker = worker_get(errands);
		if (!worker)
			return -EBUSY;
		said = question_send(errands, worker, errand, holds);
		/* An idle worker may have been killed by something else. */
		if (said == -EPIPE || said == -ECONNRESET)
			worker_forget(errands, worker);
	} while ((said == -EPIPE || said == -ECONNRESET) && tries++ < IDLE_MAX);
	if (said)
		return said == -EINVAL ? said : -EIO;
	worker->state = WORKER_BUSY;
	worker->began = now;
	worker->work = worker_work(worker->pid);
	worker->group = errand->group;
	worker->uid = errand->uid;
	said = worker_wait(worker, now + wait,
			   errand->patience == ERRAND_LONG || errand->patience == ERRAND_MEDIUM,
			   answer);
	took = clock_ns(CLOCK_MONOTONIC) - now;
	if (took > wait)
		took = wait;
	if (errand->patience == ERRAND_SHORT)
		errands->budget -= took < errands->budget ? took : errands->budget;
	*result = worker;
	if (said > 0) {
		worker->state = WORKER_IDLE;
		return 0;
	}
	if (said < 0) {
		worker_forget(errands, worker);
		return -EIO;
	}
	worker->state = WORKER_LATE;
	return errand->patience == ERRAND_LONG && is_to_end() ? -EINTR : -EAGAIN;
}

int errand_ask(struct errands *errands, const struct errand *errand, struct errand_answer *answer)
{
	uint64_t now;
	struct worker *worker;
	int known;

	*answer = errand_nothing;
	if (!errands) {
		answer->result = errand->job(errand->question, errand->len, errand->fds, answer);
		return 0;
	}
	now = clock_ns(CLOCK_MONOTONIC);
	if (errands->kept) {
		errands_tend(errands);
		known = kept_ask(errands, errand, now, answer);
		if (known)
			return known > 0 ? 0 : known;
	}
	known = others_look(errands, errand, now);
	if (known)
		return known;
	known = errand_do(errands, errand, false, answer, &worker);
	if ((known == -EAGAIN || known == -EINTR) && errand->patience != ERRAND_NONE &&
	    worker->state == WORKER_LATE)
		worker->kept = kept_new(errands, errand, worker->began);
	return known;
}

int errand_hold(struct errands *errands, const struct errand *errand, struct errand_answer *answer,
		int *hold)
{
	struct worker *worker;
	int err;

	*answer = errand_nothing;
	*hold = -1;
	if (!errands)
		return -ENOSYS;
	if (workers_count(errands, WORKER_HOLDING) >= HOLDING_MAX)
		return -EBUSY;
	err = others_look(errands, errand, clock_ns(CLOCK_MONOTONIC));
	if (!err)
		err = errand_do(errands, errand, true, answer, &worker);
	if (err == -EAGAIN && worker->state == WORKER_LATE)
		worker_kill(errands, worker);
	if (err)
		return err;
	if (answer->result) {
		worker_forget(errands, worker);
		return answer->result;
	}
	worker->state = WORKER_HOLDING;
	*hold = (int)(worker - errands->workers);
	return 0;
}

void errand_release(struct errands *errands, int hold)
{
	if (errands && hold >= 0 && hold < ERRAND_WORKERS &&
	    errands->workers[hold].state == WORKER_HOLDING)
		worker_forget(errands, &errands->workers[hold]);
}
