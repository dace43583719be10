/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files whose path is known: what the user names, and what that leads to before anything of it runs. */
#include "probe/probe_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "probe/ahead.h"
#include "probe/closure.h"
#include "probe/loader.h"

int probe_add_path(struct probe *probe, const char *path, struct reason *why)
{
	int fd = file_open_regular(path), result;

	if (fd < 0)
		return reason_set(why, fd, "%s", fd == -EINVAL ? FILE_NOT_REGULAR : strerror(-fd));
	result = probe_examine(probe, fd, path, NULL, why);
	close(fd);
	return result;
}

void probe_add_quietly(void *context, const char *path)
{
	struct probe *probe = context;
	struct reason why = { "" };

	if (probe_add_path(probe, path, &why) < 0)
		note(probe->settings.notes, "%s: %s", path, why.text);
}

static void program_add(void *context, const char *path)
{
	loader_add(context, path);
	probe_add_quietly(context, path);
}

void probe_add_program(struct probe *probe, const char *path, const char *library_path)
{
	const struct closure_settings settings = { .library_path = library_path };

	closure_visit(path, &settings, program_add, probe);
}

void probe_add_command(struct probe *probe, char *const *words, const struct ahead_start *start)
{
	ahead_visit(words, start, program_add, probe);
}
