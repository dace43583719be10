/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The header: one line about cutop itself, two about all processes together. Fields have fixed
 * places for a given width, and numbers are right-aligned: only digits change.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cuda/calls.h"
#include "util/utf8.h"
#include "util/util.h"
#include "view/bars.h"
#include "view/view_internal.h"

/* ---- the first line ---- */

struct segment {
	char text[96];
	enum style style;
	int rank; /* the field with the lowest rank is dropped last */
	bool right, shown;
	enum header_flag flag; /* what a click on it ends */
};

struct segments {
	struct segment list[16];
	size_t count;
};

static struct segment *segment_add(struct segments *segments, int rank, enum style style,
				   bool right)
{
	struct segment *segment = &segments->list[segments->count++];

	segment->rank = rank;
	segment->style = style;
	segment->right = right;
	return segment;
}

static void flag_note(struct view *view, enum header_flag flag, int start, int end)
{
	if (flag == FLAG_NONE || view->flag_count == ARRAY_LEN(view->flags))
		return;
	view->flags[view->flag_count].flag = flag;
	view->flags[view->flag_count].start = start;
	view->flags[view->flag_count++].end = end;
}

static void segments_draw(struct view *view, struct segments *segments, const struct area *area)
{
	int used = 1, rank, col = 1, end = area->rect.cols - 1;
	size_t i;

	view->flag_count = 0;
	for (rank = 0; rank < 20; rank++)
		for (i = 0; i < segments->count; i++) {
			struct segment *segment = &segments->list[i];
			int width = canvas_width(area->canvas, segment->text);

			if (segment->rank != rank || used + width + 1 > area->rect.cols)
				continue;
			segment->shown = true;
			used += width + 2;
		}
	for (i = 0; i < segments->count; i++)
		if (segments->list[i].shown && !segments->list[i].right)
			col = area_text(area, 0, col, segments->list[i].style,
					segments->list[i].text) +
			      2;
	for (i = segments->count; i-- > 0;) {
		const struct segment *segment = &segments->list[i];

		if (!segment->shown || !segment->right)
			continue;
		area_right(area, 0, end, segment->style, segment->text);
		flag_note(view, segment->flag, end - canvas_width(area->canvas, segment->text),
			  end);
		end -= canvas_width(area->canvas, segment->text) + 2;
	}
}

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
	struct segment *segment = segment_add(segments, 9, ST_FAILED, false);
	char number[32], part[96];
	size_t used = 0;

	for (int i = 0; i < LOST_COUNT; i++) {
		if (!snapshot->lost[i])
			continue;
		format_count((double)snapshot->lost[i], number, sizeof(number));
		snprintf(part, sizeof(part), "%s%s %s", used ? ", " : "(", lost_cause_names[i],
			 number);
		if (used + strlen(part) + strlen(", ...)") >= sizeof(segment->text)) {
			used += (size_t)sprintf(segment->text + used, ", ...");
			break;
		}
		used += (size_t)sprintf(segment->text + used, "%s", part);
	}
	strcpy(segment->text + used, ")");
}

/* "REPLAY 00:12/01:30 x2 PAUSED" */
static void play_add(struct segments *segments, const struct play *play, bool ascii)
{
	struct segment *segment = segment_add(segments, 0, ST_MESSAGE, true);
	char position[16], total[16], speed[16] = "";

	segment->flag = FLAG_PLAY;
	format_age(play->position, position, sizeof(position));
	format_age(play->total, total, sizeof(total));
	if (play->speed > 1)
		snprintf(speed, sizeof(speed), " %s%.0f", ascii ? "x" : "×", play->speed);
	else if (play->speed > 0 && play->speed < 1)
		snprintf(speed, sizeof(speed), " %s1/%.0f", ascii ? "x" : "×", 1 / play->speed);
	snprintf(segment->text, sizeof(segment->text), "REPLAY %s/%s%s%s", position, total, speed,
		 play->paused ? " PAUSED" :
		 play->ended  ? " END" :
				"");
}

