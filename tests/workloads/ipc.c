// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two processes on the same memory.  The first allocates 1 MiB, fills it and
 * hands out the memory and an event; the other, another program image, opens
 * both, sees the bytes, leaves its own and records the event.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "workload.h"

#define SIZE ((size_t)1 << 20)

struct handles {
	cudaIpcMemHandle_t memory;
	cudaIpcEventHandle_t event;
};

static void bytes_are(const char *ptr, int value)
{
	char *host = malloc(SIZE);
	size_t i;

	MUST(cudaMemcpy(host, ptr, SIZE, cudaMemcpyDeviceToHost));
	for (i = 0; i < SIZE; i++)
		if (host[i] != (char)value) {
			fprintf(stderr, "workload: byte %zu is %d, not %d\n", i, host[i], value);
			exit(1);
		}
	free(host);
}

static pid_t other_start(int *to)
{
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		exit(1);
	pid = fork();
	if (pid)
		close(ends[0]);
	*to = ends[1];
	if (pid)
		return pid;
	close(ends[1]);
	dup2(ends[0], 0);
	execl("/proc/self/exe", options.program, "ipc-other", NULL);
	_exit(126);
}

/*
 * 2 allocations here, 1 MiB and one beside it that must keep its bytes; the other shares 1 MiB and
 * owns nothing.
 */
int ipc(void)
{
	struct handles handles;
	cudaEvent_t event, plain;
	char *ptr, *beside;
	int to, status = 1;
	pid_t pid;

	pid = other_start(&to);
	MUST(cudaMalloc((void **)&ptr, SIZE));
	MUST(cudaMalloc((void **)&beside, SIZE));
	MUST(cudaMemset(ptr, 5, SIZE));
	MUST(cudaMemset(beside, 6, SIZE));
	MUST(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | 4));
	MUST(cudaEventCreate(&plain));
	MUST(cudaIpcGetMemHandle(&handles.memory, ptr));
	MUST(cudaIpcGetEventHandle(&handles.event, event));
	if (cudaIpcGetEventHandle(&handles.event, plain) != cudaErrorInvalidResourceHandle)
		return 1;
	if (pid < 0 || write(to, &handles, sizeof(handles)) != (ssize_t)sizeof(handles))
		return 1;
	close(to);
	if (waitpid(pid, &status, 0) != pid || status)
		return 1;
	MUST(cudaEventSynchronize(event));
	bytes_are(ptr, 7);
	bytes_are(beside, 6);
	MUST(cudaEventDestroy(plain));
	MUST(cudaEventDestroy(event));
	MUST(cudaFree(beside));
	MUST(cudaFree(ptr));
	return 0;
}

int ipc_other(void)
{
	struct handles handles;
	cudaEvent_t event;
	char *ptr;

	if (read(0, &handles, sizeof(handles)) != (ssize_t)sizeof(handles))
		return 1;
	MUST(cudaIpcOpenMemHandle((void **)&ptr, handles.memory, 1));
	MUST(cudaIpcOpenEventHandle(&event, handles.event));
	bytes_are(ptr, 5);
	MUST(cudaMemset(ptr, 7, SIZE));
	MUST(cudaEventRecord(event, NULL));
	MUST(cudaEventDestroy(event));
	MUST(cudaIpcCloseMemHandle(ptr));
	return 0;
}
