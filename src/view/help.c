/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The help: a page for the keys, one for the columns of the table, one for each pane, and one for
 * signs. All text comes from the tables that make the screen. A page is built as rows, broken where
 * the window ends, each time it is drawn.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"
#include "view/list.h"
#include "view/view_internal.h"

enum { PAGE_KEYS, PAGE_TABLE, PAGE_PANES, PAGE_SIGNS = PAGE_PANES + PANE_COUNT, PAGE_COUNT };

enum {
	ROWS_MAX = 512,
	TEXT_MAX = 120, /* bytes of a row */
	LABEL = 14,     /* cells for what is explained */
	NARROW = 76,    /* cells of a page, if there is room */
	TWO = 120,      /* cells of a screen where keys have two columns */
	WIDE = 116
};

struct help_row {
	const char *label;
	enum style label_style, style;
	bool is_head; /* @text takes the label's place, too */
	char text[TEXT_MAX];
};

struct page {
	struct help_row *rows;
	size_t count;
	int cols; /* cells for a row */
};

/* ---- what is on a page ---- */

/* How many bytes of @text fit into @cells, up to a gap between words if there is one. */
static size_t line_len(const char *text, int cells)
{
	size_t len = 0, gap = 0;
	int used = 0;

	/* Texts are ours, and have no characters of two cells. */
	for (; text[len] && used <= cells && len < TEXT_MAX - 4; len++) {
		if (text[len] == ' ')
			gap = len;
		used += (text[len] & 0xc0) != 0x80;
	}
	if (!text[len] && used <= cells)
		return len;
	return gap ? gap : len;
}

static void row_add(struct page *page, const struct help_row *row, const char *text, size_t len)
{
	struct help_row *to = &page->rows[page->count];

	if (page->count == ROWS_MAX)
		return;
	*to = *row;
	snprintf(to->text, sizeof(to->text), "%.*s", (int)len, text);
	page->count++;
}

/* @label and @text beside it, in as many rows as that takes. */
static void entry_add(struct page *page, const char *label, enum style label_style,
		      const char *text, enum style style)
{
	struct help_row row = { .label = label, .label_style = label_style, .style = style };
	int cells = page->cols - LABEL - 1;
	size_t len;

	do {
		len = line_len(text, cells > 10 ? cells : 10);
		row_add(page, &row, text, len);
		text += len;
		text += *text == ' ';
		row.label = "";
	} while (*text);
}

static void head_add(struct page *page, const char *text)
{
	const struct help_row head = { .is_head = true, .style = ST_HEAD }, gap = { .label = "" };

	if (page->count)
		row_add(page, &gap, "", 0);
	row_add(page, &head, text, strlen(text));
}

static void keys_add(struct page *page)
{
	static const char *const mouse[][2] = {
		{ "Click", "a row, a title, a tab, a key below, a flag above, a sign, "
			   "a device, the map, a plot, the bar beside a list" },
		{ "Again", "a row: opens it; a title: inverts" },
		{ "Wheel", "scrolls" },
	};
	char text[80];
	size_t i;

	for (i = 0; i < binding_count; i++) {
		if (bindings[i].section)
			head_add(page, bindings[i].section);
		entry_add(page, bindings[i].label, ST_KEY,
			  binding_help(&bindings[i], text, sizeof(text)), ST_PLAIN);
	}
	head_add(page, "Mouse");
	for (i = 0; i < ARRAY_LEN(mouse); i++)
		entry_add(page, mouse[i][0], ST_KEY, mouse[i][1], ST_PLAIN);
}

static bool is_shown(const struct settings *settings, const struct column *column)
{
	for (size_t i = 0; i < settings->column_count; i++)
		if (settings->columns[i] == column)
			return true;
	return false;
}

