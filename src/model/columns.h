/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The column table: all figures of a process that can be shown, by name. The process table of the
 * screen, sorting, batch text, CSV, JSON, metrics and --sort use it, so all have the same fields
 * with the same names; a test compares the manual with it. A line here adds a column everywhere.
 */
#ifndef MODEL_COLUMNS_H
#define MODEL_COLUMNS_H

#include <stddef.h>

#include "model/snapshot.h"

enum column_unit {
	UNIT_TEXT,
	UNIT_COUNT,
	UNIT_BYTES,
	UNIT_BYTES_PER_SECOND,
	UNIT_PER_SECOND,
	UNIT_PERCENT,
	UNIT_SECONDS,
	/* A number that identifies something: not summed, not abbreviated */
	UNIT_ID,
};

struct column_value {
	bool absent;
	double number;    /* not for UNIT_TEXT */
	uint64_t count;   /* the same exactly, for UNIT_COUNT, UNIT_BYTES and UNIT_ID */
	const char *text; /* UNIT_TEXT; borrowed from the process; NULL or "" if absent */
	char mark;        /* 0, '~' part is suspect, '>' lower bound (shown as >= sign) */
};

struct column_metric {
	/* As in struct family, "cutop_process_peak_bytes"; NULL: no metric */
	const char *name;
	bool is_counter;  /* it never goes down; otherwise a gauge */
	const char *help; /* one line, for the metric's HELP */
};

struct column {
	const char *name;  /* lower case, for -s and CSV: "live" */
	const char *title; /* for the header: "LIVE" */
	const char *help;  /* one line for the manual and -s help */
	enum column_unit unit;
	int width;  /* cells, without the gap; 0 for COMMAND: the rest of the line */
	bool right; /* text that is right-aligned, as numbers are */
	/*
	 * rank among the usual columns (shown unless others are chosen), which the lowest keeps
	 * longest; 0: not usual
	 */
	int rank;
	bool is_rare;         /* usual only where some process has a value */
	enum event_tone tone; /* style of a figure that is not 0 */
	/* JSON member of a process with the same value: "pid", "memory.live_bytes"; NULL: none */
	const char *json;
	/* Metric with the same value; for UNIT_COUNT and UNIT_BYTES only */
	struct column_metric metric;
	struct column_value (*value)(const struct snap_process *process);
};

extern const struct column columns[];
extern const size_t column_count;
#define COLUMNS_MAX 40 /* the table is not longer */

/* True if its values are left-aligned. */
bool column_is_left(const struct column *column);

/* True if it is a rare one, and no process of @snapshot (or NULL) has a value for it. */
bool column_is_void(const struct column *column, const struct snapshot *snapshot);

/* Returns the column called @name, or NULL. */
const struct column *column_find(const char *name);

/*
 * A sort order: columns, the most important first. Numbers sort descending, text ascending; absent
 * values come last in either direction; ties by pid, then start time.
 */
#define SORT_KEYS_MAX 8

struct sort_order {
	const struct column *keys[SORT_KEYS_MAX];
	size_t count;
	bool reverse;
};

/*
 * Parses "live,pid" into @order. Returns 0; -EINVAL if a name is no column, or -E2BIG if there are
 * too many, with *@bad set to the name (borrowed from @text, of length *@bad_len).
 */
int sort_order_parse(struct sort_order *order, const char *text, const char **bad, size_t *bad_len);

/* Negative if @a comes before @b. Absent values come last whatever the direction. */
int column_compare(const struct column *column, const struct column_value *a,
		   const struct column_value *b, bool reverse);

/* Sorts @processes (pointers into a snapshot) by @order. Stable. */
void sort_processes(const struct snap_process **processes, size_t count,
		    const struct sort_order *order);

/*
 * Formats @value for reading into @out (@size bytes), UTF-8: "12.1G", "48.2k", "-" if absent, with
 * its mark ("~512M", "≥6.3G", or "6.3G+" when @ascii). Numbers take at most 6 cells without the
 * mark. Returns the number of cells.
 */
int column_format(const struct column *column, const struct column_value *value, bool ascii,
		  char *out, size_t size);

/* Parts of the above. All return the number of cells written. */
int format_bytes(double bytes, char *out, size_t size); /* 0, 999, 12.1G */

/* The same, for the arguments of a sentence: size_of(bytes).text */
struct size_text {
	char text[16];
};

struct size_text size_of(double bytes);
int format_count(double count, char *out, size_t size); /* 0, 9999, 48.2k */
/* "41s", "5m", "2m20s", "1h05m", "2d04h"; with tenths if there are less seconds than @tenths. */
const char *format_duration(double seconds, double tenths, char out[24]);

#endif
