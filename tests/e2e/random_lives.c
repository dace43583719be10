// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls within calls, in several threads at once, in children, and by the program that follows
 * after an exec. Left out, since cutop says that it cannot see it: what a signal handler calls
 * while its thread is inside one of the driver's. The driver runs callbacks in threads of its own,
 * where the double runs them inside the call; what they call of the driver would be taken for that
 * call's own. So they call the runtime.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "random_calls.h"

#define THREADS 3

static void inside(void *data)
{
	size_t steps = (size_t)(uintptr_t)data;
	bool runtime_only = self->runtime_only;

	self->runtime_only = true;
	self->nested++;
	while (steps--) {
		switch (any(5)) {
		case 0: step_allocate(); break;
		case 1: step_free(); break;
		case 2: step_copy(); break;
		case 3: step_callback(); break;
		default: step_launch(); break;
		}
	}
	self->nested--;
	self->runtime_only = runtime_only;
}

static void inside_stream(cudaStream_t stream, cudaError_t status, void *data)
{
	(void)stream, (void)status;
	inside(data);
}

static void inside_driver(CUstream stream, CUresult status, void *data)
{
	(void)stream, (void)status;
	inside(data);
}

void step_callback(void)
{
	void *data = (void *)(uintptr_t)any(4);
	cudaStream_t stream = any_stream();

	if (no_runtime || self->nested > 1)
		return;
	switch (any(4)) {
	case 0: EITHER(cudaLaunchHostFunc, cudaLaunchHostFunc_ptsz, stream, inside, data); break;
	case 1:
		EITHER(cudaStreamAddCallback, cudaStreamAddCallback_ptsz, stream, inside_stream,
		       data, 0);
		break;
	case 2: EITHER(cuLaunchHostFunc, cuLaunchHostFunc_ptsz, stream, inside, data); break;
	default:
		EITHER(cuStreamAddCallback, cuStreamAddCallback_ptsz, stream, inside_driver, data,
		       0);
		break;
	}
}

/* ---- threads ---- */

struct thread_task {
	pthread_t thread;
	struct actor *actor;
	unsigned long steps;
};

static void *run_thread(void *data)
{
	struct thread_task *task = data;

	self = task->actor;
	start(0);
	make_steps(task->steps);
	leave_contexts();
	unmap_all();
	return NULL;
}

/* What they leave allocated becomes the main thread's. */
void step_threads(void)
{
	struct thread_task tasks[THREADS];
	size_t i, count = 2 + any(THREADS - 1);

	if (!self->alone || self->nested)
		return;
	self->alone = self->peak_known = false;
	for (i = 0; i < count; i++) {
		tasks[i].actor = actor_new(any(1ull << 40));
		tasks[i].steps = 1 + any(300);
		pthread_create(&tasks[i].thread, NULL, run_thread, &tasks[i]);
	}
	make_steps(any(200));
	for (i = 0; i < count; i++) {
		pthread_join(tasks[i].thread, NULL);
		actor_add(self, tasks[i].actor);
	}
	self->alone = true;
	/*
	 * What leaked before, or meanwhile: its place may have been given to other threads since.
	 */
	for (i = 0; i < self->allocation_count; i++)
		self->leaks_known &= !self->allocations[i].ended;
}

/* ---- processes ---- */

/* The child owns nothing of what its parent has. */
void step_fork(void)
{
	unsigned long steps = 1 + any(300);
	uint64_t seed = any(1ull << 40);
	int device = self->device;
	pid_t child;

	if (!self->alone || self->nested || self->context || self->depth || self->is_child)
		return;
	child = fork();
	if (child > 0) {
		/* Both go on at once, as a rule. */
		if (one_in(2))
			while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
				;
		return;
	}
	if (child < 0)
		abort();
	self = actor_new(seed);
	self->alone = self->peak_known = self->leaks_known = true;
	self->is_child = true;
	loaded_module = NULL;
	start(device);
	make_steps(steps);
	actor_write(self, books_path, books_key);
	_exit(0);
}

void await_children(void)
{
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

/* Another program of the same process, which makes other calls. */
void follow(const char *letters)
{
	char seed[32], steps[32], families[64], *at;
	char *const arguments[] = {
		(char *)"random_calls", (char *)(uintptr_t)books_path, seed, steps, families, NULL
	};

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)any(1ull << 30));
	snprintf(steps, sizeof(steps), "%llu", (unsigned long long)any(300));
	snprintf(families, sizeof(families), "%s", letters);
	at = strchr(families, 'e');
	if (at)
		memmove(at, at + 1, strlen(at));
	execv("/proc/self/exe", arguments);
	abort();
}
