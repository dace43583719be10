/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame around the content. The header: one line about cutop itself, two about all processes
 * together; fields have fixed places for a given width, and numbers are right-aligned: only digits
 * change. The tabs of the panes, and the bar at the bottom.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cuda/calls.h"
#include "util/utf8.h"
#include "util/util.h"
#include "view/cells.h"
#include "view/view_internal.h"

/* ---- the header ---- */

/* ---- the first line ---- */

static uint64_t lost_total(const struct snapshot *snapshot)
{
	uint64_t total = 0;

	for (int i = 0; i < LOST_COUNT; i++)
		total += snapshot->lost[i];
	return total;
}

/* The causes, if there is room: "(ring_full 1.2M, returns 12)", as in text output. */
static void causes_add(struct segments *segments, const struct snapshot *snapshot)
{
	char text[sizeof(segments->list[0].text)], number[32], part[96];
	size_t used = 0;

	for (int i = 0; i < LOST_COUNT; i++) {
		if (!snapshot->lost[i])
			continue;
		format_count((double)snapshot->lost[i], number, sizeof(number));
		snprintf(part, sizeof(part), "%s%s %s", used ? ", " : "(", lost_cause_names[i],
			 number);
		if (used + strlen(part) + strlen(", ...)") >= sizeof(text)) {
			used += (size_t)sprintf(text + used, ", ...");
			break;
		}
		used += (size_t)sprintf(text + used, "%s", part);
	}
	segment_add(segments, 9, ST_FAILED, false, "%.*s)", (int)used, text);
}

/* "REPLAY 00:12/01:30 x2 PAUSED" */
static void play_add(struct segments *segments, const struct play *play, bool ascii)
{
	char position[16], total[16], speed[16] = "";

	format_age(play->position, position, sizeof(position));
	format_age(play->total, total, sizeof(total));
	if (play->speed > 1)
		snprintf(speed, sizeof(speed), " %s%.0f", ascii ? "x" : "×", play->speed);
	else if (play->speed > 0 && play->speed < 1)
		snprintf(speed, sizeof(speed), " %s1/%.0f", ascii ? "x" : "×", 1 / play->speed);
	segment_add(segments, 0, ST_MESSAGE, true, "REPLAY %s/%s%s%s", position, total, speed,
		    play->paused ? " PAUSED" :
		    play->ended  ? " END" :
				   "")
		->flag = FLAG_PLAY;
}

/* Settings that change what is shown, and must not be forgotten. */
static void flags_add(struct segments *segments, const struct view *view, bool ascii)
{
	char text[64], hidden[32];

	/* Only the first of the filters says how many they hide. */
	snprintf(hidden, sizeof(hidden), " (%zu hidden)", view->table.hidden);
	if (view->host.note)
		segment_add(segments, 2, ST_MESSAGE, true, "%.80s", view->host.note);
	if (view->filter[0]) {
		segment_add(segments, 1, ST_MESSAGE, true, "filter %s%s",
			    utf8_fit(text, sizeof(text), view->filter, 40), hidden)
			->flag = FLAG_FILTER;
		hidden[0] = 0;
	}
	if (view->user[0]) {
		segment_add(segments, 1, ST_MESSAGE, true, "user %s%s",
			    utf8_fit(text, sizeof(text), view->user, 20), hidden)
			->flag = FLAG_USER;
		hidden[0] = 0;
	}
	if (view->on_device.is_on)
		segment_add(segments, 1, ST_MESSAGE, true, "GPU %s%s",
			    device_chosen(view, text, sizeof(text)), hidden)
			->flag = FLAG_DEVICE;
	if (view->table.tags.count)
		segment_add(segments, 1, ST_MESSAGE, true, "%zu tagged", view->table.tags.count)
			->flag = FLAG_TAGS;
	if (view->base) {
		format_clock(view, view->base->time, text, sizeof(text));
		segment_add(segments, 1, ST_MESSAGE, true, "since %s", text)->flag = FLAG_BASELINE;
	}
	if (view->host.play.is_on)
		play_add(segments, &view->host.play, ascii);
	if (view->frozen)
		segment_add(segments, 0, ST_MESSAGE, true, "FROZEN")->flag = FLAG_FROZEN;
	if (view->host.from_command && view->host.command_ended)
		segment_add(segments, 1, ST_MESSAGE, true, "command ended");
}

