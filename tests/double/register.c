// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What nvcc's host code registers before main, and the two ways from a stub
 * to a kernel.  One open hash table, read without a lock by every launch,
 * knows kernels by their stub's address and by the driver's handle alike.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "runtime.h"

struct rt_fatbin {
	void *image; /* programs get a pointer to this */
	CUlibrary library;
};

struct kernel {
	struct kernel *next;
	struct rt_fatbin *fatbin;
	const void *stub;
	const char *name;
	CUkernel handle;
};

struct table {
	size_t mask;
	struct slot {
		const void *_Atomic key;
		CUkernel value;
	} slot[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct table *_Atomic handles;
static size_t num_handles;
static struct kernel *stubs[4096];
static struct rt_variable *variables;
static atomic_int managed_pending;

static size_t hash(const void *key)
{
	return (size_t)(((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15ull >> 32);
}

static CUkernel lookup(const struct table *table, const void *key)
{
	const void *found;
	size_t i;

	if (!table)
		return NULL;
	for (i = hash(key);; i++) {
		const struct slot *slot = &table->slot[i & table->mask];

		found = atomic_load_explicit(&slot->key, memory_order_acquire);
		if (found == key)
			return slot->value;
		if (!found)
			return NULL;
	}
}

static void put(struct table *table, const void *key, CUkernel value)
{
	size_t i = hash(key);

	while (table->slot[i & table->mask].key)
		i++;
	table->slot[i & table->mask].value = value;
	atomic_store_explicit(&table->slot[i & table->mask].key, key, memory_order_release);
}

/* Readers may still be in the old table, so it is never freed. */
static void remember(const void *key, CUkernel value)
{
	struct table *old = handles, *new;
	size_t i, size = old ? old->mask + 1 : 0;

	if (lookup(old, key))
		return;
	if (num_handles * 2 >= size) {
		size = size ? size * 2 : 1024;
		new = calloc(1, sizeof(*new) + size * sizeof(new->slot[0]));
		if (!new)
			return;
		new->mask = size - 1;
		for (i = 0; old && i <= old->mask; i++)
			if (old->slot[i].key)
				put(new, old->slot[i].key, old->slot[i].value);
		atomic_store(&handles, new);
	}
	put(handles, key, value);
	num_handles++;
}

static CUlibrary library_of(struct rt_fatbin *fatbin)
{
	const struct dbl_export_table *exports;
	struct rt_variable *v;
	CUuuid id;

	if (fatbin->library ||
	    cuLibraryLoadData(&fatbin->library, fatbin->image, NULL, NULL, 0, NULL, NULL, 0))
		return fatbin->library;
	memcpy(&id, DBL_EXPORT_TABLE_ID, sizeof(id));
	if (!cuGetExportTable((const void **)&exports, &id))
		for (v = variables; v; v = v->next)
			if (v->fatbin == fatbin)
				exports->define_global(fatbin->library, v->name, v->size,
						       v->managed);
	return fatbin->library;
}

static struct kernel *stub_find(const void *stub)
{
	struct kernel *k;

	for (k = stubs[hash(stub) % 4096]; k; k = k->next)
		if (k->stub == stub)
			break;
	return k;
}

static CUkernel kernel_load(const void *stub)
{
	struct kernel *k;
	CUlibrary library;
	CUkernel handle = NULL;

	pthread_mutex_lock(&lock);
	k = stub_find(stub);
	if (k && !k->handle) {
		library = library_of(k->fatbin);
		if (library && !cuLibraryGetKernel(&k->handle, library, k->name)) {
			remember(stub, k->handle);
			remember(k->handle, k->handle);
		}
	}
	if (k)
		handle = k->handle;
	pthread_mutex_unlock(&lock);
	return handle;
}

CUkernel rt_kernel(const void *func)
{
	CUkernel kernel = lookup(atomic_load_explicit(&handles, memory_order_acquire), func);

	if (likely(kernel != NULL))
		return kernel;
	return func ? kernel_load(func) : NULL;
}

struct rt_variable *rt_variable(const void *symbol)
{
	struct rt_variable *v;

	pthread_mutex_lock(&lock);
	for (v = variables; v; v = v->next)
		if (v->key == symbol || (v->managed && *(void *const *)v->key == symbol))
			break;
	pthread_mutex_unlock(&lock);
	return v;
}

cudaError_t rt_variable_address(struct rt_variable *v, CUdeviceptr *ptr)
{
	CUlibrary library;
	size_t size;

	pthread_mutex_lock(&lock);
	library = library_of(v->fatbin);
	pthread_mutex_unlock(&lock);
	if (!library)
		return cudaErrorInvalidSymbol;
	return (cudaError_t)(v->managed ? cuLibraryGetManaged(ptr, &size, library, v->name) :
					  cuLibraryGetGlobal(ptr, &size, library, v->name));
}

/* Managed variables are reached through a pointer that is filled in here. */
void rt_managed_init(void)
{
	struct rt_variable *v;
	CUdeviceptr ptr;

	if (!atomic_exchange(&managed_pending, 0))
		return;
	for (v = variables; v; v = v->next)
		if (v->managed && !rt_variable_address(v, &ptr))
			*(void **)(uintptr_t)v->key = (void *)(uintptr_t)ptr;
}

API void **__cudaRegisterFatBinary(void *image)
{
	struct rt_fatbin *fatbin = calloc(1, sizeof(*fatbin));

	KEEP_FRAME();
	if (fatbin)
		fatbin->image = image;
	return (void **)fatbin;
}

API void __cudaRegisterFatBinaryEnd(void **handle)
{
	KEEP_FRAME();
	(void)handle;
}

/* Runs from atexit, when the driver may be gone: nothing is unloaded. */
API void __cudaUnregisterFatBinary(void **handle)
{
	KEEP_FRAME();
	(void)handle;
}

API void __cudaRegisterFunction(void **handle, const char *stub, char *device_fun,
				const char *device_name, int thread_limit, void *tid, void *bid,
				dim3 *block, dim3 *grid, int *warp_size)
{
	struct kernel *k = calloc(1, sizeof(*k));

	(void)device_fun, (void)thread_limit, (void)tid, (void)bid;
	(void)block, (void)grid, (void)warp_size;
	if (!k)
		return;
	k->fatbin = (struct rt_fatbin *)handle;
	k->stub = stub;
	k->name = device_name;
	pthread_mutex_lock(&lock);
	k->next = stubs[hash(stub) % 4096];
	stubs[hash(stub) % 4096] = k;
	pthread_mutex_unlock(&lock);
}

static void register_variable(void **handle, const void *key, const char *name, size_t size,
			      bool managed)
{
	struct rt_variable *v = calloc(1, sizeof(*v));

	if (!v)
		return;
	v->fatbin = (struct rt_fatbin *)handle;
	v->key = key;
	v->name = name;
	v->size = size;
	v->managed = managed;
	pthread_mutex_lock(&lock);
	v->next = variables;
	variables = v;
	pthread_mutex_unlock(&lock);
	if (managed)
		atomic_store(&managed_pending, 1);
}

API void __cudaRegisterVar(void **handle, char *host_var, char *device_address,
			   const char *device_name, int ext, size_t size, int constant, int global)
{
	(void)device_address, (void)ext, (void)constant, (void)global;
	register_variable(handle, host_var, device_name, size, false);
}

API void __cudaRegisterManagedVar(void **handle, void **host_ptr, char *device_address,
				  const char *device_name, int ext, size_t size, int constant,
				  int global)
{
	(void)device_address, (void)ext, (void)constant, (void)global;
	register_variable(handle, host_ptr, device_name, size, true);
}

API char __cudaInitModule(void **handle)
{
	KEEP_FRAME();
	(void)handle;
	if (!rt_thread_ready && rt_prepare())
		return 0;
	rt_managed_init();
	return 1;
}

/* Without a device the stub's address serves, as in NVIDIA's runtime. */
static cudaError_t get_kernel(cudaKernel_t *out, const void *stub)
{
	CUkernel kernel;

	if (!out)
		return cudaErrorInvalidValue;
	if (!rt_thread_ready && rt_prepare()) {
		*out = (cudaKernel_t)(uintptr_t)stub;
		return cudaSuccess;
	}
	kernel = rt_kernel(stub);
	if (!kernel)
		return cudaErrorInvalidDeviceFunction;
	*out = kernel;
	return cudaSuccess;
}

API cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *stub)
{
	cudaError_t err;

	SCRIPTED();
	err = get_kernel(out, stub);
	return err ? rt_fail(err) : cudaSuccess;
}

API cudaError_t cudaGetKernel(cudaKernel_t *out, const void *stub)
{
	cudaError_t err;

	SCRIPTED();
	err = get_kernel(out, stub);
	return err ? rt_fail(err) : cudaSuccess;
}

API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *func, const void *stub)
{
	CUkernel kernel;

	ENTER();
	kernel = rt_kernel(stub);
	if (!kernel)
		return rt_fail(cudaErrorInvalidDeviceFunction);
	return rt_done(cuKernelGetFunction(func, kernel));
}

API cudaError_t cudaGetSymbolAddress(void **ptr, const void *symbol)
{
	struct rt_variable *v;
	CUdeviceptr at = 0;
	cudaError_t err;

	ENTER();
	v = rt_variable(symbol);
	if (!v || !ptr)
		return rt_fail(cudaErrorInvalidSymbol);
	err = rt_variable_address(v, &at);
	*ptr = (void *)(uintptr_t)at;
	return err ? rt_fail(err) : cudaSuccess;
}
