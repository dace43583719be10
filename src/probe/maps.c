/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads /proc/PID/maps. Paths in it are the process's own view (its mount
 * namespace, its root) and may name a file that has since been replaced; what
 * identifies a mapping is its device and inode.
 */
#include "probe/maps.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/util.h"

int maps_parse(char *line, struct maps_entry *entry, int *executable)
{
	char perms[5] = "";
	unsigned long long start, end, offset, inode;
	unsigned int major, minor;
	int at = -1;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, perms, &offset, &major, &minor, &inode,
		   &at) < 7 || at < 0)
		return -EINVAL;
	line += at;
	line[strcspn(line, "\n")] = 0;
	entry->start = start;
	entry->end = end;
	entry->offset = offset;
	entry->inode = inode;
	entry->major = major;
	entry->minor = minor;
	entry->path = line;
	*executable = perms[2] == 'x';
	return 0;
}

int maps_visit(pid_t pid, int (*visit)(void *context, const struct maps_entry *entry), void *context)
{
	struct maps_entry entry;
	char path[64], *line = NULL;
	size_t size = 0;
	int err = 0, executable;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (!err && getline(&line, &size, file) > 0) {
		if (maps_parse(line, &entry, &executable) || !executable || !entry.inode || entry.path[0] != '/')
			continue;
		err = visit(context, &entry);
	}
	free(line);
	fclose(file);
	return err;
}

int maps_open(pid_t pid, const struct maps_entry *entry)
{
	char path[4096 + 64];
	struct stat st;
	int fd;

	if (snprintf(path, sizeof(path), "/proc/%d/root%s", pid, entry->path) < (int)sizeof(path)) {
		fd = file_open_regular(path);
		if (fd >= 0 && !fstat(fd, &st) && st.st_ino == entry->inode)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", pid, (unsigned long long)entry->start,
		 (unsigned long long)entry->end);
	return file_open_regular(path);
}

int processes_visit(int (*visit)(void *context, pid_t pid), void *context)
{
	DIR *dir = opendir("/proc");
	struct dirent *item;
	int err = 0;

	if (!dir)
		return -errno;
	while (!err && (item = readdir(dir)))
		if (isdigit((unsigned char)item->d_name[0]))
			err = visit(context, (pid_t)atoi(item->d_name));
	closedir(dir);
	return err;
}
