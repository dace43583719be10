/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folding in the tree: the children of a folded process are hidden, and it keeps its own figures,
 * as in htop. What is folded is kept by program number: it stays so while the tree changes.
 */
#include "util/utf8.h"
#include "view/view_internal.h"

static void changed(struct view *view)
{
	rows_arrange(view);
	view->scroll_to_selected = true;
}

void fold_row(struct view *view, size_t row)
{
	const struct row *at = &view->rows[row];
	uint32_t program = at->process->program;

	if (program_set_has(&view->folds, program))
		program_set_remove(&view->folds, program);
	else
		program_set_add(&view->folds, program);
	changed(view);
}

/* True in the tree; else says how to get there. */
static bool is_tree(struct view *view)
{
	if (!view->settings.tree)
		view_message(view, "only the tree has something to fold: t shows it");
	return view->settings.tree;
}

void fold_switch(struct view *view)
{
	size_t row = view->selected_row;

	if (!is_tree(view))
		return;
	if (row >= view->row_count || !view->has_selected ||
	    view->rows[row].process->program != view->selected)
		view_message(view, "no process in the table is selected");
	else if (!view->rows[row].is_parent)
		view_message(view, "process %u has no children here", view->rows[row].process->pid);
	else
		fold_row(view, row);
}

/* Opens all if one is folded, else folds all that have children. */
void fold_all(struct view *view)
{
	bool folded = false;
	size_t i;

	if (!is_tree(view))
		return;
	for (i = 0; i < view->row_count; i++)
		folded |= view->rows[i].folded != 0;
	if (folded)
		program_set_clear(&view->folds);
	else
		for (i = 0; i < view->row_count; i++)
			if (view->rows[i].is_parent)
				program_set_add(&view->folds, view->rows[i].process->program);
	changed(view);
}

bool fold_reveal(struct view *view, uint32_t program)
{
	struct program_set above = { .list = NULL };
	bool found = false;
	size_t i, row;

	tree_ancestors(view->shown, program, &above);
	for (i = 0; i < above.count; i++) {
		found |= program_set_has(&view->folds, above.list[i]);
		program_set_remove(&view->folds, above.list[i]);
	}
	program_set_clear(&above);
	if (!found)
		return false;
	changed(view);
	for (row = 0; row < view->row_count; row++)
		if (view->rows[row].process->program == program) {
			rows_select(view, row);
			return true;
		}
	return false;
}

bool fold_click(struct view *view, size_t row, int col)
{
	struct table_columns fit = table_fit(view, view->layout.table.cols);
	const char *at;
	int32_t point;
	size_t i;
	int end;

	if (row >= view->row_count || !view->rows[row].is_parent)
		return false;
	for (i = 0; i < fit.count; i++)
		if (!fit.columns[i]->width)
			break;
	if (i == fit.count)
		return false;
	end = fit.start[i] + 2;
	/* Each character of a branch takes a cell. */
	for (at = view->rows[row].branch; *at; at += utf8_next(at, &point))
		end++;
	if (col < fit.start[i] || col >= end)
		return false;
	fold_row(view, row);
	return true;
}
