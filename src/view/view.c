/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view's life: it is fed snapshots and drawn. Drawing is a function of the
 * view and the canvas; it changes nothing but where scrolling ends.
 */
#include "view/view.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/util.h"

#define MESSAGE_SECONDS	5
#define DAY		(86400 * NSEC_PER_SEC)

const char *const pane_names[PANE_COUNT] = { "Memory", "Kernels", "Copies", "Failures", "Calls", "Sites", "Log" };

static const char *const first_columns[] = {
	"pid", "user", "dev", "live", "peak", "leaked", "allocs", "launch_rate", "h2d", "d2h", "wait", "failed", "command",
};

void view_init(struct view *view)
{
	const char *bad;
	size_t i, bad_len;

	memset(view, 0, sizeof(*view));
	view->settings.theme = &themes[0];
	view->settings.mouse = true;
	view->settings.delay = NSEC_PER_SEC;
	sort_order_parse(&view->settings.sort, "live", &bad, &bad_len);
	for (i = 0; i < ARRAY_LEN(first_columns); i++)
		view->settings.columns[view->settings.column_count++] = column_find(first_columns[i]);
}

void view_free(struct view *view)
{
	baseline_end(view);
	if (view->latest != view->shown)
		snapshot_free(view->latest);
	snapshot_free(view->shown);
	history_free(&view->history);
	free(view->rows);
	memset(view, 0, sizeof(*view));
}

/* Over the last interval: since start it would show the cost of starting for minutes. */
static void self_measure(struct view *view, const struct snapshot *snapshot)
{
	double seconds = snapshot->elapsed_seconds - view->self_elapsed;

	view->self_share = view->self_elapsed > 0 && seconds > 0.01 ? (snapshot->self_cpu_seconds - view->self_before) / seconds : NAN;
	view->self_before = snapshot->self_cpu_seconds;
	view->self_elapsed = snapshot->elapsed_seconds;
}

static void most_measure(struct view *view, const struct snapshot *snapshot)
{
	double sum = (double)snapshot->live + (double)snapshot->leaked;

	if (sum > view->most_live)
		view->most_live = sum;
}

/* A replay went back: what was seen has not happened yet. */
static void rewind_to(struct view *view)
{
	history_free(&view->history);
	baseline_end(view);
	view->self_elapsed = 0;
	view->most_live = 0;
	view->message[0] = 0;
}

void view_feed(struct view *view, struct snapshot *snapshot)
{
	struct snapshot *old = view->latest;

	if (!snapshot)
		return;
	/* Not by the clock on the wall: if somebody has set that, what was seen has happened all the same. */
	if (old && view->play.is_on && snapshot->elapsed_seconds < old->elapsed_seconds)
		rewind_to(view);
	if (!old)	/* what was said before has not been seen yet */
		view->message_until = snapshot->elapsed_seconds + MESSAGE_SECONDS;
	history_feed(&view->history, snapshot, view->frozen && view->shown);
	if (!view->frozen) {
		self_measure(view, snapshot);
		most_measure(view, snapshot);
	}
	view->latest = snapshot;
	if (view->frozen && view->shown) {
		if (old != view->shown)
			view_release(view, old);
		return;
	}
	view->shown = snapshot;
	rows_arrange(view);
	if (view->settings.follow)
		view->scroll_to_selected = true;
	if (old != snapshot)
		view_release(view, old);
}

double view_interval(const struct view *view)
{
	if (view->play.is_on && view->shown && view->shown->interval_seconds > 0)
		return view->shown->interval_seconds;
	return (double)view->settings.delay / 1e9;
}

void view_message(struct view *view, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(view->message, sizeof(view->message), format, args);
	va_end(args);
	view->message_until = (view->latest ? view->latest->elapsed_seconds : 0) + MESSAGE_SECONDS;
}

void view_draw(struct view *view, struct canvas *canvas)
{
	canvas->ascii = view->settings.ascii || view->ascii;
	canvas_clear(canvas);
	view->layout = layout_make(canvas->rows, canvas->cols, view->full, devices_count(view->shown));
	view->screen_rows = canvas->rows;
	view->screen_cols = canvas->cols;
	header_draw(view, canvas);
	devices_draw(view, canvas);
	table_draw(view, canvas);
	tabs_draw(view, canvas);
	if (view->layout.pane.rows)
		pane_draw(view, canvas);
	bar_draw(view, canvas);
	overlay_draw(view, canvas);
}

void format_clock(const struct view *view, uint64_t real_ns, char *out, size_t size)
{
	time_t seconds = (time_t)(real_ns / NSEC_PER_SEC);
	struct tm tm;

	if (!(view->timezone_fixed ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm)) || !strftime(out, size, "%H:%M:%S", &tm))
		snprintf(out, size, "-");
}

void format_when(const struct view *view, uint64_t real_ns, char *out, size_t size)
{
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t seconds = (time_t)(real_ns / NSEC_PER_SEC);
	struct tm tm;

	if (!view->shown || view->shown->time < real_ns || view->shown->time - real_ns < DAY)
		format_clock(view, real_ns, out, size);
	else if (view->timezone_fixed ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm))
		snprintf(out, size, "%s %02d", months[tm.tm_mon % 12], tm.tm_mday);
	else
		snprintf(out, size, "-");
}

void format_age(uint64_t ns, char *out, size_t size)
{
	uint64_t seconds = ns / NSEC_PER_SEC;

	if (seconds < 3600)
		snprintf(out, size, "%02u:%02u", (unsigned int)(seconds / 60), (unsigned int)(seconds % 60));
	else if (seconds < 86400)
		snprintf(out, size, "%uh%02um", (unsigned int)(seconds / 3600), (unsigned int)(seconds / 60 % 60));
	else if (seconds < 86400 * 1000)
		snprintf(out, size, "%ud%02uh", (unsigned int)(seconds / 86400), (unsigned int)(seconds / 3600 % 24));
	else
		snprintf(out, size, "%ud", (unsigned int)(seconds / 86400));
}
