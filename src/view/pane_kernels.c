/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels: launches by name, with their shapes and times. With --launch-sites each is followed by
 * the places that launch it most. With a baseline it is not: its figures are differences, which a
 * sample is not made for.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "print/fields.h"
#include "util/util.h"
#include "view/cells.h"
#include "view/details.h"
#include "view/list.h"
#include "view/plot.h"

enum {
	K_BAR,
	K_NAME,
	K_LAUNCHES,
	K_GRAPH,
	K_RATE,
	K_SHARE,
	K_GRID,
	K_BLOCK,
	K_SHARED,
	K_P50,
	K_P99,
	K_MAX,
	K_FAILED,
	K_DEVICE
};

static const struct list_column kernel_columns[] = {
	[K_BAR] = { "", .least = 8, .left = true, .rank = 6, .is_bar = true,
		    .help = "launches, or what it is sorted by" },
	[K_NAME] = { "KERNEL", .least = 16, .good = 48, .left = true, .middle = true, .rank = 0,
		     .help = "its name, short or (c) with templates and arguments" },
	[K_LAUNCHES] = { NULL, "launches", .width = 9, .rank = 1,
			 .help = "launches that the program made, failed ones included" },
	[K_GRAPH] = { NULL, "graph_launches", .width = 9, .rank = 2,
		      .help = "launches by graphs that the program launched" },
	[K_RATE] = { NULL, "runs_per_second", .width = 8, .rank = 2,
		     .help = "both per second, since the last refresh" },
	[K_SHARE] = { "SHARE", .width = 6, .rank = 3,
		      .help = "both, of all launches of the process" },
	[K_GRID] = { NULL, "grid", .width = 11, .rank = 7,
		     .help = "blocks of the latest launch whose return was seen" },
	[K_BLOCK] = { NULL, "block", .width = 8, .rank = 8,
		      .help = "threads in a block, likewise" },
	[K_SHARED] = { NULL, "shared_bytes", .width = 6, .rank = 10,
		       .help = "dynamic shared memory of a block, likewise" },
	[K_P50] = { "p50 CPU", "p50_seconds", .width = 7, .rank = 4,
		    .help = "time of the launch call on the CPU that half do not exceed" },
	[K_P99] = { "p99 CPU", "p99_seconds", .width = 7, .rank = 5,
		    .help = "the same for 99 of 100" },
	[K_MAX] = { "MAX CPU", "max_seconds", .width = 7, .rank = 11, .help = "the longest" },
	[K_FAILED] = { NULL, "failures", .width = 7, .rank = 9,
		       .help = "launches that returned an error" },
	[K_DEVICE] = { NULL, "device", .width = 3, .rank = 12,
		       .help = "the device it was launched on" },
};

#define SITES_SHOWN 4 /* of a kernel; in full height all */

static enum style cell_shape(char out[CELL_TEXT], const uint32_t shape[3])
{
	if (!shape[0])
		return cell_text(out, ST_DIM, "-");
	if (shape[2] > 1)
		snprintf(out, CELL_TEXT, "%u×%u×%u", shape[0], shape[1], shape[2]);
	else if (shape[1] > 1)
		snprintf(out, CELL_TEXT, "%u×%u", shape[0], shape[1]);
	else
		snprintf(out, CELL_TEXT, "%u", shape[0]);
	return ST_PLAIN;
}

/* Launches by the program's calls and by graphs. */
static double kernel_runs(const struct snap_kernel *kernel)
{
	return (double)kernel->launches + (double)kernel->graph_launches;
}

static const struct snap_kernel *kernel_of(const struct list *list, size_t row)
{
	return &list->process->kernels[place_row_of(list, row)->item];
}

static int kernel_whole(const struct list *list, size_t row)
{
	return place_row_of(list, row)->is_place ? K_NAME : -1;
}

