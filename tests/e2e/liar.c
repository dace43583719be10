// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that lies to whoever watches: a CUDA runtime and driver of its own,
 * whose functions do nothing but claim to have succeeded, called with what
 * nobody should believe, at full speed. It lives as long as it says itself.
 *
 *   liar WHAT N [wait]    N times; then it says "ready" and waits for the end of its input
 *
 * sizes      SIZE_MAX, sizes whose product overflows, arrays, copies and launches
 *            of them; ranges that overlap, the same address again and again
 * frees      of what was never allocated, twice, in the middle of something
 * pointers   out arguments, structs, lists and names that are not mapped, are the
 *            kernel's, or end with their page without a NUL
 * live       an allocation of its own each time, never freed
 * sites      each from a call site of its own
 * kernels    a kernel of its own each time, with a name of its own of nearly 4 KiB,
 *            full of control bytes and of what is no UTF-8, or one that grows when demangled
 * streams    an asynchronous copy into a stream of its own
 * contexts   a context of its own, with an allocation in it
 * graphs     a graph, a node, an executable graph, a launch; a capture that is never ended
 * handles    a handle of its own, and another name for it
 * errors     a failure with a code of its own, at every function in turn
 * devices    a device number of its own
 * modules    from another mapping of the same file
 * threads    a thread of its own, called something with control bytes
 * all        everything above in turn, N rounds of 1,000
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "cuda_double.h"
#include "cuda_double_driver.h"
#include "program.h"

static unsigned long given, result; /* what functions write, and return */

static uintptr_t bad_page; /* mapped, and not accessible */

/* Writes what was given where it may be written. */
static void put(void *p)
{
	uintptr_t at = (uintptr_t)p;

	if (at > 0x10000 && !(at >> 47) && at != bad_page && at != 0x3ffffffff000)
		memcpy(p, &given, sizeof(given));
}

/* At -O0 each begins with a push. */
#define LIE(name, args, out) \
	OPAQUE cudaError_t name args \
	{ \
		put(out); \
		return (cudaError_t)result; \
	}
#define DRIVER_LIE(name, args, out) \
	OPAQUE CUresult name args \
	{ \
		put(out); \
		return (CUresult)result; \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"
LIE(cudaMalloc, (void **p, size_t size), p)
LIE(cudaMallocManaged, (void **p, size_t size, unsigned int flags), p)
LIE(cudaMallocHost, (void **p, size_t size), p)
LIE(cudaMallocAsync, (void **p, size_t size, cudaStream_t stream), p)
LIE(cudaFree, (void *p), NULL)
LIE(cudaMallocArray,
    (cudaArray_t * array, const struct cudaChannelFormatDesc *desc, size_t width, size_t height,
     unsigned int flags),
    array)
LIE(cudaMalloc3DArray,
    (cudaArray_t * array, const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
     unsigned int flags),
    array)
LIE(cudaMallocMipmappedArray,
    (cudaMipmappedArray_t * array, const struct cudaChannelFormatDesc *desc,
     struct cudaExtent extent, unsigned int levels, unsigned int flags),
    array)
LIE(cudaHostRegister, (void *p, size_t size, unsigned int flags), NULL)
LIE(cudaMemcpy, (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind), NULL)
LIE(cudaMemcpy2D,
    (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
     enum cudaMemcpyKind kind),
    NULL)
LIE(cudaMemcpy3D, (const struct cudaMemcpy3DParms *params), NULL)
LIE(cudaMemcpyAsync,
    (void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream), NULL)
LIE(cudaLaunchKernel,
    (const void *function, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
    NULL)
LIE(cudaLaunchKernelExC, (const cudaLaunchConfig_t *config, const void *function, void **args),
    NULL)
LIE(__cudaGetKernel, (cudaKernel_t * kernel, const void *stub), kernel)
LIE(cudaSetDevice, (int device), NULL)
LIE(cudaDeviceSynchronize, (void), NULL)
LIE(cudaGraphCreate, (cudaGraph_t * graph, unsigned int flags), graph)
LIE(cudaGraphAddKernelNode,
    (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t *list, size_t count,
     const struct cudaKernelNodeParams *params),
    node)
LIE(cudaGraphInstantiate, (cudaGraphExec_t * exec, cudaGraph_t graph, unsigned long long flags),
    exec)
LIE(cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), NULL)
LIE(cudaStreamBeginCapture, (cudaStream_t stream, int mode), NULL)
DRIVER_LIE(cuCtxCreate_v2, (CUcontext * context, unsigned int flags, CUdevice device), context)
DRIVER_LIE(cuMemAlloc_v2, (CUdeviceptr * p, size_t size), p)
DRIVER_LIE(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name),
	   function)

