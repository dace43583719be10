/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies by direction and mode, with their sizes, and each direction's bytes per second over time.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cuda/calls.h"
#include "print/fields.h"
#include "util/util.h"
#include "view/cells.h"
#include "view/details.h"
#include "view/plot.h"

enum {
	P_DIRECTION,
	P_MODE,
	P_DEVICE,
	P_CALLS,
	P_BYTES,
	P_AVERAGE,
	P_RATE,
	P_THROUGHPUT,
	P_FAILED,
	P_SIZES,
	P_SIZES_SHORT,
	P_TIME
};

enum {
	SIZES_CELLS = 20, /* of the histogram, where there is room */
	SIZES_COLS = 110  /* there is, in so many columns */
};

static const struct list_column copy_columns[] = {
	[P_DIRECTION] = { NULL, "direction", .width = 7, .left = true, .rank = 0,
			  .help = "H2D, D2H, D2D, H2H, P2P or unknown: from where to where" },
	/* "async*": some are of pageable memory, and may be synchronous */
	[P_MODE] = { NULL, "mode", .width = 6, .left = true, .rank = 0,
		     .help = "sync or async; async*: some were of pageable memory" },
	[P_DEVICE] = { NULL, "device", .width = 3, .rank = 7, .help = "the device" },
	[P_CALLS] = { NULL, "calls", .width = 7, .rank = 1, .help = "calls that copied" },
	[P_BYTES] = { NULL, "bytes", .width = 7, .rank = 2,
		      .help = "bytes of those that succeeded" },
	[P_AVERAGE] = { "AVERAGE", .width = 7, .rank = 9, .help = "bytes of a call" },
	[P_RATE] = { "BYTES/s", "rate_bytes_per_second", .width = 7, .rank = 3,
		     .help = "bytes per second since the last refresh, as calls were made" },
	[P_THROUGHPUT] = { NULL, "bytes_per_second", .width = 10, .rank = 8,
			   .help = "bytes of synchronous copies by the time inside their calls" },
	[P_FAILED] = { NULL, "failures", .width = 7, .rank = 6,
		       .help = "calls that returned an error" },
	/* a cell stands for two powers of two; where there is less room, for four */
	[P_SIZES] = { "size 1K   1M   1G   ", .width = SIZES_CELLS, .left = true, .rank = 10,
		      .help = "how often copies were of which size, from 1 byte on" },
	[P_SIZES_SHORT] = { "size 1M 1G", .width = 10, .left = true, .rank = 5,
			    .help = "how often copies were of which size, from 1 byte on" },
	[P_TIME] = { NULL, "seconds", .width = 7, .rank = 11, .help = "time inside these calls" },
};

static const enum style direction_styles[DIR_COUNT] = {
	[DIR_H2H] = ST_PLAIN, [DIR_H2D] = ST_H2D, [DIR_D2H] = ST_D2H,
	[DIR_D2D] = ST_D2D,   [DIR_P2P] = ST_P2P, [DIR_UNKNOWN] = ST_DIM,
};

static double copy_number(const struct list *list, size_t item, size_t column)
{
	const struct snap_copy *copy = &list->process->copies[item];
	uint64_t done = copy->calls > copy->failures ? copy->calls - copy->failures : 0;

	if (column == P_AVERAGE)
		return done ? (double)copy->bytes / (double)done : NAN;
	return item_number(list, column, copy);
}

/* A level for each of @cells, which share the powers of two. */
static void sizes_text(const struct snap_copy *copy, int cells, char out[CELL_TEXT])
{
	uint64_t most = 0, sums[SIZES_CELLS] = { 0 };
	int i;

	out[0] = 0;
	for (i = 0; i < CUTOP_SIZE_BUCKETS; i++)
		sums[i * cells / CUTOP_SIZE_BUCKETS] += copy->sizes[i];
	for (i = 0; i < cells; i++)
		most = sums[i] > most ? sums[i] : most;
	for (i = 0; i < cells && most; i++)
		strcat(out, sums[i] ? level_of((double)sums[i] / (double)most) : " ");
}

static enum style copy_cell(const struct list *list, size_t item, size_t column,
			    char out[CELL_TEXT])
{
	const struct snap_copy *copy = &list->process->copies[item];
	enum style style = copy->direction < DIR_COUNT ? direction_styles[copy->direction] :
							 ST_PLAIN;

	switch (column) {
	case P_DIRECTION:
		return cell_text(
			out, style,
			copy->direction < DIR_COUNT ? copy_direction_names[copy->direction] : "?");
	case P_MODE:
		if (copy->pageable)
			return cell_text(out, ST_SUSPECT, "async*");
		return cell_text(out, ST_PLAIN, copy->mode < 2 ? copy_mode_names[copy->mode] : "?");
	case P_AVERAGE: return cell_bytes(out, copy_number(list, item, column));
	case P_FAILED:
		return cell_failures(out, copy_number(list, item, column), false,
				     list->desc->columns[column].width);
	case P_SIZES:
	case P_SIZES_SHORT: sizes_text(copy, list->desc->columns[column].width, out); return style;
	default: return item_cell(list, column, copy, out);
	}
}

