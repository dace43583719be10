/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of the process table: the processes that pass the filter, sorted, or as a tree whose
 * every level is sorted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/view_internal.h"

const struct snap_process *snapshot_process(const struct snapshot *snapshot, uint32_t program)
{
	for (size_t i = 0; snapshot && i < snapshot->process_count; i++)
		if (snapshot->processes[i].program == program)
			return &snapshot->processes[i];
	return NULL;
}

const char *command_brief(const struct snap_process *process)
{
	const char *slash = strrchr(process->command, '/');

	return slash && slash[1] ? slash + 1 : process->command;
}

const struct snap_process *view_selected(const struct view *view)
{
	return view->has_selected ? snapshot_process(view->shown, view->selected) : NULL;
}

const char *text_find(const char *text, const char *part)
{
	size_t len = strlen(part);

	for (; *text; text++)
		if (!ascii_ncasecmp(text, part, len))
			return text;
	return len ? NULL : text;
}

static bool word_matches(const struct snap_process *process, const char *word)
{
	char number[16];

	if (!strncmp(word, "user:", 5))
		return text_find(process->user, word + 5) != NULL;
	if (!strncmp(word, "pid:", 4)) {
		snprintf(number, sizeof(number), "%u", process->pid);
		return !word[4] || !strcmp(number, word + 4);
	}
	if (!strncmp(word, "nspid:", 6)) {
		snprintf(number, sizeof(number), "%u", process->ns_pid);
		return !word[6] || !strcmp(number, word + 6);
	}
	if (!strncmp(word, "container:", 10))
		return process->container && text_find(process->container, word + 10);
	if (!strncmp(word, "pod:", 4))
		return process->pod && text_find(process->pod, word + 4);
	return text_find(process->command, word) || text_find(process->arguments, word) ||
	       (process->container && text_find(process->container, word)) ||
	       (process->pod && text_find(process->pod, word));
}

bool rows_match(const struct snap_process *process, const char *filter)
{
	char words[INPUT_SIZE], *word, *rest = NULL;

	if (!*filter)
		return true;
	snprintf(words, sizeof(words), "%s", filter);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!word_matches(process, word))
			return false;
	return true;
}

/* ---- order ---- */

static bool rows_reserve(struct view *view, size_t count)
{
	struct row *rows;

	if (count <= view->row_size)
		return true;
	rows = realloc(view->rows, count * sizeof(*rows));
	if (!rows)
		return false;
	view->rows = rows;
	view->row_size = count;
	return true;
}

static void row_add(struct view *view, const struct snap_process *process, const char *branch)
{
	struct row *row = &view->rows[view->row_count++];

	*row = (struct row){ .process = process };
	snprintf(row->branch, sizeof(row->branch), "%s", branch);
}

#define NO_ROW SIZE_MAX
/* A process that is nested deeper, in a forged recording, becomes a root */
#define TREE_DEPTH 128

/* All processes, as indexes into the list. */
struct forest {
	const struct snap_process **list;
	size_t count;
	bool *done;
	size_t *parent;          /* the memory of the next three, too */
	size_t *child, *sibling; /* the first child, and the next sibling */
	size_t *by_pid;
};

static void forest_free(struct forest *forest)
{
	free(forest->done);
	free(forest->parent);
	*forest = (struct forest){ .list = NULL };
}

static int pid_order(const void *left, const void *right, void *context)
{
	const struct snap_process *const *list = context;
	const struct snap_process *a = list[*(const size_t *)left],
				  *b = list[*(const size_t *)right];

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->start_time > b->start_time) - (a->start_time < b->start_time);
}

/*
 * The parent of the process at @at among those shown: the process with its parent's pid that was
 * the last to start before it.
 */
