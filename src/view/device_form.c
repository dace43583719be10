/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view/device_form.h"

#include "util/util.h"

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

struct device_form device_form_make(int room, int label, bool below)
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

int device_form_gap(const struct device_form *form, enum device_field field)
{
	return form->tight ? 0 : fields[field].gap;
}
