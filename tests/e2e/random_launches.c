// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Launches by every function that launches, of kernels named by stub, by the runtime's handles, and
 * by the driver's; now and then with a configuration that is none. How deep the stack is changes
 * from one to the next: cutop goes by it.
 */
#include <string.h>
#include "random_calls.h"

CUmodule loaded_module; /* kept: unloaded, its handles may be given to other kernels */

/*
 * As nvcc has it, a stub's name is its kernel's: a child, which registers nothing, knows them by
 * that.
 */
#define STUB(n, name) \
	static void stub##n(void) __asm__(name); \
	static void stub##n(void) \
	{ \
		__asm__ volatile("nop" : : "i"(n)); \
	}
/* clang-format off */
STUB(0, "_Z7kernel0v") STUB(1, "_Z7kernel1Pf") STUB(2, "_Z7kernel2ii") STUB(3, "_Z7kernel3PKfi") STUB(4, "kernel4")
STUB(5, "_Z7kernel5IiEvPT_")
	/* clang-format on */
	static void (*const stubs[KERNELS])(void) = { stub0, stub1, stub2, stub3, stub4, stub5 };
static const char *const names[KERNELS] = { "_Z7kernel0v",    "_Z7kernel1Pf", "_Z7kernel2ii",
					    "_Z7kernel3PKfi", "kernel4",      "_Z7kernel5IiEvPT_" };

__attribute__((constructor)) static void register_kernels(void)
{
	static char image[16];
	void **fatbin = __cudaRegisterFatBinary(image);
	int i;

	for (i = 0; i < KERNELS; i++)
		__cudaRegisterFunction(fatbin, (const char *)(uintptr_t)stubs[i],
				       (char *)(uintptr_t)names[i], names[i], -1, NULL, NULL, NULL,
				       NULL, NULL);
	__cudaRegisterFatBinaryEnd(fatbin);
}

const void *stub_of(unsigned int kernel)
{
	return (const void *)(uintptr_t)stubs[kernel];
}

/*
 * The runtime's calls that tell handles are learnt from, and counted if they fail: the compiler
 * puts them before launches.
 */
#define TOLD(function, ...) note_failed(#function, (int)function(__VA_ARGS__))

static int note_failed(const char *name, int code)
{
	return code ? note(name, code) : 0;
}

/* A stub, or the runtime's handle: asked for once, or each time. */
const void *any_runtime_name(unsigned int kernel)
{
	cudaKernel_t *handle = &self->handles[kernel];

	switch (any(6)) {
	case 0: return TOLD(cudaGetKernel, handle, stub_of(kernel)) ? stub_of(kernel) : *handle;
	case 1: return TOLD(__cudaGetKernel, handle, stub_of(kernel)) ? stub_of(kernel) : *handle;
	case 2: return *handle ? (const void *)*handle : stub_of(kernel);
	default: return stub_of(kernel);
	}
}

/* A function of the driver's, or its kernel, likewise. NULL if that could not be had. */
CUfunction any_driver_name(unsigned int kernel)
{
	size_t way = no_runtime ? 3 : any(self->alone ? 4 : 3);
	CUfunction *function = &self->functions[kernel][way];
	cudaKernel_t handle = NULL;
	int code;

	if (*function && !one_in(4))
		return *function;
	switch (way) {
	case 0:
		code = TOLD(cudaGetFuncBySymbol, (cudaFunction_t *)function, stub_of(kernel));
		break;
	case 1: code = TOLD(cudaGetKernel, (cudaKernel_t *)function, stub_of(kernel)); break;
	case 2:
		code = TOLD(cudaGetKernel, &handle, stub_of(kernel)) ||
		       CALL(cuKernelGetFunction, function, (CUkernel)handle);
		break;
	default:
		if (!loaded_module && CALL(cuModuleLoadData, &loaded_module, "image")) {
			loaded_module = NULL;
			return NULL;
		}
		code = CALL(cuModuleGetFunction, function, loaded_module, names[kernel]);
	}
	return code ? NULL : *function;
}