static void status_fill(struct segments *segments, const struct view *view, bool ascii)
{
	const struct snapshot *snapshot = view->shown;
	uint64_t lost = lost_total(snapshot);
	char number[32];

	segment_add(segments, 3, ST_PLAIN, false, "%zu process%s", snapshot->process_count,
		    snapshot->process_count == 1 ? "" : "es");
	segment_add(segments, 6, ST_PLAIN, false, "probes %u/%u", snapshot->attached,
		    snapshot->attached + snapshot->missing);
	format_count((double)lost, number, sizeof(number));
	segment_add(segments, lost ? 1 : 5, lost ? ST_FAILED : ST_PLAIN, false, "lost %s", number);
	if (lost)
		causes_add(segments, snapshot);
	format_bytes((double)snapshot->self_resident_bytes, number, sizeof(number));
	if (isnan(view->self_share))
		segment_add(segments, 7, ST_DIM, false, "self     - %5s", number);
	else
		segment_add(segments, 7, ST_DIM, false, "self %4.1f%% %5s", 100 * view->self_share,
			    number);
	flags_add(segments, view, ascii);
	format_clock(view, snapshot->time, number, sizeof(number));
	segment_add(segments, 2, ST_PLAIN, true, "%s", number);
	if (view->host.play.is_on)
		return;
	snprintf(number, sizeof(number), view->settings.delay < NSEC_PER_SEC ? "%.2gs" : "%.1fs",
		 (double)view->settings.delay / 1e9);
	segment_add(segments, 6, ST_DIM, true, "%s", number);
}

static void status_draw(struct view *view, const struct area *area)
{
	struct segments segments = { .count = 0 };

	segment_add(&segments, 8, ST_HEAD, false, "cutop");
	if (view->shown)
		status_fill(&segments, view, area->canvas->ascii);
	else
		segment_add(&segments, 1, ST_DIM, false, "looking ...");
	segments_draw(&segments, area, 0, area->rect.cols);
	view->flag_count = 0;
	for (size_t i = 0; i < segments.count && view->flag_count < ARRAY_LEN(view->flags); i++) {
		const struct segment *segment = &segments.list[i];

		if (!segment->shown || !segment->flag)
			continue;
		view->flags[view->flag_count].flag = (enum header_flag)segment->flag;
		view->flags[view->flag_count].start = segment->start;
		view->flags[view->flag_count++].end = segment->end;
	}
}

bool header_click(struct view *view, int col)
{
	enum header_flag flag = FLAG_NONE;

	for (size_t i = 0; i < view->flag_count; i++)
		if (col >= view->flags[i].start && col < view->flags[i].end)
			flag = view->flags[i].flag;
	switch (flag) {
	case FLAG_FROZEN:
	case FLAG_PLAY: view_key(view, ' '); break;
	case FLAG_BASELINE: view_key(view, 'x'); break;
	case FLAG_TAGS: tags_end(view); break;
	case FLAG_FILTER: view->filter[0] = 0; break;
	case FLAG_USER: view->user[0] = 0; break;
	case FLAG_DEVICE: view->on_device.is_on = false; break;
	case FLAG_NONE: return false;
	}
	if (flag == FLAG_FILTER || flag == FLAG_USER || flag == FLAG_DEVICE) {
		rows_arrange(view);
		view->table.scroll_to_selected = true;
	}
	return true;
}

/* ---- totals ---- */

/* A label, a right-aligned number, a unit. Returns the column after them. */
static int figure(const struct area *area, int row, int col, const char *label, enum style style,
		  const char *number, int width, const char *unit)
{
	int end;

	if (*label)
		col = area_text(area, row, col, ST_DIM, label) + 1;
	end = col + width;
	area_right(area, row, end, style, number);
	return area_text(area, row, end, ST_DIM, unit);
}

static const char *rate_text(double rate, bool bytes, char out[32])
{
	if (isnan(rate))
		snprintf(out, 32, "-");
	else if (bytes)
		format_bytes(rate, out, 32);
	else
		format_count(rate, out, 32);
	return out;
}

/* The part of @cells that @bytes of @most take; never too small to be seen. */
static int bar_cells(double bytes, double most, int cells)
{
	int part = (int)lround(bytes / most * cells);

	return bytes > 0 && !part ? 1 : part;
}