OPAQUE cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
	put(p);
	if ((uintptr_t)pitch > 0x10000)
		*pitch = width;
	return (cudaError_t)result;
}

OPAQUE cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent)
{
	if ((uintptr_t)p > 0x10000 && (uintptr_t)p >> 47 == 0) {
		p->ptr = (void *)given;
		p->pitch = extent.width;
	}
	return (cudaError_t)result;
}

OPAQUE void __cudaRegisterFunction(void **image, const char *stub, char *function, const char *name,
				   int limit, void *tid, void *bid, dim3 *block, dim3 *grid,
				   int *size)
{
}

/* ---- lies ---- */

#define KERNEL_ADDRESS ((void *)0xffff888000001000)
#define NOT_MAPPED     ((void *)0x3ffffffff000)

static const dim3 one = { 1, 1, 1 };

/* A number that looks like no other. */
static unsigned long unlike(unsigned long i)
{
	return 0x100000000000 + (i + 1) * 4096;
}

static void sizes(unsigned long i)
{
	static const size_t values[] = { SIZE_MAX,        SIZE_MAX / 2 + 1, 1ul << 62, 1,
					 (1ul << 32) + 1, (size_t)-4096,    0 };
	struct cudaChannelFormatDesc desc = { 0x7fffffff, -1, 32, 32, cudaChannelFormatKindFloat };
	size_t size = values[i % 7], pitch;
	struct cudaExtent extent = { size, SIZE_MAX, values[i / 7 % 7] };
	struct cudaMemcpy3DParms params = { .extent = extent,
					    .kind = (enum cudaMemcpyKind)(i % 9) };
	dim3 huge = { 0xffffffff, 0xffffffff, 0xffffffff };
	struct cudaPitchedPtr pitched;
	void *p;

	given = 0x200000000000 + i % 5 * 100;
	cudaMalloc(&p, size);
	cudaMallocManaged(&p, size, 0);
	cudaMallocHost(&p, size);
	given = (unsigned long)-1 - i % 3;
	cudaMalloc(&p, size);
	cudaMallocPitch(&p, &pitch, size, SIZE_MAX);
	cudaMalloc3D(&pitched, extent);
	cudaMallocArray((cudaArray_t *)&p, &desc, size, size, 0);
	cudaMalloc3DArray((cudaArray_t *)&p, &desc, extent, 0);
	cudaMallocMipmappedArray((cudaMipmappedArray_t *)&p, &desc, extent, 0xffffffff, 0);
	cudaHostRegister((void *)(given - i % 2), size, 0);
	cudaMemcpy(p, &p, size, (enum cudaMemcpyKind)(i % 9 ? i % 9 : 0x7fffffff));
	cudaMemcpy2D(p, size, &p, size, size, size, (enum cudaMemcpyKind)(i % 5));
	cudaMemcpy3D(&params);
	cudaMemcpyAsync(p, KERNEL_ADDRESS, size, cudaMemcpyDefault, (cudaStream_t)(i % 3));
	cudaLaunchKernel(KERNEL_ADDRESS, huge, huge, KERNEL_ADDRESS, size, KERNEL_ADDRESS);
	cudaDeviceSynchronize();
}

static void frees(unsigned long i)
{
	void *p;

	cudaFree((void *)unlike(i));
	cudaFree((void *)unlike(i));
	given = unlike(i);
	cudaMalloc(&p, 4096);
	cudaFree((char *)p + 100);
	cudaFree(p);
	cudaFree(p);
	cudaFree(KERNEL_ADDRESS);
}

static char *page_end; /* 16 bytes without a NUL, then nothing mapped */

