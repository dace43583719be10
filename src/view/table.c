/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process table. Its rows are the processes that pass the filter, sorted, or as a tree whose every
 * level is sorted. Its columns come from the column table; those that do not fit are dropped by rank,
 * but never the sort column. Every column keeps its cells, so nothing moves when a number grows.
 *
 * In the tree the children of a folded process are hidden, and it keeps its own figures, as in htop.
 * What is folded is kept by program number: it stays so while the tree changes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/text.h"
#include "util/saturated.h"
#include "util/utf8.h"
#include "util/util.h"
#include "view/cells.h"
#include "view/list.h"
#include "view/view_internal.h"

/* ---- sets of processes ---- */

/* The place of @program, or where it would be. */
static size_t program_place(const struct program_set *set, uint32_t program)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->list[middle] < program)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool program_set_has(const struct program_set *set, uint32_t program)
{
	size_t at = program_place(set, program);

	return at < set->count && set->list[at] == program;
}

bool program_set_add(struct program_set *set, uint32_t program)
{
	size_t at = program_place(set, program);

	if (at < set->count && set->list[at] == program)
		return true;
	if (set->count == set->size) {
		size_t size = set->size ? 2 * set->size : 16;
		uint32_t *list = realloc(set->list, size * sizeof(*list));

		if (!list)
			return false;
		set->list = list;
		set->size = size;
	}
	memmove(set->list + at + 1, set->list + at, (set->count - at) * sizeof(*set->list));
	set->list[at] = program;
	set->count++;
	return true;
}

void program_set_remove(struct program_set *set, uint32_t program)
{
	size_t at = program_place(set, program);

	if (at == set->count || set->list[at] != program)
		return;
	set->count--;
	memmove(set->list + at, set->list + at + 1, (set->count - at) * sizeof(*set->list));
}

