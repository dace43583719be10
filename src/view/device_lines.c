/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices with the driver's figures: how much of their memory is in use and how much of that
 * cutop tracks, which processes use it, how busy and warm they are, and how much power they take.
 * The parts of a divided device (MIG) follow it. Without figures from the driver there is nothing.
 *
 * No device is left out or summed up with others: each has a cell, and where there are more devices
 * than rows, several cells are side by side, with fewer fields. Which fields a cell has depends on
 * its width alone, so all cells are alike.
 *
 * The device filter: the table shows only processes that use one device, or one part of it. It
 * applies besides the typed filter and the user's. A key goes through the devices; a click on a
 * device chooses it.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "util/utf8.h"
#include "util/util.h"
#include "view/cells.h"
#include "view/view_internal.h"

/* ---- which figures a cell has ---- */

/* From left to right */
enum device_field {
	DEVICE_LABEL,
	DEVICE_NAME,
	DEVICE_LEVEL, /* of memory: one character, where there is no room for a bar */
	DEVICE_MEMORY,
	DEVICE_BAR,
	DEVICE_MEMORY_PLOT,
	DEVICE_UNTRACKED,
	DEVICE_BUSY,
	DEVICE_BUSY_PLOT,
	DEVICE_TEMPERATURE,
	DEVICE_TEMPERATURE_PLOT,
	DEVICE_POWER,
	DEVICE_POWER_LIMIT,
	DEVICE_POWER_PLOT,
	DEVICE_USES,
	DEVICE_COUNT
};

enum { DEVICE_WIDE_LABEL = 4 /* cells of "GPU " */ };

struct device_form {
	int width[DEVICE_COUNT]; /* 0: it is not shown */
	bool tight;              /* no blanks between the fields */
	bool wide_label;         /* with "GPU" */
	bool below;              /* processes are below it, in a row of their own */
};

static const struct {
	int gap, least; /* cells before it, and of it */
} fields[DEVICE_COUNT] = {
	[DEVICE_LABEL] = { 0, 1 },
	[DEVICE_NAME] = { 1, 12 },
	[DEVICE_LEVEL] = { 1, 1 },
	[DEVICE_MEMORY] = { 1, 11 }, /* 79.9G/80.0G */
	[DEVICE_BAR] = { 1, 4 },
	[DEVICE_MEMORY_PLOT] = { 1, 6 },
	[DEVICE_UNTRACKED] = { 2, 16 },
	[DEVICE_BUSY] = { 1, 4 },
	[DEVICE_BUSY_PLOT] = { 1, 6 },
	[DEVICE_TEMPERATURE] = { 1, 4 },
	[DEVICE_TEMPERATURE_PLOT] = { 1, 5 },
	[DEVICE_POWER] = { 1, 5 },
	[DEVICE_POWER_LIMIT] = { 0, 6 }, /* "/1200W" */
	[DEVICE_POWER_PLOT] = { 1, 5 },
	[DEVICE_USES] = { 2, 24 },
};

/* In this order fields are added while there is room. */
static const enum device_field additions[] = {
	DEVICE_LEVEL,      DEVICE_BUSY,        DEVICE_TEMPERATURE,
	DEVICE_MEMORY,     DEVICE_POWER,       DEVICE_BAR,
	DEVICE_LABEL,      DEVICE_BUSY_PLOT,   DEVICE_UNTRACKED,
	DEVICE_NAME,       DEVICE_MEMORY_PLOT, DEVICE_USES,
	DEVICE_POWER_PLOT, DEVICE_POWER_LIMIT, DEVICE_TEMPERATURE_PLOT,
};

/* And in this order they grow, up to so many cells, by what is left then. */
static const struct {
	enum device_field field;
	int most;
} growths[] = {
	{ DEVICE_BAR, 12 },         { DEVICE_BUSY_PLOT, 10 }, { DEVICE_NAME, 22 },
	{ DEVICE_MEMORY_PLOT, 10 }, { DEVICE_USES, 48 },      { DEVICE_BAR, 24 },
	{ DEVICE_NAME, 30 },        { DEVICE_USES, 1000 },    { DEVICE_BAR, 1000 },
};

/*
 * The form of a cell of @room cells where the longest label takes @label; @below: the processes have
 * a row of their own.
 */
static struct device_form device_form_make(int room, int label, bool below)
{
	struct device_form form = { .below = below };

