/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library comes into a program by mmap(2). The kernel's function behind that
 * system call is watched where it can be, or else the system call's tracepoint,
 * which every kernel has, but which makes each system call of every process on
 * the machine dearer, and needs a number from tracefs.
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

static int function_watch(struct bpf *bpf)
{
	int fd;

	if (!bpf->features.map_function)
		return -ENOTSUP;
	/* As tp_btf programs are, by what they were loaded for: linux/bpf.h, BPF_RAW_TRACEPOINT_OPEN */
	fd = bpf_raw_tracepoint_open(NULL, bpf_program__fd(bpf->skeleton->progs.file_mapping));
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
	watch->fd = function_watch(bpf);
	watch->at_function = watch->fd >= 0;
	if (!watch->at_function)
		watch->fd = tracefs_attach("syscalls", "sys_enter_mmap", bpf_program__fd(bpf->skeleton->progs.file_mapped));
	return watch->fd < 0 ? watch->fd : 0;
}