/* Why figures of the selected process are no more than bounds or estimates. */
static void doubts_add(const struct view *view, struct page *page)
{
	const struct snap_process *process = view_selected(view);
	const unsigned int ever = process ? process->given_ever : 0;
	char head[80];
	const struct {
		bool is_so;
		const char *sign, *text;
	} doubts[] = {
		{ process && process->from_attach, "≥",
		  "it ran before cutop watched it: what was before is not in its figures" },
		{ process && process->runtime_late, "≥ CALLS FAILED",
		  "its runtime was called before it was probed" },
		{ process && process->sampled, "≥ FAILED",
		  "one launch in 67 is followed to its return, and all for a time after one that failed; --exact-launches: all" },
		{ ever & 1u << SPARE_LAUNCHES, "≥ LAUNCHES",
		  "launches were watched in one second of several, to keep within --budget" },
		{ ever & 1u << SPARE_CALLS, "≥ CALLS",
		  "calls that are only counted were given up for a time, to keep within --budget" },
		{ process && process->suspect, "~ LEAKED",
		  "that part of it keeps rising: it seems to leak, but may be freed yet" },
		{ process && process->unreturned, "-",
		  "returns are not probed on this kernel, which would end the process" },
		{ process && process->inexact, "inexact",
		  "something of it was lost: the log and cutop doctor say what" },
	};

	snprintf(head, sizeof(head), "Signs of %u %.40s, and why", process ? process->pid : 0,
		 process ? command_brief(process) : "");
	for (size_t i = 0; i < ARRAY_LEN(doubts); i++) {
		if (!doubts[i].is_so)
			continue;
		if (head[0])
			head_add(page, head);
		head[0] = 0;
		entry_add(page, doubts[i].sign, ST_KEY, doubts[i].text, ST_PLAIN);
	}
}

/* The columns of the table that are shown are in another style than those that F2 would show. */
static void table_add(const struct view *view, struct page *page)
{
	doubts_add(view, page);
	for (int shown = 1; shown >= 0; shown--) {
		head_add(page, shown ? "Columns of the table" : "Others, which F2 adds");
		for (size_t i = 0; i < column_count; i++)
			if (is_shown(&view->settings, &columns[i]) == shown)
				entry_add(page, columns[i].title, ST_TITLE_SORT, columns[i].help,
					  ST_PLAIN);
	}
}

static void pane_add(const struct view *view, struct page *page, enum pane number)
{
	const struct pane_desc *pane = panes[number];
	char text[160];

	(void)view;
	snprintf(text, sizeof(text), "%d %s: %s", number, pane->title, pane->help);
	head_add(page, text);
	for (size_t i = 0; i < pane->column_count; i++) {
		const struct list_column *column = &pane->columns[i];

		const char *title = column_title(pane, column);

		entry_add(page, title[0] ? title : "(bar)", ST_TITLE_SORT,
			  column->help ? column->help : "", ST_PLAIN);
	}
}

static void signs_add(struct page *page)
{
	static const struct {
		const char *sign;
		enum style style;
		const char *text;
	} signs[] = {
		{ "Numbers", ST_COUNT, NULL },
		{ "≥", ST_PLAIN, "at least so many: some were not seen; in ASCII a + behind it" },
		{ "~", ST_SUSPECT, "an estimate; of leaked bytes: it seems so, without proof" },
		{ "+", ST_PLAIN, "before a number, with a baseline (x): so many more than then" },
		{ "-", ST_DIM, "not known, or there is none" },
		{ "–", ST_DIM, "no copy in this direction so far" },
		{ "Rows", ST_COUNT, NULL },
		{ "*", ST_MESSAGE, "behind a pid: tagged (T); async*: see Copies" },
		{ "×", ST_EXITED, "the process has exited" },
		{ "▶ ▼", ST_DIM, "folded, open: a row, or what is below it in the tree" },
		{ "▲ ▼", ST_TITLE_SORT, "sorted by this column: upwards, downwards" },
		{ "…", ST_PLAIN, "at the end of a text: it is cut; ] moves a long name" },
		{ "Memory", ST_COUNT, NULL },
		{ "█ ▓", ST_LIVE, "live: allocated and not freed; neighbours in two shades" },
		{ "▒", ST_SUSPECT, "suspect: of sites whose floor keeps rising" },
		{ "▚", ST_LEAKED, "leaked: not freed when its owner ended" },
		{ "▌", ST_HELD, "held: kept by a library on purpose until the end" },
		{ "░", ST_FREE, "free, or nothing" },
		{ "▓", ST_HELD, "in a device's bar: in use, but not by what is watched" },
		{ "●", ST_TAB, "in the map: what the cursor is on" },
		{ "Time", ST_COUNT, NULL },
		{ "▁▃▇", ST_LAUNCH, "how it was lately, the latest at the right" },
	};

	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (!signs[i].text)
			head_add(page, signs[i].sign);
		else
			entry_add(page, signs[i].sign, signs[i].style, signs[i].text, ST_PLAIN);
}