	form.width[DEVICE_LABEL] = label;
	room -= label;
	if (room < 2 + fields[DEVICE_BUSY].gap + fields[DEVICE_BUSY].least) {
		/* "0▇▅" or "0 ▇▅": how full, and how busy */
		form.width[DEVICE_LABEL] += room > 2;
		form.tight = true;
		form.width[DEVICE_LEVEL] = room > 0;
		form.width[DEVICE_BUSY_PLOT] = room > 1;
		return form;
	}
	for (size_t i = 0; i < ARRAY_LEN(additions); i++) {
		enum device_field field = additions[i];
		int cost = fields[field].gap + fields[field].least;

		if (field == DEVICE_LABEL)
			cost = DEVICE_WIDE_LABEL;
		else if (field == DEVICE_BAR) /* instead of the level */
			cost -= fields[DEVICE_LEVEL].gap + fields[DEVICE_LEVEL].least;
		if (cost > room || (field == DEVICE_USES && below) ||
		    (field == DEVICE_POWER_LIMIT && !form.width[DEVICE_POWER]))
			continue;
		room -= cost;
		form.width[field] += field == DEVICE_LABEL ? DEVICE_WIDE_LABEL :
							     fields[field].least;
		form.wide_label |= field == DEVICE_LABEL;
	}
	if (form.width[DEVICE_BAR])
		form.width[DEVICE_LEVEL] = 0;
	for (size_t i = 0; i < ARRAY_LEN(growths); i++) {
		int *width = &form.width[growths[i].field],
		    more = *width ? growths[i].most - *width : 0;

		more = more < 0 ? 0 : more > room ? room : more;
		*width += more;
		room -= more;
	}
	return form;
}

/* How many cells are free before @field. */
static int device_form_gap(const struct device_form *form, enum device_field field)
{
	return form->tight ? 0 : fields[field].gap;
}

/* ---- drawing ---- */

/* A device, or a part of one. */
struct entry {
	const struct snap_device *device;
	const struct snap_instance *instance; /* NULL: the device */
	int index;                            /* of the instance; -1 */
};

enum {
	NAME_CELLS = 16,
	WIDE_CELL = 24, /* cells of the screen; from this on, two are two cells apart */
};

/* ---- what there is ---- */

static bool is_read(const struct snap_device *device)
{
	return device->name || device->has_used;
}

/*
 * Moves @entry, which begins as { NULL }, to the next of those that the driver reported. Returns
 * false after the last.
 */
static bool entry_next(const struct snapshot *snapshot, struct entry *entry)
{
	const struct snap_device *end = snapshot ? snapshot->devices + snapshot->device_count :
						   NULL,
				 *device = entry->device;

	if (device && entry->index + 1 < (int)device->instance_count) {
		entry->instance = &device->instances[++entry->index];
		return true;
	}
	device = device ? device + 1 : snapshot ? snapshot->devices : NULL;
	while (device < end && !is_read(device))
		device++;
	*entry = (struct entry){ .device = device, .index = -1 };
	return device < end;
}

int devices_count(const struct snapshot *snapshot)
{
	int count = 0;

	for (size_t i = 0; snapshot && i < snapshot->device_count; i++)
		if (is_read(&snapshot->devices[i]))
			count += 1 + (int)snapshot->devices[i].instance_count;
	return count;
}

static void label_of(const struct entry *entry, char out[INSTANCE_TEXT])
{
	if (entry->instance)
		snapshot_instance(entry->device, entry->instance, out);
	else
		snprintf(out, INSTANCE_TEXT, "%d", entry->device->device);
}

struct memory {
	bool is_known, is_least;     /* `used`; it is a lower bound */
	double used, total, tracked; /* bytes */
};

static struct memory memory_of(const struct entry *entry)
{
	const struct snap_device *device = entry->device;
	const struct snap_instance *instance = entry->instance;

	if (instance)
		return (struct memory){ instance->has_used, false, (double)instance->used,
					(double)instance->total, (double)instance->tracked };
	if (!device->has_used && device->total)
		return (struct memory){ true, true, (double)device_used_least(device),
					(double)device->total, (double)device->tracked };
	return (struct memory){ device->has_used, false, (double)device->used,
				(double)device->total, (double)device->tracked };
}

/* ---- one cell ---- */

/* A number that ends at @end and its unit after it, or a dash. */
static void number_of(const struct area *area, int col, int cells, double number, const char *unit)
{
	char text[32];

	if (isfinite(number))
		snprintf(text, sizeof(text), "%.0f", number);
	else
		snprintf(text, sizeof(text), "-");
	area_right(area, 0, col + cells - 1, ST_PLAIN, text);
	area_text(area, 0, col + cells - 1, ST_DIM, unit);
}

