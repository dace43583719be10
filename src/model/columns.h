/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one column table: what can be shown of a process, by name. It drives the
 * process table of the screen, sorting, batch text, CSV, JSON, metrics and --sort,
 * so that all have the same fields with the same names; the manual's table is held
 * to it by a test. A column is added by its line there, and shows up in all of them.
 */
#ifndef MODEL_COLUMNS_H
#define MODEL_COLUMNS_H

#include <stddef.h>

#include "model/event_kinds.h"
#include "model/snapshot.h"

enum column_unit {
	UNIT_TEXT,
	UNIT_COUNT,
	UNIT_BYTES,
	UNIT_BYTES_PER_SECOND,
	UNIT_PER_SECOND,
	UNIT_PERCENT,
	UNIT_SECONDS,
	UNIT_ID,		/* a number that is a name: not summed, not abbreviated */
};

struct column_value {
	bool absent;
	double number;		/* not for UNIT_TEXT */
	uint64_t count;		/* the same to the last digit, for UNIT_COUNT, UNIT_BYTES and UNIT_ID */
	const char *text;	/* UNIT_TEXT; borrowed from the process; NULL or "" where absent */
	char mark;		/* 0, '~' part is suspect, '>' lower bound (shown as >= sign) */
};

struct column_metric {
	const char *name;	/* as struct family has it, "cutop_process_peak_bytes"; NULL: none */
	bool is_counter;	/* never goes down; else a gauge */
	const char *help;	/* one line, for HELP */
};

struct column {
	const char *name;	/* lower case, for -s and CSV: "live" */
	const char *title;	/* for the header: "LIVE" */
	const char *help;	/* one line for the manual and -s help */
	enum column_unit unit;
	int width;		/* cells, without the gap; COMMAND: 0, the rest of the line */
	bool right;		/* text that stands to the right, as numbers do */
	int rank;		/* of the usual columns, those shown unless others are chosen: lowest stays longest; 0: none of them */
	enum event_tone tone;	/* of a figure that is not 0 */
	const char *json;	/* the member of a process that holds the same: "pid", "memory.live_bytes"; NULL: none does */
	struct column_metric metric;	/* the metric of a process that does; of UNIT_COUNT and UNIT_BYTES only */
	struct column_value (*value)(const struct snap_process *process);
};

extern const struct column columns[];
extern const size_t column_count;
#define COLUMNS_MAX	40	/* there are no more */

/* True if its values stand to the left. */
bool column_is_left(const struct column *column);

/* Returns the column called @name, or NULL. */
const struct column *column_find(const char *name);

/*
 * A sort order: columns by falling weight. Numbers sort descending first, text
 * ascending; absent values last either way; ties by pid, then start time.
 */
#define SORT_KEYS_MAX	8

struct sort_order {
	const struct column *keys[SORT_KEYS_MAX];
	size_t count;
	bool reverse;
};

/*
 * Parses "live,pid" into @order. Returns 0, or with *@bad (borrowed from @text, length *@bad_len) set to the
 * name: -EINVAL if it is no column, -E2BIG if it is one too many.
 */
int sort_order_parse(struct sort_order *order, const char *text, const char **bad, size_t *bad_len);

/* Negative if @a stands above @b. Absent values stand last whatever the direction. */
int column_compare(const struct column *column, const struct column_value *a, const struct column_value *b, bool reverse);

/* Sorts @processes (pointers into a snapshot) by @order. Stable. */
void sort_processes(const struct snap_process **processes, size_t count, const struct sort_order *order);

/*
 * Writes @value as people read it into @out (@size bytes), UTF-8: "12.1G",
 * "48.2k", "-" when absent, with its mark ("~512M", "≥6.3G", or ">6.3G" when @ascii).
 * At most 6 cells without the mark for numbers. Returns the number of cells.
 */
int column_format(const struct column *column, const struct column_value *value, bool ascii, char *out, size_t size);

/* The pieces of it. All return the number of cells written. */
int format_bytes(double bytes, char *out, size_t size);		/* 0, 999, 12.1G */
int format_count(double count, char *out, size_t size);		/* 0, 9999, 48.2k */

#endif