static void launch_runtime(unsigned int kernel, dim3 grid, dim3 block, size_t shared,
			   cudaStream_t stream)
{
	const void *name = no_runtime ? stub_of(kernel) : any_runtime_name(kernel);
	cudaLaunchConfig_t config = { grid, block, shared, stream, NULL, 0 };
	void *args[1] = { NULL };
	int code;

	switch (any(9)) {
	case 0:
	case 1:
	case 2: code = CALL(cudaLaunchKernel, name, grid, block, args, shared, stream); break;
	case 3: code = CALL(cudaLaunchKernel_ptsz, name, grid, block, args, shared, stream); break;
	case 4: code = CALL(cudaLaunchKernelExC, &config, name, args); break;
	case 5: code = CALL(cudaLaunchKernelExC_ptsz, &config, name, args); break;
	case 6:
		code = CALL(cudaLaunchCooperativeKernel, name, grid, block, args, shared, stream);
		break;
	case 7:
		code = CALL(cudaLaunchCooperativeKernel_ptsz, name, grid, block, args, shared,
			    stream);
		break;
	default: /* which is counted as what it jumps to */
		if (!is_wanted("cudaLaunchKernel"))
			return;
		code = note("cudaLaunchKernel",
			    (int)__cudaLaunchKernel((cudaKernel_t)(uintptr_t)name, grid, block,
						    args, shared, stream));
	}
	note_launch(code, kernel);
}

static void launch_driver(unsigned int kernel, dim3 g, dim3 b, size_t shared, cudaStream_t stream)
{
	CUlaunchConfig config = { g.x,    g.y,  g.z, b.x, b.y, b.z, (unsigned int)shared,
				  stream, NULL, 0 };
	CUfunction name = no_driver || self->runtime_only ? NULL : any_driver_name(kernel);
	unsigned int bytes = (unsigned int)shared;
	int code;

	if (!name)
		return;
	switch (any(7)) {
	case 0:
	case 1:
		code = CALL(cuLaunchKernel, name, g.x, g.y, g.z, b.x, b.y, b.z, bytes, stream, NULL,
			    NULL);
		break;
	case 2:
		code = CALL(cuLaunchKernel_ptsz, name, g.x, g.y, g.z, b.x, b.y, b.z, bytes, stream,
			    NULL, NULL);
		break;
	case 3: code = CALL(cuLaunchKernelEx, &config, name, NULL, NULL); break;
	case 4: code = CALL(cuLaunchKernelEx_ptsz, &config, name, NULL, NULL); break;
	case 5:
		code = CALL(cuLaunchCooperativeKernel, name, g.x, g.y, g.z, b.x, b.y, b.z, bytes,
			    stream, NULL);
		break;
	default:
		code = CALL(cuLaunchCooperativeKernel_ptsz, name, g.x, g.y, g.z, b.x, b.y, b.z,
			    bytes, stream, NULL);
	}
	note_launch(code, kernel);
}

/* Uses up some stack first. */
static void launch_deep(unsigned int deep, unsigned int kernel, dim3 grid, dim3 block,
			size_t shared, cudaStream_t stream)
{
	volatile char room[200];

	room[deep] = 0;
	if (deep)
		launch_deep(deep - 1, kernel, grid, block, shared, stream);
	else if (one_in(2))
		launch_runtime(kernel, grid, block, shared, stream);
	else
		launch_driver(kernel, grid, block, shared, stream);
	room[deep]++;
}

void step_launch(void)
{
	unsigned int kernel = (unsigned int)any(KERNELS),
		     times = one_in(8) ? 1 + (unsigned int)any(200) : 1;
	dim3 grid = { 1 + (unsigned int)any(3), 1, 1 }, block = { 32, 1, 1 + (unsigned int)any(2) };
	cudaStream_t stream = any_stream();
	size_t shared = one_in(8) ? 1024 : 0;

	if (one_in(30))
		block.x = 4096; /* more than there are */
	while (times--)
		launch_deep((unsigned int)any(4), kernel, grid, block, shared, stream);
}