static uint64_t copy_key(const struct list *list, size_t item)
{
	const struct snap_copy *copy = &list->process->copies[item];
	const uint32_t parts[] = { list->process->program, copy->direction, copy->mode,
				   (uint32_t)copy->device };

	return key_add(KEY_BEGIN, parts, sizeof(parts));
}

static void copy_details(const struct list *list, size_t item, struct details *details)
{
	static const struct {
		size_t column;
		const char *label;
	} fields[] = {
		{ P_DEVICE, "device" },       { P_CALLS, "calls" },        { P_FAILED, "failed" },
		{ P_BYTES, "bytes" },         { P_AVERAGE, "on average" }, { P_RATE, "per second" },
		{ P_THROUGHPUT, "in calls" }, { P_TIME, "time" },
	};
	const struct snap_copy *copy = &list->process->copies[item];
	char text[CELL_TEXT];

	details_text(details, ST_HEAD, "%s, %s",
		     copy->direction < DIR_COUNT ? copy_direction_names[copy->direction] : "?",
		     copy->mode < 2 ? copy_mode_names[copy->mode] : "?");
	if (copy->pageable)
		details_text(
			details, ST_SUSPECT,
			"Some are of pageable host memory: such a copy is staged by the driver, and may "
			"be as slow as a synchronous one. cudaHostAlloc or cudaHostRegister make "
			"memory that is not.");
	details_section(details, "Copies");
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		enum style style = copy_cell(list, item, fields[i].column, text);

		if (strcmp(text, "-"))
			details_field(details, fields[i].label, style, "%s%s", text,
				      fields[i].column == P_THROUGHPUT ? "/s while in the calls" :
									 "");
	}
	details_section(details, "Sizes");
	details_histogram(details, copy->sizes, CUTOP_SIZE_BUCKETS, HIST_BYTES,
			  copy->direction < DIR_COUNT ? direction_styles[copy->direction] :
							ST_PLAIN);
}

static void plots_draw(struct view *view, const struct area *area,
		       const struct snap_process *process)
{
	static const enum copy_direction order[] = { DIR_H2D, DIR_D2H, DIR_D2D, DIR_P2P, DIR_H2H };
	static const char *const titles[] = { "H2D", "D2H", "D2D", "P2P", "H2H" };
	int used[5], count = 0, side, rows, i;

	for (i = 0; i < 5; i++)
		if (process->copy_bytes[order[i]])
			used[count++] = i;
	if (!count)
		return;
	side = area->rect.cols >= 70 && count > 1 ? 2 : 1;
	rows = (count + side - 1) / side;
	while (rows > 1 && area->rect.rows / rows < 4)
		rows--;
	for (i = 0; i < count && i < rows * side; i++) {
		int width = area->rect.cols / side, height = area->rect.rows / rows;
		struct area part =
			area_part(area, i / side * height, i % side * width + 1, height, width - 2);
		struct plot plot = {
			.track = history_find(&view->history, process->program),
			.series = SERIES_COPIES + order[used[i]],
			.style = direction_styles[order[used[i]]],
			.title = titles[used[i]],
			.unit = PLOT_BYTES,
			.per = "/s",
			.marks = MARK_EXIT,
		};

		plot_draw(view, &part, &plot);
	}
}

static int copies_make(struct list *list)
{
	list->count = list->process->copy_count;
	list->empty = "Nothing was copied.";
	list->hidden = 1u << (list->view->layout.pane.cols < SIZES_COLS ? P_SIZES : P_SIZES_SHORT);
	return 0;
}

static void copies_draw(struct view *view, const struct area *area, const struct list *list)
{
	int rows = area->rect.rows, wanted = (int)list->count + 1, top;
	struct area part;

	/* The plots take half if there is room for them; the list takes the rest. */
	top = rows - wanted >= 5 ? wanted + (rows - wanted > 10) : rows >= 12 ? rows / 2 : rows;
	part = area_part(area, 0, 0, top, area->rect.cols);
	list_draw(view, &part, list);
	part = area_part(area, top, 0, rows - top, area->rect.cols);
	if (rows - top >= 4)
		plots_draw(view, &part, list->process);
}

const struct pane_desc pane_copies = {
	.pane = PANE_COPIES,
	.title = "Copies",
	.help = "by direction; async* pageable",
	.pan = PAN_PLOTS,
	.columns = copy_columns,
	.column_count = ARRAY_LEN(copy_columns),
	.items = &copy_list,
	.cell = copy_cell,
	.number = copy_number,
	.key = copy_key,
	.details = copy_details,
	.make = copies_make,
	.draw = copies_draw,
};