static bool page_make(const struct view *view, int number, int cols, struct page *page)
{
	*page = (struct page){ .rows = calloc(ROWS_MAX, sizeof(*page->rows)), .cols = cols };
	if (!page->rows)
		return false;
	if (number == PAGE_KEYS)
		keys_add(page);
	else if (number == PAGE_TABLE)
		table_add(view, page);
	else if (number == PAGE_SIGNS)
		signs_add(page);
	else
		pane_add(view, page, (enum pane)(number - PAGE_PANES));
	return true;
}

/* ---- tabs ---- */

static const char *page_name(int number)
{
	return number == PAGE_KEYS  ? "Keys" :
	       number == PAGE_TABLE ? "Table" :
	       number == PAGE_SIGNS ? "Signs" :
				      panes[number - PAGE_PANES]->title;
}

/* How many characters of each name there is room for; 0: of the shown one's only. */
static int tab_chars(int cols)
{
	for (int most = 12; most; most = most == 12 ? 4 : 0) {
		int width = 0;

		for (int i = 0; i < PAGE_COUNT; i++) {
			int len = (int)strlen(page_name(i));

			width += 2 + (len < most ? len : most);
		}
		if (width <= cols)
			return most;
	}
	return 0;
}

static int tab_text(int number, int chars, char *out, size_t size)
{
	return snprintf(out, size, " %.*s ", chars, page_name(number));
}

static void tabs_line(struct view *view, const struct area *area)
{
	int chars = tab_chars(area->rect.cols), col = 0;
	char text[64];

	if (!chars) {
		snprintf(text, sizeof(text), "%s, page %d of %d", page_name(view->help.page),
			 view->help.page + 1, PAGE_COUNT);
		area_cut(area, 0, 0, area->rect.cols, ST_HEAD, text);
		return;
	}
	for (int i = 0; i < PAGE_COUNT; i++) {
		tab_text(i, chars, text, sizeof(text));
		col = area_text(area, 0, col, i == view->help.page ? ST_TAB : ST_DIM, text);
	}
}

static void help_show(struct view *view, int page)
{
	view->help.page = (page + PAGE_COUNT) % PAGE_COUNT;
	view->help.top = 0;
}

bool help_click(struct view *view, int row, int col)
{
	const struct rect *tabs = &view->help.tabs;
	int chars = tab_chars(tabs->cols), at = tabs->col;
	char text[64];

	if (!tabs->rows || row != tabs->row || !chars)
		return false;
	for (int i = 0; i < PAGE_COUNT; i++) {
		int width = tab_text(i, chars, text, sizeof(text));

		if (col >= at && col < at + width) {
			help_show(view, i);
			return true;
		}
		at += width;
	}
	return false;
}

/* ---- drawing ---- */

static void row_draw(const struct area *area, int row, int col, int cols,
		     const struct help_row *help)
{
	if (help->is_head) {
		area_cut(area, row, col, cols, help->style, help->text);
		return;
	}
	area_cut(area, row, col + 1, LABEL - 1, help->label_style, help->label ? help->label : "");
	area_cut(area, row, col + LABEL + 1, cols - LABEL - 1, help->style, help->text);
}

static bool is_gap(const struct help_row *row)
{
	return !row->is_head && !row->text[0] && !row->label[0];
}

static void hint_draw(const struct view *view, const struct area *area, int row, bool scrolls)
{
	bool keys = view->help.page == PAGE_KEYS;
	const char *more = scrolls ? "Up and Down scroll" : "";
	const char *text = keys ? view_in_pane(view) ?
				  "Tab: columns and signs   ?: of this pane   Esc close" :
				  "Tab: columns and signs   ?: of the table   Esc close" :
				  "Tab next page   Esc close";
	int room = area->rect.cols - (scrolls ? canvas_width(area->canvas, more) + 1 : 0);

	if (canvas_width(area->canvas, text) > room)
		text = keys ? "Tab ? pages  Esc" : "Tab page  Esc";
	area_cut(area, row, 0, room, ST_KEY, text);
	area_right(area, row, area->rect.cols, ST_DIM, more);
}

