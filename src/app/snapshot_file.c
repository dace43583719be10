/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/snapshot_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "print/print.h"
#include "view/settings.h"
#include "view/view.h"

#define WRITTEN_MAX 100 /* snapshots of one second */

/*
 * Creates a new file for a snapshot, with its name in @name; never overwrites one, nor follows
 * another user's link.
 */
static int snapshot_create(const char *stamp, char *name, size_t size)
{
	int fd = -1, i;

	snprintf(name, size, "cutop-%s.json", stamp);
	for (i = 2; i <= WRITTEN_MAX; i++) {
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd >= 0 || errno != EEXIST)
			break;
		snprintf(name, size, "cutop-%s-%d.json", stamp, i);
	}
	return fd;
}

void snapshot_file_write(struct view *view)
{
	struct out_options out = { .sort = view_settings(view)->sort, .version = PACKAGE_VERSION };
	const struct snapshot *snapshot = view_shown(view);
	char stamp[32], name[64];
	time_t seconds;
	struct reason why;
	struct tm tm;
	FILE *file;
	int fd, err;

	if (!snapshot)
		return;
	seconds = (time_t)(snapshot->time / NSEC_PER_SEC);
	if (!localtime_r(&seconds, &tm) || !strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm))
		return;
	fd = snapshot_create(stamp, name, sizeof(name));
	file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file) {
		reason_unwritten(&why, name, -errno);
		view_message(view, "%s", why.text);
		if (fd >= 0)
			close(fd);
		return;
	}
	err = out_json(file, snapshot, &out);
	if (fclose(file) && !err)
		err = -errno;
	if (err) {
		unlink(name); /* half of it is no JSON */
		reason_unwritten(&why, name, err);
	}
	view_message(view, err ? "%s" : "wrote %s", err ? why.text : name);
}