/* Settings that change what is shown, and must not be forgotten. */
static void flags_add(struct segments *segments, const struct view *view, bool ascii)
{
	struct segment *segment;
	char clock[16], filter[64];

	if (view->host.note) {
		segment = segment_add(segments, 2, ST_MESSAGE, true);
		snprintf(segment->text, sizeof(segment->text), "%.80s", view->host.note);
	}
	if (view->filter[0]) {
		segment = segment_add(segments, 1, ST_MESSAGE, true);
		segment->flag = FLAG_FILTER;
		snprintf(segment->text, sizeof(segment->text), "filter %s (%zu hidden)",
			 utf8_fit(filter, sizeof(filter), view->filter, 40), view->hidden);
	}
	if (view->user[0]) {
		segment = segment_add(segments, 1, ST_MESSAGE, true);
		segment->flag = FLAG_USER;
		snprintf(segment->text, sizeof(segment->text), "user %s",
			 utf8_fit(filter, sizeof(filter), view->user, 20));
		if (!view->filter[0])
			sprintf(segment->text + strlen(segment->text), " (%zu hidden)",
				view->hidden);
	}
	if (view->tags.count) {
		segment = segment_add(segments, 1, ST_MESSAGE, true);
		segment->flag = FLAG_TAGS;
		snprintf(segment->text, sizeof(segment->text), "%zu tagged", view->tags.count);
	}
	if (view->base) {
		format_clock(view, view->base->time, clock, sizeof(clock));
		segment = segment_add(segments, 1, ST_MESSAGE, true);
		segment->flag = FLAG_BASELINE;
		snprintf(segment->text, sizeof(segment->text), "since %s", clock);
	}
	if (view->host.play.is_on)
		play_add(segments, &view->host.play, ascii);
	if (view->frozen) {
		segment = segment_add(segments, 0, ST_MESSAGE, true);
		segment->flag = FLAG_FROZEN;
		snprintf(segment->text, sizeof(segment->text), "FROZEN");
	}
	if (view->host.from_command && view->host.command_ended) {
		segment = segment_add(segments, 1, ST_MESSAGE, true);
		snprintf(segment->text, sizeof(segment->text), "command ended");
	}
}