static void pointers(unsigned long i)
{
	void *const bad[] = { NULL,       (void *)8,        KERNEL_ADDRESS,
			      NOT_MAPPED, (void *)bad_page, (void *)-1l };
	void *p = bad[i % 6];
	unsigned long stub = unlike(i % 4096);

	given = 0x1234;
	cudaMalloc(p, 100);
	cudaMallocPitch(p, NULL, 100, 100);
	cudaMallocArray(p, p, 100, 100, 0);
	cudaMalloc3D(NULL, (struct cudaExtent){ 1, 1, 1 });
	cudaMemcpy3D(p);
	cudaMemcpyAsync(p, p, 100, cudaMemcpyDefault, p);
	cudaLaunchKernelExC(p, p, p);
	__cudaGetKernel(p, p);
	cuModuleGetFunction(p, p, p);
	cuCtxCreate_v2(p, 0, 0);
	cudaGraphCreate(p, 0);
	cudaGraphAddKernelNode(p, p, p, SIZE_MAX, p);
	cudaGraphInstantiate(p, p, 0);
	__cudaRegisterFunction(NULL, (const char *)stub, i % 2 ? p : page_end, p, -1, NULL, NULL,
			       NULL, NULL, NULL);
	cudaLaunchKernel((void *)stub, one, one, p, 0, NULL);
}

static void live(unsigned long i)
{
	void *p;

	given = unlike(i);
	cudaMalloc(&p, 100);
}

/*
 * push %rbp; mov %rsp,%rbp; mov $cudaMalloc,%rax; call *%rax; pop %rbp; ret - again and again: each
 * call a site of its own
 */
