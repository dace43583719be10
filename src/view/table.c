/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process table. Its columns come from the column table; those that do not fit are dropped by
 * rank, but never the sort column. Every column keeps its cells, so nothing moves when a number
 * grows.
 */
#include <stdio.h>
#include <string.h>

#include "print/text.h"
#include "util/util.h"
#include "view/bars.h"
#include "view/list.h"

enum { COMMAND_MIN = 8, COMMAND_GOOD = 14, COMMAND_WIDE = 10 };
static int width_of(const struct column *column, int cols)
{
	if (column->width)
		return column->width;
	/* From 100 cells on, it fits beside all the usual columns. */
	return cols < 60 ? COMMAND_MIN : cols < 100 ? COMMAND_GOOD : COMMAND_WIDE;
}

struct table_columns table_fit(const struct view *view, int cols)
{
	const struct settings *settings = &view->settings;
	const struct column *sort = settings->sort.count ? settings->sort.keys[0] : NULL;
	const struct column *wanted[COLUMNS_MAX + 1];
	struct list_column list[COLUMNS_MAX + 1];
	struct table_columns table = { .count = 0 };
	size_t count = 0, i, sorted = 0;
	struct fit fit;

	for (i = 0; i < settings->column_count; i++)
		if (!column_is_void(settings->columns[i], view->shown))
			wanted[count++] = settings->columns[i];
	/* An order by a hidden column looks like none: keep the sort columns. */
	for (i = 0; i < count && wanted[i] != sort; i++)
		;
	if (sort && i == count && count < COLUMNS_MAX) {
		i = count && !wanted[count - 1]->width ? count - 1 : count;
		memmove(wanted + i + 1, wanted + i, (count - i) * sizeof(wanted[0]));
		wanted[i] = sort;
		count++;
	}
	for (i = 0; i < count; i++) {
		/* What has no rank is shown only if it was chosen. */
		list[i] = (struct list_column){ .width = wanted[i]->width,
						.least = width_of(wanted[i], cols),
						.rank = wanted[i]->rank ?: COLUMNS_MAX };
		sorted = wanted[i] == sort ? i + 1 : sorted;
	}
	fit = columns_fit(list, count, 0, sorted, cols,
			  &(struct fit_rule){ .gap = 1, .ends = true });
	for (i = 0; i < count; i++)
		if (fit.shown[i]) {
			table.columns[table.count] = wanted[i];
			table.start[table.count] = fit.start[i];
			table.width[table.count++] = fit.width[i];
		}
	return table;
}

