// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory and events of another process.  What is exported moves into a file
 * without a name, under its own address; a handle says whose file it is, and
 * the other process maps it by way of /proc.  Both then see the same bytes,
 * and an event's time.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "driver.h"

#define PAGE ((uintptr_t)4096)

struct handle {
	uint32_t magic;
	int pid, fd;
	uint64_t offset, size;
};

#define MEMORY_MAGIC 0x69706331u
#define EVENT_MAGIC  0x69706365u

_Static_assert(sizeof(struct handle) <= sizeof(CUipcMemHandle), "handle");

/* Pages that live in their device's file. They stay there, whatever is allocated in them next. */
struct export
{
	struct export *next;
	uintptr_t base, end;
};

static struct export *exports;

static bool is_exported(uintptr_t page)
{
	const struct export *e;

	for (e = exports; e; e = e->next)
		if (page >= e->base && page < e->end)
			return true;
	return false;
}

static bool move_page(struct device *device, uintptr_t page)
{
	off_t offset = (off_t)(page - device->arena.base);

	return pwrite(device->ipc_fd, (void *)page, PAGE, offset) == (ssize_t)PAGE &&
	       mmap((void *)page, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
		    device->ipc_fd, offset) != MAP_FAILED;
}

/* The caller holds memory_lock. */
static CUresult export_pages(struct device *device, uintptr_t base, uintptr_t end)
{
	struct export *e;
	uintptr_t page;

	if (!device->ipc_fd) {
		int fd = memfd_create("cuda-double-ipc", MFD_CLOEXEC);

		if (fd < 0 || ftruncate(fd, (off_t)device->arena.size))
			return CUDA_ERROR_OUT_OF_MEMORY;
		device->ipc_fd = fd;
	}
	for (page = base; page < end; page += PAGE)
		if (!is_exported(page) && !move_page(device, page))
			return CUDA_ERROR_OUT_OF_MEMORY;
	e = malloc(sizeof(*e));
	if (!e)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*e = (struct export){ exports, base, end };
	exports = e;
	return CUDA_SUCCESS;
}

/* Plain pages again in place of a file's. */
static void make_plain(uintptr_t base, uintptr_t end)
{
	mmap((void *)base, end - base, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void ipc_release(struct block *block)
{
	make_plain(block->base, block->base + block->size);
}

/* A child of fork shares nothing with its parent. */
void ipc_forked(void)
{
	struct export *e, *next;
	int i;

	for (e = exports; e; e = next) {
		next = e->next;
		make_plain(e->base, e->end);
		free(e);
	}
	exports = NULL;
	for (i = 0; i < num_devices; i++) {
		if (devices[i].ipc_fd)
			close(devices[i].ipc_fd);
		devices[i].ipc_fd = 0;
	}
}

static int open_other(const struct handle *h)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", h->pid, h->fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

API CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr ptr)
{
	struct handle h = { .magic = MEMORY_MAGIC, .pid = getpid() };
	CUresult err = CUDA_ERROR_INVALID_VALUE;
	struct device *device;
	struct block *b;

	ENTER();
	pthread_mutex_lock(&memory_lock);
	b = memory_find(ptr, NULL);
	if (handle && b && b->kind == MEMORY_DEVICE) {
		device = b->ctx->device;
		err = export_pages(device, b->base & -PAGE, (b->base + b->size + PAGE - 1) & -PAGE);
		h.fd = device->ipc_fd;
		h.offset = b->base - device->arena.base;
		h.size = b->requested;
	}
	pthread_mutex_unlock(&memory_lock);
	if (err)
		return err;
	memset(handle, 0, sizeof(*handle));
	memcpy(handle, &h, sizeof(h));
	return CUDA_SUCCESS;
}

/* A process cannot open its own memory. */
API CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *ptr, CUipcMemHandle handle, unsigned int flags)
{
	struct handle h;
	uintptr_t at = 0;
	size_t before;
	CUresult err;
	int fd;

	(void)flags;
	ENTER_CONTEXT(ctx);
	memcpy(&h, &handle, sizeof(h));
	if (!ptr || h.magic != MEMORY_MAGIC || !h.size)
		return CUDA_ERROR_INVALID_VALUE;
	if (h.pid == getpid())
		return CUDA_ERROR_INVALID_CONTEXT;
	fd = open_other(&h);
	if (fd < 0)
		return CUDA_ERROR_INVALID_VALUE;
	before = h.offset & (PAGE - 1);
	err = memory_alloc(ctx, MEMORY_IPC, (before + h.size + PAGE - 1) & -PAGE, NULL, &at);
	if (!err && mmap((void *)at, (before + h.size + PAGE - 1) & -PAGE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, (off_t)(h.offset - before)) == MAP_FAILED) {
		memory_free(at, 1u << MEMORY_IPC);
		err = CUDA_ERROR_OUT_OF_MEMORY;
	}
	close(fd);
	if (!err)
		*ptr = at + before;
	return err;
}

API CUresult cuIpcCloseMemHandle(CUdeviceptr ptr)
{
	ENTER();
	return memory_free(ptr & -PAGE, 1u << MEMORY_IPC);
}

static _Atomic int64_t *event_map(int fd)
{
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

void ipc_event_drop(struct event *event)
{
	if (!event->shared)
		return;
	munmap((void *)event->shared, PAGE);
	event->shared = NULL;
	if (event->shared_fd)
		close(event->shared_fd);
}

#define INTERPROCESS 6u /* CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS */

API CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event_handle)
{
	struct handle h = { .magic = EVENT_MAGIC, .pid = getpid() };
	struct event *event;
	int fd;

	ENTER();
	event = object_check(&events, event_handle);
	if (!event || (event->flags & INTERPROCESS) != INTERPROCESS)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!handle)
		return CUDA_ERROR_INVALID_VALUE;
	if (!event->shared) {
		fd = memfd_create("cuda-double-event", MFD_CLOEXEC);
		event->shared = fd < 0 || ftruncate(fd, PAGE) ? NULL : event_map(fd);
		if (!event->shared) {
			if (fd >= 0)
				close(fd);
			return CUDA_ERROR_OUT_OF_MEMORY;
		}
		event->shared_fd = fd;
		if (event->recorded)
			atomic_store(event->shared, event->time);
	}
	h.fd = event->shared_fd;
	memset(handle, 0, sizeof(*handle));
	memcpy(handle, &h, sizeof(h));
	return CUDA_SUCCESS;
}

API CUresult cuIpcOpenEventHandle(CUevent *out, CUipcEventHandle handle)
{
	_Atomic int64_t *shared = NULL;
	struct event *event;
	struct handle h;
	int fd;

	ENTER_CONTEXT(ctx);
	memcpy(&h, &handle, sizeof(h));
	if (!out || h.magic != EVENT_MAGIC)
		return CUDA_ERROR_INVALID_VALUE;
	fd = open_other(&h);
	if (fd >= 0) {
		shared = event_map(fd);
		close(fd);
	}
	if (!shared)
		return CUDA_ERROR_INVALID_VALUE;
	event = object_new(&events);
	if (!event) {
		munmap((void *)shared, PAGE);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	event->ctx = ctx;
	event->flags = INTERPROCESS;
	event->shared = shared;
	*out = (CUevent)event;
	return CUDA_SUCCESS;
}
