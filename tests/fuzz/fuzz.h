/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzzers share. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "print/print.h"

/* libFuzzer calls this. It returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints @snapshot, if there is one, in every format, for nobody; and frees it. */
static inline void fuzz_show(struct snapshot *snapshot)
{
	struct out_options options = { .version = "0" };
	static FILE *null;

	if (!null)
		null = fopen("/dev/null", "w");
	if (!snapshot || !null)
		return;
	out_json(null, snapshot, &options);
	out_text(null, snapshot, &options);
	out_csv(null, snapshot, &options);
	out_folded(null, snapshot, &options);
	out_leak_report(null, snapshot, &options);
	snapshot_free(snapshot);
}

#endif
