/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/ns/mnt is one file for all processes of a namespace. */
#include "probe/mounts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/maps.h"
#include "util/util.h"

uint64_t mounts_of(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	return stat(path, &st) ? 0 : st.st_ino;
}

struct search {
	uint64_t namespace;
	pid_t member;
};

static int process_compare(void *context, pid_t pid)
{
	struct search *search = context;

	if (mounts_of(pid) != search->namespace)
		return 0;
	search->member = pid;
	return 1;
}

pid_t mounts_member(uint64_t namespace)
{
	struct search search = { .namespace = namespace };

	processes_visit(process_compare, &search);
	return search.member;
}
