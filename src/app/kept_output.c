/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/kept_output.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/util.h"

#define OUTPUT_MAX (1 << 20) /* bytes */

int kept_output_open(void)
{
	const char *folder = getenv("TMPDIR");
	int file = open(folder && *folder ? folder : "/tmp",
			O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);

	if (file < 0)
		file = file_in_memory("cutop");
	return file >= 0 ? file : open("/dev/null", O_RDWR | O_CLOEXEC);
}

void kept_output_print(int file, const struct notes *notes)
{
	char bytes[8192];
	struct stat stat;
	off_t at;
	ssize_t len;

	if (file < 0 || fstat(file, &stat) || stat.st_size <= 0)
		return;
	at = stat.st_size > OUTPUT_MAX ? stat.st_size - OUTPUT_MAX : 0;
	if (at)
		warn_user(notes, "the first %lld bytes that the command wrote are left out",
			  (long long)at);
	while ((len = pread(file, bytes, sizeof(bytes), at)) > 0) {
		fwrite(bytes, 1, (size_t)len, stdout);
		at += len;
	}
	fflush(stdout);
}
