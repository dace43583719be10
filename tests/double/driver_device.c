// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Initialisation, devices and contexts.  The devices are all alike; how many
 * and how large comes from CUDA_DOUBLE_DEVICES and CUDA_DOUBLE_MEMORY.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver.h"

struct device devices[MAX_DEVICES];
int num_devices = 1;
bool driver_ready;
_Thread_local struct context *current_context;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int sticky;

/*
 * A child of fork cannot use its parent's contexts; here it starts afresh,
 * owning nothing, so that its first allocations get its parent's addresses.
 */
void driver_forked(void)
{
	objects_reset();
	memory_reset();
	ipc_forked();
	atomic_store(&sticky, 0);
}

static void shut_down(void)
{
	atomic_store(&sticky, CUDA_ERROR_DEINITIALIZED);
	atomic_fetch_or(&dbl_attention, DBL_STICKY);
}

/*
 * With CUDA_DOUBLE_EXIT in the environment the driver shuts down in an exit handler, as NVIDIA's
 * does.
 */
static void start_up(void)
{
	const char *text = getenv("CUDA_DOUBLE_DEVICES");
	size_t total = (size_t)16 << 30, stride;
	int i;

	if (text)
		num_devices = atoi(text);
	if (num_devices < 0)
		num_devices = 0;
	if (num_devices > MAX_DEVICES)
		num_devices = MAX_DEVICES;
	text = getenv("CUDA_DOUBLE_MEMORY");
	if (text)
		total = dbl_parse_size(text);
	stride = DEVICE_STRIDE;
	while (stride < 2 * total)
		stride *= 2;
	for (i = 0; i < num_devices; i++) {
		struct device *d = &devices[i];

		d->index = i;
		d->total = total;
		d->primary.device = d;
		d->primary.primary = true;
		d->primary.legacy.ctx = &d->primary;
		d->default_pool.device = d;
		d->pool = &d->default_pool;
		atomic_store(&d->primary.object.alive, 1);
		atomic_store(&d->default_pool.object.alive, 1);
		if (!arena_reserve(&d->arena, 0x10000000000 + (uintptr_t)i * stride, stride, true))
			num_devices = i;
	}
	arena_reserve(&managed_arena, 0x20000000000, 2 * stride, true);
	arena_reserve(&host_arena, 0x28000000000, stride, true);
	arena_reserve(&virtual_arena, 0x30000000000, 4 * stride, false);
	pthread_atfork(NULL, NULL, driver_forked);
	if (getenv("CUDA_DOUBLE_EXIT"))
		atexit(shut_down);
	driver_ready = num_devices > 0;
}

/*
 * What ends a sticky error under CUDA_DOUBLE_HEAL, and what the runtime asks to know which context
 * it would reset.
 */
static bool passes_sticky(const char *function)
{
	return !strncmp(function, "cuGetError", 10) ||
	       (driver_heals() && (!strncmp(function, "cuDevicePrimaryCtx", 18) ||
				   !strcmp(function, "cuCtxGetCurrent")));
}

/*
 * The slow half of ENTER: scripted failures, then a sticky error, which "leaves the process in an
 * inconsistent state and any further CUDA work will return the same error" (cuda.h of CUDA 13.0,
 * CUDA_ERROR_ILLEGAL_ADDRESS and others): resets as well.
 */
CUresult driver_attention(const char *function)
{
	int code = dbl_scripted(function);
	struct context *ctx = current_context;

	if (atomic_load(&sticky) && !passes_sticky(function))
		return (CUresult)atomic_load(&sticky);
	if (code && ctx && dbl_is_sticky(code)) {
		atomic_store(&sticky, code);
		atomic_fetch_or(&dbl_attention, DBL_STICKY);
	}
	return (CUresult)code;
}

/*
 * With CUDA_DOUBLE_HEAL in the environment a reset ends a sticky error, which the documents say of
 * no driver.
 */
bool driver_heals(void)
{
	return getenv("CUDA_DOUBLE_HEAL");
}

void driver_heal(void)
{
	if (driver_heals())
		atomic_store(&sticky, 0);
}

struct context *context_get(void)
{
	return current_context;
}

struct context *context_check(CUcontext handle)
{
	int i;

	for (i = 0; i < num_devices; i++)
		if ((void *)handle == &devices[i].primary)
			return &devices[i].primary;
	return object_check(&contexts, handle);
}

