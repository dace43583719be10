/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernels: launches by name, with their shapes and times. */
#include <stdio.h>

#include "util/util.h"
#include "view/cells.h"

static const struct list_column kernel_columns[] = {
	{ "", 0, 8, true, 6, true },
	{ "KERNEL", 0, 16, true, 0, false },
	{ "LAUNCHES", 9, 0, false, 1, false },
	{ "BY GRAPH", 9, 0, false, 2, false },
	{ "RATE/s", 7, 0, false, 2, false },
	{ "SHARE", 6, 0, false, 3, false },
	{ "GRID", 11, 0, false, 7, false },
	{ "BLOCK", 8, 0, false, 8, false },
	{ "SHARED", 6, 0, false, 10, false },
	{ "p50", 6, 0, false, 4, false },
	{ "p99", 6, 0, false, 5, false },
	{ "MAX", 6, 0, false, 11, false },
	{ "FAILED", 7, 0, false, 9, false },
	{ "DEV", 3, 0, false, 12, false },
};
enum { K_BAR, K_NAME, K_LAUNCHES, K_GRAPH, K_RATE, K_SHARE, K_GRID, K_BLOCK, K_SHARED, K_P50, K_P99, K_MAX, K_FAILED, K_DEVICE };

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

/* Launches of the program's own and by graphs. */
static double kernel_runs(const struct snap_kernel *kernel)
{
	return (double)kernel->launches + (double)kernel->graph_launches;
}

static double kernel_number(const struct list *list, size_t item, size_t column)
{
	const struct snap_kernel *kernel = &list->process->kernels[item];

	switch (column) {
	case K_LAUNCHES: return (double)kernel->launches;
	case K_GRAPH: return (double)kernel->graph_launches;
	case K_RATE: return kernel->launches_per_second + kernel->graph_launches_per_second;
	case K_SHARE: return kernel_runs(kernel) / ((double)list->process->launches + (double)list->process->graph_launches);
	case K_GRID: return (double)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
	case K_BLOCK: return (double)kernel->block[0] * kernel->block[1] * kernel->block[2];
	case K_SHARED: return kernel->shared_bytes;
	case K_P50: return kernel->latency.p50;
	case K_P99: return kernel->latency.p99;
	case K_MAX: return kernel->latency.max;
	case K_FAILED: return process_known(list->process, (double)kernel->failures);
	default: return kernel->device;
	}
}

static enum style kernel_cell(const struct list *list, size_t item, size_t column, char out[CELL_TEXT])
{
	const struct snap_kernel *kernel = &list->process->kernels[item];
	double number = kernel_number(list, item, column);
	int width = list->columns[column].width;

	switch (column) {
	case K_NAME: return cell_text(out, ST_PLAIN, list->view->settings.full_names ? kernel->signature : kernel->name);
	case K_GRAPH: return cell_about(out, number, !kernel->updatable, width);
	case K_LAUNCHES: return cell_count(out, number, width);
	case K_RATE: return cell_rate(out, number, false);
	case K_SHARE: return cell_share(out, number);
	case K_GRID: return cell_shape(out, kernel->grid);
	case K_BLOCK: return cell_shape(out, kernel->block);
	case K_SHARED: return cell_bytes(out, number);
	case K_P50: case K_P99: case K_MAX: return cell_time(out, number);
	case K_FAILED: return cell_failures(out, number, kernel->sampled, width);
	default: return cell_device(out, kernel->device);
	}
}

static double kernel_bar(const struct list *list, size_t item, size_t column, enum style *style)
{
	const struct snap_kernel *kernels = list->process->kernels;

	(void)column;
	*style = kernels[item].failures ? ST_FAILED : ST_LAUNCH;
	return kernel_runs(&kernels[0]) > 0 ? kernel_runs(&kernels[item]) / kernel_runs(&kernels[0]) : 0;
}

void kernels_draw(struct view *view, const struct area *area, const struct snap_process *process)
{
	struct list list = {
		.columns = kernel_columns, .column_count = ARRAY_LEN(kernel_columns), .count = process->kernel_count, .view = view,
		.process = process, .empty = "No kernel was launched.", .cell = kernel_cell, .number = kernel_number, .bar = kernel_bar,
	};

	if (!process->graph_launches)
		list.hidden = 1u << K_GRAPH;
	list_draw(view, area, &view->panes[PANE_KERNELS], &list);
}