static void bar_draw_of(const struct area *area, int col, int cells, const struct memory *memory)
{
	int used, tracked;

	if (!memory->is_known || !(memory->total > 0))
		return;
	area_repeat(area, 0, col, cells, ST_FREE, "░");
	used = (int)lround(fmin(memory->used / memory->total, 1) * cells);
	used = memory->used > 0 && !used ? 1 : used; /* anything more than nothing is visible */
	tracked = (int)lround(fmin(memory->tracked / memory->total, 1) * cells);
	tracked = tracked > used ? used : tracked;
	area_repeat(area, 0, col, tracked, ST_LIVE, "█");
	area_repeat(area, 0, col + tracked, used - tracked, ST_HELD, "▓");
}

static void level_draw(const struct area *area, int col, const struct memory *memory)
{
	if (!memory->is_known || !(memory->total > 0))
		area_text(area, 0, col, ST_DIM, "-");
	else if (memory->used > 0)
		area_text(area, 0, col, memory->tracked * 2 >= memory->used ? ST_LIVE : ST_HELD,
			  level_of(memory->used / memory->total));
	else
		area_text(area, 0, col, ST_FREE, "▁");
}

static void memory_text(const struct memory *memory, char *out, size_t size)
{
	char used[16] = "-", total[16] = "-";

	if (memory->is_known)
		format_bytes(memory->used, used, sizeof(used));
	if (memory->total > 0)
		format_bytes(memory->total, total, sizeof(total));
	snprintf(out, size, "%s%s/%s", memory->is_least ? "≥" : "", used, total);
}

/*
 * What processes use of @entry, the largest first: "4242 python 12.8G 16%", and how many there are
 * no room for.
 */
static void uses_draw(struct view *view, const struct area *area, int row, int col, int cells,
		      const struct entry *entry)
{
	const struct snap_device *device = entry->device;
	struct memory memory = memory_of(entry);
	int end = col + cells, left = 0;
	char text[128], name[64], bytes[16], more[32];

	for (size_t i = 0; i < device->use_count; i++)
		left += device->uses[i].instance == entry->index &&
			device_use_bytes(&device->uses[i]);
	for (size_t i = 0; i < device->use_count && left; i++) {
		const struct snap_device_use *use = &device->uses[i];
		double amount = (double)device_use_bytes(use);
		bool chosen = use->program && use->program == view_focus(view);
		int len, width, last;

		if (use->instance != entry->index || !device_use_bytes(use))
			continue;
		format_bytes(amount, bytes, sizeof(bytes));
		utf8_fit(name, sizeof(name), command_basename(use->command), NAME_CELLS);
		len = snprintf(text, sizeof(text), "%u %s%s%s", use->pid, name, name[0] ? " " : "",
			       bytes);
		if (amount * 200 >= memory.total && memory.total > 0)
			snprintf(text + len, sizeof(text) - (size_t)len, " %.0f%%",
				 100 * fmin(amount / memory.total, 1));
		width = canvas_width(area->canvas, text);
		/* What follows needs room, too, or the number of those that are left out. */
		last = left > 1 ? snprintf(more, sizeof(more), "  +%d", left) : 0;
		if (col + width + last > end)
			break;
		col = area_text(area, row, col,
				chosen       ? ST_HEAD :
				use->program ? ST_PLAIN :
					       ST_DIM,
				text) +
		      2;
		left--;
	}
	if (left)
		area_format(area, row, col, ST_DIM, "+%d", left);
}