static size_t parent_of(const struct forest *forest, size_t at)
{
	const struct snap_process *process = forest->list[at], *other;
	size_t low = 0, high = forest->count, middle;

	/* Find the first with a greater pid, or with this pid and younger. */
	while (low < high) {
		middle = low + (high - low) / 2;
		other = forest->list[forest->by_pid[middle]];
		if (other->pid > process->parent_pid ||
		    (other->pid == process->parent_pid && other->start_time > process->start_time))
			high = middle;
		else
			low = middle + 1;
	}
	/* A recording may claim that it is its own parent. */
	if (low && forest->by_pid[low - 1] == at)
		low--;
	if (!low || forest->list[forest->by_pid[low - 1]]->pid != process->parent_pid)
		return NO_ROW;
	return forest->by_pid[low - 1];
}

/*
 * Hides what is below the process at @at, which is folded; as deep as tree_add() would show it.
 * Returns how many that are. If the selected one is among them, the folded one is selected.
 */
static size_t tree_hide(struct view *view, struct forest *forest, size_t at, uint32_t folded,
			int depth)
{
	size_t count = 0, i;

	for (i = depth < TREE_DEPTH ? forest->child[at] : NO_ROW; i != NO_ROW;
	     i = forest->sibling[i]) {
		if (forest->done[i])
			continue;
		forest->done[i] = true;
		if (view->has_selected && view->selected == forest->list[i]->program)
			view->selected = folded;
		count += 1 + tree_hide(view, forest, i, folded, depth + 1);
	}
	return count;
}

static void tree_add(struct view *view, struct forest *forest, size_t at, const char *lead,
		     bool root, bool last, int depth)
{
	char branch[32], below[24];
	struct row *row;
	size_t i;

	forest->done[at] = true;
	snprintf(branch, sizeof(branch), "%s%s", lead, root ? "" : last ? "└─ " : "├─ ");
	row = &view->rows[view->row_count];
	row_add(view, forest->list[at], branch);
	row->is_parent = depth < TREE_DEPTH && forest->child[at] != NO_ROW;
	if (program_set_has(&view->folds, row->process->program)) {
		row->folded = tree_hide(view, forest, at, row->process->program, depth);
		return;
	}
	/* Below this depth the indentation no longer grows. */
	snprintf(below, sizeof(below), "%s%s", lead, root || depth > 3 ? "" : last ? "   " : "│  ");
	for (i = depth < TREE_DEPTH ? forest->child[at] : NO_ROW; i != NO_ROW;
	     i = forest->sibling[i])
		if (!forest->done[i])
			tree_add(view, forest, i, below, false, forest->sibling[i] == NO_ROW,
				 depth + 1);
}

/* Finds each one's parent and children. */
static void forest_grow(struct forest *forest)
{
	size_t i;

	for (i = 0; i < forest->count; i++) {
		forest->by_pid[i] = i;
		forest->child[i] = NO_ROW;
	}
	qsort_r(forest->by_pid, forest->count, sizeof(*forest->by_pid), pid_order, forest->list);
	/* From the last to the first, so that the first is put in front. */
	for (i = forest->count; i--;) {
		size_t parent = forest->parent[i] = parent_of(forest, i);

		if (parent == NO_ROW)
			continue;
		forest->sibling[i] = forest->child[parent];
		forest->child[parent] = i;
	}
}

/* Returns false without memory. */
static bool forest_make(struct forest *forest, const struct snap_process **list, size_t count)
{
	size_t *places = calloc(4 * count + 1, sizeof(*places));

	*forest = (struct forest){ .list = list,
				   .count = count,
				   .done = calloc(count + 1, sizeof(bool)),
				   .parent = places };
	if (!forest->done || !places) {
		forest_free(forest);
		return false;
	}
	forest->child = places + count;
	forest->sibling = places + 2 * count;
	forest->by_pid = places + 3 * count;
	forest_grow(forest);
	return true;
}

static void tree_arrange(struct view *view, const struct snap_process **list, size_t count)
{
	struct forest forest;
	bool made = forest_make(&forest, list, count);
	size_t i;

	for (i = 0; made && i < count; i++)
		if (forest.parent[i] == NO_ROW)
			tree_add(view, &forest, i, "", true, true, 0);
	/*
	 * The remaining ones claim to be their own ancestors, or are nested too deep (hostile), or
	 * memory ran out.
	 */
	for (i = 0; i < count; i++)
		if (!made || !forest.done[i])
			row_add(view, list[i], "");
	forest_free(&forest);
}