static void titles_draw(struct view *view, const struct area *area, const struct table_columns *fit)
{
	const struct sort_order *order = &view->settings.sort;

	area_clear(area, ST_TITLE);
	for (size_t i = 0; i < fit->count; i++) {
		const struct column *column = fit->columns[i];
		bool sorted = order->count && column == order->keys[0],
		     up = (column->unit == UNIT_TEXT) != order->reverse;

		title_draw(area, fit->start[i], fit->width[i], column->title,
			   column_is_left(column),
			   !sorted ? NULL :
			   up      ? "▲" :
				     "▼");
	}
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

static void command_draw(struct view *view, const struct area *area, int row, int start, int width,
			 const struct row *entry, const struct column *column)
{
	const struct snap_process *process = entry->process;
	char end[NUMBER_SIZE + 32], sign[32] = "";
	int col = area_cut(area, row, start, width, ST_FRAME, entry->branch), tail, left, from;
	enum style style = process->exited ? ST_EXITED : ST_PLAIN;
	struct column_value value = column->value(process);
	const char *text = value.absent ? "-" : value.text;

	/* If there is no room for everything, the program's folder is dropped first. */
	text_remark(process, end);
	if (entry->is_parent)
		strcpy(sign, entry->folded ? "▶ " : "▼ ");
	if (entry->folded)
		sprintf(end + strlen(end), " (%zu below)", entry->folded);
	left = start + width - col - canvas_width(area->canvas, sign);
	tail = canvas_width(area->canvas, end);
	if (entry->folded && tail > left - 5) {
		/* The number is what matters: it stands before the name then. */
		text_remark(process, end);
		tail = canvas_width(area->canvas, end);
		sprintf(sign, "▶%zu ", entry->folded);
	}
	col = area_cut(area, row, col, start + width - col, ST_HEAD, sign);
	left = start + width - col;
	if (canvas_width(area->canvas, text) > left - tail) {
		size_t word = strcspn(text, " ");
		const char *slash = memrchr(text, '/', word);

		text = slash && slash[1] && slash[1] != ' ' ? slash + 1 : text;
	}
	if (tail > left - 5) {
		tail = 0;
		if (process->exited)
			col = area_text(area, row, col, ST_EXITED, "× ");
		left = start + width - col;
	}
	from = col;
	col = area_cut(area, row, col, left - tail, style, text);
	if (tail)
		area_text(area, row, col, ST_EXITED, end);
	match_mark(area, row, from, left - tail, text, view->search);
}

static void row_draw(struct view *view, const struct area *area, int row, const struct row *entry,
		     const struct table_columns *fit)
{
	const struct snap_process *process = entry->process;
	char text[72], body[64];

	for (size_t i = 0; i < fit->count; i++) {
		const struct column *column = fit->columns[i];
		struct column_value value = view_value(view, column, process);
		int start = fit->start[i], width = fit->width[i];
		enum style style = value_style(column, &value, process);

		if (!column->width) {
			command_draw(view, area, row, start, width, entry, column);
			continue;
		}
		if (column->unit == UNIT_TEXT && !value.absent) {
			if (column_is_left(column)) {
				area_cut(area, row, start, width, style, value.text);
			} else {
				int cells = canvas_width(area->canvas, value.text);

				area_cut(area, row, start + (cells < width ? width - cells : 0),
					 width, style, value.text);
			}
			continue;
		}
		column_format(column, &value, false, body, sizeof(body));
		snprintf(text, sizeof(text), "%s%s",
			 view->base && column_is_counter(column) && value.number > 0 ? "+" : "",
			 body);
		if (column_is_left(column))
			area_cut(area, row, start, width, style, text);
		else
			area_right(area, row, start + width, style, text);
	}
}

/* A tagged row is bold, and has a sign in the gap behind its first column, where no cell is. */
static void tag_draw(const struct area *area, int row, const struct table_columns *fit)
{
	area_text(area, row, fit->count ? fit->start[0] + fit->width[0] : 0, ST_MESSAGE, "*");
	area_flags(area, row, 0, area->rect.cols, CELL_BOLD);
}

static void scroll(struct view *view, size_t rows)
{
	if (rows_have_selected(view) && (view->scroll_to_selected || view->layout.table.rows == 1))
		rows_scroll(&view->top, view->selected_row, view->selected_row, rows);
	view->scroll_to_selected = false;
	rows_limit(&view->top, rows, view->row_count);
}

/* Where these rows are among all of them: a bar in the last column, and "selected/all". */
static void position_draw(struct view *view, const struct area *titles, const struct area *table)
{
	int cols = table->rect.cols;
	char text[48];

	scrollbar_draw(table, view->top, view->row_count);
	if (rows_have_selected(view))
		snprintf(text, sizeof(text), " %zu/%zu", view->selected_row + 1, view->row_count);
	else
		snprintf(text, sizeof(text), " -/%zu", view->row_count);
	if (titles->rect.rows && cols > 60)
		area_right(titles, 0, cols, ST_TITLE, text);
}

static void empty_draw(struct view *view, const struct area *area)
{
	const char *text = "No CUDA program has made a call yet.";

	if (!view->shown)
		text = "Collecting ...";
	else if (view->hidden)
		text = "No process matches the filter.";
	else if (view->shown->gone.processes)
		text = "No CUDA program runs any more.";
	area_cut(area, 0, 1, area->rect.cols - 2, ST_DIM, text);
	if (view->shown && !view->hidden && area->rect.rows > 2) {
		area_cut(area, 1, 1, area->rect.cols - 2, ST_DIM,
			 "They show up with their first call; start one, or see");
		area_cut(area, 2, 1, area->rect.cols - 2, ST_DIM,
			 "what is probed with cutop -v -b -n 1.");
	}
}

void table_draw(struct view *view, struct canvas *canvas)
{
	struct area titles = area_of(canvas, view->layout.titles),
		    table = area_of(canvas, view->layout.table);
	struct table_columns fit = table_fit(view, canvas->cols);
	size_t rows = (size_t)table.rect.rows, i;

	if (titles.rect.rows)
		titles_draw(view, &titles, &fit);
	if (!rows)
		return;
	if (!view->row_count) {
		empty_draw(view, &table);
		return;
	}
	scroll(view, rows);
	for (i = 0; i < rows && view->top + i < view->row_count; i++) {
		const struct row *entry = &view->rows[view->top + i];

		row_draw(view, &table, (int)i, entry, &fit);
		if (program_set_has(&view->tags, entry->process->program))
			tag_draw(&table, (int)i, &fit);
		if (view->has_selected && entry->process->program == view->selected)
			area_flags(&table, (int)i, 0, table.rect.cols,
				   view_in_pane(view) ? CELL_BOLD : CELL_SELECTED);
	}
	if (view->row_count > rows)
		position_draw(view, &titles, &table);
}
