// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernels that are compiled while the program runs, by NVIDIA's NVRTC, which
 * is looked for at run time: 77 without it.  Every name the driver is asked
 * for is one that the compiler gave, and stands in its code.
 *
 * By a module: scale<float> 3 launches, plain 2. By a library: scale<double> 4
 * by the kernel's handle, demo::fill 5 by the function's. No failures.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cuda_double_driver.h"
#include "program.h"

typedef struct program *program;

static const char source[] =
	"template<typename T> __global__ void scale(T *x, T by, int n)\n"
	"{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= by; }\n"
	"namespace demo { __global__ void fill(int *x, int value) { x[threadIdx.x] = value; } }\n"
	"extern \"C\" __global__ void plain(int *x) { x[0] = 1; }\n";

static const char *const expressions[] = { "scale<float>", "scale<double>", "demo::fill", "plain" };
enum { FLOATS, DOUBLES, FILL, PLAIN, NUM };

static void *compiler_open(void)
{
	static const char *const names[] = {
		"libnvrtc.so.13",
		"libnvrtc.so.12",
		"libnvrtc.so",
		"/usr/local/cuda/lib64/libnvrtc.so",
	};
	void *library = NULL;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]) && !library; i++)
		library = dlopen(names[i], RTLD_NOW);
	if (!library) {
		fputs("compiled: no NVRTC\n", stderr);
		exit(77);
	}
	return library;
}

static void *function(void *library, const char *name)
{
	void *at = dlsym(library, name);

	must(!at, name);
	return at;
}

/*
 * Returns the code, and in @lowered what each of the expressions is called there; both are never
 * freed.
 */
static char *compile(const char *lowered[NUM])
{
	void *library = compiler_open();
	int (*create)(program *, const char *, const char *, int, const char **, const char **) =
		(int (*)(program *, const char *, const char *, int, const char **,
			 const char **))function(library, "nvrtcCreateProgram");
	int (*expect)(program, const char *) =
		(int (*)(program, const char *))function(library, "nvrtcAddNameExpression");
	int (*build)(program, int, const char **) =
		(int (*)(program, int, const char **))function(library, "nvrtcCompileProgram");
	int (*name)(program, const char *, const char **) =
		(int (*)(program, const char *, const char **))function(library,
									"nvrtcGetLoweredName");
	int (*size_of)(program, size_t *) =
		(int (*)(program, size_t *))function(library, "nvrtcGetPTXSize");
	int (*code_of)(program, char *) =
		(int (*)(program, char *))function(library, "nvrtcGetPTX");
	program compiled;
	size_t size;
	char *code;
	int i;

	MUST(create(&compiled, source, "kernels.cu", 0, NULL, NULL));
	for (i = 0; i < NUM; i++)
		MUST(expect(compiled, expressions[i]));
	MUST(build(compiled, 0, NULL));
	MUST(size_of(compiled, &size));
	code = malloc(size);
	must(!code, "malloc");
	MUST(code_of(compiled, code));
	for (i = 0; i < NUM; i++) {
		MUST(name(compiled, expressions[i], &lowered[i]));
		must(!strstr(code, lowered[i]), lowered[i]);
	}
	return code;
}

static void launch(CUfunction function, int times)
{
	CUdeviceptr data = 0;
	int n = 0;
	void *args[] = { &data, &n, &n };

	while (times--)
		MUST(cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
}

int main(void)
{
	const char *lowered[NUM];
	char *code = compile(lowered);
	CUfunction function;
	CUlibrary library;
	CUcontext context;
	CUmodule module;
	CUkernel kernel;

	MUST(cuInit(0));
	MUST(cuDevicePrimaryCtxRetain(&context, 0));
	MUST(cuCtxSetCurrent(context));

	MUST(cuModuleLoadData(&module, code));
	MUST(cuModuleGetFunction(&function, module, lowered[FLOATS]));
	launch(function, 3);
	MUST(cuModuleGetFunction(&function, module, lowered[PLAIN]));
	launch(function, 2);
	MUST(cuCtxSynchronize());
	MUST(cuModuleUnload(module));

	MUST(cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0));
	MUST(cuLibraryGetKernel(&kernel, library, lowered[DOUBLES]));
	launch((CUfunction)kernel, 4);
	MUST(cuLibraryGetKernel(&kernel, library, lowered[FILL]));
	MUST(cuKernelGetFunction(&function, kernel));
	launch(function, 5);
	MUST(cuCtxSynchronize());
	MUST(cuLibraryUnload(library));
	MUST(cuDevicePrimaryCtxRelease_v2(0));
	return 0;
}
