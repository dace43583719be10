/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Printers of snapshots, one per format. Each writes one snapshot to a stream
 * and returns 0 or a negative errno (-EPIPE when the reader is gone, -ENOSPC
 * ...), checked through ferror and fflush after each snapshot. None keeps
 * state but what is in struct out_options.
 */
#ifndef PRINT_PRINT_H
#define PRINT_PRINT_H

#include <stdio.h>

#include "model/columns.h"
#include "model/snapshot.h"

/* What -f folded weighs call sites by, or kernels. */
enum folded_weight {
	FOLDED_LIVE,
	FOLDED_LEAKED,
	FOLDED_SUSPECT,
	FOLDED_HELD,
	FOLDED_ALLOCATED,
	FOLDED_LAUNCHES,
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
	uint64_t folded_total;	/* folded: set to the sum of the weights written */
};

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
