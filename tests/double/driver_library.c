// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Libraries, modules, kernels and functions.  The double does not read the
 * images it is given: any name is found, except one that begins with
 * "no_such_", and a kernel is made when it is first asked for.  Variables
 * have the size the runtime declared for them through the export table.
 */
#include <stdlib.h>
#include <string.h>
#include "driver.h"

#define UNDECLARED_SIZE 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct function *function_get(const void *handle)
{
	return object_check(&functions, handle);
}

static CUresult library_new(CUlibrary *out)
{
	struct library *library = object_new(&libraries);

	if (!library)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*out = (CUlibrary)library;
	return CUDA_SUCCESS;
}

static struct function *function_new(struct library *library, const char *name)
{
	struct function *f = object_new(&functions);

	if (f) {
		f->name = strdup(name);
		f->library = library;
		f->kernel = f;
		f->next = library->functions;
		library->functions = f;
	}
	return f;
}

static struct function *kernel_find(struct library *library, const char *name)
{
	struct function *f;

	if (!name || !*name || !strncmp(name, "no_such_", 8))
		return NULL;
	pthread_mutex_lock(&lock);
	for (f = library->functions; f; f = f->next)
		if (f->kernel == f && !strcmp(f->name, name))
			break;
	if (!f)
		f = function_new(library, name);
	pthread_mutex_unlock(&lock);
	return f;
}

/* What cuModuleGetFunction and cuKernelGetFunction hand out for a kernel. */
static struct function *function_of(struct function *kernel)
{
	pthread_mutex_lock(&lock);
	if (!kernel->function) {
		struct function *f = function_new(kernel->library, kernel->name);

		if (f)
			f->kernel = kernel;
		kernel->function = f;
	}
	pthread_mutex_unlock(&lock);
	return kernel->function;
}

static CUresult library_unload(struct library *library)
{
	struct function *f;
	struct global *g;
	int i;

	if (!library)
		return CUDA_ERROR_INVALID_HANDLE;
	for (f = library->functions; f; f = f->next)
		object_drop(&functions, f);
	for (g = library->globals; g; g = g->next)
		for (i = 0; i < num_devices; i++)
			if (g->address[i])
				memory_free(g->address[i],
					    1u << MEMORY_GLOBAL | 1u << MEMORY_MANAGED);
	object_drop(&libraries, library);
	return CUDA_SUCCESS;
}

static struct global *global_find(struct library *library, const char *name, size_t size,
				  bool managed)
{
	struct global *g;

	pthread_mutex_lock(&lock);
	for (g = library->globals; g; g = g->next)
		if (!strcmp(g->name, name))
			break;
	if (!g && size) {
		g = calloc(1, sizeof(*g));
		if (g) {
			g->name = strdup(name);
			g->size = size;
			g->managed = managed;
			g->next = library->globals;
			library->globals = g;
		}
	}
	pthread_mutex_unlock(&lock);
	return g;
}

CUresult library_define_global(CUlibrary handle, const char *name, size_t size, bool managed)
{
	struct library *library = object_check(&libraries, handle);

	if (!library)
		return CUDA_ERROR_INVALID_HANDLE;
	return global_find(library, name, size, managed) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/* A context's end frees the storage; the next use makes it anew. */
void libraries_reset_device(struct device *device)
{
	struct library *library;
	struct global *g;

	object_each(&libraries, library) for (g = library->globals; g; g = g->next)
		g->address[device->index] = 0;
}

static CUresult global_get(CUdeviceptr *ptr, size_t *bytes, struct library *library,
			   const char *name)
{
	struct context *ctx = current_context;
	CUresult err = CUDA_SUCCESS;
	struct global *g;
	uintptr_t *at;

	if (!ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!library)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!name || !strncmp(name, "no_such_", 8))
		return CUDA_ERROR_NOT_FOUND;
	g = global_find(library, name, UNDECLARED_SIZE, false);
	if (!g)
		return CUDA_ERROR_OUT_OF_MEMORY;
	at = &g->address[g->managed ? 0 : ctx->device->index];
	pthread_mutex_lock(&lock);
	if (!*at)
		err = memory_alloc(ctx, g->managed ? MEMORY_MANAGED : MEMORY_GLOBAL, g->size, NULL,
				   at);
	pthread_mutex_unlock(&lock);
	if (ptr)
		*ptr = *at;
	if (bytes)
		*bytes = g->size;
	return err;
}