static int compare_programs(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

void program_set_prune(struct program_set *set, const struct snapshot *snapshot, bool running)
{
	uint32_t *list = set->count ? malloc(set->count * sizeof(*list)) : NULL;
	size_t count = 0, i;

	if (!list)
		return;
	for (i = 0; i < snapshot->process_count + snapshot->listed_count && count < set->count;
	     i++) {
		const struct snap_process *process = &snapshot->processes[i];

		if (program_set_has(set, process->program) && !(running && process->exited))
			list[count++] = process->program;
	}
	qsort(list, count, sizeof(*list), compare_programs);
	free(set->list);
	set->list = list;
	set->size = set->count; /* what was allocated */
	set->count = count;
}

void program_set_clear(struct program_set *set)
{
	free(set->list);
	*set = (struct program_set){ .list = NULL };
}

/* ---- rows ---- */

const struct snap_process *snapshot_process(const struct snapshot *snapshot, uint32_t program)
{
	for (size_t i = 0; snapshot && i < snapshot->process_count + snapshot->listed_count; i++)
		if (snapshot->processes[i].program == program)
			return &snapshot->processes[i];
	return NULL;
}

const char *command_brief(const struct snap_process *process)
{
	return command_basename(process->command);
}

const struct snap_process *view_selected(const struct view *view)
{
	return view->table.has_selected ? snapshot_process(view->shown, view->table.selected) :
					  NULL;
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

static bool rows_match(const struct snap_process *process, const char *filter)
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

	if (count <= view->table.row_size)
		return true;
	rows = realloc(view->table.rows, count * sizeof(*rows));
	if (!rows)
		return false;
	view->table.rows = rows;
	view->table.row_size = count;
	return true;
}

static void row_add(struct view *view, const struct snap_process *process, const char *branch)
{
	struct row *row = &view->table.rows[view->table.row_count++];

	*row = (struct row){ .process = process, .group = group_of(view, process) };
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
		if (view->table.has_selected && view->table.selected == forest->list[i]->program)
			view->table.selected = folded;
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
	row = &view->table.rows[view->table.row_count];
	row_add(view, forest->list[at], branch);
	row->is_parent = depth < TREE_DEPTH && forest->child[at] != NO_ROW;
	if (program_set_has(&view->table.folds, row->process->program)) {
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

static bool is_idle(const struct snap_process *process)
{
	return process->exited || (!process->allocations && !process->launches &&
				   !process->failures && !process->call_count);
}

bool rows_have_selected(const struct view *view)
{
	return view->table.has_selected && view->table.selected_row < view->table.row_count &&
	       view->table.rows[view->table.selected_row].process->program == view->table.selected;
}

/* @place: the row that the selected process would have if it is hidden. */
static void keep_selection(struct view *view, size_t place)
{
	const struct snap_process *selected = view_selected(view);

	/* Until the user chooses, the pane shows an active process, if there is one. */
	if (!view->table.selected_by_user && view->table.row_count &&
	    (!selected || is_idle(selected))) {
		view->table.selected = view->table.rows[0].process->program;
		view->table.has_selected = true;
	}
	for (size_t i = 0; i < view->table.row_count; i++)
		if (view->table.has_selected &&
		    view->table.rows[i].process->program == view->table.selected) {
			view->table.selected_row = i;
			return;
		}
	/*
	 * A selected process that the filter hides stays in its pane; if it is gone for good, the
	 * process now in its row is selected.
	 */
	if (!view->table.row_count)
		return;
	if (view_selected(view)) {
		/* Before the row of that number, or behind the last one */
		view->table.selected_row = place < view->table.row_count ? place :
									   view->table.row_count;
		return;
	}
	if (view->table.selected_row >= view->table.row_count)
		view->table.selected_row = view->table.row_count - 1;
	view->table.selected = view->table.rows[view->table.selected_row].process->program;
	view->table.has_selected = true;
}

#define GONE_AFTER (60 * NSEC_PER_SEC)

/*
 * While others run, one that ended some time ago is of no interest any more, unless it leaked: that
 * stays until the user clears it.
 */
static bool is_gone(const struct view *view, const struct snap_process *process)
{
	return process->exited && !process->leaked && view->table.any_runs &&
	       subtract_saturated(view->shown->time, process->end_time) >= GONE_AFTER &&
	       !(view->table.selected_by_user && view->table.has_selected &&
		 view->table.selected == process->program);
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

/* How many processes of @snapshot may have a row. */
static size_t rows_most(const struct view *view, const struct snapshot *snapshot)
{
	return snapshot->process_count + (view->host.is_partial ? 0 : snapshot->listed_count);
}

void rows_arrange(struct view *view)
{
	const struct snapshot *snapshot = view->shown;
	const struct snap_process **list, *hidden = view_selected(view);
	size_t i, count = 0, place = view->table.selected_row, most;

	view->table.row_count = view->table.group_count = 0;
	view->table.hidden = 0;
	if (!snapshot)
		return;
	most = rows_most(view, snapshot);
	if (!rows_reserve(view, most + 1))
		return;
	list = calloc(most + 1, sizeof(*list));
	if (!list)
		return;
	view->table.any_runs = false;
	for (i = 0; i < most; i++)
		view->table.any_runs |= !snapshot->processes[i].exited;
	for (i = 0; i < most; i++)
		if (is_gone(view, &snapshot->processes[i]))
			continue;
		else if (is_listed(view, &snapshot->processes[i]))
			list[count++] = &snapshot->processes[i];
		else
			view->table.hidden++;
	/* The tree has a row for each; so have differences, which are of one process. */
	if (!view->settings.tree && !view->base)
		count = groups_fold(view, list, count);
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
	if (view->table.row_count > view->table.most_rows)
		view->table.most_rows = view->table.row_count;
	keep_selection(view, place);
}

void rows_select(struct view *view, size_t row)
{
	if (!view->table.row_count)
		return;
	if (row >= view->table.row_count)
		row = view->table.row_count - 1;
	if (!view->table.has_selected ||
	    view->table.selected != view->table.rows[row].process->program)
		for (int i = 0; i < PANE_COUNT; i++)
			if (!panes[i]->is_of_all) {
				view->panes[i].top = 0;
				/* The row that was chosen is of the process before. */
				view->panes[i].cursor.chosen = view->panes[i].cursor.in_sight =
					false;
			}
	view->table.selected_row = row;
	view->table.selected = view->table.rows[row].process->program;
	view->table.has_selected = view->table.selected_by_user = true;
	view->table.scroll_to_selected = true;
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

static void changed(struct view *view)
{
	rows_arrange(view);
	view->table.scroll_to_selected = true;
}

bool rows_search(struct view *view, int direction, bool from_next)
{
	size_t i, count = view->table.row_count, at;

	if (!count || !view->search[0])
		return false;
	at = view->table.selected_row < count ? view->table.selected_row : 0;
	/* One that the filter hides stands before the row of its number. */
	if (direction > 0 && !rows_have_selected(view))
		from_next = false;
	for (i = from_next; i < count + from_next; i++) {
		size_t row = direction > 0 ? (at + i) % count : (at + count - i % count) % count;

		if (search_matches(view->table.rows[row].process, view->search)) {
			rows_select(view, row);
			return true;
		}
	}
	return false;
}

bool rows_unfold_found(struct view *view)
{
	const struct snapshot *snapshot = view->shown;
	const struct row_group *group;

	if (view->settings.tree ? !view->table.folds.count : !view->table.group_count)
		return false;
	for (size_t i = 0; i < rows_most(view, snapshot); i++) {
		if (!search_matches(&snapshot->processes[i], view->search))
			continue;
		group = group_of(view, &snapshot->processes[i]);
		if (group && !group->is_open)
			group_switch(view, group);
		else if (!view->settings.tree)
			continue;
		program_set_clear(&view->table.folds);
		changed(view);
		return true;
	}
	return false;
}

/* ---- folding ---- */

/* In the tree what is below @row, else its group. False: there is nothing to fold. */
static bool row_fold(struct view *view, const struct row *row)
{
	if (row->group)
		group_switch(view, row->group);
	else if (!row->is_parent)
		return false;
	else if (!program_set_has(&view->table.folds, row->process->program))
		program_set_add(&view->table.folds, row->process->program);
	else
		program_set_remove(&view->table.folds, row->process->program);
	changed(view);
	return true;
}

/* The selected row; NULL: there is none, or it is hidden. */
static const struct row *row_selected(const struct view *view)
{
	return rows_have_selected(view) ? &view->table.rows[view->table.selected_row] : NULL;
}

void fold_switch(struct view *view)
{
	const struct row *row = row_selected(view);

	if (!row)
		view_message(view, "no process in the table is selected");
	else if (!row_fold(view, row))
		view_message(view, "process %u %s", row->process->pid,
			     view->settings.tree ? "has no children here" :
						   "shares no row: t shows the tree");
}

bool fold_open(struct view *view)
{
	const struct row *row = row_selected(view);

	return row && row->group && !row->group->is_open && row_fold(view, row);
}

/* Opens all if one is folded, else folds all that can be. */
void fold_all(struct view *view)
{
	bool folded = false, any = false;
	size_t i;

	for (i = 0; i < view->table.row_count; i++) {
		const struct row *row = &view->table.rows[i];

		folded |= row->folded || (row->group && !row->group->is_open);
		any |= row->is_parent || row->group;
	}
	if (!any)
		view_message(view, "nothing here can be folded%s",
			     view->settings.tree ? "" : ": t shows the tree");
	for (i = 0; i < view->table.group_count; i++)
		if (view->table.groups[i].is_open != folded)
			group_switch(view, &view->table.groups[i]);
	if (folded)
		program_set_clear(&view->table.folds);
	for (i = 0; !folded && i < view->table.row_count; i++)
		if (view->table.rows[i].is_parent)
			program_set_add(&view->table.folds, view->table.rows[i].process->program);
	changed(view);
}

bool fold_click(struct view *view, size_t row, int col)
{
	const struct list_state *list = &view->table.list;
	const struct column *shown[COLUMNS_MAX];
	size_t i, count = table_columns(view, shown);
	const char *at;
	int32_t point;
	int end;

	if (row >= view->table.row_count ||
	    !(view->table.rows[row].is_parent || view->table.rows[row].group))
		return false;
	for (i = 0; i < count; i++)
		if (!shown[i]->width)
			break;
	if (i == count || !list->title_end[i])
		return false;
	end = list->title_start[i] + 2;
	/* Each character of a branch takes a cell. */
	for (at = view->table.rows[row].branch; *at; at += utf8_next(at, &point))
		end++;
	if (col < list->title_start[i] || col >= end)
		return false;
	return row_fold(view, &view->table.rows[row]);
}

/* ---- drawing ---- */

enum { COMMAND_MIN = 8, COMMAND_GOOD = 14, COMMAND_WIDE = 10 };
static int width_of(const struct column *column, int cols)
{
	if (column->width)
		return column->width;
	/* From 100 cells on, it fits beside all the usual columns. */
	return cols < 60 ? COMMAND_MIN : cols < 100 ? COMMAND_GOOD : COMMAND_WIDE;
}

size_t table_columns(const struct view *view, const struct column *list[COLUMNS_MAX])
{
	const struct settings *settings = &view->settings;
	const struct column *sort = settings->sort.count ? settings->sort.keys[0] : NULL;
	size_t count = 0, i;

	for (i = 0; i < settings->column_count; i++)
		if (!column_is_void(settings->columns[i], view->shown))
			list[count++] = settings->columns[i];
	/* An order by a hidden column looks like none: keep the sort columns. */
	for (i = 0; i < count && list[i] != sort; i++)
		;
	if (sort && i == count && count < COLUMNS_MAX) {
		i = count && !list[count - 1]->width ? count - 1 : count;
		memmove(list + i + 1, list + i, (count - i) * sizeof(list[0]));
		list[i] = sort;
		count++;
	}
	return count;
}

static const struct column *column_of(const struct list *list, size_t column)
{
	return ((const struct column *const *)list->items)[column];
}

static enum style value_style(const struct column *column, const struct column_value *value,
			      const struct snap_process *process)
{
	if (process->exited && !(value->number > 0 && column->tone == TONE_LEAK))
		return ST_EXITED;
	if (value->absent)
		return ST_DIM;
	if (column->unit == UNIT_TEXT)
		return ST_PLAIN;
	if (value->number == 0)
		return ST_DIM;
	switch (column->tone) {
	case TONE_LEAK:
	case TONE_NOTICE: return value->mark == '~' || !process->leaked ? ST_SUSPECT : ST_LEAKED;
	case TONE_FAILURE: return ST_FAILED;
	default: return ST_PLAIN;
	}
}

/*
 * What stands behind the command, and in front of it where there is no room behind: how it ended, how
 * many are folded, or share the row.
 */
struct row_remark {
	char tail[160], brief[64];
	char number[24]; /* in front; empty: nothing has to be said */
};

static struct row_remark row_remark(const struct row *row)
{
	const struct snap_process *process = row->process;
	struct row_remark remark = { .number = "" };
	char end[NUMBER_SIZE];

	text_remark(process, end);
	if (row->group && !row->group->is_open) {
		snprintf(remark.brief, sizeof(remark.brief), " ×%zu%s", row->group->count, end);
		snprintf(remark.tail, sizeof(remark.tail), "%s%s", remark.brief,
			 row->group->remark);
		snprintf(remark.number, sizeof(remark.number), "×%zu ", row->group->count);
	} else if (row->folded) {
		snprintf(remark.tail, sizeof(remark.tail), "%s (%zu below)", end, row->folded);
		snprintf(remark.number, sizeof(remark.number), "%zu ", row->folded);
	} else {
		snprintf(remark.tail, sizeof(remark.tail), "%s", end);
		strcpy(remark.number, process->exited ? "× " : "");
	}
	return remark;
}

/*
 * @text, the command line of @process, which has more than @cells: without the program's folder, and if
 * there is no room for the script that an interpreter runs, that alone.
 */
static const char *text_short(const struct snap_process *process, const char *text, int cells,
			      const struct canvas *canvas)
{
	const char *slash = memrchr(text, '/', strcspn(text, " "));
	const char *script = process->brief ? strrchr(process->brief, ' ') : NULL;

	text = slash && slash[1] && slash[1] != ' ' ? slash + 1 : text;
	return script && script[1] && script[1] != '-' &&
			       canvas_width(canvas, process->brief) > cells ?
		       script + 1 :
		       text;
}

/* The command, with its place in the tree before it, and what is to be said of it behind it. */
static bool command_draw(const struct list *list, const struct area *area, int row, size_t item,
			 size_t at, const struct fit *fit)
{
	const struct view *view = list->view;
	const struct row *entry = &view->table.rows[item];
	const struct column *column = column_of(list, at);
	const struct snap_process *process = entry->process;
	struct row_remark remark = row_remark(entry);
	int limit = fit->start[at] + fit->width[at], col, tail, from;
	enum style style = process->exited ? ST_EXITED : ST_PLAIN;
	struct column_value value = column->value(process);
	const char *text = value.absent ? "-" : value.text;
	bool is_open = entry->group ? entry->group->is_open : !entry->folded;
	bool has_sign = entry->is_parent || entry->group;

	if (column->width)
		return false;
	col = area_cut(area, row, fit->start[at], fit->width[at], ST_FRAME, entry->branch);
	if (has_sign)
		col = area_cut(area, row, col, limit - col, ST_HEAD, is_open ? "▼" : "▶");
	tail = canvas_width(area->canvas, remark.tail);
	if (canvas_width(area->canvas, text) > limit - col - tail)
		text = text_short(process, text, limit - col - tail, area->canvas);
	if (remark.brief[0] && canvas_width(area->canvas, text) > limit - col - tail) {
		strcpy(remark.tail, remark.brief);
		tail = canvas_width(area->canvas, remark.tail);
	}
	if (tail > limit - col - has_sign - 5) {
		tail = 0;
		col = area_cut(area, row, col, limit - col, process->exited ? ST_EXITED : ST_HEAD,
			       remark.number);
	} else {
		col += has_sign;
	}
	from = col;
	col = area_cut(area, row, col, limit - col - tail, style, text);
	if (tail)
		area_text(area, row, col, ST_EXITED, remark.tail);
	match_mark(area, row, from, limit - from - tail, text, view->search);
	return true;
}

static enum style table_cell(const struct list *list, size_t item, size_t at, char out[CELL_TEXT])
{
	const struct column *column = column_of(list, at);
	const struct snap_process *process = list->view->table.rows[item].process;
	struct column_value value = view_value(list->view, column, process);
	bool is_more = list->view->base && column_is_counter(column) && !value.absent &&
		       value.number > 0;

	out[0] = '+';
	column_format(column, &value, false, out + is_more, CELL_TEXT - 1);
	return value_style(column, &value, process);
}

static void row_mark(const struct list *list, const struct area *area, int row, size_t item,
		     const struct fit *fit)
{
	const struct process_table *table = &list->view->table;
	uint32_t program = table->rows[item].process->program;
	size_t i = 0;

	/* A tagged row is bold, and has a sign in the gap behind its first column. */
	if (program_set_has(&table->tags, program)) {
		while (i + 1 < list->column_count && !fit->shown[i])
			i++;
		area_text(area, row, fit->start[i] + fit->width[i], ST_MESSAGE, "*");
		area_flags(area, row, 0, area->rect.cols, CELL_BOLD);
	}
	if (table->has_selected && program == table->selected)
		area_flags(area, row, 0, area->rect.cols,
			   view_in_pane(list->view) ? CELL_BOLD : CELL_SELECTED);
}

static const struct fit_rule table_rule = { .gap = 1, .spill = 1, .ends = true };
static const struct pane_desc table_desc = {
	.rule = &table_rule,
	.cell = table_cell,
	.cell_draw = command_draw,
	.mark = row_mark,
};

static const char *empty_text(const struct view *view)
{
	if (!view->shown)
		return "Collecting ...";
	if (view->table.hidden)
		return "No process matches the filter.";
	if (view->host.from_command && view->host.command_ended && !view->shown->gone.processes)
		return "The command has ended and made no CUDA call.";
	if (view->shown->gone.processes)
		return "No CUDA program runs any more.";
	return "No CUDA program has made a call yet.";
}

/* What is there in place of rows, or tells which of them are in sight: "selected/all" */
static void around_draw(const struct view *view, const struct area *titles, const struct area *area)
{
	size_t count = view->table.row_count;
	char text[48], at[24] = "-";
	int cols = area->rect.cols;

	if (!count && view->shown && !view->table.hidden && area->rect.rows > 2) {
		area_cut(area, 1, 1, cols - 2, ST_DIM,
			 "They show up with their first call; start one, or see");
		area_cut(area, 2, 1, cols - 2, ST_DIM, "what is probed with cutop -v -b -n 1.");
	}
	if (!area->rect.rows || count <= (size_t)area->rect.rows || cols <= 60)
		return;
	if (rows_have_selected(view))
		snprintf(at, sizeof(at), "%zu", view->table.selected_row + 1);
	snprintf(text, sizeof(text), " %s/%zu", at, count);
	area_right(titles, 0, cols, ST_TITLE, text);
}

void table_draw(struct view *view, struct canvas *canvas)
{
	struct area titles = area_of(canvas, view->layout.titles),
		    area = area_of(canvas, view->layout.table);
	const struct sort_order *order = &view->settings.sort;
	struct list_state *state = &view->table.list;
	struct list_column all[COLUMNS_MAX];
	const struct column *shown[COLUMNS_MAX];
	struct list list = {
		.desc = &table_desc,
		.view = view,
		.columns = all,
		.column_count = table_columns(view, shown),
		.items = shown,
		.count = view->table.row_count,
		.empty = empty_text(view),
	};

	state->sort = 0;
	state->reverse = order->reverse;
	for (size_t i = 0; i < list.column_count; i++) {
		/* What has no rank is shown only if it was chosen. */
		all[i] = (struct list_column){ .title = shown[i]->title,
					       .width = shown[i]->width,
					       .least = width_of(shown[i], canvas->cols),
					       .left = column_is_left(shown[i]),
					       .ascends = shown[i]->unit == UNIT_TEXT,
					       .rank = shown[i]->rank ?: COLUMNS_MAX };
		if (order->count && shown[i] == order->keys[0])
			state->sort = (unsigned int)i + 1;
	}
	if (area.rect.rows && rows_have_selected(view) &&
	    (view->table.scroll_to_selected || area.rect.rows == 1))
		rows_scroll(&state->top, view->table.selected_row, view->table.selected_row,
			    (size_t)area.rect.rows);
	view->table.scroll_to_selected &= !area.rect.rows;
	list_draw_at(state, &titles, &area, &list);
	around_draw(view, &titles, &area);
}
