/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/job.h"

#include <string.h>

bool job_has(const struct snap_process *process)
{
	return process->brief && (process->parent_pid > 1 || process->container || process->pod);
}

/*
 * Of an interpreter the script: ranks may have arguments of their own. Else all of the command: one
 * program may be many things by its arguments.
 */
const char *job_command(const struct snap_process *process)
{
	if (process->brief && strchr(process->brief, ' '))
		return process->brief;
	return process->command_line ? process->command_line : process->command;
}

static int order_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

int job_order(const struct snap_process *a, const struct snap_process *b)
{
	int order = (a->uid > b->uid) - (a->uid < b->uid);

	order = order ? order : order_text(job_command(a), job_command(b));
	order = order ? order : order_text(a->pod, b->pod);
	order = order ? order : order_text(a->container, b->container);
	/* In a container the members' parents differ, as with mpirun. */
	if (!order && !a->pod && !a->container)
		order = (a->parent_pid > b->parent_pid) - (a->parent_pid < b->parent_pid);
	return order;
}