API CUresult cuLibraryLoadData(CUlibrary *library, const void *code, int *jit, void **jit_values,
			       unsigned int num_jit, int *options, void **values, unsigned int num)
{
	(void)jit, (void)jit_values, (void)num_jit;
	(void)options, (void)values, (void)num;
	ENTER();
	return library && code ? library_new(library) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuLibraryUnload(CUlibrary library)
{
	ENTER();
	return library_unload(object_check(&libraries, library));
}

API CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary handle, const char *name)
{
	struct library *library;

	ENTER();
	library = object_check(&libraries, handle);
	if (!library || !kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	*kernel = (CUkernel)kernel_find(library, name);
	return *kernel ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

API CUresult cuLibraryGetGlobal(CUdeviceptr *ptr, size_t *bytes, CUlibrary library,
				const char *name)
{
	ENTER();
	return global_get(ptr, bytes, object_check(&libraries, library), name);
}

API CUresult cuLibraryGetManaged(CUdeviceptr *ptr, size_t *bytes, CUlibrary library,
				 const char *name)
{
	ENTER();
	return global_get(ptr, bytes, object_check(&libraries, library), name);
}

API CUresult cuModuleLoad(CUmodule *module, const char *file)
{
	ENTER_CONTEXT(ctx);
	(void)ctx;
	return module && file ? library_new((CUlibrary *)module) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	ENTER_CONTEXT(ctx);
	(void)ctx;
	return module && image ? library_new((CUlibrary *)module) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int num, int *options,
				void **values)
{
	(void)num, (void)options, (void)values;
	ENTER_CONTEXT(ctx);
	(void)ctx;
	return module && image ? library_new((CUlibrary *)module) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuModuleUnload(CUmodule module)
{
	ENTER();
	return library_unload(object_check(&libraries, module));
}

API CUresult cuModuleGetFunction(CUfunction *func, CUmodule module, const char *name)
{
	struct library *library;
	struct function *kernel;

	ENTER();
	library = object_check(&libraries, module);
	if (!library || !func)
		return CUDA_ERROR_INVALID_HANDLE;
	kernel = kernel_find(library, name);
	if (!kernel)
		return CUDA_ERROR_NOT_FOUND;
	*func = (CUfunction)function_of(kernel);
	return *func ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

API CUresult cuModuleGetGlobal_v2(CUdeviceptr *ptr, size_t *bytes, CUmodule module,
				  const char *name)
{
	ENTER();
	return global_get(ptr, bytes, object_check(&libraries, module), name);
}

API CUresult cuKernelGetFunction(CUfunction *func, CUkernel handle)
{
	struct function *kernel;

	ENTER();
	kernel = function_get(handle);
	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	*func = (CUfunction)function_of(kernel);
	return *func ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult attribute_of(int *value, int attribute, const void *handle)
{
	static const int table[] = { 1024, 0, 0, 0, 32, 89, 89, 0, 49152, -1 };

	if (!function_get(handle))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!value || attribute < 0 || attribute > 15)
		return CUDA_ERROR_INVALID_VALUE;
	*value = attribute < 10 ? table[attribute] : 0;
	return CUDA_SUCCESS;
}

API CUresult cuKernelGetAttribute(int *value, int attribute, CUkernel kernel, CUdevice dev)
{
	(void)dev;
	ENTER();
	return attribute_of(value, attribute, kernel);
}

API CUresult cuKernelSetAttribute(int attribute, int value, CUkernel kernel, CUdevice dev)
{
	(void)attribute, (void)value, (void)dev;
	ENTER();
	return function_get(kernel) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction func)
{
	ENTER();
	return attribute_of(value, attribute, func);
}

API CUresult cuFuncSetAttribute(CUfunction func, int attribute, int value)
{
	(void)attribute, (void)value;
	ENTER();
	return function_get(func) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult occupancy(int *blocks, const void *func, int block)
{
	if (!function_get(func))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!blocks || block < 1)
		return CUDA_ERROR_INVALID_VALUE;
	*blocks = block > 1024 ? 0 : 2048 / ((block + 31) / 32 * 32);
	return CUDA_SUCCESS;
}

API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction func, int block,
							 size_t shared)
{
	(void)shared;
	ENTER();
	return occupancy(blocks, func, block);
}

API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction func,
								  int block, size_t shared,
								  unsigned int flags)
{
	(void)shared, (void)flags;
	ENTER();
	return occupancy(blocks, func, block);
}
