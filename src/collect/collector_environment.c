/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The environment of a process, for the screen. It lies in the process's memory, where a page may
 * be that nothing delivers: so it is read as an errand, by the collector's thread, which asks again
 * in each turn until there is an answer. The screen goes on meanwhile.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "collect/collector_internal.h"
#include "cuda/variables.h"

#define ENVIRONMENT_MAX (256u << 10)
/* an errand has an answer before, or none: ERRAND_LIMIT */
#define ANSWER_LIMIT (15 * NSEC_PER_SEC)

static void answer_drop(struct collector *collector)
{
	free(collector->environment.answer.words);
	collector->environment.answer.words = NULL;
	collector->environment.is_done = false;
}

void collector_environment(struct collector *collector, uint32_t pid)
{
	pthread_mutex_lock(&collector->lock);
	answer_drop(collector);
	collector->environment.pid = pid;
	collector->environment.asked = clock_ns(CLOCK_MONOTONIC);
	pthread_mutex_unlock(&collector->lock);
	eventfd_write(collector->wake, 1);
}

/* True if that is the answer for good. */
static bool environment_read(struct collector *collector, uint32_t pid,
			     struct environment_answer *answer)
{
	*answer = (struct environment_answer){ .error = -EOPNOTSUPP };
	if (!collector->probe)
		return true;
	answer->words = outside_environment(probe_outside(collector->probe), (pid_t)pid,
					    ENVIRONMENT_MAX, &answer->len, &answer->error);
	if (!answer->words)
		return !outside_is_later(answer->error);
	/*
	 * At a page that is not there the kernel ends it without an error, or even the page before;
	 * a whole one ends in NUL.
	 */
	if (!answer->len)
		answer->error = -ENODATA;
	answer->is_cut = answer->len && answer->words[answer->len - 1];
	answer->len = variables_choose(answer->words, answer->len);
	return true;
}

void collector_environment_tend(struct collector *collector)
{
	struct environment *environment = &collector->environment;
	struct environment_answer answer;
	uint64_t asked;
	uint32_t pid;
	bool is_done;

	pthread_mutex_lock(&collector->lock);
	pid = environment->is_done ? 0 : environment->pid;
	asked = environment->asked;
	pthread_mutex_unlock(&collector->lock);
	if (!pid)
		return;
	is_done = environment_read(collector, pid, &answer);
	if (!is_done && clock_ns(CLOCK_MONOTONIC) - asked > ANSWER_LIMIT) {
		answer.error = -ETIMEDOUT;
		is_done = true;
	}
	if (!is_done)
		return;
	pthread_mutex_lock(&collector->lock);
	/* Another question may have come meanwhile. */
	if (environment->pid == pid && environment->asked == asked) {
		environment->answer = answer;
		environment->is_done = true;
		answer.words = NULL;
	}
	pthread_mutex_unlock(&collector->lock);
	free(answer.words);
	eventfd_write(collector->ready, 1);
}

bool collector_environment_take(struct collector *collector, struct environment_answer *answer)
{
	struct environment *environment = &collector->environment;
	bool is_done;

	pthread_mutex_lock(&collector->lock);
	is_done = environment->is_done;
	if (is_done) {
		*answer = environment->answer;
		*environment = (struct environment){ .pid = 0 };
	}
	pthread_mutex_unlock(&collector->lock);
	return is_done;
}

void collector_environment_free(struct collector *collector)
{
	answer_drop(collector);
}
