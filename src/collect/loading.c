/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library comes into a program by mmap(2). The kernel's function behind that
 * system call is watched where it can be; else where the lock of an address
 * space is let go, which costs munmap(2), mprotect(2) and their like something,
 * too; or else the system call's tracepoint, which every kernel has, but which
 * makes each system call of every process on the machine dearer, and needs a
 * number from tracefs.
 *
 * A compiler may have put a copy of that function elsewhere, where nobody sees
 * it run. So we map some code of our own, and look whether the program saw us.
 */
#include "collect/loading.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collect/tracefs.h"

static bool is_seen(struct bpf *bpf)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	volatile __u32 *seen = &bpf->skeleton->bss->own_mappings;
	__u32 before = *seen;
	void *code;

	if (fd < 0)
		return false;
	code = mmap(NULL, page, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (code == MAP_FAILED)
		return false;
	munmap(code, page);
	return *seen != before;
}

/* Watches by @program, loaded for what it watches. Returns a descriptor or a negative errno. */
static int place_watch(struct bpf *bpf, const struct bpf_program *program)
{
	/* As tp_btf programs are, by what they were loaded for: linux/bpf.h, BPF_RAW_TRACEPOINT_OPEN */
	int fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd(program));

	if (fd < 0)
		return fd;
	if (is_seen(bpf)) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		return fd;
	}
	close(fd);
	return -ENOTSUP;
}

int loading_watch(struct bpf *bpf, struct loading_watch *watch)
{
	watch->way = LOADING_FUNCTION;
	watch->fd = bpf->features.map_function ? place_watch(bpf, bpf->skeleton->progs.file_mapping) : -ENOTSUP;
	if (watch->fd < 0 && bpf->features.map_lock) {
		watch->way = LOADING_LOCK;
		watch->fd = place_watch(bpf, bpf->skeleton->progs.mapping_unlock);
	}
	if (watch->fd < 0) {
		watch->way = LOADING_CALL;
		watch->fd = tracefs_attach("syscalls", "sys_enter_mmap", bpf_program__fd(bpf->skeleton->progs.file_mapped));
	}
	return watch->fd < 0 ? watch->fd : 0;
}
