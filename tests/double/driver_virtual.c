// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The virtual memory calls.  Physical memory is a memfd, so that two mappings
 * of one handle show the same bytes; it lives while its handle or a mapping
 * does.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "driver.h"

#define GRANULARITY ((size_t)2 << 20)

struct physical {
	struct object object;
	struct device *device; /* NULL when it is another process's */
	size_t size;
	int fd;
	int references; /* handles and mappings */
	int handles;
};

struct mapping {
	struct mapping *next;
	uintptr_t at;
	size_t size;
	struct physical *physical;
};

static struct mapping *mappings;

static bool aligned(uint64_t value)
{
	return value && !(value & (GRANULARITY - 1));
}

static void physical_put(struct physical *p)
{
	if (--p->references)
		return;
	if (p->device)
		p->device->used -= p->size;
	close(p->fd);
	object_drop(&physicals, p);
}

API CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
					   int option)
{
	(void)option;
	ENTER();
	if (!granularity || !prop)
		return CUDA_ERROR_INVALID_VALUE;
	*granularity = GRANULARITY;
	return CUDA_SUCCESS;
}

API CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t align, CUdeviceptr hint,
				 unsigned long long flags)
{
	struct block *b = NULL;

	ENTER();
	if (!ptr || !aligned(size) || flags || (align & (align - 1)))
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&memory_lock);
	if (hint)
		b = arena_alloc_at(&virtual_arena, hint, size);
	if (!b)
		b = arena_alloc(&virtual_arena, size, align > GRANULARITY ? align : GRANULARITY);
	if (b) {
		b->kind = MEMORY_RESERVED;
		b->requested = size;
		*ptr = b->base;
	}
	pthread_mutex_unlock(&memory_lock);
	return b ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

API CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
	struct block *b;

	ENTER();
	pthread_mutex_lock(&memory_lock);
	b = arena_find(&virtual_arena, ptr);
	if (b && (b->kind == MEMORY_FREE || b->base != ptr || b->requested != size))
		b = NULL;
	if (b)
		arena_free(&virtual_arena, b);
	pthread_mutex_unlock(&memory_lock);
	return b ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
			 const CUmemAllocationProp *prop, unsigned long long flags)
{
	struct device *device;
	struct physical *p;
	CUresult err;

	ENTER();
	if (!handle || !prop || !aligned(size) || flags)
		return CUDA_ERROR_INVALID_VALUE;
	err = device_at(&prop->location, &device);
	if (err)
		return err == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_INVALID_DEVICE : err;
	p = object_new(&physicals);
	if (!p)
		return CUDA_ERROR_OUT_OF_MEMORY;
	pthread_mutex_lock(&memory_lock);
	p->fd = size > device->total - device->used ? -1 : memfd_create("cuda-double", MFD_CLOEXEC);
	if (p->fd >= 0 && !ftruncate(p->fd, (off_t)size)) {
		p->device = device;
		p->size = size;
		p->references = p->handles = 1;
		device->used += size;
		*handle = (uintptr_t)p;
	} else {
		if (p->fd >= 0)
			close(p->fd);
		object_drop(&physicals, p);
		p = NULL;
	}
	pthread_mutex_unlock(&memory_lock);
	return p ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

API CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	CUresult err = CUDA_ERROR_INVALID_VALUE;
	struct physical *p;

	ENTER();
	pthread_mutex_lock(&memory_lock);
	p = object_check(&physicals, (void *)(uintptr_t)handle);
	if (p && p->handles) {
		p->handles--;
		physical_put(p);
		err = CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&memory_lock);
	return err;
}

API CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
		      CUmemGenericAllocationHandle handle, unsigned long long flags)
{
	CUresult err = CUDA_ERROR_INVALID_VALUE;
	struct mapping *m = NULL;
	struct physical *p;
	struct block *b;

	ENTER();
	pthread_mutex_lock(&memory_lock);
	p = object_check(&physicals, (void *)(uintptr_t)handle);
	b = arena_find(&virtual_arena, ptr);
	if (p && b && b->kind != MEMORY_FREE && aligned(size) && !flags &&
	    offset + size <= p->size && ptr + size <= b->base + b->size)
		m = calloc(1, sizeof(*m));
	if (m && mmap((void *)(uintptr_t)ptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		      p->fd, (off_t)offset) != MAP_FAILED) {
		m->at = ptr;
		m->size = size;
		m->physical = p;
		m->next = mappings;
		mappings = m;
		p->references++;
		err = CUDA_SUCCESS;
	} else {
		free(m);
	}
	pthread_mutex_unlock(&memory_lock);
	return err;
}

API CUresult cuMemUnmap(CUdeviceptr ptr, size_t size)
{
	CUresult err = CUDA_ERROR_INVALID_VALUE;
	struct mapping **link, *m;

	ENTER();
	pthread_mutex_lock(&memory_lock);
	for (link = &mappings; (m = *link);) {
		if (m->at < ptr || m->at + m->size > ptr + size) {
			link = &m->next;
			continue;
		}
		mmap((void *)m->at, m->size, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
		*link = m->next;
		physical_put(m->physical);
		free(m);
		err = CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&memory_lock);
	return err;
}

API CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
	ENTER();
	if (!desc || !count || !size || ptr - virtual_arena.base >= virtual_arena.size)
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

/* POSIX_FILE_DESCRIPTOR, the only type there is here: the caller's to pass on and to close. */
#define SHARED_AS_FILE 1

/* The bytes are the exporter's: they count on no device here. */
API CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *os_handle,
					    int type)
{
	struct physical *p;
	struct stat st;
	int fd;

	ENTER();
	if (type != SHARED_AS_FILE)
		return CUDA_ERROR_NOT_SUPPORTED;
	fd = (int)(intptr_t)os_handle;
	if (!handle || fstat(fd, &st) || !aligned((uint64_t)st.st_size))
		return CUDA_ERROR_INVALID_VALUE;
	p = object_new(&physicals);
	if (!p)
		return CUDA_ERROR_OUT_OF_MEMORY;
	p->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	p->size = (size_t)st.st_size;
	p->references = p->handles = 1;
	*handle = (uintptr_t)p;
	return CUDA_SUCCESS;
}

API CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *ptr)
{
	struct mapping *m;

	ENTER();
	pthread_mutex_lock(&memory_lock);
	for (m = mappings; m; m = m->next)
		if ((uintptr_t)ptr - m->at < m->size)
			break;
	if (m) {
		m->physical->references++;
		m->physical->handles++;
		*handle = (uintptr_t)m->physical;
	}
	pthread_mutex_unlock(&memory_lock);
	return m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
