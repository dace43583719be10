/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts a program's calls with CUPTI, NVIDIA's own interface for profilers. Preload it and name it
 * in CUDA_INJECTION64_PATH, too, for the case that CUPTI cannot start before the driver is there;
 * at the end it writes {"name": count, ...} to the file that CUTOP_GPU_CUPTI names. A program that
 * calls _exit() leaves no file.
 */
#include <cupti.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX 2048

static struct {
	const char *name;
	unsigned long calls, failures;
} functions[2][FUNCTIONS_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUpti_SubscriberHandle subscriber;
static const char *output;
static CUptiResult problem;
static bool subscribed;

static void CUPTIAPI count_call(void *unused, CUpti_CallbackDomain domain, CUpti_CallbackId id,
				const void *argument)
{
	const CUpti_CallbackData *data = argument;
	int layer = domain == CUPTI_CB_DOMAIN_DRIVER_API;

	(void)unused;
	if (id >= FUNCTIONS_MAX || data->callbackSite != CUPTI_API_EXIT)
		return;
	pthread_mutex_lock(&lock);
	functions[layer][id].name = data->functionName;
	functions[layer][id].calls++;
	/* Both cudaError_t and CUresult are int, and 0 is success. */
	if (data->functionReturnValue && *(const int *)data->functionReturnValue)
		functions[layer][id].failures++;
	pthread_mutex_unlock(&lock);
}

static void subscribe(void)
{
	if (subscribed || !output)
		return;
	problem = cuptiSubscribe(&subscriber, count_call, NULL);
	if (!problem)
		problem = cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
	if (!problem)
		problem = cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
	subscribed = !problem;
}

__attribute__((constructor)) static void start(void)
{
	output = getenv("CUTOP_GPU_CUPTI");
	/* For this program alone, not for those that it starts. */
	unsetenv("LD_PRELOAD");
	subscribe();
}

/* The driver calls this, once it is loaded, in the library that CUDA_INJECTION64_PATH names. */
int InitializeInjection(void);
int InitializeInjection(void)
{
	subscribe();
	return 1;
}

__attribute__((destructor)) static void end(void)
{
	const char *comma = "";
	FILE *file;

	if (!output)
		return;
	if (!subscribed) {
		const char *text = NULL;

		cuptiGetResultString(problem, &text);
		fprintf(stderr, "CUPTI: %s\n", text ? text : "unknown error");
		return;
	}
	file = fopen(output, "w");
	if (!file)
		return;
	pthread_mutex_lock(&lock);
	fputc('{', file);
	for (int layer = 0; layer < 2; layer++)
		for (int id = 0; id < FUNCTIONS_MAX; id++) {
			if (!functions[layer][id].name)
				continue;
			fprintf(file, "%s\"%s\":[%lu,%lu]", comma, functions[layer][id].name,
				functions[layer][id].calls, functions[layer][id].failures);
			comma = ",";
		}
	fputs("}\n", file);
	pthread_mutex_unlock(&lock);
	fclose(file);
}
