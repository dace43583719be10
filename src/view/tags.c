/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tags, and signals. A signal goes to all tagged processes, or to the selected one if none is. Who
 * gets it is settled when the menu of signals opens: a key that comes later, or a snapshot, does
 * not change that. Everything is kept by program number, and a tag ends with its process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/utf8.h"
#include "util/util.h"
#include "view/view_internal.h"

/* False, and says why, if no signal could be sent anyway. */
static bool is_allowed(struct view *view)
{
	if (view->host.play.is_on)
		view_message(view, "a recording has no processes to send a signal to");
	else if (view->host.readonly)
		view_message(view, "no signals with --readonly");
	else
		return true;
	return false;
}

/* The selected process, if it can get a signal; else says why not. */
static const struct snap_process *selected_running(struct view *view)
{
	const struct snap_process *process = view_selected(view),
				  *now = process ?
						 snapshot_process(view->latest, process->program) :
						 NULL;

	if (!process)
		view_message(view, "no process is selected");
	else if (!now || now->exited)
		view_message(view, "process %u has exited", process->pid);
	return now && !now->exited ? now : NULL;
}

static void count_tell(struct view *view)
{
	if (view->table.tags.count)
		view_message(view, "%zu tagged: F9 sends them a signal, U removes the tags",
			     view->table.tags.count);
	else
		view_message(view, "none is tagged");
}

/* Adds the selected process to @set, or all that share its row; or removes them. */
static void selected_set(struct view *view, struct program_set *set, bool add)
{
	const struct snap_process *selected = view_selected(view), *now;
	const struct row_group *group = group_of(view, selected);
	size_t count = group && !group->is_open ? group->count : 1;

	for (size_t i = 0; i < count; i++) {
		uint32_t program = count > 1 ? group->members[i]->program : selected->program;

		now = snapshot_process(view->latest, program);
		if (!add)
			program_set_remove(set, program);
		else if (now && !now->exited)
			program_set_add(set, program);
	}
}

/* Like htop: the next row is selected, so that the key can be held down. */
void tags_switch(struct view *view)
{
	const struct snap_process *process;
	size_t next;

	if (!is_allowed(view))
		return;
	process = selected_running(view);
	if (!process)
		return;
	selected_set(view, &view->table.tags,
		     !program_set_has(&view->table.tags, process->program));
	count_tell(view);
	next = view->table.selected_row + rows_have_selected(view);
	if (!view->full && next < view->table.row_count)
		rows_select(view, next);
}

void tags_end(struct view *view)
{
	if (view->table.tags.count)
		view_message(view, "the tags are gone");
	else
		view_message(view, "none is tagged: T tags a process");
	program_set_clear(&view->table.tags);
}

/* ---- signals ---- */

void signal_menu(struct view *view)
{
	if (!is_allowed(view))
		return;
	program_set_clear(&view->targets);
	for (size_t i = 0; i < view->table.tags.count; i++)
		program_set_add(&view->targets, view->table.tags.list[i]);
	if (!view->targets.count) {
		if (!selected_running(view))
			return;
		selected_set(view, &view->targets, true);
	}
	if (view->targets.count)
		mode_set(view, INPUT_SIGNAL);
}

int view_signal(struct view *view)
{
	int number = view->signal_number;

	view->signal_number = 0;
	return number;
}

size_t view_signal_count(const struct view *view)
{
	return view->targets.count;
}

const struct snap_process *view_signal_target(const struct view *view, size_t i)
{
	return i < view->targets.count ? snapshot_process(view->latest, view->targets.list[i]) :
					 NULL;
}

const char *signal_whom(const struct view *view, int cells, char *out, size_t size)
{
	const struct snap_process *process = view_signal_target(view, 0);
	char name[160];

	if (view->targets.count > 1)
		snprintf(out, size, "%zu processes", view->targets.count);
	else
		snprintf(out, size, "%u %s", process ? process->pid : 0,
			 process ? utf8_fit(name, sizeof(name), command_brief(process), cells) :
				   "(gone)");
	return out;
}

/* How many of the targets the table does not show now: they are filtered out, or folded. */
static size_t unseen_count(const struct view *view)
{
	size_t seen = 0;

	for (size_t i = 0; i < view->table.row_count; i++) {
		const struct row *row = &view->table.rows[i];
		size_t count = row->group && !row->group->is_open ? row->group->count : 1;

		for (size_t j = 0; j < count; j++)
			seen += program_set_has(&view->targets,
						count > 1 ? row->group->members[j]->program :
							    row->process->program);
	}
	return view->targets.count - seen;
}

enum { NAMED = 6 }; /* targets that are named before the question is answered */

size_t signal_line_count(const struct view *view)
{
	size_t count = view->targets.count;

	if (count < 2)
		return 0;
	return (count > NAMED ? NAMED + 1 : count) + (unseen_count(view) != 0);
}

const char *signal_line(const struct view *view, size_t line, char *out, size_t size)
{
	size_t count = view->targets.count, unseen = unseen_count(view);
	const struct snap_process *process = view_signal_target(view, line);
	char name[160];

	if (line < NAMED && line < count)
		snprintf(out, size, "  %7u %s", process ? process->pid : 0,
			 process ? utf8_fit(name, sizeof(name), command_brief(process), 40) :
				   "(gone)");
	else if (line == NAMED && count > NAMED)
		snprintf(out, size, "  and %zu more", count - NAMED);
	else
		snprintf(out, size, "%zu of them %s not in sight: filtered out, or folded", unseen,
			 unseen == 1 ? "is" : "are");
	return out;
}