/* What is live, and what may be lost, of all processes. */
struct vram {
	double suspect; /* not known to be needed: */
	double beyond;  /* the part of it that is not in live: managed memory, for example */
	bool is_bound;  /* it is at least that much */
	double full;    /* what the bar's full length stands for, and is: */
	bool is_total;  /* the devices' memory; else the most that there ever was */
};

static struct vram vram_of(const struct view *view)
{
	const struct snapshot *snapshot = view->shown;
	struct vram vram = { .suspect = (double)snapshot->gone.suspect };
	double in_live = 0, all, total = 0;

	for (size_t i = 0; i < snapshot->process_count; i++) {
		vram.suspect += (double)snapshot->processes[i].suspect;
		in_live += (double)snapshot->processes[i].suspect_live;
		vram.is_bound |= snapshot->processes[i].from_attach;
	}
	vram.beyond = vram.suspect - in_live;
	for (size_t i = 0; i < snapshot->device_count; i++)
		total += (double)snapshot->devices[i].total;
	/* most_live is not updated while the view is frozen. */
	all = (double)snapshot->live + vram.beyond + (double)snapshot->leaked;
	vram.is_total = total >= all && total > 0;
	vram.full = vram.is_total ? total : fmax(fmax(view->most_live, all), 1);
	return vram;
}

/* Draws live bytes, suspects marked; then suspects beyond them; then leaked ones. */
static void memory_bar(const struct view *view, const struct area *area, int row, int col,
		       int cells, const struct vram *vram)
{
	const struct snapshot *snapshot = view->shown;
	int live, leaked, suspected, more;

	area_repeat(area, row, col, cells, ST_FREE, "░");
	live = (int)lround((double)snapshot->live / vram->full * cells);
	leaked = bar_cells((double)snapshot->leaked, vram->full, cells);
	more = bar_cells(vram->beyond, vram->full, cells);
	suspected = bar_cells(vram->suspect - vram->beyond, vram->full, cells);
	/* Suspects do not cover what is not suspect. */
	if ((double)snapshot->live > vram->suspect - vram->beyond && live <= suspected)
		live = suspected + 1;
	if (more > cells - leaked)
		more = cells - leaked;
	if (live > cells - leaked - more)
		live = cells - leaked - more;
	if (suspected > live)
		suspected = live;
	area_repeat(area, row, col, live - suspected, ST_LIVE, "█");
	area_repeat(area, row, col + live - suspected, suspected + more, ST_SUSPECT, "▒");
	area_repeat(area, row, col + live + more, leaked, ST_LEAKED, "▚");
}

enum {
	VRAM_MIN = 31,    /* with a bar of 5 cells */
	VRAM_OF = 45,     /* and what the bar is of */
	VRAM_LIVE = 51,   /* and with "live" */
	LAUNCH_MIN = 14,  /* with a space before a sparkline: */
	LAUNCH_SPARK = 6, /* at least */
	FAILED_MIN = 14,
	WAIT_MIN = 9,
	COPY_MIN = 13,
	GAP = 2
};

/* The part of @spare cells that the sparkline of launches gets; the bar has the rest. */
static int launch_part(int spare)
{
	const int of = VRAM_OF - VRAM_MIN;
	int part = spare < 2 * LAUNCH_SPARK ? spare : spare / 2;

	return spare - of >= LAUNCH_SPARK && spare - of < part ? spare - of : part;
}

/*
 * "20.1G live ████░░ of 24.0G peak  ~1.2G leaked", or less of it: where there is little room, what
 * the bar is of stands in place of leaked bytes if there are none.
 */