struct device *device_get(CUdevice dev)
{
	return dev >= 0 && dev < num_devices ? &devices[dev] : NULL;
}

CUresult device_at(const CUmemLocation *where, struct device **device)
{
	if (where->type >= 2 && where->type <= 4)
		return CUDA_ERROR_NOT_SUPPORTED;
	*device = where->type == 1 ? device_get(where->id) : NULL;
	return *device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuInit(unsigned int flags)
{
	if (unlikely(atomic_load(&dbl_attention))) {
		int code = dbl_scripted(__func__);

		if (code)
			return (CUresult)code;
	}
	if (flags)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_once(&once, start_up);
	return driver_ready ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

API CUresult cuDriverGetVersion(int *version)
{
	KEEP_FRAME();
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = DOUBLE_CUDA;
	return CUDA_SUCCESS;
}

API CUresult cuGetErrorName(CUresult error, const char **str)
{
	KEEP_FRAME();
	*str = dbl_error_name((int)error, true);
	return *str ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuGetErrorString(CUresult error, const char **str)
{
	KEEP_FRAME();
	*str = dbl_error_text((int)error, true);
	return *str ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuDeviceGetCount(int *count)
{
	ENTER();
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	*count = num_devices;
	return CUDA_SUCCESS;
}

API CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	ENTER();
	if (!device_get(ordinal))
		return CUDA_ERROR_INVALID_DEVICE;
	*device = ordinal;
	return CUDA_SUCCESS;
}

API CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
	ENTER();
	if (!device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(name, (size_t)len, "cutop double %d", dev);
	return CUDA_SUCCESS;
}

static CUresult device_uuid(CUuuid *uuid, CUdevice dev)
{
	if (!device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	memset(uuid, 0xd0, sizeof(*uuid));
	uuid->bytes[15] = (char)dev;
	return CUDA_SUCCESS;
}

API CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
	ENTER();
	return device_uuid(uuid, dev);
}

API CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
	ENTER();
	return device_uuid(uuid, dev);
}

API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
	ENTER();
	if (!device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	*bytes = devices[dev].total;
	return CUDA_SUCCESS;
}

/* The numbers are the public attribute codes; what is not here reads 0. */
API CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice dev)
{
	static const struct {
		int attribute, value;
	} table[] = {
		{ 1, 1024 },       { 2, 1024 },    { 3, 1024 },        { 4, 64 },
		{ 5, 2147483647 }, { 6, 65535 },   { 7, 65535 },       { 8, 49152 },
		{ 9, 65536 },      { 10, 32 },     { 11, 2147483647 }, { 12, 65536 },
		{ 13, 1500000 },   { 14, 512 },    { 15, 1 },          { 16, 64 },
		{ 19, 1 },         { 21, 131072 }, { 22, 131072 },     { 23, 65536 },
		{ 31, 1 },         { 34, 0 },      { 36, 7000000 },    { 37, 256 },
		{ 38, 33554432 },  { 39, 2048 },   { 40, 2 },          { 41, 1 },
		{ 51, 32 },        { 75, 8 },      { 76, 9 },          { 78, 1 },
		{ 81, 102400 },    { 82, 65536 },  { 83, 1 },          { 89, 1 },
		{ 90, 1 },         { 91, 1 },      { 95, 1 },          { 97, 101376 },
		{ 99, 1 },         { 102, 1 },     { 103, 1 },         { 106, 24 },
		{ 115, 1 },        { 119, 1 },
	};
	size_t i;

	ENTER();
	if (!device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	if (!value || attribute < 1 || attribute > 160)
		return CUDA_ERROR_INVALID_VALUE;
	*value = attribute == 33 ? dev + 1 : 0;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].attribute == attribute)
			*value = table[i].value;
	return CUDA_SUCCESS;
}

API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
	ENTER();
	if (!device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	*major = 8;
	*minor = 9;
	return CUDA_SUCCESS;
}

API CUresult cuDeviceGetPCIBusId(char *id, int len, CUdevice dev)
{
	ENTER();
	if (!device_get(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	snprintf(id, (size_t)len, "0000:%02x:00.0", dev + 1);
	return CUDA_SUCCESS;
}

API CUresult cuDeviceCanAccessPeer(int *can, CUdevice dev, CUdevice peer)
{
	ENTER();
	if (!device_get(dev) || !device_get(peer))
		return CUDA_ERROR_INVALID_DEVICE;
	*can = dev != peer;
	return CUDA_SUCCESS;
}