/* All processes of @snapshot; the caller frees the list. Returns false without memory. */
static bool forest_of(struct forest *forest, const struct snapshot *snapshot)
{
	size_t count = snapshot->process_count, i;
	const struct snap_process **list = calloc(count + 1, sizeof(*list));

	for (i = 0; list && i < count; i++)
		list[i] = &snapshot->processes[i];
	if (list && forest_make(forest, list, count))
		return true;
	free(list);
	return false;
}

void tree_family(const struct snapshot *snapshot, uint32_t program, struct program_set *set)
{
	struct forest forest;
	size_t i, at;
	int depth;

	program_set_add(set, program);
	if (!forest_of(&forest, snapshot))
		return;
	for (i = 0; i < forest.count; i++)
		for (at = i, depth = 0; at != NO_ROW && depth <= TREE_DEPTH;
		     at = forest.parent[at], depth++)
			if (forest.list[at]->program == program) {
				program_set_add(set, forest.list[i]->program);
				break;
			}
	free(forest.list);
	forest_free(&forest);
}

void tree_ancestors(const struct snapshot *snapshot, uint32_t program, struct program_set *set)
{
	struct forest forest;
	size_t at;
	int depth;

	if (!forest_of(&forest, snapshot))
		return;
	for (at = 0; at < forest.count; at++)
		if (forest.list[at]->program == program)
			break;
	at = at < forest.count ? forest.parent[at] : NO_ROW;
	for (depth = 0; at != NO_ROW && depth <= TREE_DEPTH; at = forest.parent[at], depth++)
		program_set_add(set, forest.list[at]->program);
	free(forest.list);
	forest_free(&forest);
}

static bool is_idle(const struct snap_process *process)
{
	return process->exited || (!process->allocations && !process->launches &&
				   !process->failures && !process->call_count);
}

bool rows_have_selected(const struct view *view)
{
	return view->has_selected && view->selected_row < view->row_count &&
	       view->rows[view->selected_row].process->program == view->selected;
}

/* @place: the row that the selected process would have if it is hidden. */
static void keep_selection(struct view *view, size_t place)
{
	const struct snap_process *selected = view_selected(view);

	/* Until the user chooses, the pane shows an active process, if there is one. */
	if (!view->selected_by_user && view->row_count && (!selected || is_idle(selected))) {
		view->selected = view->rows[0].process->program;
		view->has_selected = true;
	}
	for (size_t i = 0; i < view->row_count; i++)
		if (view->has_selected && view->rows[i].process->program == view->selected) {
			view->selected_row = i;
			return;
		}
	/*
	 * A selected process that the filter hides stays in its pane; if it is gone for good, the
	 * process now in its row is selected.
	 */
	if (!view->row_count)
		return;
	if (view_selected(view)) {
		/* Before the row of that number, or behind the last one */
		view->selected_row = place < view->row_count ? place : view->row_count;
		return;
	}
	if (view->selected_row >= view->row_count)
		view->selected_row = view->row_count - 1;
	view->selected = view->rows[view->selected_row].process->program;
	view->has_selected = true;
}

static bool is_listed(const struct view *view, const struct snap_process *process)
{
	return rows_match(process, view->filter) && user_match(view, process) &&
	       device_match(view, process);
}

/* Compares differences, if the table shows differences. */
static int compare_difference(const void *left, const void *right, void *context)
{
	const struct view *view = context;
	const struct snap_process *a = *(const struct snap_process *const *)left;
	const struct snap_process *b = *(const struct snap_process *const *)right;
	const struct sort_order *order = &view->settings.sort;

	for (size_t i = 0; i < order->count; i++) {
		struct column_value x = view_value(view, order->keys[i], a),
				    y = view_value(view, order->keys[i], b);
		int result = column_compare(order->keys[i], &x, &y, order->reverse);

		if (result)
			return result;
	}
	return a->pid != b->pid ? (a->pid < b->pid ? -1 : 1) :
				  (a->program > b->program) - (a->program < b->program);
}

