/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Printers of snapshots, one per format, each with a descriptor beside its code. A printer writes
 * one snapshot to a stream and returns 0 or a negative errno (-EPIPE when the reader is gone,
 * -ENOSPC ...), checked with ferror and fflush after each snapshot. Printers keep no state except
 * in struct out_options.
 */
#ifndef PRINT_PRINT_H
#define PRINT_PRINT_H

#include <stdio.h>

#include "model/columns.h"
#include "model/snapshot.h"
#include "print/formats.h"

#define KERNELS_SHOWN_DEFAULT 20 /* per process, by name */
#define KERNELS_SHOWN_MAX     200
#define SITES_SHOWN_DEFAULT   10 /* likewise: call sites */
#define SITES_SHOWN_MAX       200

/* How many series a process has at most. */
struct metrics_limits {
	unsigned int kernels; /* those launched most, by name */
	unsigned int sites;   /* of leaks, and as many of tensors; 0: none */
};

/* What -f folded weighs: call sites by bytes, kernels by launches, or waits by time. */
enum folded_weight {
	FOLDED_LIVE,
	FOLDED_LEAKED,
	FOLDED_SUSPECT,
	FOLDED_HELD,
	FOLDED_ALLOCATED,
	FOLDED_TENSORS,
	FOLDED_RISING,
	FOLDED_LAUNCHES,
	FOLDED_WAIT,
	FOLDED_WEIGHT_COUNT
};

extern const char *const folded_weight_names[FOLDED_WEIGHT_COUNT];

struct out_options {
	struct sort_order sort;
	const char *version;
	bool color; /* text only */
	bool ascii;
	int width; /* cells per line of text; 0: no limit */
	/*
	 * text: each snapshot tells what happened since the one before; else since one interval ago
	 */
	bool tells_on;
	bool lists_map;               /* text: the allocations of each process */
	uint64_t told_time;           /* text: when the last one was printed; set by the printer */
	bool header_done;             /* csv: the header line has been written */
	enum folded_weight weight;    /* folded: what to weigh */
	bool stacks;                  /* folded: call sites have whole stacks */
	uint64_t folded_total;        /* folded: set to the sum of the weights written */
	struct metrics_limits limits; /* metrics */
	const char *advice; /* set by open(): how to get more out of the format; or NULL */
	const char *remark; /* set by print(): why there is nothing to read; or NULL */
};

struct print_format {
	enum format format;
	/*
	 * its figures are sums over all processes ever seen; an output file is replaced each time
	 */
	bool is_metrics;
	/* It covers everything that happened: only the last snapshot is printed */
	bool is_final;
	/* Called before the first snapshot; may be NULL */
	int (*open)(struct out_options *options);
	int (*print)(FILE *stream, const struct snapshot *snapshot, struct out_options *options);
	/* Printed after the last snapshot of a COMMAND; NULL: nothing */
	int (*report)(FILE *stream, const struct snapshot *snapshot, struct out_options *options);
};

#define FORMAT_DECLARATION(constant, name) extern const struct print_format print_format_##name;
SNAPSHOT_FORMATS(FORMAT_DECLARATION)
#undef FORMAT_DECLARATION

extern const struct print_format *const print_formats[FORMAT_COUNT]; /* NULL: not of snapshots */
bool format_is_metrics(enum format format);

int out_text(FILE *stream, const struct snapshot *snapshot, struct out_options *options);
int out_json(FILE *stream, const struct snapshot *snapshot, struct out_options *options);
int out_csv(FILE *stream, const struct snapshot *snapshot, struct out_options *options);
int out_folded(FILE *stream, const struct snapshot *snapshot, struct out_options *options);

/*
 * The leak report by call site, printed as text after the last snapshot of a COMMAND: per process,
 * bytes and blocks per site, largest first, as valgrind and memleak do; the line "no leak" if there
 * is none.
 */
int out_leak_report(FILE *stream, const struct snapshot *snapshot, struct out_options *options);

#endif
