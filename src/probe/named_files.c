/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files whose path is known: those that the user names, and those that they lead to, before any of
 * them runs.
 */
#include "probe/probe_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "probe/ahead.h"
#include "probe/closure.h"

static int path_add(struct probe *probe, const char *path, bool named,
		    enum errand_patience patience, struct reason *why)
{
	struct seen_file seen;
	int result =
		named ? outside_open_named(&probe->outside, path, COPY_IF_HOOKED, patience, &seen) :
			outside_open(&probe->outside, path, COPY_IF_HOOKED, patience, &seen);

	if (result)
		return reason_set(why, result, "%s", outside_error(result));
	result = probe_examine(probe, &seen, path, NULL, why);
	seen_close(&seen);
	return result;
}

int probe_add_path(struct probe *probe, const char *path, struct reason *why)
{
	return path_add(probe, path, true, ERRAND_LONG, why);
}

static void add_quietly(struct probe *probe, const char *path, bool named)
{
	const struct later later = { .what = named ? LATER_NAMED : LATER_PATH };
	struct reason why = { "" };
	int result = path_add(probe, path, named, probe->outside.patience, &why);

	if (outside_is_later(result))
		probe_keep(probe, &later, path);
	else if (result == -ETIMEDOUT)
		probe_lost(probe, LOST_UNANSWERED);
	else if (result < 0)
		note(probe->settings.notes, "%s: %s", path, why.text);
}

void probe_add_quietly(void *context, const char *path)
{
	add_quietly(context, path, false);
}

void probe_add_named(void *context, const char *path)
{
	add_quietly(context, path, true);
}

void probe_patient(struct probe *probe, bool patient)
{
	probe->outside.patience = patient ? ERRAND_MEDIUM : ERRAND_SHORT;
}

/* What the user named is searched for, read and opened with that user's rights. */
static void program_add(void *context, const char *path)
{
	struct probe *probe = context;

	add_quietly(probe, path, true);
}

void probe_add_program(struct probe *probe, const char *path, const char *library_path)
{
	const struct closure_settings settings = { .library_path = library_path };
	int err = outside_closure(&probe->outside, path, &settings, program_add, probe);

	if (err && err != -EINTR)
		note(probe->settings.notes, "%s: the libraries that it needs were not found: %s",
		     path, outside_error(err));
}

void probe_add_command(struct probe *probe, const char *program, const struct ahead_start *start)
{
	int err = outside_ahead(&probe->outside, program, start, program_add, probe);

	if (err && err != -EINTR)
		note(probe->settings.notes, "%s: the libraries that it needs were not found: %s",
		     program, outside_error(err));
}