static double kernel_number(const struct list *list, size_t row, size_t column)
{
	const struct snap_kernel *kernel = kernel_of(list, row);

	switch (column) {
	case K_SHARE:
		return kernel_runs(kernel) /
		       ((double)list->process->launches + (double)list->process->graph_launches);
	case K_GRID: return (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
	case K_BLOCK: return (double)kernel->block[0] * kernel->block[1] * kernel->block[2];
	default: return item_number(list, column, kernel);
	}
}

static enum style kernel_cell(const struct list *list, size_t row, size_t column,
			      char out[CELL_TEXT])
{
	const struct snap_kernel *kernel = kernel_of(list, row);
	int width = list->desc->columns[column].width,
	    cells = list->desc->columns[K_LAUNCHES].width;
	const struct place_row *place = place_row_of(list, row);
	char text[CELL_TEXT], share[CELL_TEXT];
	double number;

	if (place->is_place) {
		cell_about(text, place->place.amount, !place->place.sampled, cells);
		cell_share(share,
			   kernel->launches ? place->place.amount / (double)kernel->launches : 0);
		return place_row_cell(place, column == K_NAME, text, cells, share, out);
	}
	if (column == K_NAME)
		return cell_text(out, ST_PLAIN,
				 list->view->settings.full_names ? kernel->signature :
								   kernel->shown);
	number = kernel_number(list, row, column);
	switch (column) {
	case K_GRAPH: return cell_about(out, number, !kernel->updatable, width);
	case K_SHARE: return cell_share(out, number);
	case K_GRID: return cell_shape(out, kernel->grid);
	case K_BLOCK: return cell_shape(out, kernel->block);
	case K_FAILED: return cell_failures(out, number, kernel->sampled, width);
	default: return item_cell(list, column, kernel, out);
	}
}

static double kernel_bar(const struct list *list, size_t row, size_t column, enum style *style)
{
	const struct snap_kernel *kernels = list->process->kernels;
	size_t item = place_row_of(list, row)->item;

	(void)column;
	*style = kernels[item].failures ? ST_FAILED : ST_LAUNCH;
	return kernel_runs(&kernels[0]) > 0 ?
		       kernel_runs(&kernels[item]) / kernel_runs(&kernels[0]) :
		       0;
}

uint64_t kernel_key(uint32_t program, const struct snap_kernel *kernel)
{
	const uint32_t parts[] = { program, (uint32_t)kernel->device, kernel->is_graph };
	/* Several symbols may have one demangled form: constructors, and clones of a function. */
	uint64_t key = key_text(key_add(KEY_BEGIN, parts, sizeof(parts)),
				kernel->symbol ? kernel->symbol : kernel->signature);

	/*
	 * Without a symbol, as graphs are, the address is all that tells those of one name apart.
	 */
	if (kernel->is_graph || !kernel->symbol)
		key = key_add(key, &kernel->function, sizeof(kernel->function));
	return key;
}

static uint64_t kernel_row_key(const struct list *list, size_t row)
{
	const struct place_row *place = place_row_of(list, row);

	return place_row_key(kernel_key(list->process->program, kernel_of(list, row)), place);
}

/* ---- details ---- */

static void shape_field(struct details *details, const char *label, const uint32_t shape[3])
{
	char text[CELL_TEXT];
	enum style style = cell_shape(text, shape);

	details_field(details, label, style, "%s", text);
}

static void shapes_section(const struct snap_kernel *kernel, struct details *details)
{
	char grid[CELL_TEXT], block[CELL_TEXT], shared[CELL_TEXT];

	details_section(details, "Shape of the last launch");
	shape_field(details, "grid", kernel->grid);
	shape_field(details, "block", kernel->block);
	cell_bytes(shared, kernel->shared_bytes);
	details_field(details, "shared memory", ST_PLAIN, "%s", shared);
	if (!kernel->shape_count)
		return;
	details_section(details, "Shapes that were seen, the last one first");
	for (size_t i = 0; i < kernel->shape_count; i++) {
		cell_shape(grid, kernel->shapes[i].grid);
		cell_shape(block, kernel->shapes[i].block);
		cell_bytes(shared, kernel->shapes[i].shared_bytes);
		details_text(details, ST_PLAIN, "grid %.40s  block %.40s  shared %.40s", grid,
			     block, shared);
	}
	if (kernel->more_shapes)
		details_text(details, ST_DIM, "and others before");
	details_text(details, ST_DIM, "Once an interval one is looked at: there may be more.");
}

/*
 * Where it is launched, most first, and the way to the first. With a baseline @kernel is a copy
 * with differences; places have the totals.
 */
static void places_section(const struct snap_process *process, const struct snap_kernel *kernel,
			   struct details *details)
{
	const struct snap_launch_site *most = NULL;
	uint64_t key = kernel_key(process->program, kernel);
	char number[CELL_TEXT], share[CELL_TEXT];

	for (size_t i = 0; i < process->launch_site_count; i++) {
		const struct snap_launch_site *site = &process->launch_sites[i];

		if (!site->kernel || kernel_key(process->program, site->kernel) != key)
			continue;
		if (!most)
			details_section(details, site->kernel == kernel ? "Launched from" :
									  "Launched from, in all");
		most = most ? most : site;
		cell_about(number, (double)site->launches, !site->sampled, 9);
		cell_share(share, site->kernel->launches ?
					  (double)site->launches / (double)site->kernel->launches :
					  0);
		details_text(details, ST_PLAIN, "%9.32s %6.32s  %s", number, share,
			     site->at.site ? site->at.site : "?");
	}
	if (most && most->at.stack_count > 1)
		details_place(details, "The way to the first of these", &most->at);
	if (!most)
		details_text(details, ST_DIM,
			     "Where it is launched: start cutop with --launch-sites.");
}

static void kernel_details(const struct list *list, size_t row, struct details *details)
{
	const struct snap_kernel *kernel = kernel_of(list, row);
	char text[CELL_TEXT];
	enum style style;

	details_text(details, ST_HEAD, "%s", kernel->signature);
	if (kernel->symbol)
		details_text(details, ST_DIM, "%s", kernel->symbol);
	details_section(details, kernel->is_graph ? "Graph" : "Launches");
	style = cell_count(text, (double)kernel->launches, 20);
	details_field(details, "launches", style, "%s", text);
	if (kernel->graph_launches) {
		cell_about(text, (double)kernel->graph_launches, !kernel->updatable, 20);
		details_field(details, "by graphs", ST_PLAIN, "%s", text);
	}
	if (kernel->captured)
		details_field(details, "captured", ST_PLAIN, "%.0f, into graphs",
			      (double)kernel->captured);
	style = cell_rate(text, kernel_number(list, row, K_RATE), false);
	details_field(details, "per second", style, "%s", text);
	cell_share(text, kernel_number(list, row, K_SHARE));
	details_field(details, "share", ST_PLAIN, "%s of the process's launches", text);
	style = cell_failures(text, process_known(list->process, (double)kernel->failures),
			      kernel->sampled, 20);
	details_field(details, "failed", style, "%s", text);
	cell_device(text, kernel->device);
	details_field(details, "device", ST_PLAIN, "%s, stream 0x%" PRIx64, text, kernel->stream);
	shapes_section(kernel, details);
	details_section(details, "Time of the launch call on the CPU");
	details_latency(details, &kernel->latency, kernel->sampled);
	details_histogram(details, kernel->hist, CUTOP_HIST_BUCKETS, HIST_NS, ST_LAUNCH);
	places_section(list->process, kernel, details);
}

/* Returns where the kernels of @process are launched, NULL without memory; the caller frees it. */
static struct item_place *launch_places(const struct snap_process *process)
{
	struct item_place *places = calloc(process->launch_site_count + 1, sizeof(*places));

	for (size_t i = 0; places && i < process->launch_site_count; i++) {
		const struct snap_launch_site *site = &process->launch_sites[i];

		places[i] = (struct item_place){
			.item = site->kernel ? (size_t)(site->kernel - process->kernels) :
					       process->kernel_count,
			.site = site->at.site,
			.amount = (double)site->launches,
			.calls = (double)site->samples,
			.sampled = site->sampled,
		};
	}
	return places;
}

static int kernels_make(struct list *list)
{
	const struct snap_process *process = list->process;
	struct item_place *places = list->view->base ? NULL : launch_places(process);

	list->empty = "No kernel was launched.";
	list->hidden = process->graph_launches ? 0 : 1u << K_GRAPH;
	list->items = place_rows_make(process->kernel_count, places,
				      places ? process->launch_site_count : 0,
				      list->view->full ? SIZE_MAX : SITES_SHOWN, &list->count);
	free(places);
	return list->items ? 0 : -ENOMEM;
}

static void kernels_draw(struct view *view, const struct area *area, const struct list *list)
{
	const struct snap_process *process = list->process;
	struct plot plot = {
		.track = history_find(&view->history, process->program),
		.series = SERIES_LAUNCHES,
		.style = ST_LAUNCH,
		.title = "launches",
		.unit = PLOT_COUNT,
		.per = "/s",
		.marks = MARK_FAILURE | MARK_EXIT,
	};

	plot_below_list(view, area, list, process->launches ? &plot : NULL);
}

const struct pane_desc pane_kernels = {
	.pane = PANE_KERNELS,
	.title = "Kernels",
	.help = "launches by name",
	.columns = kernel_columns,
	.column_count = ARRAY_LEN(kernel_columns),
	.items = &kernel_list,
	.cell = kernel_cell,
	.number = kernel_number,
	.owner = place_row_owner,
	.whole = kernel_whole,
	.key = kernel_row_key,
	.details = kernel_details,
	.bar = kernel_bar,
	.make = kernels_make,
	.draw = kernels_draw,
};
