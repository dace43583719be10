/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread that asks libnvidia-ml (nvml_library.c), and what others take from it. */
#include "collect/nvml.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "collect/nvml_library.h"

#define INTERVAL NSEC_PER_SEC
/* Wait, after the library could not be initialized */
#define RETRY    (10 * NSEC_PER_SEC)
#define CLOSE_MS 200

struct nvml {
	pthread_t thread;
	const struct notes *notes;  /* not used once `stop` is set */
	struct nvml_functions call; /* used by the thread only, like the following */
	struct nvml_numbers numbers;
	bool told; /* the user was told why nothing is known */

	pthread_mutex_t lock; /* guards the following */
	pthread_cond_t changed;
	bool stop, ended, abandoned, answered;
	struct nvml_readings *latest; /* NULL: nothing is known */
	bool is_new;                  /* it was not passed on yet */
};

/* ---- the thread ---- */

static void tell(struct nvml *nvml, const char *text)
{
	pthread_mutex_lock(&nvml->lock);
	if (!nvml->stop && !nvml->told)
		note(nvml->notes, "nothing is known of devices: %s", text);
	nvml->told = true;
	pthread_mutex_unlock(&nvml->lock);
}

static void publish(struct nvml *nvml, struct nvml_readings *readings)
{
	struct nvml_readings *old;

	pthread_mutex_lock(&nvml->lock);
	old = nvml->latest;
	nvml->latest = readings;
	nvml->answered = nvml->is_new = true;
	pthread_cond_broadcast(&nvml->changed);
	pthread_mutex_unlock(&nvml->lock);
	nvml_readings_free(old);
}

/* Waits @ns, or until the thread is to stop. Returns true if it is. */
static bool rest(struct nvml *nvml, uint64_t ns)
{
	uint64_t until = clock_own_ns(CLOCK_MONOTONIC) + ns;
	struct timespec deadline = { (time_t)(until / NSEC_PER_SEC), (long)(until % NSEC_PER_SEC) };
	bool stop;

	pthread_mutex_lock(&nvml->lock);
	while (!nvml->stop &&
	       pthread_cond_timedwait(&nvml->changed, &nvml->lock, &deadline) != ETIMEDOUT)
		;
	stop = nvml->stop;
	pthread_mutex_unlock(&nvml->lock);
	return stop;
}

/* Asks until the library does not answer, or the thread is to stop. Returns true if it is. */
static bool ask(struct nvml *nvml)
{
	struct nvml_readings *readings;

	for (;;) {
		readings = nvml_readings_take(&nvml->call, &nvml->numbers);
		publish(nvml, readings);
		if (!readings)
			return rest(nvml, RETRY);
		if (rest(nvml, INTERVAL))
			return true;
	}
}

static void nvml_free(struct nvml *nvml)
{
	nvml_readings_free(nvml->latest);
	free(nvml->numbers.list);
	pthread_cond_destroy(&nvml->changed);
	pthread_mutex_destroy(&nvml->lock);
	free(nvml);
}

static void *nvml_run(void *argument)
{
	struct nvml *nvml = argument;
	struct reason why = { "" };
	void *library = nvml_library_load(&nvml->call, &why);
	bool over = !library, abandoned;
	int result;

	if (!library)
		tell(nvml, why.text);
	while (!over) {
		result = nvml->call.init();
		if (result == NVML_SUCCESS) {
			over = ask(nvml);
			nvml->call.shutdown();
			continue;
		}
		reason_set(&why, -EIO, "%s cannot be set up: %s (%d)", NVML_LIBRARY,
			   nvml->call.error ? nvml->call.error(result) : "error", result);
		tell(nvml, why.text);
		publish(nvml, NULL);
		over = rest(nvml, RETRY);
	}
	/* The library stays loaded: it may have started threads. */
	pthread_mutex_lock(&nvml->lock);
	nvml->ended = nvml->answered = true;
	abandoned = nvml->abandoned;
	pthread_cond_broadcast(&nvml->changed);
	pthread_mutex_unlock(&nvml->lock);
	if (abandoned)
		nvml_free(nvml);
	return NULL;
}

/* ---- called by other threads ---- */

struct nvml *nvml_open(const struct notes *notes)
{
	struct nvml *nvml = calloc(1, sizeof(*nvml));
	pthread_condattr_t attributes;

	if (!nvml)
		return NULL;
	nvml->notes = notes;
	pthread_mutex_init(&nvml->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&nvml->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	if (!pthread_create(&nvml->thread, NULL, nvml_run, nvml))
		return nvml;
	nvml_free(nvml);
	return NULL;
}

/*
 * Waits until *@what, which the lock guards, is true, for at most @ms. Called with the lock held.
 */
static void wait_until(struct nvml *nvml, const bool *what, unsigned int ms)
{
	uint64_t until = clock_own_ns(CLOCK_MONOTONIC) + ms * NSEC_PER_MSEC;
	struct timespec deadline = { (time_t)(until / NSEC_PER_SEC), (long)(until % NSEC_PER_SEC) };

	while (!*what &&
	       pthread_cond_timedwait(&nvml->changed, &nvml->lock, &deadline) != ETIMEDOUT)
		;
}

void nvml_close(struct nvml *nvml)
{
	bool ended;

	if (!nvml)
		return;
	pthread_mutex_lock(&nvml->lock);
	nvml->stop = true;
	pthread_cond_broadcast(&nvml->changed);
	wait_until(nvml, &nvml->ended, CLOSE_MS);
	ended = nvml->ended;
	nvml->abandoned = !ended;
	if (!ended)
		pthread_detach(nvml->thread);
	pthread_mutex_unlock(&nvml->lock);
	if (!ended)
		return;
	pthread_join(nvml->thread, NULL);
	nvml_free(nvml);
}

void nvml_wait(struct nvml *nvml, unsigned int ms)
{
	if (!nvml)
		return;
	pthread_mutex_lock(&nvml->lock);
	wait_until(nvml, &nvml->answered, ms);
	pthread_mutex_unlock(&nvml->lock);
}

void nvml_tell(struct nvml *nvml, const struct record_sink *sink)
{
	struct rec_hdr begin = { .type = REC_READINGS,
				 .size = sizeof(begin),
				 .time = clock_ns(CLOCK_MONOTONIC) };
	const struct nvml_readings *readings;
	size_t i;

	if (!nvml)
		return;
	pthread_mutex_lock(&nvml->lock);
	readings = nvml->latest;
	if (nvml->is_new)
		record_sink_put(sink, &begin, sizeof(begin));
	for (i = 0; nvml->is_new && readings && i < readings->device_count; i++)
		record_sink_put(sink, &readings->devices[i].hdr, sizeof(readings->devices[i]));
	for (i = 0; nvml->is_new && readings && i < readings->instance_count; i++)
		record_sink_put(sink, &readings->instances[i].hdr, sizeof(readings->instances[i]));
	for (i = 0; nvml->is_new && readings && i < readings->process_count; i++)
		record_sink_put(sink, &readings->processes[i].hdr, sizeof(readings->processes[i]));
	nvml->is_new = false;
	pthread_mutex_unlock(&nvml->lock);
}
