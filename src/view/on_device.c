/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The device filter: the table shows only processes that use one device, or one part of a divided
 * device (MIG). It applies besides the typed filter and the user's. A key goes through the devices;
 * a click on a device chooses it.
 */
#include <stdio.h>

#include "util/util.h"
#include "view/view_internal.h"

static void choose(struct view *view, int device, int instance)
{
	view->on_device.is_on = true;
	view->on_device.device = device;
	view->on_device.instance = instance;
	rows_arrange(view);
	view->scroll_to_selected = true;
}

void device_end(struct view *view)
{
	view->on_device.is_on = false;
	rows_arrange(view);
	view->scroll_to_selected = true;
}

void device_next(struct view *view)
{
	const struct snapshot *snapshot = view->shown;
	bool chosen = !view->on_device.is_on; /* what comes next is it */

	for (size_t i = 0; snapshot && i < snapshot->device_count; i++) {
		const struct snap_device *device = &snapshot->devices[i];

		for (int part = -1; part < (int)device->instance_count; part++) {
			if (chosen)
				return choose(view, device->device, part);
			chosen = device->device == view->on_device.device &&
				 part == view->on_device.instance;
		}
	}
	if (!view->on_device.is_on)
		view_message(view, "no device is known yet");
	device_end(view);
}

bool device_click(struct view *view, int row, int col)
{
	for (size_t i = 0; i < view->device_cell_count; i++) {
		const struct device_cell *cell = &view->device_cells[i];

		if (row < cell->rect.row || row >= cell->rect.row + cell->rect.rows ||
		    col < cell->rect.col || col >= cell->rect.col + cell->rect.cols)
			continue;
		if (device_is_chosen(view, cell->device, cell->instance))
			device_end(view);
		else
			choose(view, cell->device, cell->instance);
		return true;
	}
	return false;
}

bool device_is_chosen(const struct view *view, int device, int instance)
{
	return view->on_device.is_on && view->on_device.device == device &&
	       view->on_device.instance == instance;
}

/* The chosen one; NULL: the snapshot does not have it. */
static const struct snap_device *device_of(const struct view *view)
{
	for (size_t i = 0; view->shown && i < view->shown->device_count; i++)
		if (view->shown->devices[i].device == view->on_device.device)
			return &view->shown->devices[i];
	return NULL;
}

static bool is_used(const struct view *view, const struct snap_process *process)
{
	const struct snap_device *device = device_of(view);
	int instance = view->on_device.instance;

	for (size_t i = 0; device && i < device->use_count; i++)
		if (device->uses[i].program == process->program &&
		    (instance < 0 || device->uses[i].instance == instance))
			return true;
	return false;
}

bool device_match(const struct view *view, const struct snap_process *process)
{
	if (!view->on_device.is_on)
		return true;
	/* A process that has ended is in no device's list; its own list has whole devices only. */
	for (size_t i = 0; view->on_device.instance < 0 && i < process->device_count; i++)
		if (process->devices[i] == view->on_device.device)
			return true;
	return is_used(view, process);
}

const char *device_chosen(const struct view *view, char *out, size_t size)
{
	const struct snap_device *device = device_of(view);
	int instance = view->on_device.instance;
	char text[INSTANCE_TEXT];

	if (device && instance >= 0 && instance < (int)device->instance_count)
		snprintf(out, size, "%s",
			 snapshot_instance(device, &device->instances[instance], text));
	else
		snprintf(out, size, "%d", view->on_device.device);
	return out;
}