static void field_draw(struct view *view, const struct area *area, int col, enum device_field field,
		       const struct entry *entry, const struct device_form *form)
{
	const struct snap_device *device = entry->device;
	const struct track *track =
		entry->instance ? NULL : history_device(&view->history, device->device);
	struct memory memory = memory_of(entry);
	int width = form->width[field];
	double untracked = fmax(memory.used - memory.tracked, 0);
	char text[INSTANCE_TEXT + 16], number[INSTANCE_TEXT];

	switch (field) {
	case DEVICE_LABEL:
		label_of(entry, number);
		if (form->wide_label)
			area_text(area, 0, col, ST_HEAD, entry->instance ? "" : "GPU");
		area_text(area, 0, col + (form->wide_label ? DEVICE_WIDE_LABEL : 0), ST_HEAD,
			  number);
		break;
	case DEVICE_NAME:
		if (entry->instance)
			snprintf(text, sizeof(text), "MIG %.40s",
				 entry->instance->name ? entry->instance->name : "-");
		area_cut(area, 0, col, width, ST_PLAIN,
			 entry->instance ? text :
			 device->name    ? device->name :
					   "-");
		break;
	case DEVICE_LEVEL: level_draw(area, col, &memory); break;
	case DEVICE_MEMORY:
		memory_text(&memory, text, sizeof(text));
		area_right(area, 0, col + width, memory.is_known ? ST_PLAIN : ST_DIM, text);
		break;
	case DEVICE_BAR: bar_draw_of(area, col, width, &memory); break;
	case DEVICE_MEMORY_PLOT:
		if (memory.total > 0)
			spark_of(area, 0, col, width, ST_LIVE, track, SERIES_DEVICE_USED,
				 memory.total);
		break;
	case DEVICE_UNTRACKED:
		format_bytes(untracked, number, sizeof(number));
		area_right(area, 0, col + width - 10,
			   memory.is_known && untracked > 0 ? ST_HELD : ST_DIM,
			   memory.is_known && !memory.is_least ? number : "-");
		area_text(area, 0, col + width - 9, ST_DIM, "untracked");
		break;
	case DEVICE_USES: uses_draw(view, area, 0, col, width, entry); break;
	default: break;
	}
	/* A part of a device has the rest in common with the others. */
	if (entry->instance)
		return;
	switch (field) {
	case DEVICE_BUSY: number_of(area, col, width, 100 * device->utilization, "%"); break;
	case DEVICE_BUSY_PLOT:
		if (form->tight && isfinite(device->utilization))
			area_text(area, 0, col, ST_LAUNCH, level_of(device->utilization));
		else
			spark_of(area, 0, col, width, ST_LAUNCH, track, SERIES_DEVICE_BUSY, 1);
		break;
	case DEVICE_TEMPERATURE: number_of(area, col, width, device->temperature, "C"); break;
	case DEVICE_TEMPERATURE_PLOT:
		spark_of(area, 0, col, width, ST_PLAIN, track, SERIES_DEVICE_TEMPERATURE, 100);
		break;
	case DEVICE_POWER:
		number_of(area, col, width, device->power,
			  form->width[DEVICE_POWER_LIMIT] && isfinite(device->power_limit) ? "" :
											     "W");
		break;
	case DEVICE_POWER_LIMIT:
		if (isfinite(device->power_limit))
			area_format(area, 0, col - 1, ST_DIM, "/%.0fW", device->power_limit);
		break;
	case DEVICE_POWER_PLOT:
		spark_of(area, 0, col, width, ST_PLAIN, track, SERIES_DEVICE_POWER,
			 isfinite(device->power_limit) ? device->power_limit : 1000);
		break;
	default: break;
	}
}

/* Rows of @entry where its processes are below it: those of a divided device are in its parts. */
static int entry_rows(const struct entry *entry)
{
	return entry->instance || !entry->device->instance_count ? 2 : 1;
}

/* Draws @entry from the first row and column of @area on. */
static void entry_draw(struct view *view, const struct area *area, const struct entry *entry,
		       const struct device_form *form)
{
	int col = 0;

	for (enum device_field field = DEVICE_LABEL; field < DEVICE_COUNT; field++) {
		if (!form->width[field])
			continue;
		col += device_form_gap(form, field);
		field_draw(view, area, col, field, entry, form);
		col += form->width[field];
	}
	col = form->width[DEVICE_LABEL] + 1;
	if (form->below && entry_rows(entry) > 1)
		uses_draw(view, area, 1, col, area->rect.cols - col, entry);
}

/* ---- all of them ---- */

static int label_width(const struct canvas *canvas, const struct snapshot *snapshot)
{
	char text[INSTANCE_TEXT];
	struct entry entry = { .device = NULL };
	int width = 1, own;

	while (entry_next(snapshot, &entry)) {
		label_of(&entry, text);
		own = canvas_width(canvas, text);
		width = own > width ? own : width;
	}
	return width;
}

/* How many cells each device has with its parts, if all have the same number; else 1. */
static int entries_each(const struct snapshot *snapshot)
{
	int each = 0, own;

	for (size_t i = 0; i < snapshot->device_count; i++) {
		if (!is_read(&snapshot->devices[i]))
			continue;
		own = 1 + (int)snapshot->devices[i].instance_count;
		if (each && own != each)
			return 1;
		each = own;
	}
	return each ? each : 1;
}

/*
 * How many cells of @cols there are in each of @rows rows: as few as it takes; devices with the
 * same number of parts begin below each other where that fits. @least: the cells of the narrowest.
 */