static void sites(unsigned long i)
{
	static unsigned char *code;
	unsigned char *at;
	void *p;

	if (i % 65536 == 0)
		code = mmap(NULL, 65536 * 32, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		exit(3);
	at = code + i % 65536 * 32;
	memcpy(at, "\x55\x48\x89\xe5\x48\xb8", 6);
	memcpy(at + 6, &(void *){ (void *)(uintptr_t)cudaMalloc }, 8);
	memcpy(at + 14, "\xff\xd0\x5d\xc3", 4);
	given = unlike(i % 1000);
	((cudaError_t(*)(void **, size_t))(uintptr_t)at)(&p, 10);
	cudaFree(p);
}

/* Names stay where they are: they are read at the launch. */
static void kernels(unsigned long i)
{
	static const char evil[] =
		"\x1b]0;owned\x07\x1b[31m\r\n\t\"\\<>{}\xff\xfe\xc0\x80\x80\xf5\x01\x7f\xc2\x9b"
		"2J";
	static char name[5000];
	unsigned long stub = unlike(i), n;

	if (i % 3 == 0) {
		for (n = 0; n < 4080; n++)
			name[n] = evil[n % (sizeof(evil) - 1)];
		snprintf(name + 4000, 90, "%lu", i);
	} else if (i % 3 == 1) {
		/* Substitutions, each twice as long as the one before. */
		n = (unsigned long)snprintf(name, sizeof(name), "_Z1f%luI", i);
		while (n < 200)
			n += (unsigned long)snprintf(name + n, sizeof(name) - n, "St4pairIS_S_E");
		snprintf(name + n, sizeof(name) - n, "EvS_S0_S1_S2_S3_S4_S5_S6_S7_S8_S9_SA_SB_SC_");
	} else {
		n = (unsigned long)snprintf(name, sizeof(name), "_Z%luk", 4000 + i % 90);
		memset(name + n, 'x', 4070);
		snprintf(name + 4050, 90, "%luv", i);
	}
	__cudaRegisterFunction(NULL, (const char *)stub, name, name, -1, NULL, NULL, NULL, NULL,
			       NULL);
	cudaLaunchKernel((void *)stub, one, one, NULL, 0, NULL);
}

static void streams(unsigned long i)
{
	cudaMemcpyAsync((void *)unlike(i), &i, 100,
			i % 2 ? cudaMemcpyHostToDevice : cudaMemcpyDefault,
			(cudaStream_t)unlike(i));
}

static void contexts(unsigned long i)
{
	CUcontext context;
	CUdeviceptr p;

	given = unlike(i);
	cuCtxCreate_v2(&context, 0, (CUdevice)(i % 7));
	cuMemAlloc_v2(&p, 100);
}

static void graphs(unsigned long i)
{
	struct cudaKernelNodeParams params = { .func = (void *)unlike(i % 1000),
					       .gridDim = one,
					       .blockDim = one };
	cudaGraph_t graph;
	cudaGraphNode_t node;
	cudaGraphExec_t exec;

	given = unlike(i);
	cudaGraphCreate(&graph, 0);
	cudaGraphAddKernelNode(&node, graph, NULL, 0, &params);
	cudaGraphInstantiate(&exec, graph, 0);
	cudaGraphLaunch(exec, NULL);
	cudaStreamBeginCapture((cudaStream_t)unlike(i), 0);
	cudaLaunchKernel((void *)unlike(i % 1000), one, one, NULL, 0, (cudaStream_t)unlike(i));
}

static void handles(unsigned long i)
{
	cudaKernel_t kernel;
	CUfunction function;
	char name[64];

	given = unlike(i);
	__cudaGetKernel(&kernel, (void *)unlike(i + 1));
	snprintf(name, sizeof(name), "\x1b[2Jfunction %lu", i);
	given = unlike(i) + 8;
	cuModuleGetFunction(&function, NULL, name);
}

static void errors(unsigned long i)
{
	void *p = NULL;

	result = 1 + i;
	switch (i % 5) {
	case 0: cudaMalloc(&p, 1); break;
	case 1: cudaFree((void *)unlike(i)); break;
	case 2: cudaMemcpy(&p, &p, 1, cudaMemcpyHostToHost); break;
	case 3: cudaLaunchKernel((void *)unlike(1), one, one, NULL, 0, NULL); break;
	default: cudaSetDevice((int)i);
	}
	result = 0;
}

static void devices(unsigned long i)
{
	void *p;

	cudaSetDevice((int)(i * 7919 - 5));
	given = unlike(i % 1000);
	cudaMalloc(&p, 100);
	cudaMemcpy(p, &p, 8, cudaMemcpyHostToDevice);
	cudaLaunchKernel((void *)unlike(1), one, one, NULL, 0, NULL);
	cudaFree(p);
	cudaSetDevice(0);
}

/*
 * "push; mov; pop; ret" around cudaFree(NULL), at the end of a file of our own that is mapped again
 * and again.
 */
static void modules(unsigned long i)
{
	static int file = -1;
	unsigned char *code;
	void *p;

	if (file < 0) {
		file = memfd_create("lib\x1b[31m\nliar", 0);
		if (ftruncate(file, 4096))
			exit(3);
		code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		memcpy(code, "\x55\x48\x89\xe5\x48\xb8", 6);
		memcpy(code + 6, &(void *){ (void *)(uintptr_t)cudaMalloc }, 8);
		memcpy(code + 14, "\xff\xd0\x5d\xc3", 4);
	}
	code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
	if (code == MAP_FAILED)
		return; /* sooner or later there are too many */
	given = unlike(i % 1000);
	((cudaError_t(*)(void **, size_t))(uintptr_t)code)(&p, 10);
	cudaFree(p);
	if (i % 2)
		munmap(code, 4096);
}

static void *thread_run(void *i)
{
	prctl(PR_SET_NAME, "\x1b]0;t\x07\n\"\\");
	live((unsigned long)i % 100);
	return NULL;
}

static void threads(unsigned long i)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, thread_run, (void *)i))
		pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	void (*lie)(unsigned long i);
} lies[] = {
	{ "sizes", sizes },     { "frees", frees },       { "pointers", pointers },
	{ "live", live },       { "sites", sites },       { "kernels", kernels },
	{ "streams", streams }, { "contexts", contexts }, { "graphs", graphs },
	{ "handles", handles }, { "errors", errors },     { "devices", devices },
	{ "modules", modules }, { "threads", threads },
};

#define LIES (sizeof(lies) / sizeof(lies[0]))

int main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 0) : 0, i, j, k;
	long page = sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED || mprotect(map + page, (size_t)page, PROT_NONE))
		return 3;
	bad_page = (uintptr_t)(map + page);
	page_end = map + page - 16;
	memset(page_end, 'n', 16);
	prctl(PR_SET_NAME, "\x1b[31m\nliar\"\\");
	for (j = 0; argc > 1 && j < LIES; j++) {
		if (strcmp(argv[1], lies[j].name))
			continue;
		/* "later": not before a line was read, but for one call that is true */
		if (argc > 3 && !strcmp(argv[3], "later")) {
			live(0);
			puts("ready");
			fflush(stdout);
			getchar();
		}
		for (i = 0; i < n; i++)
			lies[j].lie(i);
		if (argc > 3 && !strcmp(argv[3], "wait")) {
			puts("ready");
			fflush(stdout);
			getchar();
		}
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "all")) {
		for (i = 0; i < n; i++)
			for (j = 0; j < LIES; j++)
				for (k = 0; k < 1000; k++)
					lies[j].lie(i * 1000 + k);
		return 0;
	}
	fputs("usage: liar WHAT N, see its first lines\n", stderr);
	return 2;
}
