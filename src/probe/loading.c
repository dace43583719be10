/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program brings in a library by mmap(2). There are two ways to see that: the kernel's function
 * behind the system call, if it can be traced; or the first touch of a page of the file, which
 * costs mmap(2) nothing and each such page fault a little.
 * A compiler may have inlined a copy of the function that the probe does not see, and a file system
 * may bring its pages to a process in its own way. So we map and touch some code of our own, and
 * check whether the BPF program saw that.
 */
#include "probe/loading.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

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
	(void)*(const volatile char *)code;
	munmap(code, page);
	return *seen != before;
}

void loading_end(struct loading_watch *watch)
{
	for (size_t i = 0; i < 2; i++) {
		if (watch->fds[i] >= 0)
			close(watch->fds[i]);
		watch->fds[i] = -1;
	}
}

/*
 * Watches with @programs, one or two, of the type they were loaded as. Returns 0 or a negative
 * errno.
 */
static int place_watch(struct bpf *bpf, struct loading_watch *watch,
		       const struct bpf_program *program, const struct bpf_program *other)
{
	const struct bpf_program *programs[2] = { program, other };
	int err = 0;

	for (size_t i = 0; i < 2 && programs[i] && !err; i++) {
		/*
		 * Attaches like a tp_btf program, to what it was loaded for: linux/bpf.h,
		 * BPF_RAW_TRACEPOINT_OPEN
		 */
		watch->fds[i] = bpf_raw_tracepoint_open(NULL, bpf_program__fd(programs[i]));
		if (watch->fds[i] < 0)
			err = watch->fds[i];
		else
			fcntl(watch->fds[i], F_SETFD, FD_CLOEXEC);
	}
	if (!err && !is_seen(bpf))
		err = -ENOTSUP;
	if (err)
		loading_end(watch);
	return err;
}

int loading_watch(struct bpf *bpf, struct loading_watch *watch)
{
	int err = -ENOTSUP;

	*watch = (struct loading_watch){ .fds = { -1, -1 }, .way = LOADING_FUNCTION };
	if (bpf->features.map_function)
		err = place_watch(bpf, watch, bpf->skeleton->progs.file_mapping, NULL);
	if (err && bpf->features.map_touch) {
		watch->way = LOADING_TOUCH;
		err = place_watch(bpf, watch, bpf->skeleton->progs.file_touch,
				  bpf->skeleton->progs.file_touch_alone);
	}
	return err;
}
