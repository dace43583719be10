/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * close_range(2) with CLOSE_RANGE_UNSHARE (Linux 5.9) makes the table: a copy of the process's,
 * without the descriptors that the thread does not need.
 */
#include "probe/holders.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe/links.h"

#define UNSHARE     2u           /* CLOSE_RANGE_UNSHARE, linux/close_range.h */
#define STACK_BYTES (256u << 10) /* of address space; two pages are touched */

enum state {
	HOLDER_STARTS,
	HOLDER_HOLDS,
	HOLDER_FAILED,
	HOLDER_IS_RELEASED,
};

struct holder {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	enum state state;
	int links[HOLDER_LINKS];
	size_t count;
};

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Gives the thread a table with the holder's links alone. */
static int table_make(const struct holder *holder)
{
	unsigned int from = 0, flags = UNSHARE;
	size_t i;

	for (i = 0; i <= holder->count; i++) {
		unsigned int link = i < holder->count ? (unsigned int)holder->links[i] : ~0u;

		if (link > from) {
			if (syscall(SYS_close_range, from, i < holder->count ? link - 1 : ~0u,
				    flags))
				return -1;
			flags = 0;
		}
		from = link + 1;
	}
	return 0;
}

static void state_set(struct holder *holder, enum state state)
{
	pthread_mutex_lock(&holder->lock);
	holder->state = state;
	pthread_cond_broadcast(&holder->changed);
	pthread_mutex_unlock(&holder->lock);
}

static void *holder_run(void *argument)
{
	struct holder *holder = argument;

	if (table_make(holder)) {
		state_set(holder, HOLDER_FAILED);
		return NULL;
	}
	state_set(holder, HOLDER_HOLDS);
	pthread_mutex_lock(&holder->lock);
	while (holder->state == HOLDER_HOLDS)
		pthread_cond_wait(&holder->changed, &holder->lock);
	pthread_mutex_unlock(&holder->lock);
	links_close(holder->links, holder->count);
	return NULL;
}

static void holder_free(struct holder *holder)
{
	pthread_cond_destroy(&holder->changed);
	pthread_mutex_destroy(&holder->lock);
	free(holder);
}

/* Returns true once the thread has its table. */
static bool holder_begin(struct holder *holder)
{
	pthread_attr_t attributes;
	bool holds;
	int err;

	if (pthread_attr_init(&attributes))
		return false;
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	err = pthread_create(&holder->thread, &attributes, holder_run, holder);
	pthread_attr_destroy(&attributes);
	if (err)
		return false;
	pthread_mutex_lock(&holder->lock);
	while (holder->state == HOLDER_STARTS)
		pthread_cond_wait(&holder->changed, &holder->lock);
	holds = holder->state == HOLDER_HOLDS;
	pthread_mutex_unlock(&holder->lock);
	if (!holds)
		pthread_join(holder->thread, NULL);
	return holds;
}

struct holder *holder_new(const int *links, size_t count)
{
	struct holder *holder = count <= HOLDER_LINKS ? calloc(1, sizeof(*holder)) : NULL;
	size_t i;

	if (!holder)
		return NULL;
	pthread_mutex_init(&holder->lock, NULL);
	pthread_cond_init(&holder->changed, NULL);
	memcpy(holder->links, links, count * sizeof(*links));
	holder->count = count;
	qsort(holder->links, count, sizeof(*holder->links), by_number);
	if (!holder_begin(holder)) {
		holder_free(holder);
		return NULL;
	}
	for (i = 0; i < count; i++)
		close(links[i]);
	return holder;
}

void holder_release(struct holder *holder)
{
	state_set(holder, HOLDER_IS_RELEASED);
}

void holder_wait(struct holder *holder)
{
	pthread_join(holder->thread, NULL);
	holder_free(holder);
}
