/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Printers of snapshots, one per format, each with a descriptor beside its code.
 * A printer writes one snapshot to a stream and returns 0 or a negative errno
 * (-EPIPE when the reader is gone, -ENOSPC ...), checked through ferror and
 * fflush after each snapshot. None keeps state but what is in struct
 * out_options.
 */
#ifndef PRINT_PRINT_H
#define PRINT_PRINT_H

#include <stdio.h>

#include "model/columns.h"
#include "model/snapshot.h"
#include "print/formats.h"

struct openmetrics;

/* What -f folded weighs call sites by, or kernels. */
enum folded_weight {
	FOLDED_LIVE,
	FOLDED_LEAKED,
	FOLDED_SUSPECT,
	FOLDED_HELD,
	FOLDED_ALLOCATED,
	FOLDED_LAUNCHES,
	FOLDED_WAIT,
	FOLDED_WEIGHT_COUNT
};

extern const char *const folded_weight_names[FOLDED_WEIGHT_COUNT];

struct out_options {
	struct sort_order sort;
	const char *version;
	bool color;		/* text only */
	bool ascii;
	int width;		/* cells per line of text; 0: no limit */
	bool tells_on;		/* text: each goes on from the one before; else from one interval ago */
	bool lists_map;		/* text: the allocations of each process */
	uint64_t told_time;	/* text: when that was; set */
	bool header_done;	/* csv: the header line has been written */
	enum folded_weight weight;	/* folded */
	bool stacks;		/* folded: call sites have whole stacks */
	uint64_t folded_total;	/* folded: set to the sum of the weights written */
	unsigned int kernels, sites;	/* metrics: with series of their own, per process */
	struct openmetrics *metrics;	/* metrics: what is remembered between snapshots; theirs */
	const char *advice;	/* set by open(): what would make more of the format; or NULL */
	const char *remark;	/* set by print(): why there is nothing to be read; or NULL */
};

struct print_format {
	enum format format;
	bool is_metrics;	/* its figures are sums over all processes ever; a file that it goes to is replaced each time */
	bool is_final;		/* it tells of all that happened: only the last snapshot is printed */
	int (*open)(struct out_options *options);	/* before the first; NULL: there is nothing to do */
	int (*print)(FILE *stream, const struct snapshot *snapshot, struct out_options *options);
	/* Printed after the last snapshot of a COMMAND; NULL: nothing */
	int (*report)(FILE *stream, const struct snapshot *snapshot, struct out_options *options);
	void (*close)(struct out_options *options);	/* after the last, and where open() has failed; NULL */
};

#define FORMAT_DECLARATION(constant, name) extern const struct print_format print_format_##name;
SNAPSHOT_FORMATS(FORMAT_DECLARATION)
#undef FORMAT_DECLARATION

extern const struct print_format *const print_formats[FORMAT_COUNT];	/* NULL: not of snapshots */
bool format_is_metrics(enum format format);

int out_text(FILE *stream, const struct snapshot *snapshot, struct out_options *options);
int out_json(FILE *stream, const struct snapshot *snapshot, struct out_options *options);
int out_csv(FILE *stream, const struct snapshot *snapshot, struct out_options *options);
int out_folded(FILE *stream, const struct snapshot *snapshot, struct out_options *options);

/*
 * The leak report by call site, printed in text after the last snapshot of a
 * COMMAND: per process, bytes and blocks per site, most first, like valgrind's
 * and memleak's; "no leak" in a line when there is none.
 */
int out_leak_report(FILE *stream, const struct snapshot *snapshot, struct out_options *options);

#endif