/* How high the window is: the same for all pages, so that it does not jump. */
static int window_rows(const struct view *view, int cols, bool two)
{
	int most = 0;

	for (int i = 0; i < PAGE_COUNT; i++) {
		struct page page;
		int rows;

		if (!page_make(view, i, i == PAGE_KEYS && two ? cols / 2 - 1 : cols, &page))
			continue;
		rows = i == PAGE_KEYS && two ? (int)(page.count + 1) / 2 : (int)page.count;
		most = rows > most ? rows : most;
		free(page.rows);
	}
	return most;
}

void help_draw(struct view *view, struct canvas *canvas)
{
	bool wide = canvas->cols >= TWO, two = wide && view->help.page == PAGE_KEYS;
	int want = wide                      ? WIDE :
		   canvas->cols - 4 < NARROW ? canvas->cols - 4 :
					       NARROW,
	    rows, body, cols, tabs;
	struct area area = frame_open(canvas, window_rows(view, want, wide) + 2, want, "Help");
	struct page page;
	size_t half, second;

	cols = two ? area.rect.cols / 2 - 1 : area.rect.cols;
	rows = area.rect.rows;
	tabs = rows > 3 ? 1 : 0;
	body = rows > 4 ? rows - tabs - 1 : rows - tabs;
	view->menu.rect =
		(struct rect){ area.rect.row + tabs, area.rect.col, body, area.rect.cols };
	view->help.tabs = (struct rect){ area.rect.row, area.rect.col, tabs, area.rect.cols };
	if (!page_make(view, view->help.page, cols, &page))
		return;
	half = two ? (page.count + 1) / 2 : page.count;
	/* No column begins with a gap. */
	second = half < page.count && is_gap(&page.rows[half]) ? half + 1 : half;
	if (view->help.top > (int)half - body)
		view->help.top = (int)half > body ? (int)half - body : 0;
	for (int i = 0; i < body; i++) {
		size_t line = (size_t)(i + view->help.top);

		if (line < half)
			row_draw(&area, tabs + i, 0, cols, &page.rows[line]);
		if (two && second + line < page.count)
			row_draw(&area, tabs + i, cols + 2, cols, &page.rows[second + line]);
	}
	if (tabs)
		tabs_line(view, &area);
	if (tabs + body < rows)
		hint_draw(view, &area, rows - 1, (int)half > body);
	free(page.rows);
}

/* ---- keys ---- */

/* With the focus on a pane, help begins with what its columns are. */
void help_open(struct view *view)
{
	help_show(view, view_in_pane(view) ? PAGE_PANES + (int)view->settings.pane : PAGE_KEYS);
}

/* The keys that turn pages. False: it is another. */
static bool page_key(struct view *view, enum action action)
{
	int page = view->help.page;

	if (action == ACT_NEXT_PANE)
		page++;
	else if (action == ACT_PREVIOUS_PANE)
		page--;
	else if (action == ACT_HELP && page == PAGE_KEYS && !view_in_pane(view))
		page = PAGE_TABLE;
	else if (action == ACT_HELP && (page == PAGE_KEYS || page == PAGE_TABLE))
		page = PAGE_PANES + (int)view->settings.pane;
	else if (action == ACT_HELP && view_in_pane(view))
		page = PAGE_KEYS;
	else if (action >= ACT_PANE && action <= ACT_PANE_LAST)
		page = PAGE_PANES + (int)(action - ACT_PANE);
	else
		return false;
	help_show(view, page);
	return true;
}

void help_key(struct view *view, int32_t key)
{
	int page = view->menu.rect.rows > 1 ? view->menu.rect.rows - 1 : 1;

	if (view->mode == INPUT_HELP && page_key(view, keys_action(key)))
		return;
	switch (keys_action(key)) {
	case ACT_UP: view->help.top--; break;
	case ACT_DOWN: view->help.top++; break;
	case ACT_PAGE_UP: view->help.top -= page; break;
	case ACT_PAGE_DOWN: view->help.top += page; break;
	case ACT_FIRST: view->help.top = 0; break;
	/* Limited to the end when it is drawn */
	case ACT_LAST: view->help.top = INT_MAX / 2; break;
	default: mode_set(view, INPUT_NORMAL);
	}
	if (view->help.top < 0)
		view->help.top = 0;
}