static void status_draw(struct view *view, const struct area *area)
{
	const struct snapshot *snapshot = view->shown;
	struct segments segments = { .count = 0 };
	struct segment *segment;
	char number[32];
	size_t count;
	uint64_t lost;

	segment = segment_add(&segments, 8, ST_HEAD, false);
	strcpy(segment->text, "cutop");
	if (!snapshot) {
		segment = segment_add(&segments, 1, ST_DIM, false);
		strcpy(segment->text, "looking ...");
		segments_draw(view, &segments, area);
		return;
	}
	count = snapshot->process_count;
	segment = segment_add(&segments, 3, ST_PLAIN, false);
	snprintf(segment->text, sizeof(segment->text), "%zu process%s", count,
		 count == 1 ? "" : "es");
	segment = segment_add(&segments, 6, ST_PLAIN, false);
	snprintf(segment->text, sizeof(segment->text), "probes %u/%u", snapshot->attached,
		 snapshot->attached + snapshot->missing);
	lost = lost_total(snapshot);
	segment = segment_add(&segments, lost ? 1 : 5, lost ? ST_FAILED : ST_PLAIN, false);
	format_count((double)lost, number, sizeof(number));
	snprintf(segment->text, sizeof(segment->text), "lost %s", number);
	if (lost)
		causes_add(&segments, snapshot);
	segment = segment_add(&segments, 7, ST_DIM, false);
	format_bytes((double)snapshot->self_resident_bytes, number, sizeof(number));
	if (isnan(view->self_share))
		snprintf(segment->text, sizeof(segment->text), "self     - %5s", number);
	else
		snprintf(segment->text, sizeof(segment->text), "self %4.1f%% %5s",
			 100 * view->self_share, number);
	flags_add(&segments, view, area->canvas->ascii);
	segment = segment_add(&segments, 2, ST_PLAIN, true);
	format_clock(view, snapshot->time, segment->text, sizeof(segment->text));
	if (view->host.play.is_on) {
		segments_draw(view, &segments, area);
		return;
	}
	segment = segment_add(&segments, 6, ST_DIM, true);
	snprintf(segment->text, sizeof(segment->text),
		 view->settings.delay < NSEC_PER_SEC ? "%.2gs" : "%.1fs",
		 (double)view->settings.delay / 1e9);
	segments_draw(view, &segments, area);
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
	case FLAG_NONE: return false;
	}
	if (flag == FLAG_FILTER || flag == FLAG_USER) {
		rows_arrange(view);
		view->scroll_to_selected = true;
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

/*
 * Draws live bytes, @suspect of them marked; then @beyond, which are suspect but not in live
 * (managed memory, for example); then leaked ones.
 */
static void memory_bar(const struct view *view, const struct area *area, int row, int col,
		       int cells, double suspect, double beyond)
{
	const struct snapshot *snapshot = view->shown;
	/* The shown figures may exceed most_live, which is not updated while the view is frozen. */
	double most = fmax(fmax(view->most_live,
				(double)snapshot->live + beyond + (double)snapshot->leaked),
			   1);
	int live, leaked, suspected, more;

	area_repeat(area, row, col, cells, ST_FREE, "░");
	live = (int)lround((double)snapshot->live / most * cells);
	leaked = bar_cells((double)snapshot->leaked, most, cells);
	more = bar_cells(beyond, most, cells);
	suspected = bar_cells(suspect, most, cells);
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

enum { VRAM_MIN = 31, LAUNCH_MIN = 15, FAILED_MIN = 15, WAIT_MIN = 9, COPY_MIN = 13, GAP = 2 };

static void vram_draw(const struct view *view, const struct area *area, int width)
{
	const struct snapshot *snapshot = view->shown;
	char number[32], marked[40];
	double suspect = (double)snapshot->gone.suspect, in_live = 0;
	bool bound = false;
	int col;

	for (size_t i = 0; i < snapshot->process_count; i++) {
		suspect += (double)snapshot->processes[i].suspect;
		in_live += (double)snapshot->processes[i].suspect_live;
		bound |= snapshot->processes[i].from_attach;
	}
	format_bytes((double)snapshot->live, number, sizeof(number));
	snprintf(marked, sizeof(marked), "%s%s", bound ? "≥" : "", number);
	col = figure(area, 0, 1, "VRAM", ST_LIVE, marked, 6, " live ");
	if (width - VRAM_MIN >= 3) {
		memory_bar(view, area, 0, col, width - VRAM_MIN - 1, in_live, suspect - in_live);
		col += width - VRAM_MIN;
	}
	format_bytes((double)snapshot->leaked + suspect, number, sizeof(number));
	snprintf(marked, sizeof(marked), "%s%s", suspect > 0 ? "~" : "", number);
	figure(area, 0, col, "",
	       snapshot->leaked ? ST_LEAKED :
	       suspect > 0      ? ST_SUSPECT :
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
	if (spare > 0) {
		vram += has_launch ? spare / 2 : spare;
		launch += has_launch ? spare - spare / 2 : 0;
	}
	vram_draw(view, area, vram);
	col = 1 + vram + GAP;
	if (has_launch) {
		int end = figure(area, 0, col, "launch", ST_LAUNCH,
				 rate_text(snapshot->launches_per_second, false, text), 6, "/s");

		spark_of(area, 0, end + 1, launch - LAUNCH_MIN - 1, ST_LAUNCH, all,
			 SERIES_LAUNCHES);
		col += launch + GAP;
	}
	if (has_failed) {
		figure(area, 0, col, "failed",
		       snapshot->failures_per_second > 0 ? ST_FAILED : ST_PLAIN,
		       rate_text(snapshot->failures_per_second, false, text), 6, "/s");
		col += FAILED_MIN + GAP;
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
				 SERIES_COPIES + order[i]);
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