static void vram_draw(const struct view *view, const struct area *area, int width)
{
	const struct snapshot *snapshot = view->shown;
	bool has_live = width >= VRAM_LIVE, has_of = width >= VRAM_OF;
	/* The smallest screens have a column less. */
	int room = width < area->rect.cols ? width : area->rect.cols - 1;
	int bar = room - (VRAM_MIN - 5) - (has_of ? 14 : 0) - (has_live ? 5 : 0), col;
	struct vram vram = vram_of(view);
	char number[32], marked[40], of[40];

	format_bytes(vram.full, number, sizeof(number));
	snprintf(of, sizeof(of), "of %s%s", number, vram.is_total ? "" : " peak");
	/* As long as nothing was allocated, there is no peak to measure by. */
	if (!vram.is_total && vram.full <= 1)
		of[0] = 0;
	format_bytes((double)snapshot->live, number, sizeof(number));
	snprintf(marked, sizeof(marked), "%s%s", vram.is_bound ? "≥" : "", number);
	col = figure(area, 0, 1, "VRAM", ST_LIVE, marked, 6, has_live ? " live " : " ");
	if (bar >= 3) {
		memory_bar(view, area, 0, col, bar, &vram);
		col += bar + 1;
	}
	if (has_of) {
		area_text(area, 0, col, ST_DIM, of);
		col += 14;
	}
	if (!has_of && of[0] && bar >= 3 && !snapshot->leaked && !(vram.suspect > 0)) {
		area_text(area, 0, col, ST_DIM, of);
		return;
	}
	format_bytes((double)snapshot->leaked + vram.suspect, number, sizeof(number));
	snprintf(marked, sizeof(marked), "%s%s", vram.suspect > 0 ? "~" : "", number);
	figure(area, 0, col, "",
	       snapshot->leaked ? ST_LEAKED :
	       vram.suspect > 0 ? ST_SUSPECT :
				  ST_PLAIN,
	       marked, 6, " leaked");
}

static void totals_draw(struct view *view, const struct area *area)
{
	static const enum copy_direction order[] = { DIR_H2D, DIR_D2H, DIR_D2D, DIR_P2P };
	const struct snapshot *snapshot = view->shown;
	const struct track *all = &view->history.all;
	int cols = area->rect.cols, spare, col, vram = VRAM_MIN, launch = LAUNCH_MIN, count, width,
	    i;
	char text[32];

	/* The first row: fields that fit, in this order. */
	spare = cols - 2 - VRAM_MIN;
	bool has_launch = spare >= GAP + LAUNCH_MIN;
	spare -= has_launch ? GAP + LAUNCH_MIN : 0;
	bool has_failed = has_launch && spare >= GAP + FAILED_MIN;
	spare -= has_failed ? GAP + FAILED_MIN : 0;
	bool has_wait = has_failed && spare >= GAP + WAIT_MIN;
	spare -= has_wait ? GAP + WAIT_MIN : 0;
	/* Where a short label makes room for a sparkline, it is short. */
	bool is_short = has_failed && spare < LAUNCH_SPARK;
	spare += is_short ? 2 : 0;
	if (spare > 0) {
		launch += !has_launch ? 0 : launch_part(spare);
		vram += spare - (launch - LAUNCH_MIN);
	}
	vram_draw(view, area, vram);
	col = 1 + vram + GAP;
	if (has_launch) {
		int end = figure(area, 0, col, "launch", ST_LAUNCH,
				 rate_text(snapshot->launches_per_second, false, text), 5, "/s");

		spark_of(area, 0, end + 1, launch - LAUNCH_MIN - 1, ST_LAUNCH, all, SERIES_LAUNCHES,
			 0);
		col += launch + GAP;
	}
	if (has_failed) {
		figure(area, 0, col, is_short ? "fail" : "failed",
		       snapshot->failures_per_second > 0 ? ST_FAILED : ST_PLAIN,
		       rate_text(snapshot->failures_per_second, false, text), 5, "/s");
		col += FAILED_MIN - (is_short ? 2 : 0) + GAP;
	}
	if (has_wait) {
		if (isnan(snapshot->sync_share))
			snprintf(text, sizeof(text), "-");
		else
			snprintf(text, sizeof(text), "%.0f", 100 * snapshot->sync_share);
		figure(area, 0, col, "wait", snapshot->sync_share > 0 ? ST_WAIT : ST_DIM, text, 3,
		       "%");
	}
	/* The second row: directions, each with its history. */
	count = (cols - 2 + GAP) / (COPY_MIN + GAP);
	count = count > 4 ? 4 : count < 1 ? 1 : count;
	width = (cols - 2 + GAP) / count - GAP;
	for (i = 0; i < count; i++) {
		static const enum style styles[] = { ST_H2D, ST_D2H, ST_D2D, ST_P2P };
		bool any = false;
		size_t j;
		int end;

		for (j = 0; j < snapshot->process_count; j++)
			any |= snapshot->processes[j].copy_bytes[order[i]] != 0;
		col = 1 + i * (width + GAP);
		static const char *const labels[] = { "H2D", "D2H", "D2D", "P2P" };
		end = figure(area, 1, col, labels[i], any ? styles[i] : ST_DIM,
			     any ? rate_text(snapshot->copy_rate[order[i]], true, text) : "–", 6,
			     any ? "/s" : "  ");
		if (any)
			spark_of(area, 1, end + 1, width - COPY_MIN, styles[i], all,
				 SERIES_COPIES + order[i], 0);
	}
}

