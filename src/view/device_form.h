/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which figures a device's cell has, and how wide they are: by the room that there is, not by the
 * figures.
 */
#ifndef VIEW_DEVICE_FORM_H
#define VIEW_DEVICE_FORM_H

#include <stdbool.h>

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

/*
 * The form of a cell of @room cells where the longest label takes @label; @below: the processes have
 * a row of their own.
 */
struct device_form device_form_make(int room, int label, bool below);

/* How many cells are free before @field. */
int device_form_gap(const struct device_form *form, enum device_field field);

#endif
