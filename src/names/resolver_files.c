/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hash table of files by number; the time of use is a counter. */
#include "names/resolver_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void resolver_files_free(struct resolver_files *files)
{
	struct resolver_file *file, *next;

	HASH_ITER(hh, files->all, file, next)
		resolver_files_remove(files, file);
}

struct resolver_file *resolver_files_find(const struct resolver_files *files, uint32_t number)
{
	struct resolver_file *file;

	HASH_FIND(hh, files->all, &number, sizeof(number), file);
	return file;
}

struct resolver_file *resolver_files_new(struct resolver_files *files, int fd, int second_fd,
					 const char *name)
{
	struct resolver_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->number = ++files->last;
	resolver_file_use(files, file);
	file->fds[0] = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	file->fds[1] = second_fd < 0 ? -1 : fcntl(second_fd, F_DUPFD_CLOEXEC, 0);
	snprintf(file->name, sizeof(file->name), "%s", name);
	HASH_ADD(hh, files->all, number, sizeof(file->number), file);
	if (file->fds[0] >= 0)
		return file;
	resolver_files_remove(files, file);
	return NULL;
}

void resolver_files_remove(struct resolver_files *files, struct resolver_file *file)
{
	HASH_DEL(files->all, file);
	resolver_file_close(file);
	free(file);
}

struct resolver_file *resolver_files_oldest(const struct resolver_files *files,
					    unsigned int *staying)
{
	struct resolver_file *file, *next, *oldest = NULL;

	*staying = 0;
	HASH_ITER(hh, files->all, file, next) {
		*staying += !file->leaving;
		if (!file->leaving && (!oldest || file->used < oldest->used))
			oldest = file;
	}
	return oldest;
}

void resolver_file_use(struct resolver_files *files, struct resolver_file *file)
{
	file->used = ++files->clock;
}

void resolver_file_close(struct resolver_file *file)
{
	int i;

	for (i = 0; i < 2; i++)
		if (file->fds[i] >= 0)
			close(file->fds[i]);
	file->fds[0] = file->fds[1] = -1;
}

void resolver_file_own(struct resolver_file *file, uint32_t owner, uint32_t debug_owner)
{
	file->owners[0] = owner ? owner : debug_owner;
	file->owners[1] = debug_owner ? debug_owner : owner;
}