void header_draw(struct view *view, struct canvas *canvas)
{
	struct area status = area_of(canvas, view->layout.status),
		    totals = area_of(canvas, view->layout.totals);

	if (status.rect.rows)
		status_draw(view, &status);
	if (totals.rect.rows && view->shown)
		totals_draw(view, &totals);
}

/* ---- tabs ---- */

enum { WHOSE = 12 }; /* cells for the name of the process that the pane is about */

/* ---- tabs ---- */

/* How much of the panes' names there is room for; of the shown one's always all. */
enum tabs { TABS_NAMES, TABS_BEGINNINGS, TABS_NUMBERS, TABS_COUNT };
#define BEGINNING 3 /* characters */

static int tab_room(const struct view *view, int i, enum tabs tabs)
{
	int name = (int)strlen(panes[i]->title);

	if (view->settings.pane == (enum pane)i || tabs == TABS_NAMES)
		return name;
	if (tabs == TABS_NUMBERS)
		return 0;
	return name < BEGINNING ? name : BEGINNING;
}

/* The pane has to say whose it is: room is left for the process's name. */
static enum tabs tabs_choose(const struct view *view, int cols)
{
	enum tabs tabs;

	for (tabs = TABS_NAMES; tabs + 1 < TABS_COUNT; tabs++) {
		int width = 2 + (view_selected(view) ? WHOSE : 0);

		for (int i = 0; i < PANE_COUNT; i++)
			width += tab_room(view, i, tabs) + 4 + (tabs == TABS_NAMES);
		if (width <= cols)
			break;
	}
	return tabs;
}

/* Writes the @i-th tab to @out. Returns how many cells it takes, with the gap after it. */
static int tab_text(const struct view *view, int i, int cols, char *out, size_t size)
{
	enum tabs tabs = tabs_choose(view, cols);
	int room = tab_room(view, i, tabs), gap = tabs == TABS_NAMES;

	return gap + (room ? snprintf(out, size, " %d %.*s ", i, room, panes[i]->title) :
			     snprintf(out, size, " %d ", i));
}

void tabs_draw(struct view *view, struct canvas *canvas)
{
	struct area area = area_of(canvas, view->layout.tabs);
	const struct snap_process *process = view_selected(view);
	char text[320], name[240], where[24] = "", of[32] = "";
	const struct row_group *group;
	int col = 1, i, cells;

	if (!area.rect.rows)
		return;
	area_repeat(&area, 0, 0, area.rect.cols, ST_FRAME, "─");
	for (i = 0; i < PANE_COUNT; i++) {
		cells = tab_text(view, i, area.rect.cols, text, sizeof(text));
		area_text(&area, 0, col,
			  view->settings.pane == (enum pane)i                    ? ST_TAB :
			  view->layout.other.rows && view->other == (enum pane)i ? ST_HEAD :
										   ST_DIM,
			  text);
		col += cells;
	}
	/* The log is about all of them. */
	if (!process || (panes[view->settings.pane]->is_of_all &&
			 (!view->layout.other.rows || panes[view->other]->is_of_all)))
		return;
	if (process->container)
		snprintf(where, sizeof(where), " in %.12s", process->container);
	group = group_of(view, process);
	if (group && !group->is_open)
		snprintf(of, sizeof(of), " (1 of %zu)", group->count);
	snprintf(text, sizeof(text), " %u %s%s%s%s ", process->pid,
		 utf8_fit(name, sizeof(name), command_brief(process), 60), of, where,
		 process->exited && process->inexact ? " (exited, inexact)" :
		 process->exited                     ? " (exited)" :
		 process->inexact                    ? " (inexact)" :
						       "");
	cells = canvas_width(canvas, text);
	if (cells > area.rect.cols - col - 2)
		cells = area.rect.cols - col - 2;
	if (cells > 6)
		area_cut(&area, 0, area.rect.cols - cells - 1, cells,
			 process->exited ? ST_EXITED : ST_HEAD, text);
}