void rows_arrange(struct view *view)
{
	const struct snapshot *snapshot = view->shown;
	const struct snap_process **list, *hidden = view_selected(view);
	size_t i, count = 0, place = view->selected_row;

	view->row_count = 0;
	view->hidden = 0;
	if (!snapshot || !rows_reserve(view, snapshot->process_count + 1))
		return;
	list = calloc(snapshot->process_count + 1, sizeof(*list));
	if (!list)
		return;
	for (i = 0; i < snapshot->process_count; i++)
		if (is_listed(view, &snapshot->processes[i]))
			list[count++] = &snapshot->processes[i];
	view->hidden = snapshot->process_count - count;
	/* A selected process that is hidden is sorted, too, to know where it would be. */
	if (hidden && is_listed(view, hidden))
		hidden = NULL;
	if (hidden)
		list[count++] = hidden;
	sort_processes(list, count, &view->settings.sort);
	if (view->base)
		qsort_r(list, count, sizeof(*list), compare_difference, view);
	if (hidden) {
		for (place = 0; list[place] != hidden;)
			place++;
		count--;
		memmove(list + place, list + place + 1, (count - place) * sizeof(*list));
	}
	if (view->settings.tree)
		tree_arrange(view, list, count);
	else
		for (i = 0; i < count; i++)
			row_add(view, list[i], "");
	free(list);
	if (view->row_count > view->rows_most)
		view->rows_most = view->row_count;
	keep_selection(view, place);
}

void rows_select(struct view *view, size_t row)
{
	if (!view->row_count)
		return;
	if (row >= view->row_count)
		row = view->row_count - 1;
	if (!view->has_selected || view->selected != view->rows[row].process->program)
		for (int i = 0; i < PANE_COUNT; i++)
			if (i != PANE_LOG) {
				view->panes[i].top = 0;
				/* The row that was chosen is of the process before. */
				view->panes[i].cursor.chosen = view->panes[i].cursor.in_sight =
					false;
			}
	view->selected_row = row;
	view->selected = view->rows[row].process->program;
	view->has_selected = view->selected_by_user = true;
	view->scroll_to_selected = true;
}

static bool search_matches(const struct snap_process *process, const char *search)
{
	char pid[16], ns_pid[16];

	snprintf(pid, sizeof(pid), "%u", process->pid);
	snprintf(ns_pid, sizeof(ns_pid), "%u", process->ns_pid);
	return (process->container && text_find(process->container, search)) ||
	       (process->pod && text_find(process->pod, search)) || !strcmp(ns_pid, search) ||
	       text_find(process->command, search) || text_find(process->arguments, search) ||
	       text_find(process->user, search) || !strcmp(pid, search);
}

/* Finds the first match below a folded process, opens what hides it, and selects it. */
static bool folded_search(struct view *view)
{
	const struct snapshot *snapshot = view->shown;

	if (!view->settings.tree || !view->folds.count)
		return false;
	for (size_t i = 0; i < snapshot->process_count; i++) {
		const struct snap_process *process = &snapshot->processes[i];

		if (search_matches(process, view->search) && is_listed(view, process) &&
		    fold_reveal(view, process->program))
			return true;
	}
	return false;
}

bool rows_search(struct view *view, int direction, bool from_next)
{
	size_t i, count = view->row_count, at;

	if (!count || !view->search[0])
		return false;
	at = view->selected_row < count ? view->selected_row : 0;
	/* One that the filter hides stands before the row of its number. */
	if (direction > 0 && !rows_have_selected(view))
		from_next = false;
	for (i = from_next; i < count + from_next; i++) {
		size_t row = direction > 0 ? (at + i) % count : (at + count - i % count) % count;

		if (search_matches(view->rows[row].process, view->search)) {
			rows_select(view, row);
			return true;
		}
	}
	/* While it is typed, the tree stays as it is. */
	return view->mode == INPUT_NORMAL && folded_search(view);
}