static int per_row_choose(const struct snapshot *snapshot, int count, int rows, int cols, int least)
{
	int per_row = (count + rows - 1) / rows, each = entries_each(snapshot),
	    whole = (per_row + each - 1) / each * each;

	if (per_row > 1 && cols / whole >= least)
		return whole;
	if (per_row > 1 && cols / per_row < least)
		per_row = cols / least;
	return per_row > 0 ? per_row : 1;
}

int devices_lines(const struct snapshot *snapshot)
{
	struct entry entry = { .device = NULL };
	int lines = 0;

	while (entry_next(snapshot, &entry))
		lines += entry_rows(&entry);
	return lines;
}

/* For clicks */
static void cell_note(struct view *view, const struct rect *rect, const struct entry *entry)
{
	if (view->device_cell_count < ARRAY_LEN(view->device_cells))
		view->device_cells[view->device_cell_count++] = (struct device_cell){
			.rect = *rect,
			.device = entry->device->device,
			.instance = entry->index,
		};
}

static bool device_is_chosen(const struct view *view, int device, int instance)
{
	return view->on_device.is_on && view->on_device.device == device &&
	       view->on_device.instance == instance;
}

void devices_draw(struct view *view, struct canvas *canvas)
{
	struct area area = area_of(canvas, view->layout.devices);
	int count = devices_count(view->shown), rows = area.rect.rows, cols = area.rect.cols - 1,
	    label = label_width(canvas, view->shown), shown = count, per_row, pitch, gap, row = 0;
	struct entry entry = { .device = NULL };
	struct device_form form;
	bool below;

	view->device_cell_count = 0;
	if (!count || !rows)
		return;
	below = rows >= devices_lines(view->shown);
	/* The narrowest cell: its number, how full it is, how busy, and a blank. */
	per_row = below ? 1 : per_row_choose(view->shown, count, rows, cols, label + 3);
	if (!below && per_row * rows < count)
		shown = per_row * rows - 1;
	pitch = cols / per_row;
	gap = per_row == 1 || pitch < WIDE_CELL ? 1 : 2;
	form = device_form_make(pitch - gap, label, below);
	for (int i = 0; i < shown && entry_next(view->shown, &entry); i++) {
		int height = below ? entry_rows(&entry) : 1;
		struct area cell =
			area_part(&area, row, 1 + i % per_row * pitch, height, pitch - gap);

		entry_draw(view, &cell, &entry, &form);
		cell_note(view, &cell.rect, &entry);
		if (device_is_chosen(view, entry.device->device, entry.index))
			area_flags(&cell, 0, 0, form.width[DEVICE_LABEL], CELL_SELECTED);
		if (i % per_row == per_row - 1)
			row += height;
	}
	if (shown < count)
		area_format(&area, rows - 1, 1 + (per_row - 1) * pitch, ST_DIM, "+%d",
			    count - shown);
}

/* ---- of one process ---- */

bool device_shares_are_shown(const struct snap_process *process)
{
	size_t count = 0;

	for (size_t i = 0; !process->exited && i < process->use_count; i++)
		count += process->uses[i].device >= 0 && process->uses[i].live;
	return count > 1;
}

void device_shares_draw(const struct view *view, const struct area *area, int row,
			const struct snap_process *process)
{
	char live[16], total[16], text[96];
	int col = 1;

	for (size_t i = 0; i < process->use_count; i++) {
		const struct snap_use *use = &process->uses[i];
		double size = 0;
		int len;

		if (use->device < 0 || !use->live)
			continue;
		for (size_t j = 0; j < view->shown->device_count; j++)
			if (view->shown->devices[j].device == use->device)
				size = (double)view->shown->devices[j].total;
		format_bytes((double)use->live, live, sizeof(live));
		format_bytes(size, total, sizeof(total));
		len = snprintf(text, sizeof(text), "%s live", live);
		if (size > 0)
			snprintf(text + len, sizeof(text) - (size_t)len, " of %s %.0f%%", total,
				 100 * fmin((double)use->live / size, 1));
		if (col + canvas_width(area->canvas, text) + 8 > area->rect.cols) {
			area_text(area, row, col, ST_DIM, "…");
			break;
		}
		col = area_format(area, row, col, ST_HEAD, "GPU %d ", use->device);
		col = area_text(area, row, col, ST_PLAIN, text) + 3;
	}
}

/* ---- the filter ---- */

static void choose(struct view *view, int device, int instance)
{
	view->on_device.is_on = true;
	view->on_device.device = device;
	view->on_device.instance = instance;
	rows_arrange(view);
	view->table.scroll_to_selected = true;
}

void device_end(struct view *view)
{
	view->on_device.is_on = false;
	rows_arrange(view);
	view->table.scroll_to_selected = true;
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