int tabs_hit(const struct view *view, int col)
{
	char text[64];
	int at = 1;

	for (int i = 0; i < PANE_COUNT; i++) {
		int width = tab_text(view, i, view->layout.tabs.cols, text, sizeof(text));

		if (col >= at && col < at + width)
			return i;
		at += width;
	}
	return -1;
}

/* ---- the bar ---- */

struct bar_item {
	const struct binding *binding;
	const char *text; /* all that may stand here have the same width, so that nothing moves */
	int rank, start, end;
};

/* What the bar shows on each focus; which stay if there is no room for all is their rank. */
struct bar_key {
	enum action action;
	const char *text;
	int rank;
};

enum { BAR_KEYS = 16, BAR_REPLAY = FOCUS_DETAILS + 1 /* at the table */ };

static const struct bar_key bar_keys[][BAR_KEYS] = {
	[FOCUS_TABLE] = {
		{ ACT_HELP, "Help", 1 }, { ACT_SETTINGS, "Setup", 3 }, { ACT_SEARCH, "Search", 7 },
		{ ACT_FILTER, "Filter", 8 }, { ACT_TREE, "Tree", 12 }, { ACT_SORT_MENU, "Sort", 5 },
		{ ACT_SIGNAL, "Signal", 16 }, { ACT_OPEN, "Open", 6 }, { ACT_NEXT_PANE, "Pane", 4 },
		{ ACT_SORT_LEAKED, "Leaked", 13 }, { ACT_SORT_LIVE, "Live", 9 }, { ACT_SORT_LAUNCHES, "Launches", 14 },
		{ ACT_SORT_COPIES, "Copies", 15 }, { ACT_SORT_FAILED, "Failed", 10 },
		{ ACT_FREEZE, "Freeze", 11 }, { ACT_QUIT, "Quit", 2 },
	},
	[BAR_REPLAY] = {
		{ ACT_HELP, "Help", 1 }, { ACT_FREEZE, "Pause", 3 }, { ACT_PAN_LEFT, "Back", 4 },
		{ ACT_PAN_RIGHT, "On", 5 }, { ACT_ZOOM_IN, "Faster", 6 }, { ACT_ZOOM_OUT, "Slower", 7 },
		{ ACT_SORT_MENU, "Sort", 9 }, { ACT_OPEN, "Open", 8 }, { ACT_NEXT_PANE, "Pane", 10 },
		{ ACT_SEARCH, "Search", 11 }, { ACT_FILTER, "Filter", 12 },
		{ ACT_SETTINGS, "Setup", 13 }, { ACT_QUIT, "Quit", 2 },
	},
	[FOCUS_PANE] = {
		{ ACT_HELP, "Help", 1 }, { ACT_OPEN, "Details", 3 }, { ACT_BACK, "Back", 2 },
		{ ACT_FULL, "Full", 5 }, { ACT_NEXT_PANE, "Pane", 4 },
		{ ACT_SEARCH, "Search", 7 }, { ACT_SORT_MENU, "Sort", 9 },
		{ ACT_FREEZE, "Freeze", 10 }, { ACT_QUIT, "Quit", 6 },
	},
	[FOCUS_DETAILS] = {
		{ ACT_HELP, "Help", 1 }, { ACT_BACK, "Back", 2 }, { ACT_FULL, "Full", 4 },
		{ ACT_NEXT_PANE, "Pane", 5 }, { ACT_FREEZE, "Freeze", 7 },
		{ ACT_QUIT, "Quit", 6 },
	},
};

static const struct binding *binding_of(enum action action)
{
	for (size_t i = 0; i < binding_count; i++)
		if (bindings[i].action == action)
			return &bindings[i];
	return NULL;
}

/* Its key: the first that the help names. */
static int item_key(const struct bar_item *item, char out[16])
{
	const char *label = item->binding->label;

	return snprintf(out, 16, "%.*s", (int)strcspn(label, " "), label);
}

static int item_width(const struct bar_item *item)
{
	char key[16];

	return item_key(item, key) + (int)strlen(item->text) + 3;
}

