// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that writes down what it calls, so that a trace can be held against
 * it line by line:
 *
 *   traced_calls classes LOG   calls of every class, one thread
 *   traced_calls driver LOG    the same of the driver, by itself
 *   traced_calls threads LOG N N calls in each of 4 threads, and a stream for each
 *   traced_calls burst N       N calls of cudaSetDevice; says how many ns they took
 *   traced_calls args          launches with arguments of several types
 *   traced_calls hold          says "ready", and calls once for each line it reads
 *
 * LOG gets a JSON object per call: its name, its result's code, and those of its
 * arguments that a trace must know.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cuda_double.h"
#include "cuda_double_driver.h"

static FILE *log_file;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

/* The arguments are the members of a JSON object, by printf. */
static void __attribute__((format(printf, 3, 4)))
told(const char *call, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	pthread_mutex_lock(&log_lock);
	fprintf(log_file, "{\"call\":\"%s\",\"tid\":%ld,\"code\":%d,\"arguments\":{", call,
		syscall(SYS_gettid), code);
	vfprintf(log_file, format, args);
	fprintf(log_file, "}}\n");
	pthread_mutex_unlock(&log_lock);
	va_end(args);
}

#define CALL(name, arguments, ...) \
	do { \
		int code_ = (int)name arguments; \
\
		told(#name, code_, __VA_ARGS__); \
	} while (0)

static void scale(void)
{
}

static void plain_name(void)
{
}

static void kernels_register(void)
{
	static unsigned char image[64];
	void **fatbin = __cudaRegisterFatBinary(image);

	__cudaRegisterFunction(fatbin, (const char *)scale, (char *)"_ZN2ns5scaleIfEEvPT_ifdcb",
			       "_ZN2ns5scaleIfEEvPT_ifdcb", -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFunction(fatbin, (const char *)plain_name, (char *)"plain_name", "plain_name",
			       -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(fatbin);
}

#define AT(pointer) (unsigned long long)(uintptr_t)(pointer)

static void __attribute__((noinline)) memory_calls(void)
{
	char *a = NULL, *b = NULL, *async = NULL, *host = NULL, *managed = NULL;
	struct cudaChannelFormatDesc format =
		cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	static char pageable[4096];
	cudaArray_t array = NULL;
	cudaStream_t stream;
	void *none = NULL;
	size_t pitch, free_bytes, total;

	CALL(cudaStreamCreate, (&stream), "\"pStream\":\"0x%llx\"", AT(stream));
	CALL(cudaMalloc, ((void **)&a, 4096),
	     "\"address\":\"0x%llx\",\"bytes\":4096,\"kind\":\"device\"", AT(a));
	CALL(cudaMallocPitch, ((void **)&b, &pitch, 100, 3),
	     "\"address\":\"0x%llx\",\"bytes\":%zu,\"kind\":\"device\"", AT(b), pitch * 3);
	CALL(cudaMallocManaged, ((void **)&managed, 512, 1),
	     "\"address\":\"0x%llx\",\"bytes\":512,\"kind\":\"managed\"", AT(managed));
	CALL(cudaMallocHost, ((void **)&host, 8192),
	     "\"address\":\"0x%llx\",\"bytes\":8192,\"kind\":\"pinned\"", AT(host));
	CALL(cudaMallocArray, (&array, &format, 16, 4, 0),
	     "\"address\":\"0x%llx\",\"bytes\":256,\"kind\":\"array\"", AT(array));
	CALL(cudaMallocAsync, ((void **)&async, 64, stream),
	     "\"address\":\"0x%llx\",\"bytes\":64,\"kind\":\"async\",\"stream\":\"0x%llx\"",
	     AT(async), AT(stream));
	CALL(cudaMalloc, (&none, (size_t)1 << 60), "\"bytes\":%llu,\"kind\":\"device\"",
	     1ull << 60);
	CALL(cudaMemGetInfo, (&free_bytes, &total), "\"free\":%zu", free_bytes);

	CALL(cudaMemcpy, (a, pageable, 1000, cudaMemcpyHostToDevice),
	     "\"destination\":\"0x%llx\",\"source\":\"0x%llx\",\"bytes\":1000,\"direction\":\"H2D\"",
	     AT(a), AT(pageable));
	CALL(cudaMemcpy, (pageable, a, 10, cudaMemcpyDefault),
	     "\"destination\":\"0x%llx\",\"source\":\"0x%llx\",\"bytes\":10,\"direction\":\"default\"",
	     AT(pageable), AT(a));
	CALL(cudaMemcpyAsync, (host, a, 64, cudaMemcpyDeviceToHost, stream),
	     "\"destination\":\"0x%llx\",\"source\":\"0x%llx\",\"bytes\":64,\"direction\":\"D2H\",\"stream\":\"0x%llx\"",
	     AT(host), AT(a), AT(stream));
	CALL(cudaMemcpy2D, (b, pitch, pageable, 50, 50, 3, cudaMemcpyHostToDevice),
	     "\"destination\":\"0x%llx\",\"source\":\"0x%llx\",\"bytes\":150,\"direction\":\"H2D\"",
	     AT(b), AT(pageable));
	CALL(cudaMemset, (a, 7, 99), "\"devPtr\":\"0x%llx\",\"value\":7,\"count\":99", AT(a));
	CALL(cudaMemsetAsync, (a, -1, 99, stream),
	     "\"devPtr\":\"0x%llx\",\"value\":-1,\"count\":99,\"stream\":\"0x%llx\"", AT(a),
	     AT(stream));
	CALL(cudaStreamSynchronize, (stream), "\"stream\":\"0x%llx\"", AT(stream));

	CALL(cudaFreeAsync, (async, stream), "\"address\":\"0x%llx\",\"stream\":\"0x%llx\"",
	     AT(async), AT(stream));
	CALL(cudaFree, (a), "\"address\":\"0x%llx\"", AT(a));
	CALL(cudaFree, (a), "\"address\":\"0x%llx\"", AT(a));
	CALL(cudaFree, (NULL), "\"address\":\"0x0\"");
	CALL(cudaFree, (b), "\"address\":\"0x%llx\"", AT(b));
	CALL(cudaFree, (managed), "\"address\":\"0x%llx\"", AT(managed));
	CALL(cudaFreeHost, (host), "\"address\":\"0x%llx\"", AT(host));
	CALL(cudaFreeArray, (array), "\"address\":\"0x%llx\"", AT(array));
	CALL(cudaStreamDestroy, (stream), "\"stream\":\"0x%llx\"", AT(stream));
}

static void launch_calls(void)
{
	cudaLaunchConfig_t config = { .gridDim = { 5, 1, 1 },
				      .blockDim = { 32, 2, 1 },
				      .dynamicSmemBytes = 128 };
	struct cudaKernelNodeParams params = { .func = (void *)(uintptr_t)scale,
					       .gridDim = { 1, 1, 1 },
					       .blockDim = { 32, 1, 1 } };
	dim3 grid = { 7, 6, 5 }, block = { 64, 2, 1 }, wrong = { 100000, 1, 1 };
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	cudaEvent_t event;
	cudaGraph_t graph;

	CALL(cudaLaunchKernel, ((const void *)scale, grid, block, NULL, 48, NULL),
	     "\"kernel\":\"ns::scale\",\"grid\":[7,6,5],\"block\":[64,2,1],\"shared_bytes\":48,\"stream\":\"0x0\"");
	CALL(cudaLaunchKernel, ((const void *)plain_name, grid, wrong, NULL, 0, NULL),
	     "\"kernel\":\"plain_name\",\"grid\":[7,6,5],\"block\":[100000,1,1],\"shared_bytes\":0,\"stream\":\"0x0\"");
	CALL(cudaLaunchKernelExC, (&config, (const void *)scale, NULL),
	     "\"kernel\":\"ns::scale\",\"grid\":[5,1,1],\"block\":[32,2,1],\"shared_bytes\":128,\"stream\":\"0x0\"");
	CALL(cudaDeviceSynchronize, (), "%s", "");
	CALL(cudaEventCreate, (&event), "\"event\":\"0x%llx\"", AT(event));
	CALL(cudaEventRecord, (event, NULL), "\"event\":\"0x%llx\",\"stream\":\"0x0\"", AT(event));
	CALL(cudaEventSynchronize, (event), "\"event\":\"0x%llx\"", AT(event));
	CALL(cudaEventDestroy, (event), "\"event\":\"0x%llx\"", AT(event));
	CALL(cudaGraphCreate, (&graph, 0), "\"pGraph\":\"0x%llx\",\"flags\":0", AT(graph));
	CALL(cudaGraphAddKernelNode, (&node, graph, NULL, 0, &params),
	     "\"pGraphNode\":\"0x%llx\",\"graph\":\"0x%llx\"", AT(node), AT(graph));
	CALL(cudaGraphInstantiate, (&exec, graph, 0),
	     "\"pGraphExec\":\"0x%llx\",\"graph\":\"0x%llx\"", AT(exec), AT(graph));
	CALL(cudaGraphLaunch, (exec, NULL), "\"graphExec\":\"0x%llx\",\"stream\":\"0x0\"",
	     AT(exec));
	CALL(cudaGraphExecDestroy, (exec), "\"graphExec\":\"0x%llx\"", AT(exec));
	CALL(cudaGraphDestroy, (graph), "\"graph\":\"0x%llx\"", AT(graph));
}

static int __attribute__((noinline)) classes(void)
{
	int device = -1, code;

	kernels_register();
	CALL(cudaSetDevice, (1), "\"device\":1");
	CALL(cudaSetDevice, (99), "\"device\":99");
	CALL(cudaSetDevice, (0), "\"device\":0");
	memory_calls();
	launch_calls();
	CALL(cudaGetDevice, (&device), "\"device\":%d", device);
	code = (int)cudaGetLastError();
	told("cudaGetLastError", code, "%s", "");
	CALL(cudaDeviceReset, (), "%s", "");
	return 0;
}

static int driver(void)
{
	CUmemAllocationProp prop = { .type = 1, .location = { 1, 0 } };
	CUmemGenericAllocationHandle handle;
	CUfunction function;
	CUdeviceptr a = 0, at;
	CUcontext context;
	CUmodule module;
	char host[64];

	CALL(cuInit, (0), "\"Flags\":0");
	CALL(cuCtxCreate_v2, (&context, 0, 0), "\"pctx\":\"0x%llx\",\"flags\":0,\"dev\":0",
	     AT(context));
	CALL(cuMemAlloc_v2, (&a, 777), "\"address\":\"0x%llx\",\"bytes\":777,\"kind\":\"device\"",
	     (unsigned long long)a);
	CALL(cuMemcpyHtoD_v2, (a, host, 60),
	     "\"destination\":\"0x%llx\",\"source\":\"0x%llx\",\"bytes\":60,\"direction\":\"H2D\"",
	     (unsigned long long)a, AT(host));
	CALL(cuMemsetD8_v2, (a, 1, 60), "\"dstDevice\":\"0x%llx\",\"uc\":1,\"N\":60",
	     (unsigned long long)a);
	CALL(cuModuleLoadData, (&module, "image"), "\"module\":\"0x%llx\"", AT(module));
	if (cuModuleGetFunction(&function, module, "_Z4cubePf"))
		return 1;
	CALL(cuLaunchKernel, (function, 2, 3, 4, 32, 2, 1, 16, NULL, NULL, NULL),
	     "\"kernel\":\"cube\",\"grid\":[2,3,4],\"block\":[32,2,1],\"shared_bytes\":16,\"stream\":\"0x0\"");
	CALL(cuCtxSynchronize, (), "%s", "");
	CALL(cuMemCreate, (&handle, 2 << 20, &prop, 0),
	     "\"address\":\"0x%llx\",\"bytes\":2097152,\"kind\":\"physical\"",
	     (unsigned long long)handle);
	CALL(cuMemAddressReserve, (&at, 2 << 20, 0, 0, 0), "\"ptr\":\"0x%llx\",\"size\":2097152",
	     (unsigned long long)at);
	CALL(cuMemMap, (at, 2 << 20, 0, handle, 0), "\"ptr\":\"0x%llx\",\"size\":2097152",
	     (unsigned long long)at);
	CALL(cuMemUnmap, (at, 2 << 20), "\"ptr\":\"0x%llx\",\"size\":2097152",
	     (unsigned long long)at);
	CALL(cuMemRelease, (handle), "\"address\":\"0x%llx\"", (unsigned long long)handle);
	CALL(cuMemFree_v2, (a), "\"address\":\"0x%llx\"", (unsigned long long)a);
	CALL(cuCtxDestroy_v2, (context), "\"ctx\":\"0x%llx\"", AT(context));
	return 0;
}

static int thread_count;

static void *thread_run(void *argument)
{
	dim3 one = { 1, 1, 1 }, block = { 32, 1, 1 };
	cudaStream_t stream;
	char *p;
	int i;

	(void)argument;
	CALL(cudaStreamCreate, (&stream), "\"pStream\":\"0x%llx\"", AT(stream));
	for (i = 0; i < thread_count; i++) {
		CALL(cudaMalloc, ((void **)&p, 256 + (size_t)i),
		     "\"address\":\"0x%llx\",\"bytes\":%d", AT(p), 256 + i);
		CALL(cudaLaunchKernel, ((const void *)scale, one, block, NULL, 0, stream),
		     "\"kernel\":\"ns::scale\",\"stream\":\"0x%llx\"", AT(stream));
		CALL(cudaFree, (p), "\"address\":\"0x%llx\"", AT(p));
	}
	CALL(cudaStreamDestroy, (stream), "\"stream\":\"0x%llx\"", AT(stream));
	return NULL;
}

static int threads(int count)
{
	pthread_t list[4];
	int i;

	kernels_register();
	thread_count = count;
	for (i = 0; i < 4; i++)
		if (pthread_create(&list[i], NULL, thread_run, NULL))
			return 1;
	for (i = 0; i < 4; i++)
		pthread_join(list[i], NULL);
	return 0;
}

static int burst(long count)
{
	struct timespec begin, end;
	long i;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < count; i++)
		cudaSetDevice(0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	fprintf(stderr, "%lld\n",
		(end.tv_sec - begin.tv_sec) * 1000000000ll + end.tv_nsec - begin.tv_nsec);
	return 0;
}

static int __attribute__((noinline)) args(void)
{
	dim3 one = { 1, 1, 1 }, block = { 32, 1, 1 };
	float *pointer = (float *)(uintptr_t)0x123456789abc, number = 1.5f;
	double wide = -0.25;
	int count = -7;
	char letter = 'x';
	unsigned char flag = 1;
	void *list[] = { &pointer, &count, &number, &wide, &letter, &flag, NULL };
	void *pair[] = { &pointer, &count, NULL };

	kernels_register();
	cudaLaunchKernel((const void *)scale, one, block, list, 0, NULL);
	cudaLaunchKernel((const void *)plain_name, one, block, pair, 0, NULL);
	return 0;
}

static int hold(void)
{
	char line[16];
	void *p;

	cudaSetDevice(0);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (cudaMalloc(&p, 4242) || cudaFree(p))
			return 1;
		puts("done");
		fflush(stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	log_file = argc > 2 && strcmp(what, "burst") ? fopen(argv[2], "w") : stderr;
	if (!strcmp(what, "burst") && argc > 2)
		return burst(atol(argv[2]));
	if (!log_file)
		return 1;
	if (!strcmp(what, "classes"))
		return classes();
	if (!strcmp(what, "driver"))
		return driver();
	if (!strcmp(what, "threads") && argc > 3)
		return threads(atoi(argv[3]));
	if (!strcmp(what, "args"))
		return args();
	if (!strcmp(what, "hold"))
		return hold();
	fprintf(stderr,
		"usage: traced_calls classes LOG | driver LOG | threads LOG N | burst N | args | hold\n");
	return 2;
}
