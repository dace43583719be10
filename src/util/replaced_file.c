/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes to a temporary file in the same folder, and renames it to the file's name when it is
 * complete.
 */
#include "util/replaced_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int replaced_open(struct replaced *file, const char *path)
{
	struct stat status;
	mode_t mask;
	int fd;

	memset(file, 0, sizeof(*file));
	if (strlen(path) >= sizeof(file->path))
		return -ENAMETOOLONG;
	if (!stat(path, &status)) {
		if (!S_ISREG(status.st_mode))
			return 1;
		/* Replace the file that a symbolic link leads to, not the link. */
		if (!realpath(path, file->path))
			return -errno;
		file->mode = status.st_mode & 0777;
	} else {
		if (errno != ENOENT)
			return -errno;
		strcpy(file->path, path);
		/* A symbolic link to a file that does not exist yet is kept, too. */
		if (!lstat(path, &status)) {
			fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
			if (fd < 0)
				return -errno;
			close(fd);
			if (!realpath(path, file->path))
				return -errno;
		}
		mask = umask(0);
		umask(mask);
		file->mode = 0666 & ~mask;
	}
	if (!replaced_begin(file))
		return -errno;
	replaced_end(file, -ECANCELED);
	return 0;
}

FILE *replaced_begin(struct replaced *file)
{
	int fd;

	snprintf(file->temporary, sizeof(file->temporary), "%s.XXXXXX", file->path);
	fd = mkostemp(file->temporary, O_CLOEXEC);
	if (fd < 0)
		return NULL;
	file->stream = fchmod(fd, file->mode) ? NULL : fdopen(fd, "w");
	if (!file->stream) {
		int err = errno;

		close(fd);
		unlink(file->temporary);
		errno = err;
	}
	return file->stream;
}

int replaced_end(struct replaced *file, int error)
{
	if (fclose(file->stream) && !error)
		error = -errno;
	file->stream = NULL;
	if (!error && rename(file->temporary, file->path))
		error = -errno;
	if (error)
		unlink(file->temporary);
	return error;
}
