/* SPDX-License-Identifier: GPL-2.0-or-later */
/* openat2(2) can be told to stay below a folder. */
#include "probe/rooted_open.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/util.h"

bool root_realpath(const char *root, const char *path, char *real)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	char link[64];
	int folder, fd = -1;
	ssize_t n;

	if (!root)
		return realpath(path, real) != NULL;
	folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0) {
		fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
		close(folder);
	}
	if (fd < 0)
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, 4095);
	close(fd);
	real[n > 0 ? n : 0] = 0;
	return n > 0;
}

bool root_has(const char *root, const char *path, int mode)
{
	char real[4096];
	struct stat st;

	return root_realpath(root, path, real) && !stat(real, &st) && S_ISREG(st.st_mode) &&
	       file_is_open_to(real, mode);
}

char *root_file_read(const char *root, const char *path, size_t max)
{
	char real[4096], *text = NULL;
	size_t len = 0;
	ssize_t n;
	int fd;

	fd = root_realpath(root, path, real) ? file_open_regular(real) : -1;
	if (fd < 0)
		return NULL;
	text = malloc(max + 1);
	while (text && len < max && (n = read(fd, text + len, max - len)) > 0)
		len += (size_t)n;
	close(fd);
	if (text)
		text[len] = 0;
	return text;
}
