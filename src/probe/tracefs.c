/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_event_open(2) knows a tracepoint by a number that only tracefs tells. If tracefs is not
 * mounted, we use a detached mount of our own, which appears in no namespace and is gone when its
 * descriptor is closed.
 */
#include "probe/tracefs.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

static int number_at(int dir, const char *path)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC), number = -ENOENT;
	char text[32];
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text) - 1);
	if (n > 0) {
		text[n] = 0;
		number = atoi(text);
	}
	close(fd);
	return number;
}

static int tracepoint_id(const char *group, const char *name)
{
	static const char *const mounts[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	int id = -ENOENT, fs, dir;
	char path[256];
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/%s/id", mounts[i], group, name);
		id = number_at(AT_FDCWD, path);
		if (id > 0)
			return id;
	}
	fs = fsopen("tracefs", FSOPEN_CLOEXEC);
	if (fs < 0)
		return -errno;
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0)) {
		id = -errno;
	} else {
		dir = fsmount(fs, FSMOUNT_CLOEXEC, 0);
		if (dir < 0) {
			id = -errno;
		} else {
			snprintf(path, sizeof(path), "events/%s/%s/id", group, name);
			id = number_at(dir, path);
			close(dir);
		}
	}
	close(fs);
	return id;
}

int tracefs_attach(const char *group, const char *name, int program)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
	};
	int id = tracepoint_id(group, name), event, link;

	if (id <= 0)
		return id ? id : -ENOENT;
	attr.config = (__u64)id;
	event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	link = bpf_link_create(program, event, BPF_PERF_EVENT, NULL);
	close(event);
	return link;
}