/* Chooses what fits, by rank, in an order that does not depend on the width. */
static size_t bar_items(const struct view *view, int cols, struct bar_item items[BAR_KEYS])
{
	struct bar_item all[BAR_KEYS];
	int room = cols, last = 0, col = 1, rank;
	size_t count = 0, kept = 0, i;
	bool is_replay = view->focus == FOCUS_TABLE && view->host.play.is_on;
	const struct bar_key *keys = bar_keys[is_replay ? BAR_REPLAY : (int)view->focus];

	for (i = 0; i < BAR_KEYS && keys[i].action; i++) {
		const struct bar_key *key = &keys[i];
		const struct binding *binding = binding_of(key->action);

		all[count++] = (struct bar_item){
			.binding = binding,
			.text = key->text,
			.rank = key->rank,
		};
	}
	for (rank = 1; rank <= BAR_KEYS; rank++)
		for (i = 0; i < count; i++) {
			if (all[i].rank != rank)
				continue;
			room -= item_width(&all[i]);
			last = room >= 0 ? rank : last;
		}
	for (i = 0; i < count; i++) {
		if (all[i].rank > last)
			continue;
		items[kept] = all[i];
		items[kept].start = col;
		col += item_width(&all[i]);
		items[kept++].end = col;
	}
	return kept;
}

static void input_draw(struct view *view, const struct area *area, const char *label)
{
	int col = area_text(area, 0, 1, ST_HEAD, label) + 1, room = area->rect.cols - col - 1;
	const char *text = view->input;

	/* The end of the typed text stays visible. */
	while (canvas_width(area->canvas, text) > room && *text) {
		int32_t point;

		text += utf8_next(text, &point);
	}
	col = area_text(area, 0, col, ST_INPUT, text);
	area_text(area, 0, col, ST_INPUT, "█");
	if (view->mode == INPUT_FILTER && area->rect.cols - col > 75)
		area_right(area, 0, area->rect.cols - 1, ST_DIM,
			   "words  user:NAME  pid:N  nspid:N  container:ID  pod:UID");
	else if (view->mode == INPUT_FILTER && area->rect.cols - col > 40)
		area_right(area, 0, area->rect.cols - 1, ST_DIM, "words  user:NAME  pid:N");
	else if (view->mode == INPUT_DELAY && area->rect.cols - col > 20)
		area_right(area, 0, area->rect.cols - 1, ST_DIM, "seconds");
}

/* What the key of @item does now. */
static const char *item_text(const struct view *view, const struct bar_item *item)
{
	if (item->binding->action == ACT_FULL && view->full)
		return "Half";
	if (item->binding->action != ACT_FREEZE)
		return item->text;
	if (view->host.play.is_on)
		return view->host.play.ended  ? "Replay" :
		       view->host.play.paused ? "Resume" :
						"Pause ";
	return view->frozen ? "Resume" : item->text;
}

void bar_draw(struct view *view, struct canvas *canvas)
{
	struct rect rect = view->layout.bar;
	struct bar_item items[BAR_KEYS];
	struct area area;
	size_t count, i;
	char key[16];

	/* Typed text and messages are more important than what the last row shows. */
	if (!rect.rows && canvas->rows > 0 &&
	    (view->mode == INPUT_SEARCH || view->mode == INPUT_FILTER ||
	     view->mode == INPUT_DELAY || view->message[0]))
		rect = (struct rect){ canvas->rows - 1, 0, 1, canvas->cols };
	area = area_of(canvas, rect);
	if (!area.rect.rows)
		return;
	area_clear(&area, ST_PLAIN);
	switch (view->mode) {
	case INPUT_SEARCH: return input_draw(view, &area, "Search");
	case INPUT_FILTER: return input_draw(view, &area, "Filter");
	case INPUT_DELAY: return input_draw(view, &area, "Delay");
	default: break;
	}
	if (view->message[0] && view->latest && view->latest->elapsed_seconds > view->message_until)
		view->message[0] = 0;
	if (view->message[0]) {
		area_cut(&area, 0, 1, area.rect.cols - 1, ST_MESSAGE, view->message);
		return;
	}
	count = bar_items(view, area.rect.cols, items);
	for (i = 0; i < count; i++) {
		int col;

		item_key(&items[i], key);
		col = area_text(&area, 0, items[i].start, ST_KEY, key);

		area_text(&area, 0, col + 1, ST_KEY_TEXT, item_text(view, &items[i]));
	}
}

int32_t bar_hit(const struct view *view, int col)
{
	struct bar_item items[BAR_KEYS];
	size_t count = bar_items(view, view->layout.bar.cols, items), i;

	for (i = 0; i < count; i++)
		if (col >= items[i].start && col < items[i].end)
			return items[i].binding->keys[0];
	return 0;
}
