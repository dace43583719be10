/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices, a line each, with the driver's figures: how much of their memory is in use and how
 * much of that cutop tracks, how busy and warm they are, and how much power they take. Without
 * figures from the driver there are no such lines.
 */
#include <math.h>
#include <stdio.h>

#include "view/view_internal.h"

enum {
	LABEL = 7,
	NAME_MIN = 12,
	NAME_MAX = 30,
	MEMORY = 13,
	UNTRACKED = 17,
	FIGURES = 18,
	BAR_MIN = 4,
	GAP = 2
};

static bool is_read(const struct snap_device *device)
{
	return device->name || device->has_used;
}

int devices_count(const struct snapshot *snapshot)
{
	int count = 0;

	for (size_t i = 0; snapshot && i < snapshot->device_count; i++)
		count += is_read(&snapshot->devices[i]);
	return count;
}

/* Bytes in use that were allocated by no watched process. */
static double untracked(const struct snap_device *device)
{
	return device->used > device->tracked ? (double)(device->used - device->tracked) : 0;
}

static void bar_of(const struct area *area, int row, int col, int cells,
		   const struct snap_device *device)
{
	double total = (double)device->total;
	int used, tracked;

	if (!device->has_used || !device->total)
		return;
	area_repeat(area, row, col, cells, ST_FREE, "░");
	used = (int)lround(fmin((double)device->used / total, 1) * cells);
	tracked = (int)lround(fmin((double)device->tracked / total, 1) * cells);
	tracked = tracked > used ? used : tracked;
	area_repeat(area, row, col, tracked, ST_LIVE, "█");
	area_repeat(area, row, col + tracked, used - tracked, ST_HELD, "▓");
}

/* A number that ends at @end and its unit after it, or a dash. Returns the cell after both. */
static int number_of(const struct area *area, int row, int end, double number, const char *unit)
{
	char text[32];

	if (isfinite(number))
		snprintf(text, sizeof(text), "%.0f", number);
	else
		snprintf(text, sizeof(text), "-");
	area_right(area, row, end, ST_PLAIN, text);
	return area_text(area, row, end, ST_DIM, unit);
}

static void memory_text(const struct snap_device *device, char *out, size_t size)
{
	char used[16] = "-", total[16] = "-";

	if (device->has_used)
		format_bytes((double)device->used, used, sizeof(used));
	if (device->total)
		format_bytes((double)device->total, total, sizeof(total));
	snprintf(out, size, "%s/%s", used, total);
}

/* Draws a line for @device (or for the sum of several devices), called @label. */
static void device_draw(const struct area *area, int row, const char *label,
			const struct snap_device *device)
{
	int cols = area->rect.cols, col = 1, room = cols - 2 - LABEL - MEMORY, name = 0;
	bool has_figures = room >= GAP + FIGURES, has_untracked, has_bar;
	char text[48], number[32];

	/* Add fields in this order while there is room; the name and the bar share the rest. */
	room -= has_figures ? GAP + FIGURES : 0;
	has_untracked = room >= GAP + UNTRACKED;
	room -= has_untracked ? GAP + UNTRACKED : 0;
	if (room >= NAME_MIN + GAP)
		name = room / 2 < NAME_MIN ? NAME_MIN : room / 2 > NAME_MAX ? NAME_MAX : room / 2;
	room -= name ? name + GAP : 0;
	has_bar = room >= BAR_MIN + GAP;

	area_text(area, row, col, ST_HEAD, label);
	col += LABEL;
	if (name) {
		area_cut(area, row, col, name, ST_PLAIN, device->name ? device->name : "-");
		col += name + GAP;
	}
	memory_text(device, text, sizeof(text));
	area_right(area, row, col + MEMORY, device->has_used ? ST_PLAIN : ST_DIM, text);
	col += MEMORY + GAP;
	if (has_bar) {
		bar_of(area, row, col, room - GAP, device);
		col += room;
	}
	if (has_untracked) {
		format_bytes(untracked(device), number, sizeof(number));
		area_right(area, row, col + 6,
			   device->has_used && untracked(device) > 0 ? ST_HELD : ST_DIM,
			   device->has_used ? number : "-");
		area_text(area, row, col + 7, ST_DIM, "untracked");
		col += UNTRACKED + GAP;
	}
	if (has_figures) {
		col = number_of(area, row, col + 3, 100 * device->utilization, "%");
		col = number_of(area, row, col + 5, device->temperature, "C ");
		number_of(area, row, col + 6, device->power, "W");
	}
}

/* Sums several devices up: total memory and power, mean utilization, highest temperature. */
static struct snap_device together(const struct snapshot *snapshot, size_t first, int count,
				   char *name, size_t size)
{
	struct snap_device all = {
		.name = name, .utilization = NAN, .temperature = NAN, .power = NAN
	};
	double busy = 0;
	int told = 0;

	snprintf(name, size, "%d%s devices", count, first ? " more" : "");
	for (size_t i = first; i < snapshot->device_count; i++) {
		const struct snap_device *device = &snapshot->devices[i];

		if (!is_read(device))
			continue;
		if (device->has_used) {
			all.has_used = true;
			all.used += device->used;
			all.total += device->total;
			all.tracked += device->tracked;
		}
		if (isfinite(device->utilization)) {
			busy += device->utilization;
			told++;
		}
		/* fmax(3): a number wins over NAN */
		all.temperature = fmax(all.temperature, device->temperature);
		if (isfinite(device->power))
			all.power = isfinite(all.power) ? all.power + device->power : device->power;
	}
	if (told)
		all.utilization = busy / told;
	return all;
}

void devices_draw(struct view *view, struct canvas *canvas)
{
	struct area area = area_of(canvas, view->layout.devices);
	char name[32];
	int rows = area.rect.rows, row = 0, left = devices_count(view->shown);

	for (size_t i = 0; row < rows && i < view->shown->device_count; i++) {
		const struct snap_device *device = &view->shown->devices[i];

		if (!is_read(device))
			continue;
		if (row == rows - 1 && left > 1) {
			struct snap_device rest =
				together(view->shown, row ? i : 0, left, name, sizeof(name));

			device_draw(&area, row, "GPUs", &rest);
			break;
		}
		snprintf(name, sizeof(name), "GPU %d", device->device);
		device_draw(&area, row++, name, device);
		left--;
	}
}
